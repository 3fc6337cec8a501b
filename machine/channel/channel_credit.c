/* channel_credit.c - which channels are full at the end of a step: the model's credits.
 *
 * A channel is full when no slot of its own is free and the node reserves none of its spare slots
 * for the channel's link. Free spare slots are reserved for links with a full channel, in rotation: one slot a
 * link, since a link brings one packet per step.
 * Cost: O(1) operations on words per block of nodes with one slot per channel and at most one spare; else
 * some vector instructions for each channel that holds several packets.
 */
#include "machine/channel/channel_step_private.h"

/* Finds, among channels with packets behind the first one, those that have no slot of their own free; adds to
 * `over` how many spare slots they use. */
VECTORISED static void look_at_counts(const uint8_t *restrict behind, uint8_t *restrict brim,
                                      uint8_t *restrict over, uint8_t slots, uint32_t nodes)
{
    for (uint32_t i = 0; i < nodes; i++) {
        brim[i] = behind[i] + 1 >= slots;
        over[i] += behind[i] >= slots ? (uint8_t)(behind[i] + 1 - slots) : 0;
    }
}

VECTORISED static void note_room(const uint8_t *restrict over, uint8_t *restrict room,
                                 uint8_t least, uint32_t nodes)
{
    for (uint32_t i = 0; i < nodes; i++)
        room[i] = over[i] < least;
}

/* Opens the channels of one link after another where a spare slot is free; room[k]: nodes with more than k
 * free ones. */
static void share_spare(uint64_t full[CHANNELS], uint64_t room[DIRECTIONS], uint64_t step)
{
    for (unsigned i = 0; i < DIRECTIONS; i++) {
        unsigned d = (unsigned)(step + i) % DIRECTIONS;
        uint64_t opens = (full[d] | full[4 + d]) & room[0];
        full[d] &= ~opens;
        full[4 + d] &= ~opens;
        for (int k = 0; k < DIRECTIONS; k++) {
            uint64_t next = k + 1 < DIRECTIONS ? room[k + 1] : 0;
            room[k] = (room[k] & ~opens) | (next & opens);
        }
    }
}

void channels_note_full(struct channel_worker *worker, struct span span)
{
    struct channels *channels = worker->channels;
    struct channel_block *block = block_of(channels, span.start);
    uint32_t place = place_of_block(span.start);
    uint8_t over[BLOCK] = {0}, flag[BLOCK] = {0};
    uint64_t room[DIRECTIONS] = {0}, any = 0, has_more = 0;
    /* one slot, and at most one spare: a packet behind another one is in the spare slot */
    uint32_t spare = worker->rule->spare;
    bool is_plain = channels->slots == 1 && spare <= 1;
    for (int channel = 0; channel < CHANNELS; channel++) {
        uint64_t taken = block->holds >> channel & 1 ? source_taken(block, (unsigned)channel) : 0;
        uint64_t more = taken != 0 ? block->source[channel].more : 0;
        taken |= bypass_of(&worker->bypass.coming[channel % 4], place, (unsigned)channel / 4);
        any |= taken;
        block->full[channel] = channels->slots == 1 ? taken : 0;
        has_more |= more;
        if (more == 0 || is_plain)
            continue;
        look_at_counts(block->behind[channel], flag, over, (uint8_t)channels->slots, span.count);
        block->full[channel] = taken & bits_of_flags(flag);
    }
    if (any == 0 || spare == 0)
        return;
    if (is_plain)
        room[0] = ~has_more & span_bits(span);
    for (unsigned k = 0; !is_plain && k < DIRECTIONS && k < spare; k++) {
        note_room(over, flag, (uint8_t)(spare - k), span.count);
        room[k] = bits_of_flags(flag) & span_bits(span);
    }
    share_spare(block->full, room, worker->steps);
}
