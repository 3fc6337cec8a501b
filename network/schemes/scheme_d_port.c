/* scheme_d_port.c - a tree of unicasts for nodes that send over all their ports at once, on every topology.
 *
 * Method: source and destinations stand in a chain in the order of labels. In a step a holder of the message hands the
 * farther parts of its own part over, one over each port, towards larger labels and towards smaller ones, and keeps the
 * rest. A message names the port over which it leaves and goes by labels from there. How much can be handed over, and
 * to whom, port_parts.c finds backwards from the last step.
 * Proven: (1) messages of one step share no link. A message keeps to labels between sender and receiver, so to its
 * sender's part; parts of holders at one step are disjoint; messages up and down use different links; those of
 * one holder and side were walked. (2) If two messages of different steps share a link, the later one's sender is the
 * earlier one's, or a node that got the message from this sender no earlier: parts only shrink, and the later sender's
 * part lies in the part that the earlier one's sender had. (3) Labels only grow along a message, or only shrink, so
 * multicasts at once cannot deadlock (route_label.c). (4) No more steps than `two-port`, so at most
 * ceil(log3(2 (k + 1))), since its plan replaces a plan with more steps. (1) to (3) hold for it too.
 * Measured, not proven: how near steps come to ceil(log_{d+1}(k + 1)), below which no tree of d sends a step can be.
 * Own work; the cut in three that it extends is that of scheme_two_port.c.
 */
#include "network/schemes/port_parts.h"

enum { PORTS_ALL };

/* How many messages of a side each word of `ports` allows; of all, half go up. */
static const uint32_t side_ports[] = {PORT_PARTS_MOST, 1, 2, 3};

struct serving {
    struct port_parts parts;
    struct plan *plan;
    uint32_t steps; /* of the plan so far */
    struct failure *failure;
};

/* Members low .. high of the chain, of which `holder` has the message since a step. */
struct subchain {
    uint32_t low, high, holder, step;
};

static enum failure_kind serve(struct serving *serving, struct subchain mine);

/* Sends to the receiver of a part, which serves it. */
static enum failure_kind hand_over(struct serving *serving, const struct subchain *mine,
                                   uint32_t side, const struct port_part *part, uint32_t step)
{
    const struct topology *topology = serving->parts.topology;
    const uint32_t *node = serving->parts.chain->node;
    struct subchain other = {part->first, part->last, part->receiver, mine->step + step};
    struct routing_choice choice[ROUTING_CHOICES];
    if (side == 1)
        other = (struct subchain){port_parts_mirror(&serving->parts, part->last),
                                  port_parts_mirror(&serving->parts, part->first),
                                  port_parts_mirror(&serving->parts, part->receiver), other.step};
    uint32_t sender = node[mine->holder], target = node[other.holder];
    routing_label.next(topology, sender, target, choice);
    if (plan_add_worm(serving->plan, sender, serving->failure) != FAIL_NONE)
        return serving->failure->kind;
    serving->plan->worm[serving->plan->worms - 1].step = step;
    if ((choice[0].port != part->port &&
         plan_add_stop(serving->plan, part->over, false, serving->failure) != FAIL_NONE) ||
        plan_add_stop(serving->plan, target, true, serving->failure) != FAIL_NONE)
        return serving->failure->kind;
    serving->steps = other.step > serving->steps ? other.step : serving->steps;
    return serve(serving, other);
}

/* Adds the worms of a subchain: a member's are in the order of its steps, on each side the farthest one first.
 * Recursion is as deep as there are steps. */
static enum failure_kind serve(struct serving *serving, struct subchain mine)
{
    struct port_parts *parts = &serving->parts;
    for (uint32_t step = 1; mine.low < mine.high; step++) {
        uint32_t place[PORT_PARTS_SIDES] = {mine.holder, port_parts_mirror(parts, mine.holder)};
        uint32_t end[PORT_PARTS_SIDES] = {mine.high, port_parts_mirror(parts, mine.low)};
        uint32_t level = port_parts_level(parts, mine.holder, end[0], end[1]) - 1;
        for (uint32_t side = 0; side < PORT_PARTS_SIDES; side++) {
            struct port_part part[PORT_PARTS_MOST];
            uint32_t count = port_parts_divide(parts, level, side, place[side], end[side], part);
            if (count > 0)
                end[side] = part[0].first - 1;
            while (count-- > 0)
                if (hand_over(serving, &mine, side, &part[count], step) != FAIL_NONE)
                    return serving->failure->kind;
        }
        mine.high = end[0];
        mine.low = port_parts_mirror(parts, end[1]);
    }
    return FAIL_NONE;
}

/* Plans with so many messages of a side in a step. */
static enum failure_kind plan_with(struct serving *serving, const struct topology *topology,
                                   const struct chain *chain, uint32_t most)
{
    serving->plan->worms = serving->plan->stops = serving->steps = 0;
    if (port_parts_make(&serving->parts, topology, chain, most, serving->failure) != FAIL_NONE)
        return serving->failure->kind;
    enum failure_kind kind =
        serve(serving, (struct subchain){0, chain->count - 1, chain->source, 0});
    port_parts_free(&serving->parts);
    return kind;
}

static enum failure_kind plan(const struct topology *topology, const struct multicast *multicast,
                              const struct scheme_choices *choices, struct plan *made,
                              struct failure *failure)
{
    struct chain chain;
    struct serving serving = {.plan = made, .failure = failure};
    if (chain_make(&chain, topology, multicast, chain_label, failure) != FAIL_NONE)
        return failure->kind;
    enum failure_kind kind =
        plan_with(&serving, topology, &chain, side_ports[choices->choice[PORTS_ALL]]);
    if (kind == FAIL_NONE &&
        two_port_steps(chain.source, chain.count - 1 - chain.source) < serving.steps) {
        made->worms = made->stops = 0;
        kind = scheme_two_port.plan(topology, multicast, choices, made, failure);
    }
    chain_free(&chain);
    return kind;
}

const struct scheme scheme_d_port = {
    .name = "d-port",
    .summary = "a tree of unicasts along a Hamiltonian path, over all ports of a node at once",
    .parameter = {{"ports", {"all", "2", "4", "6"}, "over how many ports a node sends at once"}},
    .routing = scheme_label_routing,
    .plan = plan,
    .is_stepwise = true,
};
