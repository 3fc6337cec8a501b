/* trees.c - the baseline: greedy dimension-ordered multicast trees.
 *
 * Each message is one tree from its source: half of the messages (those whose source has an even
 * sum of coordinates; where nodes send several, every other message of a node) go along rows first, the others
 * along columns first. Without a capacity the
 * trees run through unbounded queues, one a link. With `--buffer B`, or slots > 0, they run in
 * bounded channels, apart for each class, with back-pressure by credits.
 * Encoding: a packet's range in the order of its tree (primitives/multicast_tree.h).
 * Why it ends: within a class packets turn once, so the channels wait for one another without a
 * cycle; machine/channel/channel.c has the argument for copies.
 *
 * Steps: no useful bound (about sqrt(c) sqrt(c n) where many sources aim at one column); on most
 * sets well below 2 sqrt(c n). Buffer: unbounded, measured 2 c; with k slots a channel 8 k + 1
 * packets a node with free copies, 8 k + 4 with unit copies, enforced as the machine's capacity.
 * Source: the usual XY and YX multicast of networks on chip.
 *
 * With `--param tree=` other than xy sources grow other trees (grown_tree.c), which packets carry in their headers
 * (grown_tree_rule.c), through unbounded queues: doc/trees.md.
 */
#include "machine/channel.h"
#include "machine/forward.h"
#include "primitives/multicast_tree.h"
#include "routers/grown_tree.h"
#include "routers/routing.h"

#include <inttypes.h>

enum { ROW_FIRST = 1, STARTED = 2 }; /* bits of header.state */

enum { MOST_SLOTS = 255, AUTO = MOST_SLOTS + 1 };

enum tree_choice { TREE_XY, TREE_NEAR, TREE_SPREAD, TREE_CROWD };

static const struct parameter_spec SPECS[] = {
    {"slots", "auto", 0, MOST_SLOTS, "auto"},
    {"tree", "xy", 0, 0, "xy near spread crowd"},
    {NULL, NULL, 0, 0, NULL},
};

struct trees {
    struct headers *header;
    bool alternates; /* the messages of a node do, by their numbers */
};

static struct headers *header_of(void *context)
{
    return ((struct trees *)context)->header;
}

static bool is_row_first(const struct headers *header, uint32_t packet)
{
    return header->packet[packet].state & ROW_FIRST;
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    const struct trees *trees = context;
    struct headers *header = trees->header;
    if (!(header->packet[packet].state & STARTED)) {
        uint32_t message = trees->alternates ? header->packet[packet].message : 0;
        bool is_even = (site.row + site.col + message) % 2 == 0;
        header->packet[packet].state = STARTED | (is_even ? ROW_FIRST : 0);
        tree_start(header, site, packet, is_row_first(header, packet));
    }
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

static unsigned class_of(void *context, uint32_t packet)
{
    return is_row_first(header_of(context), packet);
}

/* The slots of a channel: those asked for, or with `auto` as many as there can be, no more than fit
 * into the capacity that the user gave; 0: unbounded queues. FAIL_USAGE if not even one fits. */
static enum failure_kind slots_choose(const struct routing *routing, uint32_t *slots,
                                      struct failure *failure)
{
    uint32_t buffer = routing->options->buffer;
    bool copy_is_free = routing->options->copy_is_free;
    *slots = routing_parameter(routing, SPECS, "slots");
    if (*slots == AUTO)
        *slots = buffer > 0 ? MOST_SLOTS : 0;
    if (*slots == 0 || buffer == 0)
        return FAIL_NONE;
    while (*slots > 0 && machine_channel_capacity(CHANNELS_OF_BOTH, *slots, copy_is_free) > buffer)
        --*slots;
    if (*slots > 0)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "router trees cannot live within a buffer of %u packets; the least is %u", buffer,
                machine_channel_capacity(CHANNELS_OF_BOTH, 1, copy_is_free));
}

/* With crowd: sides are drawn where the links of one node alone may take half as many steps as the longest way, and a
 * message has few destinations, so that the links added for their sides are few too; else trees xy. */
static enum tree_growth growth_of(const struct routing *routing, enum tree_choice tree)
{
    struct mesh mesh = routing->set->mesh;
    bool is_crowded = routing->congestion > 2 * (uint64_t)(mesh.rows + mesh.cols) &&
                      8 * (uint64_t)routing->degree <= mesh.rows + mesh.cols;
    if (tree == TREE_CROWD)
        return is_crowded ? GROW_SPREAD : GROW_XY;
    return tree == TREE_NEAR ? GROW_NEAR : GROW_SPREAD;
}

/* What is known of the trees before the first step. No node acts on it. */
static void foretell(struct routing *routing, const struct grown_trees *trees)
{
    struct router_figure figure = {
        .key = "trees_c_plus_d",
        .name = "busiest link + longest way",
        .value = trees->congestion + trees->dilation,
    };
    snprintf(figure.note, sizeof figure.note, "%" PRIu64 " trees, %" PRIu64 " links",
             trees->congestion, trees->dilation);
    routing_foretell(routing, &figure);
    figure = (struct router_figure){
        .key = "trees_links", .name = "links of all trees", .value = trees->links};
    routing_foretell(routing, &figure);
    figure = (struct router_figure){
        .key = "trees_header", .name = "largest header of a tree", .value = 4 * trees->longest};
    snprintf(figure.note, sizeof figure.note, "integers, 4 a straight piece");
    routing_foretell(routing, &figure);
}

/* The trees that sources grow, through unbounded queues. */
static enum failure_kind grown_route(struct routing *routing, enum tree_choice tree,
                                     struct failure *failure)
{
    struct grown_trees trees = {0};
    if (routing_parameter(routing, SPECS, "slots") % AUTO != 0)
        return fail(failure, FAIL_USAGE,
                    "router trees: slots are for tree=xy; tree=%s has unbounded queues, slots=0",
                    routing_text(routing, SPECS, "tree"));
    routing_use(routing, "slots", "0");
    enum failure_kind kind = routing_start(routing, routing->options->buffer, NULL, failure);
    if (kind == FAIL_NONE)
        kind = grown_trees_make(&trees, routing, growth_of(routing, tree), failure);
    if (kind == FAIL_NONE) {
        foretell(routing, &trees);
        machine_begin_phase(routing->machine, "trees");
        struct routing_rule rule = grown_trees_rule(&trees);
        kind = machine_forward(routing->machine, &rule, true, UINT64_MAX, failure);
    }
    grown_trees_free(&trees);
    return kind;
}

static enum failure_kind trees_route(struct routing *routing, struct failure *failure)
{
    uint32_t slots, buffer = routing->options->buffer;
    enum tree_choice tree = (enum tree_choice)routing_parameter(routing, SPECS, "tree");
    if (tree != TREE_XY)
        return grown_route(routing, tree, failure);
    if (slots_choose(routing, &slots, failure) != FAIL_NONE)
        return FAIL_USAGE;
    char used[ROUTER_NAME_SIZE];
    snprintf(used, sizeof used, "%u", slots); /* as used, not as asked for */
    routing_use(routing, "slots", used);
    if (slots > 0)
        routing->injection = INJECT_BY_NODE;
    if (slots > 0 && buffer == 0)
        buffer = machine_channel_capacity(CHANNELS_OF_BOTH, slots, routing->options->copy_is_free);
    enum failure_kind kind = routing_start(routing, buffer, NULL, failure);
    if (kind != FAIL_NONE)
        return kind;

    machine_begin_phase(routing->machine, "trees");
    struct trees trees = {machine_headers(routing->machine), routing->most_sent > 1};
    struct routing_rule rule = {.context = &trees, .outputs = outputs, .take = take, .stop = stop};
    if (slots == 0)
        return machine_forward(routing->machine, &rule, true, UINT64_MAX, failure);
    struct channel_rule bounded = {
        .routing = rule, .class_of = class_of, .channels = CHANNELS_OF_BOTH, .slots = slots};
    return machine_channel(routing->machine, &bounded, true, UINT64_MAX, failure);
}

static uint64_t trees_footprint(const struct routing *routing)
{
    struct machine_needs needs = routing_needs(routing, routing->set->deliveries);
    if (routing_parameter(routing, SPECS, "tree") != TREE_XY) {
        needs.uses = USE_FORWARD;
        return machine_footprint(&needs) + grown_trees_footprint(routing->set, routing->degree);
    }
    slots_choose(routing, &needs.channel_slots, NULL);
    needs.uses = needs.channel_slots == 0 ? USE_FORWARD : USE_CHANNELS;
    return machine_footprint(&needs);
}

const struct router_method trees_method = {
    {"trees", "greedy dimension-ordered multicast trees, unbounded or with back-pressure",
     "slots=N  packets a channel, 1 .. 255, with back-pressure; 0: unbounded queues\n"
     "         (default auto: unbounded; with --buffer B channels of as many slots as fit B,\n"
     "         which may take more steps than unbounded queues that stay below B)\n"
     "tree=T   how a source makes its tree: xy, near, spread, crowd (default xy: rows or\n"
     "         columns first; near: destinations join the nearest node of the tree; spread:\n"
     "         the same by a side that a hash draws; crowd: spread where c > 2 (R + C) and\n"
     "         d <= (R + C) / 8, else xy; all but xy send the farthest first)"},
    SPECS,
    trees_route,
    NULL,
    trees_footprint,
    true,
};
