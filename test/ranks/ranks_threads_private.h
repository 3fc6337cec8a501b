/* ranks_threads_private.h - ranks as threads: the common part of ranks_threads.c and
 * ranks_meeting.c.
 */
#ifndef MESHCAST_TEST_RANKS_RANKS_THREADS_PRIVATE_H
#define MESHCAST_TEST_RANKS_RANKS_THREADS_PRIVATE_H

#include "machine/ranks/ranks_private.h"

#include <pthread.h>

typedef enum failure_kind rank_body(void *context, struct ranks *ranks, struct failure *failure);

enum meeting { MEET_EXCHANGE, MEET_SUM, MEET_MOST, MEET_SWAP, MEET_TRADE, MEET_BROADCAST };

/* A rank, and its place in the hall. */
struct thread_rank {
    struct ranks ranks;
    struct hall *hall;
    pthread_t thread;
    struct failure failure;
    bool has_ended;
    bool waits; /* and nothing has changed for it since it looked */
    pthread_cond_t told;
    void *read[RANK_SIDES]; /* the last result of ranks_exchange() */
    enum meeting meeting;   /* this rank's data at a meeting .. */
    const void *given;
    size_t *count; /* size of them for a swap, else one */
};

struct hall {
    pthread_mutex_t mutex;
    uint64_t meeting;       /* number of meetings so far */
    uint32_t size, present; /* ranks that have come to the next meeting */
    struct thread_rank *rank;
    uint32_t first_failed; /* the rank that failed first, or `size` */
    rank_body *body;
    void *context;
};

static inline struct thread_rank *thread_rank(struct ranks *ranks)
{
    return (struct thread_rank *)ranks;
}

/* With the mutex held: tells one rank, or all, that there is something to look at; waits for that;
 * returns the failure of another rank, after which this one may begin nothing. */
void hall_tell(struct thread_rank *rank);
void hall_tell_all(struct hall *hall);
enum failure_kind hall_wait(struct thread_rank *rank, struct failure *failure);
enum failure_kind hall_check(const struct hall *hall, struct failure *failure);

/* Functions of struct ranks_way, in ranks_meeting.c. */
enum failure_kind meeting_exchange(struct ranks *ranks, const struct rank_message *out,
                                   struct rank_message *in, struct failure *failure);
enum failure_kind meeting_sum(struct ranks *ranks, uint64_t *number, size_t count, bool finds_most,
                              struct failure *failure);
enum failure_kind meeting_swap(struct ranks *ranks, const void *from, size_t *count, void **all,
                               struct failure *failure);
enum failure_kind meeting_trade(struct ranks *ranks, const struct rank_trade *trade,
                                struct failure *failure);
enum failure_kind meeting_broadcast(struct ranks *ranks, void *bytes, size_t count,
                                    struct failure *failure);

#endif
