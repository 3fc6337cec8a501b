/* test_locality.c - no node acts on news that it cannot have.
 *
 * Two sets of equal sizes, d and c differ in the message of one node. Until light from that node
 * can reach a node, both runs must look the same there (doc/model.md). All other messages are the
 * same and carry d and c; the changed one goes to the nearest nodes with room, to the farthest, to
 * one node alone, or is not sent at all. Two kinds of traffic: `busy` is random; in `quiet` nothing
 * moves but between four nodes in a corner, so that a phase that ended when the last packet
 * arrived, or started when all were ready, would show the difference at once.
 */
#include "test/length.h"
#include "test/machine/light_cone.h"
#include "test/routers/router_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const struct grid MESHES[] = {{12, 12}, {16, 16}, {9, 13}, {3, 40}, {1, 48}};
enum { MESH_COUNT = sizeof MESHES / sizeof *MESHES };

/* ---- pairs of sets ---- */

enum { MOST_PAIRS = 1 << 14 };

/* A set under construction, as pairs. */
struct pairs {
    struct grid mesh;
    uint64_t count;
    uint32_t from[MOST_PAIRS], to[MOST_PAIRS];
};

static void add_pair(struct pairs *pairs, uint32_t from, uint32_t to)
{
    ck_assert_uint_lt(pairs->count, MOST_PAIRS);
    pairs->from[pairs->count] = from;
    pairs->to[pairs->count++] = to;
}

/* Random messages of at most d destinations, at most c per node, from all nodes but `changed` and
 * every fourth, which leaves room for others. */
static void add_busy(struct pairs *pairs, uint32_t changed, uint32_t degree, uint32_t congestion,
                     uint64_t seed)
{
    struct plain_set set;
    ck_assert(plain_set_gen(&set, "uniform", pairs->mesh, degree, congestion, seed, NULL));
    for (uint32_t i = 0; i < set.messages; i++)
        for (uint64_t j = set.offset[i]; j < set.offset[i + 1]; j++)
            if (set.source[i] != changed && set.source[i] % 4 != 1)
                add_pair(pairs, set.source[i], set.destination[j]);
    plain_set_free(&set);
}

/* Four nodes in the corner that is farthest from `changed` send to one another, all other nodes to
 * themselves. */
static void add_quiet(struct pairs *pairs, uint32_t changed)
{
    struct grid mesh = pairs->mesh;
    uint32_t height = mesh.rows < 2 ? 1 : 2, width = 4 / height;
    uint32_t row = changed / mesh.cols < mesh.rows / 2 ? mesh.rows - height : 0;
    uint32_t col = changed % mesh.cols < mesh.cols / 2 ? mesh.cols - width : 0;
    uint32_t corner[4];
    for (uint32_t i = 0; i < 4; i++)
        corner[i] = (row + i / width) * mesh.cols + col + i % width;
    for (uint32_t node = 0; node < grid_nodes(mesh); node++) {
        bool in_corner = false;
        for (uint32_t i = 0; i < 4; i++)
            in_corner |= corner[i] == node;
        for (uint32_t i = 0; in_corner && i < 4; i++)
            add_pair(pairs, node, corner[i]);
        if (!in_corner && node != changed)
            add_pair(pairs, node, node);
    }
}

static void make_set(const struct pairs *pairs, struct plain_set *set)
{
    plain_set_pairs(set, pairs->mesh, pairs->count, pairs->from, pairs->to);
}

static uint32_t distance_between(struct grid mesh, uint32_t a, uint32_t b)
{
    return (uint32_t)(abs((int)(a / mesh.cols) - (int)(b / mesh.cols)) +
                      abs((int)(a % mesh.cols) - (int)(b % mesh.cols)));
}

/* Nodes other than `changed` that can receive one more message without raising c, nearest first.
 * The caller frees. */
static uint32_t *nodes_with_room(const struct plain_set *others, uint32_t changed, uint32_t *count)
{
    struct grid mesh = others->mesh;
    uint32_t *received = calloc(grid_nodes(mesh), sizeof *received);
    uint32_t *node = malloc(grid_nodes(mesh) * sizeof *node);
    ck_assert(received != NULL && node != NULL);
    for (uint64_t j = 0; j < others->deliveries; j++)
        received[others->destination[j]]++;
    *count = 0;
    for (uint32_t distance = 1; distance < mesh.rows + mesh.cols; distance++)
        for (uint32_t v = 0; v < grid_nodes(mesh); v++)
            if (distance_between(mesh, v, changed) == distance && received[v] < others->congestion)
                node[(*count)++] = v;
    free(received);
    return node;
}

enum change { NEAREST, FARTHEST, FARTHEST_ALONE, ABSENT, CHANGES };

/* Adds the message of `changed` to those of the others, and makes the set. */
static void change_set(struct pairs *pairs, uint32_t changed, enum change change,
                       struct plain_set *set)
{
    struct plain_set others;
    uint32_t room;
    uint64_t before = pairs->count;
    make_set(pairs, &others);
    uint32_t *node = nodes_with_room(&others, changed, &room);
    uint32_t degree = others.degree;
    uint32_t wanted = change == ABSENT ? 0 : change == FARTHEST_ALONE ? 1 : degree;
    ck_assert_uint_gt(room, wanted);
    for (uint32_t i = 0; i < wanted; i++)
        add_pair(pairs, changed, node[change == NEAREST ? i : room - 1 - i]);
    make_set(pairs, set);
    pairs->count = before;
    ck_assert_uint_eq(set->degree, degree);
    ck_assert_uint_eq(set->congestion, others.congestion);
    free(node);
    plain_set_free(&others);
}

/* ---- pairs of runs ---- */

/* Runs on all changes of the message of `changed`, until light has filled the mesh, and compares
 * with the first. */
static void check_changes(const struct router_case *run, struct pairs *pairs, uint32_t changed)
{
    char *trace[CHANGES], text[LIGHT_CONE_TEXT], where[ROUTER_CASE_TEXT];
    for (int change = 0; change < CHANGES; change++) {
        struct plain_set set;
        size_t events;
        change_set(pairs, changed, (enum change)change, &set);
        trace[change] = router_case_trace_before(run, &set, pairs->mesh.rows + pairs->mesh.cols);
        bool agrees =
            light_cone_agrees(trace[0], trace[change], pairs->mesh, &changed, 1, &events, text);
        ck_assert_msg(agrees, "%s: change %d at node %u: %s", router_case_text(run, &set, where),
                      change, changed, text);
        ck_assert_uint_gt(events, 0);
        plain_set_free(&set);
    }
    for (int change = 0; change < CHANGES; change++)
        free(trace[change]);
}

/* The changed message starts in a corner, near the opposite one, and in the middle, with both costs
 * of a copy; in short tests with one, by `turn`. */
static void check_positions(struct router_case run, struct grid mesh, uint32_t degree,
                            uint32_t congestion, size_t turn)
{
    static struct pairs pairs;
    uint32_t nodes = grid_nodes(mesh);
    uint32_t changed[] = {0, nodes - 2, (mesh.rows / 2) * mesh.cols + mesh.cols / 2};
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) {
        pairs.mesh = mesh;
        pairs.count = 0;
        run.seed = 17 * i + congestion;
        if (congestion == 0)
            add_quiet(&pairs, changed[i]);
        else
            add_busy(&pairs, changed[i], degree, congestion, run.seed);
        for (uint32_t copy = 0; copy < 2; copy++) {
            run.copy_is_free = copy == 1;
            if (!TEST_IS_SHORT || (turn + i) % 2 == copy)
                check_changes(&run, &pairs, changed[i]);
        }
    }
}

/* Every router with every known parameter, busy traffic: d < c, and d > c; in short tests on every
 * other mesh. */
START_TEST(test_busy)
{
    struct router_case run = router_case_at((uint32_t)_i);
    for (int i = TEST_IS_SHORT * _i % 2; i < MESH_COUNT; i += 1 + TEST_IS_SHORT)
        check_positions(run, MESHES[i], i % 2 ? 7 : 3, i % 2 ? 4 : 5, (size_t)(i + _i) / 2);
    check_positions(run, (struct grid){10, 10}, 10, 17, (size_t)_i);
}
END_TEST

/* The same with quiet traffic, on the other meshes. */
START_TEST(test_quiet)
{
    struct router_case run = router_case_at((uint32_t)_i);
    for (int i = TEST_IS_SHORT * (_i + 1) % 2; i < MESH_COUNT; i += 1 + TEST_IS_SHORT)
        check_positions(run, MESHES[i], 0, 0, (size_t)(i + _i) / 2);
}
END_TEST

/* ---- numbers that a node never knows ---- */

/* Cuts the lines that inject message `message` or end it by a delivery out of the trace. */
static void forget_message(char *trace, uint32_t message)
{
    char *to = trace;
    for (char *line = trace; *line != '\0';) {
        size_t length = strcspn(line, "\n") + 1;
        char *at; /* sscanf would measure the whole trace for each line */
        unsigned long named = UINT32_MAX;
        (void)strtoul(line, &at, 10);
        if (at != line && (at[1] == 'I' || at[1] == 'E'))
            for (at += 2; *at == ' ';) /* the last of the fields */
                named = strtoul(at, &at, 10);
        if (named != message) {
            memmove(to, line, length);
            to += length;
        }
        line += length;
    }
    *to = '\0';
}

/* A message from a node to itself ends when it is injected and leaves no other event of the run
 * different, at any step: numbers that the program gives to packets, or totals, do not reach the
 * algorithm. */
START_TEST(test_numbering)
{
    static struct pairs pairs;
    struct router_case run = router_case_at((uint32_t)_i);
    enum { ADDED = 5 };
    for (int copy = 0; copy < 2; copy++) {
        char *trace[2], text[LIGHT_CONE_TEXT], where[ROUTER_CASE_TEXT];
        struct plain_set set;
        struct case_result result[2];
        pairs = (struct pairs){.mesh = {11, 14}};
        add_busy(&pairs, ADDED, 4, 7, 1);
        run.copy_is_free = copy;
        for (int added = 0; added < 2; added++) {
            if (added)
                add_pair(&pairs, ADDED, ADDED);
            make_set(&pairs, &set);
            ck_assert_uint_eq(set.congestion, 7);
            trace[added] = router_case_trace(&run, &set, &result[added], NULL);
            forget_message(trace[added], ADDED);
            if (!added)
                plain_set_free(&set);
        }
        bool agrees = light_cone_agrees(trace[0], trace[1], pairs.mesh, NULL, 0, NULL, text);
        ck_assert_msg(agrees, "%s: %s", router_case_text(&run, &set, where), text);
        ck_assert_uint_eq(result[0].steps, result[1].steps);
        free(trace[0]);
        free(trace[1]);
        plain_set_free(&set);
    }
}
END_TEST

/* ---- the comparison itself ---- */

/* A difference in the trace of a run is seen: the injection at the far corner is dropped. */
START_TEST(test_comparison_sees_a_run)
{
    struct plain_set set;
    struct case_result result;
    struct router_case run = router_case_at((uint32_t)_i);
    char text[LIGHT_CONE_TEXT], *start;
    uint32_t changed = 0;
    if (run.congestion_is_unknown)
        return; /* when it injects, news of the change may have come that far */
    plain_set_parse(&set, "mcast 1 6 6\n35 28 29 34 35\n34 28 29\n29 34 28\n28 35 34 29\n");
    char *trace = router_case_trace(&run, &set, &result, NULL);
    char *doctored = strdup(trace);
    ck_assert_ptr_nonnull(start = strstr(doctored, " I 35 "));
    while (start[-1] != '\n')
        start--;
    char *end = start + strcspn(start, "\n") + 1;
    memmove(start, end, strlen(end) + 1);
    ck_assert(light_cone_agrees(trace, trace, set.mesh, &changed, 1, NULL, text));
    ck_assert(!light_cone_agrees(trace, doctored, set.mesh, &changed, 1, NULL, text));
    free(doctored);
    free(trace);
    plain_set_free(&set);
}
END_TEST

void locality_suite(TCase *tests)
{
    int cases = (int)router_case_count();
    tcase_add_loop_test(tests, test_comparison_sees_a_run, 0, cases);
    tcase_add_loop_test(tests, test_busy, 0, cases);
    tcase_add_loop_test(tests, test_quiet, 0, cases);
    tcase_add_loop_test(tests, test_numbering, 0, cases);
}
