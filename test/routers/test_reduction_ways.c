/* test_reduction_ways.c - the ways of contributions: those of the multicast backwards, in time also
 * on the ring; and their steps.
 */
#include "test/routers/reduction_case.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Counts the packets on each link in each step; `is_reversed` turns time and links round. */
static char *crossings(const char *trace, uint32_t nodes, uint64_t steps, bool is_reversed)
{
    size_t row = (size_t)nodes * nodes;
    char *crossed = calloc((steps + 1) * row, 1);
    ck_assert_ptr_nonnull(crossed);
    for (const char *line = trace; line != NULL && *line != '\0'; line = strchr(line, '\n') + 1) {
        uint64_t step;
        uint32_t from, to;
        if (sscanf(line, "%" SCNu64 " M %*u %" SCNu32 " %" SCNu32, &step, &from, &to) == 3)
            crossed[(is_reversed ? steps + 1 - step : step) * row +
                    (is_reversed ? to * nodes + from : from * nodes + to)]++;
    }
    return crossed;
}

/* On the ring a reduction is the multicast backwards, crossing by crossing; it lasts as long as a
 * whole tour, which the multicast does if some destination is half of the ring away. */
START_TEST(circulate_turns_time_round)
{
    static const struct grid EVEN[] = {{4, 4}, {6, 5}, {2, 7}, {1, 9}, {8, 3}};
    struct grid mesh = EVEN[_i];
    uint32_t nodes = grid_nodes(mesh);
    struct router_case run = reduction_case("circulate");
    struct plain_set set;
    struct case_result result, multicast;
    reduction_draw(&set, mesh, 1, nodes, (uint64_t)_i);
    char *trace = router_case_trace(&run, &set, &result, NULL);
    run.reduces = false;
    char *forward = router_case_trace(&run, &set, &multicast, NULL);
    uint64_t tour = result.proven_steps;
    ck_assert_uint_eq(result.steps, tour);
    ck_assert_uint_le(multicast.steps, tour);
    ck_assert_uint_eq(result.packet_hops, multicast.packet_hops);
    char *one = crossings(forward, nodes, tour, false);
    char *other = crossings(trace, nodes, tour, true);
    ck_assert_int_eq(memcmp(one, other, (tour + 1) * nodes * nodes), 0);
    free(one);
    free(other);
    free(trace);
    free(forward);
    plain_set_free(&set);
}
END_TEST

/* Marks the links that packets of each message of the trace cross. */
static char *links_of_messages(const struct plain_set *set, const char *trace, bool is_reversed)
{
    uint32_t nodes = grid_nodes(set->mesh), *message = calloc(set->deliveries, sizeof *message);
    char *crossed = calloc((size_t)set->messages * nodes * nodes, 1);
    ck_assert(crossed != NULL && message != NULL);
    for (const char *line = trace; line != NULL && *line != '\0'; line = strchr(line, '\n') + 1) {
        uint32_t a, b, c;
        char kind;
        if (sscanf(line, "%*u %c %" SCNu32 " %" SCNu32 " %" SCNu32, &kind, &a, &b, &c) != 4)
            continue;
        if (kind == 'I')
            message[b] = reduction_message(set, c);
        else if (kind == 'C')
            message[c] = message[b];
        else if (kind == 'M')
            crossed[((size_t)message[a] * nodes + (is_reversed ? c : b)) * nodes +
                    (is_reversed ? b : c)] = 1;
    }
    free(message);
    return crossed;
}

/* The packets of each message cross the links of the multicast, backwards; but in `replicate` a
 * tree that is stuck may have changed its class. */
START_TEST(ways_are_those_of_the_multicast)
{
    static const char *const ROUTERS[] = {"trees", "replicate", "circulate"};
    static const struct grid MESHES[] = {{16, 16}, {12, 18}, {11, 14}};
    struct router_case run = reduction_case(ROUTERS[_i / 3]);
    struct plain_set set;
    struct case_result result;
    reduction_draw(&set, MESHES[_i % 3], 1, 12, 5);
    char *trace = router_case_trace(&run, &set, &result, NULL);
    run.reduces = false;
    char *forward = router_case_trace(&run, &set, &result, NULL);
    char *one = links_of_messages(&set, forward, false);
    char *other = links_of_messages(&set, trace, true);
    size_t nodes = grid_nodes(set.mesh), alike = 0, crossed = 0;
    for (size_t i = 0; i < set.messages * nodes * nodes; i++) {
        alike += one[i] && other[i];
        crossed += one[i] || other[i];
    }
    bool is_replicate = strcmp(run.router, "replicate") == 0;
    ck_assert_msg(alike >= crossed - (is_replicate ? crossed / 20 : 0), "%s: %zu of %zu links",
                  run.router, alike, crossed);
    free(one);
    free(other);
    free(trace);
    free(forward);
    plain_set_free(&set);
}
END_TEST

/* A sum for a single node never waits: trees need its distance. So do sums in separate rows. */
START_TEST(trees_take_the_distance)
{
    static const struct {
        const char *set;
        uint64_t distance;
    } CASES[] = {
        {("mcast 1 5 6\n8 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 "
          "27 28 29\n"),
         6},
        {"mcast 1 5 6\n0 29\n", 9},
        {"mcast 1 3 5\n0 1 2 3 4\n5 6 9\n14 10 11 12 13\n", 4},
        {"mcast 1 1 7\n3 0 1 2 3 4 5 6\n", 3},
        {"mcast 1 4 1\n0 0 1 2 3\n", 3}};
    struct router_case run = reduction_case("trees");
    struct plain_set set;
    struct case_result result;
    plain_set_parse(&set, CASES[_i].set);
    router_case_check(&run, &set, &result);
    ck_assert_uint_eq(result.steps, CASES[_i].distance);
    plain_set_free(&set);
}
END_TEST

void reduction_ways_suite(TCase *tests)
{
    tcase_add_loop_test(tests, circulate_turns_time_round, 0, 5);
    tcase_add_loop_test(tests, ways_are_those_of_the_multicast, 0, 9);
    tcase_add_loop_test(tests, trees_take_the_distance, 0, 5);
}
