/* pair.c - pairing of lines: packets walk into the middle half of their segment, two a node.
 *
 * In a segment of k nodes the packet that starts at distance x walks to distance o + floor(x / 2)
 * with o = floor(floor(k / 2) / 2): left of the middle o - ceil(x / 2) links forward, right of it
 * ceil(x / 2) - o links backward. All set out at once and take a link a step until they are there.
 *
 * Packets that walk the same way keep their distances, so no two want one link; those that walk
 * forward end before those that walk backward begin to end, so the two kinds never meet. Packets x
 * behind each other stop in turn, and nobody passes one that has stopped: a node holds two packets
 * at most, one of even and one of odd distance, and these are the two slots of a node here:
 * `word` and `backward`. A node knows from the step and its place whether its packet stops.
 * When all have stopped, a cell's word is stored where the cell's packet started: a matter of the
 * emulator's memory only, which leaves each packet at the node to which it has walked.
 *
 * Unpairing is the same walk backwards in time. Steps: ceil(floor(k / 2) / 2) for the longest k.
 * With a trace, and until two packets have been at a node, the whole mesh goes step by step; then
 * each line takes all steps that are left (pair_lines.c).
 * Cost: one look at each node a step.
 */
#include "machine/plane_private.h"

#include <assert.h>
#include <stdlib.h>

void pairing_free(struct pairing *pairing)
{
    free(pairing->place);
    free(pairing->side);
    free(pairing->order);
}

static enum failure_kind pairing_make(struct machine *machine, struct failure *failure)
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
    if (pairing->place == NULL || pairing->side == NULL || pairing->order == NULL)
        return fail_memory(failure, "the pairs of a plane");
    return plane_prepare_scratch(machine, failure);
}

/* Where the cells of these lines are to live. */
static void place_cells(struct pairing *pairing, const struct lines *lines)
{
    uint32_t length = lines->cut[lines->segments];
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
    pairing->are_columns = lines->are_columns;
}

/* ---- the walk ---- */

/* A step of the walk of all lines. */
struct walk {
    struct machine *machine;
    struct line_shape shape;
    uint32_t step; /* from 1; on the way back it is taken back */
    bool is_inward;
};

/* The packet that starts at position `at` of a line takes the step, if it walks so far. */
static void walk_packet(const struct walk *walk, uint32_t line, uint32_t at)
{
    struct plane *plane = walk->machine->plane;
    uint32_t to = plane->pairing.place[at], links = to > at ? to - at : at - to, step = walk->step;
    if (step > links)
        return;
    uint32_t outer = to > at ? at + step - 1 : at - step + 1;
    uint32_t inner = to > at ? outer + 1 : outer - 1;
    uint32_t base = line * walk->shape.across, along = walk->shape.along;
    outer = base + outer * along;
    inner = base + inner * along;
    plane_hop(walk->machine, &walk->machine->band[0],
              plane->pairing.side[at] == 0 ? plane->word : plane->backward,
              walk->is_inward ? outer : inner, walk->is_inward ? inner : outer);
}

/* Of the packets that walk one way, the one in front hops first. */
static void walk_line(const struct walk *walk, uint32_t line)
{
    const uint32_t *place = walk->machine->plane->pairing.place;
    uint32_t last = walk->shape.length - 1;
    for (uint32_t i = 0; i <= last; i++) {
        uint32_t right = walk->is_inward ? last - i : i, left = last - right;
        if (place[right] > right)
            walk_packet(walk, line, right);
        if (place[left] < left)
            walk_packet(walk, line, left);
    }
}

static uint32_t steps_of_walk(const struct pairing *pairing, uint32_t length)
{
    uint32_t steps = 0;
    for (uint32_t at = 0; at < length; at++) {
        uint32_t to = pairing->place[at], links = to > at ? to - at : at - to;
        steps = links > steps ? links : steps;
    }
    return steps;
}

static enum failure_kind walk_all(struct machine *machine, bool is_inward, struct failure *failure)
{
    const struct pairing *pairing = &machine->plane->pairing;
    struct lines lines = {.are_columns = pairing->are_columns};
    struct walk walk = {machine, line_shape(machine, &lines), 0, is_inward};
    uint32_t steps = steps_of_walk(pairing, walk.shape.length), done = 0;
    enum failure_kind kind = FAIL_NONE;
    while (done < steps && kind == FAIL_NONE && plane_needs_steps(machine, PLANE_PAIR)) {
        walk.step = is_inward ? done + 1 : steps - done;
        for (uint32_t line = 0; line < walk.shape.count; line++)
            walk_line(&walk, line);
        plane_look_for_peak(machine, PLANE_PAIR);
        kind = machine_end_step(machine, failure);
        done++;
    }
    if (kind != FAIL_NONE || done == steps)
        return kind;
    walk_by_lines(machine, done + 1, steps, is_inward);
    return machine_end_steps(machine, steps - done, failure);
}

/* ---- the two slots of a node ---- */

/* Before the walk, and after the walk back: each node has one packet, in the slot of its cell. */
static void swap_slots(struct machine *machine)
{
    struct plane *plane = machine->plane;
    uint32_t cols = machine->config.mesh.cols;
    for (node_index node = 0; node < machine->nodes; node++) {
        if (plane->pairing.side[plane->pairing.are_columns ? node / cols : node % cols] == 0)
            continue;
        uint64_t word = plane->word[node];
        plane->word[node] = plane->backward[node];
        plane->backward[node] = word;
    }
}

/* After the walk in: what stands in the slots of the nodes becomes the words of the cells; or the
 * other way round. */
static void store_cells(struct machine *machine, bool from_slots)
{
    struct plane *plane = machine->plane;
    const struct pairing *pairing = &plane->pairing;
    struct lines lines = {.are_columns = pairing->are_columns};
    struct line_shape shape = line_shape(machine, &lines);
    uint64_t *copy = plane->scratch[0];
    for (uint32_t line = 0; line < shape.count; line++) {
        uint32_t base = line * shape.across;
        for (uint32_t at = 0; at < shape.length; at++) {
            uint64_t *slots = pairing->side[at] == 0 ? plane->word : plane->backward;
            uint32_t slot = base + pairing->place[at] * shape.along;
            copy[at] = from_slots ? slots[slot] : plane->word[base + at * shape.along];
        }
        for (uint32_t at = 0; at < shape.length; at++)
            plane->word[base + at * shape.along] = plane->backward[base + at * shape.along] =
                PLANE_EMPTY;
        for (uint32_t at = 0; at < shape.length; at++) {
            uint64_t *slots = pairing->side[at] == 0 ? plane->word : plane->backward;
            uint32_t slot = base + pairing->place[at] * shape.along;
            *(from_slots ? &plane->word[base + at * shape.along] : &slots[slot]) = copy[at];
        }
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

enum failure_kind machine_pair(struct machine *machine, const struct lines *lines,
                               struct failure *failure)
{
    assert(machine->plane != NULL && machine->plane->is_open && !machine->in_sync_phase);
    assert(!machine->plane->pairing.is_on);
    assert(lines->cut[0] == 0 && lines->cut[lines->segments] == line_shape(machine, lines).length);
    if (pairing_make(machine, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    place_cells(&machine->plane->pairing, lines);
    swap_slots(machine);
    enum failure_kind kind = walk_all(machine, true, failure);
    if (kind != FAIL_NONE)
        return kind;
    store_cells(machine, true);
    machine->plane->pairing.is_on = true;
    return FAIL_NONE;
}

enum failure_kind machine_unpair(struct machine *machine, struct failure *failure)
{
    assert(machine->plane != NULL && machine->plane->is_open && !machine->in_sync_phase);
    assert(machine->plane->pairing.is_on);
    machine->plane->pairing.is_on = false;
    store_cells(machine, false);
    enum failure_kind kind = walk_all(machine, false, failure);
    if (kind == FAIL_NONE)
        swap_slots(machine);
    return kind;
}
