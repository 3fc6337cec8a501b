/* migrate.h - the t-migration primitive: for every block of a region, copies of packets with
 * destinations in it go to the block, one per node (Proposition 3). */
#ifndef MESHCAST_PRIMITIVES_MIGRATE_H
#define MESHCAST_PRIMITIVES_MIGRATE_H

#include "machine/machine.h"
#include "primitives/tessellation.h"

/* All regions at once, each by itself. `blocks` must refine `regions` (tessellation_make of the
 * same mesh with more tiles), so every region has the same number t of blocks. */
struct migration_plan {
    const struct tessellation *regions, *blocks;
    uint32_t instances;   /* r >= 1 migrations, two at a time */
    struct excess excess; /* of the packets of a region */
    /* Packets for the routing of copies by unicast_blocks; 0: 5, or as many as spreading needs
     * anyway. */
    uint32_t room;
    /* All packets of a region move together from region to region, `visits` in all, and keep their
     * order along the snake of each; visit 0 is where they are ranked. visit_of returns the visit
     * at which they are in the region of `destination`. NULL: they stay, and destinations in other
     * regions do not count. */
    uint32_t visits;
    uint32_t (*visit_of)(void *context, uint32_t packet, node_place destination);
    void *context;
};

/* Bits of header.state. Copies have MIGRATE_IS_COPY, which is clear in all packets when a migration
 * begins. Of packets that are no copies header.state and header.target stay as they are. */
enum { MIGRATE_IS_COPY = 1, MIGRATE_SECOND_BATCH = 4 };

struct migration;

/* Prepares a migration. The caller ends *migration with migrate_end; the plan's tessellations must
 * outlive it. FAIL_SYSTEM: no memory. */
enum failure_kind migrate_make(struct machine *machine, const struct migration_plan *plan,
                               struct migration **migration, struct failure *failure);

/* Ranks the packets of every block: among the resting packets of the region, at most one per node
 * but for an excess, those with destinations in the block, along the region's snake. A packet of
 * rank q is selected for the block in instance floor(q / A), where A is the block's number of
 * nodes, if that is below plan->instances. Puts the destinations of each packet in the order of
 * visits, instances and blocks; those that are not selected are last. May be called again, for
 * other packets, while those that were ranked before are parked.
 * Steps: migrate_rank_steps, 2 floor(w / 2) + h - 1 + k - 1 for regions of at most h x w nodes,
 * twice: where k = v t / 4 words for v visits, or v t if a block can select 65536 packets or more,
 * and v r. FAIL_SYSTEM: no memory. */
enum failure_kind migrate_rank(struct migration *migration, struct failure *failure);

/* Sends instance number `instance` of visit `visit`, an even one, and the next one, if there is
 * one; each once, in order: for every block for which a packet is selected in it, a copy with
 * exactly the packet's destinations in the block goes to the node of the block's snake whose number
 * is the rank modulo A. So every block gets as many copies as are wanted there, at most A, one per
 * node. They rest there with MIGRATE_IS_COPY set, those of the second instance with
 * MIGRATE_SECOND_BATCH, and belong to the caller, who may have moved or delivered them before the
 * next instances. The packet keeps its other destinations and rests where it was; if it has none
 * left, it is the last copy itself.
 * Steps: migrate_visit_steps, for all instances of a visit. Buffer: migrate_packets. FAIL_CHECK: a
 * buffer overflowed. */
enum failure_kind migrate_send(struct migration *migration, uint32_t visit, uint32_t instance,
                               struct failure *failure);

/* Returns how many instances can select something: no rank is as large as a region. */
uint32_t migrate_instances(const struct migration_plan *plan);

/* Return the steps of migrate_rank, and of all instances of a visit, as every node computes them.
 * FAIL_SYSTEM: no memory. */
uint64_t migrate_rank_steps(const struct migration_plan *plan);
enum failure_kind migrate_visit_steps(const struct migration_plan *plan, bool copy_is_free,
                                      uint64_t *steps, struct failure *failure);

/* Returns the most packets at a node, without those that rest and copies of earlier instances:
 * plan->room, or if there are two instances 1 more, and at least 6, or the need of an excess's
 * heads (segment_heads_packets). */
uint32_t migrate_packets(const struct migration_plan *plan);

/* Frees; NULL is fine. */
void migrate_end(struct migration *migration);

/* Ranks, then sends every instance. The copies of all instances rest in the end, at most
 * plan->instances per node. */
enum failure_kind migrate(struct machine *machine, const struct migration_plan *plan,
                          struct failure *failure);

#endif
