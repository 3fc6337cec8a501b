/* test_pareto.c - which runs no other run beats, and the picture of them.
 *
 * Oracle: every pair of runs compared, on groups whose figures were drawn.
 */
#include "base/pcg.h"
#include "lab/results_plot.h"
#include "test/lab/report_case.h"
#include "test/program_run.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 60, SETS = 3 };

/* Groups of three sets, one after the other, with few different figures, so that many are equal; some have none. */
static struct results_groups draw_groups(uint64_t seed)
{
    struct results_groups groups = {.group = json_array()};
    struct pcg32 random = pcg32_seed(seed, 1);
    for (uint32_t i = 0; i < GROUPS; i++) {
        json_t *set = json_sprintf("set %u", i * SETS / GROUPS);
        json_t *router = json_sprintf("router %u", pcg32_below(&random, 4));
        json_t *group = json_pack("{s:o, s:o, s:i, s:i}", "workload", set, "router", router, "rows",
                                  8, "cols", 8);
        json_object_set_new(group, "buffer_peak", json_integer(pcg32_below(&random, 8)));
        json_object_set_new(group, "steps", json_integer(pcg32_below(&random, 8)));
        json_array_append_new(groups.group, group);
    }
    return groups;
}

static bool is_beaten(const struct chart_point *run, const struct chart_point *by)
{
    return by->x <= run->x && by->y <= run->y && (by->x < run->x || by->y < run->y);
}

/* A run has a small mark if and only if another one of its panel is as good in both figures and better in one. */
START_TEST(dominated)
{
    struct chart chart;
    struct failure failure = {0};
    struct results_groups groups = draw_groups((uint64_t)_i);
    uint32_t drawn = 0, above = 0, panels = 0, shown = 0;
    for (uint32_t i = 0; i < GROUPS; i++)
        drawn += results_number(json_array_get(groups.group, i), "buffer_peak") > 0 &&
                 results_number(json_array_get(groups.group, i), "steps") > 0;
    chart_begin(&chart, 1);
    ck_assert_int_eq(plot_fill_chart(&chart, &groups, PLOT_PARETO, &failure), FAIL_NONE);
    for (const struct chart_panel *panel = chart.panels; panel != NULL; panel = panel->next) {
        panels++;
        for (const struct chart_curve *one = panel->curves; one != NULL; one = one->next)
            for (uint32_t i = 0; i < one->points && one->subject != NULL; i++) {
                bool beaten = false;
                for (const struct chart_curve *by = panel->curves; by != NULL; by = by->next)
                    for (uint32_t k = 0; k < by->points && by->subject != NULL; k++)
                        beaten |= is_beaten(&one->point[i], &by->point[k]);
                ck_assert_int_eq(one->point[i].size < 1, beaten);
                above += !beaten;
                shown++;
            }
    }
    ck_assert_uint_eq(panels, SETS);
    ck_assert_uint_eq(shown, drawn);
    ck_assert(above > 0 && above < drawn);
    chart_free(&chart);
    results_groups_free(&groups);
}
END_TEST

/* Pictures of every format come without a word; names are those of the runs that no other beats. */
START_TEST(pictures)
{
    static const char *const formats[][2] = {{"svg", "<?xml"}, {"png", "PNG"}, {"pdf", "%PDF"}};
    ck_assert_int_eq(
        program_run(
            "$M gen --side 8 --pattern uniform --degree 4 --congestion 4 -o \"$T/a'\\\"b\" && "
            "$M sweep --set \"$T/a'\\\"b\" --router trees,circulate --copy free --db $T/db -q && "
            "$M sweep --set \"$T/a'\\\"b\" --router trees --param tree=spread --buffer 8,30 "
            "--copy free --db $T/db -q; $M sweep --pattern uniform --side 4,8 --router "
            "trees --db $T/db -q")
            ->status,
        0);
    for (size_t i = 0; i < 3; i++) {
        const struct outcome *run =
            program_run("$M report $T/db --plot pareto -o $T/p.%s && head -c 5 $T/p.%s | tr -d "
                        "'\\211'",
                        formats[i][0], formats[i][0]);
        ck_assert_msg(run->status == 0, "%s", run->err);
        ck_assert_str_eq(run->err, "");
        ck_assert_ptr_nonnull(strstr(run->out, formats[i][1]));
    }
    char *svg = strdup(program_run("cat $T/p.svg")->out);
    ck_assert_ptr_nonnull(strstr(svg, "no run is better in both"));
    ck_assert_ptr_nonnull(strstr(svg, "uniform 4 x 4"));
    ck_assert_ptr_nonnull(strstr(svg, ">circulate<"));
    free(svg);
    const struct outcome *run = program_run("$M report $T/db --plot pareto --side 4");
    ck_assert_int_eq(run->status, 0);
    ck_assert_ptr_nonnull(strstr(run->out, "uniform 4 x 4"));
    ck_assert_ptr_null(strstr(run->out, "uniform 8 x 8"));
    run = program_run("$M sweep --pattern uniform --side 8 --congestion 6 --per-node 2,3 --router "
                      "trees --db $T/l.db -q && $M report $T/l.db --plot pareto");
    ck_assert_int_eq(run->status, 0);
    ck_assert_ptr_nonnull(strstr(run->out, "uniform 8 x 8, c = 6, l = 2"));
    ck_assert_ptr_nonnull(strstr(run->out, "uniform 8 x 8, c = 6, l = 3"));
}
END_TEST

/* What cannot be told apart is refused, and what to choose with is said; sides and congestions choose. */
START_TEST(choices)
{
    report_case_make();
    report_case_execute("UPDATE run SET workload = 'set ' || rows || ' ' || seed");
    const struct outcome *run = program_run("$M report $T/db --plot pareto");
    ck_assert_int_eq(run->status, 2);
    ck_assert_ptr_nonnull(strstr(run->err, "more than 9 sets in one picture; choose with"));
    ck_assert_int_eq(
        program_run("$M report $T/db --plot pareto --side 16 --congestion 4 -o $T/p.svg")->status,
        0);
    run = program_run(
        "$M report $T/db --csv --side 16,64 --congestion 4 | cut -d , -f 2,5 | sort -u");
    ck_assert_str_eq(run->out, "16,4\n64,4\nrows,asked_congestion\n");
    run = program_run("$M report $T/db --side 15");
    ck_assert_int_eq(run->status, 2);
    ck_assert_ptr_nonnull(strstr(run->err, "at once"));
    report_case_execute("UPDATE run SET buffer_peak = 0");
    run = program_run("$M report $T/db --plot pareto");
    ck_assert_int_eq(run->status, 2);
    ck_assert_ptr_nonnull(strstr(run->err, "no run has a figure above 0"));
    report_case_execute(
        "UPDATE run SET router = 'r' || (id % 13), buffer_peak = 3, workload = 'w'");
    run = program_run("$M report $T/db --plot pareto");
    ck_assert_int_eq(run->status, 2);
    ck_assert_ptr_nonnull(strstr(run->err, "more than 12 routers"));
}
END_TEST

Suite *pareto_suite(void);

Suite *pareto_suite(void)
{
    Suite *suite = suite_create("pareto");
    TCase *tests = tcase_create("pareto");
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, dominated, 0, 20);
    tcase_add_test(tests, pictures);
    tcase_add_test(tests, choices);
    suite_add_tcase(suite, tests);
    return suite;
}
