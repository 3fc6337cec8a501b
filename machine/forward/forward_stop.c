/* forward_stop.c - what becomes of a packet at a stop of machine_forward.
 *
 * The rule gives the packet's outputs. If there is one, the packet leaves, is delivered and ends, rests, or
 * is discarded. If there are several, a copy is made for one output after another, and the packet keeps the rest:
 * with free copies in the step of its arrival, with unit copies one a step and node, first come
 * first served. By rules 2 and 3 of the model neither the packet nor its copy may do anything else in that step: they
 * enter queues whose packet for the step has left already.
 * Cost: O(1) and what the rule costs, an output.
 */
#include "machine/forward/forward_private.h"
#include "machine/tally_private.h"

#include <assert.h>

/* Puts `word`, which the rule sends over link `d`, into the queue, behind all that are at least as urgent; or into
 * the slot, if nothing else may enter it in this step. */
static void enqueue(struct forward_worker *worker, struct site site, enum direction d,
                    uint64_t word)
{
    struct machine *machine = worker->machine;
    const struct link_queues *queues = &worker->forward->queues;
    bool is_open = d < worker->passed && !(link_queued(queues, site)[d] & conveyor_bit(site));
    bool is_taken = conveyor_is_taken(worker->line, site, d);
    if (is_open && !is_taken) {
        machine->occupancy[site.index]--;
        conveyor_set(&worker->view, worker->line, site, d, word);
        return;
    }
    if (is_open && worker->forward->has_urgencies) {
        machine->occupancy[site.index]++;
        link_queue_put(machine, queues, site, d,
                       conveyor_clear(&worker->view, worker->line, site, d));
    }
    link_queue_put(machine, queues, site, d, word);
}

/* Sends `packet` on its way over link `d`. */
static void depart(struct forward_worker *worker, struct site site, uint32_t packet,
                   enum direction d)
{
    const struct routing_rule *rule = worker->rule;
    uint32_t stop = rule->stop(rule->context, site, packet, d), urgency = 0;
    assert(is_ahead(worker->machine, site, d, stop));
    if (rule->urgency != NULL)
        urgency = rule->urgency(rule->context, site, packet, d);
    assert(urgency <= MACHINE_MAX_URGENCY);
    enqueue(worker, site, d,
            (uint64_t)urgency << URGENCY_SHIFT | (uint64_t)stop << STOP_SHIFT | packet);
}

/* Sends the packet to its one remaining output. */
static void finish(struct forward_worker *worker, enum event_group group, struct site site,
                   uint32_t packet, unsigned part)
{
    struct machine *machine = worker->machine;
    struct tally *tally = worker->tally;
    if (part & OUT_LINKS) {
        depart(worker, site, packet, (enum direction)__builtin_ctz(part));
        return;
    }
    if (part == OUT_HOLD) {
        tally_rest(machine, tally, site.index, packet);
        return;
    }
    tally->travelling--;
    machine->occupancy[site.index]--;
    if (part == OUT_EJECT) {
        assert(machine->header.packet[packet].first == packet);
        tally_deliver(machine, tally, group, site, packet, packet);
    } else {
        assert(part == OUT_DISCARD);
        tally_discard(machine, tally, group, site.index, packet);
    }
}

/* Makes one copy: of the packet's message into the output queue, or of the packet for one of its outputs. */
static void copy_once(struct forward_worker *worker, enum event_group group, struct site site,
                      uint32_t packet, unsigned outputs)
{
    const struct routing_rule *rule = worker->rule;
    struct tally *tally = worker->tally;
    unsigned choice = outputs & ~(unsigned)OUT_AGAIN;
    unsigned part = outputs & OUT_EJECT ? (unsigned)OUT_EJECT : choice & -choice;
    assert(part & (OUT_LINKS | OUT_EJECT | OUT_HOLD));
    uint32_t taken = rule->take(rule->context, site, packet, (enum output)part);
    assert(taken != packet);
    if (part == OUT_EJECT) {
        tally_deliver(worker->machine, tally, group, site, packet, taken);
        return;
    }
    tally_copy(worker->machine, tally, group, site.index, packet, taken);
    finish(worker, group, site, taken, part);
}

static void wait_for_copy(struct forward_worker *worker, struct site site, uint32_t packet)
{
    struct forward *forward = worker->forward;
    struct forward_block *block = forward_block(forward, site);
    if (block->copying & conveyor_bit(site))
        worker->machine->next[forward->waiting_last[site.index]] = packet;
    else
        forward->waiting_first[site.index] = packet;
    forward->waiting_last[site.index] = packet;
    block->copying |= conveyor_bit(site);
}

void forward_settle(struct forward_worker *worker, enum event_group group, struct site site,
                    uint32_t packet)
{
    const struct routing_rule *rule = worker->rule;
    unsigned outputs = rule->outputs(rule->context, site, packet);
    for (uint32_t copies = 0; !is_single_output(outputs); copies++) {
        if (!worker->machine->config.copy_is_free) {
            wait_for_copy(worker, site, packet);
            return;
        }
        assert(copies < worker->machine->header.slots); /* each has a name of its own */
        copy_once(worker, group, site, packet, outputs);
        outputs = rule->outputs(rule->context, site, packet);
    }
    finish(worker, group, site, packet, outputs);
}

/* Makes the node's one copy of this step. */
static void copy_for_node(struct forward_worker *worker, struct site site)
{
    struct forward *forward = worker->forward;
    const struct routing_rule *rule = worker->rule;
    uint32_t packet = forward->waiting_first[site.index];
    unsigned outputs = rule->outputs(rule->context, site, packet);
    if (!is_single_output(outputs)) {
        copy_once(worker, COPIES, site, packet, outputs);
        outputs = rule->outputs(rule->context, site, packet);
        /* a delivery that ends the packet is left to the next step: it was copied in this one */
        if (!is_single_output(outputs) || outputs == OUT_EJECT)
            return;
    }
    if (forward->waiting_last[site.index] == packet)
        forward_block(forward, site)->copying &= ~conveyor_bit(site);
    else
        forward->waiting_first[site.index] = (uint32_t)worker->machine->next[packet];
    finish(worker, COPIES, site, packet, outputs);
}

void forward_copy_block(struct forward_worker *worker, struct site first)
{
    uint64_t nodes = forward_block(worker->forward, first)->copying;
    for (; nodes != 0; nodes &= nodes - 1)
        copy_for_node(worker, block_site(first, (unsigned)__builtin_ctzll(nodes)));
}
