/* forward_private.h - the queues of machine_forward, shared by forward.c (steps), forward_stop.c
 * (what happens at a stop) and forward_memory.c. */
#ifndef MESHCAST_MACHINE_FORWARD_PRIVATE_H
#define MESHCAST_MACHINE_FORWARD_PRIVATE_H

#include "machine/queue_private.h"

struct forward {
    struct queues queues;
    uint8_t *waiting; /* [node]: packets wait for the node's copy, as a list */
    uint32_t *waiting_first, *waiting_last;
    uint32_t blocks; /* of a row */
    uint8_t *busy;   /* [row][block], padded: some node of it holds a packet that is under way */
    uint8_t *sent;   /* [row][block], padded: `out` is not all NO_WORD */

    struct glide *glide; /* glide_private.h; NULL before the first use */
    bool glides;         /* packets that are under way stand there */
};

/* How a call of machine_forward goes through its steps. */
enum forward_way { FORWARD_PLAINLY, FORWARD_GLIDING };

/* One call of machine_forward. */
struct forwarding {
    struct machine *machine;
    struct forward *forward;
    const struct routing_rule *rule;
    bool waking; /* the next step is the first after a wake */
    bool done;
    uint64_t limit;
    enum failure_kind kind;
    struct failure *failure;
};

/* One thread's part of a run. */
struct lane {
    struct machine *machine;
    struct forward *forward;
    const struct routing_rule *rule;
    struct band *band;
    bool waking; /* this is the first step after a wake */
    /* `word` goes into the queue of link `d` at `site`, behind all that are at least as urgent: the
     * way of the run. */
    void (*enqueue)(struct lane *lane, struct site site, enum direction d, uint64_t word);
    unsigned
        arriving; /* the direction in which the packet at hand came; DIRECTIONS: its own node */
};

static inline size_t block_index(const struct forward *forward, uint32_t row, uint32_t col)
{
    return (size_t)row * forward->blocks + (col >> BLOCK_SHIFT);
}

/* `enqueue` of the plain way. */
void forward_enqueue(struct lane *lane, struct site site, enum direction d, uint64_t word);

/* The packet is at a stop: the rule says what becomes of it. With free copies all is done at once;
 * with unit copies a packet that must be copied waits for its node. */
void forward_settle(struct lane *lane, enum half half, struct site site, uint32_t packet);

/* Unit copies: the node makes its one copy of this step, for the packet that waits longest. */
void forward_copy(struct lane *lane, struct site site);

/* Makes what is missing for queues, or for packets that glide under `rule`. */
enum failure_kind forward_prepare(struct machine *machine, const struct routing_rule *rule,
                                  enum forward_way way, struct failure *failure);

/* ---- steps (forward.c) ---- */

/* All nodes of a row, before any of them sends: their resting packets are looked at. */
void forward_wake_row(struct lane *lane, struct site start);

/* Unit copies: nodes of a block at which packets wait make a copy. */
void forward_copy_block(struct lane *lane, struct span span);

/* For one thread, while the others wait. */
void forward_end_step(struct forwarding *run);

/* ---- packets that glide (glide.c) ---- */

/* One thread's part of a call. */
void glide_band(void *context, const struct team *team);

/* `enqueue` of a lane that is the first member of a struct gliding. */
void glide_enqueue(struct lane *lane, struct site site, enum direction d, uint64_t word);

/* Whether packets that are under way wait at the node. */
bool glide_node_is_busy(const struct machine *machine, node_index node);

/* What gliding needs under `rule`: queues of the kind that it needs. */
enum failure_kind glide_prepare(struct machine *machine, const struct routing_rule *rule,
                                struct failure *failure);
void glide_free(struct machine *machine);

#endif
