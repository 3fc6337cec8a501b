/* test_install.c - the installed program, library, header and examples
 * (test/library/staged_install.sh).
 */
#include "test/program_run.h"

#include <check.h>

/* the installation is complete, is used by both examples, and is removed again */
START_TEST(staged_install)
{
    const struct outcome *outcome = program_run("sh test/library/staged_install.sh");
    ck_assert_msg(outcome->status == 0, "%s", outcome->err);
}
END_TEST

void install_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_test(tests, staged_install);
}
