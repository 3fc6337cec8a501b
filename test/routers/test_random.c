/* test_random.c - what router `random` alone promises: its bound, its phases, its constant buffers.
 *
 * That it delivers, audits clean and keeps to what nodes know is tested for all routers together
 * (test_router.c, test_capacity.c, test_determinism.c, test_locality.c). S is sqrt(c n), and m the side.
 */
#include "base/pcg.h"
#include "primitives/mesh_permutation.h"
#include "primitives/tile_cycle.h"
#include "test/length.h"
#include "test/router_case.h"
#include "workloads/pattern.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
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

/* ---- steps and buffers ---- */

/* The run within what was promised before it. */
static void check_run(const struct router_case *run, const struct message_set *set,
                      struct router_result *result)
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

/* On 64 x 64, every pattern, one attempt of 3 S + 4 m steps at most stands, without synchronisation; with d > c 6 S +
 * 10 m. In short tests costs of copies alternate. */
START_TEST(test_goals)
{
    static const struct mesh mesh = {64, 64};
    uint32_t c = _i == 0 ? 16 : 64;
    for (uint32_t pattern = 0; pattern < pattern_count(); pattern++) {
        struct message_set set;
        if (!router_case_pattern(&set, pattern, mesh, 0, c, 3))
            continue;
        for (uint32_t copy = 0; copy < 2 && set.deliveries <= MOST_DELIVERIES; copy++) {
            struct router_case run = router_case_make("random", NULL);
            struct router_result result;
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
        message_set_free(&set);
    }
}
END_TEST

/* The bound and the capacity hold on odd sides, unequal tiles and lines, with d > c too. In short tests costs of
 * copies alternate, and the largest mesh is left out. */
START_TEST(test_odd_sides)
{
    static const struct {
        struct mesh mesh;
        uint32_t d, c;
    } loads[] = {{{99, 101}, 200, 64}, {{65, 65}, 64, 16}, {{63, 63}, 60, 60},
                 {{37, 41}, 60, 20},   {{5, 200}, 30, 7},  {{90, 23}, 9, 30},
                 {{1, 300}, 2, 2},     {{300, 2}, 3, 2},   {{48, 33}, 10, 9}};
    for (size_t i = TEST_IS_SHORT; i < sizeof loads / sizeof *loads; i++)
        for (int copy = 0; copy < 2; copy++) {
            if (TEST_IS_SHORT && i % 2 != (size_t)copy)
                continue;
            struct router_case run = router_case_make("random", NULL);
            struct router_result result;
            struct message_set set;
            make_set(&set, "uniform", loads[i].mesh, loads[i].d, loads[i].c);
            run.copy_is_free = copy;
            check_run(&run, &set, &result);
            message_set_free(&set);
        }
}
END_TEST

/* A run is that of circulate where its tour is not longer than what an attempt takes in any case: here 2 m - 2 to the
 * groups, c visits of s steps and as many shifts but one, 2 s to drain, and an OR of 2 m. */
START_TEST(test_circulates)
{
    static const uint32_t sides[] = {16, 32, 64};
    uint32_t circulated = 0, ran = 0;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        for (uint32_t root = 2; root <= 16; root *= 2) {
            uint32_t m = sides[i], c = root * root, s = m / root;
            struct router_case run = router_case_make("random", NULL);
            struct router_result result;
            struct message_set set;
            if (4 * root > m)
                continue;
            make_set(&set, "hotspot", (struct mesh){m, m}, 0, c);
            run.copy_is_free = true;
            run_well(&run, &set, &result);
            ck_assert_uint_eq(result.congestion, c);
            bool is_tour = m * m / 2 <= 4 * m - 2 + (2 * c - 1) * s + 2 * s;
            ck_assert_str_eq(result.ran_as, is_tour ? "circulate" : "");
            if (is_tour)
                ck_assert_uint_le(result.steps, m * m / 2);
            circulated += is_tour;
            ran += !is_tour;
            message_set_free(&set);
        }
    ck_assert_uint_ge(circulated, 2);
    ck_assert_uint_ge(ran, 2);
}
END_TEST

/* ---- sets that are made for the seed ---- */

/* The seed of attempt 1, 2, ..: attempts.c. */
static uint64_t seed_of_attempt(uint64_t seed, uint32_t attempt)
{
    if (attempt == 1)
        return seed;
    return (uint64_t)pcg32_at(seed, 0x5eed, 2 * attempt) << 32 |
           pcg32_at(seed, 0x5eed, 2 * attempt + 1);
}

enum { ADVERSE_SIDE = 48, ADVERSE_TILES = 16, ADVERSE_TILE = ADVERSE_SIDE / 4, ATTEMPTS = 4 };

/* A tile that is attacked in an attempt: how many masters that send rows first, or columns first, have been given a
 * destination in it. */
struct victim {
    uint32_t given[2];
};

/* Returns the next of the tile's nodes, each c times: for trees along rows first down the columns of the left half, for
 * the others along the rows of the right half, so that many turn into one line. */
static node_index next_victim(struct victim *victim, uint32_t tile, bool columns_first)
{
    uint32_t number = victim->given[columns_first]++ / ADVERSE_TILES, half = ADVERSE_TILE / 2;
    uint32_t row = columns_first ? number / half : number % ADVERSE_TILE;
    uint32_t col = columns_first ? half + number % half : number / ADVERSE_TILE;
    uint32_t across = ADVERSE_SIDE / ADVERSE_TILE;
    return (tile / across * ADVERSE_TILE + row) * ADVERSE_SIDE + tile % across * ADVERSE_TILE + col;
}

/* Adds the pairs of attempt `attempt`: at each visit all masters in every fourth tile want the same few nodes of it. */
static void attack(const struct tile_cycle *cycle, uint64_t seed, uint32_t attempt,
                   node_index from[], node_index to[], uint64_t *pairs)
{
    enum { STREAM_GROUPS = 0x67726f75 };
    struct mesh mesh = {ADVERSE_SIDE, ADVERSE_SIDE};
    struct victim victim[ADVERSE_TILES] = {{{0}}};
    struct mesh_permutation permutation;
    ck_assert_int_eq(mesh_permutation_make(&permutation, seed_of_attempt(seed, attempt),
                                           STREAM_GROUPS, mesh, NULL),
                     FAIL_NONE);
    for (uint32_t visit = 0; visit < ADVERSE_TILES; visit++)
        for (node_index node = 0; node < mesh_nodes(mesh); node++) {
            node_place start = mesh_permutation_at(
                &permutation, place_of(node / ADVERSE_SIDE, node % ADVERSE_SIDE));
            struct seat seat = tile_cycle_seat(cycle, start);
            uint32_t way = seat.goes_forward ? visit : ADVERSE_TILES - visit;
            uint32_t position = (tile_cycle_position(cycle, start) + way) % ADVERSE_TILES;
            if (position % ATTEMPTS + 1 != attempt)
                continue;
            node_place home = tile_cycle_home(cycle, position, seat.cell);
            bool columns_first = (place_row(home) + place_col(home)) % 2 == 1;
            node_index goal = next_victim(&victim[position], cycle->tile[position], columns_first);
            if (goal != node) {
                from[*pairs] = node;
                to[(*pairs)++] = goal;
            }
        }
    mesh_permutation_free(&permutation);
}

/* For c = 16: against the first `attempts` attempts with that seed. */
static void make_adverse(struct message_set *set, uint64_t seed, uint32_t attempts)
{
    struct mesh mesh = {ADVERSE_SIDE, ADVERSE_SIDE};
    uint64_t most = (uint64_t)ADVERSE_TILES * mesh_nodes(mesh), pairs = 0;
    node_index *from = malloc(most * sizeof *from), *to = malloc(most * sizeof *to);
    struct tessellation tiles;
    struct tile_cycle cycle;
    ck_assert_int_eq(tessellation_make(&tiles, mesh, ADVERSE_TILES, NULL), FAIL_NONE);
    ck_assert_int_eq(tile_cycle_make(&cycle, &tiles, NULL), FAIL_NONE);
    for (uint32_t attempt = 1; attempt <= attempts; attempt++)
        attack(&cycle, seed, attempt, from, to, &pairs);
    ck_assert_int_eq(message_set_from_pairs(set, shape_of_mesh(mesh), pairs, from, to, NULL),
                     FAIL_NONE);
    tile_cycle_free(&cycle);
    tessellation_free(&tiles);
    free(from);
    free(to);
}

/* Who knows the seed can make one attempt void, or all four: then the packets circulate, and nothing is missing, no
 * node holds too much, and the promise is kept. Audited, and the same for every number of threads. Other seeds are not
 * touched by it. */
START_TEST(test_adverse)
{
    struct router_case run = router_case_make("random", NULL);
    struct router_result result, other;
    struct message_set set;
    uint32_t voids = _i == 0 ? 1 : ATTEMPTS;
    run.seed = 5;
    run.copy_is_free = true;
    make_adverse(&set, run.seed, voids);
    router_case_check(&run, &set, &result);
    check_run(&run, &set, &result);
    ck_assert_uint_eq(result.congestion, ADVERSE_TILES);
    ck_assert_uint_eq(result.attempts, voids + 1);
    ck_assert_str_eq(result.ran_as, voids == ATTEMPTS ? "circulate" : "");
    for (uint32_t i = 0; i < voids; i++)
        ck_assert_uint_gt(result.attempt[i].discarded, 0);
    run.threads = 3;
    run_well(&run, &set, &other);
    ck_assert(router_case_same(&result, &other));
    run.seed = 6;
    check_run(&run, &set, &result);
    ck_assert_uint_eq(result.attempts, 0);
    message_set_free(&set);
}
END_TEST

/* With unit copies no node overflows on the same set. */
START_TEST(test_adverse_unit)
{
    struct router_case run = router_case_make("random", NULL);
    struct router_result result;
    struct message_set set;
    make_adverse(&set, 5, ATTEMPTS);
    run.seed = 5;
    check_run(&run, &set, &result);
    ck_assert_uint_eq(result.attempts, 0);
    ck_assert_uint_gt(result.buffer_peak, CAPACITY_FREE);
    message_set_free(&set);
}
END_TEST

/* ---- phases ---- */

/* Phase 0 delivers all in tiles of side 16, for ten seeds, in short tests four; seeds differ in what moves. */
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

/* With unit copies some packets are left for phase 1 where K = 1 (c log2(n)^2 > n): it delivers them, and the attempt
 * stands. */
START_TEST(test_what_is_left)
{
    struct router_case run = router_case_make("random", NULL);
    struct router_result result;
    struct message_set set;
    uint64_t steps;
    make_set(&set, "block", (struct mesh){28, 28}, 0, 24);
    router_case_check(&run, &set, &result);
    check_run(&run, &set, &result);
    ck_assert_uint_eq(phases_named(&result, "return (phase 0)", &steps), 1);
    ck_assert_uint_eq(phases_named(&result, "scatter (phase 1)", &steps), 1);
    ck_assert_uint_eq(result.attempts, 0);
    message_set_free(&set);
}
END_TEST

/* A buffer of the user's that is too small ends the run with the model's overflow, and has no promise. */
START_TEST(test_starved)
{
    struct router_case run = router_case_make("random", NULL);
    struct message_set set;
    make_set(&set, "uniform", (struct mesh){48, 48}, 16, 16);
    for (run.buffer = 1; run.buffer <= 4; run.buffer++) {
        struct router_result result;
        struct failure failure = {0};
        ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &failure), FAIL_CHECK);
        ck_assert_msg(strstr(failure.text, "buffer overflow") != NULL, "%s", failure.text);
        ck_assert_uint_gt(result.buffer_peak, run.buffer);
        ck_assert_uint_eq(result.proven_steps, 0);
    }
    message_set_free(&set);
}
END_TEST

Suite *random_suite(void)
{
    Suite *suite = suite_create("random");
    TCase *goals = tcase_create("goals");
    tcase_add_loop_test(goals, test_goals, 0, 2);
    tcase_add_test(goals, test_odd_sides);
    tcase_add_test(goals, test_circulates);
    tcase_add_loop_test(goals, test_adverse, 0, 2);
    tcase_add_test(goals, test_adverse_unit);
    suite_add_tcase(suite, goals);

    TCase *phases = tcase_create("phases");
    tcase_add_test(phases, test_one_phase);
    tcase_add_test(phases, test_what_is_left);
    tcase_add_test(phases, test_starved);
    suite_add_tcase(suite, phases);
    return suite;
}
