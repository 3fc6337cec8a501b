/* crew_private.h - a crew, for crew.c, which makes it, and crew_round.c, which carries its ranks.
 */
#ifndef MESHCAST_MACHINE_CREW_PRIVATE_H
#define MESHCAST_MACHINE_CREW_PRIVATE_H

#include "machine/fiber.h"
#include "machine/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A thread that carries ranks. */
struct carrier {
    struct crew *crew;
    uint32_t number; /* 0: who made the crew */
    pthread_t thread;
    uint64_t seen;         /* the state in which its ranks have come to a barrier */
    bool has_spun;         /* on the stack of its rank */
    atomic_bool is_ready;  /* it was parked, and has a core again */
    int64_t clock, worked; /* the time, and how long the thread had run, when it was looked at */
    char apart[128];       /* threads write here at every barrier: no line of cache for two */
};

struct rank {
    struct team team;
    struct fiber *fiber; /* NULL: rank 0 */
    struct carrier *carrier;
    atomic_bool is_carried;
};

struct crew {
    uint32_t size, threads; /* ranks; carriers at most */
    struct rank *rank;
    struct carrier *carrier;
    void (*body)(void *context, const struct team *team);
    void *context;
    _Atomic uint64_t state; /* round << 32 | carriers */
    atomic_uint arrived, sleepers;
    atomic_bool ends;
    pthread_mutex_t mutex;
    pthread_cond_t changed, unparked;
    _Atomic int64_t completed;    /* when, if somebody slept then */
    _Atomic int64_t late;         /* by how much sleepers woke too late, not yet in what is lost */
    int64_t lost, lost_at;        /* what is not yet made good, as it was at that time */
    _Atomic int64_t parked_until; /* all that are parked */
};

/* The time in nanoseconds. */
int64_t crew_clock(void);

/* The carrier's thread, which calls this, was without a core of its own free will until `since`. */
void crew_look_at_clocks(struct carrier *carrier, int64_t since);

/* After a change for which some may sleep. */
void crew_wake(struct crew *crew, pthread_cond_t *condition);

/* What a thread of the crew does until the crew ends. */
void *crew_work(void *of_carrier);

/* What a fiber does for ever: its rank's part of each body. */
void crew_carry_on(void *of_rank);

#endif
