/* speed.c - how fast the emulator is, each figure beside its goal and beside what bare loops do in
 * the same run: Markdown tables.
 *
 *     speed [regular] [greedy] [routers] [-r RUNS] [-1] [SIDE]
 *
 * The default is all three parts, once, on 1024 x 1024. Of RUNS interleaved runs the medians are
 * shown.
 *   regular   sorting, tours of blocks and sibling exchange beside bare loops over the same
 *             words, one thread and two (bench/bare_loops.h, bench/regular_work.h)
 *   greedy    permutations and uniform sets by `trees`
 *   routers   whole routes, uniform, d = c = 16, unit copies; with -1 on one thread too, and what
 *             two threads are to one in bare loops
 * Goals are for SIDE 1024 and two cores. A figure beyond its goal is marked with !. A route is a
 * process of its own, so that its peak memory is its own; its time is that of router_run, checks of
 * all deliveries included.
 */
#include "bench/bare_loops.h"
#include "bench/regular_work.h"
#include "bench/routes.h"

enum { MOST_RUNS = 31, THREADS = 2, COPY_STEPS = 200 };

struct plan {
    uint32_t side;
    int runs;
    bool on_one_thread;
};

/* ---- regular work ---- */

struct regular {
    const char *name;
    const char *method; /* of sorting; NULL: other work, beside copies */
    struct timed_work (*run)(uint32_t side, uint32_t threads);
    uint32_t across; /* the work holds across x across words per node; beside copies of so many */
};

static const struct regular REGULAR[] = {
    {"sort, deal", "deal", NULL, 1},
    {"tours of 32 x 32 blocks", NULL, tour_work, 1},
    {"sibling exchange, c = 16", NULL, sibling_work, 4},
};

/* Copies of as many words as the work holds, which need not stay in cache. */
static double rate_of_copies(uint32_t side, uint32_t threads)
{
    enum { STEPS = 20 };
    struct field field;
    if (!field_make(&field, side))
        exit(EXIT_FAILURE);
    double rate = loop_rate(&field, threads, STEPS, copy_steps);
    field_free(&field);
    return rate;
}

/* Beside the loop over a word per node, and beside another one: sorting in strips that stay in
 * cache, copies of all words that the work holds. */
static void regular_row(const struct plan *plan, const struct regular *regular, uint32_t threads,
                        struct field *field)
{
    enum { LEAST_SHARE = 50 };
    double rate[MOST_RUNS], limit[MOST_RUNS], other[MOST_RUNS], seconds[MOST_RUNS];
    uint64_t steps = 0;
    bool sorts = regular->method != NULL;
    for (int i = 0; i < plan->runs; i++) {
        struct timed_work work = sorts ? sort_work(plan->side, threads, regular->method)
                                       : regular->run(plan->side, threads);
        steps = work.steps;
        seconds[i] = work.seconds;
        rate[i] = work.moves / work.seconds;
        limit[i] = sorts ? loop_rate(field, threads, (uint32_t)steps, minmax_sweeps)
                         : loop_rate(field, threads, COPY_STEPS, copy_steps);
        other[i] = 0;
        if (sorts)
            other[i] = loop_rate(field, threads, (uint32_t)steps, minmax_strips);
        else if (regular->across > 1)
            other[i] = rate_of_copies(plan->side * regular->across, threads);
    }
    double own = median(rate, plan->runs), loop = median(limit, plan->runs);
    double beside = median(other, plan->runs);
    printf("| %s | %u | %u | %llu | %.2f | %.2e | %s %.2e | %.2f%s |", regular->name, plan->side,
           threads, (unsigned long long)steps, median(seconds, plan->runs), own,
           sorts ? "minima and maxima" : "copies", loop, own / loop,
           100 * own < LEAST_SHARE * loop ? "!" : "");
    if (sorts || regular->across > 1)
        printf(" %s %.2e | %.2f |\n", sorts ? "strips" : "all words", beside, own / beside);
    else
        puts(" | |");
    fflush(stdout);
}

static void regular_rows(const void *context, int pipe_end)
{
    const struct plan *plan = context;
    struct field field;
    (void)pipe_end;
    if (!field_make(&field, plan->side))
        exit(EXIT_FAILURE);
    puts("Moves are words that are compared (sorting) or packets that cross a link; the bare loop "
         "takes a word per node through a step. Goal: half of its rate. The other loop: sorting "
         "in strips that stay in cache; copies of all words that the nodes hold in the end.\n\n"
         "| work | m | threads | steps | seconds | moves/s | bare loop, words/s | share | other "
         "loop | share |\n|---|---|---|---|---|---|---|---|---|---|");
    for (uint32_t threads = 1; threads <= THREADS; threads++)
        for (size_t i = 0; i < sizeof REGULAR / sizeof *REGULAR; i++)
            regular_row(plan, &REGULAR[i], threads, &field);
    puts("");
    field_free(&field);
}

/* ---- routes ---- */

static void run_copies(const void *context, int pipe_end)
{
    const uint32_t *side_threads = context;
    struct field field;
    if (!field_make(&field, side_threads[0]))
        exit(EXIT_FAILURE);
    double rate = loop_rate(&field, side_threads[1], COPY_STEPS, copy_steps);
    if (write(pipe_end, &rate, sizeof rate) != (ssize_t)sizeof rate)
        exit(EXIT_FAILURE);
    field_free(&field);
}

/* The run with the median time. */
static struct route_timing median_timing(const struct plan *plan, const struct message_set *set,
                                         const char *router, uint32_t threads)
{
    struct route_timing timing[MOST_RUNS];
    double seconds[MOST_RUNS];
    for (int i = 0; i < plan->runs; i++) {
        run_apart(run_route, &(struct route){set, router, threads}, &timing[i], sizeof timing[i]);
        seconds[i] = timing[i].seconds;
    }
    double middle = median(seconds, plan->runs);
    for (int i = 0; i < plan->runs; i++)
        if (timing[i].seconds == middle)
            return timing[i];
    return timing[0];
}

static void regular_part(const struct plan *plan)
{
    run_apart(regular_rows, plan, NULL, 0);
}

/* ---- greedy routing ---- */

static void greedy_part(const struct plan *plan)
{
    static const struct {
        const char *pattern;
        uint32_t side, congestion, threads; /* side 0: the plan's */
        double least_rate, most_milliseconds;
    } rows[] = {{"permutation", 64, 1, 1, 0, 3.5},
                {"permutation", 128, 1, 1, 0, 25},
                {"permutation", 0, 1, 2, 1.2e8, 0},
                {"transpose", 0, 1, 2, 3e8, 0},
                {"uniform, d = 16", 0, 16, 2, 8e7, 0}};
    puts("Router `trees`. Beside it a loop that copies the mesh's words, on as many threads.\n\n"
         "| set | m | threads | steps | packet hops | seconds | hops/s | goal | copies, words/s |\n"
         "|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char goal[32], name[16];
        struct message_set set = {0};
        uint32_t side = rows[i].side > 0 ? rows[i].side : plan->side;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(rows[i].pattern, ","), rows[i].pattern);
        make_set(&set, name, side, rows[i].congestion);
        struct route_timing timing = median_timing(plan, &set, "trees", rows[i].threads);
        double copies;
        run_apart(run_copies, (uint32_t[]){plan->side, rows[i].threads}, &copies, sizeof copies);
        double rate = (double)timing.hops / timing.seconds;
        bool is_missed = rows[i].least_rate > 0 ? rate < rows[i].least_rate
                                                : 1000 * timing.seconds > rows[i].most_milliseconds;
        if (rows[i].least_rate > 0)
            snprintf(goal, sizeof goal, "%.1e hops/s", rows[i].least_rate);
        else
            snprintf(goal, sizeof goal, "%.1f ms", rows[i].most_milliseconds);
        printf("| %s | %u | %u | %llu | %llu | %.4f | %.2e | %s%s | %.2e |\n", rows[i].pattern,
               side, rows[i].threads, (unsigned long long)timing.steps,
               (unsigned long long)timing.hops, timing.seconds, rate, goal, is_missed ? "!" : "",
               copies);
        fflush(stdout);
        message_set_free(&set);
    }
    puts("");
}

/* ---- whole routes ---- */

/* Returns the speed of the loop with two threads, relative to one. */
static double loop_ratio(struct field *field, int runs, uint32_t steps,
                         void (*loop)(void *context, const struct team *team))
{
    double ratio[MOST_RUNS];
    for (int i = 0; i < runs; i++) {
        double one = loop_rate(field, 1, steps, loop);
        ratio[i] = loop_rate(field, THREADS, steps, loop) / one;
    }
    return median(ratio, runs);
}

/* Measures the best speed of two threads relative to one, with nothing shared but the machine. */
static void loop_ratios(const void *context, int pipe_end)
{
    enum { ACROSS = 4, STEPS = 20, LOOK_UP_STEPS = 4 };
    const struct plan *plan = context;
    struct field small, large;
    (void)pipe_end;
    if (!field_make(&small, plan->side / ACROSS) || !field_make(&large, plan->side * ACROSS))
        exit(EXIT_FAILURE);
    printf(
        "Two threads beside one, bare loops: minima and maxima in cache %.2f, copies of 16 words "
        "a node %.2f, looking up words all over these %.2f.\n\n",
        loop_ratio(&small, plan->runs, STEPS * COPY_STEPS, minmax_sweeps),
        loop_ratio(&large, plan->runs, STEPS, copy_steps),
        loop_ratio(&large, plan->runs, LOOK_UP_STEPS, look_up_steps));
    field_free(&small);
    field_free(&large);
}

static void routers_part(const struct plan *plan)
{
    static const double LEAST_RATIO = 1.8;
    static const struct {
        const char *router;
        double goal; /* 0: none in seconds */
    } rows[] = {{"replicate", 60}, {"trees", 80},  {"stream", 90},  {"random", 180},
                {"expander", 400}, {"unicast", 0}, {"circulate", 0}};
    struct message_set set = {0};
    make_set(&set, "uniform", plan->side, 16);
    printf("%u x %u nodes, uniform, d = c = 16, unit copies. Goal of the ratio: %.1f.\n\n",
           plan->side, plan->side, LEAST_RATIO);
    puts("| router | steps | packet hops | 1 thread, s | 2 threads, s | ratio | goal, s | hops/s | "
         "GiB |\n|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char one[32] = "", ratio[32] = "", goal[32] = "";
        struct route_timing two = median_timing(plan, &set, rows[i].router, THREADS);
        if (plan->on_one_thread) {
            double seconds = median_timing(plan, &set, rows[i].router, 1).seconds;
            snprintf(one, sizeof one, "%.1f", seconds);
            snprintf(ratio, sizeof ratio, "%.2f%s", seconds / two.seconds,
                     seconds < LEAST_RATIO * two.seconds ? "!" : "");
        }
        if (rows[i].goal > 0)
            snprintf(goal, sizeof goal, "%.0f%s", rows[i].goal,
                     two.seconds > rows[i].goal ? "!" : "");
        printf("| %s | %llu | %llu | %s | %.1f | %s | %s | %.2e | %.2f |\n", rows[i].router,
               (unsigned long long)two.steps, (unsigned long long)two.hops, one, two.seconds, ratio,
               goal, (double)two.hops / two.seconds, (double)two.kibibytes / 1048576);
        fflush(stdout);
    }
    puts("");
    if (plan->on_one_thread)
        run_apart(loop_ratios, plan, NULL, 0);
    message_set_free(&set);
}

int main(int count, char **argument)
{
    static const struct {
        const char *name;
        void (*run)(const struct plan *plan);
    } parts[] = {{"regular", regular_part}, {"greedy", greedy_part}, {"routers", routers_part}};
    enum { PARTS = sizeof parts / sizeof *parts };
    struct plan plan = {.side = 1024, .runs = 1};
    bool chosen[PARTS] = {false}, any = false;
    for (int i = 1; i < count; i++) {
        bool is_part = false;
        for (size_t j = 0; j < PARTS; j++)
            if (strcmp(argument[i], parts[j].name) == 0)
                is_part = any = chosen[j] = true;
        if (strcmp(argument[i], "-1") == 0)
            plan.on_one_thread = true;
        else if (strcmp(argument[i], "-r") == 0 && i + 1 < count)
            plan.runs = atoi(argument[++i]);
        else if (!is_part)
            plan.side = (uint32_t)strtoul(argument[i], NULL, 10);
    }
    /* of a power of two, blocks of 32 x 32 make a grid of tiles */
    bool fits = plan.side >= 64 && (plan.side & (plan.side - 1)) == 0;
    if (plan.runs < 1 || plan.runs > MOST_RUNS || !fits) {
        fputs("usage: speed [regular] [greedy] [routers] [-r RUNS] [-1] [SIDE]\n"
              "SIDE is a power of two, 64 .., RUNS 1 .. 31\n",
              stderr);
        return EXIT_FAILURE;
    }
    for (size_t j = 0; j < PARTS; j++)
        if (chosen[j] || !any)
            parts[j].run(&plan);
    return EXIT_SUCCESS;
}
