/* test_ranks_seam.c - ranks as threads: every function of ranks.h, on 1 to 5 ranks. In a serial
 * build only one rank is tested.
 */
#include "machine/ranks/ranks.h"
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

Suite *ranks_seam_suite(void)
{
    Suite *suite = suite_create("ranks_seam");
    TCase *tcase = tcase_create(MOST_RANKS == 1 ? "alone" : "together");
    tcase_add_loop_test(tcase, checks, 0, RANKS_CHECKS);
    suite_add_tcase(suite, tcase);
    return suite;
}
