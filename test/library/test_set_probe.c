/* test_set_probe.c - what a router makes of a set, for the search, and what routers promise.
 *
 * Oracle: router_run() by itself.
 */
#include "library/set_probe.h"

#include "library/view.h"
#include "test/router_case.h"
#include "workloads/pattern.h"

#include <check.h>
#include <math.h>

#undef fail /* a macro of Check's */

Suite *set_probe_suite(void);

/* The probe of a router tells what the router's run tells, finely or not. */
START_TEST(probe_of_router)
{
    struct message_set set;
    struct failure none = {0};
    struct pattern_options options = {.mesh = {8, 8}, .congestion = 4, .seed = 3};
    ck_assert_int_eq(pattern_generate(pattern_find("uniform"), &options, &set, &none), FAIL_NONE);
    for (uint32_t i = 0; i < router_count() * OBJECTIVES; i++) {
        struct router_case run = {.router = router_at(i / OBJECTIVES), .seed = 9};
        struct set_probe probe = {.objective = (enum objective)(i % OBJECTIVES)};
        struct search_figure figure = {.peak = MESH_NO_NODE}, fine = figure;
        struct router_result result;
        struct failure failure = {0};
        probe.router = run.router;
        probe.options = router_options_default();
        probe.options.seed = 9;
        ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &failure), FAIL_NONE);
        ck_assert_int_eq(set_probe_measure(&probe, &set, false, &figure, &failure), FAIL_NONE);
        ck_assert_int_eq(set_probe_measure(&probe, &set, true, &fine, &failure), FAIL_NONE);
        ck_assert_uint_eq(figure.figure, probe.objective == OBJECTIVE_BUFFER
                                             ? result.buffer_peak
                                             : result.steps - result.sync_steps);
        ck_assert_uint_eq(fine.figure, figure.figure);
        ck_assert_uint_eq(figure.peak, result.buffer_peak_node);
        ck_assert(figure.finer == 0 && !figure.fails && !fine.fails);
        ck_assert_double_ge(fine.finer, pow(result.buffer_peak, 4));
    }
    message_set_free(&set);
}
END_TEST

/* What an observer of a run sees: fourth powers of the steps of deliveries, .. */
struct seen {
    double delivered_in_steps;
    uint64_t delivered;
};

static void take_row(void *context, const struct view_row *row)
{
    struct seen *seen = context;
    for (; seen->delivered < row->delivered; seen->delivered++)
        seen->delivered_in_steps += pow((double)row->step, 4);
}

/* The finer figure is the sum of the fourth powers of all peaks, or of the steps of all deliveries. */
START_TEST(finer)
{
    struct message_set set;
    struct failure failure = {0};
    struct pattern_options options = {.mesh = {6, 9}, .congestion = 4, .seed = 5};
    ck_assert_int_eq(pattern_generate(pattern_find("uniform"), &options, &set, &failure),
                     FAIL_NONE);
    struct seen seen = {0};
    struct view view;
    struct view_plan plan = {.every = 1, .take = take_row, .take_context = &seen};
    struct router_case run = router_case_make("trees", NULL);
    struct router_result result;
    double of_peaks = 0;
    ck_assert_int_eq(view_make(&view, set.mesh, &plan, &failure), FAIL_NONE);
    run.observer = &view.observer;
    ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &failure), FAIL_NONE);
    view_finish(&view, result.steps);
    for (uint32_t node = 0; node < mesh_nodes(set.mesh); node++)
        of_peaks += pow(view.peak[node], 4);
    ck_assert_uint_gt(result.buffer_peak, 1);
    ck_assert_uint_eq(seen.delivered, set.deliveries - message_set_count_home(&set).deliveries);
    for (int objective = 0; objective < OBJECTIVES; objective++) {
        struct set_probe probe = {.router = run.router, .objective = (enum objective)objective};
        struct search_figure fine = {.peak = MESH_NO_NODE};
        probe.options = router_options_default();
        ck_assert_int_eq(set_probe_measure(&probe, &set, true, &fine, &failure), FAIL_NONE);
        ck_assert_double_eq(fine.finer,
                            objective == OBJECTIVE_BUFFER ? of_peaks : seen.delivered_in_steps);
    }
    view_free(&view);
    message_set_free(&set);
}
END_TEST

/* Every router has a promise for both objectives, and some bounds are what their formulas say. */
START_TEST(promises)
{
    struct promise_case run = {.mesh = {64, 64}, .congestion = 16, .copy_is_free = true};
    for (uint32_t i = 0; i < router_count() * OBJECTIVES; i++) {
        const struct promise *promise =
            promise_find(router_at(i / OBJECTIVES)->name, (enum objective)(i % OBJECTIVES));
        ck_assert_ptr_nonnull(promise);
        ck_assert_int_eq(promise->kind == PROMISE_NONE, promise->bound == NULL);
    }
    ck_assert_uint_eq(promise_count(), router_count() * OBJECTIVES);
    const struct promise *steps = promise_find("stream", OBJECTIVE_STEPS);
    ck_assert_double_eq_tol(promise_bound(steps, &run), 4 * 256 + 4 * 64, 1e-9);
    run.copy_is_free = false;
    ck_assert_double_eq_tol(promise_bound(steps, &run), 1.6 * (4 * 256 + 4 * 64), 1e-9);
    const struct promise *expander = promise_find("expander", OBJECTIVE_STEPS);
    ck_assert_double_eq_tol(promise_bound(expander, &run), 1.6 * (12 * 256 + 12 * 64), 1e-9);
    run.congestion = 3; /* unicast */
    ck_assert_double_eq(promise_bound(expander, &run), 0);
    run.congestion = 512; /* s < 4 */
    ck_assert_double_eq(promise_bound(steps, &run), 0);
    ck_assert_double_eq(promise_bound(expander, &run), 0);
    run.capacity = 15;
    ck_assert_double_eq(promise_bound(promise_find("stream", OBJECTIVE_BUFFER), &run), 15);
    ck_assert_double_eq(promise_bound(promise_find("trees", OBJECTIVE_BUFFER), &run), 0);
}
END_TEST

Suite *set_probe_suite(void)
{
    Suite *suite = suite_create("set_probe");
    TCase *tests = tcase_create("set_probe");
    tcase_add_test(tests, probe_of_router);
    tcase_add_test(tests, finer);
    tcase_add_test(tests, promises);
    suite_add_tcase(suite, tests);
    return suite;
}
