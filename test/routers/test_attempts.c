/* test_attempts.c - runs in attempts, mostly with an unknown congestion: their budgets and their room.
 *
 * Runs of routers are audited; sets in which one node is wanted by all force guesses that are far
 * too small. Goals are computed here from their formulas. What a machine does in an attempt:
 * test_attempt.c. What all runs must keep (patterns, meshes, locality, threads) is tested with all
 * routers: router_case_at() has a row for each router that guesses.
 */
#include "machine/attempt.h"
#include "routers/routing.h"
#include "test/length.h"
#include "test/router_case.h"
#include "workloads/pattern.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Suite *attempts_suite(void);

static struct router_case guesser(const char *router)
{
    struct router_case run = router_case_make(router, NULL);
    run.congestion_is_unknown = true;
    return run;
}

/* Every node sends to node 0, and to another that nobody else sends to. */
static void make_hot(struct message_set *set, struct mesh mesh)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    uint32_t nodes = mesh_nodes(mesh);
    fprintf(stream, "mcast 1 %" PRIu32 " %" PRIu32 "\n", mesh.rows, mesh.cols);
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t other = (7 * i + 5) % nodes;
        fprintf(stream, other == 0 ? "%" PRIu32 " 0\n" : "%" PRIu32 " 0 %" PRIu32 "\n", i, other);
    }
    fclose(stream);
    router_case_set(set, text);
    free(text);
}

static double goal_of(const char *router, double c, double n)
{
    double root = sqrt(c * n), side = sqrt(n);
    if (strcmp(router, "replicate") == 0)
        return 1.5 * root + 8 * side;
    if (strcmp(router, "random") == 0)
        return 6 * root + 10 * side;
    if (strcmp(router, "stream") == 0)
        return 1.6 * root + 4 * side;
    return 3 * root + 6 * side; /* expander: the walk */
}

/* Guesses grow by four from the average, all but the last are void, each keeps its budget and its
 * room, and their steps and those of the average are all steps. */
static void check_attempts(const struct router_case *run, const struct message_set *set,
                           const struct router_result *result)
{
    uint32_t nodes = mesh_nodes(set->mesh), last = result->attempts - 1;
    uint64_t guess = (set->deliveries + nodes - 1) / nodes, steps = result->phase[0].steps;
    uint64_t sync_steps = 0, spent = 3ull * (set->mesh.rows + set->mesh.cols); /* words go on */
    ck_assert_uint_ge(result->attempts, 1);
    ck_assert_str_eq(result->phase[0].name, "average congestion");
    for (uint32_t i = 0; i <= last; i++, guess *= 4) {
        const struct router_attempt *attempt = &result->attempt[i];
        ck_assert_uint_eq(attempt->congestion, guess < nodes ? guess : nodes);
        ck_assert(attempt->stands == (i == last));
        if (attempt->budget > 0)
            ck_assert_uint_le(attempt->steps - attempt->sync_steps, attempt->budget + spent);
        /* all wait for its end, and for the OR; random, which ends by the clock, may give up before */
        if (attempt->budget > 0 && strcmp(run->router->name, "random") != 0)
            ck_assert_uint_ge(attempt->steps,
                              attempt->budget + set->mesh.rows / 2 * 2 + set->mesh.cols / 2 * 2);
        if (attempt->budget > 0 && strcmp(run->router->name, "stream") == 0)
            /* all but ORs is known beforehand: nothing depends on when packets come to rest */
            ck_assert_uint_eq((attempt->steps - attempt->budget) %
                                  (set->mesh.rows / 2 * 2 + set->mesh.cols / 2 * 2),
                              0);
        if (attempt->buffer_capacity > 0)
            ck_assert_uint_le(attempt->buffer_peak, attempt->buffer_capacity);
        ck_assert_uint_le(attempt->buffer_peak, result->buffer_peak);
        steps += attempt->steps;
        sync_steps += attempt->sync_steps;
    }
    ck_assert_uint_eq(steps, result->steps);
    ck_assert_uint_eq(sync_steps, result->sync_steps);
    double m = sqrt(nodes), most = 4 * goal_of(run->router->name, result->congestion, nodes);
    if (set->mesh.rows == set->mesh.cols && run->copy_is_free &&
        16 * result->congestion <= nodes) /* what goals are for */
        ck_assert_msg(
            (double)(result->steps - result->sync_steps) <= most + 4 * m * result->attempts,
            "%s: %" PRIu64 " steps", run->router->name, result->steps - result->sync_steps);
}

static const char *const ROUTERS[] = {"replicate", "random", "stream", "expander"};

enum { ROUTERS_COUNT = sizeof ROUTERS / sizeof *ROUTERS };

/* all patterns with congestions above their average: the goal of all attempts together */
START_TEST(every_pattern)
{
    struct router_case run = guesser(ROUTERS[_i / 2]);
    struct mesh mesh = _i % 2 == 0 ? (struct mesh){32, 32} : (struct mesh){31, 31};
    for (uint32_t pattern = 0; pattern < pattern_count(); pattern++) {
        struct message_set set;
        struct router_result result;
        if (TEST_IS_SHORT && pattern / 2 % 2 == (uint32_t)_i % 2)
            continue;
        if (!router_case_pattern(&set, pattern, mesh, 0, pattern % 2 == 0 ? 16 : 60, 1))
            continue;
        run.copy_is_free = pattern % 3 > 0;
        router_case_check(&run, &set, &result);
        check_attempts(&run, &set, &result);
        message_set_free(&set);
    }
}
END_TEST

/* one node is wanted by all: several attempts are void, with random alone for lack of room; what they delivered
 * is not delivered again */
START_TEST(far_too_small_guesses)
{
    struct router_case run = guesser(ROUTERS[_i / 4]);
    struct mesh mesh = _i / 2 % 2 == 0 ? (struct mesh){32, 32} : (struct mesh){17, 31};
    struct message_set set;
    struct router_result result;
    run.copy_is_free = _i % 2;
    run.seed = 3;
    make_hot(&set, mesh);
    router_case_check(&run, &set, &result);
    check_attempts(&run, &set, &result);
    /* elsewhere the first guess may stand: expander's runs as unicast, and the others need no more steps than the
     * links of the node do */
    if (strcmp(run.router->name, "stream") == 0)
        ck_assert_uint_ge(result.attempts, 2);
    if (strcmp(run.router->name, "random") != 0)
        ck_assert_uint_eq(result.attempt[0].discarded, 0);
    char *trace = router_case_trace(&run, &set, &result, NULL);
    char *second = strstr(trace, "# phase attempt 2");
    if (second != NULL) {
        *second = '\0';
        ck_assert_ptr_nonnull(strstr(trace, " E "));
    }
    free(trace);
    message_set_free(&set);
}
END_TEST

/* discarding, too, is the same for every number of threads */
START_TEST(threads)
{
    struct message_set set;
    make_hot(&set, (struct mesh){17, 31});
    for (int buffer = 3; buffer <= 4; buffer++) {
        struct router_case run = guesser("random");
        struct router_result result[3];
        char *trace[3];
        run.buffer = (uint32_t)buffer;
        run.copy_is_free = true;
        for (run.threads = 1; run.threads <= 3; run.threads++)
            trace[run.threads - 1] = router_case_trace(&run, &set, &result[run.threads - 1], NULL);
        for (int i = 1; i < 3; i++) {
            ck_assert(strcmp(trace[0], trace[i]) == 0);
            ck_assert(router_case_same(&result[0], &result[i]));
        }
        ck_assert_uint_gt(result[0].attempt[0].discarded, 0);
        for (int i = 0; i < 3; i++)
            free(trace[i]);
    }
    message_set_free(&set);
}
END_TEST

/* a guess that the router refuses, for it has not enough tiles, is passed over */
START_TEST(refused_guesses)
{
    struct router_case run = router_case_make("expander", "r=8");
    struct message_set set;
    struct router_result result;
    run.congestion_is_unknown = true;
    struct pattern_options options = {.mesh = {16, 16}, .degree = 5, .congestion = 5};
    ck_assert_int_eq(pattern_generate(pattern_find("uniform"), &options, &set, NULL), FAIL_NONE);
    router_case_check(&run, &set, &result); /* c = 5 makes 4 tiles */
    ck_assert_uint_eq(result.attempt[0].congestion, 20);
    message_set_free(&set);
}
END_TEST

/* the capacity that a user gives is in force in every attempt; where it is too small for the
 * guesses, the last attempt circulates within it */
START_TEST(capacity_in_all_attempts)
{
    struct router_case run = guesser("random");
    struct message_set set;
    struct router_result result;
    struct failure failure = {0};
    make_hot(&set, (struct mesh){8, 8});
    run.buffer = 3;
    ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &failure), FAIL_NONE);
    ck_assert_uint_le(result.buffer_peak, 3);
    ck_assert_uint_ge(result.attempts, 2);
    ck_assert_uint_eq(result.attempt[0].buffer_capacity, 3);
    ck_assert(!result.attempt[0].stands);
    ck_assert(result.attempt[result.attempts - 1].stands);
    message_set_free(&set);
}
END_TEST

/* `random` with less room than its own in all attempts but one that circulates. */
enum { TIGHT = 4, CIRCULATES = 3, AGAIN = 4 };

static struct attempt_limits tight_limits(const struct routing *routing)
{
    struct attempt_limits limits = random_method.limits(routing);
    limits.buffer = limits.steps > 0 ? TIGHT : 0;
    return limits;
}

/* Four attempts with the known congestion are void, and the fifth circulates: nothing is missing, no node holds too
 * much, and the run is audited. */
START_TEST(circulates_at_last)
{
    struct router_method tight = random_method;
    struct router_case run = router_case_make("random", NULL);
    struct message_set set;
    struct router_result result;
    struct pattern_options options = {.mesh = {48, 48}, .degree = 16, .congestion = 16};
    tight.limits = tight_limits;
    run.router = &tight.shown;
    run.copy_is_free = true;
    ck_assert_int_eq(pattern_generate(pattern_find("uniform"), &options, &set, NULL), FAIL_NONE);
    router_case_check(&run, &set, &result);
    ck_assert_uint_eq(result.attempts, AGAIN + 1);
    for (uint32_t i = 0; i <= AGAIN; i++) {
        ck_assert(result.attempt[i].stands == (i == AGAIN));
        ck_assert((result.attempt[i].discarded > 0) == (i < AGAIN));
        ck_assert_uint_le(result.attempt[i].buffer_peak, i < AGAIN ? TIGHT : CIRCULATES);
        ck_assert_uint_eq(result.attempt[i].congestion,
                          i < AGAIN ? result.congestion : mesh_nodes(set.mesh));
    }
    ck_assert_str_eq(result.ran_as, "circulate");
    message_set_free(&set);
}
END_TEST

/* sets without a message, and of messages to their own sources alone */
START_TEST(nothing_to_do)
{
    static const char *const TEXTS[] = {"mcast 1 3 3\n", "mcast 1 3 3\n0 0\n4 4\n"};
    for (int i = 0; i < ROUTERS_COUNT; i++) {
        struct router_case run = guesser(ROUTERS[i]);
        struct message_set set;
        struct router_result result;
        router_case_set(&set, TEXTS[_i]);
        router_case_check(&run, &set, &result);
        ck_assert_uint_eq(result.attempts, 1);
        message_set_free(&set);
    }
}
END_TEST

/* routers without attempts say which have them */
START_TEST(who_cannot_guess)
{
    struct message_set set;
    struct router_result result;
    router_case_set(&set, "mcast 1 3 3\n0 1\n");
    for (uint32_t i = 0; i < router_count(); i++) {
        struct failure failure = {0};
        struct router_case run = guesser(router_at(i)->name);
        enum failure_kind kind = router_case_run(&run, &set, NULL, &result, &failure);
        ck_assert_int_eq(kind, router_guesses_congestion(router_at(i)) ? FAIL_NONE : FAIL_USAGE);
        if (kind == FAIL_USAGE)
            ck_assert_ptr_nonnull(strstr(failure.text, "replicate, random, stream and expander"));
    }
    message_set_free(&set);
}
END_TEST

Suite *attempts_suite(void)
{
    Suite *suite = suite_create("attempts");
    TCase *tests = tcase_create("attempts");
    tcase_add_loop_test(tests, every_pattern, 0, 2 * ROUTERS_COUNT);
    tcase_add_loop_test(tests, far_too_small_guesses, 0, 4 * ROUTERS_COUNT);
    tcase_add_test(tests, threads);
    tcase_add_test(tests, refused_guesses);
    tcase_add_test(tests, capacity_in_all_attempts);
    tcase_add_test(tests, circulates_at_last);
    tcase_add_loop_test(tests, nothing_to_do, 0, 2);
    tcase_add_test(tests, who_cannot_guess);
    suite_add_tcase(suite, tests);
    return suite;
}
