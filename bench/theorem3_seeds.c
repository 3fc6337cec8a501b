/* theorem3_seeds.c - Theorem 3's routers over many seeds: Markdown tables of distributions.
 *
 *     theorem3_seeds [-n SEEDS] [-t THREADS] [SIDE ...]        default 1000 seeds, 1 thread, 32
 *
 * Sets are uniform with d = c, copies free; the seed makes the set and the router's choices. For
 * s = m / sqrt(c) = 4, 8 and 16: least, median, 99 % and most of the steps without synchronisation
 * and of the peaks; for rank (r = 3) and direct also in how many runs one pass (phase 0, all tiles
 * visited once, and what was under way then) made every delivery. `stream` makes one pass always.
 * For s >= 16 the goal is 999 of 1,000 runs; fewer are marked with !, as are counts from which runs
 * are missing because they failed.
 */
#include "bench/theorem3.h"

#include <math.h>
#include <unistd.h>

enum { SIDES_OF_TILES = 3, GOAL_FROM_SIDE = 16 };

static const double LEAST_SHARE = 0.999;

struct plan {
    uint32_t side, tile_side, seeds, threads;
};

/* What the runs of one subject gave, sorted when they are complete. */
struct sample {
    uint32_t count, one_pass;
    double *steps, *peak;
};

static uint32_t congestion_of(const struct plan *plan)
{
    uint32_t tiles_across = plan->side / plan->tile_side;
    return tiles_across * tiles_across;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The least value that a share of the runs does not exceed. */
static double quantile(const double *sorted, uint32_t count, double share)
{
    uint32_t rank = (uint32_t)ceil(share * count);
    return sorted[rank > 0 ? rank - 1 : 0];
}

static void print_sorted(double *value, uint32_t count)
{
    qsort(value, count, sizeof *value, compare);
    printf(" %.0f | %.0f | %.0f | %.0f |", value[0], quantile(value, count, 0.5),
           quantile(value, count, 0.99), value[count - 1]);
}

static void print_sample(const struct plan *plan, const struct subject *subject,
                         struct sample *sample)
{
    uint32_t c = congestion_of(plan);
    bool is_random = strcmp(subject->router, "random") == 0;
    bool is_few = is_random && plan->tile_side >= GOAL_FROM_SIDE &&
                  sample->one_pass < LEAST_SHARE * plan->seeds;
    if (sample->count == 0)
        return;
    printf("| %u | %u | %u | %s |", plan->side, c, plan->tile_side, subject->name);
    print_sorted(sample->steps, sample->count);
    printf(" %.2f |", sample->steps[sample->count - 1] / (sqrt(c) * plan->side));
    print_sorted(sample->peak, sample->count);
    printf(" %u%s |", sample->count, sample->count < plan->seeds ? "!" : "");
    if (is_random)
        printf(" %u%s |\n", sample->one_pass, is_few ? "!" : "");
    else
        puts(" - |");
    fflush(stdout);
}

static void take_run(const struct subject *subject, const struct message_set *set,
                     const struct run_plan *plan, struct sample *sample)
{
    static struct router_result result;
    if (!subject_run(subject, set, plan, &result))
        return;
    sample->steps[sample->count] = (double)(result.steps - result.sync_steps);
    sample->peak[sample->count++] = result.buffer_peak;
    sample->one_pass += rounds_of(&result) == 1;
}

static void rows_of(const struct plan *plan)
{
    uint32_t c = congestion_of(plan);
    struct sample sample[SUBJECTS] = {{.count = 0}};
    for (int i = 0; i < SUBJECTS; i++) {
        sample[i].steps = memory_allocate(plan->seeds, sizeof(double));
        sample[i].peak = memory_allocate(plan->seeds, sizeof(double));
        if (sample[i].steps == NULL || sample[i].peak == NULL)
            exit(EXIT_FAILURE);
    }
    for (uint32_t seed = 1; seed <= plan->seeds; seed++) {
        struct pattern_options options = {
            .mesh = {plan->side, plan->side}, .degree = c, .congestion = c, .seed = seed};
        struct run_plan run = {.copy_is_free = true, .seed = seed, .threads = plan->threads};
        struct message_set set = {0};
        if (!set_make(pattern_find("uniform"), &options, &set))
            continue;
        for (int i = 0; i < SUBJECTS; i++)
            take_run(&subjects[i], &set, &run, &sample[i]);
        message_set_free(&set);
    }
    for (int i = 0; i < SUBJECTS; i++) {
        print_sample(plan, &subjects[i], &sample[i]);
        free(sample[i].steps);
        free(sample[i].peak);
    }
}

int main(int count, char **argument)
{
    static const uint32_t tile_side[SIDES_OF_TILES] = {4, 8, 16};
    struct plan plan = {.side = 32, .seeds = 1000, .threads = 1};
    for (int option; (option = getopt(count, argument, "n:t:")) != -1;) {
        if (option == 'n')
            plan.seeds = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 't')
            plan.threads = (uint32_t)strtoul(optarg, NULL, 10);
        else
            return EXIT_FAILURE;
    }
    puts("| m | c | s | router | steps: least | median | 99 % | most | most / S | peak: least | "
         "median | 99 % | most | runs | in one pass |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (int i = optind; i == optind || i < count; i++) {
        if (i < count)
            plan.side = (uint32_t)strtoul(argument[i], NULL, 10);
        for (int j = 0; j < SIDES_OF_TILES; j++) {
            plan.tile_side = tile_side[j];
            if (plan.seeds > 0 && plan.side >= plan.tile_side)
                rows_of(&plan);
        }
    }
    return EXIT_SUCCESS;
}
