/* fold_lines.c - pairing of lines: packets walk into the middle half of their segment, two per
 * node.
 *
 * In a segment of k nodes the packet that starts at distance x walks to distance o + floor(x / 2)
 * with o = floor(floor(k / 2) / 2): left of the middle o - ceil(x / 2) links forward, right of it
 * ceil(x / 2) - o links backward. All set out at once and cross a link per step until they are
 * there.
 *
 * Packets that walk the same way keep their distances, so no two want one link; all nodes to which
 * packets walk forward are before those to which packets walk backward, so the two kinds never
 * meet. Packets stop one after the other, and none passes one that has stopped: a node holds two
 * packets at most, one of even and one of odd distance. A node knows from the step and its place
 * whether its packet stops.
 *   A packet stays in its cell, whose word is stored at the index of the node where the packet
 * started; only the place of the cell changes. So a walk moves nothing in memory.
 *
 * Unpairing is the same walk backwards in time.
 * Steps: ceil(floor(k / 2) / 2) for the longest k.
 * Cost: a look at each cell, for any number of steps.
 */

#include "machine/plane/plane_private.h"

#include "base/numbers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static enum failure_kind pairing_make(struct machine *machine, const struct lines *lines,
                                      struct failure *failure)
{
    struct mesh mesh = machine->config.mesh;
    struct pairing *pairing = &machine->plane->pairing;
    size_t longest = mesh.rows > mesh.cols ? mesh.rows : mesh.cols;
    if (pairing->target == NULL)
        pairing->target = memory_allocate(longest, sizeof *pairing->target);
    if (pairing->place == NULL)
        pairing->place = memory_allocate(longest, sizeof *pairing->place);
    if (pairing->side == NULL)
        pairing->side = memory_allocate(longest, sizeof *pairing->side);
    if (pairing->order == NULL)
        pairing->order = memory_allocate(longest, sizeof *pairing->order);
    free(pairing->cut);
    pairing->cut = memory_allocate((size_t)lines->segments + 1, sizeof *pairing->cut);
    if (!pairing->target || !pairing->place || !pairing->side || !pairing->order || !pairing->cut)
        return fail_memory(failure, "the pairs of a plane");
    return plane_prepare_scratch(machine, failure);
}

/* Finds the nodes to which the packets of these lines walk. */
static void place_cells(struct pairing *pairing, const struct lines *lines)
{
    uint32_t length = lines->cut[lines->segments];
    memcpy(pairing->cut, lines->cut, (lines->segments + (size_t)1) * sizeof *lines->cut);
    pairing->lines = (struct lines){lines->are_columns, lines->segments, pairing->cut};
    for (uint32_t s = 0; s < lines->segments; s++) {
        uint32_t start = lines->cut[s], middle = start + (lines->cut[s + 1] - start) / 2 / 2;
        for (uint32_t at = start; at < lines->cut[s + 1]; at++) {
            pairing->target[at] = middle + (at - start) / 2;
            pairing->side[at] = (at - start) % 2;
        }
    }
    uint32_t count = 0;
    for (uint8_t side = 0; side < 2; side++) {
        for (uint32_t at = 0; at < length; at++)
            if (pairing->side[at] == side)
                pairing->order[count++] = at;
        if (side == 0)
            pairing->firsts = count;
    }
    pairing->steps = machine_pair_steps(lines);
}

/* ---- the walk ---- */

struct fold {
    struct machine *machine;
    bool is_inward;
    uint32_t before; /* steps inward that had been walked before the last one */
};

/* Returns the place of a cell after so many steps inward. */
static uint32_t place_after(const struct pairing *pairing, uint32_t at, uint32_t steps)
{
    uint32_t target = pairing->target[at];
    if (target > at)
        return at + min_u32(target - at, steps);
    return at - min_u32(at - target, steps);
}

/* Moves all packets from their places after `from` steps inward to those after `to` steps. */
static void walk_all(struct fold *fold, uint32_t from, uint32_t to)
{
    struct machine *machine = fold->machine;
    struct plane *plane = machine->plane;
    struct pairing *pairing = &plane->pairing;
    struct row_range rows = machine_rows(machine);
    uint32_t cols = machine->config.mesh.cols;
    const uint64_t *word = plane->word + (size_t)rows.first * cols;
    uint64_t hops = 0;
    for (uint32_t row = rows.first; row < rows.end; row++)
        for (uint32_t col = 0; col < cols; col++, word++) {
            uint32_t at = pairing->lines.are_columns ? row : col;
            if (*word != PLANE_EMPTY)
                hops += difference(place_after(pairing, at, from), place_after(pairing, at, to));
        }
    for (uint32_t at = 0; at < pairing->lines.cut[pairing->lines.segments]; at++)
        pairing->place[at] = place_after(pairing, at, to);
    machine->tally[0].packet_hops += hops;
    fold->before = from;
}

static void walk_steps(void *of_call, uint32_t first, uint32_t steps)
{
    struct fold *fold = of_call;
    uint32_t all = fold->machine->plane->pairing.steps;
    if (fold->is_inward)
        walk_all(fold, first, first + steps);
    else
        walk_all(fold, all - first, all - first - steps);
}

/* Reports the step of the packet in a cell at position `at` of its line. */
static void emit_cell(const struct fold *fold, uint32_t cell, uint32_t at)
{
    const struct plane *plane = fold->machine->plane;
    uint32_t along = line_shape(fold->machine, plane->pairing.lines.are_columns).along;
    uint32_t from = place_after(&plane->pairing, at, fold->before), to = plane->pairing.place[at];
    node_index first = cell - at * along; /* first node of the line */
    if (plane->after[cell] != PLANE_EMPTY && from != to)
        plane_tell(fold->machine, plane->after[cell], first + from * along, first + to * along);
}

/* Reports a step in the order of the nodes to which packets have moved: if columns are paired, the
 * cells of two rows are at the nodes of one. */
static void emit_walk(void *of_call)
{
    const struct fold *fold = of_call;
    struct mesh mesh = fold->machine->config.mesh;
    const struct pairing *pairing = &fold->machine->plane->pairing;
    for (uint32_t row = 0, end; row < mesh.rows; row = end) {
        end = row + 1;
        while (pairing->lines.are_columns && end < mesh.rows &&
               pairing->place[end] == pairing->place[row])
            end++;
        for (uint32_t col = 0; col < mesh.cols; col++)
            for (uint32_t i = row; i < end; i++)
                emit_cell(fold, i * mesh.cols + col, pairing->lines.are_columns ? i : col);
    }
}

uint32_t machine_pair_steps(const struct lines *lines)
{
    uint32_t most = 0;
    for (uint32_t s = 0; s < lines->segments; s++) {
        uint32_t half = (lines->cut[s + 1] - lines->cut[s]) / 2, steps = (half + 1) / 2;
        most = steps > most ? steps : most;
    }
    return most;
}

static enum failure_kind fold_all(struct machine *machine, bool is_inward, struct failure *failure)
{
    struct fold fold = {.machine = machine, .is_inward = is_inward};
    struct plane_program program = {.work = &fold,
                                    .steps = machine->plane->pairing.steps,
                                    .most = PLANE_PAIR,
                                    .run = walk_steps,
                                    .tell = emit_walk};
    return plane_run(machine, &program, failure);
}

enum failure_kind machine_pair(struct machine *machine, const struct lines *lines,
                               struct failure *failure)
{
    struct pairing *pairing = &machine->plane->pairing;
    assert(machine->has_open_plane && !machine->in_sync_phase && !pairing->is_on);
    assert(lines->cut[0] == 0 &&
           lines->cut[lines->segments] == line_shape(machine, lines->are_columns).length);
    if (pairing_make(machine, lines, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    place_cells(pairing, lines);
    for (uint32_t at = 0; at < lines->cut[lines->segments]; at++)
        pairing->place[at] = at;
    pairing->is_on = true;
    return fold_all(machine, true, failure);
}

enum failure_kind machine_unpair(struct machine *machine, struct failure *failure)
{
    struct pairing *pairing = &machine->plane->pairing;
    assert(machine->has_open_plane && !machine->in_sync_phase && pairing->is_on);
    enum failure_kind kind = fold_all(machine, false, failure);
    pairing->is_on = kind != FAIL_NONE;
    return kind;
}
