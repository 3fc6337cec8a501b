/* starts.h - when the messages of a burst may start: in a given cycle, or after messages that they
 * wait for.
 *
 *     starts_make(&starts, &messages, failure);
 *     while (starts_next(&starts) <= cycle)
 *         starts_take(&starts);                       a message that may start in the cycle that starts_next() gave
 *     starts_receive(&starts, message, node, cycle);  now messages of that node may start that waited for this one
 *     starts_free(&starts);
 *
 * Of messages without timing there are none to take. Waits never form a cycle
 * (workloads/message_set.h).
 */
#ifndef MESHCAST_NETWORK_STARTS_H
#define MESHCAST_NETWORK_STARTS_H

#include "base/failure.h"
#include "network/schemes/scheme.h"

#include <stdbool.h>
#include <stdint.h>

/* When a message may start. */
struct timing {
    uint32_t source;
    uint64_t start; /* the cycle; of a message that waits: how long after it has all */
    uint32_t waits; /* messages that its source must have first */
    const uint32_t *wait_on;
};

/* The messages of a burst: 0 .. count - 1, the same each time; what they point to is valid until
 * the next call. */
struct burst_messages {
    uint32_t count;
    struct multicast (*at)(void *context, uint32_t index);
    struct timing (*timing)(void *context, uint32_t index); /* NULL: all may start in cycle 0 */
    void *context;
};

/* A message that may start. */
struct start {
    uint64_t cycle;
    uint32_t message;
};

struct waiting {
    uint64_t last;  /* the cycle of its last receipt so far */
    uint64_t delay; /* from the last one to its start */
    uint32_t left;  /* messages that it still waits for */
};

struct starts {
    /* Who waits for message i: waiter[first[i] .. first[i+1]-1], source << 32 | message, ascending;
     * NULL: no message waits. */
    uint64_t *first, *waiter;
    struct waiting *waiting;         /* [messages] */
    struct start *start;             /* [messages], the room of both of these: */
    struct start *fixed, *end_fixed; /* messages that never waited, ascending by (cycle, message) */
    struct start *heap;              /* messages that wait no longer; the first one is the least */
    uint32_t released;               /* in the heap */
};

/* FAIL_SYSTEM: no memory; the starts are empty then. The caller frees. */
enum failure_kind starts_make(struct starts *starts, const struct burst_messages *messages,
                              struct failure *failure);
void starts_free(struct starts *starts);

/* True if other messages wait for a message. */
static inline bool starts_await(const struct starts *starts, uint32_t message)
{
    return starts->first != NULL && starts->first[message] < starts->first[message + 1];
}

/* Returns the first cycle in which a message may start that was not taken; UINT64_MAX: no message
 * may start before others are received. */
static inline uint64_t starts_next(const struct starts *starts)
{
    uint64_t fixed = starts->fixed < starts->end_fixed ? starts->fixed->cycle : UINT64_MAX;
    return starts->released > 0 && starts->heap[0].cycle < fixed ? starts->heap[0].cycle : fixed;
}

/* Takes a message that may start in starts_next(). */
uint32_t starts_take(struct starts *starts);

/* A node received a message, which is awaited, completely when `cycle` cycles had ended. */
void starts_receive(struct starts *starts, uint32_t message, uint32_t node, uint64_t cycle);

#endif
