/* test_replicate.c - the guarantees of `replicate` on sets that are made against it.
 *
 * Oracle: the capacity, at most c / 2 + 40 and 2 c + 16 (3 more with unit copies), which a run
 * enforces, and the steps that doc/replicate.md promises as measured, sqrt(c n) + 2 m, with unit
 * copies 1.6 times that. With variant=paper the capacity is 6 c + 17, and no attempt is void; the
 * steps are at most 4 sqrt(c n) + 24 m without synchronisation, with unit copies 1.6 times that.
 */
#include "test/length.h"
#include "test/routers/router_case.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- promises ---- */

static uint32_t promised_capacity(uint32_t congestion, bool copy_is_free, bool is_paper)
{
    uint32_t c = congestion > 0 ? congestion : 1, beside = copy_is_free ? 0 : 3;
    if (is_paper)
        return 6 * c + 17;
    return (c < 16 ? 2 * c + 16 : c / 2 + 40) + beside;
}

static void check_promises(const char *name, struct router_case run, const struct plain_set *set)
{
    bool is_paper = run.parameters != NULL && strcmp(run.parameters, "variant=paper") == 0;
    for (int copy = 0; copy < 2; copy++) {
        struct case_result result;
        struct meshcast_error failure = {0};
        run.copy_is_free = copy;
        ck_assert_msg(router_case_run(&run, set, NULL, &result, &failure) == MESHCAST_OK, "%s: %s",
                      name, failure.text);
        ck_assert_uint_gt(result.buffer_capacity, 0);
        ck_assert_uint_le(result.buffer_capacity,
                          promised_capacity(result.congestion, run.copy_is_free, is_paper));
        ck_assert_uint_le(result.buffer_peak, result.buffer_capacity);
        double root = sqrt((double)result.congestion * grid_nodes(set->mesh));
        double side = set->mesh.rows > set->mesh.cols ? set->mesh.rows : set->mesh.cols;
        double steps = (double)(result.steps - result.sync_steps);
        double bound = is_paper ? 4 * root + 24 * side : root + 2 * side;
        ck_assert_uint_eq(result.attempts, 0);
        ck_assert_msg(steps <= (run.copy_is_free ? bound : 1.6 * bound),
                      "%s on %" PRIu32 " x %" PRIu32 ", c = %" PRIu32 ": %.0f steps", name,
                      set->mesh.rows, set->mesh.cols, result.congestion, steps);
    }
}

/* all packets of a row of a tile turn at one node: buffers were sqrt(c n) / 4 before there were
 * credits */
START_TEST(turning)
{
    static const struct {
        uint32_t side, congestion;
    } cases[] = {{64, 16}, {96, 64}, {63, 16}, {64, 4}, {40, 1}, {128, 16}, {128, 4}, {256, 4}};
    int count = TEST_IS_SHORT ? 5 : 8;
    for (int i = 0; i < count; i++) {
        struct grid mesh = {cases[i].side, cases[i].side};
        struct plain_set set;
        ck_assert(plain_set_gen(&set, "turning", mesh, 0, cases[i].congestion, 0, NULL));
        check_promises("turning", router_case_make("replicate", NULL), &set);
        plain_set_free(&set);
    }
}
END_TEST

/* ---- capacities ---- */

enum { MOST_HUB = 400 };

/* c messages for one node. */
static void make_hub(struct plain_set *set, struct grid mesh, uint32_t congestion)
{
    uint32_t from[MOST_HUB], to[MOST_HUB];
    ck_assert_uint_le(congestion, MOST_HUB);
    for (uint32_t i = 0; i < congestion; i++) {
        from[i] = i;
        to[i] = grid_nodes(mesh) / 2;
    }
    plain_set_pairs(set, mesh, congestion, from, to);
}

/* on every mesh and for every c the plan fits into its promises, also with unit copies */
START_TEST(every_mesh)
{
    struct router_case run = router_case_make("replicate", NULL);
    uint32_t most = TEST_IS_SHORT ? 9 : 20;
    for (uint32_t rows = 1; rows <= most; rows++)
        for (uint32_t cols = 1; cols <= most; cols++)
            for (uint32_t c = 1; c <= rows * cols; c += 1 + c / 2) {
                struct plain_set set;
                make_hub(&set, (struct grid){rows, cols}, c);
                check_promises("hub", run, &set);
                plain_set_free(&set);
            }
}
END_TEST

/* with any capacity from the least on it lives within it; below it refuses, and names the least */
START_TEST(small_buffers)
{
    struct plain_set set;
    ck_assert(plain_set_gen(&set, "turning", (struct grid){24, 24}, 0, 16, 0, NULL));
    struct router_case run = router_case_make("replicate", NULL);
    for (int copy = 0; copy < 2; copy++) {
        uint32_t least = copy ? 10 : 13;
        char named[32];
        run.copy_is_free = copy;
        snprintf(named, sizeof named, "the least is %" PRIu32, least);
        for (run.buffer = 1; run.buffer <= 60; run.buffer++) {
            struct case_result result;
            struct meshcast_error failure = {0};
            enum meshcast_status kind = router_case_run(&run, &set, NULL, &result, &failure);
            ck_assert_int_eq(kind, run.buffer < least ? MESHCAST_USAGE : MESHCAST_OK);
            if (kind == MESHCAST_USAGE)
                ck_assert_ptr_nonnull(strstr(failure.text, named));
            else
                ck_assert_uint_le(result.buffer_peak, run.buffer);
        }
        run.buffer = least;
        router_case_check(&run, &set, NULL);
    }
    plain_set_free(&set);
}
END_TEST

/* nothing is drawn at random: the seed changes nothing */
START_TEST(no_seed)
{
    struct plain_set set;
    ck_assert(plain_set_gen(&set, "uniform", (struct grid){31, 29}, 16, 16, 0, NULL));
    struct router_case run = router_case_make("replicate", NULL);
    struct case_result first, other;
    char *trace = router_case_trace(&run, &set, &first, NULL);
    for (run.seed = 1; run.seed <= 3; run.seed++) {
        char *again = router_case_trace(&run, &set, &other, NULL);
        ck_assert_str_eq(trace, again);
        free(again);
    }
    free(trace);
    plain_set_free(&set);
}
END_TEST

void replicate_suite(TCase *tests)
{
    tcase_add_test(tests, turning);
    tcase_add_test(tests, every_mesh);
    tcase_add_test(tests, small_buffers);
    tcase_add_test(tests, no_seed);
}
