/* migrate_private.h - what a migration's ranks and its methods share. For primitives/migrate*.c. */
#ifndef MESHCAST_PRIMITIVES_MIGRATE_PRIVATE_H
#define MESHCAST_PRIMITIVES_MIGRATE_PRIVATE_H

#include "primitives/migrate.h"

/* A slot while the slots of a packet are put in order. */
struct slot_entry {
    uint64_t key;
    uint64_t mark;
    node_place destination;
    uint32_t place;
};

struct migration {
    struct machine *machine;
    struct headers *header;
    struct migration_plan plan;
    /* Marks travel with the slots of a packet's header, a mark for each block that it has
     * destinations in; here every slot of the block repeats it. */
    uint64_t *mark;  /* [slot]: the packet's rank in the block, MIGRATE_NO_RANK: not selected */
    uint32_t *place; /* [slot]: while ranking, the number of its block in the region; then the node
                      * to which its copy goes in this instance, MACHINE_NO_PLACE: none */
    struct slot_entry *entry; /* room for the slots of the largest packet */
};

#define MIGRATE_NO_RANK UINT64_MAX

/* A block: its rows and columns (start and end). */
struct block_view {
    struct halves rows, cols;
    uint64_t area;
};

static inline struct block_view migrate_block(const struct migration *migration,
                                              node_place destination)
{
    const struct axis *row = &migration->plan.blocks->row, *col = &migration->plan.blocks->col;
    uint32_t y = row->tile[place_row(destination)], x = col->tile[place_col(destination)];
    struct halves rows = {row->cut[y], 0, row->cut[y + 1]};
    struct halves cols = {col->cut[x], 0, col->cut[x + 1]};
    return (struct block_view){rows, cols,
                               (uint64_t)(rows.end - rows.start) * (cols.end - cols.start)};
}

/* Puts the slots of `packet` into the order of the keys in migration->entry, which must hold them
 * in the present order; slots of equal keys by destination. */
void migrate_order(struct migration *migration, uint32_t packet);

/* t: the blocks of a region. */
uint32_t migrate_blocks(const struct migration *migration);

/* The length of a largest region's sides, added. */
uint64_t migrate_around(const struct migration *migration);

/* The methods: move the copies for which migration->place of the slots names a node. */
enum failure_kind migrate_by_tree(struct migration *migration, struct failure *failure);
enum failure_kind migrate_literally(struct migration *migration, struct failure *failure);
enum failure_kind migrate_by_sorts(struct migration *migration, struct failure *failure);

#endif
