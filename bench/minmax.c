/* minmax.c - sorting timed beside a bare loop of minima and maxima: a Markdown table.
 *
 *     minmax [SIDE [RUNS]]      default 1024 3
 *
 * The bare loop takes the same SIDE x SIDE words through as many odd-even steps along columns, by
 * as many threads, with nothing else: no flags, no counts, no rotation, and no exchange across the
 * border between two threads' rows. It runs twice: a step after another over all words, and on 16
 * columns at a time through all steps, so that they stay in cache. Runs alternate and medians are
 * printed, because shared machines drift.
 */
#include "machine/parallel.h"
#include "machine/pcg.h"
#include "machine/stopwatch.h"
#include "machine/vectorised.h"
#include "primitives/kernel.h"

#include <stdlib.h>

enum { MOST_RUNS = 31, STRIP = 16, SEED = 3 };

static const char *const METHOD[] = {"pairs", "merge"};

struct field {
    uint64_t *word;
    uint32_t side, steps;
};

UNROLLED void exchange(uint64_t *restrict low, uint64_t *restrict high, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t x = low[i], y = high[i];
        low[i] = x < y ? x : y;
        high[i] = x < y ? y : x;
    }
}

/* One step on the rows first .. end - 1 of words that stand `stride` apart. */
VECTORISED static void step_on_rows(uint64_t *word, uint32_t step, uint32_t first, uint32_t end,
                                    uint32_t stride)
{
    for (uint32_t row = first + (first + step) % 2; row + 1 < end; row += 2)
        exchange(word + (size_t)row * stride, word + (size_t)(row + 1) * stride, stride);
}

static void step_by_step(void *context, const struct team *team)
{
    const struct field *field = context;
    uint32_t first = parallel_band_start(field->side, team->rank, team->size);
    uint32_t end = parallel_band_start(field->side, team->rank + 1, team->size);
    for (uint32_t step = 0; step < field->steps; step++)
        step_on_rows(field->word, step, first, end, field->side);
}

/* Each strip is copied, so that its rows lie side by side. */
static void strip_by_strip(void *context, const struct team *team)
{
    const struct field *field = context;
    uint32_t strips = field->side / STRIP;
    uint64_t(*strip)[STRIP] = malloc(field->side * sizeof *strip);
    uint32_t end = parallel_band_start(strips, team->rank + 1, team->size);
    for (uint32_t s = parallel_band_start(strips, team->rank, team->size); strip && s < end; s++) {
        for (uint32_t row = 0; row < field->side; row++)
            for (uint32_t i = 0; i < STRIP; i++)
                strip[row][i] = field->word[(size_t)row * field->side + s * STRIP + i];
        for (uint32_t step = 0; step < field->steps; step++)
            step_on_rows(strip[0], step, 0, field->side, STRIP);
        for (uint32_t row = 0; row < field->side; row++)
            for (uint32_t i = 0; i < STRIP; i++)
                field->word[(size_t)row * field->side + s * STRIP + i] = strip[row][i];
    }
    free(strip);
}

static double time_of(struct field *field, uint32_t threads,
                      void (*body)(void *context, const struct team *team))
{
    struct pcg32 random = pcg32_seed(SEED, 0);
    for (size_t i = 0; i < (size_t)field->side * field->side; i++)
        field->word[i] = (uint64_t)pcg32_next(&random) << 32 | i;
    double start = stopwatch_seconds();
    parallel_run(threads, body, field);
    return stopwatch_seconds() - start;
}

static double sort_seconds(uint32_t side, uint32_t threads, const char *method, uint32_t *steps)
{
    static struct kernel_result result;
    struct kernel_options options = kernel_options_default();
    struct failure failure = {0};
    options.mesh = (struct mesh){side, side};
    options.threads = threads;
    options.method = method;
    if (kernel_run(kernel_find("sort"), &options, &result, &failure) != FAIL_NONE) {
        fprintf(stderr, "minmax: %s\n", failure.text);
        exit(EXIT_FAILURE);
    }
    *steps = (uint32_t)result.counts.steps;
    return result.wall_seconds;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Node-steps a second from the median of the runs. */
static double rate(double *seconds, int runs, const struct field *field)
{
    qsort(seconds, (size_t)runs, sizeof *seconds, compare_doubles);
    return (double)field->side * field->side * field->steps / seconds[runs / 2];
}

static void print_row(struct field *field, uint32_t threads, const char *method, int runs)
{
    double sort[MOST_RUNS], sweeps[MOST_RUNS], strips[MOST_RUNS];
    for (int i = 0; i < runs; i++) {
        sort[i] = sort_seconds(field->side, threads, method, &field->steps);
        sweeps[i] = time_of(field, threads, step_by_step);
        strips[i] = time_of(field, threads, strip_by_strip);
    }
    double own = rate(sort, runs, field);
    double swept = rate(sweeps, runs, field), stripped = rate(strips, runs, field);
    printf("| %s | %u | %u | %u | %.2f | %.2e | %.2e | %.2f | %.2e | %.2f |\n", method, field->side,
           threads, field->steps, sort[runs / 2], own, swept, own / swept, stripped,
           own / stripped);
}

int main(int argc, char **argv)
{
    uint32_t side = argc > 1 ? (uint32_t)atoi(argv[1]) : 1024;
    int runs = argc > 2 ? atoi(argv[2]) : 3;
    runs = runs < 1 ? 1 : runs > MOST_RUNS ? MOST_RUNS : runs;
    struct field field = {malloc((size_t)side * side * sizeof *field.word), side, 0};
    if (side == 0 || field.word == NULL)
        return EXIT_FAILURE;
    printf("| method | m | threads | steps | seconds | sort, node-steps/s | bare loop, all words | "
           "ratio "
           "| bare loop, strips in cache | ratio |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (uint32_t threads = 1; threads <= 2; threads++)
        for (int i = 0; i < 2; i++)
            print_row(&field, threads, METHOD[i], runs);
    free(field.word);
    return EXIT_SUCCESS;
}
