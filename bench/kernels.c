/* kernels.c - steps, buffers, hops and time of every kernel and method: a Markdown table.
 *
 *     kernels [KERNEL ...] [SIDE ...]        default: all, on 16 32 64 128 256 512 1024
 *
 * The whole mesh is one tile, full, each result checked. A row shows the worst of all patterns: the
 * most steps (and the pattern that took them), the most packets in a node. On sides beyond 256 only
 * `random` and the patterns run that were worst one side before. Hops and time are of the run with
 * the most steps; the time is the kernel alone, with as many threads as pay.
 *
 * Steps are shown with free copies and without synchronisation, as the literature counts, and in
 * all with copies that cost a step; a kernel that copies nothing is not run twice for that.
 */
#include "primitives/kernel_row.h"
#include "workloads/permutation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_PATTERNS_SIDE = 256, MOST_ITEMS = 1 << 22 };

/* What a row of the output shows. */
struct worst {
    struct kernel_result most_steps; /* of the run without synchronisation */
    const struct permutation *slowest, *fullest;
    uint32_t peak;
    uint64_t unit_steps;
    uint32_t runs;
    bool all_same; /* every pattern took as many steps and as much room */
};

static uint64_t own_steps(const struct kernel_result *result)
{
    return result->counts.steps - result->counts.sync_steps;
}

static struct kernel_result run(const struct kernel_row *row, const struct kernel_options *options)
{
    struct kernel_result result;
    struct failure failure = {0};
    enum failure_kind kind = kernel_run_row(row, options, &result, &failure);
    if (kind == FAIL_NONE)
        return result;
    fprintf(stderr, "kernels: %s method=%s k=%" PRIu32 " pattern %s, side %" PRIu32 ": %s\n",
            row->shown.name, options->method, options->k, options->pattern->name,
            options->mesh.rows, failure.text);
    exit(EXIT_FAILURE);
}

static void add(struct worst *worst, const struct kernel_row *row, struct kernel_options options,
                const struct permutation *pattern)
{
    options.pattern = pattern;
    options.copy_is_free = true;
    struct kernel_result result = run(row, &options);
    worst->all_same = worst->runs == 0 || (worst->all_same && result.counts.peak == worst->peak &&
                                           own_steps(&result) == own_steps(&worst->most_steps));
    if (worst->runs++ == 0 || own_steps(&result) > own_steps(&worst->most_steps)) {
        worst->most_steps = result;
        worst->slowest = pattern;
    }
    if (worst->fullest == NULL || result.counts.peak > worst->peak) {
        worst->peak = result.counts.peak;
        worst->fullest = pattern;
    }
    uint64_t steps = result.counts.steps;
    if (result.counts.copies > 0) {
        options.copy_is_free = false;
        steps = run(row, &options).counts.steps;
    }
    worst->unit_steps = steps > worst->unit_steps ? steps : worst->unit_steps;
}

static void print_row(const struct kernel_row *row, const struct kernel_options *options,
                      const struct worst *worst)
{
    const struct kernel_result *result = &worst->most_steps;
    uint32_t side = options->mesh.rows;
    double work = (double)result->counts.steps * side * side;
    printf("| %s | %s | %" PRIu32 " | %" PRIu32 " | %" PRIu64 " | %.2f | %" PRIu64
           " | %.2f | %" PRIu32 " | %" PRIu64 " | %" PRIu64 " | %.3f | %.2g |",
           row->shown.name, options->method, options->k, side, own_steps(result),
           (double)own_steps(result) / side, worst->unit_steps, (double)worst->unit_steps / side,
           worst->peak, result->counts.packet_hops, result->counts.word_hops, result->wall_seconds,
           result->wall_seconds > 0 ? work / result->wall_seconds : 0);
    if (worst->all_same)
        puts(" any |");
    else
        printf(" %s, %s |\n", worst->slowest->name, worst->fullest->name);
    fflush(stdout);
}

/* One kernel, method and k on all sides, of which there are `count`, ascending. */
static void measure(const struct kernel_row *row, struct kernel_options options,
                    const uint32_t *side, int count)
{
    struct worst before = {.runs = 0};
    for (int i = 0; i < count; i++) {
        struct worst worst = {.runs = 0};
        options.mesh = (struct mesh){side[i], side[i]};
        if ((uint64_t)side[i] * side[i] * options.k > MOST_ITEMS)
            return;
        for (uint32_t p = 0; p < permutation_count(); p++) {
            const struct permutation *pattern = permutation_at(p);
            if (side[i] <= ALL_PATTERNS_SIDE || p == 0 || pattern == before.slowest ||
                pattern == before.fullest)
                add(&worst, row, options, pattern);
        }
        worst.all_same &= side[i] <= ALL_PATTERNS_SIDE || before.all_same;
        print_row(row, &options, &worst);
        before = worst;
    }
}

/* Each method with the least k that it takes, and with every k whose default it is. */
static void measure_kernel(const struct kernel_row *row, const uint32_t *side, int count)
{
    static const uint32_t loads[] = {1, 4, 16};
    for (const struct kernel_method *method = row->shown.methods; method->name != NULL; method++) {
        bool is_new = true;
        for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
            bool is_default = method == kernel_default_method(&row->shown, loads[i]);
            if (!kernel_method_takes(method, loads[i]) || (!is_new && !is_default))
                continue;
            struct kernel_options options = kernel_options_default();
            options.method = method->name;
            options.k = loads[i];
            options.seed = 1;
            measure(row, options, side, count);
            is_new = false;
        }
    }
}

int main(int count, char **argument)
{
    uint32_t side[32] = {16, 32, 64, 128, 256, 512, 1024};
    const struct kernel *chosen[32];
    int sides = 0, kernels = 0;
    for (int i = 1; i < count && sides < 32 && kernels < 32; i++) {
        uint32_t number = (uint32_t)strtoul(argument[i], NULL, 10);
        if (number > 0)
            side[sides++] = number;
        else if ((chosen[kernels++] = kernel_find(argument[i])) == NULL)
            return fprintf(stderr, "kernels: no kernel %s\n", argument[i]), EXIT_FAILURE;
    }
    if (sides == 0)
        sides = 7;
    puts("| kernel | method | k | m | steps | / m | all, unit | / m | peak | packet hops | word "
         "hops | seconds | node-steps / s | worst for steps, peak |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (uint32_t i = 0; kernels == 0 && i < kernel_count(); i++)
        measure_kernel(kernel_row_of(kernel_at(i)), side, sides);
    for (int i = 0; i < kernels; i++)
        measure_kernel(kernel_row_of(chosen[i]), side, sides);
    return EXIT_SUCCESS;
}
