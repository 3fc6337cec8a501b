/* test_golden.c - compares the JSON and CSV of every command, except times, and programs for
 * gnuplot with files.
 *
 * Keys and figures are a contract with other programs. A file of test/data/golden has command lines
 * and their output; golden.sh runs them again, and can accept what has changed on purpose.
 *
 * Oracle: what the program printed when a file was made. Other suites check that figures are right.
 */
#include "test/program_run.h"

#include <check.h>

static const char *const files[] = {"sets",  "route",  "compare",  "stress", "kernel", "network",
                                    "audit", "report", "pictures", "broken", "place"};

/* Checks that the command lines of a file print what the file has. */
START_TEST(test_file)
{
    program_run_ends(
        0, "test/cli/golden.sh $M test/data/golden/%s >$T/now && diff test/data/golden/%s $T/now",
        files[_i], files[_i]);
}
END_TEST

/* Checks that every file is run, and that each command with --json or --csv is in one with both. */
START_TEST(test_all_commands)
{
    program_run_ends(0, "ls test/data/golden | wc -l | grep -qx ' *%d'",
                     (int)(sizeof files / sizeof files[0]));
    const struct outcome *run =
        program_run("for c in $($M complete -- ''); do for f in json csv; do "
                    "$M $c --help | grep -q \"^  --$f \" || continue; "
                    "cat test/data/golden/* | grep -q \"^\\$.*meshcast $c .*--$f\" || echo $c "
                    "--$f; done; done");
    ck_assert_str_eq(run->out, "");
}
END_TEST

void golden_suite(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tcase, test_file, 0, sizeof files / sizeof files[0]);
    tcase_add_test(tcase, test_all_commands);
}
