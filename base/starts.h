/* starts.h - the times at which messages may start: given ones, or after messages that they wait
 * for. Times are cycles of the network or steps of the mesh machine.
 *
 *     starts_make(&starts, &timings, failure);
 *     while (starts_next(&starts) <= time)
 *         starts_take(&starts);                      a message that may start then
 *     starts_receive(&starts, message, node, time);  now others of that node may start
 *     starts_free(&starts);
 *
 * Where all messages may start at time 0, starts_take() has none to return. Waits never form a
 * cycle (workloads/message_set.h).
 */
#ifndef MESHCAST_BASE_STARTS_H
#define MESHCAST_BASE_STARTS_H

#include "base/failure.h"

#include <stdbool.h>
#include <stdint.h>

/* The time at which a message may start. */
struct timing {
    uint32_t source;
    uint64_t start; /* the time; if the message waits: the delay after the last receipt */
    uint32_t waits; /* messages that its source must have received first */
    /* receipts that end the waits: one per packet of each message; 0: one per message */
    uint32_t receipts;
    const uint32_t *wait_on;
    /* it is started together with another message, and never returned by starts_take() */
    bool follows;
};

/* The messages 0 .. count - 1, the same each time; the pointers in a timing are valid until the
 * next call. */
struct timings {
    uint32_t count, awaited; /* all messages that are waited for are below `awaited` */
    struct timing (*at)(void *context, uint32_t index); /* NULL: all may start at time 0 */
    void *context;
};

/* A message that may start. */
struct due_message {
    uint64_t time;
    uint32_t message;
};

struct waiting {
    uint64_t last;  /* time of its last receipt so far */
    uint64_t delay; /* delay from the last receipt to its start */
    uint32_t left;  /* receipts that it still waits for */
};

struct starts {
    /* The messages that wait for message i are waiter[first[i] .. first[i+1]-1], each as
     * source << 32 | message, ascending; NULL: no message waits. */
    uint64_t *first, *waiter;
    struct waiting *waiting;   /* [messages] */
    struct due_message *start; /* [messages], the room of both arrays below */
    /* Messages that never waited, ascending by (time, message). */
    struct due_message *fixed, *end_fixed;
    struct due_message *heap; /* messages whose waits are over; the first one is the least */
    uint32_t released;        /* number of messages in the heap */
};

/* Makes the starts. FAIL_SYSTEM: no memory; the starts are empty then. The caller frees. */
enum failure_kind starts_make(struct starts *starts, const struct timings *timings,
                              struct failure *failure);
void starts_free(struct starts *starts);

/* True if other messages wait for a message. */
static inline bool starts_await(const struct starts *starts, uint32_t message)
{
    return starts->first != NULL && starts->first[message] < starts->first[message + 1];
}

/* Returns the first time at which a message may start that was not taken; UINT64_MAX: none before
 * further receipts. */
static inline uint64_t starts_next(const struct starts *starts)
{
    uint64_t fixed = starts->fixed < starts->end_fixed ? starts->fixed->time : UINT64_MAX;
    return starts->released > 0 && starts->heap[0].time < fixed ? starts->heap[0].time : fixed;
}

/* Takes a message that may start at starts_next(). */
uint32_t starts_take(struct starts *starts);

/* Notes that a node has received an awaited message, or a packet of it, completely when `time`
 * steps or cycles had ended. */
void starts_receive(struct starts *starts, uint32_t message, uint32_t node, uint64_t time);

#endif
