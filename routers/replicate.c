/* replicate.c - Theorem 2: deterministic multicast with buffers of O(c) packets.
 *
 * The mesh is cut into tiles. A packet spreads to the tiles in which its message has destinations
 * (sibling.c), and in each of them becomes a dimension-ordered tree where it comes to its seat:
 * along rows first at even nodes, along columns first at odd ones; where nodes send several
 * messages, a node's trees also take turns. Packets on their way to tiles are express packets of
 * machine_channel, which wait only for one another; trees go through bounded channels of their
 * class. No node needs to know that others have reached their tiles, so nothing is synchronised.
 * With unit copies a tree leaves the parts that turn or end at a node there and goes straight on,
 * so a broadcast needs about 4 m steps. A tree that is stuck changes its class in one of TURN_EVERY
 * steps, where that closes no cycle of channels. variant=paper is Theorem 2 as printed
 * (replicate_paper.c).
 *   Tiles: the mesh is halved again and again, always across the longer side: the largest power of
 * two of tiles that is at most c / (4 l) and 32, and with which the bound below fits with half as
 * many slots as one tile has.
 *   d > c: no node makes a clone, so neither the bounds nor the steps need Lemma 1.
 *   Nodes that send up to l messages have their seats l times. With one tile messages wait in the
 *   input queue.
 *
 * Buffer, proven for every set (doc/replicate.md) and enforced as the machine's capacity: the
 * packets that Step 1 brings to a node (sibling.c), 2 t + 3 for t equal tiles, and 8 k + 1 in
 * channels of k slots and the slot for injection; 3 more with unit copies. In all at most c / 2 +
 * 40, for c < 16 at most 2 c + 16, or what the user gives. Steps, measured on sides up to 1 : 4 for
 * c / l <= n / 4: at most S + 2 m; with unit copies 1.6 times that for c <= n / 16, and 1.6 S + 6 m
 * above; S = sqrt(l c n), m the longer side. No choice is random.
 * Source: Theorem 2 of the paper; that the steps are merged is ours.
 */
#include "machine/channel.h"
#include "machine/rule.h"
#include "primitives/multicast_tree.h"
#include "routers/reduction.h"
#include "routers/sibling.h"

#include <stdlib.h>

enum { ROW_FIRST = 2, TREE = 4 }; /* bits of header.state, beside that of sibling.c */

enum { MOST_SLOTS = 4 }; /* per channel; more gain no steps */

/* There is a tile for so many messages per node of c / l, and no more tiles than this: more gain
 * steps only on crowded columns, and lose some elsewhere. */
enum { TILE_CONGESTION = 4, MOST_TILES = 32 };

/* Steps from one in which stuck trees change class to the next. More often gains no steps on most
 * sets, and a tenth on crowded columns, but costs time. */
enum { TURN_EVERY = 31 };

struct replicate_plan {
    uint64_t tiles, buffer; /* buffer: the proven packets per node */
    uint32_t slots;         /* per channel; 0: the plan does not fit */
};

/* One run, after routing_start(): each message rests at its source as one packet. */
struct replicate {
    struct routing *routing;
    struct headers *header;
    struct replicate_plan plan;
    struct tessellation tiles;
    struct seats seats;
    struct routing_rule step_1; /* of sibling.h */
    node_index first;           /* the first node of the machine */
    uint8_t *started; /* [node - first]: trees that the node has started, modulo 256; NULL: l = 1 */
};

static const struct parameter_spec SPECS[] = {
    {"variant", "merged", 0, 0, "merged paper", NULL},
    {.name = NULL},
};

/* ---- the plan ---- */

/* Returns the plan with that many tiles and as many slots as fit into `limit`. */
static struct replicate_plan plan_of(const struct routing *routing, uint64_t tiles, uint64_t limit)
{
    struct tessellation numbers = tessellation_numbers(routing->set->mesh, tiles);
    struct seats seats = seats_make(&numbers);
    /* with one tile others wait in the input queue */
    uint64_t rest = tiles > 1 ? seats_step_1_buffer(&seats, routing->most_sent) : 1;
    struct replicate_plan plan = {.tiles = tiles, .slots = MOST_SLOTS + 1};
    do {
        plan.slots--;
        plan.buffer = rest + machine_channel_capacity(CHANNELS_OF_BOTH, plan.slots,
                                                      routing->options->copy_is_free);
    } while (plan.slots > 0 && plan.buffer > limit);
    return plan;
}

static uint64_t capacity_limit(const struct routing *routing, uint64_t congestion)
{
    uint64_t least =
        congestion / 2 + 40 < 2 * congestion + 16 ? congestion / 2 + 40 : 2 * congestion + 16;
    if (routing->options->buffer > 0)
        return routing->options->buffer;
    return routing->options->copy_is_free ? least : least + 3;
}

/* Plans c / (4 l) tiles, or half of them, and so on, until channels get half as many slots as with
 * one tile. */
static struct replicate_plan plan_choose(const struct routing *routing)
{
    uint64_t congestion = routing->congestion > 0 ? routing->congestion : 1;
    uint64_t limit = capacity_limit(routing, congestion), tiles = MOST_TILES;
    struct replicate_plan one = plan_of(routing, 1, limit), plan;
    while (tiles > 1 && tiles * TILE_CONGESTION * routing->most_sent > congestion)
        tiles /= 2;
    while ((plan = plan_of(routing, tiles, limit)).slots < (one.slots + 1) / 2)
        tiles /= 2;
    return plan;
}

static enum failure_kind plan_check(const struct routing *routing,
                                    const struct replicate_plan *plan, struct failure *failure)
{
    if (plan->slots > 0)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "router replicate cannot run with a buffer of %u; the least is %u packets",
                routing->options->buffer,
                1 + machine_channel_capacity(CHANNELS_OF_BOTH, 1, routing->options->copy_is_free));
}

/* ---- packets on their way to their tiles, and trees within the tiles ---- */

static bool is_row_first(const struct headers *header, uint32_t packet)
{
    return header->packet[packet].state & ROW_FIRST;
}

static bool is_tree(const struct headers *header, uint32_t packet)
{
    return header->packet[packet].state & TREE;
}

/* True if the next tree that the node starts goes along rows first; counts that tree. */
static bool starts_row_first(const struct replicate *replicate, struct site site)
{
    uint32_t before = 0;
    if (replicate->started != NULL)
        before = replicate->started[site.index - replicate->first]++;
    return (site.row + site.col + before) % 2 == 0;
}

/* Returns the outputs; a packet that needs to go to no other tile becomes a tree. */
static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    struct replicate *replicate = context;
    struct headers *header = replicate->header;
    if (!is_tree(header, packet)) {
        unsigned across = replicate->step_1.outputs(replicate->step_1.context, site, packet);
        if (across != OUT_HOLD && across != OUT_EJECT)
            return across;
        header->packet[packet].state = TREE | (starts_row_first(replicate, site) ? ROW_FIRST : 0);
        tree_start(header, site, packet, is_row_first(header, packet));
    }
    return tree_outputs(header, site, packet, is_row_first(header, packet));
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum output output)
{
    const struct replicate *replicate = context;
    if (!is_tree(replicate->header, packet))
        return replicate->step_1.take(replicate->step_1.context, site, packet, output);
    return tree_take(replicate->header, site, packet, output,
                     is_row_first(replicate->header, packet));
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct replicate *replicate = context;
    if (!is_tree(replicate->header, packet))
        return replicate->step_1.stop(replicate->step_1.context, site, packet, direction);
    return tree_stop(replicate->header, packet, direction);
}

/* Prefetches the nearest destinations, and the packet of a copy with them. */
static void fetch(void *context, uint32_t packet)
{
    const struct headers *header = ((const struct replicate *)context)->header;
    uint32_t first = header->packet[packet].first;
    FETCH_HAS_EFFECT();
    __builtin_prefetch(&header->destination[first], 1);
    __builtin_prefetch(&header->packet[first], 1);
}

static unsigned class_of(void *context, uint32_t packet)
{
    const struct headers *header = ((const struct replicate *)context)->header;
    if (!is_tree(header, packet))
        return CHANNEL_EXPRESS;
    return is_row_first(header, packet);
}

/* Sends a stuck tree on in the other order of dimensions. */
static void turn(void *context, struct site site, uint32_t packet)
{
    struct headers *header = ((struct replicate *)context)->header;
    header->packet[packet].state ^= ROW_FIRST;
    tree_start(header, site, packet, is_row_first(header, packet));
}

static enum failure_kind deliver(struct replicate *replicate, struct failure *failure)
{
    struct machine *machine = replicate->routing->machine;
    struct sibling_rule sibling = {replicate->header, &replicate->seats};
    struct routing_rule routing = {
        .context = replicate, .outputs = outputs, .take = take, .stop = stop, .fetch = fetch};
    struct channel_rule rule = {.routing = routing,
                                .class_of = class_of,
                                .channels = CHANNELS_OF_BOTH,
                                .slots = replicate->plan.slots,
                                .has_express = replicate->plan.tiles > 1,
                                .switch_class = turn,
                                .switch_every = TURN_EVERY,
                                .straight_first = true};
    replicate->step_1 = sibling_routing(&sibling);
    machine_begin_phase(machine, "deliver in tiles");
    return machine_channel(machine, &rule, true, UINT64_MAX, failure);
}

/* ---- the algorithm ---- */

static bool is_paper(const struct routing *routing)
{
    return routing_parameter(routing, SPECS, "variant") == 1;
}

static enum failure_kind replicate_steps(struct replicate *replicate, struct failure *failure)
{
    struct routing *routing = replicate->routing;
    uint32_t given = routing->options->buffer;
    enum failure_kind kind =
        routing_start(routing, given > 0 ? given : (uint32_t)replicate->plan.buffer, NULL, failure);
    if (kind != FAIL_NONE)
        return kind;
    struct node_range nodes = machine_nodes(routing->machine);
    replicate->header = machine_headers(routing->machine);
    replicate->first = nodes.first;
    if (routing->most_sent > 1) {
        replicate->started = memory_allocate(nodes.end - nodes.first, sizeof *replicate->started);
        if (replicate->started == NULL)
            return fail_memory(failure, "the trees that nodes have started");
    }
    return deliver(replicate, failure);
}

static enum failure_kind replicate_route(struct routing *routing, struct failure *failure)
{
    if (is_paper(routing))
        return replicate_paper_route(routing, failure);
    struct replicate replicate = {.routing = routing, .plan = plan_choose(routing)};
    enum failure_kind kind = plan_check(routing, &replicate.plan, failure);
    if (kind == FAIL_NONE)
        kind =
            tessellation_make(&replicate.tiles, routing->set->mesh, replicate.plan.tiles, failure);
    if (kind != FAIL_NONE)
        return kind;
    replicate.seats = seats_make(&replicate.tiles);
    if (tessellation_tiles(&replicate.tiles) == 1)
        routing->injection = INJECT_BY_NODE;
    kind = replicate_steps(&replicate, failure);
    free(replicate.started);
    tessellation_free(&replicate.tiles);
    return kind;
}

/* ---- backwards, for sums ----
 *
 * The contributions of a tile go to the seat of their message there first, backwards along the tree
 * by which a multicast would deliver there. From the seat they go from sibling to sibling, the
 * deepest halving first, to the tile of the message's source, and from the seat there to the
 * source. No packet waits for others: those that meet are combined.
 */

/* header.state; on its way a packet goes to header.target: a seat, at last the source of its
 * message. */
enum { AT_START, TO_SEAT, TO_SOURCE };

struct backwards {
    struct reduction reduction; /* first: reduction_combine() */
    const struct seats *seats;
};

/* Returns the node of the cell in the tile with these numbers. */
static node_place node_in_tile(const struct tessellation *tiles, uint32_t row_tile,
                               uint32_t col_tile, node_place cell)
{
    return place_of(tiles->row.cut[row_tile] + place_row(cell),
                    tiles->col.cut[col_tile] + place_col(cell));
}

/* Returns the next seat of a packet at a seat: in the tile that differs in the deepest halving that
 * is still to be crossed. The seat itself: it is in the tile of its source. */
static node_place next_seat(const struct tessellation *tiles, node_place seat, node_place home)
{
    const struct axis *row = &tiles->row, *col = &tiles->col;
    node_place cell = place_in_tile(tiles, seat);
    uint32_t row_tile = row->tile[place_row(seat)], col_tile = col->tile[place_col(seat)];
    uint32_t rows = row_tile ^ row->tile[place_row(home)];
    uint32_t cols = col_tile ^ col->tile[place_col(home)];
    if ((rows | cols) == 0)
        return seat;
    int row_level = rows == 0 ? -1 : (int)row->levels - 1 - __builtin_ctz(rows);
    int col_level = cols == 0 ? -1 : (int)col->levels - 1 - __builtin_ctz(cols);
    bool is_even = (place_row(cell) + place_col(cell)) % 2 == 0;
    bool between_rows = row_level == col_level ? !is_even : row_level > col_level;
    if (between_rows)
        row_tile ^= rows & -rows;
    else
        col_tile ^= cols & -cols;
    return node_in_tile(tiles, row_tile, col_tile, cell);
}

static enum output output_back(void *context, struct site site, uint32_t packet)
{
    const struct backwards *back = context;
    const struct tessellation *tiles = back->seats->tiles;
    struct header *header = &back->reduction.header->packet[packet];
    node_place home = back->reduction.header->destination[packet], here = site_place(site);
    if (here == home)
        return OUT_EJECT;
    if (header->state == AT_START) {
        header->target = node_in_tile(tiles, tiles->row.tile[site.row], tiles->col.tile[site.col],
                                      seat_of(back->seats, home));
        header->state = TO_SEAT;
    }
    if (header->state == TO_SEAT && header->target == here) {
        header->target = next_seat(tiles, here, home);
        if (header->target == here) {
            header->target = home;
            header->state = TO_SOURCE;
        }
    }
    bool has_trunk_in_row = (place_row(header->target) + place_col(header->target)) % 2 == 0;
    return link_towards(site, header->target, header->state == TO_SEAT && has_trunk_in_row);
}

/* Returns the links before a packet. The longest way is the most urgent: others can wait, and are
 * combined meanwhile. */
static uint32_t links_left(void *context, struct site site, uint32_t packet)
{
    const struct backwards *back = context;
    const struct headers *header = back->reduction.header;
    node_place home = header->destination[packet], at = header->packet[packet].target;
    uint32_t links = place_distance(site_place(site), at);
    bool is_between_seats = header->packet[packet].state == TO_SEAT;
    while (is_between_seats) {
        node_place next = next_seat(back->seats->tiles, at, home);
        is_between_seats = next != at;
        links += place_distance(at, next);
        at = next;
    }
    return links + place_distance(at, home);
}

/* Routes the same ways backwards, through unbounded queues. */
static enum failure_kind replicate_reduce(struct routing *routing, struct failure *failure)
{
    struct replicate replicate = {.routing = routing};
    struct backwards back = {.seats = &replicate.seats};
    struct gather_rule rule = {.context = &back,
                               .output = output_back,
                               .urgency = links_left,
                               .combine = reduction_combine,
                               .deliver = reduction_deliver};
    struct replicate_plan plan = plan_choose(routing);
    if (is_paper(routing))
        return fail(failure, FAIL_USAGE,
                    "router replicate: variant=paper is for multicasts, and --reduce does without");
    enum failure_kind kind =
        tessellation_make(&replicate.tiles, routing->set->mesh, plan.tiles, failure);
    replicate.seats = seats_make(&replicate.tiles);
    if (kind == FAIL_NONE)
        kind = reduction_begin(&back.reduction, routing, routing->options->buffer, NULL, failure);
    if (kind == FAIL_NONE)
        kind = reduction_gather(&back.reduction, &rule, "gather", failure);
    reduction_free(&back.reduction);
    tessellation_free(&replicate.tiles);
    return kind;
}

/* Returns the promised steps (doc/worst.md). A node can have no more than n messages. */
static struct attempt_limits replicate_limits(const struct routing *routing)
{
    if (is_paper(routing))
        return replicate_paper_limits(routing);
    if (routing->congestion >= (uint64_t)mesh_nodes(routing->set->mesh) * routing->most_sent)
        return (struct attempt_limits){0};
    return (struct attempt_limits){.steps = routing_goal_steps(routing, 1, 2),
                                   .buffer = (uint32_t)plan_choose(routing).buffer};
}

static enum failure_kind replicate_choose(const struct routing *routing,
                                          struct router_choices *choices, struct failure *failure)
{
    uint64_t tiles =
        is_paper(routing) ? replicate_paper_tiles(routing) : plan_choose(routing).tiles;
    return seats_choose(routing->set->mesh, tiles, choices, failure);
}

const struct router_method replicate_method = {
    {"replicate", "Theorem 2: copies into tiles, and trees within them; buffers O(c)",
     "variant=merged|paper  ours, or Theorem 2 as it is printed (default merged)"},
    SPECS,
    replicate_route,
    replicate_limits,
    TAKES_MANY,
    replicate_reduce,
    replicate_choose,
};
