/* crew.c - crews: their threads and stacks, which last as long as a run; how many threads pay; and the serial
 * back-end.
 *
 * crew_barrier.c says how ranks are carried. A crew has at most one thread a core. Its threads block all
 * signals, so handlers run on the user's threads. A crew is smaller if the system refuses a thread or a
 * stack.
 *   The serial back-end is the reference: MESHCAST_SERIAL (make SERIAL=1) must give the same bytes
 * as any number of threads.
 */
#define _GNU_SOURCE /* sched_getaffinity */

#include "base/parallel.h"

#include "base/ranks.h"

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

void crew_barrier(const struct team *team)
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

#include "base/crew_private.h"

#include "base/failure.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* The stack of a carrier's own: it calls little, as ranks have theirs. */
enum { CARRIER_STACK = 256 << 10 };

static bool start(struct carrier *carrier)
{
    sigset_t all, mask;
    pthread_attr_t attributes;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, CARRIER_STACK);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    bool has_started =
        pthread_create(&carrier->thread, &attributes, crew_run_carrier, carrier) == 0;
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    pthread_attr_destroy(&attributes);
    return has_started;
}

static bool make_arrays(struct crew *crew, uint32_t ranks, uint32_t carriers)
{
    crew->rank = memory_allocate(ranks, sizeof *crew->rank);
    crew->carrier = memory_allocate(carriers, sizeof *crew->carrier);
    crew->at = memory_allocate(carriers, sizeof *crew->at);
    return crew->rank != NULL && crew->carrier != NULL && crew->at != NULL;
}

/* Makes as many ranks as there is memory for. */
static void make_ranks(struct crew *crew, uint32_t ranks)
{
    crew->rank[0] = (struct rank){.carrier = crew->carrier};
    for (crew->ranks = 1; crew->ranks < ranks; crew->ranks++) {
        struct rank *rank = &crew->rank[crew->ranks];
        rank->fiber = fiber_make(crew_run_rank, rank);
        if (rank->fiber == NULL)
            return;
    }
}

/* Starts the carriers. They begin parked, so that one that gets no core delays nobody. If the system
 * refuses one, there are no more ranks than carriers. */
static void start_carriers(struct crew *crew, uint32_t carriers)
{
    crew->lost_at = crew_clock();
    atomic_store(&crew->parked_until, crew->lost_at);
    atomic_store(&crew->state, 1);
    crew_read_clocks(crew->carrier, crew->lost_at);
    for (uint32_t i = 0; i < carriers; i++) {
        crew->carrier[i].crew = crew;
        atomic_store(&crew->carrier[i].position, i);
        crew->at[i] = &crew->carrier[i];
    }
    crew->carriers = 1;
    while (crew->carriers < carriers && crew->carriers < crew->ranks &&
           start(&crew->carrier[crew->carriers]))
        crew->carriers++;
    if (crew->carriers < carriers && crew->carriers < crew->ranks) {
        for (uint32_t r = crew->carriers; r < crew->ranks; r++)
            fiber_free(crew->rank[r].fiber);
        crew->ranks = crew->carriers;
    }
    for (uint32_t r = 0; r < crew->ranks; r++)
        crew->rank[r].team = (struct team){r, crew->ranks, crew};
}

struct crew *crew_make(uint32_t ranks)
{
    uint32_t cores = parallel_cores(), carriers = ranks < cores ? ranks : cores;
    struct crew *crew = ranks > 1 ? memory_allocate(1, sizeof *crew) : NULL;
    if (crew == NULL)
        return NULL;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&crew->mutex, NULL);
    pthread_cond_init(&crew->changed, NULL);
    pthread_cond_init(&crew->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    if (make_arrays(crew, ranks, carriers)) {
        make_ranks(crew, ranks);
        start_carriers(crew, carriers);
    }
    if (crew->ranks > 1)
        return crew;
    crew_free(crew);
    return NULL;
}

void crew_free(struct crew *crew)
{
    if (crew == NULL)
        return;
    atomic_store(&crew->ends, true);
    atomic_fetch_add(&crew->state, UINT64_C(1) << 32);
    crew_wake(crew, &crew->changed);
    crew_wake(crew, &crew->ended);
    for (uint32_t i = 1; i < crew->carriers; i++)
        pthread_join(crew->carrier[i].thread, NULL);
    for (uint32_t r = 1; r < crew->ranks; r++)
        fiber_free(crew->rank[r].fiber);
    pthread_cond_destroy(&crew->ended);
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->mutex);
    free(crew->rank);
    free(crew->carrier);
    free(crew->at);
    free(crew);
}

uint64_t crew_stacks(uint32_t ranks)
{
    uint32_t cores = parallel_cores(), carriers = ranks < cores ? ranks : cores;
    return (uint64_t)(ranks - 1) * FIBER_STACK + (uint64_t)(carriers - 1) * CARRIER_STACK;
}

uint32_t crew_size(const struct crew *crew)
{
    return crew == NULL ? 1 : crew->ranks;
}

void parallel_run(struct crew *crew, void (*body)(void *context, const struct team *team),
                  void *context)
{
    struct team alone = {.rank = 0, .size = 1};
    if (crew != NULL) {
        crew->body = body;
        crew->context = context;
        if (atomic_load(&crew->sleepers) > 0 ||
            (uint32_t)atomic_load(&crew->state) < crew->carriers)
            /* the caller's work since the last run is no loss */
            crew_read_clocks(crew->carrier, crew_clock());
    }
    const struct team *team = crew == NULL ? &alone : &crew->rank[0].team;
    parallel_barrier(team);
    body(context, team);
    parallel_barrier(team);
}

/* ---- how many ---- */

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

/* Returns how many threads pay: a step of few nodes ends before a second thread wakes up. */
static uint32_t threads_that_pay(const struct ranks *ranks, uint32_t nodes)
{
    enum { NODES_WORTH_A_THREAD = 8192 };
    uint32_t most = 1 + nodes / ranks_size(ranks) / NODES_WORTH_A_THREAD;
    uint32_t share = ranks_cores(ranks), cores = share > 0 ? share : parallel_cores();
    return most < cores ? most : cores;
}

uint32_t parallel_threads_for(const struct ranks *ranks, uint32_t nodes, uint32_t rows,
                              uint32_t wanted)
{
    uint32_t threads = wanted > 0 ? wanted : threads_that_pay(ranks, nodes);
    return parallel_threads(threads < rows ? threads : rows);
}
