/* test_random.c - the promises of router `random` only: its bound, its phases, its constant
 * buffers.
 *
 * Deliveries, audits and the knowledge of nodes are tested for all routers together (test_router.c,
 * test_capacity.c, test_determinism.c, test_locality.c). S is sqrt(c n), and m the side.
 */
#include "test/length.h"
#include "test/routers/router_case.h"

#include <check.h>
#include <math.h>
#include <string.h>

/* The capacities that are enforced if the user gives none. */
enum { CAPACITY_FREE = 12, CAPACITY_UNIT = 19 };

static void make_set(struct plain_set *set, const char *pattern, struct grid mesh, uint32_t d,
                     uint32_t c)
{
    ck_assert(plain_set_gen(set, pattern, mesh, d, c, 7, NULL));
}

static void run_well(const struct router_case *run, const struct plain_set *set,
                     struct case_result *result)
{
    char text[ROUTER_CASE_TEXT];
    struct meshcast_error failure = {0};
    enum meshcast_status kind = router_case_run(run, set, NULL, result, &failure);
    ck_assert_msg(kind == MESHCAST_OK, "%s: %s", router_case_text(run, set, text), failure.text);
}

/* Returns how often a phase of that name comes, and its steps. */
static uint32_t phases_named(const struct case_result *result, const char *name, uint64_t *steps)
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

/* ---- steps and buffers ---- */

/* Checks the run against its promises. */
static void check_run(const struct router_case *run, const struct plain_set *set,
                      struct case_result *result)
{
    run_well(run, set, result);
    bool circulates = strcmp(result->ran_as, "circulate") == 0 && result->attempts == 0;
    uint32_t capacity = run->copy_is_free ? CAPACITY_FREE : CAPACITY_UNIT;
    ck_assert_uint_gt(result->proven_steps, 0);
    ck_assert_uint_le(result->steps, result->proven_steps);
    ck_assert_uint_le(result->buffer_peak, result->buffer_capacity);
    if (!circulates)
        ck_assert_uint_eq(result->buffer_capacity, capacity);
}

enum { MOST_DELIVERIES = 300000 }; /* more need too long here */

/* On 64 x 64, every pattern, one attempt of 3 S + 4 m steps at most stands, without
 * synchronisation; with d > c 6 S + 10 m. In short tests costs of copies alternate. */
START_TEST(test_goals)
{
    static const struct grid mesh = {64, 64};
    uint32_t c = _i == 0 ? 16 : 64;
    for (uint32_t pattern = 0; pattern < case_pattern_count(); pattern++) {
        struct plain_set set;
        if (!router_case_pattern(&set, pattern, mesh, 0, c, 3))
            continue;
        for (uint32_t copy = 0; copy < 2 && set.deliveries <= MOST_DELIVERIES; copy++) {
            struct router_case run = router_case_make("random", NULL);
            struct case_result result;
            if (TEST_IS_SHORT && (pattern + (uint32_t)_i) % 2 != copy)
                continue;
            run.copy_is_free = copy == 1;
            check_run(&run, &set, &result);
            bool is_low = result.degree <= result.congestion;
            double root = 64 * sqrt(result.congestion);
            double bound = is_low ? 3 * root + 4 * 64 : 6 * root + 10 * 64;
            ck_assert_uint_eq(result.attempts, 0);
            ck_assert_double_le((double)(result.steps - result.sync_steps),
                                copy == 1 ? bound : 1.6 * bound);
        }
        plain_set_free(&set);
    }
}
END_TEST

/* The bound and the capacity hold on odd sides, unequal tiles and lines, also with d > c. In short
 * tests costs of copies alternate, and the largest mesh is left out. */
START_TEST(test_odd_sides)
{
    static const struct {
        struct grid mesh;
        uint32_t d, c;
    } loads[] = {{{99, 101}, 200, 64}, {{65, 65}, 64, 16}, {{63, 63}, 60, 60},
                 {{37, 41}, 60, 20},   {{5, 200}, 30, 7},  {{90, 23}, 9, 30},
                 {{1, 300}, 2, 2},     {{300, 2}, 3, 2},   {{48, 33}, 10, 9}};
    for (size_t i = TEST_IS_SHORT; i < sizeof loads / sizeof *loads; i++)
        for (int copy = 0; copy < 2; copy++) {
            if (TEST_IS_SHORT && i % 2 != (size_t)copy)
                continue;
            struct router_case run = router_case_make("random", NULL);
            struct case_result result;
            struct plain_set set;
            make_set(&set, "uniform", loads[i].mesh, loads[i].d, loads[i].c);
            run.copy_is_free = copy;
            check_run(&run, &set, &result);
            plain_set_free(&set);
        }
}
END_TEST

/* A run is that of circulate if its tour is not longer than the least steps of an attempt: here 2 m
 * - 2 to the groups, c visits of s steps and as many shifts but one, 2 s to drain, and an OR of 2
 * m. */
START_TEST(test_circulates)
{
    static const uint32_t sides[] = {16, 32, 64};
    uint32_t circulated = 0, ran = 0;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        for (uint32_t root = 2; root <= 16; root *= 2) {
            uint32_t m = sides[i], c = root * root, s = m / root;
            struct router_case run = router_case_make("random", NULL);
            struct case_result result;
            struct plain_set set;
            if (4 * root > m)
                continue;
            make_set(&set, "hotspot", (struct grid){m, m}, 0, c);
            run.copy_is_free = true;
            run_well(&run, &set, &result);
            ck_assert_uint_eq(result.congestion, c);
            bool is_tour = m * m / 2 <= 4 * m - 2 + (2 * c - 1) * s + 2 * s;
            ck_assert_str_eq(result.ran_as, is_tour ? "circulate" : "");
            if (is_tour)
                ck_assert_uint_le(result.steps, m * m / 2);
            circulated += is_tour;
            ran += !is_tour;
            plain_set_free(&set);
        }
    ck_assert_uint_ge(circulated, 2);
    ck_assert_uint_ge(ran, 2);
}
END_TEST

/* ---- sets that are made for the seed ---- */

/* At each visit all masters in every fourth tile want the same few nodes of it, in the tiles that
 * they have with seed 5, in each of the four attempts with a known congestion, c = 16: it was made
 * by one who knows how groups are drawn. */
static void make_adverse(struct plain_set *set)
{
    plain_set_of(set, meshcast_set_read("test/worst/random-adverse-seed-5.mcast.gz", NULL));
}

/* A user who knows the seed can make all four attempts void: then the packets circulate, and
 * nothing is missing, no node holds too much, and the promise is kept. Audited, and the same for
 * every number of threads. Other seeds are not affected. */
START_TEST(test_adverse)
{
    struct router_case run = router_case_make("random", NULL);
    struct case_result result, other;
    struct plain_set set;
    run.seed = 5;
    run.copy_is_free = true;
    make_adverse(&set);
    router_case_check(&run, &set, &result);
    check_run(&run, &set, &result);
    ck_assert_uint_eq(result.congestion, 16);
    ck_assert_uint_eq(result.attempts, 5);
    ck_assert_str_eq(result.ran_as, "circulate");
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_uint_gt(result.attempt[i].discarded, 0);
    run.threads = 3;
    run_well(&run, &set, &other);
    ck_assert(router_case_same(&result, &other));
    run.seed = 6;
    check_run(&run, &set, &result);
    ck_assert_uint_eq(result.attempts, 0);
    plain_set_free(&set);
}
END_TEST

/* With unit copies no node overflows on the same set. */
START_TEST(test_adverse_unit)
{
    struct router_case run = router_case_make("random", NULL);
    struct case_result result;
    struct plain_set set;
    make_adverse(&set);
    run.seed = 5;
    check_run(&run, &set, &result);
    ck_assert_uint_eq(result.attempts, 0);
    ck_assert_uint_gt(result.buffer_peak, CAPACITY_FREE);
    plain_set_free(&set);
}
END_TEST

/* ---- phases ---- */

/* Phase 0 delivers all in tiles of side 16, for ten seeds, in short tests four; the seed changes
 * the movements. */
START_TEST(test_one_phase)
{
    struct router_case run = router_case_make("random", NULL);
    struct case_result result;
    struct plain_set set;
    uint64_t steps, hops = 0;
    uint32_t same = 0;
    make_set(&set, "uniform", (struct grid){64, 64}, 16, 16);
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
    plain_set_free(&set);
}
END_TEST

/* With unit copies some packets are left for phase 1 where K = 1 (c log2(n)^2 > n): it delivers
 * them, and the attempt stands. */
START_TEST(test_what_is_left)
{
    struct router_case run = router_case_make("random", NULL);
    struct case_result result;
    struct plain_set set;
    uint64_t steps;
    make_set(&set, "block", (struct grid){28, 28}, 0, 24);
    router_case_check(&run, &set, &result);
    check_run(&run, &set, &result);
    ck_assert_uint_eq(phases_named(&result, "return (phase 0)", &steps), 1);
    ck_assert_uint_eq(phases_named(&result, "scatter (phase 1)", &steps), 1);
    ck_assert_uint_eq(result.attempts, 0);
    plain_set_free(&set);
}
END_TEST

/* A buffer of the user's that is too small ends the run with the model's overflow, and has no
 * promise. */
START_TEST(test_starved)
{
    struct router_case run = router_case_make("random", NULL);
    struct plain_set set;
    make_set(&set, "uniform", (struct grid){48, 48}, 16, 16);
    for (run.buffer = 1; run.buffer <= 4; run.buffer++) {
        struct case_result result;
        struct meshcast_error failure = {0};
        ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &failure), MESHCAST_CHECK);
        ck_assert_msg(strstr(failure.text, "buffer overflow") != NULL, "%s", failure.text);
        ck_assert_uint_gt(result.buffer_peak, run.buffer);
        ck_assert_uint_eq(result.proven_steps, 0);
    }
    plain_set_free(&set);
}
END_TEST

void random_suite(TCase *tests)
{
    tcase_add_loop_test(tests, test_goals, 0, 2);
    tcase_add_test(tests, test_odd_sides);
    tcase_add_test(tests, test_circulates);
    tcase_add_test(tests, test_adverse);
    tcase_add_test(tests, test_adverse_unit);
    tcase_add_test(tests, test_one_phase);
    tcase_add_test(tests, test_what_is_left);
    tcase_add_test(tests, test_starved);
}
