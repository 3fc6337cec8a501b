/* forward_credit.c - queues held within bounded input channels by credits.
 *
 * With rule->slots = K a node has an input channel for each direction of travel. A packet is in the
 * channel of the link over which it came (one that starts here: of the link that it takes first)
 * until it leaves, ends or rests. A channel that holds K packets is full. A packet crosses a link
 * only if the channel at its far end was not full at the end of the last step: one bit a channel,
 * the model's credit. Any packet of a channel may leave, not only the first: the queues of links
 * are those of forward.c, the farthest stop first.
 *
 * Invariant: held[d] <= K. A link brings one packet a step, and only into a channel that held less
 * than K; a packet that starts here counts in the channel of its first link. So a node holds 4 K
 * packets, beside those that rest there, if it starts with K at most on each link.
 * No deadlock where all packets go along rows first, then along columns: of the packets in channels
 * of one column and direction the foremost faces a channel that is not full, since what stands in a
 * channel beyond it would have to go on; so columns empty, and when they have, the foremost packet
 * of each row moves.
 * A marked word has its channel in the two lowest bits of its urgency.
 * This is the plain way, taken where somebody watches, where nodes discard, and in short calls. Else
 * packets glide (glide_credit.c).
 * Cost: two bytes a node and direction; no more than forward.c's a hop, and a look at a byte a
 * link.
 */
#include "machine/forward_private.h"

#include <assert.h>

uint64_t credit_enter(struct lane *lane, struct site site, enum direction d, uint64_t word)
{
    uint64_t marked = credit_mark(lane, d, word);
    uint8_t *held = &lane->forward->held[word_channel(marked)][site.index];
    assert(*held < UINT8_MAX);
    ++*held;
    return marked;
}

/* ---- departures ---- */

/* Takes the first words out where the channel behind the link is not full; returns how many stay. */
VECTORISED static uint32_t take_open(uint64_t *restrict head, uint64_t *restrict out,
                                     const uint8_t *restrict full, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t word = head[i];
        bool stays = full[i] != 0;
        out[i] = stays ? NO_WORD : word;
        head[i] = stays ? word : NO_WORD;
        kept += stays & (word != NO_WORD);
    }
    return kept;
}

/* Counts what leaves; `turned` marks words that came from another direction than `straight`. */
VECTORISED static uint32_t count_leaving(const uint64_t *restrict out, uint32_t *restrict occupancy,
                                         uint8_t *restrict turned, uint32_t count,
                                         uint64_t straight)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t leaves = out[i] != NO_WORD;
        uint32_t elsewhere = (out[i] >> URGENCY_SHIFT & CHANNEL_MASK) != straight;
        occupancy[i] -= leaves;
        taken += leaves;
        turned[i] = (uint8_t)(leaves << 1 | (leaves & elsewhere));
    }
    return taken;
}

enum { LEAVES = 2, TURNED = 1 };

VECTORISED static bool leave_straight(uint8_t *restrict held, const uint8_t *restrict turned,
                                      uint32_t count)
{
    uint8_t any = 0;
    for (uint32_t i = 0; i < count; i++) {
        held[i] = (uint8_t)(held[i] - (turned[i] == LEAVES));
        any |= turned[i] & TURNED;
    }
    return any != 0;
}

/* A word that came from another direction leaves that channel, and enters the next node's by `d`. */
static void leave_turned(struct forward *forward, node_index node, enum direction d)
{
    uint64_t *word = &forward->queues.out[d][node];
    forward->held[word_channel(*word)][node]--;
    *word = credit_remark(*word, d);
}

uint32_t credit_take(struct lane *lane, struct span span, enum direction d)
{
    struct forward *forward = lane->forward;
    const uint8_t *full = forward->full[d] + link_offset(lane->machine, d);
    node_index start = span.start.index;
    uint64_t *out = forward->queues.out[d] + start;
    uint8_t turned[BLOCK];
    if (take_open(forward->queues.head[d] + start, out, full + start, span.count) > 0)
        forward->busy[block_index(forward, span.start.row, span.start.col)] = 1;
    uint32_t taken = count_leaving(out, lane->machine->occupancy + start, turned, span.count, d);
    bool any_turned = leave_straight(forward->held[d] + start, turned, span.count);
    for (uint32_t i = 0; any_turned && i < span.count; i++)
        if (turned[i] & TURNED)
            leave_turned(forward, start + i, d);
    return taken;
}

/* ---- arrivals ---- */

VECTORISED static void count_passed(const uint64_t *restrict in, const uint8_t *restrict odd,
                                    uint8_t *restrict held, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        held[i] = (uint8_t)(held[i] + ((in[i] != NO_WORD ? 1 : 0) & (odd[i] ^ 1)));
}

void credit_pass(struct lane *lane, struct span span, enum direction d, const uint64_t *in,
                 const uint8_t *odd)
{
    count_passed(in, odd, lane->forward->held[d] + span.start.index, span.count);
}

VECTORISED static void find_full(const uint8_t *restrict held, uint8_t *restrict full,
                                 uint32_t count, uint8_t slots)
{
    for (uint32_t i = 0; i < count; i++)
        full[i] = held[i] >= slots;
}

void credit_note_full(struct lane *lane, struct span span)
{
    struct forward *forward = lane->forward;
    node_index start = span.start.index;
    for (int d = 0; d < DIRECTIONS; d++)
        find_full(forward->held[d] + start, forward->full[d] + start, span.count,
                  (uint8_t)forward->slots);
}
