/* ranks_threads.c - ranks as threads of one process: the functions of MPI without MPI.
 *
 * Ranks share nothing but the hall, under its mutex. A message of a neighbour is copied into a
 * block of its own, which is freed at the receiver's next exchange: reading it later reads freed
 * memory, which sanitizers see. A rank that waits sleeps, so that no core is needed, and is woken
 * when there is something for it. ranks_meeting.c has the functions of all ranks together. If all
 * ranks wait in vain, that is also a failure: so a test of ranks that disagree ends.
 */
#include "test/ranks/ranks_threads.h"

#include "base/failure.h"
#include "machine/ranks/ranks_private.h"
#include "test/ranks/ranks_threads_private.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>

#ifdef MESHCAST_SERIAL

static enum failure_kind run_many(uint32_t size,
                                  enum failure_kind (*body)(void *context, struct ranks *ranks,
                                                            struct failure *failure),
                                  void *context, struct failure *failure)
{
    (void)body, (void)context;
    return fail(failure, FAIL_SYSTEM,
                "a serial build has no threads, so it cannot have %u ranks as threads", size);
}

#else

/* ---- waiting: all of it with the mutex held ---- */

void hall_tell(struct thread_rank *rank)
{
    rank->waits = false;
    pthread_cond_signal(&rank->told);
}

void hall_tell_all(struct hall *hall)
{
    for (uint32_t r = 0; r < hall->size; r++)
        hall_tell(&hall->rank[r]);
}

static void note_failure(struct thread_rank *rank)
{
    if (rank->hall->first_failed == rank->hall->size)
        rank->hall->first_failed = rank->ranks.rank;
    hall_tell_all(rank->hall);
}

/* True if every rank that has not ended waits in vain. */
static bool is_stuck(const struct hall *hall)
{
    for (uint32_t r = 0; r < hall->size; r++) {
        const struct thread_rank *rank = &hall->rank[r];
        if (!rank->has_ended && !rank->waits)
            return false;
    }
    return true;
}

/* Waits to be told. The failure is this rank's, or what this rank sees of another's. */
enum failure_kind hall_wait(struct thread_rank *rank, struct failure *failure)
{
    struct hall *hall = rank->hall;
    if (hall->first_failed != hall->size)
        return fail(failure, FAIL_SYSTEM, "rank %u failed", hall->first_failed);
    rank->waits = true;
    if (is_stuck(hall)) {
        fail(&rank->failure, FAIL_SYSTEM, "the ranks wait for one another, rank %u last",
             rank->ranks.rank);
        note_failure(rank);
    } else
        pthread_cond_wait(&rank->told, &hall->mutex);
    rank->waits = false;
    if (hall->first_failed == rank->ranks.rank)
        return fail(failure, rank->failure.kind, "%s", rank->failure.text);
    return FAIL_NONE;
}

/* Returns the failure of another rank, after which a rank may begin nothing. */
enum failure_kind hall_check(const struct hall *hall, struct failure *failure)
{
    if (hall->first_failed == hall->size)
        return FAIL_NONE;
    return fail(failure, FAIL_SYSTEM, "rank %u failed", hall->first_failed);
}

/* ---- life ---- */

/* The first failure of a rank is kept. */
static enum failure_kind fail_here(struct ranks *ranks, enum failure_kind kind,
                                   struct failure *failure)
{
    struct thread_rank *rank = thread_rank(ranks);
    pthread_mutex_lock(&rank->hall->mutex);
    fail(&rank->failure, kind, "%s", failure == NULL ? "a rank failed" : failure->text);
    note_failure(rank);
    pthread_mutex_unlock(&rank->hall->mutex);
    return kind;
}

static const struct ranks_way threads_way = {
    .exchange = meeting_exchange,
    .sum = meeting_sum,
    .swap = meeting_swap,
    .trade = meeting_trade,
    .broadcast = meeting_broadcast,
    .fail = fail_here,
};

static void *live(void *of_rank)
{
    struct thread_rank *rank = of_rank;
    struct failure failure = {0};
    enum failure_kind kind = rank->hall->body(rank->hall->context, &rank->ranks, &failure);
    if (kind != FAIL_NONE)
        fail_here(&rank->ranks, kind, &failure);
    pthread_mutex_lock(&rank->hall->mutex);
    rank->has_ended = true;
    /* a rank that waits for this one must look again, and may find that all wait */
    hall_tell_all(rank->hall);
    pthread_mutex_unlock(&rank->hall->mutex);
    return NULL;
}

/* Starts rank r on a thread, which takes no signals: those are the user's thread's. */
static bool start(struct thread_rank *rank)
{
    sigset_t all, mask;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    bool has_started = pthread_create(&rank->thread, NULL, live, rank) == 0;
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    return has_started;
}

static void make_rank(struct hall *hall, uint32_t r)
{
    struct thread_rank *rank = &hall->rank[r];
    rank->ranks =
        (struct ranks){.way = &threads_way, .size = hall->size, .rank = r, .here = hall->size};
    rank->hall = hall;
    pthread_cond_init(&rank->told, NULL);
}

static void free_rank(struct thread_rank *rank)
{
    pthread_cond_destroy(&rank->told);
    for (int side = 0; side < RANK_SIDES; side++)
        free(rank->read[side]);
}

/* Runs the ranks, of which rank 0 is on this thread. A rank that gets no thread has failed. */
static void run_ranks(struct hall *hall)
{
    uint32_t started = 1;
    while (started < hall->size && start(&hall->rank[started]))
        started++;
    for (uint32_t r = started; r < hall->size; r++) {
        struct failure failure = {0};
        fail(&failure, FAIL_SYSTEM, "the system gave no thread for rank %u", r);
        fail_here(&hall->rank[r].ranks, FAIL_SYSTEM, &failure);
    }
    live(&hall->rank[0]);
    for (uint32_t r = 1; r < started; r++)
        pthread_join(hall->rank[r].thread, NULL);
}

static enum failure_kind run_many(uint32_t size, rank_body *body, void *context,
                                  struct failure *failure)
{
    struct hall hall = {.size = size, .first_failed = size, .body = body, .context = context};
    hall.rank = memory_allocate(size, sizeof *hall.rank);
    if (hall.rank == NULL)
        return fail_memory(failure, "ranks");
    pthread_mutex_init(&hall.mutex, NULL);
    for (uint32_t r = 0; r < size; r++)
        make_rank(&hall, r);
    run_ranks(&hall);
    enum failure_kind kind = FAIL_NONE;
    if (hall.first_failed < size) {
        const struct failure *first = &hall.rank[hall.first_failed].failure;
        kind = fail(failure, first->kind, "%s", first->text);
    }
    for (uint32_t r = 0; r < size; r++)
        free_rank(&hall.rank[r]);
    pthread_mutex_destroy(&hall.mutex);
    free(hall.rank);
    return kind;
}

#endif

enum failure_kind ranks_run_threads(uint32_t size,
                                    enum failure_kind (*body)(void *context, struct ranks *ranks,
                                                              struct failure *failure),
                                    void *context, struct failure *failure)
{
    assert(size > 0);
    return size == 1 ? body(context, NULL, failure) : run_many(size, body, context, failure);
}
