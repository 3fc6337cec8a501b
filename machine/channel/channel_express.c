/* channel_express.c - express packets of machine_channel.
 *
 * Express packets are those of which the algorithm knows that they never crowd: they wait for no
 * credit, they take a link before any packet of a channel does, and they fill no slot of a channel.
 * Their number at a node is bounded by the algorithm, not by the machine; the capacity B holds for all.
 * The first of each queue, the farthest stop first, crosses its link in the next step: it stands in a
 * slot that moves with it (conveyor.c). The others of its queue, which the algorithm keeps few, are a
 * list. Packets that are woken enter slots, or lists, in the departures of the first step.
 * Cost: 72 bytes a node, of which the operating system need not find the last 32 where no packets
 * meet, and 2.5 of words for blocks. A hop is a sixty-fourth of some operations on words.
 */
#include "machine/channel/channel_slots_private.h"

#include <assert.h>

static uint64_t urgency(uint64_t word)
{
    return word >> URGENCY_SHIFT;
}

/* ---- lists behind slots ---- */

/* Where the list of a link begins: valid where `queued` says so. */
static uint64_t *list_of(const struct channel_worker *worker, struct site site, enum direction d)
{
    return &worker->channels->express.behind[d][site.index];
}

static void put_first(struct channel_worker *worker, struct site site, enum direction d,
                      uint64_t word)
{
    struct channel_block *block = block_of(worker->channels, site);
    uint64_t *first = list_of(worker, site, d);
    worker->machine->next[(uint32_t)word] =
        block->queued[d] & conveyor_bit(site) ? *first : NO_WORD;
    block->queued[d] |= conveyor_bit(site);
    *first = word;
}

/* Behind all that are at least as urgent. */
static void put(struct channel_worker *worker, struct site site, enum direction d, uint64_t word)
{
    uint64_t *next = worker->machine->next, *before = list_of(worker, site, d);
    bool is_empty = !(block_of(worker->channels, site)->queued[d] & conveyor_bit(site));
    if (is_empty || urgency(*before) < urgency(word)) {
        put_first(worker, site, d, word);
        return;
    }
    do
        before = &next[(uint32_t)*before];
    while (*before != NO_WORD && urgency(*before) >= urgency(word));
    next[(uint32_t)word] = *before;
    *before = word;
}

static uint64_t take_first(struct channel_worker *worker, struct site site, enum direction d)
{
    uint64_t *first = list_of(worker, site, d), word = *first;
    *first = worker->machine->next[(uint32_t)word];
    if (*first == NO_WORD)
        block_of(worker->channels, site)->queued[d] &= ~conveyor_bit(site);
    return word;
}

/* ---- departures ---- */

/* An express packet is to leave over link `d` as soon as no one is more urgent. */
static void enter(struct channel_worker *worker, struct site site, enum direction d, uint64_t word)
{
    const struct conveyor_view *view = &worker->express.leaving_view;
    const struct conveyor_line *line = worker->express.leaving;
    uint64_t behind = word;
    if (!conveyor_is_taken(line, site, d)) {
        worker->machine->occupancy[site.index]--;
        conveyor_set(view, line, site, d, word);
        return;
    }
    if (urgency(word) > urgency(conveyor_word(view, line, site, d))) {
        behind = conveyor_word(view, line, site, d);
        conveyor_set(view, line, site, d, word);
        put_first(worker, site, d, behind); /* it came before those that are as urgent */
    } else {
        put(worker, site, d, behind);
    }
}

bool express_set_out(struct channel_worker *worker, struct site site, uint32_t packet)
{
    const struct routing_rule *rule = &worker->rule->routing;
    unsigned part = rule->outputs(rule->context, site, packet);
    assert(is_single_output(part) && (part & (OUT_LINKS | OUT_HOLD)));
    if (part == OUT_HOLD)
        return false;
    enum direction d = (enum direction)__builtin_ctz(part);
    uint64_t stop = rule->stop(rule->context, site, packet, d);
    assert(is_ahead(worker->machine, site, d, (uint32_t)stop));
    uint64_t word = stop_farness(d, stop) << URGENCY_SHIFT | stop << STOP_SHIFT | packet;
    enter(worker, site, d, word);
    return true;
}

/* ---- arrivals ---- */

/* It is at its stop. */
static void come_to_rest(struct channel_worker *worker, struct site site, uint32_t packet)
{
    machine_rest(worker->machine, site.index, packet);
    worker->tally->travelling--;
    worker->tally->resting++;
    block_of(worker->channels, site)->may_inject |= conveyor_bit(site);
}

static void stop_at(struct channel_worker *worker, struct site first, enum direction d,
                    uint64_t nodes)
{
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        uint64_t word =
            conveyor_clear(&worker->express.coming_view, worker->express.coming, site, d);
        worker->machine->occupancy[site.index]++;
        come_to_rest(worker, site, (uint32_t)word);
    }
}

/* The most urgent one of a list and of what goes straight on takes the slot: that of the list, if
 * both are as urgent. */
static void fill_slots(struct channel_worker *worker, struct site first, enum direction d,
                       uint64_t nodes)
{
    const struct conveyor_view *view = &worker->express.coming_view;
    const struct conveyor_line *line = worker->express.coming;
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        bool is_taken = conveyor_is_taken(line, site, d);
        uint64_t passing = conveyor_word(view, line, site, d);
        if (is_taken && urgency(passing) > urgency(*list_of(worker, site, d)))
            continue;
        conveyor_set(view, line, site, d, take_first(worker, site, d));
        if (is_taken)
            put(worker, site, d, passing);
        else
            worker->machine->occupancy[site.index]--;
    }
}

bool express_arrive(struct channel_worker *worker, struct span span)
{
    const struct channel_block *block = block_of(worker->channels, span.start);
    struct conveyor_line *line = worker->express.coming;
    uint32_t place = place_of_block(span.start);
    uint64_t exceptional = 0;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t stops = line[d].stops[place], queued = block->queued[d];
        exceptional |= stops | queued;
        if (stops != 0)
            stop_at(worker, span.start, d, stops);
        line[d].stops[place] = 0;
        if (queued != 0)
            fill_slots(worker, span.start, d, queued);
    }
    return exceptional != 0;
}
