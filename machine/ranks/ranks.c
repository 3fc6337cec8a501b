/* ranks.c - ranks: the part common to all ways to connect them, and a run without ranks.
 *
 * Once a function has failed, here or at another rank, all fail: ranks would no longer do the same
 * things in the same order, and a rank might wait for ever. Rank r has the items count * r / size
 * .. count * (r + 1) / size - 1, as a team's band.
 */
#include "machine/ranks/ranks_private.h"

#include "base/failure.h"
#include "base/parallel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

uint32_t ranks_size(const struct ranks *ranks)
{
    return ranks == NULL ? 1 : ranks->size;
}

uint32_t ranks_rank(const struct ranks *ranks)
{
    return ranks == NULL ? 0 : ranks->rank;
}

uint32_t ranks_here(const struct ranks *ranks)
{
    return ranks == NULL ? 1 : ranks->here;
}

uint32_t ranks_cores(const struct ranks *ranks)
{
    return ranks == NULL ? 0 : ranks->cores;
}

struct row_range ranks_rows(const struct ranks *ranks, uint32_t count)
{
    if (ranks == NULL)
        return (struct row_range){0, count};
    return (struct row_range){parallel_band_start(count, ranks->rank, ranks->size),
                              parallel_band_start(count, ranks->rank + 1, ranks->size)};
}

enum failure_kind ranks_check_count(const struct ranks *ranks, uint32_t count, const char *items,
                                    struct failure *failure)
{
    if (ranks_size(ranks) <= count || ranks_size(ranks) == 1)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE, "more ranks (%u) than %s (%u); each rank must have one",
                ranks_size(ranks), items, count);
}

/* Returns the largest r with count * r / size <= item, that is count * r < (item + 1) * size. */
uint32_t ranks_owner(const struct ranks *ranks, uint32_t count, uint32_t item)
{
    assert(item < count);
    return ranks == NULL ? 0 : (uint32_t)((((uint64_t)item + 1) * ranks->size - 1) / count);
}

bool ranks_has(const struct ranks *ranks, enum rank_side side)
{
    if (ranks == NULL)
        return false;
    return side == RANK_BEFORE ? ranks->rank > 0 : ranks->rank + 1 < ranks->size;
}

/* ---- all ranks together ---- */

/* True if a function of the way may be called: not after a failure, so that a caller that ignored
 * it gets the failure again. */
static bool may_call(const struct ranks *ranks, struct failure *failure)
{
    if (ranks == NULL)
        return false;
    if (ranks->failure.kind != FAIL_NONE)
        fail(failure, FAIL_SYSTEM, "%s", ranks->failure.text);
    return ranks->failure.kind == FAIL_NONE;
}

/* Returns the result of a function that was not called. */
static enum failure_kind not_called(const struct ranks *ranks)
{
    return ranks == NULL ? FAIL_NONE : FAIL_SYSTEM;
}

/* Keeps and reports the failure of a function of the way. */
static enum failure_kind keep(struct ranks *ranks, const struct failure *own,
                              struct failure *failure)
{
    if (own->kind == FAIL_NONE)
        return FAIL_NONE;
    ranks->failure = *own;
    return fail_as(failure, own);
}

enum failure_kind ranks_exchange(struct ranks *ranks, const struct rank_message out[RANK_SIDES],
                                 struct rank_message in[RANK_SIDES], struct failure *failure)
{
    struct failure own = {0};
    memset(in, 0, RANK_SIDES * sizeof *in);
    if (!may_call(ranks, failure))
        return not_called(ranks);
    ranks->way->exchange(ranks, out, in, &own);
    return keep(ranks, &own, failure);
}

static enum failure_kind reduce(struct ranks *ranks, uint64_t *number, size_t count,
                                bool finds_most, struct failure *failure)
{
    struct failure own = {0};
    if (count == 0)
        return FAIL_NONE;
    if (!may_call(ranks, failure))
        return not_called(ranks);
    ranks->way->sum(ranks, number, count, finds_most, &own);
    return keep(ranks, &own, failure);
}

enum failure_kind ranks_sum(struct ranks *ranks, uint64_t *number, size_t count,
                            struct failure *failure)
{
    return reduce(ranks, number, count, false, failure);
}

enum failure_kind ranks_most(struct ranks *ranks, uint64_t *number, size_t count,
                             struct failure *failure)
{
    return reduce(ranks, number, count, true, failure);
}

/* The least number is the one that is farthest below its type's largest. */
enum failure_kind ranks_least(struct ranks *ranks, uint64_t *number, size_t count,
                              struct failure *failure)
{
    for (size_t i = 0; i < count; i++)
        number[i] = UINT64_MAX - number[i];
    enum failure_kind kind = ranks_most(ranks, number, count, failure);
    for (size_t i = 0; i < count; i++)
        number[i] = UINT64_MAX - number[i];
    return kind;
}

/* Two counts are sent in a word. */
enum failure_kind ranks_sum_counts(struct ranks *ranks, uint32_t *count, size_t counts,
                                   struct failure *failure)
{
    enum { WORDS = 1 << 14 }; /* as many at a time as a cache holds */
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

enum failure_kind ranks_any(struct ranks *ranks, bool *flag, struct failure *failure)
{
    uint64_t number = *flag;
    enum failure_kind kind = ranks_most(ranks, &number, 1, failure);
    *flag = number != 0;
    return kind;
}

/* Swaps a rank's bytes with itself, without ranks. */
static enum failure_kind give_oneself(const void *from, size_t bytes, void **all,
                                      struct failure *failure)
{
    *all = memory_allocate(bytes, 1);
    if (*all == NULL)
        return fail_memory(failure, "what the ranks give");
    if (bytes > 0)
        memcpy(*all, from, bytes);
    return FAIL_NONE;
}

enum failure_kind ranks_swap(struct ranks *ranks, const void *from, size_t *count, void **all,
                             struct failure *failure)
{
    struct failure own = {0};
    *all = NULL;
    if (ranks == NULL)
        return give_oneself(from, count[0], all, failure);
    if (!may_call(ranks, failure))
        return FAIL_SYSTEM;
    ranks->way->swap(ranks, from, count, all, &own);
    return keep(ranks, &own, failure);
}

enum failure_kind ranks_collect(struct ranks *ranks, const void *from, size_t bytes, void **all,
                                size_t *count, struct failure *failure)
{
    memset(count, 0, ranks_size(ranks) * sizeof *count);
    count[0] = bytes;
    enum failure_kind kind = ranks_swap(ranks, from, count, all, failure);
    if (ranks_rank(ranks) > 0) {
        free(*all);
        *all = NULL;
    }
    return kind;
}

enum failure_kind ranks_trade(struct ranks *ranks, const struct rank_trade *trade,
                              struct failure *failure)
{
    struct failure own = {0};
    if (ranks == NULL && trade->out > 0)
        memcpy(trade->to, trade->from, trade->out);
    if (!may_call(ranks, failure))
        return not_called(ranks);
    ranks->way->trade(ranks, trade, &own);
    return keep(ranks, &own, failure);
}

enum failure_kind ranks_broadcast(struct ranks *ranks, void *bytes, size_t count,
                                  struct failure *failure)
{
    struct failure own = {0};
    if (count == 0)
        return FAIL_NONE;
    if (!may_call(ranks, failure))
        return not_called(ranks);
    ranks->way->broadcast(ranks, bytes, count, &own);
    return keep(ranks, &own, failure);
}

/* The failure of a rank as other ranks learn it. */
struct reported_failure {
    enum failure_kind kind;
    char text[sizeof((struct failure *)NULL)->text];
};

/* Returns the first of `size` failures. */
static struct reported_failure first_failure(const struct reported_failure *all, uint32_t size)
{
    uint32_t i = 0;
    while (i + 1 < size && all[i].kind == FAIL_NONE)
        i++;
    return all[i];
}

enum failure_kind ranks_agree(struct ranks *ranks, enum failure_kind kind, struct failure *failure)
{
    if (ranks == NULL)
        return kind;
    struct failure unused = {0};
    struct reported_failure reported = {.kind = kind};
    failure = failure == NULL ? &unused : failure;
    if (kind == FAIL_SYSTEM) {
        /* This rank has failed by itself, and may not have come as far as the others. */
        ranks_break(ranks, failure);
        return kind;
    }
    size_t *count = memory_allocate(ranks->size, sizeof *count);
    void *all = NULL;
    if (kind != FAIL_NONE)
        memcpy(reported.text, failure->text, sizeof reported.text);
    if (count == NULL) {
        failure->kind = FAIL_NONE; /* other ranks do not know this rank's failure */
        fail_memory(failure, "what the ranks have found out");
        ranks_break(ranks, failure);
        return failure->kind;
    }
    enum failure_kind failed =
        ranks_collect(ranks, &reported, sizeof reported, &all, count, failure);
    if (failed == FAIL_NONE && all != NULL)
        reported = first_failure(all, ranks->size);
    if (failed == FAIL_NONE)
        failed = ranks_broadcast(ranks, &reported, sizeof reported, failure);
    free(all);
    free(count);
    if (failed != FAIL_NONE || reported.kind == FAIL_NONE)
        return failed;
    failure->kind = reported.kind;
    memcpy(failure->text, reported.text, sizeof failure->text);
    return reported.kind;
}

/* ---- life ---- */

void ranks_break(struct ranks *ranks, const struct failure *failure)
{
    if (ranks != NULL)
        fail(&ranks->failure, failure->kind, "%s", failure->text);
}

enum failure_kind ranks_fail(struct ranks *ranks, enum failure_kind kind, struct failure *failure)
{
    if (ranks == NULL)
        return kind;
    fail(&ranks->failure, kind, "%s", failure == NULL ? "a rank failed" : failure->text);
    return ranks->way->fail(ranks, kind, failure);
}

static enum failure_kind copy_bytes(void *context, void *bytes, size_t count,
                                    struct failure *failure)
{
    return ranks_broadcast(context, bytes, count, failure);
}

struct byte_sharing ranks_sharing(struct ranks *ranks)
{
    return (struct byte_sharing){.is_reader = ranks_rank(ranks) == 0,
                                 .copy = ranks == NULL ? NULL : copy_bytes,
                                 .context = ranks};
}

/* ---- a build without MPI, in which ranks_mpi.c does not replace these functions ---- */

__attribute__((weak)) struct ranks *ranks_begin(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return NULL;
}

__attribute__((weak)) void ranks_finish(struct ranks *ranks)
{
    (void)ranks;
}

__attribute__((weak)) bool ranks_settle(struct ranks *ranks, enum failure_kind *kind,
                                        bool *has_come)
{
    (void)ranks;
    *has_come = true;
    return *kind != FAIL_NONE;
}
