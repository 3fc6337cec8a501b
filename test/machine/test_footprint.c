/* test_footprint.c - what is told of a run's memory before it, beside what it asks for.
 *
 * Oracle: test/machine/allocation_count.h, which counts what goes through calloc, realloc and free.
 */
#include "primitives/kernel.h"
#include "test/machine/allocation_count.h"
#include "test/router_case.h"
#include "workloads/pattern.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

Suite *footprint_suite(void);

/* What is told lies between these shares of what is asked for, so that none of the sizes that it
 * depends on can be left out. Which guesses of a congestion stand, what a pattern leaves out, and whether
 * the walk of `expander` leaves anything for replicas, is not known before; nor when what plans a tree is largest. */
static const double LEAST = 0.9, MOST = 1.45, MOST_OF_PATTERNS = 1.8, TIMES_OF_GUESSES = 1.4,
                    TIMES_OF_WALKS = 3, TIMES_OF_PLANS = 1.2;

static void check_share(const char *what, uint64_t told, uint64_t asked, double most)
{
    double share = (double)told / (double)asked;
    ck_assert_msg(share >= LEAST && share <= most,
                  "%s: %" PRIu64 " bytes are told and %" PRIu64 " asked for", what, told, asked);
}

/* One destination a message; many, for each message and node; d and c apart. */
static const struct {
    const char *pattern;
    struct mesh mesh;
    uint32_t degree, congestion;
} sets[] = {{"uniform", {48, 48}, 1, 1},
            {"uniform", {32, 32}, 16, 16},
            {"uniform", {36, 23}, 48, 18},
            {"worst", {64, 40}, 1, 32},
            {"broadcast", {40, 64}, 0, 4}};

static void check_case(struct router_case run, const struct instance *instance)
{
    char text[ROUTER_CASE_TEXT];
    struct router_result result;
    struct failure failure = {0};
    uint64_t told = router_case_footprint(&run, instance);
    double most = MOST;
    if (strcmp(run.router->name, "expander") == 0)
        most *= TIMES_OF_WALKS;
    if (run.parameters != NULL && strstr(run.parameters, "tree=") != NULL)
        most *= TIMES_OF_PLANS;
    if (run.congestion_is_unknown)
        most *= TIMES_OF_GUESSES;
    allocation_count_begin();
    enum failure_kind kind = router_case_run(&run, &instance->set, NULL, &result, &failure);
    uint64_t asked = allocation_count_most();
    if (kind == FAIL_NONE) /* some parameters are refused on some sets */
        check_share(router_case_text(&run, &instance->set, text), told, asked, most);
}

/* Each router with all parameters that tests know for it: both costs of copies. */
START_TEST(routers)
{
    struct instance instance = {.name = "set"};
    struct failure failure = {0};
    struct pattern_options options = {.mesh = sets[_i].mesh,
                                      .degree = sets[_i].degree,
                                      .congestion = sets[_i].congestion,
                                      .seed = 1};
    enum failure_kind kind =
        pattern_generate(pattern_find(sets[_i].pattern), &options, &instance.set, &failure);
    ck_assert_msg(kind == FAIL_NONE &&
                      instance_measure(&instance, MEMORY_NO_LIMIT, &failure) == FAIL_NONE,
                  "%s", failure.text);
    for (uint32_t i = 0; i < router_case_count(); i++) {
        struct router_case run = router_case_at(i);
        run.copy_is_free = i % 2;
        check_case(run, &instance);
        run.reduces = router_reduces(run.router);
        if (run.reduces && !run.congestion_is_unknown)
            check_case(run, &instance);
    }
    instance_free(&instance);
}
END_TEST

/* The same where each message is of several packets, so that nodes send several messages. */
START_TEST(routers_of_packets)
{
    enum { PACKETS = 3 };
    struct instance instance = {.name = "set"};
    struct message_set *set = &instance.set;
    struct failure failure = {0};
    struct pattern_options options = {.mesh = {32, 32}, .degree = 8, .congestion = 8, .seed = 1};
    enum failure_kind kind = pattern_generate(pattern_find("uniform"), &options, set, &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
    set->length = malloc(set->messages * sizeof *set->length);
    ck_assert_ptr_nonnull(set->length);
    for (uint32_t i = 0; i < set->messages; i++)
        set->length[i] = PACKETS;
    ck_assert_msg(message_set_fit_machine(set, "set", MEMORY_NO_LIMIT, &failure) == FAIL_NONE &&
                      instance_measure(&instance, MEMORY_NO_LIMIT, &failure) == FAIL_NONE,
                  "%s", failure.text);
    for (uint32_t i = 0; i < router_case_count(); i++) {
        struct router_case run = router_case_at(i);
        run.copy_is_free = i % 2;
        if (router_takes_many(run.router) && !run.congestion_is_unknown)
            check_case(run, &instance);
    }
    instance_free(&instance);
}
END_TEST

/* Each method of each kernel, with the least k that it takes and a larger one. */
START_TEST(kernels)
{
    const struct kernel *kernel = kernel_at((uint32_t)_i);
    for (const struct kernel_method *method = kernel->methods; method->name != NULL; method++)
        for (uint32_t more = 0; more < 2; more++) {
            struct kernel_options options = kernel_options_default();
            struct kernel_result result;
            struct failure failure = {0};
            uint64_t told = 0;
            options.mesh = (struct mesh){64, 64};
            options.threads = 1;
            options.method = method->name;
            options.k = method->least_k + more * (method->most_k > 8 ? 5 : 0);
            options.tiles = 1 + 3 * more;
            enum failure_kind kind = kernel_footprint(kernel, &options, &told, &failure);
            ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
            allocation_count_begin();
            kind = kernel_run(kernel, &options, &result, &failure);
            ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
            char what[96];
            snprintf(what, sizeof what, "kernel %s, method %s, k = %u", kernel->name, method->name,
                     options.k);
            check_share(what, told, allocation_count_most(), MOST);
        }
}
END_TEST

/* Making a set of each pattern, with its defaults, with a large degree and with a large congestion. */
START_TEST(patterns)
{
    static const uint32_t sizes[][2] = {{0, 0}, {40, 8}, {4, 40}};
    const struct pattern *pattern = pattern_at((uint32_t)_i);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !pattern->needs; i++) {
        struct pattern_options options = {
            .mesh = {64, 50}, .degree = sizes[i][0], .congestion = sizes[i][1], .seed = 1};
        struct message_set set;
        char what[96];
        uint64_t told = pattern_footprint(pattern, &options);
        allocation_count_begin();
        ck_assert_int_eq(pattern_generate(pattern, &options, &set, NULL), FAIL_NONE);
        uint64_t asked = allocation_count_most();
        message_set_free(&set);
        snprintf(what, sizeof what, "pattern %s, d = %" PRIu32 ", c = %" PRIu32, pattern->name,
                 sizes[i][0], sizes[i][1]);
        check_share(what, told, asked, MOST_OF_PATTERNS);
    }
}
END_TEST

Suite *footprint_suite(void)
{
    Suite *suite = suite_create("footprint");
    TCase *tcase = tcase_create("footprint");
    tcase_add_loop_test(tcase, routers, 0, sizeof sets / sizeof *sets);
    tcase_add_test(tcase, routers_of_packets);
    tcase_add_loop_test(tcase, kernels, 0, (int)kernel_count());
    tcase_add_loop_test(tcase, patterns, 0, (int)pattern_count());
    suite_add_tcase(suite, tcase);
    return suite;
}
