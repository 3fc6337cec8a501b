/* migrate_rank.c - ranks of packets among those that want a block: the first step of a migration.
 *
 * Pipelined prefix computations, one for each of t blocks, give a packet its rank in every block for which it
 * has destinations: the number of such packets before it along the region's snake. The ranks decide which
 * packets are selected, and they are at once what Step 3 of the paper gets by sorting: the rank modulo the
 * block's number of nodes A is the copy's node in the block. One rank serves all instances: ranks 0 .. A-1 make
 * the first, A .. 2A-1 the second.
 *   Four counts of 16 bits share a word, where no block selects more packets than 16 bits count. Packets that
 * visit one region after another, together and in one order, are ranked for the blocks of all regions at once.
 *   A packet has an entry for each word in which it has destinations, never more than destinations. Most words
 * that pass a node find none (prefix_sparse.c).
 *
 * Steps, s the side of a region: 2 s - 2 + v t / 4 for v visits, 2.25 s with the usual t = s and one visit.
 * Cost: 24 bytes per block of a packet.
 */
#include "primitives/migrate_private.h"
#include "primitives/prefix_lanes.h"

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

/* The number of the destination's block among those of its region. */
static uint32_t block_number(const struct migration *migration, node_place destination)
{
    return tessellation_block(migration->plan.regions, migration->plan.blocks,
                              place_row(destination), place_col(destination));
}

uint32_t migrate_blocks(const struct migration_plan *plan)
{
    return (uint32_t)(tessellation_tiles(plan->blocks) / tessellation_tiles(plan->regions));
}

static uint32_t visits_of(const struct migration_plan *plan)
{
    return plan->visit_of == NULL ? 1 : plan->visits;
}

/* Counts of ranks: one for each block of each region that is visited. */
static uint32_t counts_of(const struct migration_plan *plan)
{
    return visits_of(plan) * migrate_blocks(plan);
}

/* Which of them a destination belongs to; UINT32_MAX: none. */
static uint32_t count_number(const struct migration *migration, struct site site, uint32_t packet,
                             node_place destination)
{
    const struct migration_plan *plan = &migration->plan;
    const struct tessellation *regions = plan->regions;
    if (destination == MACHINE_NO_PLACE)
        return UINT32_MAX;
    if (plan->visit_of != NULL)
        return plan->visit_of(plan->context, packet, destination) * migrate_blocks(plan) +
               block_number(migration, destination);
    if (regions->row.tile[place_row(destination)] != regions->row.tile[site.row] ||
        regions->col.tile[place_col(destination)] != regions->col.tile[site.col])
        return UINT32_MAX;
    return block_number(migration, destination);
}

/* The nodes of a largest tile, and of a smallest one. */
static uint64_t largest(const struct tessellation *tiles)
{
    return (uint64_t)axis_longest(&tiles->row) * axis_longest(&tiles->col);
}

static uint64_t smallest(const struct tessellation *tiles)
{
    return (uint64_t)axis_shortest(&tiles->row) * axis_shortest(&tiles->col);
}

/* No rank is as large as the number of a region's packets. */
uint32_t migrate_instances(const struct migration_plan *plan)
{
    uint64_t least = smallest(plan->blocks);
    uint64_t most = (largest(plan->regions) + plan->surplus.in_tile + least - 1) / least;
    return plan->instances < most ? plan->instances : (uint32_t)most;
}

/* How many counts share a word: four, if no rank that is selected is as large as what a lane holds. */
static uint32_t counts_a_word(const struct migration_plan *plan)
{
    uint64_t most = migrate_instances(plan) * largest(plan->blocks);
    return most <= PREFIX_LANE_MOST ? PREFIX_LANES : 1;
}

static uint32_t words_of(const struct migration_plan *plan)
{
    uint32_t of_word = counts_a_word(plan);
    return (counts_of(plan) + of_word - 1) / of_word;
}

uint32_t migrate_groups(const struct migration_plan *plan)
{
    return visits_of(plan) * migrate_instances(plan);
}

uint64_t migrate_rank_steps(const struct migration_plan *plan)
{
    uint64_t steps = prefix_snake_steps(plan->regions, words_of(plan), false);
    if (plan->method == MIGRATE_SORTED)
        steps += prefix_snake_steps(plan->regions, migrate_groups(plan), false);
    return steps;
}

/* Puts the packet's slots in the order of blocks. Returns how many it names. */
static uint32_t order_by_blocks(struct migration *migration, struct site site, uint32_t packet)
{
    struct headers *header = migration->header;
    uint32_t first = header->packet[packet].first, blocks = 0;
    for (uint32_t slot = first; slot <= packet; slot++) {
        migration->place[slot] = count_number(migration, site, packet, header->destination[slot]);
        migration->entry[slot - first].key = migration->place[slot];
    }
    migrate_order(migration, packet);
    for (uint32_t slot = first; slot <= packet && migration->place[slot] != UINT32_MAX; slot++)
        blocks += slot == first || migration->place[slot] != migration->place[slot - 1];
    return blocks;
}

/* Puts 1 into the count of each block that the packet at `node` names. Returns what is behind the
 * last entry written. */
static struct prefix_entry *count_packet(const struct migration *migration, node_index node,
                                         uint32_t packet, struct prefix_entry *entry)
{
    uint32_t first = migration->header->packet[packet].first;
    uint32_t of_word = counts_a_word(&migration->plan);
    for (uint32_t slot = first; slot <= packet && migration->place[slot] != UINT32_MAX; slot++) {
        uint32_t number = migration->place[slot], word = number / of_word;
        if (slot > first && number == migration->place[slot - 1])
            continue;
        if (slot == first || word != migration->place[slot - 1] / of_word)
            *entry++ = (struct prefix_entry){.node = node, .item = word};
        entry[-1].value += of_word == 1 ? 1 : prefix_one_in_lane(number);
    }
    return entry;
}

/* Every slot gets its block's rank, if the packet is selected for the block in some instance. */
static void spread_ranks(struct migration *migration, uint32_t packet,
                         const struct prefix_entry *entry)
{
    const struct headers *header = migration->header;
    uint32_t first = header->packet[packet].first, of_word = counts_a_word(&migration->plan);
    uint64_t instances = migrate_instances(&migration->plan);
    for (uint32_t slot = first; slot <= packet; slot++) {
        uint32_t number = migration->place[slot];
        migration->mark[slot] = MIGRATE_NO_RANK;
        if (number == UINT32_MAX)
            continue;
        entry += slot > first && number / of_word != migration->place[slot - 1] / of_word;
        uint64_t area = migrate_block(migration, header->destination[slot]).area;
        uint64_t rank = of_word == 1 ? entry->value : prefix_lane_of(entry->value, number);
        if (rank < instances * area)
            migration->mark[slot] = (uint32_t)rank;
    }
}

/* ---- what nodes put in and get out ---- */

/* Returns the resting packet of `node` with the least name from `from` on, or MACHINE_NONE. Values are put in and read
 * in the order of these names. */
static uint32_t packet_from(const struct migration *migration, node_index node, uint32_t from)
{
    const struct machine *machine = migration->machine;
    uint32_t found = MACHINE_NONE, least = UINT32_MAX;
    for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
         packet = machine_next_resting(machine, packet)) {
        uint32_t name = packet_name(migration->header, packet);
        if (name >= from && name < least) {
            found = packet;
            least = name;
        }
    }
    return found;
}

static uint32_t packet_behind(const struct migration *migration, node_index node, uint32_t packet)
{
    return packet_from(migration, node, packet_name(migration->header, packet) + 1);
}

/* Makes room for all entries. A packet has one for each word of counts, and later one for each group of its
 * marks: in either case no more than it names blocks. */
static enum failure_kind make_room(struct migration *migration, struct entries *entries,
                                   struct failure *failure)
{
    struct machine *machine = migration->machine;
    struct node_range nodes = machine_nodes(machine);
    size_t blocks = 0;
    entries->row = memory_allocate(machine_config(machine)->mesh.rows, sizeof *entries->row);
    if (entries->row == NULL)
        return fail_memory(failure, "a migration");
    for (node_index node = nodes.first; node < nodes.end; node++) {
        uint32_t packets = 0, packet = machine_first_resting(machine, node);
        for (; packet != MACHINE_NONE; packet = machine_next_resting(machine, packet)) {
            if (migration->plan.method != MIGRATE_SORTED)
                migration->header->packet[packet].state = 0;
            blocks += order_by_blocks(migration, machine_site(machine, node), packet);
            packets++;
        }
        assert(packets <= 1 + migration->plan.surplus.at_node);
        (void)packets;
    }
    entries->entry = memory_allocate(blocks, sizeof *entries->entry);
    return entries->entry == NULL ? fail_memory(failure, "a migration") : FAIL_NONE;
}

static struct prefix_entry *find_item(struct prefix_entry *entry, const struct prefix_entry *end,
                                      uint32_t item)
{
    while (entry < end && entry->item != item)
        entry++;
    return entry;
}

/* Adds what a packet puts in, which stands from `end` on, to what earlier ones of its node do, from `first` on.
 * Returns what is behind the last entry then. */
static struct prefix_entry *add_entries(const struct exchange *exchange, struct prefix_entry *first,
                                        struct prefix_entry *end,
                                        const struct prefix_entry *own_end)
{
    for (const struct prefix_entry *own = end; own < own_end; own++) {
        struct prefix_entry *entry = find_item(first, end, own->item);
        if (entry == end)
            *end++ = *own;
        else
            entry->value = exchange->operation->combine(entry->value, own->value);
    }
    return end;
}

void migrate_fill(struct migration *migration, struct entries *entries,
                  const struct exchange *exchange)
{
    uint32_t cols = machine_config(migration->machine)->mesh.cols;
    struct node_range nodes = machine_nodes(migration->machine);
    struct prefix_entry *entry = entries->entry;
    for (node_index node = nodes.first; node < nodes.end; node++) {
        struct prefix_entry *first = entry;
        struct prefix_row *row = &entries->row[node / cols];
        if (node % cols == 0)
            row->entry = entry;
        uint32_t packet = packet_from(migration, node, 0);
        for (; packet != MACHINE_NONE; packet = packet_behind(migration, node, packet)) {
            struct prefix_entry *end = exchange->fill(migration, node, packet, entry);
            entry = entry == first ? end : add_entries(exchange, first, entry, end);
        }
        row->count = (uint32_t)(entry - row->entry);
    }
}

/* Reads what the packet gets out of its node's entries, and lets the next packet find itself behind it. */
static void read_packet(struct migration *migration, node_index node, uint32_t packet,
                        const struct prefix_row *of_node, const struct exchange *exchange)
{
    struct prefix_entry *own = migration->of_one, *end = of_node->entry + of_node->count;
    struct prefix_entry *entry = of_node->entry;
    const struct prefix_entry *own_end = exchange->fill(migration, node, packet, own);
    for (; own < own_end; own++) {
        entry = find_item(entry, end, own->item);
        if (entry == end) /* several packets: not in the order of items */
            entry = find_item(of_node->entry, end, own->item);
        uint64_t before = entry->value;
        entry->value = exchange->operation->combine(before, own->value);
        own->value = before;
    }
    exchange->read(migration, packet, migration->of_one);
}

void migrate_read(struct migration *migration, struct entries *entries,
                  const struct exchange *exchange)
{
    uint32_t cols = machine_config(migration->machine)->mesh.cols;
    struct node_range nodes = machine_nodes(migration->machine);
    struct prefix_entry *entry = entries->entry;
    for (node_index node = nodes.first; node < nodes.end; node++) {
        const struct prefix_row *row = &entries->row[node / cols];
        struct prefix_row of_node = {.entry = entry};
        for (; entry < row->entry + row->count && entry->node == node; entry++)
            of_node.count++;
        uint32_t packet = packet_from(migration, node, 0);
        for (; packet != MACHINE_NONE; packet = packet_behind(migration, node, packet))
            read_packet(migration, node, packet, &of_node, exchange);
    }
}

static uint32_t largest_packet(const struct machine *machine, const struct headers *header)
{
    struct node_range nodes = machine_nodes(machine);
    uint32_t largest = 0;
    for (node_index node = nodes.first; node < nodes.end; node++)
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet))
            if (packet - header->packet[packet].first >= largest)
                largest = packet - header->packet[packet].first + 1;
    return largest;
}

static enum failure_kind rank_with(struct migration *migration, struct entries *entries,
                                   struct failure *failure)
{
    struct machine *machine = migration->machine;
    const struct migration_plan *plan = &migration->plan;
    enum failure_kind kind = make_room(migration, entries, failure);
    if (kind != FAIL_NONE)
        return kind;
    struct exchange exchange = {counts_a_word(plan) == 1 ? &prefix_sum : &prefix_lanes_sum,
                                count_packet, spread_ranks};
    struct prefix_list list = {
        .operation = exchange.operation, .count = words_of(plan), .row = entries->row};
    migrate_fill(migration, entries, &exchange);
    if (!plan->keeps_phase)
        machine_begin_phase(machine, "rank");
    kind = prefix_sparse(machine, plan->regions, &list, failure);
    if (kind == FAIL_NONE)
        migrate_read(migration, entries, &exchange);
    if (kind == FAIL_NONE && plan->method == MIGRATE_SORTED)
        kind = migrate_number(migration, entries, failure);
    return kind;
}

enum failure_kind migrate_rank(struct migration *migration, struct failure *failure)
{
    struct entries entries = {NULL, NULL};
    uint32_t largest = largest_packet(migration->machine, migration->header);
    free(migration->entry);
    free(migration->of_one);
    migration->entry = memory_allocate(largest, sizeof *migration->entry);
    migration->of_one = memory_allocate(largest, sizeof *migration->of_one);
    enum failure_kind kind = migration->entry == NULL || migration->of_one == NULL
                                 ? fail_memory(failure, "a migration")
                                 : rank_with(migration, &entries, failure);
    free(entries.entry);
    free(entries.row);
    return kind;
}
