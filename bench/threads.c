/* threads.c - two threads beside one, where other programs use the cores and where none do: a Markdown
 * table.
 *
 *     threads [-b LOOPS] [-r RUNS] [-t THREADS] [-s SECONDS] [-c CONGESTION] [ROUTER|SIDE ...]
 *
 * The default is two threads, beside no busy loop, then one, then two; five runs; every router on sides
 * 64, 128, 256 and 512, which takes an hour. -b: so many loops alone.
 * A route on uniform sets with d = c and unit copies is run on one thread and on two alternately, RUNS
 * times, each in a process of its own; c is 8, or less where one thread would take longer than SECONDS (2).
 * Seconds and processor seconds are medians, "most" is the largest ratio of a pair. Goals beside
 * loops: 1.2 times the seconds of one thread, twice its processor time. A figure beyond is marked with !.
 * A busy loop is a process that only counts.
 */
#include "bench/routes.h"

#include <signal.h>
#include <string.h>
#include <time.h>

enum { MOST_LOOPS = 16, MOST_RUNS = 99, SIDES = 4, MOST_NAMES = 16 };

struct plan {
    int loops, runs; /* loops < 0: 0, 1, 2 */
    uint32_t threads, congestion;
    double seconds;
    uint32_t sides, side[SIDES];
    uint32_t routers;
    const char *router[MOST_NAMES];
};

/* ---- loops ---- */

static pid_t loop[MOST_LOOPS];

static void start_loops(int count)
{
    struct timespec moment = {0, 200000000};
    pid_t bench = getpid();
    for (int i = 0; i < count; i++) {
        loop[i] = fork();
        if (loop[i] < 0)
            exit(EXIT_FAILURE);
        for (volatile uint64_t n = 1; loop[i] == 0; n++)
            if (n % (1 << 28) == 0 && getppid() != bench)
                _exit(EXIT_SUCCESS);
    }
    nanosleep(&moment, NULL); /* until each has a core */
}

static void end_loops(int count)
{
    for (int i = 0; i < count; i++) {
        kill(loop[i], SIGKILL);
        waitpid(loop[i], NULL, 0);
    }
}

/* ---- a row ---- */

static struct timing run_once(const struct message_set *set, const char *router, uint32_t threads)
{
    struct timing timing;
    run_apart(run_route, &(struct route){set, router, threads}, &timing, sizeof timing);
    return timing;
}

/* The congestion with which a run is short enough. */
static uint32_t choose(const struct plan *plan, const char *router, uint32_t side,
                       struct message_set *set)
{
    uint32_t congestion = plan->congestion;
    for (;; congestion /= 2) {
        make_set(set, "uniform", side, congestion);
        if (congestion == 1 || run_once(set, router, 1).seconds <= plan->seconds)
            return congestion;
        message_set_free(set);
    }
}

static const char *mark(double figure, double goal)
{
    return figure > goal ? "!" : "";
}

static void row(const struct plan *plan, int loops, const char *router, uint32_t side)
{
    struct message_set set = {0};
    double wall[2][MOST_RUNS], processor[2][MOST_RUNS], most = 0;
    uint32_t congestion = choose(plan, router, side, &set);
    for (int i = 0; i < plan->runs; i++) {
        for (int many = 0; many < 2; many++) {
            struct timing timing = run_once(&set, router, many ? plan->threads : 1);
            wall[many][i] = timing.seconds;
            processor[many][i] = timing.processor;
        }
        double ratio = wall[1][i] / wall[0][i];
        most = ratio > most ? ratio : most;
    }
    double one = median(wall[0], plan->runs), many = median(wall[1], plan->runs);
    double work = median(processor[0], plan->runs), works = median(processor[1], plan->runs);
    printf("| %d | `%s` | %u | %u | %.3f | %.3f | %.2f%s | %.2f | %.3f | %.3f | %.2f%s |\n", loops,
           router, side, congestion, one, many, many / one, mark(many / one, 1.2), most, work,
           works, works / work, loops == 0 ? "" : mark(works / work, 2));
    fflush(stdout);
    message_set_free(&set);
}

static void rows(const struct plan *plan, int loops)
{
    start_loops(loops);
    for (uint32_t r = 0; r < plan->routers; r++)
        for (uint32_t s = 0; s < plan->sides; s++)
            row(plan, loops, plan->router[r], plan->side[s]);
    end_loops(loops);
}

/* ---- the command ---- */

static int usage(void)
{
    fputs("usage: threads [-b LOOPS] [-r RUNS] [-t THREADS] [-s SECONDS] [-c CONGESTION] "
          "[ROUTER|SIDE ...]\n",
          stderr);
    return EXIT_FAILURE;
}

static bool take_word(struct plan *plan, const char *word)
{
    if (router_find(word) != NULL && plan->routers < MOST_NAMES)
        plan->router[plan->routers++] = word;
    else if (atoi(word) > 0 && atoi(word) <= MESH_MAX_SIDE && plan->sides < SIDES)
        plan->side[plan->sides++] = (uint32_t)atoi(word);
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    struct plan plan = {.loops = -1, .runs = 5, .threads = 2, .congestion = 8, .seconds = 2};
    for (int option; (option = getopt(argc, argv, "b:r:t:s:c:")) != -1;)
        switch (option) {
        case 'b':
            plan.loops = atoi(optarg);
            break;
        case 'r':
            plan.runs = atoi(optarg);
            break;
        case 't':
            plan.threads = (uint32_t)atoi(optarg);
            break;
        case 's':
            plan.seconds = atof(optarg);
            break;
        case 'c':
            plan.congestion = (uint32_t)atoi(optarg);
            break;
        default:
            return usage();
        }
    for (; optind < argc; optind++)
        if (!take_word(&plan, argv[optind]))
            return usage();
    bool names_sides = plan.sides > 0, names_routers = plan.routers > 0;
    if (plan.runs < 1 || plan.runs > MOST_RUNS || plan.loops > MOST_LOOPS || plan.congestion < 1)
        return usage();
    for (uint32_t i = 0; !names_sides && i < SIDES; i++)
        plan.side[plan.sides++] = 64u << i;
    for (uint32_t i = 0; !names_routers && i < router_count(); i++)
        plan.router[plan.routers++] = router_at(i)->name;
    printf(
        "| busy loops | router | m | c | 1 thread, s | %u threads, s | ratio | most | processor, 1 "
        "thread, s | %u threads, s | ratio |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
        plan.threads, plan.threads);
    for (int loops = plan.loops < 0 ? 0 : plan.loops; loops <= (plan.loops < 0 ? 2 : plan.loops);
         loops++)
        rows(&plan, loops);
    return EXIT_SUCCESS;
}
