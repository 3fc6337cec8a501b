/* test_ranks_memory.c - a rank whose memory ends, at one place of a run after another.
 *
 * Method: of 2 ranks, threads of this process, one is refused one allocation
 * (test/machine/allocation_count.h).
 *
 * Oracle: the run says that it had no memory, or succeeds, with all events; and it ends, although
 * the other rank goes on until it hears of it. A rank that keeps to no common order after its
 * failure meets an assertion of ranks as threads.
 */
#include "machine/ranks/ranks.h"
#include "primitives/kernel.h"
#include "routers/router.h"
#include "test/length.h"
#include "test/machine/allocation_count.h"
#include "test/ranks/ranks_case.h"
#include "test/ranks/ranks_threads.h"
#include "workloads/pattern.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

/* A router with its parameters, or a kernel with its method. */
static const struct memory_case {
    const char *router, *kernel, *how;
    bool is_observed;
} CASES[] = {
    {.router = "trees", .how = "tree=spread"},
    {.router = "stream"},
    {.router = "replicate"},
    {.router = "circulate"},
    {.router = "random"},
    {.router = "expander", .how = "r=2 alpha=1 walk=0"},
    {.router = "trees", .is_observed = true},
    {.router = "stream", .is_observed = true},
    {.router = "circulate", .is_observed = true},
    {.kernel = "sort", .how = "deal"},
    {.kernel = "prefix", .how = "total"},
    {.kernel = "route", .how = "blocks"},
    {.kernel = "migrate"},
};
enum { CASES_COUNT = sizeof CASES / sizeof *CASES };

struct memory_run {
    const struct memory_case *row;
    uint32_t victim;
    int64_t before; /* allocations of the victim's thread that succeed */
    bool has_failed;
};

static void count_hops(void *context, uint64_t step, const struct machine_event *event,
                       size_t count)
{
    uint64_t *hops = context;
    (void)step;
    for (size_t i = 0; i < count; i++)
        *hops += event[i].kind == 'M';
}

static void ignore_phase(void *context, uint64_t step, const char *name)
{
    (void)context, (void)step, (void)name;
}

/* An observer at rank 0 must receive all hops, or the run must fail. */
static enum failure_kind route(const struct memory_case *row, struct ranks *ranks,
                               struct failure *failure)
{
    struct message_set set;
    struct router_result result;
    struct router_options run = router_options_default();
    char list[64];
    uint64_t hops = 0;
    const struct machine_observer observer = {&hops, count_hops, ignore_phase, NULL};
    struct pattern_options options = {.mesh = {7, 9}, .degree = 4, .congestion = 6, .seed = 3};
    enum failure_kind kind = pattern_generate(pattern_find("rmat"), &options, &set, failure);
    if (kind != FAIL_NONE)
        return kind;
    run.ranks = ranks;
    run.threads = 1;
    snprintf(list, sizeof list, "%s", row->how == NULL ? "" : row->how);
    for (char *rest, *name = strtok_r(list, " =", &rest); name != NULL;
         name = strtok_r(NULL, " =", &rest))
        run.parameter[run.parameters++] =
            (struct router_parameter){name, strtok_r(NULL, " =", &rest)};
    if (row->is_observed && ranks_rank(ranks) == 0)
        run.observer = &observer;
    kind = message_set_keep(&set, ranks_rows(ranks, 7).first * 9, ranks_rows(ranks, 7).end * 9,
                            failure);
    if (kind == FAIL_NONE)
        kind = router_run(router_find(row->router), &set, &run, &result, failure);
    if (kind == FAIL_NONE && run.observer != NULL)
        ck_assert_uint_eq(hops, result.packet_hops);
    message_set_free(&set);
    return kind;
}

static enum failure_kind compute(const struct memory_case *row, struct ranks *ranks,
                                 struct failure *failure)
{
    struct kernel_options options = kernel_options_default();
    struct kernel_result result;
    options.mesh = (struct mesh){8, 6};
    options.k = strcmp(row->kernel, "prefix") == 0 || strcmp(row->kernel, "migrate") == 0 ? 2 : 1;
    options.method = row->how;
    options.threads = 1;
    options.ranks = ranks;
    return kernel_run(kernel_find(row->kernel), &options, &result, failure);
}

static enum failure_kind run_rank(void *context, struct ranks *ranks, struct failure *failure)
{
    struct memory_run *run = context;
    bool is_victim = ranks_rank(ranks) == run->victim;
    if (is_victim)
        allocation_count_fail_here(run->before);
    enum failure_kind kind = run->row->router != NULL ? route(run->row, ranks, failure)
                                                      : compute(run->row, ranks, failure);
    if (is_victim)
        run->has_failed = allocation_count_has_failed_here();
    allocation_count_fail_here(INT64_MAX);
    return kind;
}

START_TEST(memory_ends)
{
    int stride = TEST_IS_SHORT ? 23 : 3;
    struct memory_run run = {.row = &CASES[_i]};
    for (run.victim = 0; run.victim < (MOST_RANKS > 1 ? 2 : 1); run.victim++) {
        run.has_failed = true;
        for (run.before = _i + 3 * (int)run.victim; run.has_failed; run.before += stride) {
            struct failure failure = {0};
            enum failure_kind kind =
                ranks_run_threads(MOST_RANKS > 1 ? 2 : 1, run_rank, &run, &failure);
            bool is_told = kind == FAIL_SYSTEM && strstr(failure.text, "out of memory") != NULL;
            ck_assert_msg(kind == FAIL_NONE || (run.has_failed && is_told),
                          "%s%s %s, rank %u, allocation %lld: %d \"%s\"",
                          run.row->router == NULL ? "" : run.row->router,
                          run.row->kernel == NULL ? "" : run.row->kernel,
                          run.row->how == NULL ? "" : run.row->how, run.victim,
                          (long long)run.before + 1, (int)kind, failure.text);
        }
    }
}
END_TEST

void ranks_memory_suite(TCase *tests)
{
    tcase_add_loop_test(tests, memory_ends, 0, CASES_COUNT);
}
