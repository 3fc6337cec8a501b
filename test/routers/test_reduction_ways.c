/* test_reduction_ways.c - which ways contributions take: those of the multicast backwards, in time too on the ring;
 * and in how many steps and how much room.
 *
 * Faults that were seeded, one at a time, each caught: contributions leave a step late on the ring; trees go along
 * the other line first; seats of odd cells are left in the order of even ones; a channel is full one packet too late.
 */
#include "primitives/ring.h"
#include "test/routers/reduction_case.h"
#include "workloads/lower_bound.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

Suite *reduction_ways_suite(void);

/* ---- time reversal ---- */

/* For each step and link, whether a packet crosses it; `steps` turns time and links round. */
static char *crossings(const char *trace, uint32_t nodes, uint64_t steps, bool is_reversed)
{
    size_t row = (size_t)nodes * nodes;
    char *crossed = calloc((steps + 1) * row, 1);
    ck_assert_ptr_nonnull(crossed);
    for (const char *line = trace; line != NULL && *line != '\0'; line = strchr(line, '\n') + 1) {
        uint64_t step;
        uint32_t packet, from, to;
        if (sscanf(line, "%" SCNu64 " M %" SCNu32 " %" SCNu32 " %" SCNu32, &step, &packet, &from,
                   &to) == 4)
            crossed[(is_reversed ? steps + 1 - step : step) * row +
                    (is_reversed ? to * nodes + from : from * nodes + to)]++;
    }
    return crossed;
}

/* On the ring a reduction is the multicast backwards, crossing by crossing; it lasts as long as a whole tour, which the
 * multicast does if some destination is half of the ring away. */
START_TEST(circulate_turns_time_round)
{
    static const struct mesh EVEN[] = {{4, 4}, {6, 5}, {2, 7}, {1, 9}, {8, 3}};
    struct mesh mesh = EVEN[_i];
    uint32_t nodes = mesh_nodes(mesh);
    struct router_case run = reduction_case("circulate");
    struct message_set set;
    struct router_result result, multicast;
    reduction_draw(&set, mesh, 1, nodes, (uint64_t)_i);
    char *trace = router_case_trace(&run, &set, &result, NULL);
    run.reduces = false;
    char *forward = router_case_trace(&run, &set, &multicast, NULL);
    uint64_t tour = result.proven_steps;
    ck_assert_uint_eq(result.steps, tour);
    ck_assert_uint_le(multicast.steps, tour);
    ck_assert_uint_eq(result.packet_hops, multicast.packet_hops);
    char *one = crossings(forward, nodes, tour, false),
         *other = crossings(trace, nodes, tour, true);
    ck_assert_int_eq(memcmp(one, other, (tour + 1) * nodes * nodes), 0);
    free(one);
    free(other);
    free(trace);
    free(forward);
    message_set_free(&set);
}
END_TEST

/* For each message of the trace and link, whether its packets cross it. */
static char *links_of_messages(const struct message_set *set, const char *trace, bool is_reversed)
{
    uint32_t nodes = mesh_nodes(set->mesh), *message = calloc(set->deliveries, sizeof *message);
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

/* The packets of each message cross the links that those of the multicast cross, backwards; but of `replicate` a tree
 * that is stuck may have changed its class. */
START_TEST(ways_are_those_of_the_multicast)
{
    static const char *const WAYS[] = {"trees", "replicate", "circulate"};
    static const struct mesh SQUARE = {16, 16}, OBLONG = {12, 18}, ODD = {11, 14};
    const struct mesh *const meshes[] = {&SQUARE, &OBLONG, &ODD};
    for (int m = 0; m < 3; m++) {
        struct router_case run = reduction_case(WAYS[_i]);
        struct message_set set;
        struct router_result result;
        reduction_draw(&set, *meshes[m], 1, 12, 5);
        char *trace = router_case_trace(&run, &set, &result, NULL);
        run.reduces = false;
        char *forward = router_case_trace(&run, &set, &result, NULL);
        char *one = links_of_messages(&set, forward, false);
        char *other = links_of_messages(&set, trace, true);
        size_t size = (size_t)set.messages * mesh_nodes(set.mesh) * mesh_nodes(set.mesh), alike = 0;
        size_t crossed = 0;
        for (size_t i = 0; i < size; i++) {
            alike += one[i] && other[i];
            crossed += one[i] || other[i];
        }
        ck_assert_msg(alike >= crossed - (_i == 1 ? crossed / 20 : 0), "%s: %zu of %zu links",
                      WAYS[_i], alike, crossed);
        free(one);
        free(other);
        free(trace);
        free(forward);
        message_set_free(&set);
    }
}
END_TEST

/* A capacity of two packets, or three beside a corner, on every mesh, for several messages per node. */
START_TEST(circulate_needs_no_more_room)
{
    struct router_case run = reduction_case("circulate");
    for (int m = 0; m < REDUCTION_MESH_COUNT; m++)
        for (uint32_t l = 1; l <= 3; l += 2) {
            struct message_set set;
            struct router_result result;
            struct mesh_circuit circuit = mesh_circuit_of(REDUCTION_MESHES[m]);
            reduction_draw(&set, REDUCTION_MESHES[m], l, 50, 9);
            router_case_check(&run, &set, &result);
            ck_assert_uint_le(result.buffer_peak, circuit.capacity);
            ck_assert_uint_eq(result.buffer_capacity, circuit.capacity);
            ck_assert_uint_le(result.steps, result.proven_steps);
            message_set_free(&set);
        }
}
END_TEST

/* A sum for one node alone never waits: trees take its distance. So do sums in rows of their own. */
START_TEST(trees_take_the_distance)
{
    static const char *const SETS[] = {
        ("mcast 1 5 6\n8 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 "
         "28 29\n"),
        "mcast 1 5 6\n0 29\n", "mcast 1 3 5\n0 1 2 3 4\n5 6 9\n14 10 11 12 13\n",
        "mcast 1 1 7\n3 0 1 2 3 4 5 6\n", "mcast 1 4 1\n0 0 1 2 3\n"};
    struct router_case run = reduction_case("trees");
    for (size_t i = 0; i < sizeof SETS / sizeof *SETS; i++) {
        struct message_set set;
        struct router_result result;
        struct lower_bounds bounds;
        router_case_set(&set, SETS[i]);
        router_case_check(&run, &set, &result);
        ck_assert_int_eq(lower_bounds_compute(&set, BOUNDS_ALL, &bounds, NULL), FAIL_NONE);
        ck_assert_uint_eq(result.steps, bounds.steps[BOUND_DISTANCE]);
        message_set_free(&set);
    }
}
END_TEST

/* With slots trees keep within 8 a slot, however crowded it is, and end. */
START_TEST(trees_within_slots)
{
    struct router_case run = reduction_case("trees");
    static const char *const SLOTS[] = {"slots=1", "slots=2", "slots=5"};
    static const struct mesh CROWDED[] = {{9, 9}, {4, 13}, {1, 20}, {10, 2}};
    for (uint32_t m = 0; m < 4; m++)
        for (uint32_t k = 0; k < 3; k++) {
            struct message_set set;
            struct router_result result;
            reduction_draw(&set, CROWDED[m], 4, 80, m);
            run.parameters = SLOTS[k];
            router_case_check(&run, &set, &result);
            ck_assert_uint_eq(result.buffer_capacity, k == 0 ? 8 : k == 1 ? 16 : 40);
            message_set_free(&set);
        }
}
END_TEST

Suite *reduction_ways_suite(void)
{
    Suite *suite = suite_create("reduction_ways");
    TCase *tests = tcase_create("reduction_ways");
    tcase_add_loop_test(tests, circulate_turns_time_round, 0, 5);
    tcase_add_loop_test(tests, ways_are_those_of_the_multicast, 0, 3);
    tcase_add_test(tests, circulate_needs_no_more_room);
    tcase_add_test(tests, trees_take_the_distance);
    tcase_add_test(tests, trees_within_slots);
    suite_add_tcase(suite, tests);
    return suite;
}
