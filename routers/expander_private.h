/* expander_private.h - what the parts of router `expander` share: the run, its replicas, its steps.
 * For routers/expander*.c.
 *
 * The class of a piece, the input u_i of the graph that it is, and the nodes where its replicas
 * are made and come home follow from the number along the mesh's snake of the node where it originates, which
 * its packets carry: the source of its message, or where the walk left it. Replica j of a message of d
 * destinations has a name of its own, the last slot of its block of d slots; a piece of the message has a
 * part of each block (expander_replica.c).
 */
#ifndef MESHCAST_ROUTERS_EXPANDER_PRIVATE_H
#define MESHCAST_ROUTERS_EXPANDER_PRIVATE_H

#include "base/number_table.h"
#include "expanders/expander.h"
#include "routers/batches.h"
#include "routers/expander_bound.h"
#include "routers/expander_seats.h"
#include "routers/random_private.h"
#include "routers/stream_walk.h"

/* What the clock tells every node. */
enum expander_stage { EXPANDER_HAND, EXPANDER_WALK, EXPANDER_DRAIN };

struct expander_visits;

/* What is left of a message at one node: all of it, or what the walk left there (expander_stream.c). */
struct piece {
    node_index origin; /* the node, when its layer has begun; MACHINE_NONE: of a later layer */
    uint32_t met;      /* Step 6: replicas that came home, a bit each; or EXPANDER_ABSENT */
};

/* The source's own replica did not come home, or nothing is left: all is visited. */
enum { EXPANDER_ABSENT = 1u << 31 };

/* What is known of a message of which packets start here, or have come here from another rank. */
struct expander_message {
    uint32_t first; /* the name of the first slot of its blocks */
    uint32_t size;  /* how many slots a block has */
    uint64_t piece; /* where its pieces are, `size` of them */
};

/* What a packet carries to another rank: of its message, and where its piece originates. */
struct expander_carried {
    uint32_t first, size;
    node_index origin;
};

struct expander_run {
    struct random_run masters; /* the replicas' walk round the tiles; the first member */
    struct routing *routing;
    struct batches batches;
    struct expander graph;
    struct expander_certificate certificate; /* if the steps are bounded, or alpha comes of it */
    uint32_t replicas, classes;              /* r, kappa */
    uint32_t alpha;
    bool is_literal; /* r alpha migrations a visit in the first phase of a class */
    const struct expander_visits *visits;

    struct stream_walk stream; /* with which the run begins, if percent > 0 */
    uint32_t percent;          /* of the standard length that the walk's first round has */
    uint32_t rounds;           /* further ones, at most */
    uint64_t public_seed;      /* of the walk's permutation */
    bool may_leave_out;        /* the walk, where the user's capacity has no room for it */

    uint32_t layer, class, phase; /* of now, from 0 */
    enum expander_stage stage;
    struct expander_seats seats;
    /* [name of a message]: where it is in `message`, from 1; 0: it is not known here. */
    uint32_t *message_at;
    struct expander_message *message;
    struct piece *piece; /* at the last delivery that the piece has */
    uint64_t messages, message_room, pieces, piece_room;
    struct expander_carried carried; /* by a packet that leaves for another rank */
    bool is_replicating;             /* in Step 1 */
    /* On ranks, packets that are looked for by their names: in Step 1 those that are to be made, in Step 6 sources' own
     * replicas. */
    struct number_table found;
    bool lacks_memory; /* for that table */
    /* [as routing->expected]: the name of the slot that brought it, or MACHINE_NONE. */
    uint32_t *holder;
};

/* A piece's place among its class, positions along the mesh's snake. */
struct segment {
    uint32_t class, input; /* i of u_i */
    uint32_t first;        /* position of replica 0; replica j stands j nodes behind it */
    uint32_t own;          /* the replica that stands at the origin */
};

enum { EXPANDER_SLOTS = 1 }; /* of a channel */

/* Step 4(a): how replicas deliver at a tile. */
struct expander_visits {
    const struct random_variant *variant;
    /* c visits, after Step 3: all that is selected is delivered, or on its way, when it ends. */
    enum failure_kind (*round)(struct expander_run *run, struct failure *failure);
    /* Ends when nothing is on its way any more; then an OR tells whether replicas are left. */
    enum failure_kind (*drain)(struct expander_run *run, unsigned *held, struct failure *failure);
    /* `round` and `drain` together take at most *steps steps, the OR counted, with run->masters.instances, whoever
     * made the set. FAIL_SYSTEM: no memory. NULL: no bound is proven. */
    enum failure_kind (*steps)(const struct expander_run *run, uint64_t *steps,
                               struct failure *failure);
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

/* ---- expander_carry.c ---- */

/* The tables of messages and pieces: those of run->routing->set, and on ranks others as they come. FAIL_SYSTEM: no
 * memory; freed by the other, whole or not. */
enum failure_kind expander_tables_make(struct expander_run *run, struct failure *failure);
void expander_tables_free(struct expander_run *run);
uint64_t expander_tables_footprint(const struct message_set *set);

/* header.state, in Step 1, of a replica that still has to make the next one, along the snake or against it. */
enum { EXPANDER_AHEAD = 16, EXPANDER_BEHIND = 32 };

/* Returns the packet of that name; on ranks MACHINE_NONE unless expander_note_name() was told of it. */
uint32_t expander_packet_of_name(const struct expander_run *run, uint32_t name);
/* On ranks: notes the packet's name. For one thread, while the others wait. */
void expander_note_name(struct expander_run *run, uint32_t packet);
/* Forgets all names. FAIL_SYSTEM: there was no memory for one of them. */
enum failure_kind expander_forget_names(struct expander_run *run, struct failure *failure);

/* On ranks: takes slots for the replicas that those which rest are to make. False: no room. */
bool expander_reserve_all(struct expander_run *run);

/* On ranks: lets packets carry to other ranks what these need to know of them. After the machine was made. */
void expander_carry(struct expander_run *run);

/* ---- expander_stream.c ---- */

/* Makes run->stream, if the run begins with a walk. FAIL_SYSTEM: no memory. */
enum failure_kind expander_stream_make(struct expander_run *run, struct failure *failure);

/* The pieces that a node holds at most when the walk is over. */
uint32_t expander_most_pieces(const struct expander_run *run);

/* The walk, its further rounds, and the ORs behind them: expander_stream_steps steps at most. *held is 0
 * if all is delivered; otherwise what is left rests. */
enum failure_kind expander_stream_run(struct expander_run *run, unsigned *held,
                                      struct failure *failure);
uint64_t expander_stream_steps(const struct expander_run *run);

/* The first packet that rests at each node becomes one of this layer, and originates there. */
void expander_layer_begin(struct expander_run *run);

/* ---- expander_replica.c ---- */

/* The name of replica `replica` of the packet's piece. */
uint32_t expander_name_of(const struct expander_run *run, uint32_t packet, uint32_t replica);

/* The piece of which a packet that rests is all, or a replica. */
struct piece *expander_piece(struct expander_run *run, uint32_t packet);
struct segment expander_segment_of(const struct expander_run *run, uint32_t packet);

struct segment expander_segment(const struct expander_run *run, node_index source);

/* Which replica a master is. */
uint32_t expander_replica(const struct expander_run *run, uint32_t packet);

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

/* c of the tiles: that of a batch, were it even, and 4 at least. */
uint32_t expander_congestion(const struct routing *routing);

/* From the mesh, c and the parameters: tiles and blocks; r, kappa and the visits; the graph; what is
 * certified of it, if that is needed, and alpha. In this order. FAIL_USAGE: something does not fit, and the
 * text says what. */
enum failure_kind expander_choose_tiles(struct expander_run *run, struct failure *failure);
enum failure_kind expander_choose_constants(struct expander_run *run, struct failure *failure);
enum failure_kind expander_choose_graph(struct expander_run *run, struct failure *failure);
enum failure_kind expander_choose_alpha(struct expander_run *run, struct failure *failure);

/* Reports what the parameter is. */
void expander_use_number(const struct expander_run *run, const char *name, uint32_t number);

/* ---- expander_file.c ---- */

/* Reads run->graph, with `inputs` inputs or, a Reed-Solomon graph, more, run->replicas edges each,
 * and as many groups as there are tiles. FAIL_USAGE names what does not fit, and FAIL_INPUT and
 * FAIL_SYSTEM are those of expander_read(); run->graph is to be freed in any case. */
enum failure_kind expander_graph_read(struct expander_run *run, const char *path, uint32_t inputs,
                                      struct failure *failure);

/* ---- expander_mark.c ---- */

/* Output queues, empty, for what the nodes expect. FAIL_SYSTEM: no memory; freed by the other, whole or
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

/* Whether the steps of this run have a bound: c is known, and the visits have one. */
bool expander_is_bounded(const struct expander_run *run);

/* The steps of the run at most, for any set of this mesh, c and l: where the visits have a
 * bound. FAIL_SYSTEM: no memory. */
enum failure_kind expander_bound(struct expander_run *run, uint64_t *steps,
                                 struct failure *failure);

/* ---- expander_route.c ---- */

/* The name of a phase of the machine: after the class, the phase and `step`. */
void expander_name_step(const struct expander_run *run, const char *step,
                        char name[MACHINE_NAME_SIZE]);

/* Begins it. */
void expander_begin(const struct expander_run *run, const char *step);

#endif
