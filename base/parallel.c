/* parallel.c - teams of threads by OpenMP, and the number of threads that pay. No other file uses
 * OpenMP.
 *
 * The runtime keeps a team's threads for the next team of the same calling thread. A library must
 * work around three of its habits: it ends the process if a thread is refused (parallel_begin()
 * asks the system first); a child of fork() would wait for its parent's threads (they end before a
 * fork); its threads would receive the user's signals (they start with all signals blocked).
 *   The serial back-end is the reference: MESHCAST_SERIAL (make SERIAL=1) must give the same bytes
 * as any number of threads.
 */
#include "base/parallel.h"

uint32_t parallel_band_start(uint32_t count, uint32_t rank, uint32_t size)
{
    return (uint32_t)((uint64_t)count * rank / size);
}

#ifdef MESHCAST_SERIAL

uint32_t parallel_begin(uint32_t wanted)
{
    (void)wanted;
    return 1;
}

void parallel_run(uint32_t threads, void (*body)(void *context, const struct team *team),
                  void *context)
{
    (void)threads;
    body(context, &(struct team){.rank = 0, .size = 1});
}

void parallel_barrier(const struct team *team)
{
    (void)team;
}

uint32_t parallel_threads_for(uint32_t nodes, uint32_t rows, uint32_t wanted)
{
    (void)nodes, (void)rows, (void)wanted;
    return 1;
}

void parallel_share_cores(uint32_t cores)
{
    (void)cores;
}

#else

#include "base/failure.h"

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- teams ---- */

void parallel_run(uint32_t threads, void (*body)(void *context, const struct team *team),
                  void *context)
{
    if (threads == 1) {
        body(context, &(struct team){.rank = 0, .size = 1});
        return;
    }
#pragma omp parallel num_threads(threads)
    {
        struct team team = {(uint32_t)omp_get_thread_num(), (uint32_t)omp_get_num_threads()};
        body(context, &team);
    }
}

void parallel_barrier(const struct team *team)
{
    if (team->size > 1) {
#pragma omp barrier
    }
}

/* ---- the runtime's threads ---- */

/* Waits, as a thread of a trial, until all threads have been requested. */
static void *wait_for_all(void *of_gate)
{
    pthread_mutex_lock(of_gate);
    pthread_mutex_unlock(of_gate);
    return NULL;
}

/* True if the system gives so many threads at once, besides the calling one. */
static bool can_start(uint32_t threads)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *thread = memory_allocate(threads, sizeof *thread);
    uint32_t given = 0;
    pthread_mutex_lock(&gate);
    while (thread != NULL && given < threads &&
           pthread_create(&thread[given], NULL, wait_for_all, &gate) == 0)
        given++;
    pthread_mutex_unlock(&gate);
    for (uint32_t i = 0; i < given; i++)
        pthread_join(thread[i], NULL);
    free(thread);
    return given == threads;
}

static void note_size(void *context, const struct team *team)
{
    uint32_t *size = context;
    if (team->rank == 0)
        *size = team->size;
}

uint32_t parallel_begin(uint32_t wanted)
{
    uint32_t size = 1;
    sigset_t all, mask;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    if (wanted > 1 && can_start(wanted - 1))
        parallel_run(wanted, note_size, &size);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    return size;
}

static void end_threads(void)
{
    omp_pause_resource_all(omp_pause_soft);
}

__attribute__((constructor)) static void prepare_for_forks(void)
{
    pthread_atfork(end_threads, NULL, NULL);
}

/* ---- the number of threads ---- */

static uint32_t shared_cores; /* parallel_share_cores() */

void parallel_share_cores(uint32_t cores)
{
    shared_cores = cores;
}

/* Returns the number of cores on which no other thread runs now, by the fourth field of
 * /proc/loadavg, which counts this thread. At least 1, and at most OMP_NUM_THREADS or, if that is
 * not set, the cores on which this process may run. */
static uint32_t free_cores(void)
{
    long running = 1, most = omp_get_max_threads();
    FILE *file = fopen("/proc/loadavg", "r");
    if (file != NULL && fscanf(file, "%*s %*s %*s %ld", &running) != 1)
        running = 1;
    if (file != NULL)
        fclose(file);
    long left = sysconf(_SC_NPROCESSORS_ONLN) - (running - 1);
    return left < 1 ? 1 : (uint32_t)(left < most ? left : most);
}

/* Returns the number of threads that pay: a step of few nodes ends before a second thread wakes
 * up. */
static uint32_t threads_that_pay(uint32_t nodes)
{
    enum { NODES_WORTH_A_THREAD = 8192 };
    uint32_t most = 1 + nodes / NODES_WORTH_A_THREAD;
    uint32_t cores = shared_cores > 0 ? shared_cores : free_cores();
    return most < cores ? most : cores;
}

uint32_t parallel_threads_for(uint32_t nodes, uint32_t rows, uint32_t wanted)
{
    uint32_t threads = wanted > 0 ? wanted : threads_that_pay(nodes);
    return threads < rows ? threads : rows;
}

#endif
