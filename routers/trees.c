/* trees.c - the baseline: greedy multicast trees.
 *
 * With tree=xy each message is one tree from its source: half of the messages (those whose source
 * has an even sum of coordinates; where nodes send several, every other message of a node) go along
 * rows first, the others along columns first. With tree=halves the far half of the destinations
 * leaves first (below), in the same two orders. Other trees are grown by sources, and packets carry
 * them in their headers (grown_tree.c). The default, auto, is one of the first two or spread
 * (tree_of below). On a broken mesh trees are made of shortest paths, with slots of paths up, then
 * down. Packets run through unbounded queues, one per link; a run that would exceed --buffer B
 * fails. With slots, the trees of xy run in bounded channels, apart for the two orders, with
 * back-pressure by credits.
 * Encoding: a packet's range in the order of its tree (primitives/multicast_tree.h).
 * Why it ends: within a class of xy packets turn once, so the channels wait for one another without
 * a cycle; machine/channel/channel.c has the argument for copies.
 *
 * Steps: no useful bound (about sqrt(c) sqrt(c n) if many sources aim at one column); on most sets
 * well below 2 sqrt(c n).
 * Buffer: unbounded; with k slots per channel 8 k + 1 packets per node with free copies, 8 k + 4
 * with unit copies, enforced as the machine's capacity.
 * Source: the usual XY and YX multicast of networks on chip; halves are our own.
 *
 * With --reduce contributions go the ways of xy backwards, the farthest first, and are combined;
 * with k slots per channel 8 k packets per node (doc/reduce.md).
 */
#include "machine/channel.h"
#include "primitives/multicast_tree.h"
#include "routers/grown_tree.h"
#include "routers/reduction.h"
#include "routers/routing.h"

#include <assert.h>
#include <stdlib.h>

enum { ROW_FIRST = 1, STARTED = 2 }; /* bits of header.state */

enum { MOST_SLOTS = 255, AUTO = MOST_SLOTS + 1 };

enum { SLOTS, TREE };
static const struct parameter_spec SPECS[] = {
    [SLOTS] = {"slots", "0", 0, MOST_SLOTS, "auto", NULL},
    [TREE] = {"tree", "auto", 0, 0, TREE_CHOICES, NULL},
    {.name = NULL},
};

struct trees {
    struct headers *header;
    bool alternates; /* the messages of a node alternate, by their numbers */
};

static struct headers *header_of(void *context)
{
    return ((struct trees *)context)->header;
}

static bool is_row_first(const struct headers *header, uint32_t packet)
{
    return header->packet[packet].state & ROW_FIRST;
}

/* True if the tree of the message has its trunk along the row of its source. */
static bool is_even_tree(uint32_t row, uint32_t col, bool alternates, uint32_t message)
{
    return (row + col + (alternates ? message : 0)) % 2 == 0;
}

/* Sorts the destinations of a packet that has not started. */
static void start(const struct trees *trees, struct site site, uint32_t packet)
{
    struct headers *header = trees->header;
    if (!(header->packet[packet].state & STARTED)) {
        bool is_even =
            is_even_tree(site.row, site.col, trees->alternates, header->packet[packet].message);
        header->packet[packet].state = STARTED | (is_even ? ROW_FIRST : 0);
        tree_start(header, site, packet, is_row_first(header, packet));
    }
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    struct headers *header = header_of(context);
    start(context, site, packet);
    return tree_outputs(header, site, packet, is_row_first(header, packet));
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum output output)
{
    struct headers *header = header_of(context);
    return tree_take(header, site, packet, output, is_row_first(header, packet));
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    (void)site;
    return tree_stop(header_of(context), packet, direction);
}

/* ---- halves ----
 *
 * A packet has the destinations in its range, in the order of tree_start(). At a stop they are on
 * lines across its trunk, on both sides at the source and on one side everywhere else. The far half
 * of the lines of a side leaves as one packet, which stops next on the nearest of these lines; the
 * near half stays for the next split. A packet whose destinations are all on one line splits the
 * rows of a column, or the columns of a row, in the same way. So the farthest destination waits for
 * one copy at each of log2(lines) stops, where a tree with a branch at each line copies at all of
 * them.
 * Why it ends: a packet has fewer destinations after each split, and moves only towards all that it
 * has.
 * Knowledge: the packet's own destinations.
 * Steps for one message from a corner, side a power of two: 2 (side - 1) + 2 log2(side) with unit
 * copies, proven.
 * Cost: O(k) a split of k destinations, so O(k log k) a message.
 */

/* The slots start .. end - 1, which leave over the link `output`. */
struct half {
    uint32_t start, end;
    unsigned output;
};

/* Returns how far a destination is, with a sign: on the vertical axis by rows, else by columns. */
static int32_t offset_on(node_place place, struct site site, bool is_vertical)
{
    return is_vertical ? (int32_t)place_row(place) - (int32_t)site.row
                       : (int32_t)place_col(place) - (int32_t)site.col;
}

/* Finds the far half of the lines of the side that has more of them, on one axis. The lines of a
 * side follow one another in the range, the nearest first. False if all destinations are at offset
 * 0. */
static bool find_half(const struct headers *header, struct site site, uint32_t packet,
                      bool is_vertical, struct half *half)
{
    const node_place *slot = header->destination;
    uint32_t first = header->packet[packet].first, lines[2] = {0}, begin[2] = {0}, end[2] = {0};
    int32_t before = 0, far[2] = {0};
    for (uint32_t i = first; i <= packet; i++) {
        int32_t offset = offset_on(slot[i], site, is_vertical);
        bool side = offset > 0;
        if (offset != 0) {
            begin[side] = lines[side] == 0 ? i : begin[side];
            lines[side] += lines[side] == 0 || offset != before;
            end[side] = i + 1;
            far[side] = abs(offset);
        }
        before = offset;
    }
    bool side = lines[1] != lines[0] ? lines[1] > lines[0] : far[1] > far[0];
    if (lines[side] == 0)
        return false;
    uint32_t start = begin[side];
    for (uint32_t near = lines[side] / 2; near > 0; near--) {
        int32_t line = offset_on(slot[start], site, is_vertical);
        while (offset_on(slot[start], site, is_vertical) == line)
            start++;
    }
    unsigned low = is_vertical ? OUT_NORTH : OUT_WEST, high = is_vertical ? OUT_SOUTH : OUT_EAST;
    *half = (struct half){start, end[side], side ? high : low};
    return true;
}

/* Finds the same on the trunk's axis, or if all are on this line, along it. False for the last
 * destination, which is here. */
static bool far_half(const struct headers *header, struct site site, uint32_t packet,
                     bool row_first, struct half *half)
{
    return find_half(header, site, packet, !row_first, half) ||
           find_half(header, site, packet, row_first, half);
}

static unsigned outputs_of_halves(void *context, struct site site, uint32_t packet)
{
    struct headers *header = header_of(context);
    struct half half;
    start(context, site, packet);
    if (!far_half(header, site, packet, is_row_first(header, packet), &half))
        return OUT_EJECT;
    bool is_all = half.end - half.start == packet - header->packet[packet].first + 1;
    return is_all ? half.output : half.output | OUT_AGAIN;
}

static uint32_t take_half(void *context, struct site site, uint32_t packet, enum output output)
{
    struct headers *header = header_of(context);
    struct half half;
    bool is_there = far_half(header, site, packet, is_row_first(header, packet), &half);
    assert(is_there);
    (void)output, (void)is_there; /* with NDEBUG */
    return packet_take_slots(header, packet, half.start, half.end);
}

/* Returns the number of links from `site` to the farthest destination of `packet`, or
 * MACHINE_MAX_URGENCY. */
static uint32_t urgency_of_half(void *context, struct site site, uint32_t packet,
                                enum direction direction)
{
    const struct headers *header = header_of(context);
    uint32_t farthest = 0;
    (void)direction;
    for (uint32_t i = header->packet[packet].first; i <= packet; i++) {
        uint32_t far = place_distance(header->destination[i], site_place(site));
        farthest = far > farthest ? far : farthest;
    }
    return farthest < MACHINE_MAX_URGENCY ? farthest : MACHINE_MAX_URGENCY;
}

/* ---- the run ---- */

static unsigned class_of(void *context, uint32_t packet)
{
    return is_row_first(header_of(context), packet);
}

/* Returns the number of packets for which a node needs room, so that its channels have so many
 * slots each. */
static uint32_t capacity_of(const struct routing *routing, uint32_t slots)
{
    if (routing->options->reduces)
        return GATHER_CHANNELS * slots;
    return machine_channel_capacity(CHANNELS_OF_BOTH, slots, routing->options->copy_is_free);
}

/* Chooses the slots of a channel: the number asked for, or with `auto` as many as fit into the
 * capacity that the user gave; 0: unbounded queues. FAIL_USAGE if those asked for, or not even one,
 * do not fit. */
static enum failure_kind slots_choose(const struct routing *routing, uint32_t *slots,
                                      struct failure *failure)
{
    uint32_t buffer = routing->options->buffer, given = routing_parameter(routing, SPECS, "slots");
    *slots = given != AUTO ? given : buffer > 0 ? 1 : 0;
    if (*slots == 0 || buffer == 0)
        return FAIL_NONE;
    uint32_t least = capacity_of(routing, *slots);
    if (least > buffer)
        return fail(
            failure, FAIL_USAGE,
            "router trees with slots=%u cannot run with a buffer of %u; the least is %u packets",
            *slots, buffer, least);
    if (given != AUTO)
        return FAIL_NONE;
    *slots = MOST_SLOTS;
    while (capacity_of(routing, *slots) > buffer)
        --*slots;
    return FAIL_NONE;
}

/* Reports the slots as used, not as asked for, and the tree. */
static void report_use(const struct routing *routing, uint32_t slots, enum tree_choice tree)
{
    char used[ROUTER_NAME_SIZE];
    snprintf(used, sizeof used, "%u", slots);
    routing_use(routing, "slots", used);
    parameter_choice(&SPECS[TREE], tree, used);
    routing_use(routing, "tree", used);
}

/* Returns the trees of the run, by data that every node knows. If copies cost a step and no node
 * receives much, the copies along the way to the farthest destination dominate, which halves
 * reduce; if some node does, the links to it. The measure is from doc/trees.md. Messages that wait
 * for others are not all under way at once, so links are idle and detours cost more than they
 * save. */
static enum tree_choice tree_of(const struct routing *routing)
{
    enum tree_choice tree = (enum tree_choice)routing_parameter(routing, SPECS, "tree");
    struct mesh mesh = routing->set->mesh;
    bool has_queues = routing_parameter(routing, SPECS, "slots") == 0;
    if (tree != TREE_AUTO)
        return tree;
    if (routing->options->broken != NULL)
        return has_queues ? TREE_SHORTEST : TREE_UP_DOWN;
    if (routing->options->copy_is_free || routing->options->reduces || !has_queues)
        return TREE_XY;
    if (message_set_is_timed(routing->set))
        return TREE_HALVES;
    return 2 * (uint64_t)routing->congestion > (uint64_t)mesh.rows + mesh.cols ? TREE_SPREAD
                                                                               : TREE_HALVES;
}

/* FAIL_USAGE: slots for a tree that has none, or a tree that a broken mesh does not support. */
static enum failure_kind check(const struct routing *routing, enum tree_choice tree,
                               struct failure *failure)
{
    char name[ROUTER_NAME_SIZE];
    uint32_t slots = routing_parameter(routing, SPECS, "slots");
    parameter_choice(&SPECS[TREE], tree, name);
    if (routing->options->broken != NULL && tree < TREE_SHORTEST)
        return fail(failure, FAIL_USAGE,
                    "router trees: tree=%s needs a whole mesh; on a broken one it is "
                    "tree=shortest or up-down",
                    name);
    if (tree == TREE_UP_DOWN && slots != 0 && !routing->options->copy_is_free)
        return fail(failure, FAIL_USAGE,
                    "router trees: with tree=up-down slots need --copy free: copies that cost a "
                    "step could wait for one another in a cycle");
    if (slots % AUTO == 0 || tree == TREE_XY || tree == TREE_UP_DOWN)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "router trees: slots are for tree=xy; tree=%s has unbounded queues, slots=0", name);
}

/* Sends all packets along the trees of the two orders of dimensions, through queues or channels. */
static enum failure_kind split_route(struct routing *routing, enum tree_choice tree, uint32_t slots,
                                     struct failure *failure)
{
    struct trees trees = {machine_headers(routing->machine), routing->most_sent > 1};
    struct routing_rule rule = {.context = &trees, .outputs = outputs, .take = take, .stop = stop};
    struct channel_rule bounded = {
        .routing = rule, .class_of = class_of, .channels = CHANNELS_OF_BOTH, .slots = slots};
    machine_begin_phase(routing->machine, "trees");
    if (slots > 0)
        return routing_channel(routing, &bounded, failure);
    if (tree == TREE_HALVES) {
        rule.outputs = outputs_of_halves;
        rule.take = take_half;
        rule.urgency = urgency_of_half;
    }
    return routing_forward(routing, &rule, failure);
}

/* Sends all packets along the trees that sources grow, through queues or channels. */
static enum failure_kind grown_route(struct routing *routing, enum tree_choice tree, uint32_t slots,
                                     struct failure *failure)
{
    struct grown_trees trees = {0};
    enum failure_kind kind = grown_trees_make(&trees, routing, tree, failure);
    if (kind == FAIL_NONE) {
        grown_trees_predict(routing, &trees);
        struct routing_rule rule = grown_trees_rule(&trees);
        struct channel_rule bounded = grown_trees_channel_rule(&trees, slots);
        machine_begin_phase(routing->machine, "trees");
        kind = slots > 0 ? routing_channel(routing, &bounded, failure)
                         : routing_forward(routing, &rule, failure);
    }
    grown_trees_free(&trees);
    return kind;
}

static enum failure_kind trees_route(struct routing *routing, struct failure *failure)
{
    uint32_t buffer = routing->options->buffer, slots = 0;
    enum tree_choice tree = tree_of(routing);
    enum failure_kind kind = check(routing, tree, failure);
    if (kind == FAIL_NONE && (tree == TREE_XY || tree == TREE_UP_DOWN))
        kind = slots_choose(routing, &slots, failure);
    if (kind != FAIL_NONE)
        return kind;
    report_use(routing, slots, tree);
    if (slots > 0)
        routing->injection = INJECT_BY_NODE;
    if (slots > 0 && buffer == 0)
        buffer = capacity_of(routing, slots);
    kind = routing_start(routing, buffer, NULL, failure);
    if (kind != FAIL_NONE)
        return kind;
    return tree >= TREE_SPREAD ? grown_route(routing, tree, slots, failure)
                               : split_route(routing, tree, slots, failure);
}

/* ---- the other way round ---- */

/* A reduction goes the ways of the same trees backwards: to the line of the message's source along
 * which its tree would have its trunk, then along that. All contributions of a message take the
 * same link at a node, so those that wait there are combined. */
struct reverse_trees {
    struct reduction reduction; /* first: reduction_combine() */
    bool alternates;            /* as above */
};

/* Returns the class of the message, by the line in which its tree has its trunk. */
static unsigned reverse_class(void *context, uint32_t packet)
{
    const struct reverse_trees *trees = context;
    const struct headers *header = trees->reduction.header;
    node_place home = header->destination[packet];
    return is_even_tree(place_row(home), place_col(home), trees->alternates,
                        header->packet[packet].message);
}

static enum output reverse_output(void *context, struct site site, uint32_t packet)
{
    const struct reverse_trees *trees = context;
    const struct headers *header = trees->reduction.header;
    node_place home = header->destination[packet];
    bool has_trunk_in_row = reverse_class(context, packet);
    if (site_place(site) == home)
        return OUT_EJECT;
    return link_towards(site, home, has_trunk_in_row);
}

static uint32_t distance_left(void *context, struct site site, uint32_t packet)
{
    const struct reverse_trees *trees = context;
    return place_distance(site_place(site), trees->reduction.header->destination[packet]);
}

static enum failure_kind trees_reduce(struct routing *routing, struct failure *failure)
{
    struct reverse_trees trees = {.alternates = routing->most_sent > 1};
    struct gather_rule rule = {.context = &trees,
                               .output = reverse_output,
                               .urgency = distance_left,
                               .combine = reduction_combine,
                               .deliver = reduction_deliver,
                               .class_of = reverse_class};
    if (tree_of(routing) != TREE_XY)
        return fail(failure, FAIL_USAGE,
                    "router trees: --reduce needs tree=xy; no other tree is known to the nodes "
                    "that contribute");
    if (slots_choose(routing, &rule.slots, failure) != FAIL_NONE)
        return FAIL_USAGE;
    report_use(routing, rule.slots, TREE_XY);
    uint32_t buffer = routing->options->buffer;
    if (rule.slots > 0 && buffer == 0)
        buffer = capacity_of(routing, rule.slots);
    enum failure_kind kind = reduction_begin(&trees.reduction, routing, buffer, NULL, failure);
    if (kind == FAIL_NONE)
        kind = reduction_gather(&trees.reduction, &rule, "trees", failure);
    reduction_free(&trees.reduction);
    return kind;
}

static struct handover handover(const void *own, node_place source, node_place destination)
{
    (void)own, (void)destination;
    return (struct handover){
        .home = source, .row_first = is_even_tree(place_row(source), place_col(source), false, 0)};
}

/* Makes the choices; trees that sources grow start along either dimension. */
static enum failure_kind trees_choose(const struct routing *routing, struct router_choices *choices,
                                      struct failure *failure)
{
    return choices_at_source(routing->set->mesh, choices, handover, failure);
}

const struct router_method trees_method = {
    {"trees", "greedy dimension-ordered multicast trees, unbounded or with back-pressure",
     "slots=N  packets per channel, 1 .. 255, with back-pressure, for tree=xy, and with free\n"
     "         copies tree=up-down; auto: as many as fit into --buffer B (default 0: unbounded\n"
     "         queues, and a run fails that would exceed B)\n"
     "tree=T   how a message spreads: xy, halves, spread, diag, dds, shortest, up-down. xy:\n"
     "         rows or columns first;\n"
     "         halves: the far half of the columns, then of the rows, leaves first, and does not\n"
     "         stop on its way; spread: destinations join the nearest node of the tree, by a\n"
     "         side that a hash draws; diag, dds: the trees of the schemes of these names;\n"
     "         shortest: shortest paths, on broken meshes too; up-down: such paths up, then\n"
     "         down. All but xy send the farthest first (default auto: xy; where copies cost a\n"
     "         step, without slots, halves, or spread where 2 c > R + C and nothing starts\n"
     "         later; on broken meshes shortest, with slots up-down)"},
    SPECS,
    trees_route,
    NULL,
    TAKES_MANY | TAKES_TIMES | TAKES_BROKEN,
    trees_reduce,
    trees_choose,
};
