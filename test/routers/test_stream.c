/* test_stream.c - the promises of router `stream` only: capacities, slots, and the goals of time.
 *
 * Goals, where c is at most n / 16, S = sqrt(c n), m the longer side: free copies, without
 * synchronisation, 1.6 S + 4 m steps; unit copies with synchronisation 1.6 times that, or where a
 * message goes to all nodes, and so is copied at every hop, 2.2 times. Free copies: 12 packets a
 * node. On every pattern, and on the matrices of test/data; sets made by one who knows the seed are
 * suite `worst`. The promises of all routers are tested with all of them (test_router.c,
 * test_capacity.c, ...).
 */
#include "test/length.h"
#include "test/routers/router_case.h"

#include <check.h>
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- capacities ---- */

/* A set with one message to each node from the one before it, and c messages to node 0. */
static void crowd(struct plain_set *set, struct grid mesh, uint32_t congestion)
{
    uint32_t nodes = grid_nodes(mesh);
    uint32_t *from = malloc((nodes + congestion) * sizeof *from);
    uint32_t *to = malloc((nodes + congestion) * sizeof *to);
    for (uint32_t node = 0; node < nodes; node++) {
        from[node] = node;
        to[node] = (node + 1) % nodes;
    }
    for (uint32_t i = 0; i < congestion; i++) {
        from[nodes + i] = nodes - 1 - i;
        to[nodes + i] = 0;
    }
    plain_set_pairs(set, mesh, nodes + congestion, from, to);
    ck_assert_uint_eq(set->congestion, congestion);
    free(from);
    free(to);
}

/* Grids of tiles and the masters that a node holds at most: a single tile, equal squares, others,
 * a line. */
static const struct tiling {
    struct grid mesh;
    uint32_t congestion, masters;
} TILINGS[] = {
    {{5, 7}, 1, 1},   {{8, 8}, 4, 2},   {{12, 12}, 9, 4}, {{9, 11}, 4, 4},
    {{13, 13}, 6, 4}, {{10, 30}, 4, 4}, {{32, 32}, 2, 6}, {{32, 33}, 2, 6},
};

enum { TILING_COUNT = sizeof TILINGS / sizeof *TILINGS };

static const struct slots_case {
    const char *parameters;
    uint32_t slots;
} SLOTS[] = {{NULL, 1}, {"slots=1", 1}, {"slots=2", 2}, {"slots=7", 7}};

enum { SLOTS_COUNT = sizeof SLOTS / sizeof *SLOTS };

static void check_least(struct router_case run, const struct plain_set *set, uint32_t least)
{
    struct case_result result;
    struct meshcast_error failure = {0};
    char expected[64], text[ROUTER_CASE_TEXT];
    snprintf(expected, sizeof expected, "the least is %" PRIu32, least);
    run.buffer = least - 1;
    enum meshcast_status kind = router_case_run(&run, set, NULL, &result, &failure);
    ck_assert_msg(kind == MESHCAST_USAGE && strstr(failure.text, expected) != NULL,
                  "%s: expected \"%s\": %s", router_case_text(&run, set, text), expected,
                  failure.text);
    run.buffer = 0;
    router_case_check(&run, set, &result);
    ck_assert_uint_eq(result.buffer_capacity, least);
    run.buffer = least;
    router_case_check(&run, set, &result);
    ck_assert_uint_eq(result.buffer_capacity, least);
}

/* the least capacity is 8 k + 1 and the masters, 3 more with unit copies; that is enough, and one
 * less is refused */
START_TEST(least_capacity)
{
    const struct tiling *tiling = &TILINGS[_i];
    struct plain_set set;
    crowd(&set, tiling->mesh, tiling->congestion);
    for (int i = 0; i < SLOTS_COUNT * 2; i++) {
        struct router_case run = router_case_make("stream", SLOTS[i / 2].parameters);
        run.copy_is_free = i % 2;
        uint32_t least = 8 * SLOTS[i / 2].slots + 1 + tiling->masters + (run.copy_is_free ? 0 : 3);
        check_least(run, &set, least);
    }
    plain_set_free(&set);
}
END_TEST

/* with more room a channel gets as many slots as fit, unless the parameter says how many */
START_TEST(slots_that_fit)
{
    struct plain_set set;
    crowd(&set, (struct grid){8, 8}, 4);
    for (uint32_t buffer = 11; buffer < 40; buffer++) {
        struct router_case run = router_case_make("stream", NULL);
        struct case_result result;
        char expected[32];
        run.buffer = buffer;
        run.copy_is_free = true;
        router_case_check(&run, &set, &result);
        snprintf(expected, sizeof expected, "slots=%" PRIu32 " ", (buffer - 3) / 8);
        ck_assert_str_eq(result.parameters, expected);
        run.parameters = "slots=1";
        router_case_check(&run, &set, &result);
        ck_assert_str_eq(result.parameters, "slots=1 ");
        ck_assert_uint_eq(result.buffer_capacity, buffer);
    }
    plain_set_free(&set);
}
END_TEST

/* slots out of range are refused */
START_TEST(slots_refused)
{
    static const char *const parameters[] = {"slots=0", "slots=65", "slots=many"};
    struct plain_set set;
    crowd(&set, (struct grid){4, 4}, 2);
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        struct router_case run = router_case_make("stream", parameters[i]);
        struct case_result result;
        struct meshcast_error failure = {0};
        ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &failure), MESHCAST_USAGE);
        ck_assert_ptr_nonnull(strstr(failure.text, "slots"));
    }
    plain_set_free(&set);
}
END_TEST

/* ---- goals ---- */

static struct case_result run_stream(const struct plain_set *set, const char *name,
                                     bool copy_is_free, uint64_t seed)
{
    struct router_case run = router_case_make("stream", NULL);
    struct case_result result;
    struct meshcast_error failure = {0};
    run.copy_is_free = copy_is_free;
    run.seed = seed;
    enum meshcast_status kind = router_case_run(&run, set, NULL, &result, &failure);
    ck_assert_msg(kind == MESHCAST_OK && result.missing == 0, "%s: %s", name, failure.text);
    return result;
}

static void check_goals(const struct plain_set *set, const char *name, uint64_t seed)
{
    double n = grid_nodes(set->mesh), c = set->congestion;
    double m = set->mesh.rows > set->mesh.cols ? set->mesh.rows : set->mesh.cols;
    double goal = 1.6 * sqrt(c * n) + 4 * m;
    struct case_result result = run_stream(set, name, true, seed);
    uint64_t moved = result.steps - result.sync_steps;
    if (n < 16 * c)
        return; /* its packets circulate */
    ck_assert_msg((double)moved <= goal && result.buffer_peak <= 12,
                  "%s on %u x %u, c = %.0f: %" PRIu64 " steps of %.0f, %" PRIu32 " packets", name,
                  set->mesh.rows, set->mesh.cols, c, moved, goal, result.buffer_peak);
    result = run_stream(set, name, false, seed);
    goal *= set->degree == n ? 2.2 : 1.6;
    ck_assert_msg((double)result.steps <= goal,
                  "%s on %u x %u, c = %.0f, unit copies: %" PRIu64 " steps of %.0f", name,
                  set->mesh.rows, set->mesh.cols, c, result.steps, goal);
}

/* Squares, odd sides, oblongs. */
static const struct {
    struct grid mesh;
    uint32_t congestion;
} SIZES[] = {
    {.mesh = {32, 32}, .congestion = 1},  {.mesh = {32, 32}, .congestion = 16},
    {.mesh = {32, 32}, .congestion = 64}, {.mesh = {64, 64}, .congestion = 16},
    {.mesh = {64, 64}, .congestion = 64}, {.mesh = {31, 33}, .congestion = 7},
    {.mesh = {31, 33}, .congestion = 50}, {.mesh = {47, 45}, .congestion = 4},
    {.mesh = {24, 40}, .congestion = 16}, {.mesh = {53, 30}, .congestion = 40},
};

enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES };

/* the goals on every pattern */
START_TEST(goals_of_patterns)
{
    for (uint32_t pattern = TEST_IS_SHORT * (uint32_t)_i % 2; pattern < case_pattern_count();
         pattern += 1 + TEST_IS_SHORT) { /* in short tests every other one */
        struct plain_set set;
        if (!router_case_pattern(&set, pattern, SIZES[_i].mesh, 0, SIZES[_i].congestion, _i))
            continue;
        check_goals(&set, case_pattern_at(pattern), 1);
        plain_set_free(&set);
    }
}
END_TEST

/* the goals on real matrices */
START_TEST(goals_of_matrices)
{
    static const char folder[] = "test/data";
    DIR *directory = opendir(folder);
    ck_assert_ptr_nonnull(directory);
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        char path[512];
        const char *end = strrchr(entry->d_name, '.');
        if (end == NULL || (strcmp(end, ".mtx") != 0 && strcmp(end, ".txt") != 0))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        struct plain_set set;
        plain_set_of(&set, meshcast_set_read(path, NULL));
        check_goals(&set, entry->d_name, 1);
        plain_set_free(&set);
    }
    closedir(directory);
}
END_TEST

/* where c is more than n / 16, or a tour no longer than Step 1 and the walk, packets circulate, and
 * elsewhere not */
START_TEST(circulates)
{
    static const struct {
        struct grid mesh;
        uint32_t congestion;
        bool of_free, of_unit; /* copies */
    } cases[] = {
        {{32, 32}, 64, false, false}, {{32, 32}, 65, true, true},    {{17, 17}, 41, true, true},
        {{17, 17}, 18, false, false}, {{40, 40}, 100, false, false}, {{40, 40}, 101, true, true},
        {{1, 64}, 1, true, true},     {{1, 64}, 2, true, true},      {{4, 64}, 4, true, false},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct plain_set set;
        crowd(&set, cases[i / 2].mesh, cases[i / 2].congestion);
        bool is_free = i % 2 == 0;
        struct case_result result = run_stream(&set, "crowd", is_free, 0);
        const char *expected =
            (is_free ? cases[i / 2].of_free : cases[i / 2].of_unit) ? "circulate" : "";
        ck_assert_msg(strcmp(result.ran_as, expected) == 0,
                      "%u x %u, c = %u, copies %s: ran as '%s'", set.mesh.rows, set.mesh.cols,
                      cases[i / 2].congestion, is_free ? "free" : "unit", result.ran_as);
        plain_set_free(&set);
    }
}
END_TEST

void stream_suite(TCase *tests)
{
    tcase_add_loop_test(tests, least_capacity, 0, TILING_COUNT);
    tcase_add_test(tests, slots_that_fit);
    tcase_add_test(tests, slots_refused);
    tcase_add_loop_test(tests, goals_of_patterns, 0, SIZE_COUNT);
    tcase_add_test(tests, circulates);
    tcase_add_test(tests, goals_of_matrices);
}
