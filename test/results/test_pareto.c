/* test_pareto.c - which runs no other run beats, and the picture of them.
 *
 * Oracle: every pair of runs compared, on groups whose figures were drawn.
 */
#include "base/pcg.h"
#include "results/plot_pareto.h"
#include "test/program_run.h"
#include "test/results/report_case.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 60, SETS = 3 };

/* Groups of three sets, one after the other, with few different figures, so that many are equal; some have none. */
static struct results_groups *draw_groups(uint64_t seed)
{
    struct results_groups *groups = calloc(1, sizeof *groups);
    struct pcg32 random = pcg32_seed(seed, 1);
    groups->group = calloc(GROUPS, sizeof *groups->group);
    groups->count = GROUPS;
    for (uint32_t i = 0; i < GROUPS; i++) {
        struct results_group *group = &groups->group[i];
        snprintf(group->workload, sizeof group->workload, "set %u", i * SETS / GROUPS);
        snprintf(group->router, sizeof group->router, "router %u", pcg32_below(&random, 4));
        group->rows = group->cols = 8;
        group->measure[MEASURE_BUFFER].median = pcg32_below(&random, 8);
        group->measure[MEASURE_STEPS].median = pcg32_below(&random, 8);
    }
    return groups;
}

static bool is_beaten(const struct pareto_run *run, const struct pareto_run *by)
{
    return by->buffer <= run->buffer && by->steps <= run->steps &&
           (by->buffer < run->buffer || by->steps < run->steps);
}

/* A run is dominated if and only if another one of its panel is as good in both figures and better in one. */
START_TEST(dominated)
{
    struct pareto pareto;
    struct failure failure = {0};
    struct results_groups *groups = draw_groups((uint64_t)_i);
    ck_assert_int_eq(pareto_make(&pareto, groups, &failure), FAIL_NONE);
    ck_assert_uint_eq(pareto.panels, SETS);
    uint32_t drawn = 0, above = 0;
    for (uint32_t i = 0; i < GROUPS; i++)
        drawn += groups->group[i].measure[MEASURE_BUFFER].median > 0 &&
                 groups->group[i].measure[MEASURE_STEPS].median > 0;
    ck_assert_uint_eq(pareto.runs, drawn);
    for (uint32_t p = 0; p < pareto.panels; p++) {
        const struct pareto_panel *panel = &pareto.panel[p];
        for (uint32_t i = panel->first; i < panel->end; i++) {
            bool beaten = false;
            for (uint32_t k = panel->first; k < panel->end; k++)
                beaten |= is_beaten(&pareto.run[i], &pareto.run[k]);
            ck_assert_int_eq(pareto.run[i].is_dominated, beaten);
            ck_assert_str_eq(pareto.router[pareto.run[i].router], pareto.run[i].group->router);
            above += !beaten;
        }
    }
    ck_assert(above > 0 && above < drawn);
    pareto_free(&pareto);
    free(groups->group);
    free(groups);
}
END_TEST

/* Every run in front has a name left of it and below it, inside of the axes, and no name lies over another. */
START_TEST(names)
{
    struct pareto pareto;
    struct failure failure = {0};
    struct results_groups *groups = draw_groups((uint64_t)_i);
    for (uint32_t i = 0; i < GROUPS; i++)
        if (i % 2 == 0)
            snprintf(groups->group[i].parameters, sizeof groups->group[i].parameters,
                     "tree=spread, slots=%u, and more of them", i);
    ck_assert_int_eq(pareto_make(&pareto, groups, &failure), FAIL_NONE);
    for (uint32_t p = 0; p < pareto.panels; p++) {
        uint32_t in_front = 0;
        struct pareto_axes axes = pareto_axes_of(&pareto, p, _i % 2 == 0 ? 418 : 258, 222);
        pareto_place_names(&pareto, p, &axes);
        for (uint32_t i = pareto.panel[p].first; i < pareto.panel[p].end; i++)
            in_front += pareto.run[i].is_in_front;
        ck_assert_uint_eq(pareto.names, in_front);
        for (uint32_t i = 0; i < pareto.names; i++) {
            const struct pareto_name *name = &pareto.name[i];
            ck_assert_double_lt(name->right, pareto_axes_place(&axes, 0, name->run->buffer) - 4);
            ck_assert_double_lt(name->middle, pareto_axes_place(&axes, 1, name->run->steps) - 8);
            ck_assert(name->left > 0 && name->middle > PARETO_NAME_FONT / 2.0);
            for (uint32_t j = 0; j < i; j++)
                ck_assert(name->left >= pareto.name[j].right ||
                          name->right <= pareto.name[j].left ||
                          name->middle <= pareto.name[j].middle - PARETO_NAME_FONT);
        }
    }
    pareto_free(&pareto);
    free(groups->group);
    free(groups);
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
    tcase_add_loop_test(tests, names, 0, 20);
    tcase_add_test(tests, pictures);
    tcase_add_test(tests, choices);
    suite_add_tcase(suite, tests);
    return suite;
}
