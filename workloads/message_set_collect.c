/* message_set_collect.c - the whole set at rank 0, from the parts of all ranks.
 *
 * Each rank sends words: of a message its number in the whole set, source, length and number of destinations, then these.
 * The numbers say where a message belongs, so two passes over the words make the set.
 *
 * Cost: O(deliveries); at rank 0 the words of all ranks, 16 bytes per message and 4 a delivery, and the set.
 */
#include "workloads/message_set.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER, SOURCE, LENGTH, COUNT, PLACES }; /* of a message, before its destinations */

static uint32_t *pack(const struct message_set *part, size_t *words)
{
    size_t at = 0;
    *words = PLACES * (size_t)part->messages + part->deliveries;
    uint32_t *word = memory_allocate(*words, sizeof *word);
    for (uint32_t i = 0; word != NULL && i < part->messages; i++) {
        uint32_t count = (uint32_t)(part->offset[i + 1] - part->offset[i]);
        word[at + NUMBER] = message_set_number(part, i);
        word[at + SOURCE] = part->source[i];
        word[at + LENGTH] = part->length != NULL ? part->length[i] : 0;
        word[at + COUNT] = count;
        memcpy(word + at + PLACES, part->destination + part->offset[i], count * sizeof *word);
        at += PLACES + count;
    }
    return word;
}

/* Fills a set that has been allocated. */
static void unpack(struct message_set *whole, const uint32_t *word, size_t words)
{
    for (size_t at = 0; at < words; at += PLACES + word[at + COUNT]) {
        uint32_t number = word[at + NUMBER];
        whole->source[number] = word[at + SOURCE];
        whole->offset[number] = word[at + COUNT];
        if (whole->length != NULL)
            whole->length[number] = word[at + LENGTH];
    }
    uint64_t offset = 0;
    for (uint32_t i = 0; i < whole->messages; i++) {
        uint64_t count = whole->offset[i];
        whole->offset[i] = offset;
        offset += count;
    }
    for (size_t at = 0; at < words; at += PLACES + word[at + COUNT])
        memcpy(whole->destination + whole->offset[word[at + NUMBER]], word + at + PLACES,
               word[at + COUNT] * sizeof *word);
}

/* Makes the set at rank 0. */
static enum failure_kind join(struct message_set *whole, const struct message_set *part,
                              bool has_lengths, const uint32_t *word, struct failure *failure)
{
    uint32_t messages = message_set_all_messages(part);
    uint64_t deliveries = message_set_all_deliveries(part);
    if (message_set_allocate(whole, part->shape, messages, deliveries, failure) != FAIL_NONE)
        return failure->kind;
    whole->lacks_end = part->lacks_end;
    whole->home = part->home;
    if (has_lengths)
        whole->length = memory_allocate(messages, sizeof *whole->length);
    if (has_lengths && whole->length == NULL) {
        message_set_free(whole);
        return fail_memory(failure, "the whole message set");
    }
    unpack(whole, word, PLACES * (size_t)messages + deliveries);
    return FAIL_NONE;
}

enum failure_kind message_set_collect(struct message_set *whole, const struct message_set *part,
                                      struct ranks *ranks, struct failure *failure)
{
    bool has_lengths = part->length != NULL;
    *whole = (struct message_set){0};
    size_t words, *count = memory_allocate(ranks_size(ranks), sizeof *count);
    uint32_t *word = pack(part, &words);
    void *all = NULL;
    enum failure_kind kind = FAIL_NONE;
    if (count == NULL || word == NULL)
        kind = fail_memory(failure, "the whole message set");
    if (kind == FAIL_NONE)
        kind = ranks_any(ranks, &has_lengths, failure);
    if (kind == FAIL_NONE)
        kind = ranks_collect(ranks, word, words * sizeof *word, &all, count, failure);
    free(word);
    free(count);
    if (kind == FAIL_NONE && ranks_rank(ranks) == 0)
        kind = join(whole, part, has_lengths, all, failure);
    free(all);
    return kind;
}
