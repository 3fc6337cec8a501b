/* batches.h - the messages of a run in batches, of which each has one message of a node at most. */
#ifndef MESHCAST_ROUTERS_BATCHES_H
#define MESHCAST_ROUTERS_BATCHES_H

#include "routers/routing.h"

/* Batch b has message[start[b]] .. message[start[b + 1] - 1]. Those of a node go into batches that
 * follow each other, in the set's order. */
struct batches {
    uint32_t count;            /* l, or 1 where nodes send one message: then it is the set */
    uint32_t *start, *message; /* NULL where it is the set */
};

/* The batch with which a node begins follows from the node and *seed; NULL: all begin with batch 0.
 * Before routing_start(): with l > 1 the messages are then injected by batches_inject().
 * FAIL_SYSTEM: no memory. The caller frees, after a failure too. */
enum failure_kind batches_make(struct batches *batches, struct routing *routing,
                               const uint64_t *seed, struct failure *failure);
void batches_free(struct batches *batches);

/* Injects the messages of a batch, if routing_start() has not. */
enum failure_kind batches_inject(const struct batches *batches, const struct routing *routing,
                                 uint32_t batch, struct failure *failure);

/* c / l, rounded up: the congestion of a batch, were the messages for each node shared out
 * evenly. */
uint32_t batches_congestion(const struct routing *routing);

#endif
