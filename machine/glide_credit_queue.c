/* glide_credit_queue.c - packets that stand while others glide, held by credits.
 *
 * The first packet of a link's queue is kept with those of its block, as few queues hold more than
 * one; the others are a list through machine->next. Order: the most urgent first, of equally urgent
 * ones that which came first. How many stand is counted for each channel, and compared with its
 * slots at once.
 * Cost: O(1) to take; to put, the packets that stand before.
 */
#include "machine/glide_private.h"

#include <assert.h>

static uint64_t urgency(uint64_t word)
{
    return word >> URGENCY_SHIFT;
}

static uint64_t with_bit(uint64_t bits, unsigned i, bool is_set)
{
    return (bits & ~(UINT64_C(1) << i)) | (uint64_t)is_set << i;
}

/* One packet more of this channel stands at the node, or one less. */
static void count_standing(const struct forward *forward, struct site site, unsigned channel,
                           int change)
{
    unsigned i = site.col & (BLOCK - 1);
    uint8_t *count = &credit_block(forward->glide, site)->count[channel][i];
    assert(change < 0 ? *count > 0 : *count < UINT8_MAX);
    *count = (uint8_t)(*count + change);
    uint64_t *closed = credit_bits_at(forward->glide, site, CREDIT_CLOSED, channel);
    uint64_t *tight = credit_bits_at(forward->glide, site, CREDIT_TIGHT, channel);
    *closed = with_bit(*closed, i, *count >= forward->slots);
    *tight = with_bit(*tight, i, *count + 1u >= forward->slots);
}

/* Puts `word` behind `first` and all others that are at least as urgent. */
static void put_behind(uint64_t *next, uint64_t first, uint64_t word)
{
    uint64_t *before = &next[(uint32_t)first];
    while (*before != NO_WORD && urgency(*before) >= urgency(word))
        before = &next[(uint32_t)*before];
    next[(uint32_t)word] = *before;
    *before = word;
}

void credit_put(struct machine *machine, struct site site, enum direction d, uint64_t word)
{
    const struct glide *glide = machine->forward->glide;
    uint64_t *next = machine->next, bit = slot_bit(site);
    uint64_t *first = &credit_block(glide, site)->first[d][site.col & (BLOCK - 1)];
    uint64_t *standing = credit_bits_at(glide, site, CREDIT_STANDING, d);
    uint64_t *several = credit_bits_at(glide, site, CREDIT_SEVERAL, d);
    count_standing(machine->forward, site, word_channel(word), 1);
    if (!(*standing & bit)) {
        *standing |= bit;
        *first = word;
        return;
    }
    if (!(*several & bit))
        next[(uint32_t)*first] = NO_WORD;
    *several |= bit;
    if (urgency(word) > urgency(*first)) {
        next[(uint32_t)word] = *first;
        *first = word;
    } else {
        put_behind(next, *first, word);
    }
}

uint64_t credit_take_first(struct machine *machine, struct site site, enum direction d)
{
    const struct glide *glide = machine->forward->glide;
    uint64_t *several = credit_bits_at(glide, site, CREDIT_SEVERAL, d), bit = slot_bit(site);
    uint64_t *first = &credit_block(glide, site)->first[d][site.col & (BLOCK - 1)], word = *first;
    if (*several & bit) {
        *first = machine->next[(uint32_t)word];
        *several ^= machine->next[(uint32_t)*first] == NO_WORD ? bit : 0;
    } else {
        *credit_bits_at(glide, site, CREDIT_STANDING, d) ^= bit;
    }
    count_standing(machine->forward, site, word_channel(word), -1);
    return word;
}
