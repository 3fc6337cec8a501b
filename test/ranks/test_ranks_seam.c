/* test_ranks_seam.c - ranks as threads: every function of ranks.h, on 1 to 5 ranks. In a serial
 * build only one rank is tested.
 */
#include "machine/ranks/ranks.h"
#include "test/ranks/ranks_case.h"
#include "test/ranks/ranks_threads.h"

#include <check.h>

#undef fail /* a macro of Check's */

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

void ranks_seam_suite(TCase *tests)
{
    tcase_add_loop_test(tests, checks, 0, RANKS_CHECKS);
}
