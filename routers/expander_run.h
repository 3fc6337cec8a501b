/* expander_run.h - the parts that the files of router `expander` share: the run, its replicas, its
 * steps. For routers/expander*.c.
 *
 * The class of a message, its input u_i of the graph, and the birthplaces of its replicas follow
 * from its source's number along the mesh's snake. Replica j of a message of d destinations has a
 * name of its own, the last slot of its block of d slots (expander_replica.c).
 */
#ifndef MESHCAST_ROUTERS_EXPANDER_RUN_H
#define MESHCAST_ROUTERS_EXPANDER_RUN_H

#include "base/number_table.h"
#include "expanders/expander.h"
#include "primitives/public_traffic.h"
#include "primitives/tile_cycle.h"
#include "routers/batches.h"
#include "routers/random_private.h"
#include "routers/stream_walk.h"

/* ---- expander_seats.c: the groups and seats of replicas ---- */

struct expander_seats {
    const struct expander *graph; /* not a list; both must outlive the seats */
    const struct tile_cycle *cycle;
    struct mesh mesh;
    uint32_t inputs;      /* inputs of the graph that are used: ceil(n / r) */
    struct mesh cells;    /* of a tile, those that all tiles have: the seats of replicas */
    uint32_t layers;      /* seats per cell */
    struct excess excess; /* of the replicas of a group */
    /* bounds of all ways from entries to seats, along rows first, and from the end of the walk,
     * columns first */
    struct traffic_bounds there, home;
};

enum { EXPANDER_MOST_LAYERS = 4 };

/* Makes seats for a graph with as many groups as the cycle has tiles. FAIL_USAGE: a group has
 * more replicas than a tile has seats. FAIL_SYSTEM: no memory. Nothing to free. */
enum failure_kind expander_seats_make(struct expander_seats *seats, const struct expander *graph,
                                      const struct tile_cycle *cycle, struct failure *failure);

/* Returns the node that has entry j of an input. */
node_place expander_entry(const struct expander_seats *seats, uint32_t input, uint32_t j);

/* Returns the tile of a group. */
uint32_t expander_tile(const struct expander_seats *seats, uint32_t group);

/* Returns the seat of replica j of an input: a node of its group's tile, and a layer. */
node_place expander_seat(const struct expander_seats *seats, uint32_t input, uint32_t j,
                         uint32_t *layer);

/* ---- expander_bound.c: Lemma 4 as a figure ---- */

/* Certified figures of the run's graph. */
struct expander_certificate {
    uint64_t degree, largest_set, most_load; /* r, floor(c / r), edges of a group */
    /* Any k <= largest_set inputs have at least lambda r k groups; 0: nothing is certified. */
    double lambda;
};

/* Returns the most messages that can have something left for a block after a phase, of `before`
 * that had when it began, if each group's visit selects `room` replicas for the block, or all that
 * want it. */
uint64_t expander_left(const struct expander_certificate *graph, uint64_t before, uint64_t room);

/* Returns the phases until none of `wanted` messages can have anything left for the block. */
uint64_t expander_phases(const struct expander_certificate *graph, uint64_t wanted,
                         uint64_t first_room, uint64_t room);

/* ---- the run ---- */

/* A message of which packets start here, or have come here from another rank. */
struct expander_message {
    uint32_t first; /* the name of the first slot of its blocks */
    uint32_t size;  /* slots of a block */
    node_index source;
    uint32_t met; /* Step 6: replicas that came home, a bit each; or EXPANDER_ABSENT */
};

/* The source's own replica did not come home, or nothing is left: all is visited. */
enum { EXPANDER_ABSENT = 1u << 31 };

struct expander_run {
    struct random_run masters; /* the replicas' walk around the tiles; the first member */
    struct routing *routing;
    struct batches batches;
    struct expander graph;
    /* if the steps are bounded, or alpha follows from it */
    struct expander_certificate certificate;
    uint32_t replicas; /* r, which is also the number of classes */
    uint32_t alpha;
    bool is_literal; /* r alpha migrations per visit in the first phase of a class */

    struct stream_walk stream; /* the run begins with it, if percent > 0 */
    uint32_t percent;          /* length of the walk in percent of 2 S + 4 m steps; 0: none */
    uint64_t public_seed;      /* of the walk's permutation */
    uint32_t capacity;         /* packets per node */
    struct attempt own;        /* the walk, and the replicas if it is in vain: without limits */

    uint32_t class, phase; /* the present ones, from 0 */
    struct expander_seats seats;
    /* [name of a message]: its index in `message`, from 1; 0: it is not known here. */
    uint32_t *message_at;
    struct expander_message *message;
    uint64_t messages, message_room;
    struct expander_message carried; /* of a packet that leaves for another rank */
    bool is_replicating;             /* in Step 1 */
    /* On ranks, packets that are looked up by their names: in Step 1 those that are to be made, in
     * Step 6 sources' own replicas. */
    struct number_table found;
    bool lacks_memory; /* for that table */
    /* [as routing->expected]: the name of the slot that brought it, or MACHINE_NONE. */
    uint32_t *holder;
};

/* A message's place among its class, positions along the mesh's snake. */
struct segment {
    uint32_t class, input; /* i of u_i */
    uint32_t first;        /* position of replica 0; replica j is j nodes further */
    uint32_t own;          /* the replica at the source */
};

/* ---- expander_messages.c ---- */

/* Make the table of messages: those of run->routing->set, and on ranks others as they arrive; and
 * free it, complete or not. FAIL_SYSTEM: no memory. */
enum failure_kind expander_tables_make(struct expander_run *run, struct failure *failure);
void expander_tables_free(struct expander_run *run);

/* Returns the name of replica `replica` of the packet's message. */
uint32_t expander_name_of(const struct expander_run *run, uint32_t packet, uint32_t replica);

struct expander_message *expander_message_of(const struct expander_run *run, uint32_t packet);
struct segment expander_segment_of(const struct expander_run *run, uint32_t packet);

/* Returns the number of the replica that a master is. */
uint32_t expander_replica(const struct expander_run *run, uint32_t packet);

/* header.state, in Step 1, of a replica that still has to make the next one, along the snake or
 * against it. */
enum { EXPANDER_AHEAD = 16, EXPANDER_BEHIND = 32 };

/* Returns the packet of that name; on ranks MACHINE_NONE unless expander_note_name() noted it. */
uint32_t expander_packet_of_name(const struct expander_run *run, uint32_t name);
/* Notes the packet's name, on ranks. For one thread, while the others wait. */
void expander_note_name(struct expander_run *run, uint32_t packet);
/* Forgets all names. FAIL_SYSTEM: there was no memory for one of them. */
enum failure_kind expander_forget_names(struct expander_run *run, struct failure *failure);

/* On ranks: takes slots for the replicas that resting packets are to make. False: no room. */
bool expander_reserve_all(struct expander_run *run);

/* On ranks: lets packets carry the data that other ranks need of them. Called after the machine was
 * made. */
void expander_carry(struct expander_run *run);

/* ---- expander_replica.c ---- */

/* Writes the name of a phase of the machine: `step`, class and phase; or begins that phase. */
void expander_name_step(const struct expander_run *run, const char *step,
                        char name[MACHINE_NAME_SIZE]);
void expander_begin(const struct expander_run *run, const char *step);

/* Does Steps 1(a) and 1(b): makes every resting message r replicas, one at each node of its
 * segment. A length that all nodes know. */
enum failure_kind expander_replicate(struct expander_run *run, struct failure *failure);

uint64_t expander_replicate_steps(const struct expander_run *run);

/* Does Step 6: the replicas of each message, at their birthplaces, become one packet at its source
 * again, with the destinations that none of them has seen; it is gone if there is none. A known
 * length. */
enum failure_kind expander_coalesce(struct expander_run *run, struct failure *failure);

uint64_t expander_coalesce_steps(const struct expander_run *run);

/* Makes run->seats for the graph. */
enum failure_kind expander_choose_seats(struct expander_run *run, struct failure *failure);

/* Does Steps 2 and 3: sends every replica to its seat in the tile of its group. */
enum failure_kind expander_assign(struct expander_run *run, struct failure *failure);

/* Does Step 5: sends every replica back to its entry, where it was made. */
enum failure_kind expander_return(struct expander_run *run, struct failure *failure);

/* ---- expander_replica.c: Step 4 ---- */

/* Make output queues, empty, and the tours of the blocks; and free them, complete or not.
 * FAIL_SYSTEM: no memory. */
enum failure_kind expander_visits_begin(struct expander_run *run, struct failure *failure);
void expander_visits_end(struct expander_run *run);

/* Makes the c visits, after Step 3, and an OR; *held becomes nonzero if replicas are left. It lasts
 * expander_visits_steps() steps with run->masters.instances, for every set. FAIL_SYSTEM: no
 * memory. */
enum failure_kind expander_visits(struct expander_run *run, unsigned *held,
                                  struct failure *failure);
enum failure_kind expander_visits_steps(const struct expander_run *run, uint64_t *steps,
                                        struct failure *failure);

/* Returns the most packets of a node. */
uint32_t expander_visits_packets(const struct expander_run *run);

/* True if the steps of this run have a bound: c is known. */
static inline bool expander_is_bounded(const struct expander_run *run)
{
    return run->routing->attempt == NULL;
}

/* Computes the most steps of the replicas of a batch, all classes. FAIL_SYSTEM: no memory. */
enum failure_kind expander_replicas_steps(struct expander_run *run, uint64_t *steps,
                                          struct failure *failure);

#endif
