/* test_lower_bound.c - the lower bounds against a slow oracle.
 *
 * The oracle follows the definitions: for every rectangle it counts the messages whose source is
 * outside and a destination inside (or the other way round), and counts the links over the edge by
 * asking every node for its neighbours. It also finds depths and distances from a rectangle by
 * asking every node.
 */
#include "base/pcg.h"
#include "machine/ranks/ranks.h"
#include "test/workloads/crossing_oracle.h"
#include "workloads/pattern.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#undef fail /* a macro of Check's */

#ifdef MESHCAST_SERIAL
enum { MOST_RANKS = 1 };
#else
enum { MOST_RANKS = 5 };
#endif

static void raise(uint64_t *bound, uint64_t value)
{
    *bound = value > *bound ? value : *bound;
}

/* Finds all rectangles, without the ways before and after; and the copies that they need. */
static void oracle_rectangles(const struct message_set *set, uint64_t steps[BOUND_KINDS])
{
    struct mesh mesh = set->mesh;
    struct rectangle r;
    for (r.row = 0; r.row < mesh.rows; r.row++)
        for (r.rows = 1; r.row + r.rows <= mesh.rows; r.rows++)
            for (r.col = 0; r.col < mesh.cols; r.col++)
                for (r.cols = 1; r.col + r.cols <= mesh.cols; r.cols++) {
                    uint64_t links = oracle_links(&r, mesh), inside = 0, starts = 0;
                    raise(&steps[BOUND_ENTER],
                          oracle_ceiling(oracle_crossings(set, &r, true, 0, 0), links));
                    raise(&steps[BOUND_LEAVE],
                          oracle_ceiling(oracle_crossings(set, &r, false, 0, 0), links));
                    for (uint64_t j = 0; j < set->deliveries; j++)
                        inside += oracle_holds(&r, mesh, set->destination[j]);
                    for (uint32_t i = 0; i < set->messages; i++)
                        starts += oracle_holds(&r, mesh, set->source[i]);
                    if (inside > starts)
                        raise(&steps[BOUND_COPIES],
                              oracle_ceiling(inside - starts, (uint64_t)r.rows * r.cols + links));
                }
}

/* Finds the messages that each node receives from farther than any distance. */
static void oracle_nodes(const struct message_set *set, uint64_t *steps)
{
    for (node_index v = 0; v < mesh_nodes(set->mesh); v++) {
        struct rectangle at = {v / set->mesh.cols, v % set->mesh.cols, 1, 1};
        uint64_t links = oracle_links(&at, set->mesh);
        for (uint32_t before = 0; before < set->mesh.rows + set->mesh.cols; before++) {
            uint64_t messages = oracle_crossings(set, &at, true, before, 0);
            if (messages > 0)
                raise(steps, before + oracle_ceiling(messages, links));
        }
    }
}

static void oracle_messages(const struct message_set *set, uint64_t steps[BOUND_KINDS])
{
    for (uint32_t i = 0; i < set->messages; i++) {
        double sum = 0; /* exact: the meshes are small */
        uint64_t split = 0;
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            uint32_t distance = oracle_apart(set->mesh, set->source[i], set->destination[j]);
            raise(&steps[BOUND_DISTANCE], distance);
            sum += (double)(UINT64_C(1) << distance);
        }
        while ((double)(UINT64_C(1) << split) < sum)
            split++;
        raise(&steps[BOUND_SPLIT], split);
    }
}

/* A rectangle's reason adds up, and its messages are those that the oracle counts. */
static void check_reason(const struct message_set *set, const struct lower_bounds *bounds,
                         enum lower_bound_kind kind)
{
    const struct bound_reason *reason = &bounds->reason[kind];
    const struct rectangle *at = &reason->rectangle;
    if (bounds->steps[kind] == 0)
        return;
    ck_assert_uint_le(at->row + at->rows, set->mesh.rows);
    ck_assert_uint_le(at->col + at->cols, set->mesh.cols);
    ck_assert_uint_eq(bounds->steps[kind], reason->before +
                                               oracle_ceiling(reason->messages, reason->links) +
                                               reason->after);
    if (kind == BOUND_COPIES)
        return;
    ck_assert_uint_eq(reason->links, oracle_links(at, set->mesh));
    ck_assert_uint_eq(reason->messages, oracle_crossings(set, at, kind != BOUND_LEAVE,
                                                         reason->before, reason->after));
}

/* The result for only the largest bound is the largest of all, for either cost of copies. */
static void check_largest(const struct message_set *set, const struct lower_bounds *all)
{
    struct lower_bounds largest;
    struct failure failure = {0};
    ck_assert_int_eq(lower_bounds_compute(set, BOUNDS_LARGEST, &largest, &failure), FAIL_NONE);
    for (int copy_is_free = 0; copy_is_free < 2; copy_is_free++) {
        enum lower_bound_kind best = lower_bound_best(all, copy_is_free);
        ck_assert_int_eq(lower_bound_best(&largest, copy_is_free), best);
        ck_assert_uint_eq(largest.steps[best], all->steps[best]);
    }
}

static void check_set(struct message_set *set)
{
    uint64_t steps[BOUND_KINDS] = {0}, node = 0;
    struct lower_bounds bounds;
    struct failure failure = {0};
    ck_assert_int_eq(message_set_leave_home(set, &failure), FAIL_NONE);
    ck_assert_int_eq(lower_bounds_compute(set, BOUNDS_ALL, &bounds, &failure), FAIL_NONE);
    check_largest(set, &bounds);
    oracle_rectangles(set, steps);
    oracle_messages(set, steps);
    oracle_nodes(set, &node);
    ck_assert_uint_eq(bounds.steps[BOUND_DISTANCE], steps[BOUND_DISTANCE]);
    ck_assert_uint_eq(bounds.steps[BOUND_SPLIT], steps[BOUND_SPLIT]);
    ck_assert_uint_eq(bounds.steps[BOUND_COPIES], steps[BOUND_COPIES]);
    ck_assert_uint_ge(bounds.steps[BOUND_ENTER], steps[BOUND_ENTER]);
    ck_assert_uint_ge(bounds.steps[BOUND_LEAVE], steps[BOUND_LEAVE]);
    ck_assert_uint_le(bounds.steps[BOUND_NODE], node);
    ck_assert_uint_le(node, bounds.steps[lower_bound_best(&bounds, true)]);
    for (int kind = BOUND_NODE; kind < BOUND_KINDS; kind++)
        if (kind != BOUND_SPLIT)
            check_reason(set, &bounds, (enum lower_bound_kind)kind);
}

/* Gives each message a source among so many that are drawn, so that nodes send several. */
static void share_sources(struct message_set *set, uint32_t sources, uint64_t seed)
{
    struct pcg32 random = pcg32_seed(seed, 47);
    node_index source[3];
    for (uint32_t i = 0; i < 3; i++)
        source[i] = pcg32_below(&random, mesh_nodes(set->mesh));
    for (uint32_t i = 0; i < set->messages; i++)
        set->source[i] = source[pcg32_below(&random, sources)];
    set->is_away = false; /* some may be destinations of their messages now */
}

/* All bounds equal the oracle's, or are above where the ways before and after add to them, and the
 * reasons hold: every pattern, odd, even and oblong meshes, several degrees and congestions; and
 * again where one to three nodes send all messages. */
START_TEST(bounds_equal_the_oracle)
{
    static const struct mesh MESHES[] = {{1, 1}, {1, 7}, {7, 1}, {2, 2},
                                         {3, 3}, {5, 6}, {8, 8}, {11, 3}};
    static const uint32_t DEGREES[] = {1, 3, 40}, CONGESTIONS[] = {1, 3, 16};
    const struct pattern *pattern = pattern_at((uint32_t)_i);
    if (pattern->needs || pattern->sends_many)
        return;
    for (size_t m = 0; m < sizeof MESHES / sizeof *MESHES; m++)
        for (size_t d = 0; d < 3; d++)
            for (size_t c = 0; c < 3; c++) {
                struct pattern_options options = {.mesh = MESHES[m],
                                                  .degree = DEGREES[d],
                                                  .congestion = CONGESTIONS[c],
                                                  .seed = m + d + c};
                struct message_set set;
                struct failure failure = {0};
                ck_assert_int_eq(pattern_generate(pattern, &options, &set, &failure), FAIL_NONE);
                check_set(&set);
                share_sources(&set, 1 + (uint32_t)d, m);
                check_set(&set);
                message_set_free(&set);
            }
}
END_TEST

/* Draws a set: sources and destinations anywhere, or in a band of the mesh, few or many, near one
 * another or not. */
static void draw(struct message_set *set, struct pcg32 *random)
{
    enum { MOST = 600, SIDE = 40 };
    struct failure failure = {0};
    node_index from[MOST], to[MOST];
    struct mesh mesh = {1 + pcg32_below(random, SIDE), 1 + pcg32_below(random, SIDE)};
    if (pcg32_below(random, 6) == 0)
        mesh = (struct mesh){1, mesh.rows * mesh.cols};
    uint32_t nodes = mesh_nodes(mesh), pairs = 1 + pcg32_below(random, MOST);
    uint32_t first = pcg32_below(random, nodes), crowd = 1 + pcg32_below(random, nodes - first);
    uint32_t senders = 1 + pcg32_below(random, nodes), reach = 1 + pcg32_below(random, nodes);
    bool is_near = pcg32_below(random, 2);
    for (uint32_t i = 0; i < pairs; i++) {
        from[i] = pcg32_below(random, senders);
        to[i] = is_near ? (from[i] + pcg32_below(random, reach)) % nodes
                        : first + pcg32_below(random, crowd);
    }
    ck_assert_int_eq(message_set_from_pairs(set, shape_of_mesh(mesh), pairs, from, to, &failure),
                     FAIL_NONE);
}

/* The largest bound by itself is that of all, on meshes too large for the oracle and on lines; also
 * if nodes send several. */
START_TEST(largest_alone_is_that_of_all)
{
    struct pcg32 random = pcg32_seed(26, 11);
    for (uint64_t i = 0; i < 3000; i++) {
        struct message_set set;
        struct lower_bounds bounds;
        struct failure failure = {0};
        draw(&set, &random);
        if (i % 3 == 0)
            share_sources(&set, 1 + i % 2, i);
        ck_assert_int_eq(lower_bounds_compute(&set, BOUNDS_ALL, &bounds, &failure), FAIL_NONE);
        check_largest(&set, &bounds);
        message_set_free(&set);
    }
}
END_TEST

static struct lower_bounds bounds_of(const char *text)
{
    struct message_set set;
    struct lower_bounds bounds;
    struct failure failure = {0};
    ck_assert_int_eq(message_set_read_memory(&set, text, strlen(text), "text", &failure),
                     FAIL_NONE);
    ck_assert_int_eq(lower_bounds_compute(&set, BOUNDS_ALL, &bounds, &failure), FAIL_NONE);
    message_set_free(&set);
    return bounds;
}

/* Sets without any work have no bounds: the empty set, and messages to their own sources. */
START_TEST(nothing_to_do_is_no_bound)
{
    static const char *const TEXTS[] = {"mcast 1 4 4\n", "mcast 1 1 1\n0 0\n",
                                        "mcast 1 3 5\n0 0\n7 7\n14 14\n"};
    for (int i = 0; i < 3; i++) {
        struct lower_bounds bounds = bounds_of(TEXTS[i]);
        for (int kind = 0; kind < BOUND_KINDS; kind++)
            ck_assert_uint_eq(bounds.steps[kind], 0);
        ck_assert_int_eq(lower_bound_best(&bounds, false), BOUND_DISTANCE);
    }
}
END_TEST

/* Known answers, counted by hand: all nodes of a 4 x 4 mesh send to node 0, which has two links. */
START_TEST(all_to_one_by_hand)
{
    struct lower_bounds bounds =
        bounds_of("mcast 1 4 4\n0 0\n1 0\n2 0\n3 0\n4 0\n5 0\n6 0\n7 0\n8 0\n9 0\n10 0\n11 0\n12 "
                  "0\n13 0\n14 0\n15 0\n");
    ck_assert_uint_eq(bounds.steps[BOUND_NODE], 8);  /* 15 messages, 2 links */
    ck_assert_uint_eq(bounds.steps[BOUND_ENTER], 8); /* the same as a rectangle */
    ck_assert_uint_eq(bounds.steps[BOUND_LEAVE], 3); /* 12 messages, 4 links */
    ck_assert_uint_eq(bounds.steps[BOUND_DISTANCE], 6);
    ck_assert_uint_eq(bounds.steps[BOUND_SPLIT], 6);
    ck_assert_int_eq(lower_bound_best(&bounds, false), BOUND_NODE);
}
END_TEST

/* Distant messages arrive late: on a line of six the last three nodes send to the first, over one
 * link, from step 3 on; the rectangle of the last two and the node between say the same. */
START_TEST(distance_adds_to_the_count)
{
    struct lower_bounds bounds = bounds_of("mcast 1 1 6\n3 0\n4 0\n5 0\n");
    ck_assert_uint_eq(bounds.steps[BOUND_NODE], 5);
    ck_assert_uint_eq(bounds.steps[BOUND_LEAVE], 5);
    bounds = bounds_of("mcast 1 1 6\n2 0\n3 0\n4 0\n5 1\n");
    ck_assert_uint_eq(bounds.steps[BOUND_ENTER], 4); /* 4 over a link, or 3 and a step after it */
    bounds = bounds_of("mcast 1 1 6\n0 3\n1 4\n2 5\n");
    ck_assert_uint_eq(bounds.steps[BOUND_ENTER], 3);
}
END_TEST

/* Bounds if copies cost a step: all to all is n - 2 copies per node; a broadcast splits on its
 * way. */
START_TEST(copies_by_hand)
{
    struct lower_bounds bounds =
        bounds_of("mcast 1 2 2\n0 0 1 2 3\n1 0 1 2 3\n2 0 1 2 3\n3 0 1 2 3\n");
    ck_assert_uint_eq(bounds.steps[BOUND_COPIES], 2);
    ck_assert_uint_eq(bounds.steps[lower_bound_best(&bounds, true)], 2);
    ck_assert_uint_eq(bounds.steps[lower_bound_best(&bounds, false)], 3); /* split: 2 + 2 + 4 */
    bounds = bounds_of("mcast 1 3 3\n4 1 3 5 7\n");
    ck_assert_uint_eq(bounds.steps[BOUND_SPLIT], 3); /* 4 destinations at distance 1 */
    bounds = bounds_of("mcast 1 1 3\n0 1 2\n");
    ck_assert_uint_eq(bounds.steps[BOUND_SPLIT], 3); /* 2 + 4 is more than 4 */
    bounds = bounds_of("mcast 1 1 3\n0 0 2\n");
    ck_assert_uint_eq(bounds.steps[BOUND_SPLIT], 2); /* deliveries at home are no copies */
}
END_TEST

/* The first one examined of rectangles with equal bounds is named. */
START_TEST(first_of_equals)
{
    static const enum lower_bound_kind kinds[] = {BOUND_NODE, BOUND_ENTER, BOUND_LEAVE};
    struct lower_bounds bounds = bounds_of("mcast 1 4 4\n0 5\n15 10\n");
    for (int i = 0; i < 3; i++) {
        const struct rectangle *found = &bounds.reason[kinds[i]].rectangle;
        ck_assert_uint_eq(bounds.steps[kinds[i]], 2);
        ck_assert_uint_eq(found->row, kinds[i] == BOUND_LEAVE ? 0 : 1);
        ck_assert_uint_eq(found->col, kinds[i] == BOUND_LEAVE ? 0 : 1);
        ck_assert_uint_eq(found->rows, 1);
        ck_assert_uint_eq(found->cols, 1);
    }
}
END_TEST

/* Theorem 1's instance has its bound: c |A| messages over the 2 sqrt|A| links of a corner. */
START_TEST(worst_reaches_the_corner_bound)
{
    static const uint32_t SIDES[] = {64, 160};
    for (int i = 0; i < 2; i++) {
        struct pattern_options options = {
            .mesh = {SIDES[i], SIDES[i]}, .congestion = 15, .seed = 1};
        struct message_set set;
        struct lower_bounds bounds;
        struct failure failure = {0};
        uint32_t side = SIDES[i] / 4;
        ck_assert_int_eq(pattern_generate(pattern_find("worst"), &options, &set, &failure),
                         FAIL_NONE);
        ck_assert_int_eq(lower_bounds_compute(&set, BOUNDS_ALL, &bounds, &failure), FAIL_NONE);
        ck_assert_uint_ge(bounds.steps[BOUND_ENTER], 15 * side * side / (2 * side));
        message_set_free(&set);
    }
}
END_TEST

/* The names are those of the report, all different. */
START_TEST(names_differ)
{
    ck_assert_str_eq(lower_bound_name(BOUND_DISTANCE), "distance");
    ck_assert_str_eq(lower_bound_name(BOUND_ENTER), "enter-rectangle");
    for (int i = 0; i < BOUND_KINDS; i++)
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(lower_bound_name((enum lower_bound_kind)i),
                             lower_bound_name((enum lower_bound_kind)j));
}
END_TEST

void lower_bound_suite(TCase *tests)
{
    tcase_add_loop_test(tests, bounds_equal_the_oracle, 0, (int)pattern_count());
    tcase_add_test(tests, largest_alone_is_that_of_all);
    tcase_add_test(tests, nothing_to_do_is_no_bound);
    tcase_add_test(tests, all_to_one_by_hand);
    tcase_add_test(tests, first_of_equals);
    tcase_add_test(tests, distance_adds_to_the_count);
    tcase_add_test(tests, copies_by_hand);
    tcase_add_test(tests, worst_reaches_the_corner_bound);
    tcase_add_test(tests, names_differ);
}
