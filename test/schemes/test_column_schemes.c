/* test_column_schemes.c - schemes column and schl: senders, worms and their nodes.
 *
 * Method: the right plan is found node by node from the definitions, without lists or orders: the
 * members that lead a column or a row, and their followers.
 */
#include "network/schemes/scheme.h"

#include "test/length.h"
#include "test/schemes/route_walk.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 256 };

static const char *const places[] = {"mesh:1x1", "mesh:1x2",  "mesh:9",    "mesh:7x1",  "mesh:1x8",
                                     "mesh:2x2", "mesh:3x3",  "mesh:5x4",  "mesh:7x7",  "mesh:8x8",
                                     "mesh:3x9", "mesh:11x2", "mesh:15x6", "mesh:16x16"};
enum { PLACES = sizeof places / sizeof places[0] };

static struct plan plan_of(const char *name, const struct topology *topology,
                           const struct multicast *multicast)
{
    static const struct scheme_choices defaults;
    const struct scheme *scheme = NULL;
    struct plan plan = {0};
    struct failure failure = {0};
    ck_assert_int_eq(scheme_find(name, &scheme, &failure), FAIL_NONE);
    ck_assert_int_eq(scheme_check(scheme, topology, &defaults, 1, &failure), FAIL_NONE);
    ck_assert_msg(scheme_plan(scheme, topology, multicast, &defaults, &plan, &failure) == FAIL_NONE,
                  "%s", failure.text);
    return plan;
}

/* A test's view of a multicast: x and y of the source, and the members, by coordinates. */
struct view {
    int columns, rows, x, y;
    bool is_member[MOST_NODES]; /* destinations */
    uint32_t destination[MOST_NODES];
    struct multicast multicast;
};

static void make_view(struct view *view, const struct topology *topology, uint32_t source,
                      uint32_t count, struct pcg32 *random)
{
    *view = (struct view){.columns = (int)topology->shape.size[0]};
    view->rows = (int)topology->nodes / view->columns;
    view->x = (int)source % view->columns;
    view->y = (int)source / view->columns;
    view->multicast = (struct multicast){source, 0, view->destination, 1};
    view->multicast.destinations =
        route_walk_destinations(random, topology->nodes, source, count, view->destination);
    for (uint32_t i = 0; i < view->multicast.destinations; i++)
        view->is_member[view->destination[i]] = true;
}

static bool is_inside(const struct view *view, int x, int y)
{
    return x >= 0 && x < view->columns && y >= 0 && y < view->rows;
}

static uint32_t node_at(const struct view *view, int x, int y)
{
    return (uint32_t)(y * view->columns + x);
}

/* The worm's stops are the marked nodes from (x, y) on, by steps of (dx, dy) to the edge. */
static void check_sweep(const struct view *view, const bool *is_marked, const struct plan *plan,
                        uint32_t worm, int x, int y, int dx, int dy)
{
    const struct stop *stop = &plan->stop[plan->worm[worm].first];
    uint32_t seen = 0;
    for (; is_inside(view, x, y); x += dx, y += dy)
        if (is_marked[node_at(view, x, y)]) {
            ck_assert_uint_lt(seen, plan->worm[worm].stops);
            ck_assert(stop[seen].is_destination);
            ck_assert_uint_eq(stop[seen++].node, node_at(view, x, y));
        }
    ck_assert_uint_eq(seen, plan->worm[worm].stops);
}

/* Returns the nearest marked node from (x, y) on, by steps of (dx, dy) to the edge, or
 * TOPOLOGY_NO_NODE. */
static uint32_t nearest(const struct view *view, const bool *is_marked, int x, int y, int dx,
                        int dy)
{
    for (; is_inside(view, x, y); x += dx, y += dy)
        if (is_marked[node_at(view, x, y)])
            return node_at(view, x, y);
    return TOPOLOGY_NO_NODE;
}

/* ---- column ---- */

static void check_columns(const struct view *view, const struct plan *plan)
{
    uint32_t worm = 0;
    for (int x = 0; x < view->columns; x++) {
        const bool *marked = view->is_member;
        bool ups = nearest(view, marked, x, view->y + 1, 0, 1) != TOPOLOGY_NO_NODE;
        bool downs = nearest(view, marked, x, view->y - 1, 0, -1) != TOPOLOGY_NO_NODE;
        bool row = marked[node_at(view, x, view->y)]; /* the source is none */
        for (int down = 0; down < 2; down++) {
            bool has_row = row && (down ? !ups && downs : ups || !downs);
            if (!(down ? downs : ups) && !has_row)
                continue;
            ck_assert_uint_lt(worm, plan->worms);
            ck_assert_uint_eq(plan->worm[worm].sender, view->multicast.source);
            int dy = down ? -1 : 1, y = view->y + (has_row ? 0 : dy);
            check_sweep(view, marked, plan, worm++, x, y, 0, dy);
        }
    }
    ck_assert_uint_eq(worm, plan->worms);
}

/* ---- schl ---- */

/* The leaders of halves of columns, and those of them that lead a row east or west of the
 * source. */
struct leaders {
    bool of_column[MOST_NODES], of_row[MOST_NODES];
};

static void find_leaders(const struct view *view, struct leaders *leaders)
{
    bool is_member[MOST_NODES];
    memset(leaders, 0, sizeof *leaders);
    memcpy(is_member, view->is_member, sizeof is_member);
    is_member[view->multicast.source] = true;
    for (int x = 0; x < view->columns; x++)
        for (int lower = 0; lower < 2; lower++) {
            uint32_t node = nearest(view, is_member, x, view->y - lower, 0, lower ? -1 : 1);
            if (node != TOPOLOGY_NO_NODE)
                leaders->of_column[node] = true;
        }
    for (int y = 0; y < view->rows; y++)
        for (int west = 0; west < 2; west++) {
            uint32_t node = nearest(view, leaders->of_column, view->x - west, y, west ? -1 : 1, 0);
            if (node != TOPOLOGY_NO_NODE)
                leaders->of_row[node] = true;
        }
}

/* The worms up to the tree's end are those of u-mesh, for the leaders of rows. */
static uint32_t check_tree(const struct view *view, const struct topology *topology,
                           const struct leaders *leaders, const struct plan *plan)
{
    uint32_t node[MOST_NODES];
    struct multicast multicast = {view->multicast.source, 0, node, 1};
    for (uint32_t i = 0; i < topology->nodes; i++)
        if (leaders->of_row[i] && i != multicast.source)
            node[multicast.destinations++] = i;
    struct plan tree = plan_of("u-mesh", topology, &multicast);
    uint32_t worms = tree.worms;
    ck_assert_uint_eq(worms, multicast.destinations);
    ck_assert_uint_le(worms, plan->worms);
    for (uint32_t i = 0; i < worms; i++) {
        ck_assert_uint_eq(plan->worm[i].sender, tree.worm[i].sender);
        ck_assert_uint_eq(plan->worm[i].stops, 1);
        ck_assert_uint_eq(plan->stop[plan->worm[i].first].node, tree.stop[i].node);
    }
    plan_free(&tree);
    return worms;
}

/* If marked nodes follow from (x, y) on, the sender at the node before has a worm to them between
 * `from` and the end: returns its place, else UINT32_MAX. */
static uint32_t check_line(const struct view *view, const bool *is_marked, const struct plan *plan,
                           uint32_t from, uint32_t sender, int dx, int dy)
{
    int x = (int)sender % view->columns + dx, y = (int)sender / view->columns + dy;
    uint32_t first = nearest(view, is_marked, x, y, dx, dy);
    if (first == TOPOLOGY_NO_NODE)
        return UINT32_MAX;
    while (from < plan->worms &&
           (plan->worm[from].sender != sender || plan->stop[plan->worm[from].first].node != first))
        from++;
    ck_assert_uint_lt(from, plan->worms);
    check_sweep(view, is_marked, plan, from, x, y, dx, dy);
    return from;
}

/* A tree, and a worm for each line with more members than its leader: along its row before the one
 * along its column. */
static void check_leaders(const struct view *view, const struct topology *topology,
                          const struct plan *plan)
{
    struct leaders leaders;
    find_leaders(view, &leaders);
    uint32_t tree = check_tree(view, topology, &leaders, plan), worms = tree;
    for (uint32_t node = 0; node < topology->nodes; node++) {
        uint32_t row = UINT32_MAX, column = UINT32_MAX;
        int dx = (int)node % view->columns < view->x ? -1 : 1;
        int dy = (int)node / view->columns < view->y ? -1 : 1;
        if (leaders.of_row[node])
            row = check_line(view, leaders.of_column, plan, tree, node, dx, 0);
        if (leaders.of_column[node])
            column = check_line(view, view->is_member, plan, tree, node, 0, dy);
        worms += (row != UINT32_MAX) + (column != UINT32_MAX);
        ck_assert(row == UINT32_MAX || row < column);
    }
    ck_assert_uint_eq(worms, plan->worms);
}

/* ---- both ---- */

static void check_all(const char *name, int place)
{
    struct topology topology = route_walk_topology(places[place]);
    struct pcg32 random = pcg32_seed(29, (uint64_t)place);
    static struct view view;
    uint32_t sets = TEST_IS_SHORT ? 4 : 40;
    for (uint32_t source = 0; source < topology.nodes; source++)
        for (uint32_t set = 0; set <= sets; set++) {
            make_view(&view, &topology, source, (topology.nodes - 1) * set / sets, &random);
            struct plan plan = plan_of(name, &topology, &view.multicast);
            if (view.multicast.destinations == 0)
                ck_assert_uint_eq(plan.worms, 0);
            else if (strcmp(name, "column") == 0)
                check_columns(&view, &plan);
            else
                check_leaders(&view, &topology, &plan);
            plan_free(&plan);
        }
}

/* column: a worm up each column and one down it, in their order. */
START_TEST(column_worms)
{
    check_all("column", _i);
}
END_TEST

/* schl: the leaders, and the worms of each. */
START_TEST(schl_worms)
{
    check_all("schl", _i);
}
END_TEST

/* schl by hand, from (1, 1) of a 4 x 4 mesh. Leaders of columns are (0,2), (1,1), (2,3), (3,1) in
 * the upper half, (0,0), (2,0), (3,0) in the lower one; of these all but (3,1) and (3,0) lead rows.
 * The chain of u-mesh is (0,0) (0,2) (1,1) (2,0) (2,3). */
START_TEST(schl_example)
{
    static const uint32_t destination[] = {0, 2, 3, 7, 8, 9, 12, 14, 15};
    static const uint32_t worms[][2] = {{5, 2}, {2, 14}, {5, 0},  {5, 8}, {2, 3},
                                        {5, 7}, {5, 9},  {8, 12}, {7, 15}};
    enum { WORMS = sizeof worms / sizeof worms[0] };
    const struct multicast multicast = {5, 9, destination, 1};
    struct topology topology = route_walk_topology("mesh:4x4");
    struct plan plan = plan_of("schl", &topology, &multicast);
    ck_assert_uint_eq(plan.worms, WORMS);
    for (uint32_t i = 0; i < WORMS; i++) {
        uint32_t found = 0;
        for (uint32_t j = 0; j < WORMS; j++)
            found += plan.worm[j].sender == worms[i][0] && plan.worm[j].stops == 1 &&
                     plan.stop[plan.worm[j].first].node == worms[i][1];
        ck_assert_uint_eq(found, 1);
    }
    plan_free(&plan);
}
END_TEST

void column_schemes_suite(TCase *tests)
{
    tcase_add_loop_test(tests, column_worms, 0, PLACES);
    tcase_add_loop_test(tests, schl_worms, 0, PLACES);
    tcase_add_test(tests, schl_example);
}
