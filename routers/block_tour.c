/* block_tour.c - packets tour the Hamiltonian cycles of their blocks.
 *
 * The walk is the ring of primitives/ring.h, forward or back. If both sides of a block are odd, the
 * ring leaves out the corner (0, 0), and a walk turns aside to it from a neighbour, which it passes
 * twice: forward from (0, 1), back from (1, 0). So neighbours are one link apart, and no link is on
 * both walks in one direction, or twice on one. On a single row or column the walk goes out over
 * the even places and home over the odd ones; neighbours are at most two links apart (Fact 1 of the
 * paper).
 *   The tour is a march: all packets go from position to position at the same time. A hop needs as
 * many steps as neighbours are links apart at most in any block, and one more with unit copies, in
 * which nodes deliver. Each position has one packet before each hop at most, so afterwards too. No
 * two packets use a link in one step: a hop of one link has that link to itself, and on a line all
 * hops of two links go in step. So no packet waits. Packets deliver at one position of each node,
 * so a node has one copy to make. After one hop fewer than the walk has positions, every packet has
 * been everywhere in its block.
 *   Two packets per node can tour at once, in opposite ways. In general they cross a link in
 * opposite directions, in odd x odd blocks as well. There are two exceptions. In a block of two
 * nodes both ways lead over the same link: a hop is then two steps. On a line the packets that go
 * forward from even places and those that go back from odd ones run in the same direction, in step
 * and a link apart; at the line's two ends a hop of one link may want the first link of a hop of
 * two, and goes a step later, when that link is free.
 *   Where neighbours are one link apart, no node has two positions and all go one way, this is
 * machine_march: a packet computes from its header how many hops away its next destination is.
 * Otherwise it is machine_forward, a call per hop.
 *
 * Steps: 1 for deliveries where the tour begins, and a hop for each position of the longest walk
 * but one; with unit copies and both ways 2, and one more step per hop.
 * Buffer: 2 packets for each way.
 * Source: Section 4, Step 2(b), of the paper.
 * Cost: 16 bytes per node of a block, for each of four sizes.
 */
#include "routers/block_tour.h"

#include "machine/cycle.h"
#include "primitives/multicast_tree.h"
#include "primitives/ring.h"
#include "primitives/synchronise.h"
#include "routers/routing.h"

#include <assert.h>
#include <stdlib.h>

/* ---- the walks of blocks ---- */

/* Orders a line: even places on the way out, odd ones on the way home. */
static void order_line(const struct block_cycle *cycle, node_place *place)
{
    uint32_t length = cycle->height * cycle->width, position = 0;
    for (uint32_t i = 0; i < length; i += 2)
        place[position++] = cycle->height == 1 ? place_of(0, i) : place_of(i, 0);
    for (uint32_t i = length; i-- > 0;)
        if (i % 2 == 1)
            place[position++] = cycle->height == 1 ? place_of(0, i) : place_of(i, 0);
}

/* Orders a ring, with the way to a corner that the ring leaves out, and back, from the ring's place
 * `aside`. */
static void order_ring(const struct block_cycle *cycle, node_place aside, node_place *place)
{
    struct mesh mesh = {cycle->height, cycle->width};
    for (uint32_t i = 0, position = 0; i < mesh_nodes(mesh) - ring_leaves_out_corner(mesh); i++) {
        place[position++] = ring_place(mesh, i);
        if (ring_leaves_out_corner(mesh) && ring_place(mesh, i) == aside) {
            place[position++] = place_of(0, 0);
            place[position++] = aside;
        }
    }
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
    else
        order_ring(cycle, aside, walk->place);
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

/* Returns the most links between neighbours on a walk. */
static uint32_t cycle_hop(const struct block_cycle *cycle)
{
    return is_line(cycle) && cycle->length > 2 ? 2 : 1;
}

/* Returns the number of different lengths of the intervals of an axis. */
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

/* Returns the position at which packets start and deliver at `node`. */
static uint32_t tour_position(const struct block_tour *tour, node_place node, bool is_back)
{
    return position_in(block_at(tour, node), node, is_back);
}

/* A position of the walk, forward or back, around the block of a node. */
struct block_stop {
    node_place place; /* of the mesh */
    bool is_delivery; /* packets deliver there, at this position */
};

static struct block_stop tour_stop(const struct block_tour *tour, node_place node,
                                   uint32_t position, bool is_back)
{
    struct block block = block_at(tour, node);
    node_place place = place_in(block, position, is_back);
    return (struct block_stop){place, position_in(block, place, is_back) == position};
}

/* Returns the position after another one on the walk. */
static uint32_t tour_next(const struct block_tour *tour, node_place node, uint32_t position)
{
    return position + 1 < block_at(tour, node).cycle->length ? position + 1 : 0;
}

/* Returns the number of hops from `from` to `to`, both of one block. */
static uint32_t tour_distance(const struct block_tour *tour, node_place from, node_place to,
                              bool is_back)
{
    struct block block = block_at(tour, from);
    uint32_t here = position_in(block, from, is_back), there = position_in(block, to, is_back);
    return there >= here ? there - here : there + block.cycle->length - here;
}

/* Returns the node that is so many hops, such a distance, from `from`. */
static node_place tour_place(const struct block_tour *tour, node_place from, uint32_t hops,
                             bool is_back)
{
    struct block block = block_at(tour, from);
    uint32_t at = position_in(block, from, is_back) + hops, length = block.cycle->length;
    return place_in(block, at < length ? at : at - length, is_back);
}

/* ---- the tour ---- */

struct tour_call {
    struct machine *machine;
    struct headers *header;
    const struct block_tour *tour;
    uint8_t back; /* a bit of header.state; 0: all go forward */
};

static bool goes_back(const struct tour_call *call, uint32_t packet)
{
    return call->header->packet[packet].state & call->back;
}

/* Returns the packet's present or next position, in the block of `site`: header.target is the
 * position. */
static struct block_stop next_stop(const struct tour_call *call, struct site site, uint32_t packet)
{
    return tour_stop(call->tour, site_place(site), call->header->packet[packet].target,
                     goes_back(call, packet));
}

/* Returns the outputs of a packet whose first destination is `site`. */
static unsigned outputs_at_destination(const struct tour_call *call, struct site site,
                                       uint32_t packet)
{
    struct headers *header = call->header;
    const struct block_tour *tour = call->tour;
    uint32_t first = header->packet[packet].first;
    if (tour->is_held != NULL && tour->is_held(tour->context, site, first)) {
        if (first == packet)
            return OUT_DISCARD;
        header->packet[packet].first++;
        return OUT_HOLD;
    }
    return first == packet ? OUT_EJECT : OUT_EJECT | OUT_HOLD;
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    const struct tour_call *call = context;
    const struct headers *header = call->header;
    struct block_stop next = next_stop(call, site, packet);
    if (next.place != site_place(site))
        return link_towards(site, next.place, false);
    if (!next.is_delivery || header->destination[header->packet[packet].first] != next.place)
        return OUT_HOLD;
    return outputs_at_destination(call, site, packet);
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum output output)
{
    struct headers *header = ((struct tour_call *)context)->header;
    (void)site;
    (void)output; /* the first destination is here */
    return packet_split(header, packet, header->packet[packet].first + 1);
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    node_place next = next_stop(context, site, packet).place;
    return line_of_place(next, direction);
}

/* Returns the urgency: hops of two links first. */
static uint32_t urgency(void *context, struct site site, uint32_t packet, enum direction direction)
{
    node_place next = next_stop(context, site, packet).place;
    (void)direction;
    return (uint32_t)(abs((int)place_row(next) - (int)site.row) +
                      abs((int)place_col(next) - (int)site.col));
}

/* Sorts the packet's slots in the order of the tour from `here`: as distances, which are one to
 * one. */
static void order_slots(const struct tour_call *call, node_place here, uint32_t packet)
{
    const struct headers *header = call->header;
    node_place *slot = header->destination + header->packet[packet].first;
    uint32_t count = packet - header->packet[packet].first + 1;
    bool is_back = goes_back(call, packet);
    if (count == 1)
        return;
    for (uint32_t i = 0; i < count; i++)
        slot[i] = tour_distance(call->tour, here, slot[i], is_back);
    sort_u32(slot, count);
    for (uint32_t i = 0; i < count; i++)
        slot[i] = tour_place(call->tour, here, slot[i], is_back);
}

/* Orders slots, before the tour. */
static void order_band(void *context, const struct team *team)
{
    struct tour_call *call = context;
    struct node_range nodes = routing_nodes(call->machine, team);
    for (struct resting at = resting_at(call->machine, nodes); resting_next(&at);) {
        node_place here = site_place(at.site);
        order_slots(call, here, at.packet);
        call->header->packet[at.packet].target =
            tour_position(call->tour, here, goes_back(call, at.packet));
    }
}

/* Aims every packet at the next position, before a hop. */
static void aim_band(void *context, const struct team *team)
{
    struct tour_call *call = context;
    struct node_range nodes = routing_nodes(call->machine, team);
    for (struct resting at = resting_at(call->machine, nodes); resting_next(&at);) {
        uint32_t *position = &call->header->packet[at.packet].target;
        *position = tour_next(call->tour, site_place(at.site), *position);
    }
}

/* Returns the steps for copies: with unit copies a node makes one per way. */
static uint32_t copy_steps(bool copy_is_free, bool both_ways)
{
    return copy_is_free ? 0 : both_ways ? 2 : 1;
}

static uint32_t hop_steps(const struct block_tour *tour, bool copy_is_free, bool both_ways)
{
    uint32_t links = both_ways && tour->has_pair ? 2 : tour->hop;
    return links + copy_steps(copy_is_free, both_ways);
}

/* Returns the steps for deliveries where the tour begins. */
static uint32_t first_steps(bool copy_is_free, bool both_ways)
{
    return copy_is_free ? 1 : copy_steps(copy_is_free, both_ways);
}

uint64_t block_tour_steps(const struct block_tour *tour, bool copy_is_free, bool both_ways)
{
    return first_steps(copy_is_free, both_ways) +
           (uint64_t)(tour->longest - 1) * hop_steps(tour, copy_is_free, both_ways);
}

/* Tours by a call per hop. */
static enum failure_kind tour_by_hops(struct tour_call *call, struct failure *failure)
{
    struct machine *machine = call->machine;
    const struct machine_config *config = machine_config(machine);
    const struct block_tour *tour = call->tour;
    struct routing_rule rule = {
        .context = call, .outputs = outputs, .take = take, .stop = stop, .urgency = urgency};
    bool is_free = config->copy_is_free, both_ways = call->back != 0;
    uint64_t end = machine_counts(machine)->steps + block_tour_steps(tour, is_free, both_ways);
    enum failure_kind kind = forward_wave(machine, &rule, first_steps(is_free, both_ways), failure);
    while (kind == FAIL_NONE && machine_resting(machine) > 0) {
        parallel_run(config->threads, aim_band, call);
        kind = forward_wave(machine, &rule, hop_steps(tour, is_free, both_ways), failure);
        assert(kind != FAIL_NONE || machine_travelling(machine) == 0);
    }
    assert(kind != FAIL_NONE || machine_counts(machine)->steps <= end);
    if (kind == FAIL_NONE) /* the rest of the known length */
        kind = forward_wave(machine, &rule, end - machine_counts(machine)->steps, failure);
    return kind;
}

/* ---- the tour as a march ---- */

static struct march_cycle march_cycle(void *context, uint32_t cycle)
{
    const struct tessellation *blocks = ((struct tour_call *)context)->tour->blocks;
    uint32_t across = axis_intervals(&blocks->col);
    struct interval rows = axis_interval(&blocks->row, cycle / across);
    struct interval cols = axis_interval(&blocks->col, cycle % across);
    return (struct march_cycle){interval_length(rows) * interval_length(cols), rows.start,
                                rows.start + interval_length(rows)};
}

static node_place march_place(void *context, uint32_t cycle, uint32_t number)
{
    const struct block_tour *tour = ((struct tour_call *)context)->tour;
    uint32_t across = axis_intervals(&tour->blocks->col);
    node_place start = place_of(axis_interval(&tour->blocks->row, cycle / across).start,
                                axis_interval(&tour->blocks->col, cycle % across).start);
    return tour_place(tour, start, number, false);
}

static uint32_t march_due(void *context, node_place place, uint32_t packet)
{
    const struct tour_call *call = context;
    const struct headers *header = call->header;
    return tour_distance(call->tour, place, header->destination[header->packet[packet].first],
                         false);
}

static unsigned march_outputs(void *context, struct site site, uint32_t packet)
{
    const struct tour_call *call = context;
    const struct headers *header = call->header;
    if (header->destination[header->packet[packet].first] != site_place(site))
        return OUT_HOLD; /* the due deliveries are done */
    return outputs_at_destination(call, site, packet);
}

static enum failure_kind tour_marching(struct tour_call *call, struct failure *failure)
{
    const struct block_tour *tour = call->tour;
    struct march march = {.context = call,
                          .cycles = (uint32_t)tessellation_tiles(tour->blocks),
                          .cycle = march_cycle,
                          .place = march_place,
                          .due = march_due,
                          .outputs = march_outputs,
                          .take = take};
    return machine_march(call->machine, &march, tour->longest - 1, failure);
}

enum failure_kind block_tour_run(struct machine *machine, const struct block_tour *tour,
                                 uint8_t back, struct failure *failure)
{
    struct tour_call call = {machine, machine_headers(machine), tour, back};
    parallel_run(machine_config(machine)->threads, order_band, &call);
    bool is_ring = tour->hop == 1 && !tour->has_corner;
    return back == 0 && is_ring ? tour_marching(&call, failure) : tour_by_hops(&call, failure);
}
