/* trees.c - the baseline: greedy dimension-ordered multicast trees.
 *
 * Each message is one tree from its source: half of the messages (those whose source has an even
 * sum of coordinates) go along rows first, the others along columns first. Without a capacity the
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
 * With `--param tree=` other than xy sources grow other trees (grown_tree.c), for `measured` after hearing of other messages
 * (heard.c), which packets carry in their headers (grown_tree_rule.c), through unbounded queues: doc/trees.md.
 */
#include "machine/channel.h"
#include "machine/forward.h"
#include "primitives/multicast_tree.h"
#include "routers/routing.h"
#include "routers/tree_choice.h"

enum { ROW_FIRST = 1, STARTED = 2 }; /* bits of header.state */

enum { MOST_SLOTS = 255, AUTO = MOST_SLOTS + 1 };

static const struct parameter_spec SPECS[] = {
    {"slots", "auto", 0, MOST_SLOTS, "auto"},
    {"tree", "xy", 0, 0, TREE_CHOICES},
    {NULL, NULL, 0, 0, NULL},
};

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
    return tree_outputs(header, site, packet, is_row_first(header, packet));
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

static unsigned class_of(void *context, uint32_t packet)
{
    return is_row_first(context, packet);
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
        kind = grown_trees_make(&trees, routing, tree_growth_of(routing, tree), failure);
    if (kind == FAIL_NONE) {
        grown_trees_foretell(routing, &trees);
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
    if (slots > 0 && buffer == 0)
        buffer = machine_channel_capacity(CHANNELS_OF_BOTH, slots, routing->options->copy_is_free);
    enum failure_kind kind = routing_start(routing, buffer, NULL, failure);
    if (kind != FAIL_NONE)
        return kind;

    machine_begin_phase(routing->machine, "trees");
    struct headers *header = machine_headers(routing->machine);
    struct routing_rule rule = {.context = header, .outputs = outputs, .take = take, .stop = stop};
    if (slots == 0)
        return machine_forward(routing->machine, &rule, true, UINT64_MAX, failure);
    struct channel_rule bounded = {
        .routing = rule, .class_of = class_of, .channels = CHANNELS_OF_BOTH, .slots = slots};
    return machine_channel(routing->machine, &bounded, true, UINT64_MAX, failure);
}

static uint64_t trees_footprint(const struct routing *routing)
{
    struct machine_needs needs = routing_needs(routing, routing->set->deliveries);
    enum tree_choice tree = (enum tree_choice)routing_parameter(routing, SPECS, "tree");
    if (tree != TREE_XY)
        return grown_trees_run_footprint(routing, tree);
    slots_choose(routing, &needs.channel_slots, NULL);
    needs.uses = needs.channel_slots == 0 ? USE_FORWARD : USE_CHANNELS;
    return machine_footprint(&needs);
}

const struct router_method trees_method = {
    {"trees", "greedy dimension-ordered multicast trees, unbounded or with back-pressure",
     "slots=N  packets a channel, 1 .. 255, with back-pressure; 0: unbounded queues\n"
     "         (default auto: unbounded; with --buffer B channels of as many slots as fit B,\n"
     "         which may take more steps than unbounded queues that stay below B)\n"
     "tree=T   how a source makes its tree: xy, near, spread, crowd, measured (default xy:\n"
     "         rows or columns first; near: destinations join the nearest node of the tree;\n"
     "         spread: the same by a side that a hash draws; crowd: spread where c > 2 (R + C)\n"
     "         and d <= (R + C) / 8, else xy; measured: where c may make a line crowded sources\n"
     "         first hear what others near them send, then spread or xy for each destination;\n"
     "         all but xy send the farthest first)"},
    SPECS,
    trees_route,
    NULL,
    trees_footprint,
};
