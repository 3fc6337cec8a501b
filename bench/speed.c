/* speed.c - whole routes timed: replicate and trees on a large mesh, one thread and two.
 *
 *     speed [SIDE [RUNS]]       default 1024 1
 *
 * d = c = 16, uniform, unit copies. Every run is a process of its own, so that its peak memory is
 * its own; one and two threads alternate, and medians and their ratio are printed, because shared
 * machines drift. The time is that of router_run, checks of all deliveries included.
 */
#include "routers/router.h"
#include "workloads/pattern.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_RUNS = 31 };

struct timing {
    double seconds;
    uint64_t hops, steps;
    long kibibytes;
};

static void measure(const struct message_set *set, const char *name, uint32_t threads, int pipe_end)
{
    static struct router_result result;
    struct router_options options = router_options_default();
    struct failure failure = {0};
    struct rusage usage;
    options.threads = threads;
    const struct router *router = router_find(name);
    if (router_run(router, set, &options, &result, &failure) != FAIL_NONE) {
        fprintf(stderr, "speed: %s\n", failure.text);
        _exit(EXIT_FAILURE);
    }
    getrusage(RUSAGE_SELF, &usage);
    struct timing timing = {result.wall_seconds, result.packet_hops, result.steps, usage.ru_maxrss};
    ssize_t written = write(pipe_end, &timing, sizeof timing);
    _exit(written == (ssize_t)sizeof timing ? EXIT_SUCCESS : EXIT_FAILURE);
}

static struct timing measure_apart(const struct message_set *set, const char *name,
                                   uint32_t threads)
{
    struct timing timing = {0};
    int ends[2];
    if (pipe(ends) != 0)
        exit(EXIT_FAILURE);
    pid_t child = fork();
    if (child == 0)
        measure(set, name, threads, ends[1]);
    close(ends[1]);
    if (read(ends[0], &timing, sizeof timing) != (ssize_t)sizeof timing)
        timing.seconds = 0;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return timing;
}

static int compare_seconds(const void *a, const void *b)
{
    double x = ((const struct timing *)a)->seconds, y = ((const struct timing *)b)->seconds;
    return (x > y) - (x < y);
}

static void row_of_router(const struct message_set *set, const char *name, int runs)
{
    struct timing timing[2][MOST_RUNS];
    for (int i = 0; i < runs; i++)
        for (uint32_t threads = 1; threads <= 2; threads++)
            timing[threads - 1][i] = measure_apart(set, name, threads);
    for (int t = 0; t < 2; t++)
        qsort(timing[t], (size_t)runs, sizeof(struct timing), compare_seconds);
    const struct timing *one = &timing[0][runs / 2], *two = &timing[1][runs / 2];
    printf("| %s | %llu | %llu | %.1f | %.1f | %.2f | %.2e | %.2f |\n", name,
           (unsigned long long)two->steps, (unsigned long long)two->hops, one->seconds,
           two->seconds, one->seconds / two->seconds, (double)two->hops / two->seconds,
           (double)two->kibibytes / 1048576);
    fflush(stdout);
}

int main(int count, char **argument)
{
    uint32_t side = count > 1 ? (uint32_t)strtoul(argument[1], NULL, 10) : 1024;
    int runs = count > 2 ? atoi(argument[2]) : 1;
    struct pattern_options options = {
        .mesh = {side, side}, .degree = 16, .congestion = 16, .seed = 1};
    struct message_set set = {0};
    struct failure failure = {0};
    if (runs < 1 || runs > MOST_RUNS ||
        pattern_generate(pattern_find("uniform"), &options, &set, &failure) != FAIL_NONE) {
        fprintf(stderr, "usage: speed [SIDE [RUNS]]  %s\n", failure.text);
        return EXIT_FAILURE;
    }
    printf("%u x %u nodes, uniform, d = c = 16, unit copies, medians of %d\n\n", side, side, runs);
    puts(
        "| router | steps | packet hops | 1 thread, s | 2 threads, s | ratio | hops/s, 2 threads | "
        "GiB |");
    puts("|---|---|---|---|---|---|---|---|");
    row_of_router(&set, "replicate", runs);
    row_of_router(&set, "trees", runs);
    message_set_free(&set);
    return EXIT_SUCCESS;
}
