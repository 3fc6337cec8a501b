/* reduction.h - the other half of y = A x: the part of a run with --reduce that all routers share
 * (doc/reduce.md).
 *
 * The set is read the other way round: each destination of a message holds a contribution, and the
 * message's source is to receive the sum of all of them.
 */
#ifndef MESHCAST_ROUTERS_REDUCTION_H
#define MESHCAST_ROUTERS_REDUCTION_H

#include "machine/gather.h"
#include "routers/routing.h"

/* The sum that has reached the source of a message. */
struct reduced {
    uint64_t sum, contributions;
};

struct reduction;

/* Prepares packet `packet`, the contribution that `node` makes. */
typedef void reduction_prepare(struct reduction *reduction, node_index node, uint32_t packet);

/* A run under way. Each contribution is a packet of one slot: `destination` of the headers is the
 * source of its message, where the sum belongs. A rank has the contributions that its own nodes
 * make, and packets on their way through its rows. */
struct reduction {
    struct routing *routing;
    struct headers *header;
    uint64_t *value; /* [slot]: the sum that the packet carries, of numbers drawn from the seed */
    uint32_t *parts; /* [slot]: number of contributions in it */
    /* [slot] of a contribution: the number of its message among those of its source that go to
     * other nodes; NULL: it is not needed. It does not go with packets to other ranks. */
    uint32_t *order;
    struct reduced *reduced;    /* [message of the set] */
    reduction_prepare *prepare; /* NULL: nothing is to be prepared */
};

/* Makes the machine, with the buffer's capacity in packets (0: none), and puts each contribution
 * into the input queue of its node. Before that `prepare` is called for it, if it is not NULL; only
 * then there is `order`. All ranks call it. FAIL_SYSTEM: no memory, or a rank has failed.
 * reduction_free() frees, also after a failure. */
enum failure_kind reduction_begin(struct reduction *reduction, struct routing *routing,
                                  uint32_t buffer, reduction_prepare *prepare,
                                  struct failure *failure);

/* Combines: the `combine` of a gather_rule whose context begins with a struct reduction. */
void reduction_combine(void *context, uint32_t packet, uint32_t into);
/* Delivers: its `deliver`. */
void reduction_deliver(void *context, struct site site, uint32_t packet);

/* Gathers in one phase of this name, and checks: as many contributions came to each message's
 * source as it has, and the sums are those of the contributions, added up directly. The counts go
 * into the result. FAIL_CHECK: they do not. */
enum failure_kind reduction_gather(struct reduction *reduction, const struct gather_rule *rule,
                                   const char *phase, struct failure *failure);

void reduction_free(struct reduction *reduction);

#endif
