/* to_the_end.c - runs of one instruction from the first message to the last, where messages start
 * later or wait for others.
 *
 * Method: the instruction runs up to the next step in which a message may start, as far as that is
 * known. A receipt that lets a message start earlier ends it with that step. Then messages that may
 * start are injected, by ascending numbers, and it goes on; where nothing is under way the machine
 * is idle until the next start. On ranks all know the next step of any.
 * Knowledge: a node starts its own messages by the clock and by what it has received.
 * Cost: a call of the instruction for each step in which messages start, O(nodes) each. Where
 * messages wait, rows do one step at a time, and each delivery costs O(log n).
 */
#include "base/numbers.h"
#include "machine/channel.h"
#include "machine/forward.h"
#include "routers/routing.h"

/* The instruction of a run. */
struct instruction {
    const struct routing_rule *forward;
    const struct channel_rule *channel; /* NULL: it is machine_forward */
};

bool routing_receive(void *of_routing, node_index node, uint32_t message, uint64_t step)
{
    struct routing *routing = of_routing;
    uint32_t first = message_set_first_packet(routing->set, message);
    if (starts_await(&routing->starts, first))
        starts_receive(&routing->starts, first, node, step);
    return starts_next(&routing->starts) < routing->until;
}

static enum failure_kind inject_message(struct routing *routing, uint32_t first,
                                        struct failure *failure)
{
    const struct message_set *set = routing->set;
    uint32_t packets = message_set_packets(set, message_set_number(set, first));
    for (uint32_t i = first; i < first + packets; i++) {
        uint32_t packet = routing_packet(routing, i);
        if (routing->injection == INJECT_AT_ONCE)
            machine_inject(routing->machine, set->source[i], packet);
        else if (machine_queue(routing->machine, set->source[i], packet, failure) != FAIL_NONE)
            return FAIL_SYSTEM;
    }
    return FAIL_NONE;
}

enum failure_kind routing_inject_due(struct routing *routing, struct failure *failure)
{
    uint64_t now = machine_counts(routing->machine)->steps;
    enum failure_kind kind = FAIL_NONE;
    while (kind == FAIL_NONE && starts_next(&routing->starts) <= now)
        kind = inject_message(routing, starts_take(&routing->starts), failure);
    return kind == FAIL_NONE ? machine_end_injection(routing->machine, failure) : kind;
}

static enum failure_kind run_until(struct routing *routing, const struct instruction *instruction,
                                   uint64_t limit, struct failure *failure)
{
    if (instruction->channel != NULL)
        return machine_channel(routing->machine, instruction->channel, false, limit, failure);
    return machine_forward(routing->machine, instruction->forward, true, limit, failure);
}

static enum failure_kind run_timed(struct routing *routing, const struct instruction *instruction,
                                   struct failure *failure)
{
    struct machine *machine = routing->machine;
    enum failure_kind kind = FAIL_NONE;
    while (kind == FAIL_NONE) {
        uint64_t now = machine_counts(machine)->steps, next = starts_next(&routing->starts);
        if (ranks_least(routing->options->ranks, &next, 1, failure) != FAIL_NONE)
            return FAIL_SYSTEM;
        bool is_empty = machine_travelling(machine) + machine_resting(machine) == 0;
        uint64_t limit = next == UINT64_MAX ? UINT64_MAX : next - now;
        routing->until = next;
        if (next <= now)
            kind = routing_inject_due(routing, failure);
        else if (is_empty && next == UINT64_MAX)
            break;
        else if (is_empty)
            machine_idle(machine, limit);
        else
            kind = run_until(routing, instruction, limit, failure);
    }
    return kind;
}

static enum failure_kind run(struct routing *routing, const struct instruction *instruction,
                             struct failure *failure)
{
    if (message_set_is_timed(routing->set))
        return run_timed(routing, instruction, failure);
    return run_until(routing, instruction, UINT64_MAX, failure);
}

enum failure_kind routing_forward(struct routing *routing, const struct routing_rule *rule,
                                  struct failure *failure)
{
    return run(routing, &(struct instruction){.forward = rule}, failure);
}

enum failure_kind routing_channel(struct routing *routing, const struct channel_rule *rule,
                                  struct failure *failure)
{
    return run(routing, &(struct instruction){.channel = rule}, failure);
}
