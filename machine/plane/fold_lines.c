/* fold_lines.c - pairing of lines: packets walk into the middle half of their segment, two a node.
 *
 * In a segment of k nodes the packet that starts at distance x walks to distance o + floor(x / 2) with o =
 * floor(floor(k / 2) / 2): left of the middle o - ceil(x / 2) links forward, right of it ceil(x / 2) - o links
 * backward. All set out at once and take a link a step until they are there.
 *
 * Packets that walk the same way keep their distances, so no two want one link; all nodes to which packets walk
 * forward are before those to which packets walk backward, so the two kinds never meet. Packets stop one after the
 * other, and none passes one that has stopped: a node holds two packets at most, one of even and one of odd
 * distance. `word` holds the first kind here, `backward` the second. A node knows from the step and its place
 * whether its packet stops.
 * When all have stopped, a cell's word is stored at the index of the node where the cell's packet started. This
 * concerns the emulator's memory only, and leaves each packet at the node to which it has walked.
 *
 * Unpairing is the same walk backwards in time. Steps: ceil(floor(k / 2) / 2) for the longest k.
 * Cost: that of move_lines.c, twice.
 */

#include "machine/plane/plane_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static enum failure_kind pairing_make(struct machine *machine, const struct lines *lines,
                                      struct failure *failure)
{
    struct mesh mesh = machine->config.mesh;
    struct pairing *pairing = &machine->plane->pairing;
    size_t longest = mesh.rows > mesh.cols ? mesh.rows : mesh.cols;
    if (pairing->place == NULL)
        pairing->place = memory_allocate(longest, sizeof *pairing->place);
    if (pairing->side == NULL)
        pairing->side = memory_allocate(longest, sizeof *pairing->side);
    if (pairing->order == NULL)
        pairing->order = memory_allocate(longest, sizeof *pairing->order);
    free(pairing->cut);
    pairing->cut = memory_allocate((size_t)lines->segments + 1, sizeof *pairing->cut);
    if (!pairing->place || !pairing->side || !pairing->order || !pairing->cut)
        return fail_memory(failure, "the pairs of a plane");
    return plane_prepare_scratch(machine, failure);
}

/* Finds the nodes to which the packets of these lines will walk. */
static void place_cells(struct pairing *pairing, const struct lines *lines)
{
    uint32_t length = lines->cut[lines->segments];
    memcpy(pairing->cut, lines->cut, (lines->segments + (size_t)1) * sizeof *lines->cut);
    pairing->lines = (struct lines){lines->are_columns, lines->segments, pairing->cut};
    for (uint32_t s = 0; s < lines->segments; s++) {
        uint32_t start = lines->cut[s], middle = start + (lines->cut[s + 1] - start) / 2 / 2;
        for (uint32_t at = start; at < lines->cut[s + 1]; at++) {
            pairing->place[at] = middle + (at - start) / 2;
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

struct pair_walk {
    struct machine *machine;
    bool is_inward;
    struct plane_walk walk;
};

static void moves_of_line(const void *context, uint32_t line, const struct plane_part *part,
                          struct plane_move *move)
{
    const struct pair_walk *pair = context;
    const struct pairing *pairing = &pair->machine->plane->pairing;
    struct plane_walk walk = walk_of_part(&pair->walk, part);
    const uint32_t *place = pairing->place + part->start;
    const uint8_t *side = pairing->side + part->start;
    int32_t start = (int32_t)part->start;
    (void)line;
    for (uint32_t at = 0; at < walk.length; at++)
        plane_walk(&walk, at, (int32_t)place[at] - start - (int32_t)at, side[at], move);
}

/* Moves all packets from their places after `from` steps inward to those after `to` steps. */
static void move_all(struct pair_walk *pair, uint32_t from, uint32_t to)
{
    pair->walk.from = from;
    pair->walk.to = to;
    pair->walk.is_apart[0] = from > 0;
    pair->walk.is_apart[1] = to > 0;
    plane_move_lines(pair->machine, &pair->machine->plane->pairing.lines, moves_of_line, pair);
}

static void walk_steps(void *of_call, uint32_t first, uint32_t steps)
{
    struct pair_walk *pair = of_call;
    uint32_t all = pair->machine->plane->pairing.steps;
    if (pair->is_inward)
        move_all(pair, first, first + steps);
    else
        move_all(pair, all - first, all - first - steps);
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

/* Does the walk. The change of how words are stored, before or after it, is a walk in the other direction that
 * crosses no links. */
static enum failure_kind walk_all(struct machine *machine, bool is_inward, struct failure *failure)
{
    struct pairing *pairing = &machine->plane->pairing;
    struct line_shape shape = line_shape(machine, pairing->lines.are_columns);
    struct pair_walk pair = {machine, is_inward, {.from = 0}};
    struct plane_program program = {.work = &pair,
                                    .steps = pairing->steps,
                                    .most = PLANE_PAIR,
                                    .run = walk_steps,
                                    .along = shape.along};
    pair.walk.is_storing = true;
    if (!is_inward)
        move_all(&pair, 0, pairing->steps);
    pair.walk.is_storing = false;
    enum failure_kind kind = plane_run(machine, &program, failure);
    pair.walk.is_storing = true;
    if (is_inward && kind == FAIL_NONE)
        move_all(&pair, pairing->steps, 0);
    return kind;
}

enum failure_kind machine_pair(struct machine *machine, const struct lines *lines,
                               struct failure *failure)
{
    assert(machine->has_open_plane && !machine->in_sync_phase);
    assert(!machine->plane->pairing.is_on);
    assert(lines->cut[0] == 0 &&
           lines->cut[lines->segments] == line_shape(machine, lines->are_columns).length);
    if (pairing_make(machine, lines, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    place_cells(&machine->plane->pairing, lines);
    enum failure_kind kind = walk_all(machine, true, failure);
    machine->plane->pairing.is_on = kind == FAIL_NONE;
    return kind;
}

enum failure_kind machine_unpair(struct machine *machine, struct failure *failure)
{
    assert(machine->has_open_plane && !machine->in_sync_phase);
    assert(machine->plane->pairing.is_on);
    machine->plane->pairing.is_on = false;
    return walk_all(machine, false, failure);
}
