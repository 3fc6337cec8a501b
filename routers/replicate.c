/* replicate.c - Theorem 2: optimal deterministic multicast with buffers of O(c) packets.
 *
 * Step 1 replicates every packet into the c-tiles (sibling.c). Step 2 delivers in each tile: from
 * where it rests each packet becomes a dimension-ordered tree, along rows first at even nodes and
 * along columns first at odd ones, through bounded channels of its class (machine_channel). A tree
 * of which nothing could leave in a step changes its class where that closes no cycle of channels.
 *   Tiles: the mesh is halved again and again, always across the longer side, into the largest
 * power of two of tiles that is at most c and whose bounds below fit into the capacity (the
 * paper's footnotes allow any rounding: 4^i need not be integral).
 *   Pruned (prune=1): a packet sends no copy where its message has no destination. The literal form
 * (prune=0) marks every tile, so that every packet reaches every tile, as in the paper.
 *   Steps 2(b) to 2(e) of the paper spread the packets by ranks, make a clone for each destination,
 * and use a (k,k)-routing of O(c) buffers. Here a tree stands for its clones, so a node that holds
 * at most M packets starts at most M trees, and no rank is needed; credits bound the buffers.
 *   d > c: no node makes a clone, so neither the bounds nor the steps need Lemma 1.
 *
 * Buffer, proven for every set (doc/replicate.md) and enforced as the machine's capacity: the larger
 * of Step 1's bound, 2 t + 3 with t equal tiles (seat.c), and M + 8 k + 1 for k slots a channel, M
 * the seats of a cell, t on equal tiles; 3 more in Step 2 with unit copies. Tiles and slots are
 * chosen so that it is at most 2 c + 16, with unit copies 2 c + 19, or what the user gives.
 * Steps, S = sqrt(c n), m the side: Step 1 3/4 S + 2 m; Step 2 measured 0.3 to 0.9 S. In all at most
 * 1.5 S + 8 m measured on the patterns, and on the sets that were made against it
 * (doc/replicate.md). No choice is random.
 * Nodes that send up to l messages: c / l tiles instead of c, of sqrt(l n / c) nodes a side. A seat has l messages of
 * each source, so the bounds of packets stay, and S is sqrt(l c n) (doc/replicate.md). With one tile messages wait in
 * the input queue.
 * Source: Theorem 2 of the paper.
 */
#include "machine/channel.h"
#include "machine/fetch.h"
#include "primitives/multicast_tree.h"
#include "routers/replicate_back.h"
#include "routers/replicate_private.h"
#include "routers/sibling.h"

enum { ROW_FIRST = 1, STARTED = 2 }; /* bits of header.state in Step 2 */

/* Steps from one in which stuck trees change class to the next: oftener gains no steps, and takes
 * time. Odd, as the links favour the classes by the step's parity. */
enum { TURN_EVERY = 7 };

/* Rows in the order of the choices below. */
static const struct replicate_variant *const VARIANTS[] = {&replicate_merged, &replicate_paper};

static const struct parameter_spec SPECS[] = {
    {"variant", "merged", 0, 0, "merged paper"},
    {"prune", "1", 0, 1, NULL},
    {NULL, NULL, 0, 0, NULL},
};

/* ---- the plan ---- */

struct replicate_seats replicate_seats_of(const struct routing *routing, uint64_t tiles)
{
    struct tessellation numbers = tessellation_numbers(routing->set->mesh, tiles);
    struct seats seats = seats_make(&numbers);
    uint32_t at_once =
        tiles > 1 ? routing->most_sent : 1; /* with one tile others wait in the input queue */
    return (struct replicate_seats){(uint64_t)at_once * seats_at_cell(&seats),
                                    seats_step_1_buffer(&seats, at_once)};
}

/* ---- the slots: destinations, and with prune=0 a mark for every tile ---- */

static uint64_t marks_a_packet(bool prune, uint64_t tiles)
{
    return prune || tiles == 1 ? 0 : tiles; /* Step 1 strips them off */
}

static uint64_t slot_count(void *context, uint64_t degree)
{
    const struct replicate *replicate = context;
    return degree + marks_a_packet(replicate->prune, tessellation_tiles(&replicate->tiles));
}

/* The destinations stand behind the marks at first, so they are read before they are written over. */
static void slot_fill(void *context, const node_place *destination, uint64_t degree,
                      node_place *slot)
{
    const struct replicate *replicate = context;
    const struct axis *rows = &replicate->tiles.row, *cols = &replicate->tiles.col;
    for (uint64_t i = 0; i < degree; i++)
        *slot++ = destination[i];
    for (uint32_t y = 0; y < axis_intervals(rows); y++)
        for (uint32_t x = 0; x < axis_intervals(cols); x++)
            *slot++ = SIBLING_MARK | place_of(rows->cut[y], cols->cut[x]);
}

/* ---- Step 2: trees within the tiles ---- */

static bool is_row_first(const struct headers *header, uint32_t packet)
{
    return header->packet[packet].state & ROW_FIRST;
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    struct headers *header = context;
    if (!(header->packet[packet].state & STARTED)) {
        header->packet[packet].state = STARTED | ((site.row + site.col) % 2 == 0 ? ROW_FIRST : 0);
        tree_start(header, site, packet, is_row_first(header, packet));
    }
    return tree_outputs(context, site, packet, is_row_first(context, packet));
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum output output)
{
    return tree_take(context, site, packet, output, is_row_first(context, packet));
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    (void)site;
    return tree_stop(context, packet, direction);
}

/* The nearest destinations, and the packet that a copy with them would be. */
static void fetch(void *context, uint32_t packet)
{
    const struct headers *header = context;
    uint32_t first = header->packet[packet].first;
    fetch_has_effect();
    __builtin_prefetch(&header->destination[first], 1);
    __builtin_prefetch(&header->packet[first], 1);
}

static unsigned class_of(void *context, uint32_t packet)
{
    return is_row_first(context, packet);
}

/* A stuck tree goes on from here in the other order of dimensions. */
static void turn(void *context, struct site site, uint32_t packet)
{
    struct headers *header = context;
    header->packet[packet].state ^= ROW_FIRST;
    tree_start(header, site, packet, is_row_first(header, packet));
}

/* The run's last phase, so it needs no synchronisation at its end. */
enum failure_kind replicate_deliver(struct replicate *replicate, struct failure *failure)
{
    struct machine *machine = replicate->routing->machine;
    struct routing_rule routing = {.context = replicate->header,
                                   .outputs = outputs,
                                   .take = take,
                                   .stop = stop,
                                   .fetch = fetch};
    struct channel_rule rule = {.routing = routing,
                                .class_of = class_of,
                                .channels = CHANNELS_OF_BOTH,
                                .slots = replicate->plan.slots,
                                .switch_class = turn,
                                .switch_every = TURN_EVERY};
    machine_begin_phase(machine, "deliver in tiles");
    return machine_channel(machine, &rule, true, UINT64_MAX, failure);
}

/* ---- the algorithm ---- */

static const struct replicate_variant *variant_of(const struct routing *routing)
{
    return VARIANTS[routing_parameter(routing, SPECS, "variant")];
}

static enum failure_kind replicate_steps(struct replicate *replicate,
                                         const struct replicate_variant *variant,
                                         struct failure *failure)
{
    struct routing *routing = replicate->routing;
    struct slot_plan marks = {.context = replicate, .count = slot_count, .fill = slot_fill};
    bool are_marked = marks_a_packet(replicate->prune, tessellation_tiles(&replicate->tiles)) > 0;
    uint32_t given = routing->options->buffer;
    enum failure_kind kind =
        routing_start(routing, given > 0 ? given : (uint32_t)replicate->plan.buffer,
                      are_marked ? &marks : NULL, failure);
    if (kind != FAIL_NONE)
        return kind;
    replicate->header = machine_headers(routing->machine);
    return variant->run(replicate, failure);
}

static enum failure_kind replicate_route(struct routing *routing, struct failure *failure)
{
    const struct replicate_variant *variant = variant_of(routing);
    struct replicate replicate = {.routing = routing,
                                  .plan = variant->plan(routing),
                                  .prune = routing_parameter(routing, SPECS, "prune")};
    if (replicate.plan.slots == 0)
        return fail(failure, FAIL_USAGE,
                    "router replicate cannot live within a buffer of %u packets; the least is %u",
                    routing->options->buffer, variant->least_buffer(routing));
    enum failure_kind kind =
        tessellation_make(&replicate.tiles, routing->set->mesh, replicate.plan.tiles, failure);
    if (kind != FAIL_NONE)
        return kind;
    replicate.seats = seats_make(&replicate.tiles);
    if (tessellation_tiles(&replicate.tiles) == 1)
        routing->injection = INJECT_BY_NODE;
    kind = replicate_steps(&replicate, variant, failure);
    tessellation_free(&replicate.tiles);
    return kind;
}

/* The same ways backwards, through unbounded queues. */
static enum failure_kind replicate_reduce(struct routing *routing, struct failure *failure)
{
    struct replicate replicate = {.routing = routing};
    struct replicate_back back = {.seats = &replicate.seats};
    struct gather_rule rule = replicate_back_rule(&back);
    struct replicate_plan plan = variant_of(routing)->plan(routing);
    if (routing_parameter(routing, SPECS, "prune") != 1)
        return fail(failure, FAIL_USAGE,
                    "router replicate: with --reduce no tile is reached in vain: prune=0 is for "
                    "multicasts");
    routing_leave_out(routing, "prune");
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

static uint64_t replicate_footprint(const struct routing *routing)
{
    const struct replicate_variant *variant = variant_of(routing);
    struct replicate_plan plan = variant->plan(routing);
    bool prune = routing_parameter(routing, SPECS, "prune");
    uint64_t marks = routing->set->messages * marks_a_packet(prune, plan.tiles);
    struct machine_needs needs = routing_needs(routing, routing->set->deliveries + marks);
    if (routing->options->reduces)
        return reduction_footprint(routing, 0);
    needs.uses = variant->uses(&plan);
    needs.channel_slots = plan.slots;
    return machine_footprint(&needs);
}

/* The goals of doc/bench.md. A node can have no more than n messages. */
static struct attempt_limits replicate_limits(const struct routing *routing)
{
    if (routing->congestion >= (uint64_t)mesh_nodes(routing->set->mesh) * routing->most_sent)
        return (struct attempt_limits){0};
    const struct replicate_variant *variant = variant_of(routing);
    return (struct attempt_limits){
        .steps = routing_goal_steps(routing, variant->of_root, variant->of_side),
        .buffer = (uint32_t)variant->plan(routing).buffer};
}

static struct replicate_plan merged_plan(const struct routing *routing)
{
    return replicate_paper.plan(routing);
}

static uint32_t merged_least_buffer(const struct routing *routing)
{
    return replicate_paper.least_buffer(routing);
}

static enum failure_kind merged_run(struct replicate *replicate, struct failure *failure)
{
    return replicate_paper.run(replicate, failure);
}

static unsigned merged_uses(const struct replicate_plan *plan)
{
    return replicate_paper.uses(plan);
}

const struct replicate_variant replicate_merged = {
    merged_plan, merged_least_buffer, merged_run, merged_uses, 1.5, 8,
};

static enum failure_kind replicate_choose(const struct routing *routing,
                                          struct router_choices *choices, struct failure *failure)
{
    return seats_choose(routing->set->mesh, variant_of(routing)->plan(routing).tiles, choices,
                        failure);
}

const struct router_method replicate_method = {
    {"replicate", "Theorem 2: replication into c-tiles, then delivery; buffers O(c)",
     "variant=merged|paper  a packet is delivered in a tile as soon as it is there, or when all\n"
     "           are (default merged)\n"
     "prune=0|1  copies only into tiles with destinations, or as in the paper into all\n"
     "           (default 1)"},
    SPECS,
    replicate_route,
    replicate_limits,
    replicate_footprint,
    true,
    replicate_reduce,
    replicate_choose,
};
