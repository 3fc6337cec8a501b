/* channel_injection.c - how resting packets enter channels.
 *
 * A resting packet may hand a copy to the node's slot for injection, or enter it itself. With free
 * copies the copy may leave in the same step. With unit copies to be copied is what the packet does in this step,
 * and neither it nor the copy does anything else before the next one (rules 2 and 3 of the model).
 * A packet that has nothing to inject is not asked again while it rests: a bit for each node, in a word of its
 * block, tells whether some packet there has not said so yet.
 * Cost: O(1) a step for a node whose packets wait for the slot, or have just come to rest; a look at a word
 * for a block without such nodes.
 */
#include "machine/channel/channel_conveyor_private.h"
#include "machine/channel/channel_step_private.h"
#include "machine/tally_private.h"

/* Puts `packet` into the slot for injection, unless it ends here. */
static void enter_slot(struct channel_worker *worker, struct site site, uint32_t packet)
{
    uint64_t word = channel_settle(worker, DEPARTURES, site, packet);
    if (word == 0)
        return;
    source_set(worker, site, INJECTED, word);
    block_of(worker->channels, site)->is_busy = true;
}

/* Puts a copy of the resting `packet` into the slot; a copy that would end here is delivered. */
static void inject_copy(struct channel_worker *worker, struct site site, uint32_t packet,
                        uint32_t copy)
{
    const struct routing_rule *rule = &worker->rule->routing;
    if (rule->outputs(rule->context, site, copy) == OUT_EJECT) {
        tally_deliver(worker->machine, worker->tally, DEPARTURES, site, packet, copy);
        return;
    }
    tally_copy(worker->machine, worker->tally, DEPARTURES, site.index, packet, copy);
    enter_slot(worker, site, copy);
}

/* What a node's resting packets have done in this step so far. */
struct waking {
    bool may_set_out; /* some packets may be express ones that set out in this step */
    bool has_copied;  /* unit copies: the node has made the copy of this step */
    bool may_inject;  /* some packet may still have something to inject */
};

/* Lets a resting packet set out, enter the slot, or hand a copy to it. Returns whether it no longer rests. */
static bool wake_packet(struct channel_worker *worker, struct site site, uint32_t packet,
                        struct waking *waking)
{
    const struct channel_rule *rule = worker->rule;
    bool may_go_first = rule->inject == NULL && waking->may_set_out;
    if (may_go_first && express_set_out(worker, site, packet, &waking->has_copied)) {
        tally_wake(worker->tally);
        return true;
    }
    bool is_free = !(source_taken(block_of(worker->channels, site), INJECTED) & conveyor_bit(site));
    bool is_asked = is_free && !waking->has_copied;
    uint32_t taken = MACHINE_NONE;
    if (is_asked)
        taken = rule->inject == NULL ? packet : rule->inject(rule->routing.context, site, packet);
    if (taken == packet) {
        tally_wake(worker->tally);
        enter_slot(worker, site, packet);
        return true;
    }
    if (taken != MACHINE_NONE)
        inject_copy(worker, site, packet, taken);
    if (taken != MACHINE_NONE && !worker->copy_is_free) {
        waking->has_copied = true;
    } else if (rule->inject != NULL && waking->may_set_out &&
               express_set_out(worker, site, packet, &waking->has_copied)) {
        tally_wake(worker->tally);
        return true;
    }
    waking->may_inject |= !is_asked || taken != MACHINE_NONE;
    return false;
}

/* Returns whether the next resting packet of the node may do something: enter the free slot, or set out. */
static bool may_wake(const struct channel_worker *worker, struct site site,
                     const struct waking *waking)
{
    bool is_taken = source_taken(block_of(worker->channels, site), INJECTED) & conveyor_bit(site);
    if (waking->has_copied)
        return waking->may_set_out && worker->rule->inject != NULL;
    return waking->may_set_out || !is_taken;
}

/* Fetches what wake_node() reads of the resting `packet`. */
static void fetch_packet(const struct machine *machine, uint32_t packet)
{
    fetch_has_effect();
    __builtin_prefetch(&machine->next[packet], 1);
    header_fetch(machine, packet);
}

/* Injects the first packet of the input queue, where none rests and the slot is free. */
static void take_input(struct channel_worker *worker, struct site site)
{
    struct machine *machine = worker->machine;
    if (!machine_has_input(machine, site.index) ||
        machine->resting_first[site.index] != MACHINE_NONE)
        return;
    struct channel_block *block = block_of(worker->channels, site);
    if (source_taken(block, INJECTED) & conveyor_bit(site))
        return;
    machine_inject_input(machine, worker->tally, site.index);
    block->has_input = true;
    if (worker->rule->has_express)
        block->may_set_out |= conveyor_bit(site);
}

/* Lets the packets that rest at a node act, the oldest first. */
static struct waking wake_resting(struct channel_worker *worker, struct site site)
{
    struct machine *machine = worker->machine;
    uint64_t may_set_out = block_of(worker->channels, site)->may_set_out;
    struct waking waking = {.may_set_out = may_set_out & conveyor_bit(site)};
    uint32_t next, before = MACHINE_NONE, packet = machine->resting_first[site.index];
    for (; packet != MACHINE_NONE; packet = next) {
        if (!may_wake(worker, site, &waking)) {
            waking.may_inject = true;
            break;
        }
        next = (uint32_t)machine->next[packet];
        if (!wake_packet(worker, site, packet, &waking)) {
            before = packet;
            continue;
        }
        if (before == MACHINE_NONE)
            machine->resting_first[site.index] = next;
        else
            machine->next[before] = next;
        if (next == MACHINE_NONE)
            machine->resting_last[site.index] = before;
        else
            fetch_packet(machine, next);
    }
    return waking;
}

static struct waking wake_node(struct channel_worker *worker, struct site site)
{
    take_input(worker, site);
    struct waking waking = wake_resting(worker, site);
    waking.may_inject |= machine_has_input(worker->machine, site.index);
    return waking;
}

/* Fetches the first resting packet of each node. */
static void fetch_resting(const struct machine *machine, struct site first, uint64_t nodes)
{
    for (; nodes != 0; nodes &= nodes - 1) {
        uint32_t packet = machine->resting_first[first.index + (unsigned)__builtin_ctzll(nodes)];
        if (packet != MACHINE_NONE)
            fetch_packet(machine, packet);
    }
}

uint64_t injection_depart(struct channel_worker *worker, struct span span)
{
    struct channel_block *block = block_of(worker->channels, span.start);
    uint32_t before = span.start.col & (BLOCK - 1);
    struct site first = {span.start.index - before, span.start.row, span.start.col - before};
    bool are_woken = worker->waking && worker->rule->inject != NULL;
    if (are_woken)
        block->may_set_out = block->may_inject;
    uint64_t nodes = block->may_inject & span_bits(span), copied = 0;
    nodes &= block->may_set_out | ~source_taken(block, INJECTED);
    fetch_resting(worker->machine, first, nodes);
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        struct waking waking = wake_node(worker, site);
        if (!waking.may_inject)
            block->may_inject &= ~conveyor_bit(site);
        if (waking.has_copied)
            copied |= conveyor_bit(site);
    }
    block->may_set_out = worker->rule->has_express ? copied : 0;
    return copied;
}

VECTORISED static void note_resting(const uint32_t *restrict first, uint8_t *restrict rests,
                                    uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        rests[i] = first[i] != MACHINE_NONE;
}

void injection_note(void *of_worker, struct span span)
{
    struct channel_worker *worker = of_worker;
    const struct machine *machine = worker->machine;
    struct channel_block *block = block_of(worker->channels, span.start);
    uint8_t rests[BLOCK] = {0};
    note_resting(machine->resting_first + span.start.index, rests, span.count);
    block->may_inject = bits_of_flags(rests);
    block->may_set_out = worker->rule->has_express ? block->may_inject : 0;
    if (machine->input_first == NULL)
        return;
    note_resting(machine->input_first + span.start.index, rests, span.count);
    block->may_inject |= bits_of_flags(rests);
}
