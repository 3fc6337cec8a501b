/* test_many_messages.c - sets in which nodes send several messages: every router that accepts them,
 * on square, oblong and odd meshes, and the refusals of the others.
 */
#include "test/length.h"
#include "test/machine/light_cone.h"
#include "test/routers/drawn_set.h"
#include "test/routers/router_case.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct grid MESHES[] = {{8, 8},  {5, 7},   {12, 9}, {6, 1},
                                     {1, 11}, {16, 16}, {2, 2},  {1, 1}};
enum { MESH_COUNT = sizeof MESHES / sizeof *MESHES };

static const struct {
    const char *router, *parameters;
    uint32_t buffer;
    bool is_unknown; /* the congestion */
} RUNS[] = {{"trees", NULL, 0, false},
            {"trees", "slots=1", 0, false},
            {"trees", "slots=auto", 24, false},
            {"trees", "tree=spread", 0, false},
            {"trees", "tree=halves", 0, false},
            {"trees", "tree=dds", 0, false},
            {"unicast", NULL, 0, false},
            {"unicast", "slots=3", 0, false},
            {"circulate", NULL, 0, false},
            {"replicate", NULL, 0, false},
            {"replicate", "variant=paper", 0, false},
            {"replicate", "variant=paper", 0, true},
            {"replicate", NULL, 30, false},
            {"replicate", NULL, 0, true},
            {"stream", NULL, 0, false},
            {"stream", "slots=2", 0, false},
            {"stream", NULL, 0, true},
            {"random", NULL, 0, false},
            {"random", "variant=paper r=2", 0, false},
            {"expander", NULL, 0, false},
            {"expander", "walk=0", 0, false},
            {"expander", "r=3 alpha=1 walk=1", 0, false},
            {"random", NULL, 0, true},
            {"expander", NULL, 0, true}};
enum { RUN_COUNT = sizeof RUNS / sizeof *RUNS };

static struct router_case case_at(int index)
{
    struct router_case run = router_case_make(RUNS[index].router, RUNS[index].parameters);
    run.buffer = RUNS[index].buffer;
    run.congestion_is_unknown = RUNS[index].is_unknown;
    return run;
}

/* All is delivered, the audit is clean, the capacity holds: l = 4 and 16; costs of copies take
 * turns. */
START_TEST(routes)
{
    struct router_case run = case_at(_i % RUN_COUNT);
    int kind = TEST_IS_SHORT ? _i % KINDS : _i / RUN_COUNT;
    for (int m = TEST_IS_SHORT ? _i % 2 : 0; m < MESH_COUNT; m += 1 + TEST_IS_SHORT) {
        struct plain_set set;
        struct case_result result;
        int copy = (m / (1 + TEST_IS_SHORT) + _i % RUN_COUNT) % 2;
        uint32_t l = (m + copy + kind) % 2 == 0 ? 4 : 16;
        drawn_set_make(&set, MESHES[m], kind, l, 1 + (uint32_t)m * 3, (uint64_t)(_i + m));
        run.copy_is_free = copy == 1;
        router_case_check(&run, &set, &result);
        ck_assert_uint_eq(result.most_sent, set.most_sent);
        if (result.buffer_capacity > 0)
            ck_assert_uint_le(result.buffer_peak, result.buffer_capacity);
        plain_set_free(&set);
    }
}
END_TEST

/* The same bytes for every number of threads. */
START_TEST(threads)
{
    struct router_case run = case_at(_i);
    struct plain_set set;
    drawn_set_make(&set, (struct grid){17, 9}, SOME_MANY, 6, 9, 3);
    for (int copy = 0; copy < 2; copy++) {
        run.copy_is_free = copy == 1;
        router_case_check_threads(run, &set);
    }
    plain_set_free(&set);
}
END_TEST

/* Draws other destinations for the messages of `node`, until l, c and d are the same as before.
 * False: they never are. */
static bool change_node(const struct plain_set *base, uint32_t node, uint64_t seed,
                        struct plain_set *set)
{
    uint64_t random = seed + 46;
    uint64_t most = base->deliveries + (uint64_t)base->degree * base->messages;
    uint32_t *destination = malloc(most * sizeof *destination);
    uint64_t *offset = calloc(base->messages + (size_t)1, sizeof *offset);
    bool found = false;
    ck_assert(destination != NULL && offset != NULL);
    for (int tries = 0; tries < 200 && !found; tries++) {
        for (uint32_t i = 0; i < base->messages; i++) {
            uint64_t count = base->offset[i + 1] - base->offset[i];
            if (base->source[i] == node)
                count = drawn_set_destinations(&random, grid_nodes(base->mesh), base->degree,
                                               destination + offset[i]);
            else
                memcpy(destination + offset[i], base->destination + base->offset[i],
                       count * sizeof *destination);
            offset[i + 1] = offset[i] + count;
        }
        plain_set_make(set, base->mesh, base->messages, base->source, offset, destination);
        found = set->congestion == base->congestion && set->degree == base->degree &&
                set->deliveries_at_home == 0;
        if (!found)
            plain_set_free(set);
    }
    free(destination);
    free(offset);
    return found;
}

/* Where news of other destinations of a node's messages cannot have come, nothing changes. */
START_TEST(locality)
{
    struct router_case run = case_at(_i);
    static const struct grid SIDES[] = {{11, 12}, {9, 9}, {1, 30}};
    for (size_t m = (size_t)_i % (1 + TEST_IS_SHORT); m < sizeof SIDES / sizeof *SIDES;
         m += 1 + TEST_IS_SHORT)
        for (int copy = 0; copy < 2; copy++) {
            struct plain_set base, changed;
            char text[LIGHT_CONE_TEXT];
            uint32_t node = copy == 0 ? 0 : grid_nodes(SIDES[m]) / 2;
            uint64_t end = SIDES[m].rows + SIDES[m].cols;
            size_t events;
            run.copy_is_free = copy == 1;
            drawn_set_make(&base, SIDES[m], ALL_MANY, 5, 4, 7 + m);
            plain_set_leave_home(&base);
            ck_assert(change_node(&base, node, m, &changed));
            char *trace = router_case_trace_before(&run, &base, end);
            char *other = router_case_trace_before(&run, &changed, end);
            bool agrees = light_cone_agrees(trace, other, SIDES[m], &node, 1, &events, text);
            ck_assert_msg(agrees && events > 0, "%s: %s", RUNS[_i].router, text);
            free(trace);
            free(other);
            plain_set_free(&base);
            plain_set_free(&changed);
        }
}
END_TEST

/* A tour each: l times the bound of one, and no more. */
START_TEST(circulate_takes_a_tour_each)
{
    struct router_case run = router_case_make("circulate", NULL);
    run.copy_is_free = true;
    for (uint32_t l = 2; l <= 8; l += 3) {
        struct plain_set set;
        struct case_result result;
        drawn_set_make(&set, (struct grid){6, 8}, ALL_MANY, l, 20, l);
        router_case_check(&run, &set, &result);
        ck_assert_uint_eq(result.proven_steps, l * 24);
        ck_assert_uint_gt(result.steps, (l - 1) * 24);
        ck_assert_uint_eq(result.buffer_peak, 2);
        plain_set_free(&set);
    }
}
END_TEST

/* c / (4 l) tiles: within c / 2 + 40 packets, 3 more with unit copies, and within S + 2 m steps,
 * with unit copies 1.6 times that, where destinations are drawn. */
START_TEST(replicate_takes_fewer_tiles)
{
    struct router_case run = router_case_make("replicate", NULL);
    static const uint32_t L[] = {3, 4, 16};
    for (int i = _i % 2 * TEST_IS_SHORT; i < 3; i += 1 + TEST_IS_SHORT)
        for (int copy = 0; copy < 2; copy++) {
            struct plain_set set;
            struct case_result result;
            uint32_t side = 12 + 5 * (uint32_t)i;
            drawn_set_make(&set, (struct grid){side, side + (uint32_t)_i % 3}, ALL_MANY, L[i], 24,
                           5);
            run.copy_is_free = copy == 1;
            router_case_check(&run, &set, &result);
            uint32_t c = result.congestion;
            ck_assert_uint_ge(c, 16);
            ck_assert_uint_le(result.buffer_capacity, c / 2 + (copy == 1 ? 40 : 43));
            double root = sqrt((double)c * L[i] * side * (side + (uint32_t)_i % 3));
            double steps = root + 2 * (side + (uint32_t)_i % 3);
            ck_assert_double_le((double)result.steps, copy == 1 ? steps : 1.6 * steps);
            ck_assert_uint_eq(result.sync_steps, 0);
            plain_set_free(&set);
        }
}
END_TEST

/* l walks past c / l tiles, each in the buffers of one: 1.6 S + 4 m l steps without
 * synchronisation, with free copies and tiles of a side of 4 at least, where destinations are
 * drawn. */
START_TEST(stream_walks_l_times)
{
    struct router_case run = router_case_make("stream", NULL);
    static const uint32_t L[] = {2, 4, 9};
    for (int i = 0; i < 3; i++)
        for (int copy = 0; copy < 2; copy++) {
            struct plain_set set;
            struct case_result result;
            const uint32_t side = 24;
            drawn_set_make(&set, (struct grid){side, side}, ALL_MANY, L[i], 12, 5);
            run.copy_is_free = copy == 1;
            router_case_check(&run, &set, &result);
            ck_assert_uint_le(result.buffer_capacity, copy == 1 ? 14 : 17);
            double root = sqrt((double)result.congestion * L[i]) * side;
            if (copy == 1)
                ck_assert_double_le((double)(result.steps - result.sync_steps),
                                    1.6 * root + 4 * side * L[i]);
            ck_assert_uint_gt(result.sync_steps, 0);
            plain_set_free(&set);
        }
}
END_TEST

/* All nodes send all of their messages to one: a guess is too small before one is enough, and
 * attempts are cut short while messages still wait for their walk. A second delivery is
 * discarded. */
START_TEST(congestion_is_guessed)
{
    struct router_case run = router_case_make(_i == 0 ? "replicate" : "stream", NULL);
    struct plain_set set;
    struct case_result result;
    const struct grid mesh = {32, 32};
    const uint32_t l = 3, nodes = 1024;
    static uint32_t source[1024 * 3], destination[1024 * 3];
    static uint64_t offset[1024 * 3 + 1];
    for (uint32_t i = 0; i < nodes * l; i++) {
        source[i] = i / l;
        offset[i + 1] = i + 1;
        destination[i] = 500;
    }
    plain_set_make(&set, mesh, nodes * l, source, offset, destination);
    run.congestion_is_unknown = true;
    run.copy_is_free = true;
    router_case_check(&run, &set, &result);
    ck_assert_uint_gt(result.attempts, 1);
    ck_assert_uint_eq(result.attempt[0].congestion, l);
    ck_assert_uint_eq(result.delivered, (nodes - 1) * l);
    plain_set_free(&set);
}
END_TEST

/* Messages only for their own sources are not routed, at any place of the file: the trace is that
 * of the others. */
START_TEST(own_messages)
{
    for (int i = 0; i < RUN_COUNT; i++) {
        struct router_case run = case_at(i);
        struct plain_set set, others;
        struct case_result result;
        plain_set_parse(&set, "mcast 2 mesh 2 3\n4 4\n4 0 4\n4 4\n4 5\n2 2\n4 4\nend 6\n");
        plain_set_parse(&others, "mcast 2 mesh 2 3\n4 0\n4 5\nend 2\n");
        char *trace = router_case_trace(&run, &set, &result, NULL);
        char *alone = router_case_trace(&run, &others, &result, NULL);
        ck_assert_str_eq(trace, alone);
        ck_assert_uint_eq(result.delivered, 2);
        ck_assert_uint_eq(result.most_sent, 2);
        free(trace);
        free(alone);
        plain_set_free(&others);
        router_case_check(&run, &set, NULL);
        plain_set_free(&set);
    }
}
END_TEST

/* Packets of one message are messages. */
START_TEST(packets)
{
    struct plain_set set, others;
    plain_set_parse(&set, "mcast 2 mesh 3 3\n0:4 8 4\n8:2 0\nend 2\n");
    plain_set_parse(&others, "mcast 2 mesh 3 3\n0 4 8\n0 4 8\n0 4 8\n0 4 8\n8 0\n8 0\nend 6\n");
    for (int i = 0; i < RUN_COUNT; i++) {
        struct router_case run = case_at(i);
        struct case_result result;
        char *trace = router_case_trace(&run, &set, &result, NULL);
        char *alone = router_case_trace(&run, &others, &result, NULL);
        ck_assert_str_eq(trace, alone);
        ck_assert_uint_eq(result.most_sent, 4);
        ck_assert_uint_eq(result.delivered, 10);
        free(trace);
        free(alone);
    }
    plain_set_free(&set);
    plain_set_free(&others);
}
END_TEST

/* Routers that accept one message per node refuse, and name those that accept more. */
START_TEST(others_refuse)
{
    struct plain_set set;
    plain_set_parse(&set, "mcast 2 mesh 8 8\n0 1\n0 2\nend 2\n");
    for (uint32_t i = 0; i < case_router_count(); i++) {
        struct router_case run = {.router = case_router_at(i)};
        struct case_result result;
        struct meshcast_error failure = {0};
        enum meshcast_status kind = router_case_run(&run, &set, NULL, &result, &failure);
        ck_assert(kind == MESHCAST_OK || kind == MESHCAST_USAGE);
        if (kind == MESHCAST_USAGE)
            ck_assert_ptr_nonnull(strstr(failure.text, "takes one message per node, and a node of "
                                                       "this set sends 2; these routers take any "
                                                       "number: "));
    }
    plain_set_free(&set);
}
END_TEST

void many_messages_suite(TCase *tests)
{
    tcase_add_loop_test(tests, routes, 0, RUN_COUNT * (TEST_IS_SHORT ? 1 : KINDS));
    tcase_add_loop_test(tests, threads, 0, RUN_COUNT);
    tcase_add_loop_test(tests, locality, 0, RUN_COUNT);
    tcase_add_test(tests, circulate_takes_a_tour_each);
    tcase_add_loop_test(tests, replicate_takes_fewer_tiles, 0, 4);
    tcase_add_test(tests, stream_walks_l_times);
    tcase_add_loop_test(tests, congestion_is_guessed, 0, 2);
    tcase_add_test(tests, own_messages);
    tcase_add_test(tests, packets);
    tcase_add_test(tests, others_refuse);
}
