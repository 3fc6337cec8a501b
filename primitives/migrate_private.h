/* migrate_private.h - what a migration's ranks and its methods share. For primitives/migrate*.c. */
#ifndef MESHCAST_PRIMITIVES_MIGRATE_PRIVATE_H
#define MESHCAST_PRIMITIVES_MIGRATE_PRIVATE_H

#include "primitives/migrate.h"
#include "primitives/prefix_sparse.h"
#include "primitives/segmented_broadcast.h"
#include "primitives/unicast_route.h"

/* A slot while the slots of a packet are put in order. */
struct slot_entry {
    uint64_t key;
    uint32_t mark, place;
    node_place destination;
};

struct migration {
    struct machine *machine;
    struct headers *header;
    struct migration_plan plan;
    struct slot_entry *entry;    /* room for the slots of the largest packet */
    struct prefix_entry *of_one; /* .. and for what it puts in */

    /* A packet has a mark for each block in which it has destinations. It travels with their slots, and each
     * of these repeats what is known of it; so all arrays are [slot].
     * mark: the packet's rank in the block, MIGRATE_NO_RANK: not selected; with the sorted method then the
     * group, numbered by visits and within a visit by instances.
     * place: during ranking the number of the block's count, UINT32_MAX: none; then the node to which the
     * copy goes (in this instance), MACHINE_NO_PLACE: none. */
    uint32_t *mark, *place;
    /* Sorted alone. position: the marks of the group that packets before this one in the region have;
     * column: how many such packets there are, modulo the region's width. */
    uint32_t *position;
    uint16_t *column;
    struct block_choice route; /* of copies to their nodes */
};

#define MIGRATE_NO_RANK UINT32_MAX

/* A block: its rows and columns. */
struct block_view {
    struct interval rows, cols;
    uint64_t area;
};

static inline struct block_view migrate_block(const struct migration *migration,
                                              node_place destination)
{
    const struct tessellation *blocks = migration->plan.blocks;
    struct interval rows = axis_interval_at(&blocks->row, place_row(destination));
    struct interval cols = axis_interval_at(&blocks->col, place_col(destination));
    return (struct block_view){rows, cols, (uint64_t)interval_length(rows) * interval_length(cols)};
}

/* The entries of all nodes in a prefix computation, in the nodes' order; `row` says where each row's begin. */
struct entries {
    struct prefix_entry *entry;
    struct prefix_row *row;
};

/* What the packets of a node put into computations and get out of them. `fill` writes what a packet puts in, in the
 * order of items, and returns what is behind its last entry; `read` gets the same entries with what stands before
 * the packet. */
struct exchange {
    const struct prefix_operator *operation;
    struct prefix_entry *(*fill)(const struct migration *migration, node_index node,
                                 uint32_t packet, struct prefix_entry *entry);
    void (*read)(struct migration *migration, uint32_t packet, const struct prefix_entry *entry);
};

/* Before and after the computations. Packets of one node share an entry of an item. */
void migrate_fill(struct migration *migration, struct entries *entries,
                  const struct exchange *exchange);
void migrate_read(struct migration *migration, struct entries *entries,
                  const struct exchange *exchange);

/* Puts the slots of `packet` into the order of the keys in migration->entry, which must hold them
 * in the present order; slots of equal keys by destination. */
void migrate_order(struct migration *migration, uint32_t packet);

/* t: the blocks of a region. */
uint32_t migrate_blocks(const struct migration_plan *plan);

/* Instances of all visits. */
uint32_t migrate_groups(const struct migration_plan *plan);

/* The sum of a largest region's sides. */
uint64_t migrate_around(const struct migration *migration);

/* The methods: move the copies for which migration->place of the slots names a node. */
enum failure_kind migrate_by_tree(struct migration *migration, struct failure *failure);
enum failure_kind migrate_literally(struct migration *migration, struct failure *failure);

/* ---- migrate_sorted.c ---- */

enum failure_kind migrate_choose_route(const struct migration_plan *plan,
                                       struct block_choice *choice, struct failure *failure);

/* ---- migrate_group.c ---- */

/* Where the mark that begins at `slot` of the packet ends: the slots of one block go to one node. */
uint32_t migrate_mark_end(const struct migration *migration, uint32_t slot, uint32_t packet);

/* The slots of the packet's first `marks` marks. `migration` is a struct migration; for struct segments. */
uint32_t migrate_slots(void *migration, uint32_t packet, uint32_t marks);

/* After the ranks, sorted: puts what is selected in the order of its groups at the front of each packet's range,
 * and numbers the packets of each group and their marks. */
enum failure_kind migrate_number(struct migration *migration, struct entries *entries,
                                 struct failure *failure);

/* From then on: whether the packet has a slot `slot`, and it is selected; and where the group that begins there
 * ends, with the number of its marks. */
bool migrate_is_selected(const struct migration *migration, uint32_t slot, uint32_t packet);
uint32_t migrate_group_end(const struct migration *migration, uint32_t slot, uint32_t packet,
                           uint32_t *marks);

/* How a packet's slots become copies along its segment; `copies` says how many. */
static inline struct segments migrate_segments(const struct migration_plan *plan,
                                               uint32_t (*copies)(void *context, uint32_t packet),
                                               void *migration)
{
    return (struct segments){.tiles = plan->regions,
                             .per_node = 1,
                             .longest = migrate_blocks(plan),
                             .copies = copies,
                             .slots = migrate_slots,
                             .context = migration};
}

#endif
