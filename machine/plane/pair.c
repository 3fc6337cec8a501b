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
 *
 * Lines do not touch each other in a walk. Of a segment the cells left of the middle walk
 * forward, those right of it backward, each kind in two streams: of first cells, and of second
 * ones. Of a stream those that still walk in a step are the outer ones, a block that keeps its
 * distances: its step is a move of the block by one position, and costs as many hops as it has
 * packets. On the way in the innermost cells of a block leave it where they stop; on the way back,
 * the same steps backwards in time, they join it there.
 * Invariant: no other packet of the stream stands where a block does, nor before it.
 * Cost: a word moved a node of the block and step; O(1) for a block and step, and for a cell.
 */

#include "machine/plane/plane_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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

struct line_work {
    struct machine *machine;
    struct line_shape shape;
    uint32_t steps;       /* of the walk */
    uint32_t first, last; /* those to do, counted from 1 in time */
    bool is_inward;
};

/* The outer cells of a stream of a segment, and the packets among them. Cell i started at position
 * outer + 2 way i of the line. */
struct block {
    uint64_t *stream;
    const uint32_t *place;
    ptrdiff_t outer, way; /* way: 1 or -1, inward */
    uint32_t cells, room; /* that walk in this step; that walk at all */
    uint64_t packets;
};

static ptrdiff_t start_of(const struct block *block, uint32_t i)
{
    return block->outer + 2 * block->way * (ptrdiff_t)i;
}

static ptrdiff_t links_of(const struct block *block, uint32_t i)
{
    ptrdiff_t start = start_of(block, i);
    return ((ptrdiff_t)block->place[start] - start) * block->way;
}

/* 1 or 0: packets of cell i, `moved` links away from its start. */
static uint64_t packets_of(const struct block *block, uint32_t i, ptrdiff_t moved)
{
    return block->stream[start_of(block, i) + block->way * moved] != PLANE_EMPTY;
}

/* The packet that has link `step` of the way in before or behind it; `moved` links have been crossed. */
static void take_part(struct block *block, ptrdiff_t step, ptrdiff_t moved)
{
    for (; block->cells > 0 && links_of(block, block->cells - 1) < step; block->cells--)
        block->packets -= packets_of(block, block->cells - 1, moved);
    for (; block->cells < block->room && links_of(block, block->cells) >= step; block->cells++)
        block->packets += packets_of(block, block->cells, moved);
}

/* The block, not empty, moves by one position. */
static void move_block(const struct block *block, ptrdiff_t moved, bool is_inward)
{
    ptrdiff_t way = block->way, outermost = block->outer + way * moved;
    ptrdiff_t innermost = start_of(block, block->cells - 1) + way * moved;
    uint64_t *low = block->stream + (way > 0 ? outermost : innermost);
    memmove(is_inward ? low + way : low - way, low, (2 * block->cells - 1) * sizeof *low);
    block->stream[is_inward ? outermost : innermost] = PLANE_EMPTY;
}

/* The steps to do; returns the hops. */
static uint64_t walk_block(const struct line_work *work, struct block block)
{
    uint64_t hops = 0;
    for (uint32_t time = work->first; time <= work->last; time++) {
        uint32_t step = work->is_inward ? time : work->steps + 1 - time;
        uint32_t moved = work->is_inward ? step - 1 : step;
        take_part(&block, step, moved);
        if (block.cells > 0)
            move_block(&block, moved, work->is_inward);
        hops += block.packets;
    }
    return hops;
}

/* Which way the cell at `at` walks in: 1, -1; 0: it stays. */
static int way_of(const struct pairing *pairing, uint32_t at)
{
    return (pairing->place[at] > at) - (pairing->place[at] < at);
}

/* A line whose words are contiguous. Neighbours that walk the same way belong to one segment, since
 * its first cell never walks backward and its last one never forward. */
static uint64_t walk_line(const struct line_work *work, uint64_t *word, uint64_t *backward)
{
    const struct pairing *pairing = &work->machine->plane->pairing;
    uint64_t hops = 0;
    for (uint32_t start = 0, end; start < work->shape.length; start = end) {
        int way = way_of(pairing, start);
        end = start + 1;
        while (end < work->shape.length && way_of(pairing, end) == way)
            end++;
        for (uint32_t i = 0; way != 0 && i < 2 && i < end - start; i++) {
            uint32_t outer = way > 0 ? start + i : end - 1 - i;
            hops +=
                walk_block(work, (struct block){.stream = pairing->side[outer] ? backward : word,
                                                .place = pairing->place,
                                                .outer = outer,
                                                .way = way,
                                                .room = (end - start - i + 1) / 2});
        }
    }
    return hops;
}

/* Columns first .. first + count - 1: each copied out of the planes and back. */
static uint64_t walk_columns(const struct line_work *work, uint32_t first, uint32_t count,
                             uint64_t *buffer)
{
    const struct plane *plane = work->machine->plane;
    struct plane_columns columns = {first, count, work->shape.length, work->shape.along};
    size_t stride = plane_column_stride(&columns);
    uint64_t *back = buffer + PLANE_COLUMNS * stride, hops = 0;
    plane_gather(&columns, plane->word, buffer);
    plane_gather(&columns, plane->backward, back);
    for (uint32_t l = 0; l < count; l++)
        hops += walk_line(work, buffer + l * stride, back + l * stride);
    plane_scatter(&columns, buffer, plane->word);
    plane_scatter(&columns, back, plane->backward);
    return hops;
}

static void walk_band(void *context, const struct team *team)
{
    const struct line_work *work = context;
    const struct plane *plane = work->machine->plane;
    uint32_t count = work->shape.count, groups = (count + PLANE_COLUMNS - 1) / PLANE_COLUMNS;
    uint32_t start = parallel_band_start(groups, team->rank, team->size) * PLANE_COLUMNS;
    uint32_t end = parallel_band_start(groups, team->rank + 1, team->size) * PLANE_COLUMNS;
    bool are_columns = plane->pairing.are_columns;
    uint64_t hops = 0;
    end = end < count ? end : count;
    for (uint32_t line = start; line < end; line += are_columns ? PLANE_COLUMNS : 1) {
        size_t row = (size_t)line * work->shape.across;
        uint32_t lines = end - line < PLANE_COLUMNS ? end - line : PLANE_COLUMNS;
        hops += are_columns ? walk_columns(work, line, lines, plane->scratch[team->rank])
                            : walk_line(work, plane->word + row, plane->backward + row);
    }
    work->machine->tally[team->rank].packet_hops += hops;
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

static void walk_steps(void *of_call, uint32_t first, uint32_t steps)
{
    struct line_work *work = of_call;
    work->first = first + 1;
    work->last = first + steps;
    parallel_run(plane_crew(work->machine, steps), walk_band, work);
}

static enum failure_kind walk_all(struct machine *machine, bool is_inward, struct failure *failure)
{
    const struct pairing *pairing = &machine->plane->pairing;
    struct lines lines = {.are_columns = pairing->are_columns};
    struct line_work work = {
        .machine = machine, .shape = line_shape(machine, &lines), .is_inward = is_inward};
    work.steps = steps_of_walk(pairing, work.shape.length);
    struct plane_program program = {.work = &work,
                                    .steps = work.steps,
                                    .most = PLANE_PAIR,
                                    .run = walk_steps,
                                    .along = work.shape.along};
    return plane_run(machine, &program, failure);
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
    assert(machine->has_open_plane && !machine->in_sync_phase);
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
    assert(machine->has_open_plane && !machine->in_sync_phase);
    assert(machine->plane->pairing.is_on);
    machine->plane->pairing.is_on = false;
    store_cells(machine, false);
    enum failure_kind kind = walk_all(machine, false, failure);
    if (kind == FAIL_NONE)
        swap_slots(machine);
    return kind;
}
