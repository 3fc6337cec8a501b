/* test_column_schemes.c - schemes column and schl: who sends which worms past which nodes.
 *
 * Method: what a plan must be is found node by node from the definitions, without lists or orders: which members
 * lead a column or a row, and who follows them.
 */
#include "schemes/scheme.h"

#include "test/length.h"
#include "test/schemes/route_walk.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *column_schemes_suite(void);

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

/* What a test sees of a multicast: x and y of the source, and the members, by coordinates. */
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

static bool is_member(const struct view *view, int x, int y)
{
    return view->is_member[y * view->columns + x];
}

/* The worm whose only or first `count` stops go from (x, y) on by steps of (dx, dy), past all members to the edge, is
 * this one. */
static void check_sweep(const struct view *view, const struct stop *stop, uint32_t stops, int x,
                        int y, int dx, int dy)
{
    uint32_t seen = 0;
    for (; x >= 0 && x < view->columns && y >= 0 && y < view->rows; x += dx, y += dy)
        if (is_member(view, x, y)) {
            ck_assert_uint_lt(seen, stops);
            ck_assert_uint_eq(stop[seen++].node, (uint32_t)(y * view->columns + x));
        }
    ck_assert_uint_eq(seen, stops);
}

/* Whether a column has members by steps of dy from row y on. */
static bool has_members(const struct view *view, int x, int y, int dy)
{
    for (; y >= 0 && y < view->rows; y += dy)
        if (is_member(view, x, y))
            return true;
    return false;
}

/* ---- column ---- */

static void check_columns(const struct view *view, const struct plan *plan)
{
    uint32_t worm = 0;
    for (int x = 0; x < view->columns; x++) {
        bool ups = has_members(view, x, view->y + 1, 1),
             downs = has_members(view, x, view->y - 1, -1);
        bool row = is_member(view, x, view->y); /* the source is none */
        for (int down = 0; down < 2; down++) {
            bool has_row = row && (down ? !ups && downs : ups || !downs);
            if (!(down ? downs : ups) && !has_row)
                continue;
            ck_assert_uint_lt(worm, plan->worms);
            const struct worm *w = &plan->worm[worm++];
            ck_assert_uint_eq(w->sender, view->multicast.source);
            int dy = down ? -1 : 1;
            check_sweep(view, &plan->stop[w->first], w->stops, x, view->y + (has_row ? 0 : dy), 0,
                        dy);
        }
    }
    ck_assert_uint_eq(worm, plan->worms);
}

/* column: the worms of each column, from every source, for sets of all sizes. */
START_TEST(column_worms)
{
    struct topology topology = route_walk_topology(places[_i]);
    struct pcg32 random = pcg32_seed(29, (uint64_t)_i);
    static struct view view;
    uint32_t sets = TEST_IS_SHORT ? 4 : 40;
    for (uint32_t source = 0; source < topology.nodes; source++)
        for (uint32_t set = 0; set <= sets; set++) {
            make_view(&view, &topology, source, (topology.nodes - 1) * set / sets, &random);
            struct plan plan = plan_of("column", &topology, &view.multicast);
            check_columns(&view, &plan);
            plan_free(&plan);
        }
}
END_TEST

Suite *column_schemes_suite(void)
{
    Suite *suite = suite_create("column_schemes");
    TCase *tests = tcase_create("column_schemes");
    tcase_add_loop_test(tests, column_worms, 0, PLACES);
    suite_add_tcase(suite, tests);
    return suite;
}
