/* message_set_offsets.c - the slots before each message of the whole set, when ranks have its parts.
 *
 * Where the numbers of every part are without gaps, as in a set of version 1, whose messages are ordered by source, the
 * slots before a part are those of the parts with smaller numbers. Otherwise the numbers of the whole set are dealt to
 * the ranks in blocks: each message's slots go to the rank of its block, which adds them up and answers.
 *
 * Cost: O(messages); where numbers have gaps 16 bytes per message are sent, and 8 back.
 */
#include "workloads/message_set.h"

#include <stdlib.h>
#include <string.h>

/* Puts value[i] = value[0] + .. + value[i - 1] into before[i], and returns the sum of all. */
static uint64_t sum_before(const uint64_t *value, uint64_t *before, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t here = value[i];
        before[i] = sum;
        sum += here;
    }
    return sum;
}

static enum failure_kind offsets_in_order(const struct message_set *set, struct ranks *ranks,
                                          const uint64_t *slots, uint64_t *before, uint64_t *total,
                                          struct failure *failure)
{
    uint64_t of_others;
    uint64_t here = sum_before(slots, before, set->messages);
    enum failure_kind kind =
        ranks_sum_before(ranks, set->first_number, here, &of_others, total, failure);
    for (uint32_t i = 0; i < set->messages; i++)
        before[i] += of_others;
    return kind;
}

/* Of one message; in a block, its place there and the slots before it. */
struct numbered {
    uint64_t number, slots;
};

/* The numbers of the whole set in blocks, one a rank. */
struct dealing {
    struct ranks *ranks;
    uint32_t messages; /* of the whole set */
    size_t *bytes;     /* [ranks] */
    void *asked;       /* those of this rank's block, in the order of ranks */
    uint64_t *slots;   /* [numbers of the block] */
};

/* Sends what is known of each message to the rank of its block. */
static enum failure_kind deal(struct dealing *dealing, const struct message_set *set,
                              const uint64_t *slots, struct failure *failure)
{
    struct numbered *known = memory_allocate(set->messages, sizeof *known);
    if (known == NULL)
        return fail_memory(failure, "the slots of messages");
    for (uint32_t i = 0; i < set->messages; i++) { /* numbers ascend, and so do the blocks' ranks */
        known[i] = (struct numbered){message_set_number(set, i), slots[i]};
        uint32_t owner = ranks_owner(dealing->ranks, dealing->messages, (uint32_t)known[i].number);
        dealing->bytes[owner] += sizeof *known;
    }
    enum failure_kind kind =
        ranks_swap(dealing->ranks, known, dealing->bytes, &dealing->asked, failure);
    free(known);
    return kind;
}

/* Adds up the block, and puts the answers, 8 bytes each, into where the questions were. */
static enum failure_kind answer(struct dealing *dealing, uint64_t *total, struct failure *failure)
{
    uint32_t first = ranks_start(dealing->ranks, dealing->messages);
    uint32_t numbers = ranks_end(dealing->ranks, dealing->messages) - first;
    uint64_t asked = 0, of_others;
    struct numbered *question = dealing->asked;
    uint64_t *answers = dealing->asked;
    for (uint32_t r = 0; r < ranks_size(dealing->ranks); r++) {
        asked += dealing->bytes[r] / sizeof *question;
        dealing->bytes[r] = dealing->bytes[r] / sizeof *question * sizeof *answers;
    }
    for (uint64_t i = 0; i < asked; i++)
        dealing->slots[question[i].number - first] = question[i].slots;
    uint64_t here = sum_before(dealing->slots, dealing->slots, numbers);
    enum failure_kind kind =
        ranks_sum_before(dealing->ranks, first, here, &of_others, total, failure);
    for (uint64_t i = 0; i < asked; i++) {
        uint64_t number = question[i].number;
        answers[i] = of_others + dealing->slots[number - first];
    }
    return kind;
}

static enum failure_kind offsets_dealt(const struct message_set *set, struct ranks *ranks,
                                       const uint64_t *slots, uint64_t *before, uint64_t *total,
                                       struct failure *failure)
{
    struct dealing dealing = {.ranks = ranks, .messages = message_set_all_messages(set)};
    uint32_t numbers = ranks_end(ranks, dealing.messages) - ranks_start(ranks, dealing.messages);
    void *answers = NULL;
    dealing.bytes = memory_allocate(ranks_size(ranks), sizeof *dealing.bytes);
    dealing.slots = memory_allocate(numbers, sizeof *dealing.slots);
    enum failure_kind kind = FAIL_NONE;
    if (dealing.bytes == NULL || dealing.slots == NULL)
        kind = fail_memory(failure, "the slots of messages");
    if (kind == FAIL_NONE)
        kind = deal(&dealing, set, slots, failure);
    if (kind == FAIL_NONE)
        kind = answer(&dealing, total, failure);
    if (kind == FAIL_NONE)
        kind = ranks_swap(ranks, dealing.asked, dealing.bytes, &answers, failure);
    if (kind == FAIL_NONE && set->messages > 0)
        memcpy(before, answers, set->messages * sizeof *before);
    free(answers);
    free(dealing.asked);
    free(dealing.slots);
    free(dealing.bytes);
    return kind;
}

enum failure_kind message_set_offsets(const struct message_set *set, struct ranks *ranks,
                                      const uint64_t *slots, uint64_t *before, uint64_t *total,
                                      struct failure *failure)
{
    bool is_dealt = set->number != NULL;
    enum failure_kind kind = ranks_any(ranks, &is_dealt, failure);
    if (kind != FAIL_NONE)
        return kind;
    return is_dealt ? offsets_dealt(set, ranks, slots, before, total, failure)
                    : offsets_in_order(set, ranks, slots, before, total, failure);
}
