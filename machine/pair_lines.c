/* pair_lines.c - the walk of paired lines, fast: a line through all steps while in cache.
 *
 * Lines do not touch each other in a walk (pair.c). Of a segment the cells left of the middle walk
 * forward, those right of it backward, each kind in two streams: of first cells, and of second
 * ones. Of a stream those that still walk in a step are the outer ones, a block that keeps its
 * distances: its step is a move of the block by one position, and costs as many hops as it has
 * packets. On the way in the innermost cells of a block leave it where they stop; on the way back,
 * the same steps backwards in time, they join it there.
 * Invariant: no other packet of the stream stands where a block does, nor before it.
 * Cost: a word moved a node of the block and step; O(1) for a block and step, and for a cell.
 */
#include "machine/plane_private.h"

#include <string.h>

struct line_work {
    struct machine *machine;
    struct line_shape shape;
    uint32_t first, steps; /* what is left: first .. steps, counted from 1 in time */
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

/* Who has link `step` of the way in before or behind it; `moved` links have been crossed. */
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

/* All steps that are left; returns the hops. */
static uint64_t walk_block(const struct line_work *work, struct block block)
{
    uint64_t hops = 0;
    for (uint32_t time = work->first; time <= work->steps; time++) {
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
    work->machine->band[team->rank].packet_hops += hops;
}

void walk_by_lines(struct machine *machine, uint32_t first, uint32_t steps, bool is_inward)
{
    struct lines lines = {.are_columns = machine->plane->pairing.are_columns};
    struct line_work work = {machine, line_shape(machine, &lines), first, steps, is_inward};
    parallel_run(plane_crew(machine, steps - first + 1), walk_band, &work);
}
