/* migrate.h - the t-migration primitive: for every block of a region, copies of packets with
 * destinations in it go to the block, one a node (Proposition 3). */
#ifndef MESHCAST_PRIMITIVES_MIGRATE_H
#define MESHCAST_PRIMITIVES_MIGRATE_H

#include "machine/machine.h"
#include "primitives/tessellation.h"

enum migrate_method {
    MIGRATE_TREE,    /* one multicast tree from each packet to the nodes of its copies */
    MIGRATE_LITERAL, /* Proposition 3: spread, segmented broadcast, permutation routing */
    MIGRATE_SORTED,  /* the same, routing by sorts: a known length, a proven buffer */
};

/* All regions at once, each by itself. `blocks` must refine `regions` (tessellation_make of the
 * same mesh with more tiles), so every region has the same number t of blocks. */
struct migration_plan {
    const struct tessellation *regions, *blocks;
    uint32_t instances; /* r >= 1 migrations after one another */
    enum migrate_method method;
    bool keeps_phase; /* sorted: all goes on in the phase that was begun, no other is */
};

/* Bits of header.state while a migration goes on. With the sorted method header.target of the
 * packets that were there before stays as it is. */
enum { MIGRATE_IS_COPY = 1, MIGRATE_COLUMN_FIRST = 2 };

struct migration;

/* Ranks the packets of every block: among the resting packets of the region, at most one a node,
 * those with destinations in the block, along the region's snake. A packet of rank q is selected
 * for the block in instance floor(q / A), where A is the block's number of nodes, if that is below
 * plan->instances. Puts the destinations of each packet in the order of blocks; those outside of
 * the packet's region, and slots without a destination, count nowhere.
 * Runs in a phase "rank": t prefix computations pipelined, 2 floor(w / 2) + h - 1 + t - 1 steps for
 * regions of at most h x w nodes. Gives *migration, to be ended with migrate_end; the plan's
 * tessellations must outlive it. FAIL_SYSTEM: no memory. */
enum failure_kind migrate_begin(struct machine *machine, const struct migration_plan *plan,
                                struct migration **migration, struct failure *failure);

/* Instance number `instance`, each 0 .. instances-1 once, in order: for every block for which a
 * packet is selected in it, a copy with exactly the packet's destinations in the block goes to the
 * node of the block's snake whose number is the rank modulo A. So every block gets as many copies
 * as are wanted there, at most A, one a node. They rest there with MIGRATE_IS_COPY set and belong
 * to the caller, who may have moved or delivered them before the next instance. The packet keeps
 * its other destinations and rests where it was; if it has none left, it is the last copy itself.
 * Ends with a synchronisation, but for the sorted method, whose length all nodes know. Phases:
 * "migrate"; the literal and the sorted method also have "count", "spread" and "broadcast" before
 * it. Steps in regions of side s, apart from synchronisations, all measured (s = 8 .. 256): by
 * trees 2 s with free copies, 3 s with unit copies, so with the ranks of t = s blocks 5 s and 6 s;
 * literally 6.5 s and 7.5 s, 9.5 s and 10.5 s with the ranks; sorted 17 s and 18 s where s is a
 * power of two. Buffer, sorted: 5 packets a node (3 where s is a power of two) beside those that
 * rest; else 9 packets a node at most
 * measured up to s = 144, 14 at s = 256, beside the copies of earlier instances; the tests run with
 * room for 12. FAIL_CHECK: a buffer overflowed. */
enum failure_kind migrate_send(struct migration *migration, uint32_t instance,
                               struct failure *failure);

/* The steps of migrate_begin and of one migrate_send with the sorted method, as every node computes them.
 * FAIL_SYSTEM: no memory. */
uint64_t migrate_rank_steps(const struct migration_plan *plan);
enum failure_kind migrate_sorted_steps(const struct migration_plan *plan, bool copy_is_free,
                                       uint64_t *steps, struct failure *failure);

/* The bytes that a migration of `slots` slots on `nodes` nodes takes beside the machine's. */
uint64_t migrate_footprint(uint64_t nodes, uint64_t slots);

/* Frees; NULL is survived. */
void migrate_end(struct migration *migration);

/* All of it: the ranks, then every instance. The copies of all instances rest in the end, at most
 * plan->instances a node. */
enum failure_kind migrate(struct machine *machine, const struct migration_plan *plan,
                          struct failure *failure);

#endif
