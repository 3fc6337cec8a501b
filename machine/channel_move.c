/* channel_move.c - packets of channels that go straight on, many at once.
 *
 * Most hops of a packet lead straight through a node whose channel is empty: its word goes from one
 * plane into another as it is. These are moved a block of nodes at a time, by selections on planes
 * without a branch; only what stops, or finds others in its channel, is handled one by one
 * (channel_slot.c).
 * Cost: some 200 instructions for a channel and a block with 512-bit vectors.
 */
#include "machine/channel_private.h"

/* The nodes of the block that begins at `first`. */
static uint32_t nodes_of_block(const struct machine *machine, struct site first)
{
    uint32_t left = machine->config.mesh.cols - first.col;
    return left < BLOCK ? left : BLOCK;
}

/* ---- departures ---- */

/* Words of `front`, or of `other` where `others` says so. */
VECTORISED static void leave_words(const uint64_t *restrict front, const uint64_t *restrict other,
                                   uint64_t *restrict out, uint64_t others, uint32_t nodes)
{
    for (uint64_t i = 0; i < nodes; i++) {
        uint64_t chosen = -(others >> i & 1);
        out[i] = (other[i] & chosen) | (front[i] & ~chosen);
    }
}

VECTORISED static void leave_nodes(uint32_t *restrict occupancy, uint64_t leaving, uint32_t nodes)
{
    for (uint64_t i = 0; i < nodes; i++)
        occupancy[i] -= leaving >> i & 1;
}

void straight_leave(struct channel_lane *lane, struct site first, enum direction d,
                    const uint64_t leaving[2])
{
    struct channels *channels = lane->channels;
    struct channel_block *block = block_of(channels, first);
    uint32_t nodes = nodes_of_block(lane->machine, first);
    uint64_t *out = sent_by(lane, first, d);
    if (leaving[1] == 0)
        memcpy(out, block->front[d], nodes * sizeof *out);
    else if (leaving[0] == 0)
        memcpy(out, block->front[4 + d], nodes * sizeof *out);
    else
        leave_words(block->front[d], block->front[4 + d], out, leaving[1], nodes);
    leave_nodes(lane->machine->occupancy + first.index, leaving[0] | leaving[1], nodes);
    for (unsigned class = 0; class < 2; class ++) {
        unsigned channel = 4 * class + d;
        block->asks[d][channel] &= ~leaving[class];
        for (uint64_t left = block->more[channel] & leaving[class]; left != 0; left &= left - 1)
            channel_refill(lane, block_site(first, (unsigned)__builtin_ctzll(left)), channel);
    }
}

/* ---- arrivals ---- */

/* What stops here, and what is of class 1; `place` is the coordinate, and 1 if it counts with i. */
VECTORISED static void look_at_words(const uint64_t *restrict in, uint8_t *restrict stops,
                                     uint8_t *restrict class_1, const uint32_t place[2],
                                     uint32_t nodes)
{
    uint64_t coordinate = place[0], moving = place[1];
    for (uint64_t i = 0; i < nodes; i++) {
        stops[i] = word_stop(in[i]) == coordinate + moving * i;
        class_1[i] = in[i] >> CLASS_SHIFT & 1;
    }
}

VECTORISED static void enter_words(const uint64_t *restrict in, uint64_t *restrict front,
                                   uint64_t passing, uint32_t nodes)
{
    for (uint64_t i = 0; i < nodes; i++) {
        uint64_t chosen = -(passing >> i & 1);
        front[i] = (in[i] & chosen) | (front[i] & ~chosen);
    }
}

VECTORISED static void count_in(uint32_t *restrict occupancy, uint64_t passing, uint32_t nodes)
{
    for (uint64_t i = 0; i < nodes; i++)
        occupancy[i] += passing >> i & 1;
}

uint64_t straight_arrive(struct channel_lane *lane, struct site first, enum direction d,
                         uint64_t coming)
{
    struct channels *channels = lane->channels;
    struct channel_block *block = block_of(channels, first);
    const uint64_t *in = sent_to(lane, first, d);
    bool vertical = direction_is_vertical(d);
    const uint32_t place[2] = {vertical ? first.row : first.col, !vertical};
    uint32_t nodes = nodes_of_block(lane->machine, first);
    uint8_t stops[BLOCK] = {0}, class_1[BLOCK] = {0};
    look_at_words(in, stops, class_1, place, nodes);
    uint64_t going = coming & ~bits_of_flags(stops), ones = bits_of_flags(class_1), all = 0;
    for (unsigned class = 0; class < 2; class ++) {
        unsigned channel = 4 * class + d;
        uint64_t passing = going & (class == 1 ? ones : ~ones) & ~source_taken(block, channel);
        if (passing == 0)
            continue;
        enter_words(in, block->front[channel], passing, nodes);
        block->asks[d][channel] |= passing;
        block->class_1[channel] &= ~passing;
        block->class_1[channel] |= passing & ones;
        all |= passing;
    }
    if (all != 0)
        count_in(lane->machine->occupancy + first.index, all, nodes);
    return coming & ~all;
}
