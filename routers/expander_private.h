/* expander_private.h - what the parts of router `expander` share: the run, its replicas, its steps.
 * For routers/expander*.c.
 *
 * The class of a message, the input u_i of the graph that it is, and the nodes where its replicas
 * are made and come home follow from the number of its source along the mesh's snake, so every node
 * finds them for whatever message it holds. Replica j of a message of d destinations has a name of
 * its own, the last slot of its block of d slots (expander_replica.c).
 */
#ifndef MESHCAST_ROUTERS_EXPANDER_PRIVATE_H
#define MESHCAST_ROUTERS_EXPANDER_PRIVATE_H

#include "expanders/expander.h"
#include "routers/expander_bound.h"
#include "routers/expander_seats.h"
#include "routers/random_private.h"

/* What the clock tells every node. */
enum expander_stage { EXPANDER_HAND, EXPANDER_WALK, EXPANDER_DRAIN };

struct expander_visits;

/* A place in a node's output queue. */
struct expected {
    uint32_t source; /* of the message */
    uint32_t holder; /* the slot that brought it, or MACHINE_NONE */
};

struct expander_run {
    struct random_run masters; /* the replicas' walk round the tiles; the first member */
    struct routing *routing;
    struct expander graph;
    struct expander_certificate
        certificate;            /* where the steps are bounded, or alpha comes from it */
    uint32_t replicas, classes; /* r, kappa */
    uint32_t alpha;
    bool is_literal; /* r alpha migrations a visit in the first phase of a class */
    const struct expander_visits *visits;

    uint32_t class, phase; /* of now, from 0 */
    enum expander_stage stage;
    struct expander_seats seats;
    uint32_t *message_at;   /* [node]: the number of its message in the set */
    uint32_t *queue_start;  /* [node + 1]: where its output queue begins */
    struct expected *queue; /* [delivery of the set] */
    uint32_t *met;          /* [message]: replicas that came home, a bit each; or .. */
};

enum { EXPANDER_ABSENT = 1u << 31 }; /* .. the source's own replica did not */

/* A message's place among its class, positions along the mesh's snake. */
struct segment {
    uint32_t class, input; /* i of u_i */
    uint32_t first;        /* position of replica 0; replica j stands j nodes behind it */
    uint32_t own;          /* the replica that stands at the source */
};

/* Step 4(a): how replicas deliver at a tile. */
struct expander_visits {
    const struct random_variant *variant;
    /* c visits, after Step 3: all that is selected is delivered, or on its way, when it ends. */
    enum failure_kind (*round)(struct expander_run *run, struct failure *failure);
    /* Both together take at most *steps steps, the OR counted, with run->masters.instances, whoever made the
     * set. FAIL_SYSTEM: no memory. NULL: no bound is proven. */
    enum failure_kind (*steps)(const struct expander_run *run, uint64_t *steps,
                               struct failure *failure);
    /* As long as something is on its way; then an OR tells whether replicas are left. */
    enum failure_kind (*drain)(struct expander_run *run, unsigned *held, struct failure *failure);
    enum failure_kind (*begin)(struct expander_run *run, struct failure *failure);
    void (*end)(struct expander_run *run);
    uint32_t (*capacity)(const struct expander_run *run);
    uint32_t standard_alpha;
    /* As in struct random_variant, all of the machine's uses. */
    unsigned uses;
    uint32_t aside_levels;
    uint64_t (*footprint)(const struct routing *routing, uint64_t slots);
};

extern const struct expander_visits expander_fast, expander_guaranteed;

/* ---- expander_replica.c ---- */

struct segment expander_segment(const struct expander_run *run, node_index source);

/* Which replica a master is, and the slot that names replica j of the same message. */
uint32_t expander_replica(const struct expander_run *run, uint32_t packet);
uint32_t expander_name(const struct expander_run *run, uint32_t packet, uint32_t replica);

/* The node at a position along the mesh's snake, and where the master was made. */
node_place expander_node(const struct expander_run *run, uint32_t position);
node_place expander_birthplace(const struct expander_run *run, uint32_t packet);

/* Calls `act` for all packets that rest. */
void expander_for_resting(struct expander_run *run,
                          void (*act)(struct expander_run *run, struct site site, uint32_t packet));

/* Steps 1(a) and 1(b): every resting message becomes r replicas, one at each node of its segment.
 * A length that all nodes know. */
enum failure_kind expander_replicate(struct expander_run *run, struct failure *failure);

uint64_t expander_replicate_steps(const struct expander_run *run);

/* Step 6: the replicas of each message, at their birthplaces, become one packet at its source
 * again, with the destinations that none of them has seen; it is gone if there is none. A known
 * length. */
enum failure_kind expander_coalesce(struct expander_run *run, struct failure *failure);

uint64_t expander_coalesce_steps(const struct expander_run *run);

/* Replicas go along the snake from their birthplaces to their entries, or back, in the phase that was
 * begun. A known length, 0 if kappa = r. */
enum failure_kind expander_walk(struct expander_run *run, bool is_back, struct failure *failure);
uint64_t expander_walk_steps(const struct expander_run *run, uint32_t class);

/* ---- expander_group.c ---- */

/* Makes run->seats for the graph. */
enum failure_kind expander_choose_seats(struct expander_run *run, struct failure *failure);

/* Steps 1(c), 2 and 3: every replica to its seat in the tile of its group. */
enum failure_kind expander_assign(struct expander_run *run, struct failure *failure);

/* Step 5: every replica back to its birthplace. */
enum failure_kind expander_return(struct expander_run *run, struct failure *failure);

/* ---- expander_sizes.c ---- */

extern const struct parameter_spec expander_specs[];

/* From the mesh, c and the parameters: tiles and blocks; r, kappa and the visits; the graph; what is
 * certified of it, if that is needed, and alpha. In this order. FAIL_USAGE: something does not fit, and the
 * text says what. */
enum failure_kind expander_choose_tiles(struct expander_run *run, struct failure *failure);
enum failure_kind expander_choose_constants(struct expander_run *run, struct failure *failure);
enum failure_kind expander_choose_graph(struct expander_run *run, struct failure *failure);
enum failure_kind expander_choose_alpha(struct expander_run *run, struct failure *failure);

/* ---- expander_file.c ---- */

/* Reads run->graph, with `inputs` inputs or, a Reed-Solomon graph, more, run->replicas edges each,
 * and as many groups as there are tiles. FAIL_USAGE names what does not fit, and FAIL_INPUT and
 * FAIL_SYSTEM are those of expander_read(); run->graph is to be freed in any case. */
enum failure_kind expander_graph_read(struct expander_run *run, const char *path, uint32_t inputs,
                                      struct failure *failure);

/* ---- expander_mark.c ---- */

/* Output queues, empty, for run->routing->set. FAIL_SYSTEM: no memory; freed by the other, whole or
 * not. */
enum failure_kind expander_queues_make(struct expander_run *run, struct failure *failure);
void expander_queues_free(struct expander_run *run);

/* Fetches what the two functions below look at. */
void expander_fetch_queue(const struct expander_run *run, struct site site);

/* Whether the node at `site`, a destination of `slot`, has the slot's message already, or a packet
 * that delivers it there. */
bool expander_has_message(const struct expander_run *run, struct site site, uint32_t slot);

/* A packet has come to its destination `site` with `slot`. False: it is the first of its message,
 * and delivers; slots before it in its range may go, but it must stay where it is. True: the node
 * has the message, and the slot is visited without a delivery. */
bool expander_comes_late(struct expander_run *run, struct site site, uint32_t slot);

/* ---- expander_bound.c ---- */

/* The steps of all classes at most, for any set of this mesh and congestion: where the visits have a
 * bound. FAIL_SYSTEM: no memory. */
enum failure_kind expander_bound(struct expander_run *run, uint64_t *steps,
                                 struct failure *failure);

/* ---- expander_route.c ---- */

/* Begins a phase of the machine named after the class, the phase and `step`. */
void expander_begin(const struct expander_run *run, const char *step);

#endif
