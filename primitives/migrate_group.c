/* migrate_group.c - the marks of a packet in groups, and the numbers of their carriers (migrate_sorted.c).
 *
 * A group is the marks of one instance of one visit. A packet's groups come first in its range, one after the
 * other. Prefix computations, one for each group, pipelined, tell every packet with marks in a group how many
 * such packets stand before it along the region's snake, and how many marks of the group these have: two counts
 * of 32 bits in a word.
 *
 * Steps: 2 s - 2 + v r in regions of side s, for r instances of v visits.
 * Source: Proposition 3 of the paper, Step 2(a).
 * Cost: 6 bytes per slot.
 */
#include "primitives/migrate_private.h"

uint32_t migrate_mark_end(const struct migration *migration, uint32_t slot, uint32_t packet)
{
    node_place place = migration->place[slot];
    while (slot <= packet && migration->place[slot] == place)
        slot++;
    return slot;
}

uint32_t migrate_slots(void *context, uint32_t packet, uint32_t marks)
{
    const struct migration *migration = context;
    uint32_t first = migration->header->packet[packet].first, slot = first;
    for (uint32_t i = 0; i < marks; i++)
        slot = migrate_mark_end(migration, slot, packet);
    return slot - first;
}

uint32_t migrate_group_end(const struct migration *migration, uint32_t slot, uint32_t packet,
                           uint32_t *marks)
{
    uint32_t group = migration->mark[slot];
    for (*marks = 0; slot <= packet && migration->mark[slot] == group; ++*marks)
        slot = migrate_mark_end(migration, slot, packet);
    return slot;
}

/* Replaces the packet's ranks by groups and places, and puts what is selected at the front. */
static void group_marks(struct migration *migration, uint32_t packet)
{
    const struct headers *header = migration->header;
    uint32_t first = header->packet[packet].first, blocks = migrate_blocks(&migration->plan);
    for (uint32_t slot = first; slot <= packet; slot++) {
        uint32_t rank = migration->mark[slot];
        uint32_t number = migration->place[slot]; /* of its block's count */
        migration->entry[slot - first].key = UINT64_MAX;
        migration->place[slot] = MACHINE_NO_PLACE;
        if (rank == MIGRATE_NO_RANK)
            continue;
        struct block_view block = migrate_block(migration, header->destination[slot]);
        uint32_t visit = number / blocks, instance = (uint32_t)(rank / block.area);
        uint32_t group = visit * migrate_instances(&migration->plan) + instance;
        migration->mark[slot] = group;
        migration->place[slot] = snake_place(block.rows, block.cols, rank % block.area);
        migration->entry[slot - first].key = (uint64_t)group << 32 | number;
    }
    migrate_order(migration, packet);
}

bool migrate_is_selected(const struct migration *migration, uint32_t slot, uint32_t packet)
{
    return slot <= packet && migration->place[slot] != MACHINE_NO_PLACE;
}

/* A packet and its marks, for each of its groups. */
static struct prefix_entry *count_groups(const struct migration *migration, node_index node,
                                         uint32_t packet, struct prefix_entry *entry)
{
    uint32_t slot = migration->header->packet[packet].first, marks;
    while (migrate_is_selected(migration, slot, packet)) {
        uint32_t item = migration->mark[slot];
        slot = migrate_group_end(migration, slot, packet, &marks);
        *entry++ =
            (struct prefix_entry){.value = UINT64_C(1) << 32 | marks, .node = node, .item = item};
    }
    return entry;
}

/* Of the region in which the slot's destination lies. */
static uint32_t width_at(const struct migration *migration, uint32_t slot)
{
    uint32_t col = place_col(migration->header->destination[slot]);
    return interval_length(axis_interval_at(&migration->plan.regions->col, col));
}

static void note_starts(struct migration *migration, uint32_t packet,
                        const struct prefix_entry *entry)
{
    uint32_t slot = migration->header->packet[packet].first, marks;
    for (; migrate_is_selected(migration, slot, packet); entry++)
        for (uint32_t end = migrate_group_end(migration, slot, packet, &marks); slot < end;
             slot++) {
            migration->position[slot] = (uint32_t)entry->value;
            migration->column[slot] = (uint16_t)((entry->value >> 32) % width_at(migration, slot));
        }
}

enum failure_kind migrate_number(struct migration *migration, struct entries *entries,
                                 struct failure *failure)
{
    struct machine *machine = migration->machine;
    struct exchange exchange = {&prefix_sum, count_groups, note_starts};
    struct prefix_list list = {
        .operation = &prefix_sum, .count = migrate_groups(&migration->plan), .row = entries->row};
    struct node_range nodes = machine_nodes(machine);
    for (node_index node = nodes.first; node < nodes.end; node++)
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet))
            group_marks(migration, packet);
    migrate_fill(migration, entries, &exchange);
    if (!migration->plan.keeps_phase)
        machine_begin_phase(machine, "count");
    enum failure_kind kind = prefix_sparse(machine, migration->plan.regions, &list, failure);
    if (kind == FAIL_NONE)
        migrate_read(migration, entries, &exchange);
    return kind;
}
