/* crew_barrier.c - threads that carry the ranks of a team, all of them or one alone.
 *
 * Rank 0 of a team is the thread that made the crew; every other rank is a fiber (fiber.c), carried by one
 * of the crew's threads, the first of which is again the one that made it. In each generation, from one
 * barrier to the next, rank r is carried by the thread at position r % active carriers. On a quiet machine
 * there are as many active carriers as cores, and a thread with one rank waits at a barrier by spinning on
 * the word that holds the generation; after SPIN_NANOSECONDS it sleeps.
 *
 * Where other programs use the cores, one thread that has lost its core makes all others wait for a
 * scheduler's slice, in each of thousands of steps. Two things are measured: how long the last thread to
 * arrive had no core, and how late a sleeping thread woke. Their sum is the crew's loss. A crew may lose
 * a SHARE-th of its time, and LOSS_AT_ONCE more. If it loses less, it saves the difference, up to SAVED, so
 * that a moment in which another program needs a core costs no more than that moment. Beyond that, half
 * of the carriers are parked and the others carry all ranks; on two cores one thread then does all the
 * work. Parked threads wake after SHARE times the loss. A thread that gets a core at once carries ranks
 * again.
 *
 * Invariants. Ranks change threads only at barriers. The last rank to arrive writes `state`, positions and
 * counts; no rank continues before that. A body cannot observe which thread carries it.
 * Cost: an atomic addition and a store a barrier; a switch of stacks for each rank but rank 0; a thread and a
 * stack for each rank, which last as long as the crew.
 */
#ifndef MESHCAST_SERIAL

#include "base/crew_private.h"

#include <time.h>

/* Longer than what one rank does alone in a step; shorter than to sleep and to wake twice. */
enum { SPIN_NANOSECONDS = 50000, SPINS_A_LOOK = 64 };

/* A crew may lose a SHARE-th of its time. */
enum { SHARE = 16 };

/* Nanoseconds. LOSS_AT_ONCE is a third of a scheduler's slice. A thread that wakes later than LATE has no
 * core of its own: an idle machine wakes it within 100 microseconds. A loss above LOSS_AT_MOST is no busy
 * machine but a process that was stopped for a while. */
enum {
    LOSS_AT_ONCE = 1000000,
    SAVED = 10000000,
    LATE = 300000,
    LOSS_AT_MOST = 100000000,
    SECOND = 1000000000
};

/* ---- time ---- */

static int64_t nanoseconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * SECOND + time.tv_nsec;
}

int64_t crew_clock(void)
{
    return nanoseconds(CLOCK_MONOTONIC);
}

void crew_read_clocks(struct carrier *carrier, int64_t since)
{
    carrier->clock = since;
    carrier->worked = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

static int64_t bounded(int64_t loss)
{
    return loss < 0 ? 0 : loss < LOSS_AT_MOST ? loss : LOSS_AT_MOST;
}

/* Returns how long the carrier, whose thread calls this, was without a core that it wanted. */
static int64_t lost_by(struct carrier *carrier, int64_t now)
{
    int64_t passed = now - carrier->clock, worked = carrier->worked;
    crew_read_clocks(carrier, now);
    return bounded(passed - (carrier->worked - worked));
}

/* ---- waiting ---- */

static uint32_t active_of(uint64_t state)
{
    return (uint32_t)state;
}

/* Returns whether a carrier need not wait any longer. Such functions read with memory_order_seq_cst: a sleeper counts
 * itself, then looks; a waker writes, then looks at the count. One of the two must see the other. */
typedef bool is_over(const struct carrier *carrier, const struct rank *rank);

static bool generation_is_over(const struct carrier *carrier, const struct rank *rank)
{
    (void)rank;
    return atomic_load(&carrier->crew->state) != carrier->seen;
}

/* Returns whether a generation has begun, or none will. */
static bool has_work(const struct carrier *carrier, const struct rank *rank)
{
    return generation_is_over(carrier, rank) || atomic_load(&carrier->crew->ends);
}

static bool is_parked(const struct carrier *carrier)
{
    uint64_t state = atomic_load(&carrier->crew->state);
    return !atomic_load(&carrier->crew->ends) &&
           active_of(state) <= atomic_load(&carrier->position);
}

static bool is_unparked(const struct carrier *carrier, const struct rank *rank)
{
    (void)rank;
    return !is_parked(carrier);
}

static bool is_set_down(const struct carrier *carrier, const struct rank *rank)
{
    (void)carrier;
    return !atomic_load(&rank->is_carried);
}

/* Leaves the core's other thread the core. */
static inline void relax(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

static bool spin(is_over *over, const struct carrier *carrier, const struct rank *rank)
{
    int64_t since = 0;
    do {
        for (int i = 0; i < SPINS_A_LOOK; i++, relax())
            if (over(carrier, rank))
                return true;
        since = since == 0 ? crew_clock() : since;
    } while (crew_clock() - since < SPIN_NANOSECONDS);
    return false;
}

void crew_wake(struct crew *crew, pthread_cond_t *condition)
{
    pthread_mutex_lock(&crew->mutex);
    pthread_cond_broadcast(condition);
    pthread_mutex_unlock(&crew->mutex);
}

/* Wakes sleepers, if there are any, after a change for which a thread may wait. */
static void tell_sleepers(struct crew *crew)
{
    if (atomic_load(&crew->sleepers) > 0)
        crew_wake(crew, &crew->changed);
}

static void sleep_until(is_over *over, struct carrier *carrier, const struct rank *rank)
{
    struct crew *crew = carrier->crew;
    bool has_slept = false;
    int64_t since = crew_clock();
    pthread_mutex_lock(&crew->mutex);
    atomic_fetch_add(&crew->sleepers, 1);
    for (; !over(carrier, rank); has_slept = true)
        pthread_cond_wait(&crew->changed, &crew->mutex);
    atomic_fetch_sub(&crew->sleepers, 1);
    pthread_mutex_unlock(&crew->mutex);
    if (!has_slept)
        return;
    int64_t completed = atomic_load(&crew->completed), now = crew_clock();
    int64_t late = bounded(now - (completed > since ? completed : since));
    if (late > 0)
        atomic_fetch_add(&crew->late, late);
    crew_read_clocks(carrier, now);
}

static void await(is_over *over, struct carrier *carrier, const struct rank *rank)
{
    if (!spin(over, carrier, rank))
        sleep_until(over, carrier, rank);
}

/* Sleeps until the time has come. Returns false if the crew ends. */
static bool sleep_to(struct crew *crew, int64_t until)
{
    struct timespec time = {until / SECOND, until % SECOND};
    pthread_mutex_lock(&crew->mutex);
    while (!atomic_load(&crew->ends) && crew_clock() < until)
        pthread_cond_timedwait(&crew->ended, &crew->mutex, &time);
    pthread_mutex_unlock(&crew->mutex);
    return !atomic_load(&crew->ends);
}

/* Sleeps until it is time to try again; sleeps longer if it wakes late, because others would have
 * waited for it. */
static void park(struct carrier *carrier)
{
    int64_t until = atomic_load(&carrier->crew->parked_until);
    while (sleep_to(carrier->crew, until)) {
        int64_t now = crew_clock(), late = bounded(now - until);
        int64_t of_all = atomic_load(&carrier->crew->parked_until);
        crew_read_clocks(carrier, now);
        if (late < LATE && of_all <= now)
            break;
        until = late < LATE ? of_all : now + SHARE * late;
    }
    atomic_store(&carrier->is_ready, true);
}

/* ---- generations ---- */

/* Reduces the loss by what the crew was allowed to lose since. */
static void make_good(struct crew *crew, int64_t now, int64_t least)
{
    int64_t left = crew->lost - (now - crew->lost_at) / SHARE;
    crew->lost = left > least ? left : least;
    crew->lost_at = now;
}

/* Returns how many carriers continue after a generation in which a thread slept or woke late. */
static uint32_t active_after_loss(struct crew *crew, struct carrier *last, uint32_t active)
{
    int64_t now = crew_clock();
    make_good(crew, now, active == crew->carriers ? -SAVED : 0);
    crew->lost += lost_by(last, now) + atomic_exchange(&crew->late, 0);
    atomic_store(&crew->completed, now);
    if (crew->lost <= LOSS_AT_ONCE)
        return active;
    crew->lost = bounded(crew->lost);
    atomic_store(&crew->parked_until, now + SHARE * crew->lost);
    return (active + 1) / 2;
}

/* Gives each parked carrier that has a core again a position among the active ones; returns their number. */
static uint32_t call_ready(struct crew *crew, uint32_t active)
{
    for (uint32_t i = active; i < crew->carriers; i++) {
        struct carrier *ready = crew->at[i];
        if (!atomic_load(&ready->is_ready))
            continue;
        make_good(crew, crew_clock(), 0);
        crew->at[i] = crew->at[active];
        crew->at[active] = ready;
        atomic_store(&crew->at[i]->position, i);
        atomic_store(&ready->position, active++);
    }
    return active;
}

/* Begins the next generation, when the last rank has arrived. */
static void complete(struct crew *crew, struct carrier *last, uint64_t state)
{
    uint32_t active = active_of(state), next = active;
    bool have_slept = atomic_load(&crew->sleepers) > 0;
    if (have_slept || atomic_load(&crew->late) > 0)
        next = active_after_loss(crew, last, active);
    if (next >= active)
        next = call_ready(crew, active);
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
    if (atomic_fetch_add(&crew->arrived, 1) + 1 == crew->ranks)
        complete(crew, carrier, state);
}

/* Carries a rank through the generation, to the next barrier. */
static void carry(struct carrier *carrier, struct rank *rank)
{
    await(is_set_down, carrier, rank);
    atomic_store_explicit(&rank->is_carried, true, memory_order_relaxed);
    rank->carrier = carrier;
    fiber_resume(rank->fiber);
    atomic_store(&rank->is_carried, false);
    tell_sleepers(carrier->crew);
}

void crew_barrier(const struct team *team)
{
    struct rank *rank = &team->crew->rank[team->rank];
    struct carrier *carrier = rank->carrier;
    arrive(rank);
    if (team->rank > 0) {
        fiber_pause(rank->fiber);
        return;
    }
    for (uint32_t r = active_of(carrier->seen); r < team->size; r += active_of(carrier->seen))
        carry(carrier, rank + r);
    await(generation_is_over, carrier, NULL);
}

/* ---- what threads and fibers do ---- */

void crew_run_rank(void *of_rank)
{
    const struct rank *rank = of_rank;
    const struct crew *crew = rank->team.crew;
    for (;;) {
        parallel_barrier(&rank->team);
        crew->body(crew->context, &rank->team);
        parallel_barrier(&rank->team);
    }
}

void *crew_run_carrier(void *of_carrier)
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
        uint32_t active = active_of(carrier->seen);
        for (uint32_t r = atomic_load(&carrier->position);
             r < crew->ranks && !atomic_load(&crew->ends); r += active)
            carry(carrier, &crew->rank[r]);
    }
    return NULL;
}

#endif
