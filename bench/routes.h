/* routes.h - whole routes, timed for bench/speed.c, each in a process of its own, so that its peak
 * memory is its own.
 */
#ifndef MESHCAST_BENCH_ROUTES_H
#define MESHCAST_BENCH_ROUTES_H

#include "bench/must.h"
#include "routers/router.h"
#include "workloads/pattern.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static inline int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double median(double *value, int count)
{
    qsort(value, (size_t)count, sizeof *value, compare_doubles);
    return value[count / 2];
}

struct route_timing {
    double seconds;
    uint64_t hops, steps;
    long kibibytes;
};

/* Runs a job in a process of its own, which ends it and may write its findings into the pipe. */
static inline void run_apart(void (*job)(const void *context, int pipe_end), const void *context,
                             void *found, size_t size)
{
    int ends[2], status = EXIT_FAILURE;
    if (pipe(ends) != 0)
        exit(EXIT_FAILURE);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        job(context, ends[1]);
        fflush(stdout);
        _exit(EXIT_SUCCESS);
    }
    close(ends[1]);
    bool whole = size == 0 || read(ends[0], found, size) == (ssize_t)size;
    close(ends[0]);
    waitpid(child, &status, 0);
    if (!whole || status != 0)
        exit(EXIT_FAILURE); /* the child has reported the reason */
}

struct route {
    const struct message_set *set;
    const char *router;
    uint32_t threads;
};

static inline void run_route(const void *context, int pipe_end)
{
    static struct router_result result;
    const struct route *route = context;
    struct router_options options = router_options_default();
    struct failure failure = {0};
    struct rusage usage;
    options.threads = route->threads;
    bench_must(router_run(router_find(route->router), route->set, &options, &result, &failure),
               &failure);
    getrusage(RUSAGE_SELF, &usage);
    struct route_timing timing = {result.wall_seconds, result.packet_hops, result.steps,
                                  usage.ru_maxrss};
    if (write(pipe_end, &timing, sizeof timing) != (ssize_t)sizeof timing)
        exit(EXIT_FAILURE);
}

static inline void make_set(struct message_set *set, const char *pattern, uint32_t side,
                            uint32_t congestion)
{
    struct pattern_options options = {
        .mesh = {side, side}, .degree = congestion, .congestion = congestion, .seed = 1};
    struct failure failure = {0};
    bench_must(pattern_generate(pattern_find(pattern), &options, set, &failure), &failure);
}

#endif
