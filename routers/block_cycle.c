/* block_cycle.c - the Hamiltonian cycles of blocks, for tours (block_tour.c).
 *
 * The cycle is the ring of primitives/ring.h. Where both sides of a block are odd, the ring leaves out the corner
 * (0, 0), which then stands between the ring's last place, (1, 1), two links away, and its first, (0, 1), one link
 * away. On a single row or column the cycle goes out over the even places and home over the odd ones. So
 * neighbours are at most two links apart (Fact 1 of the paper).
 *
 * Source: Section 4, Step 2(b), of the paper.
 * Cost: 8 bytes a node of a block, for each of four sizes.
 */
#include "primitives/ring.h"
#include "routers/block_tour.h"

#include <stdlib.h>

/* Even places on the way out, odd ones on the way home. */
static void order_line(struct block_cycle *cycle)
{
    uint32_t length = cycle->height * cycle->width, position = 0;
    for (uint32_t i = 0; i < length; i += 2)
        cycle->place[position++] = cycle->height == 1 ? place_of(0, i) : place_of(i, 0);
    for (uint32_t i = length; i-- > 0;)
        if (i % 2 == 1)
            cycle->place[position++] = cycle->height == 1 ? place_of(0, i) : place_of(i, 0);
}

static enum failure_kind order_ring(struct block_cycle *cycle, struct failure *failure)
{
    struct ring ring;
    uint32_t position = 0;
    enum failure_kind kind = ring_make(&ring, (struct mesh){cycle->height, cycle->width}, failure);
    if (kind != FAIL_NONE)
        return kind;
    if (ring.leaves_out_corner)
        cycle->place[position++] = place_of(0, 0);
    for (uint32_t i = 0; i < ring.length; i++)
        cycle->place[position++] = ring.place[i];
    ring_free(&ring);
    return FAIL_NONE;
}

static enum failure_kind cycle_make(struct block_cycle *cycle, uint32_t height, uint32_t width,
                                    struct failure *failure)
{
    uint32_t length = height * width;
    *cycle = (struct block_cycle){.height = height, .width = width};
    cycle->place = memory_allocate(length, sizeof *cycle->place);
    cycle->position = memory_allocate(length, sizeof *cycle->position);
    if (cycle->place == NULL || cycle->position == NULL)
        return fail_memory(failure, "the cycles of the blocks");
    if (height == 1 || width == 1)
        order_line(cycle);
    else if (order_ring(cycle, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    for (uint32_t i = 0; i < length; i++)
        cycle->position[place_row(cycle->place[i]) * width + place_col(cycle->place[i])] = i;
    return FAIL_NONE;
}

static uint32_t cycle_length(const struct block_cycle *cycle)
{
    return cycle->height * cycle->width;
}

/* The most links between neighbours on the cycle. */
static uint32_t cycle_hop(const struct block_cycle *cycle)
{
    bool is_line = cycle->height == 1 || cycle->width == 1;
    if (is_line)
        return cycle_length(cycle) > 2 ? 2 : 1;
    return cycle_length(cycle) % 2 == 1 ? 2 : 1;
}

/* How many lengths the intervals of an axis have. */
static uint32_t lengths(const struct axis *axis)
{
    return axis_is_even(axis) ? 1 : 2;
}

enum failure_kind block_tour_make(struct block_tour *tour, const struct tessellation *blocks,
                                  struct failure *failure)
{
    uint32_t height = axis_longest(&blocks->row), width = axis_longest(&blocks->col);
    enum failure_kind kind = FAIL_NONE;
    *tour = (struct block_tour){.blocks = blocks, .longest = height * width, .hop = 1};
    for (uint32_t lower = 0; lower < lengths(&blocks->row); lower++)
        for (uint32_t narrower = 0; narrower < lengths(&blocks->col); narrower++) {
            struct block_cycle *cycle = &tour->cycle[lower][narrower];
            if (kind == FAIL_NONE)
                kind = cycle_make(cycle, height - lower, width - narrower, failure);
            if (kind == FAIL_NONE && cycle_hop(cycle) > tour->hop)
                tour->hop = cycle_hop(cycle);
            tour->has_pair = tour->has_pair || cycle_length(cycle) == 2;
        }
    if (kind != FAIL_NONE)
        block_tour_free(tour);
    return kind;
}

void block_tour_free(struct block_tour *tour)
{
    for (int i = 0; i < 4; i++) {
        free(tour->cycle[i / 2][i % 2].place);
        free(tour->cycle[i / 2][i % 2].position);
    }
    *tour = (struct block_tour){0};
}

/* ---- places ---- */

/* A block: its cycle, and its first row and column. */
struct block {
    const struct block_cycle *cycle;
    uint32_t row, col;
};

static struct block block_at(const struct block_tour *tour, node_place place)
{
    struct interval rows = axis_interval_at(&tour->blocks->row, place_row(place));
    struct interval cols = axis_interval_at(&tour->blocks->col, place_col(place));
    const struct block_cycle *largest = &tour->cycle[0][0];
    bool is_lower = interval_length(rows) < largest->height;
    bool is_narrower = interval_length(cols) < largest->width;
    return (struct block){&tour->cycle[is_lower][is_narrower], rows.start, cols.start};
}

static uint32_t position_in(struct block block, node_place place)
{
    return block.cycle->position[(place_row(place) - block.row) * block.cycle->width +
                                 place_col(place) - block.col];
}

/* The place `hops` behind the one at `position`, hops < the cycle's length, or as many before it. */
static node_place place_after(struct block block, uint32_t position, uint32_t hops, bool is_back)
{
    uint32_t length = cycle_length(block.cycle);
    uint32_t at = position + (is_back && hops > 0 ? length - hops : hops);
    node_place place = block.cycle->place[at < length ? at : at - length];
    return place_of(block.row + place_row(place), block.col + place_col(place));
}

node_place block_tour_next(const struct block_tour *tour, node_place place, bool is_back)
{
    struct block block = block_at(tour, place);
    uint32_t hops = cycle_length(block.cycle) > 1 ? 1 : 0;
    return place_after(block, position_in(block, place), hops, is_back);
}

uint32_t block_tour_distance(const struct block_tour *tour, node_place from, node_place to)
{
    struct block block = block_at(tour, from);
    uint32_t here = position_in(block, from), there = position_in(block, to);
    return there >= here ? there - here : there + cycle_length(block.cycle) - here;
}

node_place block_tour_place(const struct block_tour *tour, node_place from, uint32_t hops,
                            bool is_back)
{
    struct block block = block_at(tour, from);
    return place_after(block, position_in(block, from), hops, is_back);
}
