/* channel_arbiter.c - grants the links of a node to packets of channels.
 *
 * A link is granted to a source that requests it and whose channel at the neighbour was not full at
 * the end of the last step. The classes take turns in priority; within a class straight traffic
 * goes before turning traffic, then the source with the lowest number. A request is one bit in a
 * word per link and source, so the links of all nodes of a block are granted at once, in operations
 * on words. A packet that waits for the link straight ahead is in the link's slot, not in its
 * channel, and the slot's bit is its request; once it is granted, nothing remains to be done
 * (channel_node.c).
 * Cost: a few hundred instructions per block of 64 nodes that holds packets, then O(1) per stop and
 * per waiting packet.
 */
#include "machine/channel/channel_private.h"

#include <string.h>

/* Steps for which a class has priority. With one step packets of both classes would stop each other
 * at every node where they meet: `replicate` would need up to 8 percent more steps (uniform, 64 x
 * 64 nodes, d = c = 8). */
enum { PRIORITY_STEPS = 32 };

/* ---- departures ---- */

/* Returns the nodes whose link `d` express packets have left free. */
static uint64_t left_free(const struct channel_worker *worker, struct span span, enum direction d)
{
    uint64_t nodes = span_bits(span);
    return worker->has_express
               ? nodes & ~worker->express.leaving[d].held[place_of_block(span.start)]
               : nodes;
}

/* The requests for the links of a block's nodes. */
struct arbitration {
    unsigned holds;      /* bits: sources that hold packets */
    unsigned priority;   /* the class that goes first in this step */
    uint64_t copied_now; /* nodes whose injected packet does not act */
    /* the link is free, and the class's channel beyond it has room */
    uint64_t open[2][DIRECTIONS];
    uint64_t bypass[2][DIRECTIONS];  /* a packet of the class in the link's slot requests it .. */
    uint64_t staying[2][DIRECTIONS]; /* .. and does not get it, as arbitrate() finds */
};

/* Finds the nodes whose channels of a class beyond a block's links are not full. At the ends of a
 * row, where there is no link, a bit is another row's, and has no meaning. */
static void find_room(const struct channels *channels, const struct channel_block *block,
                      unsigned class, uint64_t room[DIRECTIONS])
{
    const struct channel_block *north = block - channels->blocks, *south = block + channels->blocks;
    unsigned first = 4 * class, west = first + WEST, east = first + EAST;
    room[NORTH] = ~north->full[first + NORTH];
    room[SOUTH] = ~south->full[first + SOUTH];
    room[WEST] = ~(block->full[west] << 1 | block[-1].full[west] >> (BLOCK - 1));
    room[EAST] = ~(block->full[east] >> 1 | block[1].full[east] << (BLOCK - 1));
}

static void begin_arbitration(const struct channel_worker *worker, struct span span,
                              const struct channel_block *block, struct arbitration *arbitration)
{
    uint32_t place = place_of_block(span.start);
    arbitration->priority = worker->steps / PRIORITY_STEPS & 1;
    for (unsigned class = 0; class < 2; class ++)
        find_room(worker->channels, block, class, arbitration->open[class]);
    for (enum direction d = WEST; worker->rule->channels == CHANNELS_SHARED && d <= EAST; d++)
        arbitration->open[0][d] = arbitration->open[1][d];
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint64_t is_free = left_free(worker, span, d);
        for (unsigned class = 0; class < 2; class ++) {
            arbitration->open[class][d] &= is_free;
            arbitration->bypass[class][d] = bypass_of(&worker->bypass.leaving[d], place, class);
        }
    }
}

/* Keeps those requests of a source whose packets are of class 1 (`one`) or class 0 and whose class
 * may have the link. */
UNROLLED void choose(uint64_t out[static DIRECTIONS], const uint64_t requests[static DIRECTIONS],
                     uint64_t one, uint64_t of_class[2][DIRECTIONS])
{
    for (int d = 0; d < DIRECTIONS; d++)
        out[d] = requests[d] & ((one & of_class[1][d]) | (~one & of_class[0][d]));
}

/* Grants links straight ahead: to the packets of a class in slots, then to the first packets of its
 * channels. */
UNROLLED void go_straight(const struct channel_block *block, unsigned class,
                          struct arbitration *arbitration, uint64_t may[2][DIRECTIONS],
                          uint64_t requested[SOURCES][DIRECTIONS], uint64_t taken[DIRECTIONS])
{
    for (unsigned d = 0; d < DIRECTIONS; d++) {
        unsigned s = 4 * class + d;
        uint64_t moving = arbitration->bypass[class][d];
        uint64_t goes = moving & arbitration->open[class][d] & may[class][d] & ~taken[d];
        arbitration->staying[class][d] = moving & ~goes;
        taken[d] |= goes;
        if (!(arbitration->holds >> s & 1))
            continue;
        uint64_t one = block->source[s].class_1;
        requested[s][d] &= ((one & may[1][d]) | (~one & may[0][d])) & ~taken[d];
        taken[d] |= requested[s][d];
    }
}

/* Grants the links, the four of a node side by side: to the class with priority if any packet of it
 * may leave; within a class straight on first, then by number. */
VECTORISED static void arbitrate(const struct channel_block *block, struct arbitration *arbitration,
                                 struct departures *found)
{
    unsigned priority = arbitration->priority;
    uint64_t requested[SOURCES][DIRECTIONS], may[2][DIRECTIONS], taken[DIRECTIONS];
    for (int d = 0; d < DIRECTIONS; d++)
        taken[d] = arbitration->bypass[priority][d] & arbitration->open[priority][d];
    for (unsigned left = arbitration->holds; left != 0; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        uint64_t one = block->source[s].class_1, first = priority == 1 ? one : ~one;
        uint64_t nodes = s == INJECTED ? ~arbitration->copied_now : ~UINT64_C(0);
        choose(requested[s], block->source[s].requests, one, arbitration->open);
        for (int d = 0; d < DIRECTIONS; d++) {
            requested[s][d] &= nodes;
            taken[d] |= requested[s][d] & first;
        }
    }
    for (int d = 0; d < DIRECTIONS; d++) {
        may[priority][d] = ~UINT64_C(0);
        may[!priority][d] = ~taken[d];
        taken[d] = 0;
    }
    go_straight(block, 0, arbitration, may, requested, taken);
    go_straight(block, 1, arbitration, may, requested, taken);
    for (unsigned left = arbitration->holds; left != 0; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        uint64_t *grant = found->grant[s], bypass = s < CHANNELS ? requested[s][s % 4] : 0;
        choose(grant, requested[s], block->source[s].class_1, may);
        for (int d = 0; d < DIRECTIONS; d++) {
            grant[d] &= ~taken[d];
            taken[d] |= grant[d];
        }
        if (s < CHANNELS)
            grant[s % 4] = bypass;
        found->acting[s] = grant[NORTH] | grant[SOUTH] | grant[WEST] | grant[EAST];
    }
}

/* Clears the findings of a source. */
static void begin_source(struct departures *found, unsigned source)
{
    memset(found->grant[source], 0, sizeof found->grant[source]);
    found->copying[source] = found->acting[source] = 0;
    found->sources |= 1u << source;
}

/* True if stuck packets may switch their class in this step. */
static bool may_switch(const struct channel_worker *worker)
{
    const struct channel_rule *rule = worker->rule;
    return rule->switch_class != NULL &&
           (rule->switch_every == 0 || worker->steps % rule->switch_every == 0);
}

/* Finds the sources that get no link and whose packets may switch their class (channel.c). */
static void find_stuck(const struct channel_block *block, const struct arbitration *arbitration,
                       bool is_shared, uint64_t nodes, struct departures *found)
{
    static const uint64_t even = UINT64_C(0x5555555555555555);
    static const struct {
        unsigned source;
        uint64_t cols;
    } may[] = {{INJECTED, ~0}, {NORTH, even}, {SOUTH, even}, {4 + WEST, ~even}, {4 + EAST, ~even}};
    for (int i = 0; i < (is_shared ? 1 : 5); i++) {
        unsigned s = may[i].source;
        bool holds = arbitration->holds >> s & 1;
        uint64_t stuck = holds ? source_taken(block, s) & ~found->acting[s] : 0;
        stuck &= s == INJECTED ? ~arbitration->copied_now : ~UINT64_C(0);
        stuck |= s == INJECTED ? 0 : arbitration->staying[s / 4][s % 4];
        stuck &= nodes & may[i].cols;
        if (stuck == 0)
            continue;
        if (!holds)
            begin_source(found, s);
        found->stuck[s] = stuck;
        found->acting[s] |= stuck;
    }
}

/* Returns the sources of a block that hold packets, as bits; removes those that hold none from
 * `holds`. */
static unsigned sources_that_hold(struct channel_block *block)
{
    for (unsigned left = block->holds; left != 0; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        if (source_taken(block, s) == 0)
            block->holds &= (uint16_t) ~(1u << s);
    }
    return block->holds;
}

bool arbiter_find(struct channel_worker *worker, struct span span, uint64_t copied_now,
                  struct departures *found)
{
    struct channel_block *block = block_of(worker->channels, span.start);
    uint32_t before = span.start.col & (BLOCK - 1);
    uint64_t nodes = span_bits(span), moving = 0;
    struct arbitration arbitration = {.holds = sources_that_hold(block), .copied_now = copied_now};
    found->are_any = true;
    found->first =
        (struct site){span.start.index - before, span.start.row, span.start.col - before};
    found->sources = arbitration.holds;
    begin_arbitration(worker, span, block, &arbitration);
    arbitrate(block, &arbitration, found);
    for (unsigned left = arbitration.holds; left != 0; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        found->stuck[s] = 0;
    }
    if (may_switch(worker))
        find_stuck(block, &arbitration, worker->rule->channels == CHANNELS_SHARED, nodes, found);
    for (unsigned left = arbitration.holds; left != 0; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        found->copying[s] = block->source[s].copying & nodes & ~copied_now;
        found->acting[s] |= found->copying[s];
    }
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        found->staying[d] = arbitration.staying[0][d] | arbitration.staying[1][d];
        moving |= arbitration.bypass[0][d] | arbitration.bypass[1][d];
    }
    return arbitration.holds != 0 || moving != 0;
}

/* Makes the nodes' copies, with unit copies; a packet that is copied in this step is not stuck. */
static void copy_at_nodes(struct channel_worker *worker, struct site first,
                          struct departures *found)
{
    uint64_t nodes = 0;
    for (unsigned left = found->sources; left != 0; left &= left - 1)
        nodes |= found->copying[__builtin_ctz(left)];
    for (; nodes != 0; nodes &= nodes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(nodes), copying = 0;
        for (unsigned left = found->sources; left != 0; left &= left - 1) {
            unsigned s = (unsigned)__builtin_ctz(left);
            copying |= (unsigned)(found->copying[s] >> i & 1) << s;
        }
        unsigned copied = channel_copy_for_one(worker, block_site(first, i), copying);
        if (copied != SOURCES)
            found->stuck[copied] &= ~(UINT64_C(1) << i);
    }
}

static void send_over(struct channel_worker *worker, enum direction d,
                      const struct departures *found)
{
    for (unsigned left = found->sources; left != 0; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        uint64_t nodes = found->grant[s][d];
        for (; nodes != 0; nodes &= nodes - 1)
            channel_send(worker, block_site(found->first, (unsigned)__builtin_ctzll(nodes)), s, d);
    }
}

void arbiter_send(struct channel_worker *worker, struct departures *found)
{
    block_of(worker->channels, found->first)->has_sent = true;
    for (enum direction d = 0; d < DIRECTIONS; d++)
        send_over(worker, d, found);
    if (!worker->copy_is_free)
        copy_at_nodes(worker, found->first, found);
    for (unsigned left = found->sources; left != 0; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctz(left);
        for (uint64_t nodes = found->stuck[s]; nodes != 0; nodes &= nodes - 1)
            channel_switch(worker, block_site(found->first, (unsigned)__builtin_ctzll(nodes)), s);
    }
}

/* ---- the memory of departures, fetched one and two blocks before they are done ---- */

void arbiter_fetch_words(const struct channel_worker *worker, const struct departures *found)
{
    const struct channel_block *block = block_of(worker->channels, found->first);
    FETCH_HAS_EFFECT();
    for (unsigned sources = found->sources; sources != 0; sources &= sources - 1) {
        unsigned s = (unsigned)__builtin_ctz(sources);
        uint64_t left = found->acting[s];
        if (left != 0 && s < CHANNELS && (left & block->source[s].more) != 0) {
            __builtin_prefetch(block->behind[s], 1);
            __builtin_prefetch(block->start[s], 1);
        }
        for (; left != 0; left &= left - 1)
            __builtin_prefetch(&block->front[s][__builtin_ctzll(left)], 1);
    }
    for (enum direction d = 0; d < DIRECTIONS; d++)
        bypass_fetch(worker, found->first, d, found->staying[d]);
}

void arbiter_fetch(struct channel_worker *worker, struct departures *found)
{
    const struct channel_block *block = block_of(worker->channels, found->first);
    for (enum direction d = 0; d < DIRECTIONS; d++)
        if (found->staying[d] != 0)
            bypass_stay(worker, found->first, d, found->staying[d]);
    for (unsigned sources = found->sources; sources != 0; sources &= sources - 1) {
        unsigned s = (unsigned)__builtin_ctz(sources);
        for (uint64_t left = found->copying[s] | found->stuck[s]; left != 0; left &= left - 1)
            header_fetch(worker->machine, (uint32_t)block->front[s][__builtin_ctzll(left)]);
        uint64_t behind = s < CHANNELS ? found->acting[s] : 0;
        behind &= behind != 0 ? block->source[s].more : 0;
        if (behind != 0)
            channel_fetch_behind(worker, found->first, s, behind);
    }
}

/* ---- credits ---- The channels that are full at the end of a step: the model's credits.
 *
 * Cost: O(1) operations on words per block of nodes with one slot per channel; else some vector
 * instructions for each channel that holds several packets.
 */

/* Finds the channels without a free slot, among those with packets after the first one. */
VECTORISED static void look_at_counts(const uint8_t *restrict behind, uint8_t *restrict brim,
                                      uint8_t slots, uint32_t nodes)
{
    for (uint32_t i = 0; i < nodes; i++)
        brim[i] = behind[i] + 1 >= slots;
}

void channels_note_full(struct channel_worker *worker, struct span span)
{
    const struct channels *channels = worker->channels;
    struct channel_block *block = block_of(channels, span.start);
    uint32_t place = place_of_block(span.start);
    uint8_t brim[BLOCK] = {0};
    for (unsigned channel = 0; channel < CHANNELS; channel++) {
        bool holds = block->holds >> channel & 1;
        if (channels->slots == 1) {
            uint64_t taken = holds ? source_taken(block, channel) : 0;
            block->full[channel] =
                taken | bypass_of(&worker->bypass.coming[channel % 4], place, channel / 4);
            continue;
        }
        block->full[channel] = 0;
        if (!holds || (block->source[channel].more & source_taken(block, channel)) == 0)
            continue;
        look_at_counts(block->behind[channel], brim, (uint8_t)channels->slots, span.count);
        block->full[channel] = source_taken(block, channel) & bits_of_flags(brim);
    }
}
