/* batches.h - the messages of a run in batches, of which each has one message of a node at most. */
#ifndef MESHCAST_ROUTERS_BATCHES_H
#define MESHCAST_ROUTERS_BATCHES_H

#include "routers/routing.h"

/* Batch b has message[start[b]] .. message[start[b + 1] - 1]. Those of a node go into one after the other, in the set's order;
 * messages for their own sources alone go into none. */
struct batches {
    uint32_t count; /* at most routing->most_sent */
    uint32_t *start, *message;
};

/* FAIL_SYSTEM: no memory. The caller frees, after a failure too. */
enum failure_kind batches_make(struct batches *batches, const struct routing *routing,
                               struct failure *failure);
void batches_free(struct batches *batches);

/* Behind a routing_start() with INJECT_LATER: injects the messages of a batch. */
enum failure_kind batches_inject(const struct batches *batches, const struct routing *routing,
                                 uint32_t batch, struct failure *failure);

/* The bytes that they take. */
uint64_t batches_footprint(const struct routing *routing);

#endif
