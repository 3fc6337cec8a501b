/* crew_round.c - threads that carry the ranks of a team, all of them or one alone.
 *
 * Rank 0 of a team is the thread that made the crew; every other rank is a fiber (fiber.c), carried by
 * one of the crew's threads, the first of which is again the one that made it. In each round, from one
 * barrier to the next, rank r is carried by thread r % carriers. On a quiet machine there are as many
 * carriers as cores, and a thread with one rank waits at a barrier by looking at the word that tells the
 * round: for a moment, in which what one rank does alone in a step is over; then it sleeps.
 *
 * Where other programs use the cores, a thread that has lost its core would make all others wait for
 * a scheduler's slice, in each of thousands of steps. Who comes last while others sleep therefore tells
 * how long it was without a core, and who wakes late how late it was. A crew may lose a SHARE-th of its time so, and a little more at
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
#ifndef MESHCAST_SERIAL

#include "machine/crew_private.h"

#include <time.h>

/* Some 50 microseconds. */
enum { SPINS = 100000 };

/* Times in nanoseconds. Who wakes so late has no core of its own. */
enum { SHARE = 16, LOSS_AT_ONCE = 1000000, LATE = 300000, NANOSECONDS = 1000000000 };

/* ---- time ---- */

static int64_t nanoseconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * NANOSECONDS + time.tv_nsec;
}

int64_t crew_clock(void)
{
    return nanoseconds(CLOCK_MONOTONIC);
}

void crew_look_at_clocks(struct carrier *carrier, int64_t since)
{
    carrier->clock = since;
    carrier->worked = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

/* How long the carrier, whose thread calls this, was without a core that it wanted. */
static int64_t lost_by(struct carrier *carrier, int64_t now)
{
    int64_t passed = now - carrier->clock, worked = carrier->worked;
    crew_look_at_clocks(carrier, now);
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

void crew_wake(struct crew *crew, pthread_cond_t *condition)
{
    pthread_mutex_lock(&crew->mutex);
    pthread_cond_broadcast(condition);
    pthread_mutex_unlock(&crew->mutex);
}

/* After a change for which somebody may sleep. */
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
    int64_t late = now - (completed > since ? completed : since);
    if (late > 0)
        atomic_fetch_add(&crew->late, late);
    crew_look_at_clocks(carrier, now);
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
    while (!atomic_load(&crew->ends) && crew_clock() < until)
        pthread_cond_timedwait(&crew->unparked, &crew->mutex, &time);
    pthread_mutex_unlock(&crew->mutex);
    return !atomic_load(&crew->ends);
}

/* Until it is time to carry again. Who wakes late would have been waited for. */
static void park(struct carrier *carrier)
{
    int64_t until = atomic_load(&carrier->crew->parked_until), late;
    while (sleep_to(carrier->crew, until)) {
        int64_t now = crew_clock(), of_all;
        late = now - until;
        of_all = atomic_load(&carrier->crew->parked_until);
        crew_look_at_clocks(carrier, now);
        if (late < LATE && of_all <= now)
            break;
        until = late < LATE ? of_all : now + SHARE * late;
    }
    atomic_store(&carrier->is_ready, true);
}

/* ---- rounds ---- */

/* How many carriers may go on, after a round for whose end somebody slept, or woke late. */
static uint32_t carriers_after_loss(struct crew *crew, struct carrier *last, uint32_t carriers)
{
    int64_t now = crew_clock(), made_good = (now - crew->lost_at) / SHARE;
    crew->lost = (crew->lost > made_good ? crew->lost - made_good : 0) + lost_by(last, now) +
                 atomic_exchange(&crew->late, 0);
    crew->lost_at = now;
    atomic_store(&crew->completed, now);
    if (crew->lost <= LOSS_AT_ONCE)
        return carriers;
    atomic_store(&crew->parked_until, now + SHARE * crew->lost);
    return (carriers + 1) / 2;
}

/* The last rank has come: the next round begins. */
static void complete(struct crew *crew, struct carrier *last, uint64_t state)
{
    uint32_t carriers = carriers_of(state), next = carriers;
    bool have_slept = atomic_load(&crew->sleepers) > 0;
    if (have_slept || atomic_load(&crew->late) > 0)
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

/* ---- what threads and fibers do ---- */

void crew_carry_on(void *of_rank)
{
    const struct rank *rank = of_rank;
    const struct crew *crew = rank->team.crew;
    for (;;) {
        parallel_barrier(&rank->team);
        crew->body(crew->context, &rank->team);
        parallel_barrier(&rank->team);
    }
}

void *crew_work(void *of_carrier)
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

#endif
