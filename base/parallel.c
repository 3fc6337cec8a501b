/* parallel.c - how many threads pay, and the serial back-end.
 *
 * The serial back-end is the reference: MESHCAST_SERIAL (make SERIAL=1) must give the same bytes
 * as any number of threads. Threads are in crew.c.
 */
#define _GNU_SOURCE /* sched_getaffinity */

#include "base/parallel.h"

#include <stddef.h>

#ifdef MESHCAST_SERIAL

struct crew *crew_make(uint32_t ranks)
{
    (void)ranks;
    return NULL;
}

void crew_free(struct crew *crew)
{
    (void)crew;
}

uint64_t crew_stacks(uint32_t ranks)
{
    (void)ranks;
    return 0;
}

uint32_t crew_size(const struct crew *crew)
{
    (void)crew;
    return 1;
}

void parallel_run(struct crew *crew, void (*body)(void *context, const struct team *team),
                  void *context)
{
    (void)crew;
    body(context, &(struct team){.rank = 0, .size = 1});
}

void parallel_barrier(const struct team *team)
{
    (void)team;
}

uint32_t parallel_threads(uint32_t wanted)
{
    (void)wanted;
    return 1;
}

uint32_t parallel_cores(void)
{
    return 1;
}

#else

#include <sched.h>
#include <unistd.h>

uint32_t parallel_threads(uint32_t wanted)
{
    return wanted;
}

uint32_t parallel_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (uint32_t)CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* more than a cpu_set_t has room for */
    return online > 0 ? (uint32_t)online : 1;
}

#endif

/* A step of few nodes ends before a second thread wakes up. */
static uint32_t threads_that_pay(uint32_t nodes)
{
    enum { NODES_WORTH_A_THREAD = 8192 };
    uint32_t most = 1 + nodes / NODES_WORTH_A_THREAD, cores = parallel_cores();
    return most < cores ? most : cores;
}

uint32_t parallel_threads_for(uint32_t nodes, uint32_t rows, uint32_t wanted)
{
    uint32_t threads = wanted > 0 ? wanted : threads_that_pay(nodes);
    return parallel_threads(threads < rows ? threads : rows);
}
