/* channel_source.c - packets in the slots of bounded channels, and their copies.
 *
 * A channel is its first packet, kept with those of its block, and a ring of those behind it. When a packet
 * arrives at a stop its word notes which outputs it wants; a part that leaves takes its
 * destinations along (the rule's `take`), and the word is made anew.
 * Invariant: the outputs that first packets want are also bits of `requests` and
 * `copying`, where channel_arbiter.c finds them for many nodes at once. With unit copies a packet that
 * wants several outputs requests copies, then its last link.
 * Cost: O(1) a packet.
 */
#include "machine/channel/channel_conveyor_private.h"
#include "machine/channel/channel_step_private.h"
#include "machine/tally_private.h"

#include <assert.h>

/* ---- a source's first packet ---- */

void source_set(struct channel_worker *worker, struct site site, unsigned source, uint64_t word)
{
    struct channels *channels = worker->channels;
    struct channel_block *block = block_of(channels, site);
    unsigned want = word_want(word);
    struct channel_source *holds = &block->source[source];
    uint64_t bit = conveyor_bit(site), others = holds->class_1 & ~bit;
    *front_of(channels, site, source) = word;
    block->holds |= (uint16_t)(1u << source);
    holds->class_1 = word_class(word) == 1 ? others | bit : others;
    if (!worker->copy_is_free && !is_single_output(want)) {
        holds->copying |= bit;
        return;
    }
    for (unsigned links = want & OUT_LINKS; links != 0; links &= links - 1)
        holds->requests[__builtin_ctz(links)] |= bit;
}

/* Withdraws the source's requests. */
static void source_clear(struct channels *channels, struct site site, unsigned source)
{
    struct channel_source *holds = &block_of(channels, site)->source[source];
    holds->copying &= ~conveyor_bit(site);
    for (int d = 0; d < DIRECTIONS; d++)
        holds->requests[d] &= ~conveyor_bit(site);
}

/* Returns the class of the channels in which a packet waits. With CHANNELS_SHARED the channels along rows are of
 * class 1, so a packet of class 0 becomes one of class 1 as soon as it wants links along rows alone. */
static unsigned class_in_channels(const struct channel_worker *worker, uint32_t packet,
                                  unsigned want)
{
    const struct channel_rule *rule = worker->rule;
    unsigned class = rule->class_of(rule->routing.context, packet), links = want & OUT_LINKS;
    assert(class == CHANNEL_EXPRESS || class < (rule->channels == CHANNELS_OF_ONE ? 1 : 2));
    bool along_row = links != 0 && !(links & (OUT_NORTH | OUT_SOUTH));
    return class == 0 && along_row && rule->channels == CHANNELS_SHARED ? 1 : class;
}

/* Returns the word of `packet`, which wants the outputs `want` at `site`; with its stop, if it wants one link
 * alone. */
static uint64_t channel_word(struct channel_worker *worker, struct site site, uint32_t packet,
                             unsigned want)
{
    const struct routing_rule *rule = &worker->rule->routing;
    uint64_t word = (uint64_t)class_in_channels(worker, packet, want) << CLASS_SHIFT |
                    (uint64_t)want << WANT_SHIFT | packet;
    if (!is_single_output(want) || !(want & OUT_LINKS))
        return word;
    enum direction d = (enum direction)__builtin_ctz(want);
    uint32_t stop = rule->stop(rule->context, site, packet, d);
    assert(is_ahead(worker->machine, site, d, stop));
    return word | (uint64_t)stop << STOP_SHIFT;
}

/* ---- copies ---- */

/* Delivers one destination of `packet` here while it stays. */
static void deliver(struct channel_worker *worker, enum event_group group, struct site site,
                    uint32_t packet)
{
    const struct routing_rule *rule = &worker->rule->routing;
    uint32_t slot = rule->take(rule->context, site, packet, OUT_EJECT);
    tally_deliver(worker->machine, worker->tally, group, site, packet, slot);
}

/* Copies the part of `packet` that leaves over `d`; returns the copy. */
static uint32_t copy(struct channel_worker *worker, struct site site, uint32_t packet,
                     enum direction d)
{
    const struct routing_rule *rule = &worker->rule->routing;
    uint32_t taken = rule->take(rule->context, site, packet, (enum output)(1u << d));
    assert(taken != packet);
    tally_copy(worker->machine, worker->tally, DEPARTURES, site.index, packet, taken);
    return taken;
}

uint64_t channel_settle(struct channel_worker *worker, enum event_group group, struct site site,
                        uint32_t packet)
{
    const struct routing_rule *rule = &worker->rule->routing;
    unsigned outputs = rule->outputs(rule->context, site, packet);
    assert(outputs == OUT_DISCARD ||
           (outputs != 0 && (outputs & ~(unsigned)(OUT_LINKS | OUT_EJECT)) == 0));
    if (outputs == OUT_EJECT || outputs == OUT_DISCARD) {
        if (outputs == OUT_EJECT)
            tally_deliver(worker->machine, worker->tally, group, site, packet, packet);
        else
            tally_discard(worker->machine, worker->tally, group, site.index, packet);
        worker->tally->travelling--;
        worker->machine->occupancy[site.index]--;
        return 0;
    }
    if ((outputs & OUT_EJECT) && worker->copy_is_free) {
        deliver(worker, group, site, packet);
        outputs &= ~(unsigned)OUT_EJECT;
    }
    return channel_word(worker, site, packet, outputs);
}

/* Returns the register of a part of `packet`, in a channel, that turns into rows, or into columns. */
static unsigned register_of(const struct channel_worker *worker, uint32_t packet, enum direction d)
{
    const struct channel_rule *rule = worker->rule;
    bool is_class_1 = rule->class_of(rule->routing.context, packet) == 1;
    if (direction_is_vertical(d))
        return is_class_1 || rule->channels == CHANNELS_OF_ONE ? REGISTER_COLS_1 : REGISTER_COLS_0;
    return is_class_1 ? REGISTER_ROWS_1 : REGISTER_ROWS_0;
}

/* True if the register holds a packet for two links, a part of which waits for the other register of turning parts. */
static bool holds_two(const struct channel_worker *worker, struct site site, unsigned source)
{
    const struct channel_block *block = block_of(worker->channels, site);
    bool is_copied = block->source[source].copying & conveyor_bit(site);
    unsigned links = word_want(*front_of(worker->channels, site, source)) & OUT_LINKS;
    return is_copied && links != 0 && !is_single_output(links);
}

/* Returns the register of turning parts that is not `into`. */
static unsigned other_register(unsigned into)
{
    return into == REGISTER_COLS_1 ? REGISTER_ROWS_0 : REGISTER_COLS_1;
}

/* Splits the first packet of a channel into the part straight on, which stays there, and the others, which go into a
 * register as one packet. False if there are fewer than two others, or the registers have no room for them. */
static bool split_straight(struct channel_worker *worker, struct site site, unsigned source)
{
    struct channel_block *block = block_of(worker->channels, site);
    uint64_t word = *front_of(worker->channels, site, source);
    unsigned straight = 1u << (source & 3), others = word_want(word) & ~straight;
    uint32_t packet = (uint32_t)word;
    if (source >= CHANNELS || !(word_want(word) & straight) || is_single_output(others))
        return false;
    unsigned into = register_of(worker, packet, (enum direction)__builtin_ctz(others));
    if ((source_taken(block, into) & conveyor_bit(site)) ||
        holds_two(worker, site, other_register(into)))
        return false;
    uint32_t taken = copy(worker, site, packet, (enum direction)(source & 3));
    block->source[source].copying &= ~conveyor_bit(site);
    source_set(worker, site, into, channel_word(worker, site, packet, others));
    source_set(worker, site, source, channel_word(worker, site, taken, straight));
    return true;
}

unsigned channel_copy_for_one(struct channel_worker *worker, struct site site, unsigned copying)
{
    struct channels *channels = worker->channels;
    struct channel_block *block = block_of(channels, site);
    for (; copying != 0; copying &= copying - 1) {
        unsigned source = (unsigned)__builtin_ctz(copying), part;
        uint64_t word = *front_of(channels, site, source);
        unsigned want = word_want(word);
        uint32_t packet = (uint32_t)word;
        if (worker->rule->straight_first && split_straight(worker, site, source))
            return source;
        if (want & OUT_EJECT) {
            part = OUT_EJECT;
            deliver(worker, DEPARTURES, site, packet);
        } else {
            /* copies of a channel's packet turn; the packet itself goes straight on */
            unsigned turning = source < CHANNELS ? want & ~(1u << (source & 3)) : want;
            enum direction d = (enum direction)__builtin_ctz(turning);
            unsigned into = source == INJECTED  ? REGISTER_INJECTED
                            : source < CHANNELS ? register_of(worker, packet, d)
                                                : other_register(source);
            if (source_taken(block, into) & conveyor_bit(site))
                continue;
            part = 1u << d;
            uint32_t taken = copy(worker, site, packet, d);
            source_set(worker, site, into, channel_word(worker, site, taken, part));
        }
        block->source[source].copying &= ~conveyor_bit(site);
        source_set(worker, site, source, channel_word(worker, site, packet, want & ~part));
        return source;
    }
    return SOURCES;
}

/* ---- a switch of class ---- */

void channel_switch(struct channel_worker *worker, struct site site, unsigned source)
{
    const struct routing_rule *rule = &worker->rule->routing;
    uint64_t word = *front_of(worker->channels, site, source);
    uint32_t packet = (uint32_t)word;
    if (source != INJECTED && !is_single_output(word_want(word)))
        return;
    worker->rule->switch_class(rule->context, site, packet);
    unsigned outputs = rule->outputs(rule->context, site, packet);
    if (source != INJECTED && !is_single_output(outputs)) {
        worker->rule->switch_class(rule->context, site, packet);
        return;
    }
    source_clear(worker->channels, site, source);
    source_set(worker, site, source, channel_word(worker, site, packet, outputs));
}

/* ---- in and out ---- */

/* Returns the ring of the words behind the first one of a channel. */
static uint64_t *ring_of(const struct channels *channels, node_index node, unsigned channel)
{
    size_t behind = channels->slots + channels->spare - 1;
    return channels->behind + ((size_t)node * CHANNELS + channel) * behind;
}

void channel_fetch_behind(const struct channel_worker *worker, struct site first, unsigned channel,
                          uint64_t nodes)
{
    const struct channels *channels = worker->channels;
    const struct channel_block *block = block_of(channels, first);
    fetch_has_effect();
    for (; nodes != 0; nodes &= nodes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(nodes);
        __builtin_prefetch(ring_of(channels, first.index + i, channel) + block->start[channel][i]);
    }
}

void channel_push(struct channel_worker *worker, struct site site, unsigned channel, uint64_t word)
{
    struct channels *channels = worker->channels;
    uint32_t behind = channels->slots + channels->spare - 1;
    struct channel_block *block = block_of(channels, site);
    if (!(source_taken(block, channel) & conveyor_bit(site))) {
        source_set(worker, site, channel, word);
        return;
    }
    uint32_t i = site.col & (BLOCK - 1), count = block->behind[channel][i]++;
    assert(count < behind);
    block->source[channel].more |= conveyor_bit(site);
    uint32_t at = block->start[channel][i] + count;
    ring_of(channels, site.index, channel)[at < behind ? at : at - behind] = word;
}

/* Makes the next packet of a channel the first one, which is gone. */
static void refill(struct channel_worker *worker, struct site site, unsigned channel)
{
    struct channels *channels = worker->channels;
    uint32_t behind = channels->slots + channels->spare - 1;
    struct channel_block *block = block_of(channels, site);
    uint32_t i = site.col & (BLOCK - 1), start = block->start[channel][i];
    source_set(worker, site, channel, ring_of(channels, site.index, channel)[start]);
    block->start[channel][i] = start + 1 < behind ? (uint8_t)(start + 1) : 0;
    if (--block->behind[channel][i] == 0)
        block->source[channel].more &= ~conveyor_bit(site);
}

void channel_send(struct channel_worker *worker, struct site site, unsigned source,
                  enum direction d)
{
    struct channels *channels = worker->channels;
    uint64_t *front = front_of(channels, site, source), word = *front;
    unsigned left = word_want(word) & ~(1u << d);
    struct channel_block *block = block_of(channels, site);
    block->source[source].requests[d] &= ~conveyor_bit(site);
    if (left != 0) {
        uint32_t packet = (uint32_t)word, taken = copy(worker, site, packet, d);
        word = channel_word(worker, site, taken, 1u << d);
        *front = channel_word(worker, site, packet, left);
    } else if (source < CHANNELS && (block->source[source].more & conveyor_bit(site))) {
        refill(worker, site, source);
    }
    worker->machine->occupancy[site.index]--;
    bypass_enter(worker, site, d, word);
}
