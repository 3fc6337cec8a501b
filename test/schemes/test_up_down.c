/* test_up_down.c - paths that lead up, then down, on broken meshes and tori: legal, as short as can
 * be, trees with few turns, without a cycle of waits.
 *
 * Oracles: levels by a search of the test's own; hops by a search over pairs of a node and whether
 * a link down was taken; a cycle of waits by a search of all links that worms from all nodes to all
 * nodes, and trees, take one after the other.
 */
#include "test/length.h"
#include "test/schemes/route_walk.h"
#include "test/schemes/scheme_case.h"
#include "test/topology/broken_case.h"

#include <check.h>
#include <string.h>

enum { NODES = 64, LINKS = NODES * 8 };

static const char *const SHAPES[] = {"mesh:8x8", "mesh:3x5",    "torus:5x5",      "torus:7x3",
                                     "mesh:1x9", "torus:4x4x3", "mesh:2x2x2x2x2", "torus:6x6"};
enum { SHAPE_COUNT = sizeof SHAPES / sizeof SHAPES[0] };

static bool joins(const struct topology *topology, uint32_t from, uint32_t to)
{
    return topology_port_to(topology, from, to) != UINT32_MAX;
}

/* Finds levels by rounds over all pairs, each part from its least or greatest node. */
static void find_levels(const struct topology *topology, enum topology_root kind,
                        uint32_t level[NODES])
{
    memset(level, 0xff, NODES * sizeof *level);
    for (uint32_t i = 0; i < topology->nodes; i++) {
        uint32_t root = kind == TOPOLOGY_LEAST_NODE ? i : topology->nodes - 1 - i;
        bool has_changed = level[root] == UINT32_MAX;
        level[root] = has_changed ? 0 : level[root];
        for (uint32_t round = 1; has_changed; round++) {
            has_changed = false;
            for (uint32_t u = 0; u < topology->nodes; u++)
                for (uint32_t v = 0; v < topology->nodes; v++)
                    if (level[u] == round - 1 && level[v] == UINT32_MAX && joins(topology, u, v) &&
                        joins(topology, v, u)) {
                        level[v] = round;
                        has_changed = true;
                    }
        }
    }
}

static bool leads_up(const uint32_t level[NODES], uint32_t from, uint32_t to)
{
    return level[to] < level[from] || (level[to] == level[from] && to < from);
}

/* Finds the hops of shortest paths up, then down, from a node to all: hops[1] is of paths that went
 * down. */
static void find_least_hops(const struct topology *topology, const uint32_t level[NODES],
                            uint32_t source, uint32_t hops[2][NODES])
{
    bool has_changed = true;
    memset(hops, 0x3f, 2 * sizeof *hops);
    hops[0][source] = 0;
    while (has_changed) {
        has_changed = false;
        for (uint32_t u = 0; u < topology->nodes; u++)
            for (uint32_t port = 0; port < topology_node_ports(topology, u); port++) {
                uint32_t v = topology_neighbour(topology, u, port);
                bool is_up = v != TOPOLOGY_NO_NODE && leads_up(level, u, v);
                for (int went = 0; v != TOPOLOGY_NO_NODE && went < (is_up ? 1 : 2); went++)
                    if (hops[went][u] + 1 < hops[!is_up][v]) {
                        hops[!is_up][v] = hops[went][u] + 1;
                        has_changed = true;
                    }
            }
    }
}

/* The links that a worm may wait for while it holds a link. */
struct waits {
    bool waits[LINKS][LINKS];
    uint8_t state[LINKS]; /* 0: not seen, 1: on the way, 2: without a cycle */
};

static bool closes_cycle(struct waits *waits, uint32_t link)
{
    if (waits->state[link] != 0)
        return waits->state[link] == 1;
    waits->state[link] = 1;
    for (uint32_t next = 0; next < LINKS; next++)
        if (waits->waits[link][next] && closes_cycle(waits, next))
            return true;
    waits->state[link] = 2;
    return false;
}

/* Follows a worm from stop to stop: each hop a link, and none up after one down. */
static void follow(const struct topology *topology, const uint32_t level[NODES],
                   const struct plan *plan, const struct worm *worm, struct waits *waits)
{
    uint32_t before[NODES * 2], from[NODES * 2];
    bool went_down[NODES * 2] = {false};
    const struct stop *stop = plan->stop + worm->first;
    for (uint32_t i = 0; i < worm->stops; i++)
        from[i] = worm->sender, before[i] = UINT32_MAX;
    for (uint32_t i = 0; i < worm->stops; i++) {
        if (stop[i].node != from[i]) {
            uint32_t port = topology_port_to(topology, from[i], stop[i].node);
            uint32_t link = (uint32_t)topology_link(topology, from[i], port);
            ck_assert_uint_ne(port, UINT32_MAX);
            bool is_up = leads_up(level, from[i], stop[i].node);
            ck_assert(!is_up || !went_down[i]);
            went_down[i] |= !is_up;
            if (before[i] != UINT32_MAX)
                waits->waits[before[i]][link] = true;
            before[i] = link;
        }
        for (uint32_t child = i + 1; child < i + stop[i].span; child += stop[child].span) {
            from[child] = stop[i].node;
            before[child] = before[i];
            went_down[child] = went_down[i];
        }
    }
}

/* Fails if a path of a tree turns more often than the mesh has dimensions to change to. */
static void check_turns(const struct topology *topology, const struct plan *plan)
{
    uint32_t by[NODES] = {0}, turns[NODES] = {0}; /* of the link into each stop */
    const struct stop *stop = plan->stop + plan->worm->first;
    for (uint32_t i = 0; i < plan->worm->stops; i++)
        for (uint32_t child = i + 1; child < i + stop[i].span; child += stop[child].span) {
            by[child] = stop[child].node - stop[i].node;
            turns[child] = turns[i] + (by[i] != 0 && by[child] != by[i]);
            ck_assert_uint_lt(turns[child], topology->shape.dimensions);
        }
}

static struct topology topology_case(int shape, uint64_t number, struct pcg32 *random)
{
    struct topology topology = route_walk_topology(SHAPES[shape]);
    *random = pcg32_seed(number, (uint64_t)shape);
    if (number > 1)
        broken_case(&topology, number % 3 == 0 ? 0 : 12, 10, random);
    return topology;
}

/* Plans paths up to one of the two roots, then down. */
static struct plan plan_of(const struct scheme *scheme, const struct scheme_choices *choices,
                           enum topology_root root, const struct topology *topology,
                           const struct multicast *multicast)
{
    struct plan plan = {.paths.root = root};
    struct failure failure = {0};
    ck_assert_int_eq(scheme_plan(scheme, topology, multicast, choices, &plan, &failure), FAIL_NONE);
    return plan;
}

/* From each node to each of its part, and trees to random sets; on a whole mesh paths are shortest
 * ones. */
START_TEST(paths)
{
    static struct waits waits;
    uint64_t runs = TEST_IS_SHORT ? 16 : 160;
    const struct scheme_choices by_up_down = {{4}}, tree = {{0, 0, 1}};
    const struct scheme *unicast, *vh;
    struct failure failure = {0};
    ck_assert_int_eq(scheme_find("unicast", &unicast, &failure), FAIL_NONE);
    ck_assert_int_eq(scheme_find("vh", &vh, &failure), FAIL_NONE);
    for (uint64_t number = 0; number < runs; number++) {
        struct pcg32 random;
        struct topology topology = topology_case(_i, number, &random);
        enum topology_root root = number % 2 == 0 ? TOPOLOGY_LEAST_NODE : TOPOLOGY_GREATEST_NODE;
        bool is_mesh = topology.shape.kind == TOPOLOGY_MESH;
        uint32_t level[NODES];
        memset(&waits, 0, sizeof waits);
        find_levels(&topology, root, level);
        for (uint32_t source = 0; source < topology.nodes; source++) {
            uint32_t hops[2][NODES], destination[NODES], some[NODES], count = 0, few = 0;
            for (uint32_t v = 0; v < topology.nodes; v++)
                if (v != source &&
                    (topology.part == NULL || (topology.part[v] == topology.part[source] &&
                                               topology.part[v] != TOPOLOGY_NO_NODE)))
                    destination[count++] = v;
            for (uint32_t i = 0; i < count; i++)
                if (pcg32_below(&random, 4) == 0)
                    some[few++] = destination[i];
            if (count == 0)
                continue;
            struct multicast all = {source, count, destination, 1},
                             multicast = {source, few, some, 1};
            struct plan plan = plan_of(unicast, &by_up_down, root, &topology, &all);
            ck_assert_uint_eq(plan.worms, count);
            find_least_hops(&topology, level, source, hops);
            for (uint32_t i = 0; i < plan.worms; i++) {
                follow(&topology, level, &plan, &plan.worm[i], &waits);
                uint32_t up = hops[0][destination[i]], down = hops[1][destination[i]];
                uint32_t least = up < down ? up : down;
                if (is_mesh && !topology.has_one_way)
                    ck_assert_uint_eq(plan.worm[i].stops, least);
                else
                    ck_assert_uint_ge(plan.worm[i].stops, least);
                if (number < 2 && is_mesh)
                    ck_assert_uint_eq(least, topology_distance(&topology, source, destination[i]));
            }
            plan_free(&plan);
            plan = plan_of(vh, &tree, root, &topology, &multicast);
            for (uint32_t i = 0; i < plan.worms; i++)
                follow(&topology, level, &plan, &plan.worm[i], &waits);
            if (number < 2 && is_mesh && few > 0)
                check_turns(&topology, &plan);
            plan_free(&plan);
        }
        for (uint32_t link = 0; link < LINKS; link++)
            ck_assert(!closes_cycle(&waits, link));
        topology_free(&topology);
    }
}
END_TEST

void up_down_suite(TCase *tests)
{
    tcase_add_loop_test(tests, paths, 0, SHAPE_COUNT);
}
