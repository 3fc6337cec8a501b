/* test_report_groups.c - the groups of runs in a report, their medians, and the lines of fits.
 */
#include "test/lab/report_case.h"
#include "test/program_run.h"

#include <check.h>
#include <string.h>

static json_t *report(void)
{
    program_run_ends(0, "$M report $T/db --json");
    return program_run_json();
}

/* The differences between runs that are otherwise alike. */
static const char *const DIFFERENCES[] = {
    "workload = 'worst'",
    "copy = 'free'",
    "router = 'trees'",
    "ran_as = 'circulate'",
    "meshcast = '0.2'",
    "asked_parameters = 'r=4'",
    "asked_degree = 3",
    "asked_buffer = 20",
    "asked_congestion = asked_congestion + 1",
    "is_file = 1, input_hash = 'a'",
    "rows = 2 * rows",
    "cols = 2 * cols",
};

/* Runs that differ in one thing other than the seed are of two groups: of each of the nine, three
 * seeds in one and two in the other. */
START_TEST(differences)
{
    char sql[200];
    report_case_make();
    report_case_execute("DELETE FROM run WHERE outcome != 'done'");
    snprintf(sql, sizeof sql, "UPDATE run SET %s WHERE seed > 2", DIFFERENCES[_i]);
    report_case_execute(sql);
    json_t *all = report(), *groups = json_object_get(all, "workloads");
    ck_assert_uint_eq(json_array_size(groups), 18);
    for (size_t i = 0; i < 18; i++) {
        int64_t runs = program_run_integer(json_array_get(groups, i), "runs");
        ck_assert(runs == 2 || runs == 3);
    }
    json_decref(all);
}
END_TEST

/* The median of four runs is the mean of the middle two, of three the middle one. */
START_TEST(medians)
{
    for (int runs = 4; runs >= 1; runs--) {
        static const double expected[] = {0, 54, 56.5, 59, 61.5};
        char sql[80];
        report_case_make();
        snprintf(sql, sizeof sql, "DELETE FROM run WHERE seed >= %d", runs);
        report_case_execute(sql);
        json_t *all = report(), *group = json_array_get(json_object_get(all, "workloads"), 0);
        ck_assert_int_eq(program_run_integer(group, "runs"), runs);
        ck_assert_double_eq_tol(program_run_number(group, "steps"), expected[runs], 1e-9);
        json_decref(all);
        report_case_execute("DELETE FROM run");
    }
}
END_TEST

/* Two workloads are enough for a line of a fit, one is not; and its ratios go from the least to the
 * largest. */
START_TEST(lines)
{
    report_case_make();
    report_case_execute("UPDATE run SET steps_per_sqrt_cn = 5 WHERE rows = 32; "
                        "UPDATE run SET steps_per_sqrt_cn = 1 WHERE rows = 16 AND congestion = 16");
    program_run_ends(0, "$M report $T/db --csv --table fits");
    const char *out = program_run("$M report $T/db --csv --table fits")->out;
    ck_assert_msg(strstr(out, ",1,5,") != NULL, "%s", out);
    report_case_execute("DELETE FROM run WHERE rows = 64 OR congestion != 4");
    json_t *all = report(), *fits = json_object_get(all, "fits");
    ck_assert_uint_eq(json_array_size(fits), 1);
    ck_assert_int_eq(program_run_integer(json_array_get(fits, 0), "points"), 2);
    json_decref(all);
    report_case_execute("DELETE FROM run WHERE rows = 32");
    all = report();
    ck_assert_uint_eq(json_array_size(json_object_get(all, "fits")), 0);
    json_decref(all);
}
END_TEST

void report_groups_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, differences, 0, sizeof DIFFERENCES / sizeof *DIFFERENCES);
    tcase_add_test(tests, medians);
    tcase_add_test(tests, lines);
}
