/* test_ranks_kernels.c - every kernel by every method on several ranks: the bytes of its trace and
 * its figures are those of a run without ranks. */
#include "machine/ranks/ranks.h"
#include "primitives/kernel.h"
#include "test/length.h"
#include "test/ranks/ranks_case.h"
#include "test/ranks/ranks_threads.h"
#include "workloads/permutation.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

struct kernel_ranks {
    const struct kernel *kernel;
    struct kernel_options options;
    bool is_traced;
    char *trace;
    size_t length;
    struct kernel_result result[MOST_RANKS];
};

static enum failure_kind run_rank(void *context, struct ranks *ranks, struct failure *failure)
{
    struct kernel_ranks *run = context;
    struct kernel_options options = run->options;
    options.ranks = ranks;
    if (run->is_traced && ranks_rank(ranks) == 0)
        options.trace = open_memstream(&run->trace, &run->length);
    enum failure_kind kind =
        kernel_run(run->kernel, &options, &run->result[ranks_rank(ranks)], failure);
    if (options.trace != NULL)
        fclose(options.trace);
    return kind;
}

static bool is_same(const struct kernel_result *a, const struct kernel_result *b)
{
    bool same =
        a->counts.steps == b->counts.steps && a->counts.sync_steps == b->counts.sync_steps &&
        a->counts.packet_hops == b->counts.packet_hops &&
        a->counts.word_hops == b->counts.word_hops && a->counts.copies == b->counts.copies &&
        a->counts.delivered == b->counts.delivered && a->counts.peak == b->counts.peak &&
        a->counts.peak_node == b->counts.peak_node && a->counts.peak_step == b->counts.peak_step &&
        strcmp(a->counts.peak_phase, b->counts.peak_phase) == 0 && a->phases == b->phases &&
        strcmp(a->method, b->method) == 0 && a->tiles == b->tiles && a->items == b->items;
    for (uint32_t i = 0; same && i < a->phases; i++)
        same = a->phase[i].steps == b->phase[i].steps &&
               strcmp(a->phase[i].name, b->phase[i].name) == 0;
    return same;
}

static void check_ranks(const struct kernel_ranks *alone, enum failure_kind kind, const char *text,
                        uint32_t ranks, uint32_t threads, bool is_traced)
{
    struct kernel_ranks run = *alone;
    struct failure failure = {0};
    char what[200];
    snprintf(what, sizeof what, "%s by %s, k = %u, %u x %u nodes, %u tiles, %u ranks of %u threads",
             run.kernel->name, run.options.method, run.options.k, run.options.mesh.rows,
             run.options.mesh.cols, (unsigned)run.options.tiles, ranks, threads);
    run.options.threads = threads;
    run.is_traced = is_traced;
    enum failure_kind together = ranks_run_threads(ranks, run_rank, &run, &failure);
    ck_assert_msg(kind == together && strcmp(text, failure.text) == 0, "%s: \"%s\" is \"%s\"", what,
                  text, failure.text);
    if (is_traced)
        ck_assert_msg(strcmp(alone->trace, run.trace) == 0, "%s: another trace", what);
    for (uint32_t i = 0; i < ranks; i++) /* also where they failed */
        ck_assert_msg(is_same(&alone->result[0], &run.result[i]), "%s: other figures at rank %u",
                      what, i);
    if (is_traced)
        free(run.trace);
}

/* With `ranks` ranks, and one more in long tests. */
static void check_case(const struct kernel *kernel, const struct kernel_options *options,
                       uint32_t number)
{
    static struct kernel_ranks alone;
    struct failure failure = {0};
    alone = (struct kernel_ranks){.kernel = kernel, .options = *options, .is_traced = true};
    alone.options.threads = 1;
    enum failure_kind kind = run_rank(&alone, NULL, &failure);
    static const uint32_t RANKS[] = {2, 3, 5};
    for (uint32_t i = 0; i < 3 && RANKS[i] <= MOST_RANKS; i++)
        if (!TEST_IS_SHORT || i == number % 3)
            for (uint32_t way = 0; way < (TEST_IS_SHORT ? 1 : 4); way++)
                check_ranks(&alone, kind, failure.text, RANKS[i], 1 + (number + way) % 2,
                            (number / 2 + way / 2) % 2 == 0);
    free(alone.trace);
}

static void check_method(const struct kernel *kernel, const struct kernel_method *method,
                         uint32_t *number)
{
    static const struct mesh MESHES[] = {{33, 40}, {7, 19}, {16, 16}, {64, 12}};
    for (size_t i = 0; i < sizeof MESHES / sizeof *MESHES; i++)
        for (uint32_t k = method->least_k; k <= method->most_k && k < method->least_k + 2; k++) {
            struct kernel_options options = kernel_options_default();
            options.mesh = MESHES[i];
            options.k = k;
            options.method = method->name;
            options.tiles = *number % 3 == 0 ? 4 : 1;
            options.load = *number % 4 == 3 ? 70 : 100;
            options.copy_is_free = *number % 2;
            options.seed = *number;
            if (!TEST_IS_SHORT || i < 2)
                check_case(kernel, &options, *number);
            ++*number;
        }
}

START_TEST(kernels)
{
    const struct kernel *kernel = kernel_at((uint32_t)_i);
    uint32_t number = (uint32_t)_i;
    for (uint32_t i = 0; kernel->methods[i].name != NULL; i++)
        check_method(kernel, &kernel->methods[i], &number);
}
END_TEST

/* The injection overflows the buffers: the counts until then are also the same. */
START_TEST(overflow)
{
    struct kernel_options options = kernel_options_default();
    options.mesh = (struct mesh){9, 5};
    options.k = 2;
    options.method = "greedy";
    options.buffer = 1;
    check_case(kernel_find("route"), &options, 0);
}
END_TEST

void ranks_kernels_suite(TCase *tests)
{
    tcase_add_loop_test(tests, kernels, 0, (int)kernel_count());
    tcase_add_test(tests, overflow);
}
