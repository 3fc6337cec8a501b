/* test_ranks_seam.c - ranks as threads: every function of ranks.h, alone and on 2 to 5 ranks. In a serial build only what
 * is alone is tested.
 */
#include "machine/ranks/ranks_batch.h"
#include "test/ranks/ranks_case.h"
#include "test/ranks/ranks_threads.h"

#include <check.h>

#undef fail /* a macro of Check's */

Suite *ranks_seam_suite(void);

/* every check of the seam on every number of ranks */
START_TEST(checks)
{
    for (uint32_t size = 1; size <= MOST_RANKS; size++) {
        struct failure failure = {0};
        ck_assert_msg(ranks_run_threads(size, ranks_check[_i], NULL, &failure) == FAIL_NONE,
                      "%u ranks: %s", size, failure.text);
    }
}
END_TEST

/* ---- batches ---- */

/* Where an item came from, and its number there. */
struct item {
    uint32_t from;
    uint64_t number;
};

struct taken {
    uint64_t next[RANKS_MOST]; /* number from each rank */
    bool is_wrong;
};

static void take(void *context, const void *item)
{
    struct taken *taken = context;
    const struct item *came = item;
    taken->is_wrong |= came->number != taken->next[came->from]++;
}

/* Rank r puts so many items for each rank: more than a batch holds, few, none. */
static enum failure_kind check_batches(void *context, struct ranks *ranks, struct failure *failure)
{
    static const uint64_t ITEMS[RANKS_MOST] = {30000, 3, 0, 70000, 1};
    struct taken taken = {{0}, false};
    struct ranks_batch batch;
    uint64_t next = 0, all = ITEMS[ranks_rank(ranks)];
    (void)context;
    ranks_batch_open(&batch, ranks, sizeof(struct item), take, &taken);
    for (; ranks_batch_next(&batch, next < all, failure); next++)
        for (uint32_t r = 0; r < ranks_size(ranks); r++) {
            struct item item = {ranks_rank(ranks), next};
            ranks_batch_put(&batch, r, &item, failure);
        }
    MUST(ranks_batch_close(&batch));
    HOLDS(!taken.is_wrong);
    for (uint32_t r = 0; r < ranks_size(ranks); r++)
        HOLDS(taken.next[r] == ITEMS[r]);
    return FAIL_NONE;
}

/* all items come, in their order, from every rank */
START_TEST(batches)
{
    for (uint32_t size = 1; size <= MOST_RANKS; size++) {
        struct failure failure = {0};
        ck_assert_msg(ranks_run_threads(size, check_batches, NULL, &failure) == FAIL_NONE,
                      "%u ranks: %s", size, failure.text);
    }
}
END_TEST

Suite *ranks_seam_suite(void)
{
    Suite *suite = suite_create("ranks_seam");
    TCase *tcase = tcase_create(MOST_RANKS == 1 ? "alone" : "together");
    tcase_add_loop_test(tcase, checks, 0, RANKS_CHECKS);
    tcase_add_test(tcase, batches);
    suite_add_tcase(suite, tcase);
    return suite;
}
