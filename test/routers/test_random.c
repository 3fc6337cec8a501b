/* test_random.c - what router `random` alone promises: its goals, its phases, its constant buffers.
 *
 * That it delivers, audits clean and keeps to what nodes know is tested for all routers together
 * (test_router.c, test_capacity.c, test_determinism.c, test_locality.c). Goals are those of the
 * banners, as multiples of S = sqrt(c n) and of the side m; with unit copies and synchronisations
 * 1.6 times as many steps are allowed.
 */
#include "test/length.h"
#include "test/router_case.h"
#include "workloads/pattern.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

Suite *random_suite(void);

/* The capacities that are enforced where the user gives none. */
enum { CAPACITY_FREE = 12, CAPACITY_UNIT = 19 };

static void make_set(struct message_set *set, const char *pattern, struct mesh mesh, uint32_t d,
                     uint32_t c)
{
    struct pattern_options options = {.mesh = mesh, .degree = d, .congestion = c, .seed = 7};
    struct failure failure = {0};
    enum failure_kind kind = pattern_generate(pattern_find(pattern), &options, set, &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s: %s", pattern, failure.text);
}

static void run_well(const struct router_case *run, const struct message_set *set,
                     struct router_result *result)
{
    char text[ROUTER_CASE_TEXT];
    struct failure failure = {0};
    enum failure_kind kind = router_case_run(run, set, NULL, result, &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s: %s", router_case_text(run, set, text), failure.text);
}

/* How often a phase of that name comes, and its steps. */
static uint32_t phases_named(const struct router_result *result, const char *name, uint64_t *steps)
{
    uint32_t found = 0;
    *steps = 0;
    for (uint32_t i = 0; i < result->phases; i++)
        if (strcmp(result->phase[i].name, name) == 0) {
            *steps += result->phase[i].steps;
            found++;
        }
    return found;
}

/* ---- goals ---- */

static const struct goal {
    const char *parameters;
    double wide, narrow; /* multiples of S: tiles of side 8 and more, of side 4 */
} GOALS[] = {
    {"variant=rank", 9, 12},
    {"variant=direct", 4, 12},
};
enum { GOAL_COUNT = sizeof GOALS / sizeof *GOALS };

static void check_goal(const struct goal *goal, const struct message_set *set, bool copy_is_free)
{
    struct router_case run = router_case_make("random", goal->parameters);
    struct router_result result;
    char text[ROUTER_CASE_TEXT];
    run.copy_is_free = copy_is_free;
    run_well(&run, set, &result);
    double c = result.congestion, n = mesh_nodes(set->mesh);
    bool is_wide = n >= 64 * c;
    double bound = (is_wide ? goal->wide : goal->narrow) * sqrt(c * n) + 10 * sqrt(n);
    double steps =
        copy_is_free ? (double)(result.steps - result.sync_steps) : (double)result.steps / 1.6;
    ck_assert_msg(steps <= bound, "%s: %.0f steps, %.0f are allowed",
                  router_case_text(&run, set, text), steps, bound);
    ck_assert_uint_eq(result.buffer_capacity, copy_is_free ? CAPACITY_FREE : CAPACITY_UNIT);
    ck_assert_uint_le(result.buffer_peak, result.buffer_capacity);
}

enum { MOST_DELIVERIES = 300000 }; /* more take too long here; doc/bench.md has them */

/* Both variants within their goals and the capacity on 64 x 64, every pattern, c = 16 and 256; in short
 * tests costs of copies alternate. */
START_TEST(test_goals)
{
    for (uint32_t c = 16; c <= 256; c *= 16)
        for (uint32_t pattern = 0; pattern < pattern_count(); pattern++) {
            struct message_set set;
            if (!router_case_pattern(&set, pattern, (struct mesh){64, 64}, 0, c, 3))
                continue;
            if (set.deliveries <= MOST_DELIVERIES) {
                for (uint32_t copy = 0; copy < 2; copy++)
                    if (!TEST_IS_SHORT || (pattern + (uint32_t)_i) % 2 == copy)
                        check_goal(&GOALS[_i], &set, copy);
            }
            message_set_free(&set);
        }
}
END_TEST

/* The capacity is enough on odd sides and unequal tiles, with d > c too: two masters a node, and
 * several at the last node of a small tile. In short tests costs of copies alternate, and the largest mesh
 * is left out. */
START_TEST(test_odd_sides)
{
    static const struct {
        struct mesh mesh;
        uint32_t d, c;
    } loads[] = {{{99, 101}, 200, 64}, {{65, 65}, 64, 16}, {{63, 63}, 60, 60},
                 {{37, 41}, 60, 20},   {{5, 200}, 30, 7},  {{90, 23}, 9, 30}};
    for (size_t i = TEST_IS_SHORT; i < sizeof loads / sizeof *loads; i++)
        for (int copy = 0; copy < 2; copy++) {
            if (TEST_IS_SHORT && (i + (size_t)_i) % 2 != (size_t)copy)
                continue;
            struct router_case run = router_case_make("random", GOALS[_i].parameters);
            struct router_result result;
            struct message_set set;
            make_set(&set, "uniform", loads[i].mesh, loads[i].d, loads[i].c);
            run.copy_is_free = copy;
            run_well(&run, &set, &result);
            ck_assert_uint_eq(result.buffer_capacity, copy ? CAPACITY_FREE : CAPACITY_UNIT);
            message_set_free(&set);
        }
}
END_TEST

/* The visits take the same multiple of S, within 8 %, whatever n and c from 16 on, in tiles
 * of side 8 to 32; in short tests without the largest meshes. */
START_TEST(test_flat)
{
    static const uint32_t sizes[][2] = {{32, 16}, {64, 64}, {64, 16}, {128, 64}, {128, 16}};
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < (TEST_IS_SHORT ? 3 : sizeof sizes / sizeof *sizes); i++) {
        struct router_case run = router_case_make("random", GOALS[_i].parameters);
        struct router_result result;
        struct message_set set;
        uint64_t steps;
        uint32_t m = sizes[i][0], c = sizes[i][1];
        make_set(&set, "hotspot", (struct mesh){m, m}, 0, c);
        run.copy_is_free = true;
        run_well(&run, &set, &result);
        ck_assert_uint_eq(result.congestion, c);
        ck_assert_uint_eq(phases_named(&result, "visit tiles (phase 0)", &steps), 1);
        double share = (double)steps / (m * sqrt(c));
        least = share < least ? share : least;
        most = share > most ? share : most;
        message_set_free(&set);
    }
    ck_assert_msg(most <= 1.08 * least, "%.2f S to %.2f S", least, most);
}
END_TEST

/* Fewer steps than the n / 2 of circulate where tiles have sides of 64; in long tests. */
START_TEST(test_beats_circulate)
{
    if (TEST_IS_SHORT)
        return;
    struct router_case run = router_case_make("random", NULL);
    struct router_result result;
    struct message_set set;
    make_set(&set, "hotspot", (struct mesh){256, 256}, 0, 16);
    run.copy_is_free = true;
    run_well(&run, &set, &result);
    ck_assert_uint_lt(result.steps, 256 * 256 / 2);
    message_set_free(&set);
}
END_TEST

/* ---- phases ---- */

/* Above c = n/16 the run is that of circulate; at c = n/16 it is not. */
START_TEST(test_circulates)
{
    for (uint32_t c = 16; c <= 17; c++) {
        struct router_case run = router_case_make("random", "variant=direct");
        struct router_case other = router_case_make("circulate", NULL);
        struct router_result result, circulated;
        struct message_set set;
        make_set(&set, "uniform", (struct mesh){16, 16}, c, c);
        run_well(&run, &set, &result);
        run_well(&other, &set, &circulated);
        ck_assert_uint_eq(result.congestion, c);
        bool same = result.phases == 1 && strcmp(result.phase[0].name, "tour") == 0 &&
                    result.steps == circulated.steps &&
                    result.packet_hops == circulated.packet_hops;
        ck_assert_msg(same == (c == 17), "c = %" PRIu32, c);
        ck_assert_str_eq(result.parameter[0].value, "direct");
        message_set_free(&set);
    }
}
END_TEST

/* With r = 3 phase 0 delivers all in tiles of side 16, for ten seeds, in short tests four; seeds differ in what
 * moves. */
START_TEST(test_one_phase)
{
    struct router_case run = router_case_make("random", NULL);
    struct router_result result;
    struct message_set set;
    uint64_t steps, hops = 0;
    uint32_t same = 0;
    make_set(&set, "uniform", (struct mesh){64, 64}, 16, 16);
    run.copy_is_free = true;
    for (run.seed = 0; run.seed < (TEST_IS_SHORT ? 4 : 10); run.seed++) {
        run_well(&run, &set, &result);
        ck_assert_uint_eq(phases_named(&result, "scatter (phase 0)", &steps), 1);
        ck_assert_uint_eq(phases_named(&result, "visit tiles (phase 0)", &steps), 1);
        ck_assert_uint_eq(phases_named(&result, "scatter (phase 1)", &steps), 0);
        same += result.packet_hops == hops;
        hops = result.packet_hops;
    }
    ck_assert_uint_le(same, 2);
    message_set_free(&set);
}
END_TEST

/* With r = 1 packets are left: for phase 1 where K = 1, for another round of phase 0 where K = 0
 * (Step 3); they are delivered then. */
START_TEST(test_what_is_left)
{
    struct router_case run = router_case_make("random", "r=1");
    struct router_result result;
    struct message_set set;
    uint64_t steps;
    make_set(&set, "uniform", (struct mesh){32, 32}, 16, 16); /* c log^2 n / n = 1.6 */
    router_case_check(&run, &set, &result);
    ck_assert_uint_eq(phases_named(&result, "visit tiles (phase 0)", &steps), 1);
    ck_assert_uint_eq(phases_named(&result, "return (phase 0)", &steps), 1);
    ck_assert_uint_ge(steps, 8); /* to the first tile, of side 8 */
    ck_assert_uint_eq(phases_named(&result, "scatter (phase 1)", &steps), 1);
    ck_assert_uint_le(steps, 62);
    message_set_free(&set);
    make_set(&set, "uniform", (struct mesh){64, 64}, 16, 16); /* 0.6 */
    router_case_check(&run, &set, &result);
    ck_assert_uint_ge(phases_named(&result, "visit tiles (phase 0)", &steps), 2);
    ck_assert_uint_eq(phases_named(&result, "scatter (phase 1)", &steps), 0);
    message_set_free(&set);
}
END_TEST

/* A buffer that is too small ends the run with the model's overflow, whatever the variant. */
START_TEST(test_starved)
{
    struct router_case run = router_case_make("random", GOALS[_i].parameters);
    struct message_set set;
    make_set(&set, "uniform", (struct mesh){32, 32}, 16, 16);
    for (run.buffer = 1; run.buffer <= 4; run.buffer++) {
        struct router_result result;
        struct failure failure = {0};
        ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &failure), FAIL_CHECK);
        ck_assert_msg(strstr(failure.text, "buffer overflow") != NULL, "%s", failure.text);
        ck_assert_uint_gt(result.buffer_peak, run.buffer);
    }
    message_set_free(&set);
}
END_TEST

Suite *random_suite(void)
{
    Suite *suite = suite_create("random");
    TCase *goals = tcase_create("goals");
    tcase_add_loop_test(goals, test_goals, 0, GOAL_COUNT);
    tcase_add_loop_test(goals, test_odd_sides, 0, GOAL_COUNT);
    tcase_add_loop_test(goals, test_flat, 0, GOAL_COUNT);
    tcase_add_test(goals, test_beats_circulate);
    suite_add_tcase(suite, goals);

    TCase *phases = tcase_create("phases");
    tcase_add_test(phases, test_circulates);
    tcase_add_test(phases, test_one_phase);
    tcase_add_test(phases, test_what_is_left);
    tcase_add_loop_test(phases, test_starved, 0, GOAL_COUNT);
    suite_add_tcase(suite, phases);
    return suite;
}
