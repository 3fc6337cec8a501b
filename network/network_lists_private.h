/* network_lists_private.h - lists that grow, the time wheel, and blocks of memory for messages.
 *
 * A push that finds no memory returns false and changes nothing.
 */
#ifndef MESHCAST_NETWORK_NETWORK_LISTS_PRIVATE_H
#define MESHCAST_NETWORK_NETWORK_LISTS_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct message;
struct sending;

struct index_list {
    uint32_t *item;
    uint32_t count, allocated;
};

/* Where a header goes on: the one output that its routing lets it take (NONE: there are others, or it is not known), and
 * at how many nodes after this one it is the same again. */
struct bearing {
    uint32_t link, class, run;
};

/* A header that has left a node over a channel, with what the next router needs of its message. */
struct head {
    struct message *message;
    uint32_t channel, stop, flits;
    struct bearing bearing;
};

struct head_list {
    struct head *item;
    uint32_t count, allocated;
};

/* A message that has reached its last destination. */
struct finished {
    struct message *message;
    uint64_t delivered;
};

struct finished_list {
    struct finished *item;
    uint32_t count, allocated;
};

/* Returns `items` with memory for more than `*allocated` of them, which it raises; NULL, and nothing changed: no memory. It is
 * memory_grow() for rooms of 32 bits: a run spends a tenth of its instructions on pushes, and 64 bits cost 1.3 % more. */
void *list_grow(void *items, uint32_t *allocated, size_t size);

static inline bool index_push(struct index_list *list, uint32_t item)
{
    if (list->count == list->allocated) {
        void *more = list_grow(list->item, &list->allocated, sizeof *list->item);
        if (more == NULL)
            return false;
        list->item = more;
    }
    list->item[list->count++] = item;
    return true;
}

static inline bool head_push(struct head_list *list, struct head item)
{
    if (list->count == list->allocated) {
        void *more = list_grow(list->item, &list->allocated, sizeof *list->item);
        if (more == NULL)
            return false;
        list->item = more;
    }
    list->item[list->count++] = item;
    return true;
}

static inline bool finished_push(struct finished_list *list, struct finished item)
{
    if (list->count == list->allocated) {
        void *more = list_grow(list->item, &list->allocated, sizeof *list->item);
        if (more == NULL)
            return false;
        list->item = more;
    }
    list->item[list->count++] = item;
    return true;
}

/* ---- the wheel ---- */

enum event_kind {
    EVENT_CREATE,     /* a message */
    EVENT_READY,      /* a worm, at its sender */
    EVENT_STARTED,    /* a worm's startup by the processor has ended */
    EVENT_FEED,       /* a feeder's startup has ended */
    EVENT_ASK,        /* a part's header begins to ask */
    EVENT_CHILD,      /* a part asks for its next output (one port) */
    EVENT_ACKNOWLEDGE /* the acknowledgement of a circuit is at a part */
};

struct event {
    union {
        struct message *message;
        struct sending *sending;
        struct {
            uint32_t part, output;
        } ask;
    } of;
    uint32_t kind;
};

enum { WHEEL_BUCKETS = 256, CHUNK_EVENTS = 31 };

struct chunk {
    struct chunk *next;
    uint32_t count, taken;
    struct event event[CHUNK_EVENTS];
};

struct far_event {
    uint64_t due;
    struct event event;
};

/* Events that are due in later cycles: a bucket for each of the next ones, a heap for those beyond. */
struct wheel {
    struct chunk *first[WHEEL_BUCKETS], *last[WHEEL_BUCKETS];
    uint64_t used[WHEEL_BUCKETS / 64]; /* buckets with events */
    struct chunk *spare;
    struct far_event *far;
    size_t far_count, far_allocated;
};

/* Adds an event that is due at `due` >= `now`. */
bool wheel_push(struct wheel *wheel, uint64_t now, uint64_t due, struct event event);

static inline bool wheel_is_due(const struct wheel *wheel, uint64_t now)
{
    return wheel->first[now % WHEEL_BUCKETS] != NULL ||
           (wheel->far_count > 0 && wheel->far[0].due == now);
}

/* Takes an event that is due at `now`; the cycles before must have no events any more. */
bool wheel_take(struct wheel *wheel, uint64_t now, struct event *event);

/* The first cycle at or after `now` at which an event is due, or UINT64_MAX. */
uint64_t wheel_next(const struct wheel *wheel, uint64_t now);

void wheel_free(struct wheel *wheel);

/* ---- blocks ---- */

enum { BLOCK_CLASSES = 11, BLOCK_LEAST = 64 };

/* Blocks of 64, 128, .. bytes, cut from large pieces; larger ones are asked for one by one. */
struct block_pool {
    struct block *free[BLOCK_CLASSES];
    struct piece *pieces;
    struct large *large;
    char *rest;
    size_t rest_bytes;
};

/* Not cleared; NULL: no memory. The same `bytes` must be given back. */
void *block_take(struct block_pool *pool, size_t bytes);
void block_give(struct block_pool *pool, void *block, size_t bytes);
void block_pool_free(struct block_pool *pool);

#endif
