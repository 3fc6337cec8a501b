/* ranks_case.c - a rank's checks of every function of ranks.h, for ranks of any kind.
 *
 * Oracle: a rank's inputs are computed from its number and the size.
 */
#include "test/ranks/ranks_case.h"

#include "base/pcg.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#undef fail /* a macro of Check's */

/* ---- bands ---- */

/* the bands of all ranks follow each other and are of equal size but for one; owners are the ranks
 * whose bands they are */
static enum failure_kind check_bands(void *context, struct ranks *ranks, struct failure *failure)
{
    static const uint32_t counts[] = {0, 1, 4, 5, 6, 33, 1000, UINT32_MAX};
    (void)context;
    HOLDS(ranks_rank(ranks) < ranks_size(ranks));
    HOLDS((ranks == NULL) == (ranks_size(ranks) == 1));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        uint32_t count = counts[i], start = ranks_rows(ranks, count).first,
                 end = ranks_rows(ranks, count).end;
        uint64_t bounds[RANKS_MOST + 1] = {0};
        bounds[ranks_rank(ranks)] = start;
        bounds[ranks_rank(ranks) + 1] = end;
        MUST(ranks_most(ranks, bounds, ranks_size(ranks) + 1, failure));
        HOLDS(bounds[0] == 0 && bounds[ranks_size(ranks)] == count);
        HOLDS(bounds[ranks_rank(ranks)] == start && bounds[ranks_rank(ranks) + 1] == end);
        HOLDS(end >= start && end - start >= count / ranks_size(ranks) &&
              end - start - count / ranks_size(ranks) <= 1);
        for (uint32_t r = 0; r < ranks_size(ranks); r++) {
            if (bounds[r] == bounds[r + 1])
                continue;
            HOLDS(ranks_owner(ranks, count, (uint32_t)bounds[r]) == r);
            HOLDS(ranks_owner(ranks, count, (uint32_t)bounds[r + 1] - 1) == r);
        }
    }
    return FAIL_NONE;
}

/* ---- borders ---- */

/* Returns word i of the k-th message of rank r on a side. */
static uint32_t word(uint32_t r, enum rank_side side, uint32_t k, uint32_t i)
{
    return pcg32_at(r * RANK_SIDES + side, k, i);
}

/* Returns the number of words: few or none, sometimes many, and in some rounds very many at all
 * ranks. */
static uint32_t words(uint32_t r, enum rank_side side, uint32_t k)
{
    uint32_t drawn = word(r, side, k, UINT32_MAX);
    if (k % 50 == 20)
        return 20000;
    return drawn % 8 == 0 ? drawn / 8 % 5000 : drawn / 8 % 7;
}

/* Fills in the message of rank r on a side, which the caller frees. */
static struct rank_message message_of(uint32_t r, enum rank_side side, uint32_t k)
{
    uint32_t count = words(r, side, k), *value = memory_allocate(count, sizeof *value);
    for (uint32_t i = 0; value != NULL && i < count; i++)
        value[i] = word(r, side, k, i);
    return (struct rank_message){value, count * sizeof *value};
}

/* Exchanges the k-th messages with both neighbours. */
static enum failure_kind exchange_once(struct ranks *ranks, uint32_t k, struct failure *failure)
{
    uint32_t own = ranks_rank(ranks);
    struct rank_message out[RANK_SIDES], in[RANK_SIDES];
    for (enum rank_side side = 0; side < RANK_SIDES; side++)
        out[side] = message_of(own, side, k);
    enum failure_kind kind = ranks_exchange(ranks, out, in, failure);
    for (enum rank_side side = 0; side < RANK_SIDES; side++)
        free((void *)out[side].bytes);
    MUST(kind);
    for (enum rank_side side = 0; side < RANK_SIDES; side++) {
        enum rank_side other = side == RANK_BEFORE ? RANK_BEHIND : RANK_BEFORE;
        if (!ranks_has(ranks, side)) {
            HOLDS(in[side].bytes == NULL && in[side].count == 0);
            continue;
        }
        uint32_t from = own + (side == RANK_BEFORE ? UINT32_MAX : 1);
        HOLDS(in[side].count == words(from, other, k) * sizeof(uint32_t));
        HOLDS((uintptr_t)in[side].bytes % 16 == 0);
        for (uint32_t i = 0; i < in[side].count / sizeof(uint32_t); i++)
            HOLDS(((const uint32_t *)in[side].bytes)[i] == word(from, other, k, i));
    }
    return FAIL_NONE;
}

/* a neighbour's k-th message is what it has sent, on each side */
static enum failure_kind check_borders(void *context, struct ranks *ranks, struct failure *failure)
{
    (void)context;
    uint32_t last = ranks_size(ranks) - 1;
    HOLDS(ranks_has(ranks, RANK_BEFORE) == (ranks_rank(ranks) > 0));
    HOLDS(ranks_has(ranks, RANK_BEHIND) == (ranks_rank(ranks) < last));
    for (uint32_t k = 0; k < 200; k++)
        MUST(exchange_once(ranks, k, failure));
    return FAIL_NONE;
}

/* ---- all ranks together ---- */

/* Adds up so many counts that it takes several turns, the last count by itself in its word. */
static enum failure_kind sum_counts(struct ranks *ranks, struct failure *failure)
{
    enum { COUNTS = 70001 };
    uint32_t *count = memory_allocate(COUNTS, sizeof *count), size = ranks_size(ranks), wrong = 0;
    HOLDS(count != NULL);
    for (uint32_t i = 0; i < COUNTS; i++)
        count[i] = i * (ranks_rank(ranks) + 1);
    enum failure_kind kind = ranks_sum_counts(ranks, count, COUNTS, failure);
    for (uint32_t i = 0; i < COUNTS; i++)
        wrong += count[i] != i * (size * (size + 1) / 2);
    free(count);
    HOLDS(kind == FAIL_NONE && wrong == 0);
    return FAIL_NONE;
}

/* sums, modulo 2^64, largest and least numbers, flags */
static enum failure_kind check_numbers(void *context, struct ranks *ranks, struct failure *failure)
{
    (void)context;
    uint32_t own = ranks_rank(ranks), size = ranks_size(ranks);
    for (uint32_t k = 0; k < 100; k++) {
        uint64_t sums[] = {k, own, UINT64_MAX - own},
                 most[] = {own * k, UINT64_MAX - own, 0, own == 0 ? UINT64_MAX : k},
                 least[] = {k + own, UINT64_MAX - own, 0, own == 0 ? k : UINT64_MAX};
        bool is_one = own == k % size, is_none = false, is_all = true;
        MUST(ranks_sum(ranks, sums, 3, failure));
        HOLDS(sums[0] == (uint64_t)k * size && sums[1] == size * (size - 1) / 2);
        HOLDS(sums[2] == 0 - (uint64_t)size - sums[1]);
        MUST(ranks_most(ranks, most, 4, failure));
        HOLDS(most[0] == (size - 1) * k && most[1] == UINT64_MAX && most[2] == 0 &&
              most[3] == UINT64_MAX);
        MUST(ranks_least(ranks, least, 4, failure));
        HOLDS(least[0] == k && least[1] == UINT64_MAX - (size - 1) && least[2] == 0 &&
              least[3] == k);
        MUST(ranks_any(ranks, &is_one, failure));
        MUST(ranks_any(ranks, &is_none, failure));
        MUST(ranks_any(ranks, &is_all, failure));
        HOLDS(is_one && !is_none && is_all);
        MUST(ranks_sum(ranks, NULL, 0, failure));
        MUST(ranks_most(ranks, NULL, 0, failure));
        MUST(ranks_least(ranks, NULL, 0, failure));
    }
    return sum_counts(ranks, failure);
}

/* more numbers than go in one piece (test/mpi/seam.c) */
static enum failure_kind check_many_numbers(void *context, struct ranks *ranks,
                                            struct failure *failure)
{
    (void)context;
    enum { NUMBERS = 1001 };
    uint64_t sum[NUMBERS], most[NUMBERS], own = ranks_rank(ranks), size = ranks_size(ranks);
    for (uint32_t i = 0; i < NUMBERS; i++) {
        sum[i] = i + own;
        most[i] = own == i % size ? UINT64_MAX - i : i;
    }
    MUST(ranks_sum(ranks, sum, NUMBERS, failure));
    MUST(ranks_most(ranks, most, NUMBERS, failure));
    for (uint32_t i = 0; i < NUMBERS; i++)
        HOLDS(sum[i] == size * i + size * (size - 1) / 2 && most[i] == UINT64_MAX - i);
    return FAIL_NONE;
}

/* No core is given to two ranks, as long as there are enough. */
static enum failure_kind check_cores(void *context, struct ranks *ranks, struct failure *failure)
{
    (void)context;
    uint32_t cores = ranks_cores(ranks), here = ranks_here(ranks);
    HOLDS(here >= 1 && here <= ranks_size(ranks));
    HOLDS(cores <= 1 || cores * here <= (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
    return FAIL_NONE;
}

/* Returns the bytes that rank r gives rank `to`; all of them are letter(r, to). */
static size_t length(uint32_t r, uint32_t to, uint32_t k)
{
    return k == 0 ? 0 : (7 * r + 3 * to + k) % 11 * (k % 10 == 0 ? 1000 : 1);
}

static unsigned char letter(uint32_t r, uint32_t to)
{
    return (unsigned char)(1 + RANKS_MOST * r + to);
}

/* True if *at begins with the bytes that rank r gives rank `to`; goes past them. */
static bool takes(const unsigned char **at, uint32_t r, uint32_t to, uint32_t k)
{
    bool is_right = true;
    for (size_t i = 0; i < length(r, to, k); i++)
        is_right &= *(*at)++ == letter(r, to);
    return is_right;
}

static enum failure_kind collect_once(struct ranks *ranks, uint32_t k, struct failure *failure)
{
    uint32_t own = ranks_rank(ranks);
    unsigned char bytes[11000];
    size_t count[RANKS_MOST];
    void *all;
    memset(bytes, letter(own, 0), length(own, 0, k));
    MUST(ranks_collect(ranks, k == 0 ? NULL : bytes, length(own, 0, k), &all, count, failure));
    HOLDS((all != NULL) == (own == 0));
    const unsigned char *at = all;
    for (uint32_t r = 0; own == 0 && r < ranks_size(ranks); r++) {
        HOLDS(count[r] == length(r, 0, k));
        HOLDS(takes(&at, r, 0, k));
    }
    free(all);
    return FAIL_NONE;
}

static enum failure_kind swap_once(struct ranks *ranks, uint32_t k, struct failure *failure)
{
    uint32_t own = ranks_rank(ranks);
    unsigned char bytes[RANKS_MOST * 11000], *end = bytes;
    size_t count[RANKS_MOST];
    void *all;
    for (uint32_t to = 0; to < ranks_size(ranks); to++) {
        count[to] = length(own, to, k);
        memset(end, letter(own, to), count[to]);
        end += count[to];
    }
    MUST(ranks_swap(ranks, k == 0 ? NULL : bytes, count, &all, failure));
    const unsigned char *at = all;
    for (uint32_t r = 0; r < ranks_size(ranks); r++) {
        HOLDS(count[r] == length(r, own, k));
        HOLDS(takes(&at, r, own, k));
    }
    free(all);
    return FAIL_NONE;
}

/* Trades the same bytes, from places in another order, where all know their number. */
static enum failure_kind trade_once(struct ranks *ranks, uint32_t k, struct failure *failure)
{
    uint32_t own = ranks_rank(ranks), size = ranks_size(ranks);
    unsigned char out[RANKS_MOST * 11000], in[RANKS_MOST * 11000], *end = out, *room = in;
    struct rank_trade trade[RANKS_MOST];
    for (uint32_t r = size; r-- > 0;) {
        trade[r] = (struct rank_trade){end, length(own, r, k), room, length(r, own, k)};
        memset(end, letter(own, r), trade[r].out);
        end += trade[r].out;
        room += trade[r].in;
    }
    MUST(ranks_trade(ranks, trade, failure));
    const unsigned char *at = in;
    for (uint32_t r = size; r-- > 0;)
        HOLDS(takes(&at, r, own, k));
    return FAIL_NONE;
}

/* bytes that are collected, swapped, traded, broadcast: none, few, many */
static enum failure_kind check_bytes(void *context, struct ranks *ranks, struct failure *failure)
{
    (void)context;
    for (uint32_t k = 0; k < 50; k++) {
        uint32_t shared[] = {ranks_rank(ranks) + k, k};
        MUST(collect_once(ranks, k, failure));
        MUST(swap_once(ranks, k, failure));
        MUST(trade_once(ranks, k, failure));
        MUST(ranks_broadcast(ranks, shared, sizeof shared, failure));
        HOLDS(shared[0] == k && shared[1] == k);
        MUST(ranks_broadcast(ranks, NULL, 0, failure));
    }
    return FAIL_NONE;
}

rank_body *const ranks_check[RANKS_CHECKS] = {check_bands,        check_borders, check_numbers,
                                              check_many_numbers, check_cores,   check_bytes};
