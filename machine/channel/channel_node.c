/* channel_node.c - packets of machine_channel at a node: in the slots of bounded channels, copied,
 * injected, going straight on, and express.
 *
 * A channel is its first packet, kept with the first packets of its block, and a ring of the
 * packets after it. When a packet arrives at a stop its word gets the outputs that it wants. A part
 * that leaves carries its destinations (the rule's `take`), and the word is made anew.
 * Invariant: the outputs that first packets want are also bits of `requests` and `copying`, where
 * channel_arbiter.c finds them for many nodes at once. With unit copies a packet that wants several
 * outputs requests copies, then its last link.
 * Cost: O(1) per packet.
 */
#include "machine/channel/channel_private.h"

#include <assert.h>

/* ---- a source's first packet ---- */

static void source_set(struct channel_worker *worker, struct site site, unsigned source,
                       uint64_t word)
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

/* Returns the class of the channels in which a packet waits. With CHANNELS_SHARED the channels
 * along rows are of class 1, so a packet of class 0 becomes one of class 1 as soon as it wants only
 * links along rows. */
static unsigned class_in_channels(const struct channel_worker *worker, uint32_t packet,
                                  unsigned want)
{
    const struct channel_rule *rule = worker->rule;
    unsigned class = rule->class_of(rule->routing.context, packet), links = want & OUT_LINKS;
    assert(class == CHANNEL_EXPRESS || class < 2);
    bool along_row = links != 0 && !(links & (OUT_NORTH | OUT_SOUTH));
    return class == 0 && along_row && rule->channels == CHANNELS_SHARED ? 1 : class;
}

/* Returns the word of `packet`, which wants the outputs `want` at `site`; with its stop, if it
 * wants only one link. */
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

static uint64_t channel_settle(struct channel_worker *worker, enum event_group group,
                               struct site site, uint32_t packet)
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

/* Returns the register of a part of a channel's packet that turns into rows, or into columns. */
static unsigned register_of(enum direction d)
{
    return direction_is_vertical(d) ? REGISTER_COLS : REGISTER_ROWS;
}

/* True if the register holds a packet for two links, a part of which waits for the other register
 * of turning parts. */
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
    return into == REGISTER_COLS ? REGISTER_ROWS : REGISTER_COLS;
}

/* Splits the first packet of a channel into the part straight on, which stays there, and the
 * remaining parts, which go into a register as one packet. False if fewer than two parts remain, or
 * the registers have no room for them. */
static bool split_straight(struct channel_worker *worker, struct site site, unsigned source)
{
    struct channel_block *block = block_of(worker->channels, site);
    uint64_t word = *front_of(worker->channels, site, source);
    unsigned straight = 1u << (source & 3), others = word_want(word) & ~straight;
    uint32_t packet = (uint32_t)word;
    if (source >= CHANNELS || !(word_want(word) & straight) || is_single_output(others))
        return false;
    unsigned into = register_of((enum direction)__builtin_ctz(others));
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
                            : source < CHANNELS ? register_of(d)
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

static void bypass_enter(struct channel_worker *worker, struct site site, enum direction d,
                         uint64_t word)
{
    struct conveyor_line *line = worker->bypass.leaving;
    uint64_t *mark = &line[d].mark[place_of_block(site)];
    conveyor_set(&worker->bypass.leaving_view, line, site, d, word);
    *mark = word_class(word) == 1 ? *mark | conveyor_bit(site) : *mark & ~conveyor_bit(site);
}

/* ---- in and out ---- */

/* Returns the ring of the words after the first one of a channel. */
static uint64_t *ring_of(const struct channels *channels, node_index node, unsigned channel)
{
    size_t behind = channels->slots - 1;
    return channels->behind + ((size_t)node * CHANNELS + channel) * behind;
}

void channel_fetch_behind(const struct channel_worker *worker, struct site first, unsigned channel,
                          uint64_t nodes)
{
    const struct channels *channels = worker->channels;
    const struct channel_block *block = block_of(channels, first);
    FETCH_HAS_EFFECT();
    for (; nodes != 0; nodes &= nodes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(nodes);
        __builtin_prefetch(ring_of(channels, first.index + i, channel) + block->start[channel][i]);
    }
}

static void channel_push(struct channel_worker *worker, struct site site, unsigned channel,
                         uint64_t word)
{
    struct channels *channels = worker->channels;
    uint32_t behind = channels->slots - 1;
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

/* Makes the next packet of a channel the first one, after that one has left. */
static void refill(struct channel_worker *worker, struct site site, unsigned channel)
{
    struct channels *channels = worker->channels;
    uint32_t behind = channels->slots - 1;
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

/* ---- packets that go straight on ---- Packets of channels that go straight on.
 *
 * Of a hundred hops of a tree some ninety-five lead straight through a node whose channel is empty
 * (`stream`, uniform sets, 512 x 512). So the first packet of a channel that waits for the link
 * straight ahead is in a slot that moves with it (conveyor.c), and takes part in the arbitration
 * for that link (channel_arbiter.c) as a bit. If it gets the link it is at the next node without
 * being touched. If it does not, because the channel beyond the link was full or another packet had
 * priority, it goes back from its slot into its channel. Every packet that takes a link enters the
 * link's slot, so after the departures of a step the packets in slots are those that cross links.
 *
 * A link brings one packet, so one slot is enough for both classes; a mark that moves with it tells
 * the class. channel.c says what departures and arrivals read and write.
 * Cost: a hop is a sixty-fourth of some operations on words; O(1) where a packet stops, stays or
 * meets others.
 */

void bypass_fetch(const struct channel_worker *worker, struct site first, enum direction d,
                  uint64_t nodes)
{
    const struct worker_conveyor *conveyor = &worker->bypass;
    FETCH_HAS_EFFECT();
    for (; nodes != 0; nodes &= nodes - 1) {
        uint32_t col = first.col + (unsigned)__builtin_ctzll(nodes);
        __builtin_prefetch(
            &conveyor->leaving[d].word[conveyor_place(&conveyor->leaving_view, d, col)]);
    }
}

void bypass_stay(struct channel_worker *worker, struct site first, enum direction d, uint64_t nodes)
{
    const struct worker_conveyor *conveyor = &worker->bypass;
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        uint64_t word = conveyor_clear(&conveyor->leaving_view, conveyor->leaving, site, d);
        worker->machine->occupancy[site.index]++;
        source_set(worker, site, 4 * word_class(word) + d, word);
    }
}

static uint64_t leave_slot(struct channel_worker *worker, struct site site, enum direction d)
{
    worker->machine->occupancy[site.index]++;
    return conveyor_clear(&worker->bypass.coming_view, worker->bypass.coming, site, d);
}

static void stop_at(struct channel_worker *worker, struct site first, enum direction d,
                    uint64_t nodes)
{
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        uint64_t word = leave_slot(worker, site, d);
        unsigned channel = 4 * word_class(word) + d;
        word = channel_settle(worker, ARRIVALS, site, (uint32_t)word);
        if (word != 0)
            channel_push(worker, site, channel, word);
    }
}

static void go_behind(struct channel_worker *worker, struct site first, enum direction d,
                      unsigned channel, uint64_t nodes)
{
    for (; nodes != 0; nodes &= nodes - 1) {
        struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
        channel_push(worker, site, channel, leave_slot(worker, site, d));
    }
}

/* Fetches, for all packets that stop at a block, the memory that the rule reads. */
static void fetch_for_rule(const struct channel_worker *worker, struct site first)
{
    const struct routing_rule *rule = &worker->rule->routing;
    const struct worker_conveyor *conveyor = &worker->bypass;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t nodes = conveyor->coming[d].stops[place_of_block(first)];
        for (; nodes != 0; nodes &= nodes - 1) {
            struct site site = block_site(first, (unsigned)__builtin_ctzll(nodes));
            rule->fetch(rule->context,
                        (uint32_t)conveyor_word(&conveyor->coming_view, conveyor->coming, site, d));
        }
    }
}

void bypass_arrive(struct channel_worker *worker, struct span span)
{
    if (worker->rule->routing.fetch != NULL)
        fetch_for_rule(worker, span.start);
    struct channel_block *block = block_of(worker->channels, span.start);
    uint32_t place = place_of_block(span.start);
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        struct conveyor_line *line = &worker->bypass.coming[d];
        uint64_t stops = line->stops[place];
        if (line->held[place] == 0)
            continue;
        block->is_busy = true;
        line->stops[place] = 0;
        stop_at(worker, span.start, d, stops);
        for (unsigned class = 0; class < 2; class ++) {
            unsigned channel = 4 * class + d;
            if (block->holds >> channel & 1)
                go_behind(worker, span.start, d, channel,
                          bypass_of(line, place, class) & source_taken(block, channel));
        }
    }
}

void bypass_fetch_coming(const struct channel_worker *worker, struct site first)
{
    const struct worker_conveyor *conveyor = &worker->bypass;
    const struct channel_block *block = block_of(worker->channels, first);
    FETCH_HAS_EFFECT();
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t nodes = conveyor->coming[d].stops[place_of_block(first)];
        for (; nodes != 0; nodes &= nodes - 1) {
            unsigned i = (unsigned)__builtin_ctzll(nodes);
            uint64_t word =
                conveyor_word(&conveyor->coming_view, conveyor->coming, block_site(first, i), d);
            header_fetch(worker->machine, (uint32_t)word);
            expected_fetch(worker->machine->config.expected, first.index + i);
            __builtin_prefetch(&block->front[4 * word_class(word) + d][i], 1);
        }
    }
}

/* ---- express packets ---- Express packets of machine_channel.
 *
 * Express packets are those that never crowd, as the algorithm knows: they wait for no credit, they
 * have priority over packets of channels on every link, and they fill no slot of a channel. The
 * algorithm, not the machine, bounds their number at a node; the capacity B also counts them. The
 * first of each queue, that with the farthest stop, crosses its link in the next step: it is in a
 * slot that moves with it (conveyor.c). The rest, which are few, are in a queue (link_queue.c)
 * whose ring has one place. Packets that set out enter slots, or queues, in the departures of a
 * step; with unit copies a copy enters the queue, from which it comes into the slot in the
 * arrivals.
 * Cost: 96 bytes per node, the last 48 of which use memory only where packets meet, and 6 for the
 * bits of blocks. A hop is a sixty-fourth of some operations on words.
 */

/* Puts an express packet into the slot of link `d`, or into its queue if another one is more
 * urgent. */
static void express_enter(struct channel_worker *worker, struct site site, enum direction d,
                          uint64_t word)
{
    struct machine *machine = worker->machine;
    const struct conveyor_view *view = &worker->express.leaving_view;
    const struct conveyor_line *line = worker->express.leaving;
    const struct link_queues *queues = &worker->channels->express.queues;
    if (conveyor_is_taken(line, site, d)) { /* the packet precedes the queue's */
        link_queue_put_first(machine, queues, site, d, conveyor_clear(view, line, site, d));
        link_queue_put(machine, queues, site, d, word);
        word = link_queue_take(machine, queues, site, d);
    } else {
        machine->occupancy[site.index]--;
    }
    conveyor_set(view, line, site, d, word);
}

/* Returns a number that grows with the distance of the stop in the direction of travel. */
static uint64_t stop_farness(enum direction d, uint64_t stop)
{
    return d == SOUTH || d == EAST ? stop : STOP_MASK - stop;
}

/* Returns the word of a packet that leaves over link `d`. */
static uint64_t express_word(const struct channel_worker *worker, struct site site, uint32_t packet,
                             enum direction d)
{
    const struct routing_rule *rule = &worker->rule->routing;
    uint64_t stop = rule->stop(rule->context, site, packet, d);
    assert(is_ahead(worker->machine, site, d, (uint32_t)stop));
    return stop_farness(d, stop) << URGENCY_SHIFT | stop << STOP_SHIFT | packet;
}

static bool express_set_out(struct channel_worker *worker, struct site site, uint32_t packet,
                            bool *has_copied)
{
    const struct channel_rule *rule = worker->rule;
    const struct routing_rule *routing = &rule->routing;
    for (;;) {
        unsigned outputs = routing->outputs(routing->context, site, packet);
        if (!(outputs & OUT_LINKS) || rule->class_of(routing->context, packet) != CHANNEL_EXPRESS)
            return false;
        enum direction d = (enum direction)__builtin_ctz(outputs & OUT_LINKS);
        if (is_single_output(outputs)) {
            express_enter(worker, site, d, express_word(worker, site, packet, d));
            return true;
        }
        uint32_t taken = routing->take(routing->context, site, packet, (enum output)(1u << d));
        tally_copy(worker->machine, worker->tally, DEPARTURES, site.index, packet, taken);
        uint64_t word = express_word(worker, site, taken, d);
        if (!worker->copy_is_free) { /* the copy may not leave before the next step */
            link_queue_put(worker->machine, &worker->channels->express.queues, site, d, word);
            *has_copied = true;
            return false;
        }
        express_enter(worker, site, d, word);
    }
}

/* Brings a packet at its stop to rest. */
static void come_to_rest(struct channel_worker *worker, struct site site, uint32_t packet)
{
    tally_rest(worker->machine, worker->tally, site.index, packet);
    struct channel_block *block = block_of(worker->channels, site);
    block->may_inject |= conveyor_bit(site);
    if (worker->rule->has_express)
        block->may_set_out |= conveyor_bit(site);
}

static void express_stop_at(struct channel_worker *worker, struct site first, enum direction d,
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

bool express_arrive(struct channel_worker *worker, struct span span)
{
    const struct link_queues *queues = &worker->channels->express.queues;
    const struct conveyor_view *view = &worker->express.coming_view;
    struct conveyor_line *line = worker->express.coming;
    uint32_t place = place_of_block(span.start);
    uint64_t exceptional = 0;
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t stops = line[d].stops[place], queued = link_queued(queues, span.start)[d];
        exceptional |= stops | queued;
        if (stops != 0)
            express_stop_at(worker, span.start, d, stops);
        line[d].stops[place] = 0;
        if (queued == 0)
            continue;
        link_queues_empty_slots(worker->machine, queues, view, line, span.start, d,
                                queued & line[d].held[place]);
        link_queues_fill(worker->machine, queues, view, line, span.start, d, queued);
    }
    return exceptional != 0;
}

/* ---- packets at rest ---- Resting packets enter channels.
 *
 * A resting packet may hand a copy to the node's slot for injection, or enter it itself. With free
 * copies the copy may leave in the same step. With unit copies the packet's action in this step is
 * to be copied, and neither it nor the copy does anything else before the next one (rules 2 and 3
 * of the model). A packet that has nothing to inject is not asked again while it rests: a bit for
 * each node, in a word of its block, tells whether some packet there has not said so yet.
 * Cost: O(1) per step for a node whose packets wait for the slot, or have just come to rest; a look
 * at a word for a block without such nodes.
 */

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

/* The acts of a node's resting packets in this step so far. */
struct waking {
    bool may_set_out; /* some packets may be express ones that set out in this step */
    bool has_copied;  /* unit copies: the node has made the copy of this step */
    bool may_inject;  /* some packet may still have something to inject */
};

/* Lets a resting packet set out, enter the slot, or hand a copy to it. True if it no longer
 * rests. */
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

/* True if the next resting packet of the node may act: enter the free slot, or set out. */
static bool may_wake(const struct channel_worker *worker, struct site site,
                     const struct waking *waking)
{
    bool is_taken = source_taken(block_of(worker->channels, site), INJECTED) & conveyor_bit(site);
    if (waking->has_copied)
        return waking->may_set_out && worker->rule->inject != NULL;
    return waking->may_set_out || !is_taken;
}

/* Fetches the memory that wake_node() reads of the resting `packet`. */
static void fetch_packet(const struct machine *machine, uint32_t packet)
{
    FETCH_HAS_EFFECT();
    __builtin_prefetch(&machine->next[packet], 1);
    header_fetch(machine, packet);
}

/* Injects the first packet of the input queue, if no packet rests and the slot is free. */
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
