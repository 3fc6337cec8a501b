/* parallel.c - threads through OpenMP, or none.
 *
 * The serial back-end is the reference: MESHCAST_SERIAL (make SERIAL=1) must give the same bytes
 * as any number of threads.
 * A step may last a microsecond, so the barrier within a body spins for a moment; on a busy machine
 * the thread that is waited for may not be running at all, so then it sleeps and leaves it the
 * core. (OpenMP's own barrier goes on spinning, which can cost a scheduler's slice a step.)
 */
#include "machine/parallel.h"

#ifdef MESHCAST_SERIAL

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

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>

/* Some 50 microseconds, in which what one thread does alone in a step is over, where each thread has a
 * core; where threads are more, those that wait keep others from theirs. */
enum { SPINS = 100000, SPINS_OF_MANY = 20000 };

struct barrier {
    atomic_uint arrived, round;
    int spins;
    pthread_mutex_t mutex;
    pthread_cond_t next_round;
};

void parallel_run(uint32_t threads, void (*body)(void *context, const struct team *team),
                  void *context)
{
    struct barrier barrier = {.spins = threads <= parallel_cores() ? SPINS : SPINS_OF_MANY,
                              .mutex = PTHREAD_MUTEX_INITIALIZER,
                              .next_round = PTHREAD_COND_INITIALIZER};
    if (threads <= 1) {
        body(context, &(struct team){.rank = 0, .size = 1});
        return;
    }
#pragma omp parallel num_threads(threads)
    {
        struct team team = {(uint32_t)omp_get_thread_num(), (uint32_t)omp_get_num_threads(),
                            &barrier};
        body(context, &team);
    }
}

static void sleep_until_next(struct barrier *barrier, unsigned round)
{
    pthread_mutex_lock(&barrier->mutex);
    while (atomic_load(&barrier->round) == round)
        pthread_cond_wait(&barrier->next_round, &barrier->mutex);
    pthread_mutex_unlock(&barrier->mutex);
}

void parallel_barrier(const struct team *team)
{
    struct barrier *barrier = team->barrier;
    if (team->size == 1)
        return;
    unsigned round = atomic_load(&barrier->round);
    if (atomic_fetch_add(&barrier->arrived, 1) + 1 == team->size) {
        atomic_store(&barrier->arrived, 0);
        pthread_mutex_lock(&barrier->mutex);
        atomic_store(&barrier->round, round + 1);
        pthread_cond_broadcast(&barrier->next_round);
        pthread_mutex_unlock(&barrier->mutex);
        return;
    }
    for (int spin = 0; spin < barrier->spins; spin++)
        if (atomic_load_explicit(&barrier->round, memory_order_acquire) != round)
            return;
    sleep_until_next(barrier, round);
}

uint32_t parallel_threads(uint32_t wanted)
{
    return wanted;
}

uint32_t parallel_cores(void)
{
    return (uint32_t)omp_get_num_procs();
}

#endif

/* A step of a small mesh is over before a second thread has woken up. */
static uint32_t threads_that_pay(struct mesh mesh)
{
    enum { NODES_WORTH_A_THREAD = 8192 };
    uint32_t most = 1 + mesh_nodes(mesh) / NODES_WORTH_A_THREAD, cores = parallel_cores();
    return most < cores ? most : cores;
}

uint32_t parallel_threads_for(struct mesh mesh, uint32_t wanted)
{
    uint32_t threads = wanted > 0 ? wanted : threads_that_pay(mesh);
    return parallel_threads(threads < mesh.rows ? threads : mesh.rows);
}
