/* test_reduction.c - runs with --reduce: sums that are combined on their way.
 *
 * Oracle: the trace alone is replayed here, with numbers of the test's own in the packets, and what ends at each source
 * must be the sum of the numbers of its message's contributions, which is added up from the set. The audit, which
 * router_case_check() asks, has code of its own for the same.
 *
 * Faults that were seeded, one at a time, each caught: contributions leave a step late on the ring; trees go along the other
 * line first; seats of odd cells are left in the order of even ones; a sum is replaced by what comes; the audit counts a
 * merged packet as one contribution; a channel is full one packet too late.
 */
#include "base/pcg.h"
#include "primitives/mesh_circuit.h"
#include "routers/reduction.h"
#include "test/length.h"
#include "test/machine/light_cone.h"
#include "test/router_case.h"
#include "workloads/lower_bound.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

Suite *reduction_suite(void);

static const struct mesh MESHES[] = {{8, 8},  {7, 7}, {5, 8}, {12, 9}, {3, 3}, {16, 16}, {1, 11},
                                     {12, 1}, {1, 2}, {2, 2}, {3, 5},  {1, 1}, {2, 9},   {13, 11}};
enum { MESH_COUNT = sizeof MESHES / sizeof *MESHES };

static const struct {
    const char *router, *parameters;
    uint32_t buffer;
} RUNS[] = {{"trees", NULL, 0},
            {"trees", "slots=1", 0},
            {"trees", NULL, 30},
            {"circulate", NULL, 0},
            {"replicate", NULL, 0}};
enum { RUN_COUNT = sizeof RUNS / sizeof *RUNS };

static struct router_case case_of(const char *router)
{
    struct router_case run = router_case_make(router, NULL);
    run.reduces = run.copy_is_free = true;
    return run;
}

static struct router_case case_at(int index)
{
    struct router_case run = case_of(RUNS[index].router);
    run.parameters = RUNS[index].parameters;
    run.buffer = RUNS[index].buffer;
    return run;
}

/* Up to l messages a node, of which some are absent; each destination is drawn, sources among them. */
static void draw_set(struct message_set *set, struct mesh mesh, uint32_t l, uint32_t d,
                     uint64_t seed)
{
    struct pcg32 random = pcg32_seed(seed, 47);
    uint32_t nodes = mesh_nodes(mesh), messages = 0;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    fprintf(out, "mcast 2 mesh %" PRIu32 " %" PRIu32 "\n", mesh.rows, mesh.cols);
    for (node_index node = 0; node < nodes; node++)
        for (uint32_t left = node == 0 ? l : pcg32_below(&random, l + 1); left > 0; left--) {
            uint32_t first = pcg32_below(&random, nodes), count = 1 + pcg32_below(&random, d);
            uint32_t stride = 1 + pcg32_below(&random, nodes);
            fprintf(out, "%" PRIu32, node);
            for (uint32_t i = 0; i < count && i * stride < nodes; i++)
                fprintf(out, " %" PRIu32, (first + i * stride) % nodes);
            fputc('\n', out);
            messages++;
        }
    fprintf(out, "end %" PRIu32 "\n", messages);
    fclose(out);
    router_case_set(set, text);
    free(text);
}

/* ---- the oracle ---- */

/* What node `node` contributes to the message of that name. */
static uint64_t number_of(uint32_t node, uint32_t message)
{
    return (uint64_t)pcg32_at(3, node, message) << 32 | pcg32_at(4, node, message);
}

static uint32_t index_of(const struct message_set *set, uint32_t name)
{
    for (uint32_t i = 0; i < set->messages; i++)
        if (message_set_name(set, message_set_version(set), i) == name)
            return i;
    ck_abort_msg("there is no message %" PRIu32, name);
}

static void check_sums(const struct message_set *set, const char *trace)
{
    uint64_t *carried = calloc(set->deliveries + 1, sizeof *carried);
    uint64_t *sum = calloc(set->messages + 1, sizeof *sum);
    ck_assert(carried != NULL && sum != NULL);
    for (const char *line = trace; line != NULL && *line != '\0'; line = strchr(line, '\n') + 1) {
        uint64_t step;
        uint32_t a, b, c;
        char kind;
        if (sscanf(line, "%" SCNu64 " %c %" SCNu32 " %" SCNu32 " %" SCNu32, &step, &kind, &a, &b,
                   &c) != 5)
            continue;
        if (kind == 'I') {
            ck_assert_uint_lt(b, set->deliveries);
            carried[b] = number_of(a, c);
        } else if (kind == 'G') {
            carried[c] += carried[b];
        } else if (kind == 'E') {
            ck_assert_uint_eq(a, set->source[index_of(set, c)]);
            sum[index_of(set, c)] += carried[b];
        }
    }
    for (uint32_t i = 0; i < set->messages; i++) {
        uint64_t expected = 0;
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++)
            expected +=
                number_of(set->destination[j], message_set_name(set, message_set_version(set), i));
        ck_assert_uint_eq(sum[i], expected);
    }
    free(carried);
    free(sum);
}

/* ---- runs ---- */

/* Each router on every mesh, with one message a node at most and with several. */
START_TEST(sums)
{
    struct router_case run = case_at(_i);
    uint32_t trials = TEST_IS_SHORT ? 1 : 6;
    for (uint32_t trial = 0; trial < trials * MESH_COUNT; trial++)
        for (uint32_t l = 1; l <= 4; l += 3) {
            struct message_set set;
            struct router_result result;
            draw_set(&set, MESHES[trial % MESH_COUNT], l, 1 + trial % 30, trial);
            router_case_check(&run, &set, &result);
            ck_assert_uint_eq(result.copies, 0);
            ck_assert_uint_eq(result.sync_steps, 0);
            if (result.buffer_capacity > 0)
                ck_assert_uint_le(result.buffer_peak, result.buffer_capacity);
            char *trace = router_case_trace(&run, &set, &result, NULL);
            check_sums(&set, trace);
            free(trace);
            message_set_free(&set);
        }
}
END_TEST

/* The same bytes for every number of threads. */
START_TEST(threads)
{
    struct router_case run = case_at(_i);
    struct message_set set;
    draw_set(&set, (struct mesh){17, 9}, 3, 12, 3);
    struct router_result result, other;
    run.threads = 1;
    char *trace = router_case_trace(&run, &set, &result, NULL);
    for (run.threads = 2; run.threads < 6; run.threads += 3) {
        char *again = router_case_trace(&run, &set, &other, NULL);
        ck_assert_str_eq(trace, again);
        ck_assert(router_case_same(&result, &other));
        free(again);
    }
    free(trace);
    message_set_free(&set);
}
END_TEST

/* Other nodes contribute to one of the sums: nothing changes where news of that cannot have come. */
START_TEST(locality)
{
    struct router_case run = case_at(_i);
    struct message_set base, changed;
    struct router_result result;
    const struct mesh mesh = {12, 11};
    draw_set(&base, mesh, 2, 5, 8);
    draw_set(&changed, mesh, 2, 5, 8);
    uint32_t message = 0, congestion = message_set_congestion(&base);
    while (base.offset[message + 1] - base.offset[message] != 3)
        message++;
    node_index others[6];
    for (uint32_t i = 0; i < 3; i++) {
        others[i] = base.destination[base.offset[message] + i];
        others[3 + i] = changed.destination[changed.offset[message] + i] = 40 + i;
    }
    ck_assert_uint_eq(message_set_congestion(&changed), congestion);
    char *trace = router_case_trace(&run, &base, &result, NULL), text[LIGHT_CONE_TEXT];
    char *other = router_case_trace(&run, &changed, &result, NULL);
    size_t events;
    ck_assert_str_ne(trace, other);
    bool agrees = light_cone_agrees(trace, other, mesh, others, 6, &events, text);
    ck_assert_msg(agrees && events > 0, "%s", text);
    free(trace);
    free(other);
    message_set_free(&base);
    message_set_free(&changed);
}
END_TEST

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
    struct router_case run = case_of("circulate");
    struct message_set set;
    struct router_result result, multicast;
    draw_set(&set, mesh, 1, nodes, (uint64_t)_i);
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
            message[b] = index_of(set, c);
        else if (kind == 'C')
            message[c] = message[b];
        else if (kind == 'M')
            crossed[((size_t)message[a] * nodes + (is_reversed ? c : b)) * nodes +
                    (is_reversed ? b : c)] = 1;
    }
    free(message);
    return crossed;
}

/* The packets of each message cross the links that those of the multicast cross, backwards; but of `replicate` a tree that
 * is stuck may have changed its class. */
START_TEST(ways_are_those_of_the_multicast)
{
    static const char *const WAYS[] = {"trees", "replicate", "circulate"};
    static const struct mesh SQUARE = {16, 16}, OBLONG = {12, 18}, ODD = {11, 14};
    const struct mesh *const meshes[] = {&SQUARE, &OBLONG, &ODD};
    for (int m = 0; m < 3; m++) {
        struct router_case run = case_of(WAYS[_i]);
        struct message_set set;
        struct router_result result;
        draw_set(&set, *meshes[m], 1, 12, 5);
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
        ck_assert_msg(alike >= crossed - (_i == 1 ? crossed / 100 : 0), "%s: %zu of %zu links",
                      WAYS[_i], alike, crossed);
        free(one);
        free(other);
        free(trace);
        free(forward);
        message_set_free(&set);
    }
}
END_TEST

/* A capacity of two packets, or three beside a corner, on every mesh, for several messages a node. */
START_TEST(circulate_needs_no_more_room)
{
    struct router_case run = case_of("circulate");
    for (int m = 0; m < MESH_COUNT; m++)
        for (uint32_t l = 1; l <= 3; l += 2) {
            struct message_set set;
            struct router_result result;
            struct mesh_circuit circuit;
            draw_set(&set, MESHES[m], l, 50, 9);
            router_case_check(&run, &set, &result);
            ck_assert_int_eq(mesh_circuit_make(&circuit, MESHES[m], NULL), FAIL_NONE);
            ck_assert_uint_le(result.buffer_peak, circuit.capacity);
            ck_assert_uint_eq(result.buffer_capacity, circuit.capacity);
            ck_assert_uint_le(result.steps, result.proven_steps);
            mesh_circuit_free(&circuit);
            message_set_free(&set);
        }
}
END_TEST

/* A sum for one node alone never waits: trees take its distance. So do sums in rows of their own. */
START_TEST(trees_take_the_distance)
{
    static const char *const SETS[] = {
        "mcast 1 5 6\n8 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 "
        "28 29\n",
        "mcast 1 5 6\n0 29\n", "mcast 1 3 5\n0 1 2 3 4\n5 6 9\n14 10 11 12 13\n",
        "mcast 1 1 7\n3 0 1 2 3 4 5 6\n", "mcast 1 4 1\n0 0 1 2 3\n"};
    struct router_case run = case_of("trees");
    for (size_t i = 0; i < sizeof SETS / sizeof *SETS; i++) {
        struct message_set set;
        struct router_result result;
        struct lower_bounds bounds;
        router_case_set(&set, SETS[i]);
        router_case_check(&run, &set, &result);
        ck_assert_int_eq(lower_bounds_compute(&set, &bounds, NULL), FAIL_NONE);
        ck_assert_uint_eq(result.steps, bounds.steps[BOUND_DISTANCE]);
        message_set_free(&set);
    }
}
END_TEST

/* With slots trees keep within 8 a slot, however crowded it is, and end. */
START_TEST(trees_within_slots)
{
    struct router_case run = case_of("trees");
    static const char *const SLOTS[] = {"slots=1", "slots=2", "slots=5"};
    static const struct mesh CROWDED[] = {{9, 9}, {4, 13}, {1, 20}, {10, 2}};
    for (uint32_t m = 0; m < 4; m++)
        for (uint32_t k = 0; k < 3; k++) {
            struct message_set set;
            struct router_result result;
            draw_set(&set, CROWDED[m], 4, 80, m);
            run.parameters = SLOTS[k];
            router_case_check(&run, &set, &result);
            ck_assert_uint_eq(result.buffer_capacity, k == 0 ? 8 : k == 1 ? 16 : 40);
            message_set_free(&set);
        }
}
END_TEST

/* ---- what is refused, and what is found ---- */

static void check_failure(const struct router_case *run, const char *text,
                          enum failure_kind expected, const char *message)
{
    struct message_set set;
    struct router_result result;
    struct failure failure = {0};
    router_case_set(&set, text);
    ck_assert_int_eq(router_case_run(run, &set, NULL, &result, &failure), expected);
    ck_assert_msg(strstr(failure.text, message) != NULL, "%s", failure.text);
    message_set_free(&set);
}

START_TEST(refusals)
{
    struct router_case run = case_of("stream");
    const char *set = "mcast 1 3 3\n4 0 1 2 3 5 6 7 8\n0 1 2 8\n";
    check_failure(&run, set, FAIL_USAGE, "router stream does not reduce; these do: ");
    run = case_of("trees");
    run.parameters = "tree=near";
    check_failure(&run, set, FAIL_USAGE, "no other tree is known to those who contribute");
    run.parameters = "classes=1";
    check_failure(&run, set, FAIL_USAGE, "has two classes");
    run.parameters = NULL;
    run.congestion_is_unknown = true;
    check_failure(&run, set, FAIL_USAGE, "no node guesses");
    run.congestion_is_unknown = false;
    run.buffer = 7;
    check_failure(&run, set, FAIL_USAGE, "the least is 8");
    run.parameters = "slots=0";
    run.buffer = 1;
    check_failure(&run, "mcast 1 2 3\n0 1 2 3 4 5\n1 0 2 3 4 5\n2 0 1 3 4 5\n3 0 1 2 4 5\n",
                  FAIL_CHECK, "buffer overflow: node");
    run = case_of("replicate");
    run.parameters = "prune=0";
    check_failure(&run, set, FAIL_USAGE, "prune=0 is for multicasts");
    run = case_of("circulate");
    run.buffer = 1;
    check_failure(&run, set, FAIL_USAGE, "the least is 3");
}
END_TEST

/* What is combined is not the sum, or nobody knows with what. */
static void lose(void *context, uint32_t packet, uint32_t into)
{
    struct reduction *reduction = context;
    reduction_combine(context, packet, into);
    reduction->value[into]--;
}

static void forget(void *context, uint32_t packet, uint32_t into)
{
    (void)context, (void)packet, (void)into;
}

static enum output along_the_row(void *context, struct site site, uint32_t packet)
{
    const struct reduction *reduction = context;
    uint32_t col = place_col(reduction->header->destination[packet]);
    return site.col == col ? OUT_EJECT : site.col > col ? OUT_WEST : OUT_EAST;
}

static enum failure_kind reduce_by(struct routing *routing,
                                   void (*combine)(void *context, uint32_t packet, uint32_t into),
                                   struct failure *failure)
{
    struct reduction reduction;
    struct gather_rule rule = {.context = &reduction, .output = along_the_row, .combine = combine};
    enum failure_kind kind = reduction_begin(&reduction, routing, 0, failure);
    if (kind == FAIL_NONE)
        kind = reduction_gather(&reduction, &rule, "row", failure);
    reduction_free(&reduction);
    return kind;
}

static enum failure_kind reduce_well(struct routing *routing, struct failure *failure)
{
    return reduce_by(routing, reduction_combine, failure);
}

static enum failure_kind reduce_lossily(struct routing *routing, struct failure *failure)
{
    return reduce_by(routing, lose, failure);
}

static enum failure_kind reduce_forgetfully(struct routing *routing, struct failure *failure)
{
    return reduce_by(routing, forget, failure);
}

/* The check of a run finds sums that are wrong and contributions that have not come. */
START_TEST(check_finds)
{
    static const struct parameter_spec NO_SPECS[] = {{NULL, NULL, 0, 0, NULL}};
    static const struct {
        enum failure_kind (*reduce)(struct routing *routing, struct failure *failure);
        enum failure_kind kind;
        const char *text;
    } ROWS[] = {
        {reduce_well, FAIL_NONE, ""},
        {reduce_lossily, FAIL_CHECK, "0 contributions are missing and 1 sums are wrong; the first"},
        {reduce_forgetfully, FAIL_CHECK, "3 contributions are missing and"}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct router_method method = {
            {"row", "along a row", ""}, NO_SPECS, NULL, NULL, NULL, true, ROWS[i].reduce};
        struct router_case run = {.router = &method.shown, .reduces = true, .copy_is_free = true};
        check_failure(&run, "mcast 1 1 6\n0 2 3 4 5\n1 2 3 4 5\n3 1\n", ROWS[i].kind, ROWS[i].text);
    }
}
END_TEST

Suite *reduction_suite(void)
{
    Suite *suite = suite_create("reduction");
    TCase *tests = tcase_create("reduction");
    tcase_add_loop_test(tests, sums, 0, RUN_COUNT);
    tcase_add_loop_test(tests, threads, 0, RUN_COUNT);
    tcase_add_loop_test(tests, locality, 0, RUN_COUNT);
    tcase_add_loop_test(tests, circulate_turns_time_round, 0, 5);
    tcase_add_loop_test(tests, ways_are_those_of_the_multicast, 0, 3);
    tcase_add_test(tests, circulate_needs_no_more_room);
    tcase_add_test(tests, trees_take_the_distance);
    tcase_add_test(tests, trees_within_slots);
    tcase_add_test(tests, refusals);
    tcase_add_test(tests, check_finds);
    suite_add_tcase(suite, tests);
    return suite;
}
