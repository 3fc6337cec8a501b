/* migrate.h - the t-migration primitive: for every block of a region, copies of packets with
 * destinations in it go to the block, one a node (Proposition 3). */
#ifndef MESHCAST_PRIMITIVES_MIGRATE_H
#define MESHCAST_PRIMITIVES_MIGRATE_H

#include "machine/machine.h"
#include "primitives/surplus.h"
#include "primitives/tessellation.h"

enum migrate_method {
    MIGRATE_TREE,    /* one multicast tree from each packet to the nodes of its copies */
    MIGRATE_LITERAL, /* Proposition 3: spread, segmented broadcast, permutation routing */
    MIGRATE_SORTED,  /* the same, with routings of known lengths in a proven buffer */
};

/* All regions at once, each by itself. `blocks` must refine `regions` (tessellation_make of the same mesh with
 * more tiles), so every region has the same number t of blocks. */
struct migration_plan {
    const struct tessellation *regions, *blocks;
    uint32_t instances; /* r >= 1 migrations one after the other */
    enum migrate_method method;
    /* The rest is for the sorted method alone. */
    bool keeps_phase;       /* no phase is begun: all steps are of the one that goes on */
    uint32_t together;      /* 2: instances go in pairs; else one by one */
    struct surplus surplus; /* of the packets of a region */
    /* Packets for the routing of copies by unicast_blocks; 0: 5, or as many as spreading takes anyway. */
    uint32_t room;
    /* All packets of a region move together from region to region, `visits` in all, and stand in the same order
     * along the snake of each; where they are ranked is visit 0. visit_of returns at which visit they come to the
     * region of `destination`. NULL: they stay, and destinations in other regions do not count. */
    uint32_t visits;
    uint32_t (*visit_of)(void *context, uint32_t packet, node_place destination);
    void *context;
};

/* Bits of header.state. Copies have MIGRATE_IS_COPY, which is clear in all packets when a migration begins. Trees
 * and the literal method use header.state and header.target of all packets; the sorted method leaves both alone
 * in packets that are no copies. */
enum { MIGRATE_IS_COPY = 1, MIGRATE_COLUMN_FIRST = 2, MIGRATE_SECOND_BATCH = 4 };

struct migration;

/* Ranks the packets of every block: among the resting packets of the region, at most one a node but for a surplus,
 * those with destinations in the block, along the region's snake. A packet of rank q is selected for the block in
 * instance floor(q / A), where A is the block's number of nodes, if that is below plan->instances. Puts the
 * destinations of each packet in the order of blocks; those that do not count, and slots without a destination, come
 * last. Sorted: what is selected comes first, by visits and instances.
 * A phase "rank" of migrate_rank_steps steps: 2 floor(w / 2) + h - 1 + k - 1 for regions of at most h x w nodes,
 * where k = t / 4 words, or t if a block can select 65536 packets or more. Sorted: k is v t / 4 (or v t) for v
 * visits, and a phase "count" follows, as long with v r for k, in which carriers and marks are numbered.
 * The caller ends *migration with migrate_end; the plan's tessellations must outlive it. FAIL_SYSTEM: no
 * memory. */
enum failure_kind migrate_begin(struct machine *machine, const struct migration_plan *plan,
                                struct migration **migration, struct failure *failure);

/* The same in two parts. With the sorted method migrate_rank may be called again, for other packets, while those
 * that were ranked before are set aside. */
enum failure_kind migrate_make(struct machine *machine, const struct migration_plan *plan,
                               struct migration **migration, struct failure *failure);
enum failure_kind migrate_rank(struct migration *migration, struct failure *failure);

/* Instance number `instance`, each 0 .. instances-1 once, in order: for every block for which a
 * packet is selected in it, a copy with exactly the packet's destinations in the block goes to the
 * node of the block's snake whose number is the rank modulo A. So every block gets as many copies
 * as are wanted there, at most A, one a node. They rest there with MIGRATE_IS_COPY set and belong
 * to the caller, who may have moved or delivered them before the next instance. The packet keeps
 * its other destinations and rests where it was; if it has none left, it is the last copy itself.
 * Ends with a synchronisation, but for the sorted method, whose length all nodes know. Phases:
 * "migrate"; the literal and the sorted method also have "count", "spread" and "broadcast" before
 * it. Steps in regions of side s, apart from synchronisations, all measured (s = 8 .. 256): by
 * trees 2 s with free copies, 3 s with unit copies, so with the ranks of t = s blocks 4.25 s and 5.25 s;
 * literally 6.5 s and 7.5 s, 8.75 s and 9.75 s with the ranks. Buffer: 9 packets per node at most
 * measured up to s = 144, 14 at s = 256, beside the copies of earlier instances; the tests run with
 * room for 12. FAIL_CHECK: a buffer overflowed.
 * Sorted: steps migrate_visit_steps, buffer migrate_packets. With plan->together = 2 `instance` is even and goes
 * with the next one, if there is one, whose copies have MIGRATE_SECOND_BATCH. */
enum failure_kind migrate_send(struct migration *migration, uint32_t instance,
                               struct failure *failure);

/* Sorted: the same at visit `visit`; visits come in their order. */
enum failure_kind migrate_send_sorted(struct migration *migration, uint32_t visit,
                                      uint32_t instance, struct failure *failure);

/* How many instances can select something: no rank is as large as a region. */
uint32_t migrate_instances(const struct migration_plan *plan);

/* The steps of migrate_begin, and with the sorted method of all instances of a visit, as every node computes
 * them. FAIL_SYSTEM: no memory. */
uint64_t migrate_rank_steps(const struct migration_plan *plan);
enum failure_kind migrate_visit_steps(const struct migration_plan *plan, bool copy_is_free,
                                      uint64_t *steps, struct failure *failure);

/* Sorted: the packets at a node at most, beside those that rest and copies of earlier instances: plan->room, or
 * if instances go in pairs 1 more, and at least 6, or what carriers of a surplus take (carriers_packets). */
uint32_t migrate_packets(const struct migration_plan *plan);

/* Frees; NULL is survived. */
void migrate_end(struct migration *migration);

/* All of it: the ranks, then every instance. The copies of all instances rest in the end, at most
 * plan->instances per node. */
enum failure_kind migrate(struct machine *machine, const struct migration_plan *plan,
                          struct failure *failure);

#endif
