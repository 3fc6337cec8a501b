/* block_cycle.c - the walks of blocks, for tours (block_tour.c).
 *
 * The walk is the ring of primitives/ring.h, forward or back. Where both sides of a block are odd, the ring leaves
 * out the corner (0, 0), and a walk turns aside to it from a neighbour, at which it is twice: forward from (0, 1),
 * back from (1, 0). So neighbours are one link apart, and no link is on both walks in one direction, or twice on
 * one. On a single row or column the walk goes out over the even places and home over the odd ones; neighbours are
 * at most two links apart (Fact 1 of the paper).
 *
 * Source: Section 4, Step 2(b), of the paper.
 * Cost: 16 bytes per node of a block, for each of four sizes.
 */
#include "primitives/ring.h"
#include "routers/block_tour.h"

#include <stdlib.h>

/* Even places on the way out, odd ones on the way home. */
static void order_line(const struct block_cycle *cycle, node_place *place)
{
    uint32_t length = cycle->height * cycle->width, position = 0;
    for (uint32_t i = 0; i < length; i += 2)
        place[position++] = cycle->height == 1 ? place_of(0, i) : place_of(i, 0);
    for (uint32_t i = length; i-- > 0;)
        if (i % 2 == 1)
            place[position++] = cycle->height == 1 ? place_of(0, i) : place_of(i, 0);
}

/* With the way to a corner that the ring leaves out, and back, from the ring's place `aside`. */
static enum failure_kind order_ring(const struct block_cycle *cycle, node_place aside,
                                    node_place *place, struct failure *failure)
{
    struct ring ring;
    uint32_t position = 0;
    enum failure_kind kind = ring_make(&ring, (struct mesh){cycle->height, cycle->width}, failure);
    if (kind != FAIL_NONE)
        return kind;
    for (uint32_t i = 0; i < ring.length; i++) {
        place[position++] = ring.place[i];
        if (ring.leaves_out_corner && ring.place[i] == aside) {
            place[position++] = place_of(0, 0);
            place[position++] = aside;
        }
    }
    ring_free(&ring);
    return FAIL_NONE;
}

static void turn_round(node_place *place, uint32_t length)
{
    for (uint32_t i = 0; i < length / 2; i++) {
        node_place other = place[length - 1 - i];
        place[length - 1 - i] = place[i];
        place[i] = other;
    }
}

static bool is_line(const struct block_cycle *cycle)
{
    return cycle->height == 1 || cycle->width == 1;
}

static bool has_corner(const struct block_cycle *cycle)
{
    return !is_line(cycle) && cycle->height % 2 == 1 && cycle->width % 2 == 1;
}

static enum failure_kind walk_make(struct block_cycle *cycle, bool is_back, struct failure *failure)
{
    struct block_walk *walk = &cycle->walk[is_back];
    uint32_t nodes = cycle->height * cycle->width;
    walk->place = memory_allocate(cycle->length, sizeof *walk->place);
    walk->position = memory_allocate(nodes, sizeof *walk->position);
    if (walk->place == NULL || walk->position == NULL)
        return fail_memory(failure, "the walks of the blocks");
    node_place aside = is_back ? place_of(1, 0) : place_of(0, 1);
    if (is_line(cycle))
        order_line(cycle, walk->place);
    else if (order_ring(cycle, aside, walk->place, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    if (is_back)
        turn_round(walk->place, cycle->length);
    for (uint32_t i = 0; i < cycle->length; i++) /* the later one of two positions */
        walk->position[place_row(walk->place[i]) * cycle->width + place_col(walk->place[i])] = i;
    return FAIL_NONE;
}

static enum failure_kind cycle_make(struct block_cycle *cycle, uint32_t height, uint32_t width,
                                    struct failure *failure)
{
    *cycle = (struct block_cycle){.height = height, .width = width};
    cycle->length = height * width + has_corner(cycle);
    enum failure_kind kind = walk_make(cycle, false, failure);
    return kind == FAIL_NONE ? walk_make(cycle, true, failure) : kind;
}

/* The most links between neighbours on a walk. */
static uint32_t cycle_hop(const struct block_cycle *cycle)
{
    return is_line(cycle) && cycle->length > 2 ? 2 : 1;
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
    *tour = (struct block_tour){.blocks = blocks, .hop = 1};
    for (uint32_t lower = 0; lower < lengths(&blocks->row); lower++)
        for (uint32_t narrower = 0; narrower < lengths(&blocks->col); narrower++) {
            struct block_cycle *cycle = &tour->cycle[lower][narrower];
            if (kind == FAIL_NONE)
                kind = cycle_make(cycle, height - lower, width - narrower, failure);
            if (cycle->length > tour->longest)
                tour->longest = cycle->length;
            if (cycle_hop(cycle) > tour->hop)
                tour->hop = cycle_hop(cycle);
            tour->has_pair = tour->has_pair || cycle->length == 2;
            tour->has_corner = tour->has_corner || has_corner(cycle);
        }
    if (kind != FAIL_NONE)
        block_tour_free(tour);
    return kind;
}

void block_tour_free(struct block_tour *tour)
{
    for (int i = 0; i < 8; i++) {
        struct block_walk *walk = &tour->cycle[i / 4][i / 2 % 2].walk[i % 2];
        free(walk->place);
        free(walk->position);
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

static node_place place_in(struct block block, uint32_t position, bool is_back)
{
    node_place place = block.cycle->walk[is_back].place[position];
    return place_of(block.row + place_row(place), block.col + place_col(place));
}

static uint32_t position_in(struct block block, node_place node, bool is_back)
{
    return block.cycle->walk[is_back]
        .position[(place_row(node) - block.row) * block.cycle->width + place_col(node) - block.col];
}

uint32_t block_tour_position(const struct block_tour *tour, node_place node, bool is_back)
{
    return position_in(block_at(tour, node), node, is_back);
}

struct block_stop block_tour_stop(const struct block_tour *tour, node_place node, uint32_t position,
                                  bool is_back)
{
    struct block block = block_at(tour, node);
    node_place place = place_in(block, position, is_back);
    return (struct block_stop){place, position_in(block, place, is_back) == position};
}

uint32_t block_tour_next(const struct block_tour *tour, node_place node, uint32_t position)
{
    return position + 1 < block_at(tour, node).cycle->length ? position + 1 : 0;
}

uint32_t block_tour_distance(const struct block_tour *tour, node_place from, node_place to,
                             bool is_back)
{
    struct block block = block_at(tour, from);
    uint32_t here = position_in(block, from, is_back), there = position_in(block, to, is_back);
    return there >= here ? there - here : there + block.cycle->length - here;
}

node_place block_tour_place(const struct block_tour *tour, node_place from, uint32_t hops,
                            bool is_back)
{
    struct block block = block_at(tour, from);
    uint32_t at = position_in(block, from, is_back) + hops, length = block.cycle->length;
    return place_in(block, at < length ? at : at - length, is_back);
}
