/* migrate.c - the t-migration primitive (Section 2.2 and Proposition 3 of the paper).
 *
 * Step 1 of the primitive, t prefix computations pipelined, gives each packet its rank in every
 * block for which it has destinations: the number of such packets before it along the region's
 * snake. The ranks decide who is selected, and they are at once what Step 3 of the paper gets by
 * sorting: the rank modulo the block's number of nodes A is the copy's node in the block. One rank
 * serves all instances: ranks 0 .. A-1 make the first, A .. 2A-1 the second. How copies get there
 * is the method's (migrate_tree.c, migrate_literal.c).
 *   A packet has an item of a prefix computation for each block in which it has destinations, never
 * more than destinations. Most words that pass a node find none (prefix_sparse.c).
 *   Responsibility goes with the copies: each takes the packet's destinations in its block, the
 * packet keeps the rest. In unequal tiles every block goes by its own A.
 *
 * Steps, s the side of a region: 2 s - 2 + t for the ranks, 3 s with the usual t = s, and for each
 * instance what the method takes.
 * Cost: 12 bytes a slot, beside the machine's; for the ranks, 24 bytes a block of a packet.
 */
#include "primitives/migrate.h"

#include "primitives/migrate_private.h"
#include "primitives/prefix_sparse.h"

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

static uint32_t blocks_of_region(const struct migration_plan *plan)
{
    return (uint32_t)(tessellation_tiles(plan->blocks) / tessellation_tiles(plan->regions));
}

uint32_t migrate_blocks(const struct migration *migration)
{
    return blocks_of_region(&migration->plan);
}

uint64_t migrate_rank_steps(const struct migration_plan *plan)
{
    return prefix_snake_steps(plan->regions, blocks_of_region(plan), false);
}

/* Puts the packet's slots in the order of blocks. Returns how many blocks of the region they name,
 * each one with an item of its own. */
static uint32_t order_by_blocks(struct migration *migration, struct site site, uint32_t packet)
{
    struct headers *header = migration->header;
    uint32_t first = header->packet[packet].first, blocks = migrate_blocks(migration), items = 0;
    for (uint32_t slot = first; slot <= packet; slot++) {
        migration->place[slot] = block_number(migration, site, header->destination[slot]);
        migration->entry[slot - first].key = migration->place[slot];
    }
    migrate_order(migration, packet);
    for (uint32_t slot = first; slot <= packet && migration->place[slot] < blocks; slot++)
        items += slot == first || migration->place[slot] != migration->place[slot - 1];
    return items;
}

/* 1 goes into the sum of each block of the region that the packet at `node` names. Returns what is
 * behind the last entry written. */
static struct prefix_entry *mark_packet(const struct migration *migration, node_index node,
                                        uint32_t packet, struct prefix_entry *entry)
{
    uint32_t first = migration->header->packet[packet].first, blocks = migrate_blocks(migration);
    for (uint32_t slot = first; slot <= packet && migration->place[slot] < blocks; slot++)
        if (slot == first || migration->place[slot] != migration->place[slot - 1])
            *entry++ =
                (struct prefix_entry){.value = 1, .node = node, .item = migration->place[slot]};
    return entry;
}

/* Every slot gets its block's rank, if the packet is selected for the block in some instance.
 * Returns what is behind the packet's entries. */
static const struct prefix_entry *spread_ranks(struct migration *migration, uint32_t packet,
                                               const struct prefix_entry *entry)
{
    const struct headers *header = migration->header;
    uint32_t first = header->packet[packet].first, blocks = migrate_blocks(migration);
    for (uint32_t slot = first; slot <= packet; slot++) {
        migration->mark[slot] = MIGRATE_NO_RANK;
        if (migration->place[slot] >= blocks)
            continue;
        entry += slot > first && migration->place[slot] != migration->place[slot - 1];
        uint64_t area = migrate_block(migration, header->destination[slot]).area;
        if (entry->value < migration->plan.instances * area)
            migration->mark[slot] = entry->value;
    }
    return entry + (migration->place[first] < blocks);
}

/* Entries of all nodes, in their order; `row` says where each row's begin. */
struct marks {
    struct prefix_entry *entry;
    struct prefix_row *row;
};

/* Counts each row's entries and makes room for all. */
static enum failure_kind make_room(struct migration *migration, struct marks *marks,
                                   struct failure *failure)
{
    struct machine *machine = migration->machine;
    struct mesh mesh = machine_config(machine)->mesh;
    size_t items = 0;
    marks->row = memory_allocate(mesh.rows, sizeof *marks->row);
    if (marks->row == NULL)
        return fail_memory(failure, "a migration");
    for (node_index node = 0; node < mesh_nodes(mesh); node++) {
        uint32_t packet = machine_first_resting(machine, node);
        if (packet == MACHINE_NONE)
            continue;
        assert(machine_next_resting(machine, packet) == MACHINE_NONE);
        migration->header->packet[packet].state = 0;
        uint32_t of_node = order_by_blocks(migration, machine_site(machine, node), packet);
        marks->row[node / mesh.cols].count += of_node;
        items += of_node;
    }
    marks->entry = memory_allocate(items, sizeof *marks->entry);
    return marks->entry == NULL ? fail_memory(failure, "a migration") : FAIL_NONE;
}

static void fill(const struct migration *migration, struct marks *marks)
{
    struct machine *machine = migration->machine;
    struct mesh mesh = machine_config(machine)->mesh;
    struct prefix_entry *entry = marks->entry;
    for (node_index node = 0; node < mesh_nodes(mesh); node++) {
        uint32_t packet = machine_first_resting(machine, node);
        if (node % mesh.cols == 0)
            marks->row[node / mesh.cols].entry = entry;
        if (packet != MACHINE_NONE)
            entry = mark_packet(migration, node, packet, entry);
    }
}

static enum failure_kind rank_packets(struct migration *migration, struct failure *failure)
{
    struct machine *machine = migration->machine;
    struct marks marks = {NULL, NULL};
    enum failure_kind kind = make_room(migration, &marks, failure);
    if (kind == FAIL_NONE) {
        struct prefix_list list = {
            .operation = &prefix_sum, .count = migrate_blocks(migration), .row = marks.row};
        fill(migration, &marks);
        if (!migration->plan.keeps_phase)
            machine_begin_phase(machine, "rank");
        kind = prefix_sparse(machine, migration->plan.regions, &list, failure);
    }
    if (kind == FAIL_NONE) {
        const struct prefix_entry *entry = marks.entry;
        for (node_index node = 0; node < mesh_nodes(machine_config(machine)->mesh); node++) {
            uint32_t packet = machine_first_resting(machine, node);
            if (packet != MACHINE_NONE)
                entry = spread_ranks(migration, packet, entry);
        }
    }
    free(marks.entry);
    free(marks.row);
    return kind;
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

/* While packets are ranked there is an entry a slot; later a value a node, which is less. */
uint64_t migrate_footprint(uint64_t nodes, uint64_t slots)
{
    const struct migration *migration = NULL;
    const struct marks *marks = NULL;
    uint64_t of_node = sizeof(uint64_t);
    return slots * (sizeof *migration->mark + sizeof *migration->place + sizeof *marks->entry) +
           nodes * of_node;
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
