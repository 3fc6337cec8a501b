/* rank_counts.c - sums of 32 bits over ranks, two in a word, as many words at a time as a cache holds. */
#include "workloads/rank_counts.h"

#include <stdlib.h>

enum { WORDS = 1 << 14 };

enum failure_kind rank_counts_add_up(struct ranks *ranks, uint32_t *count, size_t counts,
                                     struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    if (ranks_size(ranks) == 1)
        return kind;
    uint64_t *word = memory_allocate(WORDS, sizeof *word);
    if (word == NULL)
        return fail_memory(failure, "the sums over ranks");
    for (size_t at = 0; at < counts && kind == FAIL_NONE; at += 2 * (size_t)WORDS) {
        size_t here = counts - at < 2 * (size_t)WORDS ? counts - at : 2 * (size_t)WORDS;
        for (size_t i = 0; i < here; i += 2)
            word[i / 2] = count[at + i] | (uint64_t)(i + 1 < here ? count[at + i + 1] : 0) << 32;
        kind = ranks_sum(ranks, word, (here + 1) / 2, failure);
        for (size_t i = 0; i < here; i++)
            count[at + i] = (uint32_t)(word[i / 2] >> 32 * (i % 2));
    }
    free(word);
    return kind;
}
