/* migrate.c - the t-migration primitive (Section 2.2 and Proposition 3 of the paper).
 *
 * Step 1 of the primitive, t prefix computations pipelined, gives each packet its rank in every
 * block for which it has destinations: the number of such packets before it along the region's
 * snake. The ranks decide who is selected, and they are at once what Step 3 of the paper gets by
 * sorting: the rank modulo the block's number of nodes A is the copy's node in the block. One rank
 * serves all instances: ranks 0 .. A-1 make the first, A .. 2A-1 the second. How copies get there
 * is the method's (migrate_tree.c, migrate_literal.c).
 *   A packet keeps its item of a prefix computation in its header: a mark for each block in which
 * it has destinations, never more than destinations. Nodes between pass on what they hear.
 *   Responsibility goes with the copies: each takes the packet's destinations in its block, the
 * packet keeps the rest. In unequal tiles every block goes by its own A.
 *
 * Steps, s the side of a region: 2 s - 2 + t for the ranks, 3 s with the usual t = s, and for each
 * instance what the method takes.
 * Cost: 12 bytes a slot, beside the machine's.
 */
#include "primitives/migrate.h"

#include "primitives/migrate_private.h"
#include "primitives/prefix.h"

#include <assert.h>
#include <stdlib.h>

/* ---- order of slots ---- */

static int compare_entries(const void *a, const void *b)
{
    const struct slot_entry *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->destination > y->destination) - (x->destination < y->destination);
}

void migrate_order(struct migration *migration, uint32_t packet)
{
    struct headers *header = migration->header;
    struct slot_entry *entry = migration->entry;
    uint32_t first = header->packet[packet].first, count = packet - first + 1;
    bool is_sorted = true;
    for (uint32_t i = 0; i < count; i++) {
        entry[i].mark = migration->mark[first + i];
        entry[i].place = migration->place[first + i];
        entry[i].destination = header->destination[first + i];
        is_sorted = is_sorted && (i == 0 || compare_entries(&entry[i - 1], &entry[i]) <= 0);
    }
    if (is_sorted)
        return;
    qsort(entry, count, sizeof *entry, compare_entries);
    for (uint32_t i = 0; i < count; i++) {
        migration->mark[first + i] = entry[i].mark;
        migration->place[first + i] = entry[i].place;
        header->destination[first + i] = entry[i].destination;
    }
}

/* ---- ranks ---- */

/* The number of the destination's block among the blocks of the region of `site`; t for a
 * destination elsewhere. */
static uint32_t block_number(const struct migration *migration, struct site site,
                             node_place destination)
{
    const struct tessellation *regions = migration->plan.regions;
    const struct tessellation *blocks = migration->plan.blocks;
    uint32_t down = blocks->row.levels - regions->row.levels;
    uint32_t across = blocks->col.levels - regions->col.levels;
    if (destination == MACHINE_NO_PLACE ||
        regions->row.tile[place_row(destination)] != regions->row.tile[site.row] ||
        regions->col.tile[place_col(destination)] != regions->col.tile[site.col])
        return 1u << (down + across);
    uint32_t y = blocks->row.tile[place_row(destination)] & ((1u << down) - 1);
    uint32_t x = blocks->col.tile[place_col(destination)] & ((1u << across) - 1);
    return y << across | x;
}

uint32_t migrate_blocks(const struct migration *migration)
{
    const struct migration_plan *plan = &migration->plan;
    return (uint32_t)(tessellation_tiles(plan->blocks) / tessellation_tiles(plan->regions));
}

/* Puts the packet's slots in the order of blocks; 1 goes into the sum of each of its blocks. */
static void mark_packet(struct migration *migration, struct site site, uint32_t packet)
{
    struct headers *header = migration->header;
    uint32_t first = header->packet[packet].first;
    for (uint32_t slot = first; slot <= packet; slot++) {
        migration->place[slot] = block_number(migration, site, header->destination[slot]);
        migration->mark[slot] = 1;
        migration->entry[slot - first].key = migration->place[slot];
    }
    migrate_order(migration, packet);
}

/* Where the packet at `site` keeps its item for block number `item`: at the block's first slot. */
static uint64_t *find_mark(void *context, uint32_t item, struct site site)
{
    struct migration *migration = context;
    uint32_t packet = machine_first_resting(migration->machine, site.index);
    if (packet == MACHINE_NONE)
        return NULL;
    uint32_t low = migration->header->packet[packet].first, high = packet;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (migration->place[middle] < item)
            low = middle + 1;
        else
            high = middle;
    }
    return migration->place[low] == item ? &migration->mark[low] : NULL;
}

/* Every slot gets its block's rank, if the packet is selected for the block in some instance. */
static void spread_ranks(struct migration *migration, uint32_t packet)
{
    struct headers *header = migration->header;
    uint32_t first = header->packet[packet].first, blocks = migrate_blocks(migration);
    for (uint32_t slot = first; slot <= packet; slot++) {
        if (slot > first && migration->place[slot] == migration->place[slot - 1]) {
            migration->mark[slot] = migration->mark[slot - 1];
            continue;
        }
        if (migration->place[slot] < blocks &&
            migration->mark[slot] < migration->plan.instances *
                                        migrate_block(migration, header->destination[slot]).area)
            continue;
        migration->mark[slot] = MIGRATE_NO_RANK;
    }
}

static enum failure_kind rank_packets(struct migration *migration, struct failure *failure)
{
    struct machine *machine = migration->machine;
    uint32_t nodes = mesh_nodes(machine_config(machine)->mesh);
    for (node_index node = 0; node < nodes; node++) {
        uint32_t packet = machine_first_resting(machine, node);
        if (packet == MACHINE_NONE)
            continue;
        assert(machine_next_resting(machine, packet) == MACHINE_NONE);
        migration->header->packet[packet].state = 0;
        mark_packet(migration, machine_site(machine, node), packet);
    }
    struct prefix_items items = {.operation = &prefix_sum,
                                 .count = migrate_blocks(migration),
                                 .find = find_mark,
                                 .context = migration};
    if (!migration->plan.keeps_phase)
        machine_begin_phase(machine, "rank");
    if (prefix_snake(machine, migration->plan.regions, &items, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    for (node_index node = 0; node < nodes; node++) {
        uint32_t packet = machine_first_resting(machine, node);
        if (packet != MACHINE_NONE)
            spread_ranks(migration, packet);
    }
    return FAIL_NONE;
}

/* ---- instances ---- */

/* Where the packet's copies go in this instance. Copies of earlier ones have earlier ranks. */
static void place_copies(struct migration *migration, uint32_t instance, uint32_t packet)
{
    struct headers *header = migration->header;
    for (uint32_t slot = header->packet[packet].first; slot <= packet; slot++) {
        migration->place[slot] = MACHINE_NO_PLACE;
        uint64_t rank = migration->mark[slot];
        if (rank == MIGRATE_NO_RANK)
            continue;
        struct block_view block = migrate_block(migration, header->destination[slot]);
        if (rank / block.area == instance)
            migration->place[slot] = snake_place(block.rows, block.cols, rank % block.area);
    }
}

enum failure_kind migrate_send(struct migration *migration, uint32_t instance,
                               struct failure *failure)
{
    struct machine *machine = migration->machine;
    uint32_t nodes = mesh_nodes(machine_config(machine)->mesh);
    for (node_index node = 0; node < nodes; node++)
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet))
            place_copies(migration, instance, packet);
    switch (migration->plan.method) {
    case MIGRATE_TREE:
        return migrate_by_tree(migration, failure);
    case MIGRATE_LITERAL:
        return migrate_literally(migration, failure);
    default:
        return migrate_by_sorts(migration, failure);
    }
}

static uint32_t longest_interval(const struct axis *axis)
{
    uint32_t longest = 0;
    for (uint32_t i = 0; i < axis_intervals(axis); i++)
        if (axis->cut[i + 1] - axis->cut[i] > longest)
            longest = axis->cut[i + 1] - axis->cut[i];
    return longest;
}

uint64_t migrate_around(const struct migration *migration)
{
    const struct tessellation *regions = migration->plan.regions;
    return (uint64_t)longest_interval(&regions->row) + longest_interval(&regions->col);
}

/* ---- life ---- */

static uint32_t largest_packet(const struct machine *machine, const struct headers *header)
{
    uint32_t nodes = mesh_nodes(machine_config(machine)->mesh), largest = 0;
    for (node_index node = 0; node < nodes; node++) {
        uint32_t packet = machine_first_resting(machine, node);
        if (packet != MACHINE_NONE && packet - header->packet[packet].first >= largest)
            largest = packet - header->packet[packet].first + 1;
    }
    return largest;
}

enum failure_kind migrate_begin(struct machine *machine, const struct migration_plan *plan,
                                struct migration **migration, struct failure *failure)
{
    struct migration *new = *migration = memory_allocate(1, sizeof *new);
    if (new == NULL)
        return fail_memory(failure, "a migration");
    *new =
        (struct migration){.machine = machine, .header = machine_headers(machine), .plan = *plan};
    new->mark = memory_allocate(new->header->slots, sizeof *new->mark);
    new->place = memory_allocate(new->header->slots, sizeof *new->place);
    new->entry = memory_allocate(largest_packet(machine, new->header), sizeof *new->entry);
    enum failure_kind kind = FAIL_NONE;
    if (new->mark == NULL || new->place == NULL || new->entry == NULL)
        kind = fail_memory(failure, "a migration");
    if (kind == FAIL_NONE)
        kind = rank_packets(new, failure);
    if (kind != FAIL_NONE) {
        migrate_end(new);
        *migration = NULL;
    }
    return kind;
}

void migrate_end(struct migration *migration)
{
    if (migration == NULL)
        return;
    free(migration->mark);
    free(migration->place);
    free(migration->entry);
    free(migration);
}

enum failure_kind migrate(struct machine *machine, const struct migration_plan *plan,
                          struct failure *failure)
{
    struct migration *migration;
    enum failure_kind kind = migrate_begin(machine, plan, &migration, failure);
    for (uint32_t i = 0; i < plan->instances && kind == FAIL_NONE; i++)
        kind = migrate_send(migration, i, failure);
    migrate_end(migration);
    return kind;
}
