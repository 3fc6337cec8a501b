/* test_ranks_failures.c - ranks as threads: the others when one fails or leaves.
 *
 * In a serial build there are no others: there one rank is tested, and that more ranks are refused.
 */
#include "machine/ranks/ranks.h"

#include "base/failure.h"
#include "test/ranks/ranks_case.h"
#include "test/ranks/ranks_threads.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef fail /* a macro of Check's */

/* Calls one of the functions in which a rank waits for others. */
static enum failure_kind call(struct ranks *ranks, int function, struct failure *failure)
{
    uint64_t number = 1;
    bool flag = false;
    size_t count[MOST_RANKS] = {0};
    struct rank_message out[RANK_SIDES] = {{0}}, in[RANK_SIDES];
    void *all = NULL;
    struct rank_trade trade[MOST_RANKS] = {{NULL, 0, NULL, 0}};
    enum failure_kind kind = FAIL_NONE;
    switch (function) {
    case 0:
        return ranks_exchange(ranks, out, in, failure);
    case 1:
        return ranks_sum(ranks, &number, 1, failure);
    case 2:
        return ranks_most(ranks, &number, 1, failure);
    case 3:
        return ranks_any(ranks, &flag, failure);
    case 4:
        kind = ranks_collect(ranks, &number, sizeof number, &all, count, failure);
        break;
    case 5:
        kind = ranks_swap(ranks, NULL, count, &all, failure);
        break;
    case 6:
        return ranks_trade(ranks, trade, failure);
    default:
        return ranks_broadcast(ranks, &number, sizeof number, failure);
    }
    free(all);
    return kind;
}

enum { FUNCTIONS = 8 };

struct fall {
    uint32_t rank;               /* that fails */
    int function;                /* in which the others wait meanwhile */
    bool is_early;               /* it fails before anything else is done */
    uint32_t others[MOST_RANKS]; /* calls of each rank that failed as they must */
};

static enum failure_kind fall(void *context, struct ranks *ranks, struct failure *failure)
{
    struct fall *fall = context;
    uint32_t own = ranks_rank(ranks);
    uint64_t number = own;
    if (!fall->is_early)
        MUST(ranks_sum(ranks, &number, 1, failure));
    if (own == fall->rank) {
        fail(failure, FAIL_CHECK, "rank %u has fallen", own);
        HOLDS(ranks_fail(ranks, FAIL_CHECK, failure) == FAIL_CHECK);
    }
    for (int i = 0; i < FUNCTIONS; i++) {
        struct failure other = {0};
        fall->others[own] += call(ranks, (fall->function + i) % FUNCTIONS, &other) == FAIL_SYSTEM &&
                             other.kind == FAIL_SYSTEM;
    }
    return own == fall->rank ? FAIL_CHECK : FAIL_SYSTEM;
}

/* a rank fails while others wait in any function: there that one and all others return FAIL_SYSTEM,
 * and all end */
START_TEST(one_fails)
{
    for (uint32_t size = 2; size <= MOST_RANKS; size++)
        for (int function = 0; function < FUNCTIONS; function++)
            for (uint32_t r = 0; r < 2 * size; r++) {
                struct fall one = {.rank = r / 2, .function = function, .is_early = r % 2};
                struct failure failure = {0};
                char text[32];
                snprintf(text, sizeof text, "rank %u has fallen", one.rank);
                ck_assert_int_eq(ranks_run_threads(size, fall, &one, &failure), FAIL_CHECK);
                ck_assert_str_eq(failure.text, text);
                for (uint32_t other = 0; other < size; other++)
                    ck_assert_uint_eq(one.others[other], FUNCTIONS);
            }
}
END_TEST

/* Rank 0 returns, or fails, without a word to the others. */
static enum failure_kind leave(void *context, struct ranks *ranks, struct failure *failure)
{
    const int *function = context;
    if (ranks_rank(ranks) == 0)
        return *function < 0 ? fail(failure, FAIL_INPUT, "left") : FAIL_NONE;
    return call(ranks, abs(*function) - 1, failure);
}

/* a rank that returns a failure has failed; if it just returns, the others see that they wait in
 * vain */
START_TEST(one_leaves)
{
    for (uint32_t size = 2; size <= MOST_RANKS; size++)
        for (int function = 1; function <= FUNCTIONS; function++) {
            struct failure left = {0}, vain = {0};
            ck_assert_int_eq(ranks_run_threads(size, leave, &(int){-function}, &left), FAIL_INPUT);
            ck_assert_str_eq(left.text, "left");
            ck_assert_int_eq(ranks_run_threads(size, leave, &function, &vain), FAIL_SYSTEM);
            ck_assert_ptr_nonnull(strstr(vain.text, "wait for one another"));
        }
}
END_TEST

static enum failure_kind fail_alone(void *context, struct ranks *ranks, struct failure *failure)
{
    int *calls = context;
    ++*calls;
    HOLDS(ranks_fail(ranks, FAIL_INPUT, failure) == FAIL_INPUT);
    return fail(failure, FAIL_INPUT, "alone");
}

/* a single rank fails with its own failure; in a serial build more than one are refused, and
 * nothing is run */
START_TEST(alone)
{
    struct failure failure = {0};
    int calls = 0;
    ck_assert_int_eq(ranks_run_threads(1, fail_alone, &calls, &failure), FAIL_INPUT);
    ck_assert_str_eq(failure.text, "alone");
    ck_assert_int_eq(calls, 1);
#ifdef MESHCAST_SERIAL
    failure = (struct failure){0};
    ck_assert_int_eq(ranks_run_threads(2, fail_alone, &calls, &failure), FAIL_SYSTEM);
    ck_assert_str_eq(failure.text,
                     "a serial build has no threads, so it cannot have 2 ranks as threads");
    ck_assert_int_eq(calls, 1);
#endif
}
END_TEST

void ranks_failures_suite(TCase *tcase)
{
    tcase_add_test(tcase, alone);
    if (MOST_RANKS > 1) {
        tcase_add_test(tcase, one_fails);
        tcase_add_test(tcase, one_leaves);
    }
}
