/* test_ranks.c - every router on several ranks: the bytes of its trace and its result are those of the run alone. */
#include "test/length.h"
#include "test/router_ranks.h"
#include "workloads/pattern.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *ranks_suite(void);

/* Odd sizes, so that bands are of different sizes; with 5 ranks some have a single row of the second. */
static const struct mesh MESHES[] = {{33, 40}, {7, 19}, {12, 5}, {64, 64}};
static const uint32_t RANKS[] = {2, 3, 5};

static void check_ranks(struct router_case run, const struct message_set *set)
{
    for (size_t i = 0; i < sizeof RANKS / sizeof *RANKS; i++)
        for (run.threads = 1; run.threads <= 2; run.threads++)
            if (!TEST_IS_SHORT || i + run.threads != 2)
                router_ranks_case(run, set, RANKS[i]);
}

static bool is_ready(struct router_case run)
{
    const char *only = getenv("RANKS_ONLY");
    char text[256];
    snprintf(text, sizeof text, "%s:%s%s", run.router->name,
             run.parameters == NULL ? "" : run.parameters, run.congestion_is_unknown ? "?" : "");
    return only == NULL || strstr(only, text) != NULL;
}

/* Replicas of `expander` need all slots of a message at one rank; its walk does not. */
static bool needs_replicas(struct router_case run)
{
    return strcmp(run.router->name, "expander") == 0 && run.parameters != NULL &&
           (strstr(run.parameters, "walk=0") != NULL || strstr(run.parameters, "walk=1 ") != NULL);
}

START_TEST(test_ranks)
{
    if (!is_ready(router_case_at((uint32_t)_i)) || needs_replicas(router_case_at((uint32_t)_i)))
        return;
    for (size_t i = 0; i < (TEST_IS_SHORT ? 2 : sizeof MESHES / sizeof *MESHES); i++) {
        struct router_case run = router_case_at((uint32_t)_i);
        struct message_set set;
        struct pattern_options options = {
            .mesh = MESHES[i], .degree = 6, .congestion = 8, .seed = 3 + i};
        ck_assert_int_eq(pattern_generate(pattern_find("rmat"), &options, &set, NULL), FAIL_NONE);
        run.seed = 5;
        run.copy_is_free = (i + (size_t)_i) % 2;
        check_ranks(run, &set);
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
    return suite;
}
