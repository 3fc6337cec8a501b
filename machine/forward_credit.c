/* forward_credit.c - queues held within bounded input channels by credits.
 *
 * With rule->slots = K a node has an input channel for each direction of travel. A packet is in the
 * channel of the link over which it came (one that starts here: of the link that it takes first)
 * until it leaves, ends or rests. A channel is closed when it holds K packets; one of a row also
 * when it holds any while a queue of the node's column holds two, so that packets which turn do not
 * gather. A packet crosses a link only if the channel at its far end was open at the end of the last
 * step: one bit a channel, the model's credit. Any packet of a channel may leave, not only the
 * first: the queues of links are those of forward.c, the farthest stop first.
 *
 * Invariant: held[d] <= K. A link brings one packet a step, and only into a channel that held less
 * than K; a packet that starts here counts in the channel of its first link. So a node holds 4 K
 * packets, beside those that rest there, if it starts with K at most on each link.
 * No deadlock where all packets go along rows first, then along columns: of the packets in channels
 * of one column and direction the foremost faces an open channel, since what stands in a channel
 * beyond it would have to go on; so columns empty, their queues become short, and with them the
 * foremost packet of each row moves.
 * A marked word has its channel in the two lowest bits of its urgency.
 * Cost: two bytes a node and direction; no more than forward.c's a hop, and a look at a byte a link.
 */
#include "machine/forward_private.h"

#include <assert.h>

enum { CHANNEL_BITS = 2, CHANNEL_MASK = (1 << CHANNEL_BITS) - 1 };

static unsigned word_channel(uint64_t word)
{
    return (unsigned)(word >> URGENCY_SHIFT) & CHANNEL_MASK;
}

uint64_t credit_enter(struct lane *lane, struct site site, enum direction d, uint64_t word)
{
    unsigned channel = lane->arriving < DIRECTIONS ? lane->arriving : (unsigned)d;
    uint64_t stop = word_stop(word), far = d == SOUTH || d == EAST ? stop : STOP_MASK - stop;
    uint8_t *held = &lane->forward->held[channel][site.index];
    assert(*held < UINT8_MAX);
    ++*held;
    return (far << CHANNEL_BITS | channel) << URGENCY_SHIFT |
           (word & (((uint64_t)1 << URGENCY_SHIFT) - 1));
}

/* ---- departures ---- */

/* The arrays of a span of nodes, and what is found there. */
struct departures {
    uint64_t *head, *out;
    const uint8_t *closed;
    uint8_t *held, *turned; /* turned[i]: a word leaves that came from another direction */
    uint32_t taken, kept;
};

VECTORISED static void take_open(struct departures *all, uint32_t count, uint64_t straight)
{
    uint64_t *restrict head = all->head, *restrict out = all->out;
    const uint8_t *restrict closed = all->closed;
    uint8_t *restrict held = all->held, *restrict turned = all->turned;
    uint32_t taken = 0, kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t word = head[i];
        bool is_word = word != NO_WORD, leaves = is_word & (closed[i] == 0);
        bool goes_on = (word >> URGENCY_SHIFT & CHANNEL_MASK) == straight;
        out[i] = leaves ? word : NO_WORD;
        head[i] = leaves ? NO_WORD : word;
        held[i] = (uint8_t)(held[i] - (leaves & goes_on));
        turned[i] = leaves & !goes_on;
        taken += leaves;
        kept += is_word & !leaves;
    }
    all->taken = taken;
    all->kept = kept;
}

uint32_t credit_take(struct lane *lane, struct span span, enum direction d)
{
    struct forward *forward = lane->forward;
    const ptrdiff_t cols = lane->machine->config.mesh.cols, beyond[] = {-cols, cols, -1, 1};
    node_index start = span.start.index;
    uint8_t turned[BLOCK];
    struct departures all = {.head = forward->head[d] + start,
                             .out = forward->out[d] + start,
                             .closed = forward->closed[d] + start + beyond[d],
                             .held = forward->held[d] + start,
                             .turned = turned};
    take_open(&all, span.count, d);
    if (all.kept > 0)
        forward->busy[block_index(forward, span.start.row, span.start.col)] = 1;
    for (uint32_t i = 0; i < span.count; i++) {
        lane->machine->occupancy[start + i] -= all.out[i] != NO_WORD;
        if (turned[i])
            forward->held[word_channel(all.out[i])][start + i]--;
    }
    return all.taken;
}

/* ---- arrivals ---- */

VECTORISED static void mark_passed(const uint64_t *restrict in, const uint8_t *restrict odd,
                                   uint64_t *restrict head, uint8_t *restrict held,
                                   const uint64_t place[static 2])
{
    const uint64_t mask = (uint64_t)CHANNEL_MASK << URGENCY_SHIFT;
    for (uint64_t i = 0; i < place[1]; i++) {
        bool passed = (in[i] != NO_WORD) & !odd[i];
        head[i] = passed ? (head[i] & ~mask) | place[0] << URGENCY_SHIFT : head[i];
        held[i] = (uint8_t)(held[i] + passed);
    }
}

void credit_pass(struct lane *lane, struct span span, enum direction d, const uint64_t *in,
                 const uint8_t *odd)
{
    struct forward *forward = lane->forward;
    const uint64_t place[2] = {d, span.count};
    mark_passed(in, odd, forward->head[d] + span.start.index, forward->held[d] + span.start.index,
                place);
}

VECTORISED static void close_full(const uint8_t *restrict held, uint8_t *restrict closed,
                                  const uint8_t *restrict crowded, uint32_t count, uint8_t slots)
{
    for (uint32_t i = 0; i < count; i++)
        closed[i] = (held[i] >= slots) | ((held[i] > 0) & crowded[i]);
}

void credit_close(struct lane *lane, struct span span)
{
    struct forward *forward = lane->forward;
    node_index start = span.start.index;
    uint8_t slots = (uint8_t)forward->slots, crowded[BLOCK] = {0};
    for (int d = 0; d < DIRECTIONS; d++) {
        for (uint32_t i = 0; d == WEST && i < span.count; i++)
            crowded[i] = forward->more[NORTH][start + i] | forward->more[SOUTH][start + i];
        close_full(forward->held[d] + start, forward->closed[d] + start, crowded, span.count,
                   slots);
    }
}
