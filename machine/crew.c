/* crew.c - threads that carry the ranks of a team, all of them or one alone.
 *
 * Rank 0 of a team is the thread that made the crew; every other rank is a fiber (fiber.c), carried by
 * one of the crew's threads, the first of which is again the one that made it. In each round, from one
 * barrier to the next, rank r is carried by thread r % carriers. On a quiet machine there are as many
 * carriers as cores, and a thread with one rank waits at a barrier by looking at the word that tells the
 * round: for a moment, in which what one rank does alone in a step is over; then it sleeps.
 *
 * Where other programs use the cores, a thread that has lost its core would make all others wait for
 * a scheduler's slice, in each of thousands of steps. Who comes last while others sleep therefore tells
 * how long it was without a core. A crew may lose a SHARE-th of its time so, and a little more at
 * once; when it has lost more, half of the carriers are parked, and those that are left carry all ranks:
 * on two cores one thread does all the work, as if it had been asked to. When what was lost is a
 * SHARE-th of the time, those that were parked wake by themselves, and those that have a core at once
 * carry ranks again.
 *
 * Invariants. Ranks change threads at barriers alone. `state` and what the last to come writes with it
 * change when all ranks have come, before any goes on. Where ranks are is never seen by what they do.
 * Cost: an atomic addition and a store a barrier; a switch of stacks for each rank but the first of a
 * thread; a thread and a stack for each rank, which last as long as the crew.
 */
#include "machine/parallel.h"

#ifndef MESHCAST_SERIAL

#include "machine/failure.h"
#include "machine/fiber.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

/* Some 50 microseconds. */
enum { SPINS = 100000 };

/* Times in nanoseconds. Who wakes so late has no core of its own. */
enum { SHARE = 16, LOSS_AT_ONCE = 1000000, LATE = 500000, NANOSECONDS = 1000000000 };

enum { THREAD_STACK = 256 << 10 }; /* ranks have their own */

/* A thread that carries ranks. */
struct carrier {
    struct crew *crew;
    uint32_t number; /* 0: who made the crew */
    pthread_t thread;
    uint64_t seen;         /* the state in which its ranks have come to a barrier */
    bool has_spun;         /* on the stack of its rank */
    atomic_bool is_ready;  /* it was parked, and has a core again */
    int64_t clock, worked; /* the time, and how long the thread had run, when it was looked at */
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
    int64_t lost, lost_at;        /* what is not yet made good, as it was at that time */
    _Atomic int64_t parked_until; /* all that are parked */
};

/* ---- time ---- */

static int64_t nanoseconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * NANOSECONDS + time.tv_nsec;
}

/* The thread has been without a core of its own free will until `since`. */
static void look_at_clocks(struct carrier *carrier, int64_t since)
{
    carrier->clock = since;
    carrier->worked = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

/* How long the carrier, whose thread calls this, was without a core that it wanted. */
static int64_t lost_by(struct carrier *carrier, int64_t now)
{
    int64_t passed = now - carrier->clock, worked = carrier->worked;
    look_at_clocks(carrier, now);
    int64_t lost = passed - (carrier->worked - worked);
    return lost > 0 ? lost : 0;
}

/* ---- waiting ---- */

static uint32_t carriers_of(uint64_t state)
{
    return (uint32_t)state;
}

/* What a carrier waits for. */
typedef bool is_over(const struct carrier *carrier, const struct rank *rank);

static bool round_is_over(const struct carrier *carrier, const struct rank *rank)
{
    (void)rank;
    return atomic_load_explicit(&carrier->crew->state, memory_order_acquire) != carrier->seen;
}

/* A round has begun, or none will. */
static bool has_work(const struct carrier *carrier, const struct rank *rank)
{
    return round_is_over(carrier, rank) || atomic_load(&carrier->crew->ends);
}

static bool is_parked(const struct carrier *carrier)
{
    uint64_t state = atomic_load(&carrier->crew->state);
    return !atomic_load(&carrier->crew->ends) && carriers_of(state) <= carrier->number;
}

static bool is_unparked(const struct carrier *carrier, const struct rank *rank)
{
    (void)rank;
    return !is_parked(carrier);
}

static bool is_set_down(const struct carrier *carrier, const struct rank *rank)
{
    (void)carrier;
    return !atomic_load_explicit(&rank->is_carried, memory_order_acquire);
}

static inline bool spin(is_over *over, const struct carrier *carrier, const struct rank *rank)
{
    for (int i = 0; i < SPINS; i++)
        if (over(carrier, rank))
            return true;
    return false;
}

static void wake(struct crew *crew, pthread_cond_t *condition)
{
    pthread_mutex_lock(&crew->mutex);
    pthread_cond_broadcast(condition);
    pthread_mutex_unlock(&crew->mutex);
}

/* After a change for which somebody may sleep. */
static void tell_sleepers(struct crew *crew)
{
    if (atomic_load(&crew->sleepers) > 0)
        wake(crew, &crew->changed);
}

static void sleep_until(is_over *over, struct carrier *carrier, const struct rank *rank)
{
    struct crew *crew = carrier->crew;
    bool has_slept = false;
    int64_t since = nanoseconds(CLOCK_MONOTONIC);
    pthread_mutex_lock(&crew->mutex);
    atomic_fetch_add(&crew->sleepers, 1);
    for (; !over(carrier, rank); has_slept = true)
        pthread_cond_wait(&crew->changed, &crew->mutex);
    atomic_fetch_sub(&crew->sleepers, 1);
    pthread_mutex_unlock(&crew->mutex);
    int64_t completed = atomic_load(&crew->completed);
    if (has_slept)
        look_at_clocks(carrier, completed > since ? completed : since);
}

static void await(is_over *over, struct carrier *carrier, const struct rank *rank)
{
    bool has_spun = carrier->has_spun;
    carrier->has_spun = false;
    if (has_spun || !spin(over, carrier, rank))
        sleep_until(over, carrier, rank);
}

/* Sleeps until the time has come; false: the crew ends. */
static bool sleep_to(struct crew *crew, int64_t until)
{
    struct timespec time = {until / NANOSECONDS, until % NANOSECONDS};
    pthread_mutex_lock(&crew->mutex);
    while (!atomic_load(&crew->ends) && nanoseconds(CLOCK_MONOTONIC) < until)
        pthread_cond_timedwait(&crew->unparked, &crew->mutex, &time);
    pthread_mutex_unlock(&crew->mutex);
    return !atomic_load(&crew->ends);
}

/* Until it is time to carry again. Who wakes late would have been waited for. */
static void park(struct carrier *carrier)
{
    int64_t until = atomic_load(&carrier->crew->parked_until), late;
    while (sleep_to(carrier->crew, until)) {
        int64_t now = nanoseconds(CLOCK_MONOTONIC), of_all;
        late = now - until;
        of_all = atomic_load(&carrier->crew->parked_until);
        look_at_clocks(carrier, now);
        if (late < LATE && of_all <= now)
            break;
        until = late < LATE ? of_all : now + SHARE * late;
    }
    atomic_store(&carrier->is_ready, true);
}

/* ---- rounds ---- */

/* How many carriers may go on, after a round for whose end somebody slept. */
static uint32_t carriers_after_loss(struct crew *crew, struct carrier *last, uint32_t carriers)
{
    int64_t now = nanoseconds(CLOCK_MONOTONIC), made_good = (now - crew->lost_at) / SHARE;
    crew->lost = (crew->lost > made_good ? crew->lost - made_good : 0) + lost_by(last, now);
    crew->lost_at = now;
    atomic_store(&crew->completed, now);
    if (crew->lost <= LOSS_AT_ONCE || carriers == 1)
        return carriers;
    atomic_store(&crew->parked_until, now + SHARE * crew->lost);
    return (carriers + 1) / 2;
}

/* The last rank has come: the next round begins. */
static void complete(struct crew *crew, struct carrier *last, uint64_t state)
{
    uint32_t carriers = carriers_of(state), next = carriers;
    bool have_slept = atomic_load(&crew->sleepers) > 0;
    if (have_slept)
        next = carriers_after_loss(crew, last, carriers);
    while (next >= carriers && next < crew->threads && crew->carrier[next].is_ready)
        next++;
    atomic_store_explicit(&crew->arrived, 0, memory_order_relaxed);
    atomic_store(&crew->state, ((state >> 32) + 1) << 32 | next);
    tell_sleepers(crew);
}

static void arrive(struct rank *rank)
{
    struct crew *crew = rank->team.crew;
    struct carrier *carrier = rank->carrier;
    uint64_t state = atomic_load_explicit(&crew->state, memory_order_relaxed);
    carrier->seen = state;
    if (atomic_fetch_add(&crew->arrived, 1) + 1 == crew->size)
        complete(crew, carrier, state);
}

/* Carries a rank through the round to the next barrier. */
static void carry(struct carrier *carrier, struct rank *rank)
{
    await(is_set_down, carrier, rank);
    atomic_store_explicit(&rank->is_carried, true, memory_order_relaxed);
    rank->carrier = carrier;
    fiber_resume(rank->fiber);
    atomic_store(&rank->is_carried, false);
    tell_sleepers(carrier->crew);
}

static bool is_only_one(const struct crew *crew, const struct rank *rank, uint64_t state)
{
    const struct carrier *carrier = rank->carrier;
    return carrier->number == rank->team.rank && carriers_of(state) > rank->team.rank &&
           rank->team.rank + carriers_of(state) >= crew->size && !atomic_load(&crew->ends);
}

/* A fiber's: stays on its thread if it is the only one there in this round and the next. */
static void wait_on_fiber(struct rank *rank)
{
    const struct crew *crew = rank->team.crew;
    struct carrier *carrier = rank->carrier;
    if (is_only_one(crew, rank, carrier->seen)) {
        carrier->has_spun = !spin(round_is_over, carrier, NULL);
        if (!carrier->has_spun && is_only_one(crew, rank, atomic_load(&crew->state)))
            return;
    }
    fiber_pause(rank->fiber);
}

void parallel_barrier(const struct team *team)
{
    if (team->crew == NULL)
        return;
    struct rank *rank = &team->crew->rank[team->rank];
    struct carrier *carrier = rank->carrier;
    arrive(rank);
    if (team->rank > 0) {
        wait_on_fiber(rank);
        return;
    }
    for (uint32_t r = carriers_of(carrier->seen); r < team->size; r += carriers_of(carrier->seen))
        carry(carrier, rank + r);
    await(round_is_over, carrier, NULL);
}

/* ---- a crew ---- */

static void carry_on(void *of_rank)
{
    const struct rank *rank = of_rank;
    const struct crew *crew = rank->team.crew;
    for (;;) {
        parallel_barrier(&rank->team);
        crew->body(crew->context, &rank->team);
        parallel_barrier(&rank->team);
    }
}

static void *work(void *of_carrier)
{
    struct carrier *carrier = of_carrier;
    struct crew *crew = carrier->crew;
    while (!atomic_load(&crew->ends)) {
        if (is_parked(carrier)) {
            park(carrier);
            await(is_unparked, carrier, NULL);
            atomic_store(&carrier->is_ready, false);
        } else {
            await(has_work, carrier, NULL);
            if (is_parked(carrier))
                continue;
        }
        carrier->seen = atomic_load(&crew->state);
        uint32_t carriers = carriers_of(carrier->seen);
        for (uint32_t r = carrier->number; r < crew->size && !atomic_load(&crew->ends);
             r += carriers)
            carry(carrier, &crew->rank[r]);
    }
    return NULL;
}

/* Threads of a crew take no signals: handlers run where they ran without a crew. */
static bool start(struct carrier *carrier)
{
    pthread_attr_t attributes;
    sigset_t all, mask;
    sigfillset(&all);
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    bool has_started = pthread_attr_setstacksize(&attributes, THREAD_STACK) == 0 &&
                       pthread_create(&carrier->thread, &attributes, work, carrier) == 0;
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
        rank->fiber = fiber_make(carry_on, rank);
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
    crew->lost_at = nanoseconds(CLOCK_MONOTONIC);
    atomic_store(&crew->parked_until, crew->lost_at);
    atomic_store(&crew->state, 1);
    if (make_arrays(crew, threads, carriers)) {
        make_ranks(crew, threads);
        look_at_clocks(crew->carrier, crew->lost_at);
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
    wake(crew, &crew->changed);
    wake(crew, &crew->unparked);
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
            look_at_clocks(crew->carrier, nanoseconds(CLOCK_MONOTONIC));
    }
    const struct team *team = crew == NULL ? &alone : &crew->rank[0].team;
    parallel_barrier(team);
    body(context, team);
    parallel_barrier(team);
}

#endif
