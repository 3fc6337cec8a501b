/* test_stream.c - what router `stream` alone promises: capacities, slots, and the goals of time.
 *
 * Goals, where c is at most n / 16, S = sqrt(c n), m the longer side: free copies, without
 * synchronisation, 1.6 S + 4 m steps; unit copies with synchronisation 1.6 times that, or where a
 * message goes to all nodes, and so is copied at every hop, 2.2 times. Free copies: 12 packets a
 * node. On every pattern, on sets made by one who knows the seed, and on the matrices of test/data.
 * What all routers promise is tested with all of them (test_router.c, test_capacity.c, ...).
 */
#include "test/length.h"
#include "test/router_case.h"
#include "workloads/import.h"
#include "workloads/pattern.h"

#include <check.h>
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Suite *stream_suite(void);

/* ---- capacities ---- */

/* A set with one message to each node from the one before it, and c messages to node 0. */
static void crowd(struct message_set *set, struct mesh mesh, uint32_t congestion)
{
    uint32_t nodes = mesh_nodes(mesh);
    node_index *from = malloc((nodes + congestion) * sizeof *from);
    node_index *to = malloc((nodes + congestion) * sizeof *to);
    for (node_index node = 0; node < nodes; node++) {
        from[node] = node;
        to[node] = (node + 1) % nodes;
    }
    for (uint32_t i = 0; i < congestion; i++) {
        from[nodes + i] = nodes - 1 - i;
        to[nodes + i] = 0;
    }
    ck_assert_int_eq(
        message_set_from_pairs(set, shape_of_mesh(mesh), nodes + congestion, from, to, NULL),
        FAIL_NONE);
    ck_assert_uint_eq(message_set_congestion(set), congestion);
    free(from);
    free(to);
}

/* Grids of tiles and the masters that a node holds at most: a single tile, equal squares, others,
 * a line. */
static const struct tiling {
    struct mesh mesh;
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

static void check_least(struct router_case run, const struct message_set *set, uint32_t least)
{
    struct router_result result;
    struct failure failure = {0};
    char expected[64], text[ROUTER_CASE_TEXT];
    snprintf(expected, sizeof expected, "the least is %" PRIu32, least);
    run.buffer = least - 1;
    enum failure_kind kind = router_case_run(&run, set, NULL, &result, &failure);
    ck_assert_msg(kind == FAIL_USAGE && strstr(failure.text, expected) != NULL,
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
    struct message_set set;
    crowd(&set, tiling->mesh, tiling->congestion);
    for (int i = 0; i < SLOTS_COUNT * 2; i++) {
        struct router_case run = router_case_make("stream", SLOTS[i / 2].parameters);
        run.copy_is_free = i % 2;
        uint32_t least = 8 * SLOTS[i / 2].slots + 1 + tiling->masters + (run.copy_is_free ? 0 : 3);
        check_least(run, &set, least);
    }
    message_set_free(&set);
}
END_TEST

/* with more room a channel gets as many slots as fit, unless the parameter says how many */
START_TEST(slots_that_fit)
{
    struct message_set set;
    crowd(&set, (struct mesh){8, 8}, 4);
    for (uint32_t buffer = 11; buffer < 40; buffer++) {
        struct router_case run = router_case_make("stream", NULL);
        struct router_result result;
        char expected[16];
        run.buffer = buffer;
        run.copy_is_free = true;
        router_case_check(&run, &set, &result);
        snprintf(expected, sizeof expected, "%" PRIu32, (buffer - 3) / 8);
        ck_assert_str_eq(result.parameter[0].name, "slots");
        ck_assert_str_eq(result.parameter[0].value, expected);
        run.parameters = "slots=1";
        router_case_check(&run, &set, &result);
        ck_assert_str_eq(result.parameter[0].value, "1");
        ck_assert_uint_eq(result.buffer_capacity, buffer);
    }
    message_set_free(&set);
}
END_TEST

/* slots out of range are refused */
START_TEST(slots_refused)
{
    static const char *const parameters[] = {"slots=0", "slots=65", "slots=many"};
    struct message_set set;
    crowd(&set, (struct mesh){4, 4}, 2);
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        struct router_case run = router_case_make("stream", parameters[i]);
        struct router_result result;
        struct failure failure = {0};
        ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &failure), FAIL_USAGE);
        ck_assert_ptr_nonnull(strstr(failure.text, "slots"));
    }
    message_set_free(&set);
}
END_TEST

/* ---- goals ---- */

static struct router_result run_stream(const struct message_set *set, const char *name,
                                       bool copy_is_free, uint64_t seed)
{
    struct router_case run = router_case_make("stream", NULL);
    struct router_result result;
    struct failure failure = {0};
    run.copy_is_free = copy_is_free;
    run.seed = seed;
    enum failure_kind kind = router_case_run(&run, set, NULL, &result, &failure);
    ck_assert_msg(kind == FAIL_NONE && result.missing == 0, "%s: %s", name, failure.text);
    return result;
}

static void check_goals(const struct message_set *set, const char *name, uint64_t seed)
{
    double n = mesh_nodes(set->mesh), c = message_set_congestion(set);
    double m = set->mesh.rows > set->mesh.cols ? set->mesh.rows : set->mesh.cols;
    double goal = 1.6 * sqrt(c * n) + 4 * m;
    struct router_result result = run_stream(set, name, true, seed);
    uint64_t moved = result.steps - result.sync_steps;
    if (n < 16 * c)
        return; /* its packets circulate */
    ck_assert_msg((double)moved <= goal && result.buffer_peak <= 12,
                  "%s on %u x %u, c = %.0f: %" PRIu64 " steps of %.0f, %" PRIu32 " packets", name,
                  set->mesh.rows, set->mesh.cols, c, moved, goal, result.buffer_peak);
    result = run_stream(set, name, false, seed);
    goal *= message_set_degree(set) == n ? 2.2 : 1.6;
    ck_assert_msg((double)result.steps <= goal,
                  "%s on %u x %u, c = %.0f, unit copies: %" PRIu64 " steps of %.0f", name,
                  set->mesh.rows, set->mesh.cols, c, result.steps, goal);
}

/* Squares, odd sides, oblongs. */
static const struct pattern_options SIZES[] = {
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
    for (uint32_t pattern = TEST_IS_SHORT * (uint32_t)_i % 2; pattern < pattern_count();
         pattern += 1 + TEST_IS_SHORT) { /* in short tests every other one */
        struct message_set set;
        if (!router_case_pattern(&set, pattern, SIZES[_i].mesh, 0, SIZES[_i].congestion, _i))
            continue;
        check_goals(&set, pattern_at(pattern)->name, 1);
        message_set_free(&set);
    }
}
END_TEST

/* the goals on the sets of all families of one who knows the seed */
START_TEST(goals_of_adversaries)
{
    static const struct family_case sizes[] = {
        {"stream", {16, 16}, 4, 1},  {"stream", {16, 16}, 16, 2}, {"stream", {32, 32}, 4, 3},
        {"stream", {32, 32}, 16, 4}, {"stream", {32, 32}, 64, 5}, {"stream", {33, 31}, 16, 6},
        {"stream", {27, 29}, 9, 7},
    };
    const struct family_case *against = &sizes[_i];
    uint32_t every = 1 + TEST_IS_SHORT; /* in short tests every other family */
    for (uint32_t family = against->seed % every; family < family_count(); family += every) {
        struct message_set set;
        char name[FAMILY_NAME_SIZE];
        family_name(family, name);
        router_case_family(&set, against, family, name);
        check_goals(&set, name, against->seed);
        message_set_free(&set);
    }
}
END_TEST

/* Sets that take at most 0.7 of the goal. Where stuck trees do not turn the first takes 1.25 of it, and the last more than
 * 0.7. */
START_TEST(cycle_and_trees_turn)
{
    static const struct {
        struct family_case against;
        const char *family;
    } cases[] = {
        {{"stream", {48, 48}, 144, 1}, "first visit, mirrored"},
        {{"stream", {48, 48}, 144, 1}, "by groups, once a tile"},
        {{"stream", {72, 72}, 144, 1}, "by groups, backwards"},
    };
    struct message_set set;
    char name[FAMILY_NAME_SIZE] = "";
    uint32_t family = 0;
    for (; strcmp(name, cases[_i].family) != 0; family++) {
        ck_assert_uint_lt(family, 100000);
        family_name(family, name);
    }
    router_case_family(&set, &cases[_i].against, family - 1, name);
    struct router_result result = run_stream(&set, name, true, cases[_i].against.seed);
    double side = set.mesh.rows, most = 0.7 * (1.6 * 12 * side + 4 * side); /* sqrt(c) is 12 */
    ck_assert_msg((double)result.steps <= most, "%s: %" PRIu64 " steps of %.0f", name, result.steps,
                  most);
    message_set_free(&set);
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
        struct import_options options = {.seed = 0};
        struct message_set set;
        struct failure failure = {0};
        enum failure_kind kind = import_matrix(path, &options, &set, NULL, &failure);
        ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
        check_goals(&set, entry->d_name, 1);
        message_set_free(&set);
    }
    closedir(directory);
}
END_TEST

/* where c is more than n / 16, or a tour no longer than Step 1 and the walk, packets circulate, and elsewhere not */
START_TEST(circulates)
{
    static const struct {
        struct mesh mesh;
        uint32_t congestion;
        bool of_free, of_unit; /* copies */
    } cases[] = {
        {{32, 32}, 64, false, false}, {{32, 32}, 65, true, true},    {{17, 17}, 41, true, true},
        {{17, 17}, 18, false, false}, {{40, 40}, 100, false, false}, {{40, 40}, 101, true, true},
        {{1, 64}, 1, true, true},     {{1, 64}, 2, true, true},      {{4, 64}, 4, true, false},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct message_set set;
        crowd(&set, cases[i / 2].mesh, cases[i / 2].congestion);
        bool is_free = i % 2 == 0;
        struct router_result result = run_stream(&set, "crowd", is_free, 0);
        const char *expected =
            (is_free ? cases[i / 2].of_free : cases[i / 2].of_unit) ? "circulate" : "";
        ck_assert_msg(strcmp(result.ran_as, expected) == 0,
                      "%u x %u, c = %u, copies %s: ran as '%s'", set.mesh.rows, set.mesh.cols,
                      cases[i / 2].congestion, is_free ? "free" : "unit", result.ran_as);
        message_set_free(&set);
    }
}
END_TEST

/* a set whose messages all start in the tiles to which they go is done with the first leg, so to
 * speak, under the seed that it was made for, and takes the whole walk under another */
START_TEST(adversaries_know_the_seed)
{
    static const struct family_case against = {"stream", {32, 32}, 4, 77};
    struct message_set set;
    char name[FAMILY_NAME_SIZE];
    router_case_family(&set, &against, 0, name);
    struct router_result right = run_stream(&set, name, true, 77);
    struct router_result wrong = run_stream(&set, name, true, 78);
    ck_assert_uint_lt(right.steps + 16, wrong.steps);
    message_set_free(&set);
}
END_TEST

Suite *stream_suite(void)
{
    Suite *suite = suite_create("stream");
    TCase *tests = tcase_create("stream");
    tcase_add_loop_test(tests, least_capacity, 0, TILING_COUNT);
    tcase_add_test(tests, slots_that_fit);
    tcase_add_test(tests, slots_refused);
    tcase_add_loop_test(tests, goals_of_patterns, 0, SIZE_COUNT);
    tcase_add_loop_test(tests, goals_of_adversaries, 0, 7);
    tcase_add_test(tests, circulates);
    tcase_add_test(tests, adversaries_know_the_seed);
    tcase_add_loop_test(tests, cycle_and_trees_turn, 0, 3);
    tcase_add_test(tests, goals_of_matrices);
    suite_add_tcase(suite, tests);
    return suite;
}
