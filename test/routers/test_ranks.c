/* test_ranks.c - every router on several ranks: the bytes of its trace and its result are those of the run alone. */
#include "test/base/ranks_case.h"
#include "test/length.h"
#include "test/router_ranks.h"
#include "test/routers/reduction_case.h"
#include "workloads/pattern.h"

#include <check.h>

Suite *ranks_suite(void);

/* Odd sizes, so that bands are of different sizes; with 5 ranks some have a single row of the second. */
static const struct mesh MESHES[] = {{33, 11}, {7, 19}, {33, 40}, {12, 5}};
static const uint32_t RANKS[] = {2, 3, 5};

/* All numbers of ranks, with one thread each or with two, by `which`; in short tests two of these six. */
static void check_ranks(struct router_case run, const struct message_set *set, size_t which)
{
    enum { WAYS = 2 * sizeof RANKS / sizeof *RANKS };
    size_t step = TEST_IS_SHORT ? 3 : 2;
    /* in the long form not by the parity of `which`, which says what copies cost */
    for (size_t way = (TEST_IS_SHORT ? which : which / 2) % step; way < WAYS; way += step) {
        run.threads = 1 + (uint32_t)(way % 2);
        if (RANKS[way / 2] <= MOST_RANKS) /* a serial build has one rank */
            router_ranks_case(run, set, RANKS[way / 2]);
    }
}

START_TEST(test_ranks)
{
    for (size_t i = 0; i < (TEST_IS_SHORT ? 2 : sizeof MESHES / sizeof *MESHES); i++) {
        struct router_case run = router_case_at((uint32_t)_i);
        struct message_set set;
        struct pattern_options options = {
            .mesh = MESHES[i], .degree = 6, .congestion = 8, .seed = 3 + i};
        ck_assert_int_eq(pattern_generate(pattern_find("rmat"), &options, &set, NULL), FAIL_NONE);
        run.seed = 5;
        run.copy_is_free = (i + (size_t)_i) % 2;
        check_ranks(run, &set, i + (size_t)_i);
        message_set_free(&set);
    }
}
END_TEST

static const struct {
    const char *router, *parameters;
    uint32_t buffer;
} REDUCTIONS[] = {{"trees", NULL, 0},     {"trees", "slots=1", 0},
                  {"trees", NULL, 40},    {"replicate", NULL, 0},
                  {"circulate", NULL, 0}, {"trees", "slots=0", 1}}; /* a node overflows */

/* Sums, whose contributions begin in other ranks than their messages; of one message a node and of several. */
START_TEST(test_reductions)
{
    enum { COUNT = sizeof MESHES / sizeof *MESHES };
    size_t row = (size_t)_i;
    for (size_t i = TEST_IS_SHORT ? 1 + row % 2 : 0; i < COUNT; i += TEST_IS_SHORT ? COUNT : 1) {
        struct router_case run = reduction_case(REDUCTIONS[row].router);
        struct message_set set;
        run.parameters = REDUCTIONS[row].parameters;
        run.buffer = REDUCTIONS[row].buffer;
        run.seed = 5;
        reduction_draw(&set, MESHES[i], i == 1 ? 3 : 1, 8, 3 + i);
        check_ranks(run, &set, row / 2 + i);
        message_set_free(&set);
    }
}
END_TEST

Suite *ranks_suite(void)
{
    Suite *suite = suite_create("ranks");
    TCase *routers = tcase_create("routers");
    tcase_add_loop_test(routers, test_ranks, 0, (int)router_case_count());
    suite_add_tcase(suite, routers);
    TCase *reductions = tcase_create("reductions");
    tcase_add_loop_test(reductions, test_reductions, 0, sizeof REDUCTIONS / sizeof *REDUCTIONS);
    suite_add_tcase(suite, reductions);
    return suite;
}
