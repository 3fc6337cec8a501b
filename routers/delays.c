/* delays.c - trees whose packets leave their sources after delays that are drawn at random.
 *
 * Each source makes the tree of its message (`tree=`, as in router trees) and draws a delay below `range` by a public
 * hash of seed and source. It holds its packet for so many steps, by the clock that all nodes share. From then on
 * packets go through unbounded queues, one a link, farthest first. Where nodes send several messages, each has a
 * delay of its own, and waits for its step outside of the buffer.
 * Why: in a schedule without queues a packet would cross a link at its delay plus the link's depth in its tree. So a
 * step of a link is wanted by C / range packets on average, C the trees on it, and since delays of different messages
 * are independent, by O(log n / log log n) with high probability if range >= C: the argument of Leighton, Maggs and
 * Rao, which holds for trees as for ways. Haeupler, Hershkowitz and Wajc (Near-Optimal Schedules for Simultaneous
 * Multicasts, ICALP 2021) construct schedules of O(C + D + log^2 n) steps for any trees of depth D. doc/trees.md says
 * what of this a node could do, which knows no C.
 * Why it ends: all packets have left after `range` steps, and each crosses a link of its tree once.
 *
 * Steps: no bound is proven for the greedy queues. Buffer: unbounded; a packet waits in its source's buffer.
 * Cost: O(n) work a step of the first `range` ones beside the packets' moves.
 */
#include "base/extremes.h"
#include "base/ranks.h"
#include "machine/forward.h"
#include "primitives/synchronise.h"
#include "routers/routing.h"
#include "routers/tree_choice.h"

#include <stdlib.h>

enum { DRAW_DELAY = 0x64656c01 };

enum { MOST_RANGE = 1 << 20, AUTO = MOST_RANGE + 1 };

static const struct parameter_spec SPECS[] = {
    {"tree", "xy", 0, 0, TREE_CHOICES},
    {"range", "auto", 1, MOST_RANGE, "auto"},
    {NULL, NULL, 0, 0, NULL},
};

struct delays {
    const struct routing *routing;
    struct grown_trees trees;
    struct routing_rule rule; /* of the trees alone */
    uint32_t range;
    uint32_t now; /* steps that have gone by since the first packet could leave */
    /* Where nodes send several messages, else NULL: those with delay t are message[start[t]] .. message[start[t + 1] - 1]. */
    uint32_t *start, *message;
    uint32_t last; /* the longest delay of these */
};

/* ---- a packet at its source ---- */

/* Returns the delay of a message, which is given by its source, or by its number where nodes send several. */
static uint32_t delay_of(const struct delays *delays, uint32_t source)
{
    return routing_random(delays->routing, DRAW_DELAY, source) % delays->range;
}

/* Whether the packet is still the whole message at its source. */
static bool is_held(const struct delays *delays, struct site site, uint32_t packet)
{
    const struct header *header = &delays->trees.header->packet[packet];
    return delays->trees.piece[header->target].output == 0 && header->state == 0 &&
           delay_of(delays, site.index) > delays->now;
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    struct delays *delays = context;
    if (delays->start == NULL && is_held(delays, site, packet))
        return OUT_HOLD;
    return delays->rule.outputs(delays->rule.context, site, packet);
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum output output)
{
    const struct delays *delays = context;
    return delays->rule.take(delays->rule.context, site, packet, output);
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct delays *delays = context;
    return delays->rule.stop(delays->rule.context, site, packet, direction);
}

static uint32_t urgency(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct delays *delays = context;
    return delays->rule.urgency(delays->rule.context, site, packet, direction);
}

/* ---- the run ---- */

/* With auto ceil(max(c, l) / 4): so many trees at least end over one link of some node, or begin there, whatever the
 * trees are. */
static uint32_t range_of(const struct routing *routing)
{
    uint32_t range = routing_parameter(routing, SPECS, "range");
    uint64_t most = larger(routing->congestion, routing->most_sent);
    uint32_t standard = (uint32_t)((most + 3) / 4);
    return range != AUTO ? range : standard > 0 ? standard : 1;
}

/* Returns the delay of message `i` where nodes send several. */
static uint32_t delay_of_message(const struct delays *delays, uint32_t i)
{
    return delay_of(delays, message_set_number(delays->routing->set, i));
}

/* Sorts the messages by their delays: each source knows its own. */
static enum failure_kind order_messages(struct delays *delays, struct failure *failure)
{
    const struct message_set *set = delays->routing->set;
    delays->start = memory_allocate(delays->range + (size_t)2, sizeof *delays->start);
    delays->message = memory_allocate(set->messages, sizeof *delays->message);
    if (delays->start == NULL || delays->message == NULL)
        return fail_memory(failure, "the order of messages");
    for (uint32_t i = 0; i < set->messages; i++) {
        uint32_t delay = delay_of_message(delays, i);
        delays->start[delay + 2]++;
        delays->last = larger(delays->last, delay);
    }
    for (uint32_t t = 2; t <= delays->range; t++)
        delays->start[t + 1] += delays->start[t];
    for (uint32_t i = 0; i < set->messages; i++)
        delays->message[delays->start[delay_of_message(delays, i) + 1]++] = i;
    uint64_t last = delays->last;
    enum failure_kind kind = ranks_most(delays->routing->options->ranks, &last, 1, failure);
    delays->last = (uint32_t)last;
    return kind;
}

/* Injects the messages whose delay is over. */
static enum failure_kind inject_due(const struct delays *delays, struct failure *failure)
{
    const uint32_t *start = delays->start + delays->now;
    return routing_inject(delays->routing, delays->message + start[0], start[1] - start[0],
                          failure);
}

/* All nodes count the same steps; a node whose delay is over lets its packet go. When the host sees that all have gone,
 * the rest is one call, in which nothing is different. */
static enum failure_kind send(struct delays *delays, struct failure *failure)
{
    struct machine *machine = delays->routing->machine;
    struct routing_rule rule = {
        .context = delays, .outputs = outputs, .take = take, .stop = stop, .urgency = urgency};
    enum failure_kind kind = FAIL_NONE;
    for (; delays->start != NULL && kind == FAIL_NONE && delays->now <= delays->last;
         delays->now++) {
        kind = inject_due(delays, failure);
        if (kind == FAIL_NONE && delays->now < delays->last)
            kind = forward_wave(machine, &rule, 1, failure);
    }
    for (; delays->start == NULL && kind == FAIL_NONE && delays->now + 1 < delays->range &&
           machine_resting(machine) > 0;
         delays->now++)
        kind = forward_wave(machine, &rule, 1, failure);
    delays->now = delays->range;
    return kind != FAIL_NONE ? kind : machine_forward(machine, &rule, true, UINT64_MAX, failure);
}

static enum failure_kind delays_route(struct routing *routing, struct failure *failure)
{
    enum tree_choice tree = (enum tree_choice)routing_parameter(routing, SPECS, "tree");
    struct delays delays = {.routing = routing, .range = range_of(routing)};
    char used[ROUTER_NAME_SIZE];
    snprintf(used, sizeof used, "%u", delays.range);
    routing_use(routing, "range", used);
    routing->expected_steps = delays.range;
    if (routing->most_sent > 1)
        routing->injection = INJECT_LATER;
    enum failure_kind kind = routing_start(routing, routing->options->buffer, NULL, failure);
    if (kind == FAIL_NONE)
        kind = grown_trees_make(&delays.trees, routing, tree_growth_of(routing, tree), failure);
    if (kind == FAIL_NONE)
        kind = routing->most_sent > 1 ? order_messages(&delays, failure) : FAIL_NONE;
    if (kind == FAIL_NONE) {
        grown_trees_foretell(routing, &delays.trees);
        delays.rule = grown_trees_rule(&delays.trees);
        machine_begin_phase(routing->machine, "delays");
        kind = send(&delays, failure);
    }
    grown_trees_free(&delays.trees);
    free(delays.start);
    free(delays.message);
    return kind;
}

static uint64_t delays_footprint(const struct routing *routing)
{
    struct machine_needs needs = routing_needs(routing, routing->set->deliveries);
    uint64_t order =
        routing->most_sent > 1 ? routing->set->messages + (uint64_t)range_of(routing) : 0;
    needs.uses = USE_FORWARD;
    return grown_trees_run_footprint(
               routing, (enum tree_choice)routing_parameter(routing, SPECS, "tree"), needs) +
           order * sizeof(uint32_t);
}

const struct router_method delays_method = {
    {"delays", "trees whose packets leave after random delays, through unbounded queues",
     "tree=T   how a source makes its tree, as in router trees (default xy)\n"
     "range=N  delays are below N, 1 .. 1048576; 1: none (default auto: c / 4, rounded up,\n"
     "         or l / 4 where that is more)"},
    SPECS,
    delays_route,
    NULL,
    delays_footprint,
    true,
    NULL,
};
