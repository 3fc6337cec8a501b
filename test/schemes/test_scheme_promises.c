/* test_scheme_promises.c - the promises of doc/schemes.md, by the command `plan`, against all plans
 * of small sets.
 *
 * Method: one set holds a message for every subset of the nodes of a small mesh. The fewest worms
 * that cover a subset, and the least connected set of nodes that holds it, are found by going over
 * all subsets.
 */
#include "test/length.h"
#include "test/library_case.h"
#include "test/plain_set.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 9, SUBSETS = 1 << MOST_NODES, MOST_MESSAGES = SUBSETS * MOST_NODES };

/* ---- meshes ---- */

struct box {
    uint32_t dimensions, size[3]; /* the fastest dimension first */
    const char *text;             /* NULL: the graph of EDGES */
    bool is_torus;
};

static const uint32_t EDGES[2][12] = {{0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 3, 5},
                                      {1, 2, 3, 4, 5, 6, 7, 8, 5, 7, 8, 8}};
enum { EDGE_COUNT = 12 };

static uint32_t nodes_of(const struct box *box)
{
    uint32_t nodes = 1;
    for (uint32_t i = 0; i < box->dimensions; i++)
        nodes *= box->size[i];
    return nodes;
}

static int coordinate(const struct box *box, uint32_t node, uint32_t dimension)
{
    for (uint32_t i = 0; i < dimension; i++)
        node /= box->size[i];
    return (int)(node % box->size[dimension]);
}

static uint32_t distance(const struct box *box, uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < box->dimensions; i++) {
        uint32_t hops = (uint32_t)abs(coordinate(box, a, i) - coordinate(box, b, i));
        sum += box->is_torus && hops > box->size[i] / 2 ? box->size[i] - hops : hops;
    }
    return sum;
}

/* ---- one set with all subsets ---- */

struct subsets {
    uint32_t messages, source[MOST_MESSAGES], set[MOST_MESSAGES]; /* the destinations, a bit each */
    struct meshcast_topology *topology;
    struct meshcast_set *handle;
};

/* Makes the messages from all sources to all subsets of at most `most` other nodes. */
static void make_subsets(struct subsets *subsets, const struct box *box, int most)
{
    static uint64_t offset[MOST_MESSAGES + 1];
    static uint32_t destination[MOST_MESSAGES * MOST_NODES];
    uint32_t nodes = nodes_of(box);
    struct meshcast_error error = {0};
    uint64_t end = 0;
    subsets->messages = 0;
    for (uint32_t source = 0; source < nodes; source++)
        for (uint32_t set = 1; set < UINT32_C(1) << nodes; set++) {
            if ((set >> source & 1) == 1 || __builtin_popcount(set) > most)
                continue;
            for (uint32_t node = 0; node < nodes; node++)
                if ((set >> node & 1) == 1)
                    destination[end++] = node;
            subsets->source[subsets->messages] = source;
            subsets->set[subsets->messages++] = set;
            offset[subsets->messages] = end;
        }
    subsets->topology = box->text != NULL
                            ? case_topology(box->text)
                            : meshcast_topology_from_edges(EDGE_COUNT, EDGES[0], EDGES[1], &error);
    subsets->handle = meshcast_set_from_messages(
        subsets->topology, subsets->messages, subsets->source, offset, destination, NULL, &error);
    ck_assert_msg(subsets->handle != NULL, "%s", error.text);
}

static void free_subsets(struct subsets *subsets)
{
    meshcast_set_free(subsets->handle);
    meshcast_topology_free(subsets->topology);
}

/* Returns the report of `plan` with the costs of each message. */
static struct meshcast_report *plan(const struct meshcast_set *set,
                                    const struct meshcast_topology *topology, const char *schemes,
                                    const char *options)
{
    char words[256];
    snprintf(words, sizeof words, "schemes=%s keep-costs %s", schemes, options);
    struct meshcast_command *command = case_command("plan", set, words);
    if (topology != NULL)
        meshcast_command_give_topology(command, topology);
    return case_run(command, NULL);
}

static const uint64_t *costs(const struct meshcast_report *report, const char *name,
                             size_t expected)
{
    size_t count;
    const uint64_t *cost = meshcast_report_array64(report, name, &count);
    ck_assert_msg(cost != NULL && count == expected, "%s: %zu", name, count);
    return cost;
}

/* ---- pure and minimal: the fewest worms ---- */

/* Any ways of negative-first, its shortest ways, or the ways of x-first. */
enum ways { WAYS_ANY, WAYS_SHORTEST, WAYS_X_FIRST, WAYS };

/* True if a worm at `at` that has (not) taken a larger coordinate may go on to `to`; sets
 * *grown. */
static bool may_go(const struct box *box, enum ways ways, uint32_t source, uint32_t at,
                   bool has_grown, uint32_t to, bool *grown)
{
    bool shrinks = false, has_more = false, is_on_way = true;
    *grown = has_grown;
    for (uint32_t i = 0; i < box->dimensions; i++) {
        int here = coordinate(box, at, i), there = coordinate(box, to, i);
        shrinks |= there < here;
        *grown |= there > here;
        is_on_way &= !has_more || here == coordinate(box, source, i);
        has_more |= here != there;
    }
    bool is_shortest =
        distance(box, source, at) + distance(box, at, to) == distance(box, source, to);
    return (ways == WAYS_X_FIRST ? is_on_way : !(has_grown && shrinks)) &&
           (ways == WAYS_ANY || is_shortest);
}

/* Fills lists[]: the fewest worms from the source that visit each subset. A subset's word in ends[]
 * has bit 2 d + g if a worm that visits just it can end at node d, having taken a larger coordinate
 * (g = 1) or not. */
static void count_worms(const struct box *box, enum ways ways, uint32_t source, uint32_t *lists)
{
    static uint32_t ends[SUBSETS];
    uint32_t nodes = nodes_of(box), sets = UINT32_C(1) << nodes;
    memset(ends, 0, sizeof ends);
    for (uint32_t set = 1; set < sets; set++)
        for (uint32_t to = 0; to < nodes; to++) {
            uint32_t rest = set & ~(UINT32_C(1) << to);
            bool grown;
            if (rest == set)
                continue;
            if (rest == 0 && may_go(box, ways, source, source, false, to, &grown))
                ends[set] |= UINT32_C(1) << (2 * to + grown);
            for (uint32_t from = 0; from < 2 * nodes; from++)
                if ((ends[rest] >> from & 1) == 1 &&
                    may_go(box, ways, source, from / 2, from % 2 == 1, to, &grown))
                    ends[set] |= UINT32_C(1) << (2 * to + grown);
        }
    lists[0] = 0;
    for (uint32_t set = 1; set < sets; set++) {
        lists[set] = UINT32_MAX;
        for (uint32_t part = set; part > 0; part = (part - 1) & set)
            if (ends[part] != 0 && lists[set & ~part] + 1 < lists[set])
                lists[set] = lists[set & ~part] + 1;
    }
}

static const struct box BOXES[] = {{2, {3, 3}, "mesh:3x3", false},
                                   {2, {4, 2}, "mesh:2x4", false},
                                   {2, {2, 4}, "mesh:4x2", false},
                                   {2, {6, 1}, "mesh:1x6", false},
                                   {3, {2, 2, 2}, "mesh:2x2x2", false},
                                   {2, {3, 3}, "torus:3x3", true},
                                   {2, {4, 2}, "torus:2x4", true},
                                   {1, {7}, "torus:7", true},
                                   {1, {9}, NULL, false}};
enum { BOX_COUNT = sizeof BOXES / sizeof *BOXES, MESHES = 5 };

/* No plan has fewer worms than `pure`, and of shortest ways than `minimal`, nor over x-first; the
 * printed variant of `minimal` never has fewer. */
START_TEST(fewest_worms)
{
    static struct subsets subsets;
    static uint32_t lists[WAYS][SUBSETS];
    const struct box *box = &BOXES[_i];
    make_subsets(&subsets, box, TEST_IS_SHORT ? 5 : 7);
    size_t count = subsets.messages;
    struct meshcast_report *both = plan(subsets.handle, subsets.topology, "pure,minimal", "");
    struct meshcast_report *x_first =
        plan(subsets.handle, subsets.topology, "pure,minimal", "param=routing=x-first");
    struct meshcast_report *printed =
        plan(subsets.handle, subsets.topology, "minimal", "param=variant=printed");
    const uint64_t *worms = costs(both, "startups", 2 * count);
    const uint64_t *of_x_first = costs(x_first, "startups", 2 * count);
    const uint64_t *more = costs(printed, "startups", count);
    for (uint32_t i = 0, source = UINT32_MAX; i < count; i++) {
        for (int ways = 0; source != subsets.source[i] && ways < WAYS; ways++)
            count_worms(box, (enum ways)ways, subsets.source[i], lists[ways]);
        source = subsets.source[i];
        ck_assert_uint_eq(worms[i], lists[WAYS_ANY][subsets.set[i]]);
        ck_assert_uint_eq(worms[count + i], lists[WAYS_SHORTEST][subsets.set[i]]);
        ck_assert_uint_eq(of_x_first[i], lists[WAYS_X_FIRST][subsets.set[i]]);
        ck_assert_uint_eq(of_x_first[count + i], of_x_first[i]);
        ck_assert_uint_ge(more[i], worms[count + i]);
    }
    meshcast_report_free(both);
    meshcast_report_free(x_first);
    meshcast_report_free(printed);
    free_subsets(&subsets);
}
END_TEST

/* ---- trees: the fewest links ---- */

static bool are_joined(const struct box *box, uint32_t a, uint32_t b)
{
    if (box->text != NULL)
        return distance(box, a, b) == 1;
    for (uint32_t i = 0; i < EDGE_COUNT; i++)
        if ((EDGES[0][i] == a && EDGES[1][i] == b) || (EDGES[0][i] == b && EDGES[1][i] == a))
            return true;
    return false;
}

static bool is_connected(const struct box *box, uint32_t set)
{
    uint32_t found = set & (~set + 1), before = 0, nodes = nodes_of(box);
    while (found != before) {
        before = found;
        for (uint32_t a = 0; a < nodes; a++)
            for (uint32_t b = 0; b < nodes; b++)
                if ((before >> a & 1) == 1 && (set >> b & 1) == 1 && are_joined(box, a, b))
                    found |= UINT32_C(1) << b;
    }
    return found == set;
}

/* `plan --bound` is the least number of links of a tree that has source and destinations, and no
 * scheme that sends one worm per tree has fewer. */
START_TEST(fewest_links)
{
    static struct subsets subsets;
    static uint32_t least[SUBSETS];
    const struct box *box = &BOXES[_i];
    uint32_t nodes = nodes_of(box), sets = UINT32_C(1) << nodes;
    make_subsets(&subsets, box, MOST_NODES);
    for (uint32_t set = sets - 1; set > 0; set--) { /* larger sets first: those with a node more */
        least[set] = is_connected(box, set) ? (uint32_t)__builtin_popcount(set) - 1 : UINT32_MAX;
        for (uint32_t node = 0; node < nodes; node++) {
            uint32_t larger =
                (set >> node & 1) == 1 ? UINT32_MAX : least[set | UINT32_C(1) << node];
            least[set] = larger < least[set] ? larger : least[set];
        }
    }
    const char *schemes = box->text != NULL ? "dual,u-mesh,unicast,min,dds" : "dual,ocms,two-port";
    size_t count = subsets.messages, each = box->text != NULL ? 5 : 3;
    struct meshcast_report *report = plan(subsets.handle, subsets.topology, schemes, "bound");
    const uint64_t *traffic = costs(report, "traffic", each * count);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t links = least[subsets.set[i] | UINT32_C(1) << subsets.source[i]];
        for (size_t scheme = 0; scheme < each; scheme++)
            ck_assert_uint_ge(traffic[scheme * count + i], links);
        sum += links;
    }
    ck_assert_uint_eq(case_figure(report, "0.traffic_bound"), sum);
    ck_assert_uint_eq(case_figure(report, "0.traffic_bound_exact"), count);
    meshcast_report_free(report);
    free_subsets(&subsets);
}
END_TEST

/* ---- trees of unicasts: the fewest steps ---- */

/* Returns the least S with base^S >= number. */
static uint32_t logarithm(uint32_t base, uint32_t number)
{
    uint32_t steps = 0;
    for (uint64_t power = 1; power < number; power *= base)
        steps++;
    return steps;
}

/* A broadcast on a line of n nodes takes two-port at most ceil(log3 2n) steps from every place,
 * ceil(log3 n) from the best, and the least S with 3^S >= 2n - 1 from an end; u-mesh takes
 * ceil(log2 n), and d-port no more than two-port. */
START_TEST(fewest_steps)
{
    for (uint32_t n = 2; n <= 200; n += TEST_IS_SHORT && n >= 30 ? 41 : 1) {
        struct plain_set set;
        uint32_t *node = malloc((size_t)n * n * sizeof *node), *source = malloc(n * sizeof *source);
        uint64_t *offset = calloc(n + (size_t)1, sizeof *offset), best = UINT64_MAX;
        ck_assert(node != NULL && source != NULL && offset != NULL);
        for (uint32_t i = 0; i < n; i++) {
            uint64_t end = offset[i];
            source[i] = i;
            for (uint32_t to = 0; to < n; to++)
                if (to != i)
                    node[end++] = to;
            offset[i + 1] = end;
        }
        plain_set_make(&set, (struct grid){1, n}, n, source, offset, node);
        struct meshcast_report *report = plan(set.handle, NULL, "two-port,d-port,u-mesh", "");
        const uint64_t *steps = costs(report, "steps", 3 * (size_t)n);
        for (uint32_t i = 0; i < n; i++) {
            ck_assert_uint_le(steps[i], logarithm(3, 2 * n));
            ck_assert_uint_le(steps[n + i], steps[i]);
            ck_assert_uint_eq(steps[2 * n + i], logarithm(2, n));
            best = steps[i] < best ? steps[i] : best;
        }
        ck_assert_uint_eq(steps[0], logarithm(3, 2 * n - 1));
        ck_assert_uint_eq(steps[n - 1], logarithm(3, 2 * n - 1));
        ck_assert_uint_eq(best, logarithm(3, n));
        meshcast_report_free(report);
        plain_set_free(&set);
        free(node);
        free(source);
        free(offset);
    }
}
END_TEST

/* On meshes and tori d-port takes at most as many steps as two-port, both within ceil(log3 2n); and
 * the least traffic that `plan --bound` proves, exactly or not, is no more than that of `min`. */
START_TEST(random_sets)
{
    static const char *const topologies[] = {"mesh:8x8", "torus:6x7", "mesh:3x4x5", "mesh:16x4"};
    for (int degree = 1; degree < 40; degree += 6) {
        char options[128];
        snprintf(options, sizeof options,
                 "topology=%s pattern=uniform degree=%d congestion=%d seed=%d", topologies[_i],
                 degree, degree, degree);
        struct meshcast_set *set = case_gen(options);
        size_t count;
        struct meshcast_report *report = plan(set, NULL, "two-port,d-port,min", "bound");
        const uint32_t *message = meshcast_report_array32(report, "messages", &count);
        const uint64_t *steps = costs(report, "steps", 3 * count);
        const uint64_t *traffic = costs(report, "traffic", 3 * count);
        ck_assert_uint_le(case_figure(report, "0.traffic_bound"),
                          case_sum(traffic + 2 * count, count));
        for (uint32_t i = 0; i < count; i++) {
            uint32_t source;
            uint64_t destinations;
            meshcast_set_message(set, message[i], &source, &destinations);
            ck_assert_uint_le(steps[i], logarithm(3, 2 * (uint32_t)destinations + 2));
            ck_assert_uint_le(steps[count + i], steps[i]);
        }
        meshcast_report_free(report);
        meshcast_set_free(set);
    }
}
END_TEST

void scheme_promises_suite(TCase *tests)
{
    tcase_add_loop_test(tests, fewest_worms, 0, MESHES);
    tcase_add_loop_test(tests, fewest_links, 0, BOX_COUNT);
    tcase_add_test(tests, fewest_steps);
    tcase_add_loop_test(tests, random_sets, 0, 4);
}
