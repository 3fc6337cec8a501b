/* crew.c - crews: their threads and stacks, made for a run and gone with it.
 *
 * How ranks are carried: crew_round.c. There are as many threads as cores at most; ranks beyond them are
 * carried by these. Threads of a crew take no signals: handlers run where they ran without a crew.
 * Where a thread or a stack cannot be had the team is smaller.
 */
#ifndef MESHCAST_SERIAL

#include "machine/crew_private.h"

#include "machine/failure.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum { THREAD_STACK = 256 << 10 }; /* ranks have their own */

static bool start(struct carrier *carrier)
{
    pthread_attr_t attributes;
    sigset_t all, mask;
    sigfillset(&all);
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    bool has_started = pthread_attr_setstacksize(&attributes, THREAD_STACK) == 0 &&
                       pthread_create(&carrier->thread, &attributes, crew_work, carrier) == 0;
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    pthread_attr_destroy(&attributes);
    return has_started;
}

static bool make_arrays(struct crew *crew, uint32_t size, uint32_t threads)
{
    crew->rank = memory_allocate(size, sizeof *crew->rank);
    crew->carrier = memory_allocate(threads, sizeof *crew->carrier);
    return crew->rank != NULL && crew->carrier != NULL;
}

/* Ranks, as many as there is memory for. */
static void make_ranks(struct crew *crew, uint32_t size)
{
    crew->rank[0] = (struct rank){.carrier = crew->carrier};
    for (crew->size = 1; crew->size < size; crew->size++) {
        struct rank *rank = &crew->rank[crew->size];
        rank->fiber = fiber_make(crew_carry_on, rank);
        if (rank->fiber == NULL)
            return;
    }
}

/* Threads; where one cannot be had there are no more ranks than threads. */
static void start_threads(struct crew *crew, uint32_t threads)
{
    for (uint32_t i = 0; i < threads; i++) {
        crew->carrier[i].crew = crew;
        crew->carrier[i].number = i;
    }
    crew->threads = 1;
    while (crew->threads < threads && crew->threads < crew->size &&
           start(&crew->carrier[crew->threads]))
        crew->threads++;
    if (crew->threads < threads && crew->threads < crew->size) {
        for (uint32_t r = crew->threads; r < crew->size; r++)
            fiber_free(crew->rank[r].fiber);
        crew->size = crew->threads;
    }
    for (uint32_t r = 0; r < crew->size; r++)
        crew->rank[r].team = (struct team){r, crew->size, crew};
}

struct crew *crew_make(uint32_t threads)
{
    uint32_t cores = parallel_cores(), carriers = threads < cores ? threads : cores;
    struct crew *crew = threads > 1 ? memory_allocate(1, sizeof *crew) : NULL;
    if (crew == NULL)
        return NULL;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&crew->mutex, NULL);
    pthread_cond_init(&crew->changed, NULL);
    pthread_cond_init(&crew->unparked, &attributes);
    pthread_condattr_destroy(&attributes);
    crew->lost_at = crew_clock();
    atomic_store(&crew->parked_until, crew->lost_at);
    atomic_store(&crew->state, 1);
    if (make_arrays(crew, threads, carriers)) {
        make_ranks(crew, threads);
        crew_look_at_clocks(crew->carrier, crew->lost_at);
        start_threads(crew, carriers);
    }
    if (crew->size > 1)
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
    crew_wake(crew, &crew->unparked);
    for (uint32_t i = 1; i < crew->threads; i++)
        pthread_join(crew->carrier[i].thread, NULL);
    for (uint32_t r = 1; r < crew->size; r++)
        fiber_free(crew->rank[r].fiber);
    pthread_cond_destroy(&crew->unparked);
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->mutex);
    free(crew->rank);
    free(crew->carrier);
    free(crew);
}

uint32_t crew_size(const struct crew *crew)
{
    return crew == NULL ? 1 : crew->size;
}

void parallel_run(struct crew *crew, void (*body)(void *context, const struct team *team),
                  void *context)
{
    struct team alone = {.rank = 0, .size = 1};
    if (crew != NULL) {
        crew->body = body;
        crew->context = context;
        if (atomic_load(&crew->sleepers) > 0)
            crew_look_at_clocks(crew->carrier, crew_clock());
    }
    const struct team *team = crew == NULL ? &alone : &crew->rank[0].team;
    parallel_barrier(team);
    body(context, team);
    parallel_barrier(team);
}

#endif
