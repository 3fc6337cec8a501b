/* random_private.h - the parts that the files of router `random` share: the run, its groupings, its
 * variants. For routers/random*.c.
 *
 * A phase: the grouping (Step 1) brings every packet to rest in the tile of its group, and calls it
 * a master; random_masters.c moves the masters around the cycle of tiles (Steps 2(c) and 3); at
 * each tile the variant delivers (Steps 2(a) and 2(b)).
 */
#ifndef MESHCAST_ROUTERS_RANDOM_PRIVATE_H
#define MESHCAST_ROUTERS_RANDOM_PRIVATE_H

#include "machine/rule.h"
#include "primitives/tessellation.h"
#include "primitives/tile_cycle.h"
#include "routers/random_lemmas.h"
#include "routers/routing.h"

/* header.state. A master has bit 0 clear; copies have RANDOM_MASTER clear, and all other bits are
 * their variant's. The four bits above the layer are also the variant's in masters, 0 between
 * visits. */
enum {
    RANDOM_MASTER = 2,
    RANDOM_LAYER = 4 | 8, /* 0 .. 3: number of the master in its cell */
    RANDOM_LAYER_SHIFT = 2,
    RANDOM_OWN = 0xf0,
};

/* The present activity of masters. */
enum random_stage { RANDOM_VISITING, RANDOM_SHIFTING };

struct random_variant;

struct random_run {
    struct routing *routing;
    struct machine *machine;
    struct headers *header;
    const struct random_variant *variant;
    uint32_t instances; /* r; none with variant=direct */
    /* Rounds of visits in the last phase, after which the attempt is void; 0: any number. */
    uint32_t rounds;
    uint32_t room; /* variant=paper: packets for the routing of copies; 0: as in a migration_plan */
    uint32_t congestion; /* congestion for which tiles are cut: c, or that of a batch */
    uint32_t phase;      /* i, 0 .. last_phase */
    uint32_t last_phase;
    /* Earlier groupings of this run: the draws for each are new. */
    uint32_t drawn;
    uint32_t layers; /* the most masters of a cell; set before Step 1, raised by a grouping */
    /* Masters of all layers, which are all on first seats, are one group: they go the same way,
     * together. */
    bool layers_are_one;

    /* of phase i */
    struct tessellation tiles, blocks; /* c_i tiles, each of b_i blocks */
    struct tile_cycle cycle;
    struct excess excess; /* of the masters of one layer, or of all that are one group */

    /* 0 .. tiles - 1: distance of masters around the cycle from where they began; Step 3 goes
     * around again */
    uint32_t visit;
    enum random_stage stage; /* masters are at the tile of this visit, or on their way to it */
    uint32_t wave;           /* the last wave of masters that may send now */
    void *own;               /* the variant's */
};

/* Step 1: brings all resting packets to rest in the tiles of their groups. When it ends every
 * packet has header.state = RANDOM_MASTER | layer << RANDOM_LAYER_SHIFT and header.target = the
 * node that names its seat (tile_cycle_seat), and rests at the home of that; masters with one such
 * node have different layers, below run->layers. Synchronises if needed. */
typedef enum failure_kind random_grouping(struct random_run *run, struct failure *failure);

/* Steps 2(a) and 2(b). The functions of the rule below are asked for copies, and for masters that
 * are at the home of this visit while stage is RANDOM_VISITING; random_masters.c moves all
 * others. */
struct random_variant {
    random_grouping *group; /* Step 1 */
    /* Masters of even layers walk in the direction of their seat; those of odd layers the other
     * way. False: those of even layers forward, the others backward, or all forward if they are one
     * group. */
    bool goes_both_ways;
    /* Makes run->own, at the start of a phase, after Step 1. May be NULL. */
    enum failure_kind (*begin)(struct random_run *run, struct failure *failure);
    /* Makes a visit, of a length that every node computes: masters at home in the tile of the visit
     * hand copies of themselves to their destinations there. A master keeps the destinations that
     * it has not handed over, with the range still in the order of visits; one with none left must
     * have become a copy. Copies may be under way when it ends; no instruction but machine_forward
     * then moves packets. */
    enum failure_kind (*visit)(struct random_run *run, struct failure *failure);
    uint64_t (*visit_steps)(const struct random_run *run); /* NULL in random_paper */
    /* Returns the steps of the first round in which late copies deliver after the last visit. */
    uint64_t (*drain_steps)(const struct random_run *run);
    void (*end)(struct random_run *run); /* frees run->own; may be NULL */
    /* Functions of a struct routing_rule, with the run as context. take may be NULL if no packet is
     * split. */
    unsigned (*outputs)(struct random_run *run, struct site site, uint32_t packet);
    uint32_t (*take)(struct random_run *run, struct site site, uint32_t packet, enum output output);
    uint32_t (*stop)(struct random_run *run, struct site site, uint32_t packet,
                     enum direction direction);
};

extern const struct random_variant random_direct, random_paper;

/* ---- random_direct.c ---- */

/* Steps of an attempt without those of ORs: the least, and those after which it has ended on every
 * set and seed, void or with all delivered. */
struct random_length {
    uint64_t planned, most;
    uint64_t syncs, most_syncs; /* ORs */
};

/* Computes the length of an attempt with variant=direct. FAIL_SYSTEM: no memory. */
enum failure_kind random_direct_length(const struct random_run *run, struct random_length *length,
                                       struct failure *failure);

/* Fills the choices of a run's first phase, for packets of one layer. */
enum failure_kind random_direct_choose(const struct random_run *run, struct router_choices *choices,
                                       struct failure *failure);

/* ---- random_paper.c ---- */

/* Reports before the machine is made the most steps of the visits of all phases, for variant=paper.
 * Promises the steps of the whole run if Lemma 1 need not split packets. */
enum failure_kind random_paper_predict(struct random_run *run, struct failure *failure);

/* Computes the steps of a round of visits of random_paper without the shifts, for any masters, from
 * run->layers, run->instances, run->tiles and run->blocks. FAIL_SYSTEM: no memory. */
enum failure_kind random_paper_steps(const struct random_run *run, uint64_t *steps,
                                     struct failure *failure);

/* Returns the most packets of a node that move or are copies in a visit of random_paper, besides
 * masters. */
uint32_t random_paper_packets(const struct random_run *run);

/* Returns the tour of a run that random_paper.begin has begun. */
struct block_tour *random_paper_tour(struct random_run *run);

/* ---- random_masters.c ---- */

/* Cuts the mesh for phase run->phase, before the first visit. FAIL_SYSTEM: no memory. random_uncut
 * frees it, complete or not. */
enum failure_kind random_cut(struct random_run *run, struct failure *failure);
void random_uncut(struct random_run *run);

/* Return the number of rounds after the last visit in which late copies deliver, an OR after each,
 * before an attempt is void; and the steps of round 0 .. */
uint32_t random_drain_rounds(const struct random_run *run);
uint64_t random_drain_steps(const struct random_run *run, uint32_t round);

/* Returns the rule of all waves of a run: masters on their way go to the home of this visit, first
 * on every link; the variant decides the rest. */
struct routing_rule random_rule(struct random_run *run);

/* Sorts every master's slots by the visits to their tiles; no communication. The destinations in
 * the next tile are then at the front of a master's range. Called before every round of visits. */
enum failure_kind random_sort_slots(struct random_run *run, struct failure *failure);

/* Moves masters from the nodes that name their seats to the seats' homes in the first tile: only if
 * tiles are unequal, and only from their last rows and columns. Steps: (1 + layers) (h + w) in
 * tiles of h x w, 0 if tiles are equal. */
enum failure_kind random_settle(struct random_run *run, struct failure *failure);
uint64_t random_settle_steps(const struct random_run *run);

/* Does Step 2(c): all masters walk to the same cells of the next tiles, in a phase of known length;
 * the visit's number goes up. */
enum failure_kind random_shift(struct random_run *run, struct failure *failure);

uint64_t random_shift_steps(const struct random_run *run);

/* Moves all masters, after the last visit, on to the first tile, and from there to the nodes that
 * name their seats. Steps: a shift, and those of random_settle. */
enum failure_kind random_return(struct random_run *run, struct failure *failure);

/* Makes a visit's `steps` steps, in which masters at home send: half of them at once, the others
 * when half of the time is over. Resting masters are asked when their wave comes. */
enum failure_kind random_send(struct random_run *run, uint64_t steps, struct failure *failure);

/* True if the wave of a master at home has come. */
bool random_may_send(const struct random_run *run, struct site site, uint32_t packet);

/* Returns the visit of a round at which the master is in the tile of `place`. */
uint32_t random_visit_of(const struct random_run *run, uint32_t packet, node_place place);

/* Returns the number of slots at the front of the master's range that are in the tile of `site`. */
uint32_t random_slots_here(const struct random_run *run, struct site site, uint32_t packet);

/* Does the same for a master that comes home; slots whose visits are over, but which were not
 * handed on, first go to the end of its range. */
uint32_t random_find_slots(struct random_run *run, struct site site, uint32_t packet);

/* Returns the sum of the longest sides of a tile. */
static inline uint64_t random_around(const struct random_run *run)
{
    return (uint64_t)run->cycle.height + run->cycle.width;
}

/* Returns the nodes of the blocks of one size, 0 .. RANDOM_BLOCK_SIZES - 1; sizes may be the
 * same. */
enum { RANDOM_BLOCK_SIZES = 4 };
static inline uint64_t random_block_area(const struct random_run *run, unsigned size)
{
    const struct axis *row = &run->blocks.row, *col = &run->blocks.col;
    uint64_t rows = size & 1 ? axis_shortest(row) : axis_longest(row);
    return rows * (size & 2 ? axis_shortest(col) : axis_longest(col));
}

static inline uint32_t random_layer(const struct headers *header, uint32_t packet)
{
    return (header->packet[packet].state & RANDOM_LAYER) >> RANDOM_LAYER_SHIFT;
}

static inline bool random_is_master(const struct headers *header, uint32_t packet)
{
    return header->packet[packet].state & RANDOM_MASTER;
}

#endif
