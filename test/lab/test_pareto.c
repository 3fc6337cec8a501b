/* test_pareto.c - the runs that no other run beats, and their picture.
 *
 * Oracle: every pair of runs compared, on made-up runs whose figures were drawn.
 */
#include "test/lab/report_case.h"
#include "test/program_run.h"
#include "test/random.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Figures of a made-up run that has a place on the axes. */
struct run {
    int steps, buffer;
};

static bool is_beaten(const struct run *run, const struct run *by)
{
    return by->buffer <= run->buffer && by->steps <= run->steps &&
           (by->buffer < run->buffer || by->steps < run->steps);
}

/* A run has a name in the picture if and only if no other is as good in both figures and better in
 * one; of equal runs one has. */
START_TEST(dominated)
{
    enum { RUNS = 40 };
    struct run run[RUNS];
    uint64_t random = (uint64_t)_i;
    char sql[RUNS * 100] = "DELETE FROM run WHERE id > 40 OR outcome <> 'done'; UPDATE run SET "
                           "rows = 8, cols = 8, asked_congestion = 4, ran_as = NULL, "
                           "asked_parameters = 'p=' || id, seed = 0;";
    report_case_make();
    for (int i = 0; i < RUNS; i++) {
        char one[100];
        run[i] = (struct run){(int)test_random_below(&random, 9) * 10,
                              (int)test_random_below(&random, 9)};
        snprintf(one, sizeof one, "UPDATE run SET steps = %d, buffer_peak = %d WHERE id = %d;",
                 run[i].steps, run[i].buffer, i + 1);
        strcat(sql, one);
    }
    report_case_execute(sql);
    const struct outcome *drawn =
        program_run("$M report $T/db --plot pareto -o $T/p.svg && cat $T/p.svg");
    ck_assert_msg(drawn->status == 0, "%s", drawn->err);
    int front = 0, beaten_runs = 0;
    for (int i = 0; i < RUNS; i++) {
        char name[16];
        bool beaten = false, is_first = true;
        snprintf(name, sizeof name, ">p=%d<", i + 1);
        for (int k = 0; k < RUNS; k++) {
            bool is_drawn = run[k].steps > 0 && run[k].buffer > 0;
            beaten |= is_drawn && is_beaten(&run[i], &run[k]);
            is_first &= k >= i || run[k].steps != run[i].steps || run[k].buffer != run[i].buffer;
        }
        bool is_shown = run[i].steps > 0 && run[i].buffer > 0 && !beaten;
        bool is_named = strstr(drawn->out, name) != NULL;
        ck_assert_msg(!is_named || is_shown, "%s", name);
        front += is_named;
        beaten_runs += beaten;
        if (is_shown && is_first) { /* or one that is equal */
            bool has_name = false;
            for (int k = 0; k < RUNS; k++) {
                snprintf(name, sizeof name, ">p=%d<", k + 1);
                has_name |= run[k].steps == run[i].steps && run[k].buffer == run[i].buffer &&
                            strstr(drawn->out, name) != NULL;
            }
            ck_assert_msg(has_name, "run %d", i + 1);
        }
    }
    ck_assert(front > 0 && beaten_runs > 0);
}
END_TEST

/* Pictures of every format come without a word; names are those of the runs that no other beats. */
START_TEST(pictures)
{
    static const char *const formats[][2] = {{"svg", "<?xml"}, {"png", "PNG"}, {"pdf", "%PDF"}};
    program_run_ends(
        0, "$M gen --side 8 --pattern uniform --degree 4 --congestion 4 -o \"$T/a'\\\"b\" && "
           "$M sweep --set \"$T/a'\\\"b\" --router trees,circulate --copy free --db $T/db -q && "
           "$M sweep --set \"$T/a'\\\"b\" --router trees --param tree=spread --buffer 8,30 "
           "--copy free --db $T/db -q; $M sweep --pattern uniform --side 4,8 --router "
           "trees --db $T/db -q");
    for (size_t i = 0; i < 3; i++) {
        const struct outcome *run = program_run_ends(
            0,
            "$M report $T/db --plot pareto -o $T/p.%s && head -c 5 $T/p.%s | tr -d "
            "'\\211'",
            formats[i][0], formats[i][0]);
        ck_assert_str_eq(run->err, "");
        ck_assert_ptr_nonnull(strstr(run->out, formats[i][1]));
    }
    char *svg = strdup(program_run("cat $T/p.svg")->out);
    ck_assert_ptr_nonnull(strstr(svg, "no run is better in both"));
    ck_assert_ptr_nonnull(strstr(svg, "uniform 4 x 4"));
    ck_assert_ptr_nonnull(strstr(svg, ">circulate<"));
    free(svg);
    const struct outcome *run = program_run_ends(0, "$M report $T/db --plot pareto --side 4");
    ck_assert_ptr_nonnull(strstr(run->out, "uniform 4 x 4"));
    ck_assert_ptr_null(strstr(run->out, "uniform 8 x 8"));
    run = program_run_ends(
        0, "$M sweep --pattern uniform --side 8 --congestion 6 --per-node 2,3 --router "
           "trees --db $T/l.db -q && $M report $T/l.db --plot pareto");
    ck_assert_ptr_nonnull(strstr(run->out, "uniform 8 x 8, c = 6, l = 2"));
    ck_assert_ptr_nonnull(strstr(run->out, "uniform 8 x 8, c = 6, l = 3"));
}
END_TEST

/* Runs that cannot be told apart are refused, with the options to choose by; sides and congestions
 * choose. */
START_TEST(choices)
{
    report_case_make();
    report_case_execute("UPDATE run SET workload = 'set ' || rows || ' ' || seed");
    program_run_fails(2, "more than 9 sets in one picture; choose with",
                      "$M report $T/db --plot pareto");
    program_run_ends(0, "$M report $T/db --plot pareto --side 16 --congestion 4 -o $T/p.svg");
    const struct outcome *run = program_run(
        "$M report $T/db --csv --side 16,64 --congestion 4 | cut -d , -f 2,5 | sort -u");
    ck_assert_str_eq(run->out, "16,4\n64,4\nrows,asked_congestion\n");
    program_run_fails(2, "at once", "$M report $T/db --side 15");
    report_case_execute("UPDATE run SET buffer_peak = 0");
    program_run_fails(2, "no run has a figure above 0", "$M report $T/db --plot pareto");
    report_case_execute(
        "UPDATE run SET router = 'r' || (id % 13), buffer_peak = 3, workload = 'w'");
    program_run_fails(2, "more than 12 routers", "$M report $T/db --plot pareto");
}
END_TEST

void pareto_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, dominated, 0, 20);
    tcase_add_test(tests, pictures);
    tcase_add_test(tests, choices);
}
