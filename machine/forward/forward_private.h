/* forward_private.h - the packets of machine_forward that are under way, shared by forward.c (calls),
 * forward_stop.c (what becomes of a packet at a stop), forward_queues.c and forward_step.c. */
#ifndef MESHCAST_MACHINE_FORWARD_FORWARD_PRIVATE_H
#define MESHCAST_MACHINE_FORWARD_FORWARD_PRIVATE_H

#include "machine/rule.h"
#include "machine/transit/block.h"

struct forward {
    uint8_t *waiting; /* [node]: packets wait for the node's copy, as a list */
    uint32_t *waiting_first, *waiting_last;
    uint32_t blocks;               /* of a row */
    uint8_t *has_copies;           /* [row][block]: at some node of it packets wait for a copy */
    struct forward_queues *queues; /* forward_step_private.h */
};

/* One call of machine_forward. */
struct forward_call {
    struct machine *machine;
    struct forward *forward;
    const struct routing_rule *rule;
    bool waking; /* the next step is the first after a wake */
    bool done;
    uint64_t limit;
    enum failure_kind kind;
    struct failure *failure;
};

/* One thread's part of a call (forward_step_private.h). */
struct forward_worker;

static inline size_t block_index(const struct forward *forward, uint32_t row, uint32_t col)
{
    return (size_t)row * forward->blocks + (col >> BLOCK_SHIFT);
}

/* The packet is at a stop: the rule says what becomes of it. With free copies all is done at once;
 * with unit copies a packet that must be copied waits for its node. */
void forward_settle(struct forward_worker *worker, enum event_group group, struct site site,
                    uint32_t packet);

/* Unit copies: the nodes of a block at which packets wait make their one copy of this step, for the
 * packet that waits longest. */
void forward_copy_block(struct forward_worker *worker, struct span span);

void forward_free(struct machine *machine);

/* Makes what is missing for packets that go by `rule`. */
enum failure_kind forward_prepare(struct machine *machine, const struct routing_rule *rule,
                                  struct failure *failure);

#endif
