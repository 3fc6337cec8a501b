/* crew_private.h - a crew: crew.c makes it, crew_barrier.c runs it. */
#ifndef MESHCAST_BASE_CREW_PRIVATE_H
#define MESHCAST_BASE_CREW_PRIVATE_H

#include "base/fiber.h"
#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A thread that carries ranks. Carriers at positions below the number of active ones do so; the others
 * are parked. */
struct carrier {
    struct crew *crew;
    atomic_uint position; /* always 0 for the thread that made the crew */
    pthread_t thread;
    uint64_t seen;        /* the last state whose barrier its ranks reached */
    atomic_bool is_ready; /* parked, and has a core again */
    int64_t clock;        /* when the clocks were last read */
    int64_t worked;       /* the thread's processor time then */
    char apart[128];      /* keeps two carriers' fields off one cache line */
};

struct rank {
    struct team team;
    struct fiber *fiber; /* NULL: rank 0 */
    struct carrier *carrier;
    atomic_bool is_carried;
};

struct crew {
    uint32_t ranks, carriers;
    struct rank *rank;
    struct carrier *carrier;
    struct carrier **at; /* the carrier at each position */
    void (*body)(void *context, const struct team *team);
    void *context;
    _Atomic uint64_t state; /* generation << 32 | active carriers */
    atomic_uint arrived, sleepers;
    atomic_bool ends;
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* the state, a rank that is set down, the end */
    pthread_cond_t ended;
    _Atomic int64_t completed;    /* when the last barrier with sleepers was complete */
    _Atomic int64_t late;         /* how late sleepers woke; not yet in `lost` */
    int64_t lost, lost_at;        /* loss that is not yet made good, and when that was computed */
    _Atomic int64_t parked_until; /* when parked carriers try again */
};

/* Returns the time in nanoseconds. */
int64_t crew_clock(void);

/* Restarts the measurement of loss at `since`; the carrier's own thread calls it. */
void crew_read_clocks(struct carrier *carrier, int64_t since);

/* Wakes the sleepers of `condition`, to be called after the change for which they wait. */
void crew_wake(struct crew *crew, pthread_cond_t *condition);

/* The function of a carrier's thread, until the crew ends. */
void *crew_run_carrier(void *of_carrier);

/* The function of a rank's fiber: does the rank's part of each body, for ever. */
void crew_run_rank(void *of_rank);

#endif
