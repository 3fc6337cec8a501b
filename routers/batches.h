/* batches.h - the messages of a run in batches, each with at most one message per node. */
#ifndef MESHCAST_ROUTERS_BATCHES_H
#define MESHCAST_ROUTERS_BATCHES_H

#include "routers/routing.h"

/* Batch b has message[start[b]] .. message[start[b + 1] - 1]. Those of a node go into successive
 * batches, in the set's order. */
struct batches {
    uint32_t count;            /* l, or 1 if nodes send one message: then the batch is the set */
    uint32_t *start, *message; /* NULL if the batch is the set */
};

/* The batch with which a node begins follows from the node and *seed; NULL: all begin with batch 0.
 * Called before routing_start(): with l > 1 the messages are then injected by batches_inject().
 * FAIL_SYSTEM: no memory. The caller frees, also after a failure. */
enum failure_kind batches_make(struct batches *batches, struct routing *routing,
                               const uint64_t *seed, struct failure *failure);
void batches_free(struct batches *batches);

/* Injects the messages of a batch, if routing_start() has not. */
enum failure_kind batches_inject(const struct batches *batches, const struct routing *routing,
                                 uint32_t batch, struct failure *failure);

/* Returns c / l, rounded up: the congestion of a batch if the messages for each node were shared
 * out evenly. */
uint32_t batches_congestion(const struct routing *routing);

#endif
