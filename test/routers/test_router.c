/* test_router.c - every router on every pattern and many meshes, and on instances at the edges.
 *
 * The rules for each run are in router_case_check(): deliveries, the audit of its trace, figures.
 */
#include "test/length.h"
#include "test/routers/router_case.h"

#include <check.h>
#include <string.h>

/* ---- every router x every pattern x many sides x several c ---- */

/* d and c of the options; 0 is the pattern's default. */
struct load {
    uint32_t degree, congestion;
};

static const struct load LOADS[] = {{0, 1}, {0, 4}, {0, 9}, {0, 16}, {0, 40}, {9, 3}};
enum { LOAD_COUNT = sizeof LOADS / sizeof *LOADS };

static const struct grid SMALL[] = {
    {1, 1}, {1, 2}, {1, 7}, {2, 2}, {3, 3}, {2, 5}, {5, 5}, {8, 8}, {7, 9},
};

static void check_copies(struct router_case run, const struct plain_set *set, bool copy_is_free)
{
    run.copy_is_free = copy_is_free;
    router_case_check(&run, set, NULL);
}

static void check_both_copies(struct router_case run, const struct plain_set *set)
{
    check_copies(run, set, false);
    check_copies(run, set, true);
}

/* In short tests with one cost of copies, by `turn`. */
static void check_a_copy_at_least(struct router_case run, const struct plain_set *set, size_t turn)
{
    for (size_t copy = 0; copy < 2; copy++)
        if (!TEST_IS_SHORT || turn % 2 == copy)
            check_copies(run, set, copy);
}

/* Runs `run` on every `step`-th pattern from `first` on with both costs of copies; where parameters
 * are not the defaults or the congestion is unknown, and in short tests, alternately with one. */
static void check_some_patterns(struct router_case run, struct grid mesh, struct load load,
                                uint32_t first, uint32_t step)
{
    bool alternates = TEST_IS_SHORT || run.parameters != NULL || run.congestion_is_unknown;
    for (uint32_t pattern = first; pattern < case_pattern_count(); pattern += step) {
        struct plain_set set;
        run.seed = load.congestion;
        if (!router_case_pattern(&set, pattern, mesh, load.degree, load.congestion, run.seed))
            continue;
        for (int copy = 0; copy < 2; copy++)
            if (!alternates || (pattern + load.congestion) % 2 == (unsigned)copy)
                check_copies(run, &set, copy);
        plain_set_free(&set);
    }
}

static void check_patterns(struct router_case run, struct grid mesh, struct load load)
{
    check_some_patterns(run, mesh, load, 0, 1);
}

/* In short tests, and where parameters are not the defaults, half of the patterns, by `turn`. */
static void check_half_at_least(struct router_case run, struct grid mesh, struct load load,
                                size_t turn)
{
    bool takes_turns = TEST_IS_SHORT || run.parameters != NULL;
    check_some_patterns(run, mesh, load, takes_turns ? turn % 2 : 0, takes_turns ? 2 : 1);
}

/* Every router with every known parameter, on every pattern, on small meshes with all loads but
 * those beyond the mesh, which are the same as n; in short tests every other mesh and load. */
START_TEST(test_small_meshes)
{
    for (size_t i = 0; i < sizeof SMALL / sizeof *SMALL; i++)
        for (size_t load = 0; load < LOAD_COUNT; load++)
            if (LOADS[load].congestion <= grid_nodes(SMALL[i]) &&
                !(TEST_IS_SHORT && (i + load + (size_t)_i) % 2))
                check_patterns(router_case_at((uint32_t)_i), SMALL[i], LOADS[load]);
}
END_TEST

/* The same on 17 x 17; in short tests two of the loads, with half of the patterns. */
START_TEST(test_side_17)
{
    for (size_t load = 1 + TEST_IS_SHORT * (size_t)_i % 3; load < LOAD_COUNT;
         load += 1 + 2 * TEST_IS_SHORT)
        check_half_at_least(router_case_at((uint32_t)_i), (struct grid){17, 17}, LOADS[load],
                            load + (size_t)_i / 3);
}
END_TEST

/* The same on 32 x 32 with c = 16, and with d > c; in short tests one of both, with a third of the
 * patterns. */
START_TEST(test_side_32)
{
    uint32_t i = (uint32_t)_i;
    struct grid mesh = {32, 32};
    if (TEST_IS_SHORT) {
        check_some_patterns(router_case_at(i), mesh, LOADS[i % 2 == 0 ? 3 : 5], i % 3, 3);
        return;
    }
    check_half_at_least(router_case_at(i), mesh, LOADS[3], i);
    check_half_at_least(router_case_at(i), mesh, LOADS[5], i + 1);
}
END_TEST

/* The same on narrow meshes, with rows of more and of less than 64 and 128 nodes; in short tests
 * two of them, with half of the patterns. */
START_TEST(test_narrow)
{
    static const struct grid meshes[] = {{3, 130}, {4, 64}, {5, 66}, {70, 2}};
    for (size_t i = TEST_IS_SHORT * (size_t)_i % 2; i < sizeof meshes / sizeof *meshes;
         i += 1 + TEST_IS_SHORT)
        check_half_at_least(router_case_at((uint32_t)_i), meshes[i], LOADS[1],
                            (i + (size_t)_i) / 2);
}
END_TEST

/* Every pattern can be had with some of the loads above, so that none is passed over in silence. */
START_TEST(test_no_pattern_left_out)
{
    struct plain_set set;
    const char *name = case_pattern_at((uint32_t)_i);
    static const char *const OTHERS[] = {"populations", "reducescatter", "allreduce"};
    bool made = false; /* or no routers' case */
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
        made = made || strcmp(name, OTHERS[i]) == 0;
    for (size_t load = 0; load < LOAD_COUNT; load++) {
        if (router_case_pattern(&set, (uint32_t)_i, (struct grid){8, 8}, LOADS[load].degree,
                                LOADS[load].congestion, 1)) {
            made = true;
            plain_set_free(&set);
        }
    }
    ck_assert(made);
}
END_TEST

/* ---- instances at the edges ---- */

/* Sets written by hand, and their special features. */
static const char *const INSTANCES[] = {
    /* one node: no message, and a message to itself */
    "mcast 1 1 1\n",
    "mcast 1 1 1\n0 0\n",
    /* the empty set, also on a line and a column */
    "mcast 1 4 5\n",
    "mcast 1 1 6\n",
    "mcast 1 6 1\n",
    /* the only destination is the source: by itself, and beside others' traffic */
    "mcast 1 3 3\n4 4\n",
    "mcast 1 3 3\n0 0\n1 1\n2 2\n3 3\n4 4\n5 5\n6 6\n7 7\n8 8\n",
    "mcast 1 3 3\n0 0\n1 0 8\n4 4\n8 0\n",
    /* the source among its destinations */
    "mcast 1 3 3\n4 0 2 4 6 8\n",
    "mcast 1 4 4\n0 0 15\n5 5 6 9 10\n15 0 15\n",
    /* a message to all: from a corner, from the middle, on a line, on a column, to all others */
    "mcast 1 3 4\n0 0 1 2 3 4 5 6 7 8 9 10 11\n",
    "mcast 1 3 3\n4 0 1 2 3 4 5 6 7 8\n",
    "mcast 1 1 9\n3 0 1 2 3 4 5 6 7 8\n",
    "mcast 1 9 1\n8 0 1 2 3 4 5 6 7\n",
    /* messages along lines: ends, neighbours, both ways at once */
    "mcast 1 1 2\n0 1\n1 0\n",
    "mcast 1 1 8\n0 7\n7 0\n",
    "mcast 1 1 8\n0 1 2 3\n3 0 7\n7 0 3 6\n",
    "mcast 1 8 1\n2 0 1 7\n5 0 7\n",
    /* d > c: one message with all the degree, congestion one */
    "mcast 1 4 4\n5 0 1 2 3 8 9 10 11\n6 4\n7 15\n",
    /* odd x odd, where a Hamiltonian cycle leaves a node out: from it, to it */
    "mcast 1 3 3\n0 1 2 3 4 5 6 7 8\n8 0\n",
    "mcast 1 5 5\n1 0\n5 0\n24 0 1 5\n0 1 5 6 24\n",
};
enum { INSTANCE_COUNT = sizeof INSTANCES / sizeof *INSTANCES };

/* n = 1, the empty set, messages to oneself, to all, along lines, d > c: every router delivers. */
START_TEST(test_instances)
{
    for (uint32_t i = 0; i < router_case_count(); i++) {
        struct plain_set set;
        plain_set_parse(&set, INSTANCES[_i]);
        check_both_copies(router_case_at(i), &set);
        plain_set_free(&set);
    }
}
END_TEST

/* The empty set, and messages only to oneself, move no packet. */
START_TEST(test_nothing_moves)
{
    static const char *const sets[] = {"mcast 1 5 6\n", "mcast 1 5 6\n3 3\n17 17\n29 29\n"};
    for (uint32_t i = 0; i < router_case_count(); i++) {
        struct router_case run = router_case_at(i);
        struct case_result result;
        struct plain_set set;
        plain_set_parse(&set, sets[_i]);
        router_case_check(&run, &set, &result);
        ck_assert_uint_eq(result.packet_hops, 0);
        ck_assert_uint_eq(result.copies, 0);
        ck_assert_uint_eq(result.buffer_peak, 0);
        plain_set_free(&set);
    }
}
END_TEST

enum { MOST_PAIRS = 4096 };

/* Makes the set with a message from every node, or only from node `from`, to every node, or only to
 * node `to`. */
static void make_crowd(struct plain_set *set, struct grid mesh, uint32_t from, uint32_t to)
{
    static uint32_t source[MOST_PAIRS], destination[MOST_PAIRS];
    uint32_t nodes = grid_nodes(mesh), pairs = 0;
    for (uint32_t u = 0; u < nodes; u++)
        for (uint32_t v = 0; v < nodes; v++)
            if ((from == UINT32_MAX || from == u) && (to == UINT32_MAX || to == v)) {
                ck_assert_uint_lt(pairs, MOST_PAIRS);
                source[pairs] = u;
                destination[pairs++] = v;
            }
    plain_set_pairs(set, mesh, pairs, source, destination);
}

/* One to all, all to one, and all to all, on square, odd and narrow meshes. */
START_TEST(test_crowds)
{
    static const struct grid meshes[] = {{1, 7}, {7, 1}, {2, 2}, {3, 5}, {4, 4}, {7, 7}, {8, 8}};
    struct router_case run = router_case_at((uint32_t)_i);
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        uint32_t nodes = grid_nodes(meshes[i]);
        uint32_t ends[][2] = {{nodes / 2, UINT32_MAX},
                              {UINT32_MAX, nodes / 2},
                              {UINT32_MAX, 0},
                              {UINT32_MAX, UINT32_MAX}};
        for (size_t j = 0; j < sizeof ends / sizeof *ends; j++) {
            struct plain_set set;
            make_crowd(&set, meshes[i], ends[j][0], ends[j][1]);
            check_a_copy_at_least(run, &set, i + j + (size_t)_i);
            plain_set_free(&set);
        }
    }
}
END_TEST

/* d well above c, on random destinations: more of a message than any node receives. */
START_TEST(test_degree_above_congestion)
{
    static const struct load loads[] = {{2, 1}, {16, 4}, {40, 2}, {100, 9}, {130, 1}};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        struct plain_set set;
        ck_assert(plain_set_gen(&set, "uniform", (struct grid){13, 10}, loads[i].degree,
                                loads[i].congestion, i, NULL));
        ck_assert_uint_gt(set.degree, set.congestion);
        check_a_copy_at_least(router_case_at((uint32_t)_i), &set, i + (size_t)_i);
        plain_set_free(&set);
    }
}
END_TEST

void router_suite(TCase *tests)
{
    int cases = (int)router_case_count();
    tcase_add_loop_test(tests, test_small_meshes, 0, cases);
    tcase_add_loop_test(tests, test_side_17, 0, cases);
    tcase_add_loop_test(tests, test_side_32, 0, cases);
    tcase_add_loop_test(tests, test_narrow, 0, cases);
    tcase_add_loop_test(tests, test_no_pattern_left_out, 0, (int)case_pattern_count());
    tcase_add_loop_test(tests, test_instances, 0, INSTANCE_COUNT);
    tcase_add_loop_test(tests, test_nothing_moves, 0, 2);
    tcase_add_loop_test(tests, test_crowds, 0, cases);
    tcase_add_loop_test(tests, test_degree_above_congestion, 0, cases);
}
