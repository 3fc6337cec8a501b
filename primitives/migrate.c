/* migrate.c - the t-migration primitive, of a known length: Section 2.2 and Proposition 3 of the
 * paper with routings that wait for nothing.
 *
 * Step 1, ranks. Pipelined prefix computations, one for each of t blocks, give a packet its rank in
 * every block for which it has destinations: the number of such packets before it along the
 * region's snake. The ranks decide which packets are selected, and they are at once what Step 3 of
 * the paper gets by sorting: the rank modulo the block's number of nodes A is the copy's node in
 * the block. One rank serves all instances: ranks 0 .. A-1 make the first, A .. 2A-1 the second.
 * Responsibility goes with the copies: each has the packet's destinations in its block, the packet
 * keeps the rest. Blocks of unequal sizes each go by their own number of nodes.
 *   Four counts of 16 bits share a word, where no block selects more packets than 16 bits count. A
 * packet has an entry for each word in which it has destinations, never more than destinations.
 * Most words that pass a node find none (prefix_sparse.c).
 *   Step 2(a), groups. A packet has a mark for each block in which it has destinations. A *group*
 * is the marks of one instance of one visit; a packet's groups are first in its range, one after
 * the other. Prefix computations, one for each group, pipelined, give every packet with marks in a
 * group the number of such packets before it along the region's snake, and the number of the
 * group's marks that these have: two counts of 32 bits in a word.
 *   All packets of a region stay together and in their order while they visit one region after
 * another, so ranks and groups of all visits are computed at once. If a node has several packets
 * (an excess) they are ranked and numbered one after the other, and their heads start together; all
 * else is as with one per node.
 *   Up to two instances of a visit go together, a *batch* each. In each batch:
 *   Step 2(b). A packet with marks leaves a head beside itself, in one step for both batches; unit
 * copies: one for each packet of a node and batch. Heads spread along the snake, and copies fill
 * their segments: segment_heads.c, both batches at once; with unit copies a segmented broadcast
 * makes the copies, one batch after the other. A block accepts at most as many copies as it has
 * nodes in an instance, so all segments fit, and a node has one copy of a batch.
 *   Step 3. Copies go to the nodes given by their ranks in their blocks, a partial permutation:
 * unicast_blocks.c, one batch after the other.
 *
 * Steps in regions of side s with t = s blocks, free copies: the ranks of v visits 2 s + v s / 4,
 * the numbers 2 s + v r; then each visit 3 s for the spreading of two batches, and for each batch
 * the steps of unicast_blocks in plan->room packets: 4.3 s with 5, 4.1 s with 6, 3.3 s with 8
 * (powers of two). Unit copies: 2 s more for each batch. Buffer, proven, without resting packets:
 * plan->room + 1 packets, 6 at least, or the need of an excess's heads; for one batch plan->room.
 * Cost: 14 bytes per slot, and 24 bytes per block of a packet while it is ranked.
 */
#include "primitives/migrate.h"

#include "base/numbers.h"
#include "machine/pool.h"
#include "primitives/multicast_tree.h"
#include "primitives/prefix_sparse.h"
#include "primitives/segment_heads.h"
#include "primitives/segmented_broadcast.h"
#include "primitives/synchronise.h"
#include "primitives/unicast_route.h"

#include <assert.h>
#include <stdlib.h>

enum { TOGETHER = 2, STANDARD_ROOM = 5 };

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
    struct prefix_entry *of_one; /* .. and for the entries that it puts in */

    /* A mark travels with its slots, each of which repeats its data; so all arrays are [slot].
     * mark: the packet's rank in the block, NO_RANK: not selected; then the group, numbered by
     * visits and within a visit by instances. place: during ranking the number of the block's
     * count, UINT32_MAX: none; then the node to which the copy goes, MACHINE_NO_PLACE: none. */
    uint32_t *mark, *place;
    /* position: the marks of the group that packets before this one in the region have;
     * column: how many such packets there are, modulo the region's width. */
    uint32_t *position;
    uint16_t *column;
    struct block_choice route; /* of copies to their nodes */
};

#define NO_RANK UINT32_MAX

/* A block: its rows and columns. */
struct block_view {
    struct interval rows, cols;
    uint64_t area;
};

static struct block_view block_at(const struct migration *migration, node_place destination)
{
    const struct tessellation *blocks = migration->plan.blocks;
    struct interval rows = axis_interval_at(&blocks->row, place_row(destination));
    struct interval cols = axis_interval_at(&blocks->col, place_col(destination));
    return (struct block_view){rows, cols, (uint64_t)interval_length(rows) * interval_length(cols)};
}

/* ---- four counts in a word ---- */

enum { LANES = 4, LANE_BITS = 16, LANE_MOST = (1 << LANE_BITS) - 1 };

/* Adds lane by lane, without a carry from one to the next. A count that would grow beyond LANE_MOST
 * stays there, so that comparisons with any smaller number are right. */
static uint64_t add_lanes(uint64_t before, uint64_t after)
{
    const uint64_t high = UINT64_C(0x8000800080008000);
    uint64_t low = (before & ~high) + (after & ~high), sum = low ^ ((before ^ after) & high);
    uint64_t over =
        ((before & after) | ((before | after) & ~sum)) & high; /* a carry out of a lane */
    return sum | ((over >> (LANE_BITS - 1)) * LANE_MOST);
}

static const struct prefix_operator SUM_OF_LANES = {0, add_lanes};

/* Returns the count of `item`, in lane item % LANES of its word. */
static uint32_t lane_of(uint64_t word, uint32_t item)
{
    return (uint32_t)(word >> item % LANES * LANE_BITS) & LANE_MOST;
}

static uint64_t one_in_lane(uint32_t item)
{
    return UINT64_C(1) << item % LANES * LANE_BITS;
}

/* ---- numbers that follow from the plan ---- */

/* Returns the number of the destination's block among those of its region. */
static uint32_t block_number(const struct migration *migration, node_place destination)
{
    return tessellation_block(migration->plan.regions, migration->plan.blocks,
                              place_row(destination), place_col(destination));
}

static uint32_t blocks_of(const struct migration_plan *plan)
{
    return (uint32_t)(tessellation_tiles(plan->blocks) / tessellation_tiles(plan->regions));
}

static uint32_t visits_of(const struct migration_plan *plan)
{
    return plan->visit_of == NULL ? 1 : plan->visits;
}

/* Returns the number of rank counts: one per block of each region that is visited. */
static uint32_t counts_of(const struct migration_plan *plan)
{
    return visits_of(plan) * blocks_of(plan);
}

/* Returns the count of a destination; UINT32_MAX: none. */
static uint32_t count_number(const struct migration *migration, struct site site, uint32_t packet,
                             node_place destination)
{
    const struct migration_plan *plan = &migration->plan;
    const struct tessellation *regions = plan->regions;
    if (destination == MACHINE_NO_PLACE)
        return UINT32_MAX;
    if (plan->visit_of != NULL)
        return plan->visit_of(plan->context, packet, destination) * blocks_of(plan) +
               block_number(migration, destination);
    if (regions->row.tile[place_row(destination)] != regions->row.tile[site.row] ||
        regions->col.tile[place_col(destination)] != regions->col.tile[site.col])
        return UINT32_MAX;
    return block_number(migration, destination);
}

/* Return the nodes of a largest tile, and of a smallest one. */
static uint64_t largest(const struct tessellation *tiles)
{
    return (uint64_t)axis_longest(&tiles->row) * axis_longest(&tiles->col);
}

static uint64_t smallest(const struct tessellation *tiles)
{
    return (uint64_t)axis_shortest(&tiles->row) * axis_shortest(&tiles->col);
}

/* no rank is as large as the number of a region's packets */
uint32_t migrate_instances(const struct migration_plan *plan)
{
    uint64_t least = smallest(plan->blocks);
    uint64_t most = (largest(plan->regions) + plan->excess.in_tile + least - 1) / least;
    return plan->instances < most ? plan->instances : (uint32_t)most;
}

/* Returns the number of counts that share a word: four, if no selected rank is as large as a lane's
 * limit. */
static uint32_t counts_a_word(const struct migration_plan *plan)
{
    uint64_t most = migrate_instances(plan) * largest(plan->blocks);
    return most <= LANE_MOST ? LANES : 1;
}

static uint32_t words_of(const struct migration_plan *plan)
{
    uint32_t of_word = counts_a_word(plan);
    return (counts_of(plan) + of_word - 1) / of_word;
}

static uint32_t groups_of(const struct migration_plan *plan)
{
    return visits_of(plan) * migrate_instances(plan);
}

uint64_t migrate_rank_steps(const struct migration_plan *plan)
{
    return prefix_snake_steps(plan->regions, words_of(plan), false) +
           prefix_snake_steps(plan->regions, groups_of(plan), false);
}

/* ---- order of slots ---- */

static int compare_entries(const void *a, const void *b)
{
    const struct slot_entry *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->destination > y->destination) - (x->destination < y->destination);
}

static void order_slots(struct migration *migration, uint32_t packet)
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

/* The entries of all nodes in a prefix computation, in the nodes' order; `row` has each row's
 * begin. */
struct entries {
    struct prefix_entry *entry;
    struct prefix_row *row;
};

/* A node's packets put values into computations and get results. `fill` writes a packet's entries,
 * in the order of items, and returns their end; `read` gets the same entries with the combination
 * of all before the packet. */
struct exchange {
    const struct prefix_operator *operation;
    struct prefix_entry *(*fill)(const struct migration *migration, node_index node,
                                 uint32_t packet, struct prefix_entry *entry);
    void (*read)(struct migration *migration, uint32_t packet, const struct prefix_entry *entry);
};

/* ---- ranks ---- */

/* Puts the packet's slots in the order of blocks. Returns the number of blocks that it names. */
static uint32_t order_by_blocks(struct migration *migration, struct site site, uint32_t packet)
{
    struct headers *header = migration->header;
    uint32_t first = header->packet[packet].first, blocks = 0;
    for (uint32_t slot = first; slot <= packet; slot++) {
        migration->place[slot] = count_number(migration, site, packet, header->destination[slot]);
        migration->entry[slot - first].key = migration->place[slot];
    }
    order_slots(migration, packet);
    for (uint32_t slot = first; slot <= packet && migration->place[slot] != UINT32_MAX; slot++)
        blocks += slot == first || migration->place[slot] != migration->place[slot - 1];
    return blocks;
}

/* Puts 1 into the count of each block that the packet at `node` names. Returns the end of the
 * entries. */
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
        entry[-1].value += of_word == 1 ? 1 : one_in_lane(number);
    }
    return entry;
}

/* Gives every slot its block's rank, if the packet is selected for the block in some instance. */
static void spread_ranks(struct migration *migration, uint32_t packet,
                         const struct prefix_entry *entry)
{
    const struct headers *header = migration->header;
    uint32_t first = header->packet[packet].first, of_word = counts_a_word(&migration->plan);
    uint64_t instances = migrate_instances(&migration->plan);
    for (uint32_t slot = first; slot <= packet; slot++) {
        uint32_t number = migration->place[slot];
        migration->mark[slot] = NO_RANK;
        if (number == UINT32_MAX)
            continue;
        entry += slot > first && number / of_word != migration->place[slot - 1] / of_word;
        uint64_t area = block_at(migration, header->destination[slot]).area;
        uint64_t rank = of_word == 1 ? entry->value : lane_of(entry->value, number);
        if (rank < instances * area)
            migration->mark[slot] = (uint32_t)rank;
    }
}

/* ---- groups of marks ---- */

static uint32_t mark_end(const struct migration *migration, uint32_t slot, uint32_t packet)
{
    node_place place = migration->place[slot];
    while (slot <= packet && migration->place[slot] == place)
        slot++;
    return slot;
}

static uint32_t slots_of(void *context, uint32_t packet, uint32_t marks)
{
    const struct migration *migration = context;
    uint32_t first = migration->header->packet[packet].first, slot = first;
    for (uint32_t i = 0; i < marks; i++)
        slot = mark_end(migration, slot, packet);
    return slot - first;
}

static uint32_t group_end(const struct migration *migration, uint32_t slot, uint32_t packet,
                          uint32_t *marks)
{
    uint32_t group = migration->mark[slot];
    for (*marks = 0; slot <= packet && migration->mark[slot] == group; ++*marks)
        slot = mark_end(migration, slot, packet);
    return slot;
}

/* Replaces the packet's ranks by groups and places, and puts selected slots at the front. */
static void group_marks(struct migration *migration, uint32_t packet)
{
    const struct headers *header = migration->header;
    uint32_t first = header->packet[packet].first, blocks = blocks_of(&migration->plan);
    for (uint32_t slot = first; slot <= packet; slot++) {
        uint32_t rank = migration->mark[slot];
        uint32_t number = migration->place[slot]; /* of its block's count */
        migration->entry[slot - first].key = UINT64_MAX;
        migration->place[slot] = MACHINE_NO_PLACE;
        if (rank == NO_RANK)
            continue;
        struct block_view block = block_at(migration, header->destination[slot]);
        uint32_t visit = number / blocks, instance = (uint32_t)(rank / block.area);
        uint32_t group = visit * migrate_instances(&migration->plan) + instance;
        migration->mark[slot] = group;
        migration->place[slot] = snake_place(block.rows, block.cols, rank % block.area);
        migration->entry[slot - first].key = (uint64_t)group << 32 | number;
    }
    order_slots(migration, packet);
}

static bool is_selected(const struct migration *migration, uint32_t slot, uint32_t packet)
{
    return slot <= packet && migration->place[slot] != MACHINE_NO_PLACE;
}

/* Puts in a packet and its marks, for each of its groups. */
static struct prefix_entry *count_groups(const struct migration *migration, node_index node,
                                         uint32_t packet, struct prefix_entry *entry)
{
    uint32_t slot = migration->header->packet[packet].first, marks;
    while (is_selected(migration, slot, packet)) {
        uint32_t item = migration->mark[slot];
        slot = group_end(migration, slot, packet, &marks);
        *entry++ =
            (struct prefix_entry){.value = UINT64_C(1) << 32 | marks, .node = node, .item = item};
    }
    return entry;
}

/* Returns the width of the region that holds the slot's destination. */
static uint32_t width_at(const struct migration *migration, uint32_t slot)
{
    uint32_t col = place_col(migration->header->destination[slot]);
    return interval_length(axis_interval_at(&migration->plan.regions->col, col));
}

static void note_starts(struct migration *migration, uint32_t packet,
                        const struct prefix_entry *entry)
{
    uint32_t slot = migration->header->packet[packet].first, marks;
    for (; is_selected(migration, slot, packet); entry++)
        for (uint32_t end = group_end(migration, slot, packet, &marks); slot < end; slot++) {
            migration->position[slot] = (uint32_t)entry->value;
            migration->column[slot] = (uint16_t)((entry->value >> 32) % width_at(migration, slot));
        }
}

/* ---- values put in and results ---- */

/* Returns the resting packet of `node` with the least name from `from` on, or MACHINE_NONE. Values
 * are put in and read in the order of these names. */
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

/* Makes room for all entries. A packet has one per word of counts, and later one per group of its
 * marks: in either case no more than the blocks that it names. */
static enum failure_kind make_room(struct migration *migration, struct entries *entries,
                                   struct failure *failure)
{
    struct machine *machine = migration->machine;
    size_t blocks = 0;
    entries->row = memory_allocate(machine_config(machine)->mesh.rows, sizeof *entries->row);
    if (entries->row == NULL)
        return fail_memory(failure, "a migration");
    for (struct resting at = resting_of(machine); resting_next(&at);)
        blocks += order_by_blocks(migration, at.site, at.packet);
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

/* Adds a packet's entries, which begin at `end`, to those of earlier packets of its node, which
 * begin at `first`. Returns the new end. */
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

static void fill_entries(struct migration *migration, struct entries *entries,
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

/* Reads the packet's results from its node's entries, and adds the packet for the next one. */
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

static void read_entries(struct migration *migration, struct entries *entries,
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

/* ---- both ---- */

static enum failure_kind number_groups(struct migration *migration, struct entries *entries,
                                       struct failure *failure)
{
    struct machine *machine = migration->machine;
    struct exchange exchange = {&prefix_sum, count_groups, note_starts};
    struct prefix_list list = {
        .operation = &prefix_sum, .count = groups_of(&migration->plan), .row = entries->row};
    for (struct resting at = resting_of(machine); resting_next(&at);)
        group_marks(migration, at.packet);
    fill_entries(migration, entries, &exchange);
    enum failure_kind kind = prefix_sparse(machine, migration->plan.regions, &list, failure);
    if (kind == FAIL_NONE)
        read_entries(migration, entries, &exchange);
    return kind;
}

static uint32_t largest_packet(const struct machine *machine, const struct headers *header)
{
    uint32_t largest = 0;
    for (struct resting at = resting_of(machine); resting_next(&at);)
        largest = max_u32(largest, at.packet - header->packet[at.packet].first + 1);
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
    struct exchange exchange = {counts_a_word(plan) == 1 ? &prefix_sum : &SUM_OF_LANES,
                                count_packet, spread_ranks};
    struct prefix_list list = {
        .operation = exchange.operation, .count = words_of(plan), .row = entries->row};
    fill_entries(migration, entries, &exchange);
    kind = prefix_sparse(machine, plan->regions, &list, failure);
    if (kind == FAIL_NONE)
        read_entries(migration, entries, &exchange);
    if (kind == FAIL_NONE)
        kind = number_groups(migration, entries, failure);
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

/* ---- instances that go together ---- */

struct sending {
    struct migration *migration;
    uint32_t group; /* of batch 0 */
    uint32_t batches;
    uint32_t batch; /* the current one */
};

static uint32_t batch_of(void *context, uint32_t packet)
{
    const struct migration *migration = context;
    return migration->header->packet[packet].state & MIGRATE_SECOND_BATCH ? 1 : 0;
}

static bool is_copy(const struct migration *migration, uint32_t packet)
{
    return migration->header->packet[packet].state & MIGRATE_IS_COPY;
}

static void become_copy(const struct sending *sending, uint32_t packet)
{
    bool is_second = sending->migration->mark[packet] != sending->group;
    sending->migration->header->packet[packet].state =
        MIGRATE_IS_COPY | (is_second ? MIGRATE_SECOND_BATCH : 0);
}

/* Step 2(b): returns the outputs of a packet that leaves a head of each batch beside itself, or is
 * the last of them. */
static unsigned head_outputs(void *context, struct site site, uint32_t packet)
{
    const struct sending *sending = context;
    const struct migration *migration = sending->migration;
    uint32_t first = migration->header->packet[packet].first;
    uint32_t group = migration->mark[first];
    (void)site;
    if (is_copy(migration, packet) || !is_selected(migration, first, packet))
        return OUT_HOLD;
    assert(group >= sending->group);
    if (group >= sending->group + sending->batches)
        return OUT_HOLD;
    if (migration->mark[packet] != group)
        return OUT_HOLD | OUT_AGAIN;
    become_copy(sending, packet);
    return OUT_HOLD;
}

static uint32_t take_head(void *context, struct site site, uint32_t packet, enum output output)
{
    const struct sending *sending = context;
    const struct migration *migration = sending->migration;
    uint32_t marks;
    (void)site;
    (void)output;
    uint32_t end = group_end(migration, migration->header->packet[packet].first, packet, &marks);
    uint32_t taken = packet_split(migration->header, packet, end);
    become_copy(sending, taken);
    return taken;
}

/* True for packets that are no heads; copies of earlier instances have no place any more. */
static bool is_no_head(void *context, uint32_t packet)
{
    const struct migration *migration = ((const struct sending *)context)->migration;
    return !is_copy(migration, packet) || migration->place[packet] == MACHINE_NO_PLACE;
}

static bool is_other_batch(void *context, uint32_t packet)
{
    const struct sending *sending = context;
    return batch_of(sending->migration, packet) != sending->batch;
}

static uint32_t column(void *context, uint32_t packet)
{
    return ((const struct migration *)context)->column[packet];
}

static uint32_t copies(void *context, uint32_t packet)
{
    uint32_t marks;
    const struct migration *migration = context;
    group_end(migration, migration->header->packet[packet].first, packet, &marks);
    return marks;
}

static struct segment_heads heads_of(const struct migration_plan *plan, void *migration,
                                     uint32_t batches)
{
    return (struct segment_heads){.tiles = plan->regions,
                                  .batches = batches,
                                  .excess = plan->excess,
                                  .longest = blocks_of(plan),
                                  .batch = batch_of,
                                  .column = column,
                                  .copies = copies,
                                  .slots = slots_of,
                                  .context = migration};
}

/* Returns how a packet's slots become copies along its segment. */
static struct segments segments_of(const struct migration_plan *plan, void *migration)
{
    return (struct segments){.tiles = plan->regions,
                             .per_node = 1,
                             .longest = blocks_of(plan),
                             .copies = copies,
                             .slots = slots_of,
                             .context = migration};
}

static struct unicast_plan route_plan(const struct migration_plan *plan)
{
    return (struct unicast_plan){.tiles = plan->regions, .k = 1};
}

static enum failure_kind broadcast(struct sending *sending, struct failure *failure)
{
    struct migration *migration = sending->migration;
    struct segments segments = segments_of(&migration->plan, migration);
    return segmented_broadcast(migration->machine, &segments, NULL, failure);
}

static enum failure_kind route(struct sending *sending, struct failure *failure)
{
    struct migration *migration = sending->migration;
    struct unicast_plan plan = route_plan(&migration->plan);
    for (struct resting at = resting_of(migration->machine); resting_next(&at);)
        migration->header->packet[at.packet].target = migration->place[at.packet];
    return unicast_by_blocks(migration->machine, &plan, migration->route.blocks, failure);
}

/* Runs a part for one batch after the other, with the other batch parked. */
static enum failure_kind each_batch(struct sending *sending,
                                    enum failure_kind (*act)(struct sending *sending,
                                                             struct failure *failure),
                                    struct failure *failure)
{
    struct machine *machine = sending->migration->machine;
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t batch = 0; batch < sending->batches && kind == FAIL_NONE; batch++) {
        sending->batch = batch;
        kind = machine_park(machine, is_other_batch, sending, failure);
        if (kind != FAIL_NONE)
            break;
        kind = act(sending, failure);
        machine_unpark(machine);
    }
    return kind;
}

/* Does steps 2 and 3 for heads, with all other packets parked. */
static enum failure_kind heads_to_copies(struct sending *sending, struct failure *failure)
{
    struct migration *migration = sending->migration;
    struct machine *machine = migration->machine;
    struct segment_heads heads = heads_of(&migration->plan, migration, sending->batches);
    for (struct resting at = resting_of(machine); resting_next(&at);)
        migration->header->packet[at.packet].target = migration->position[at.packet];
    enum failure_kind kind = segment_heads_spread(machine, &heads, failure);
    if (kind == FAIL_NONE && !machine_config(machine)->copy_is_free)
        kind = each_batch(sending, broadcast, failure);
    if (kind == FAIL_NONE)
        kind = each_batch(sending, route, failure);
    for (struct resting at = resting_of(machine); kind == FAIL_NONE && resting_next(&at);) {
        assert(migration->place[at.packet] == site_place(at.site));
        migration->place[at.packet] = MACHINE_NO_PLACE;
    }
    return kind;
}

static uint32_t batches_from(const struct migration_plan *plan, uint32_t instance)
{
    uint32_t instances = migrate_instances(plan);
    return instance >= instances ? 0 : min_u32(TOGETHER, instances - instance);
}

static uint64_t head_steps(const struct migration_plan *plan, uint32_t batches, bool copy_is_free)
{
    return copy_is_free ? 1 : (uint64_t)batches * (1 + plan->excess.at_node);
}

enum failure_kind migrate_send(struct migration *migration, uint32_t visit, uint32_t instance,
                               struct failure *failure)
{
    struct machine *machine = migration->machine;
    const struct migration_plan *plan = &migration->plan;
    struct sending sending = {.migration = migration,
                              .group = visit * migrate_instances(plan) + instance,
                              .batches = batches_from(plan, instance)};
    struct routing_rule rule = {.context = &sending, .outputs = head_outputs, .take = take_head};
    if (sending.batches == 0)
        return FAIL_NONE;
    uint64_t steps = head_steps(plan, sending.batches, machine_config(machine)->copy_is_free);
    enum failure_kind kind = forward_wave(machine, &rule, steps, failure);
    if (kind == FAIL_NONE)
        kind = machine_park(machine, is_no_head, &sending, failure);
    if (kind != FAIL_NONE)
        return kind;
    kind = heads_to_copies(&sending, failure);
    machine_unpark(machine);
    return kind;
}

/* ---- quantities that nodes know beforehand ---- */

static uint32_t spreading_packets(const struct migration_plan *plan)
{
    struct segment_heads heads = heads_of(plan, NULL, batches_from(plan, 0));
    return segment_heads_packets(&heads);
}

/* Returns the packets for routing; of two batches one rests while the other is routed. */
static uint32_t room_of(const struct migration_plan *plan)
{
    uint32_t others = batches_from(plan, 0) - 1;
    return plan->room > 0 ? plan->room : max_u32(STANDARD_ROOM, spreading_packets(plan) - others);
}

uint32_t migrate_packets(const struct migration_plan *plan)
{
    uint32_t others = batches_from(plan, 0) - 1;
    return max_u32(room_of(plan) + others, spreading_packets(plan));
}

static enum failure_kind choose_route(const struct migration_plan *plan,
                                      struct block_choice *choice, struct failure *failure)
{
    struct unicast_plan route = route_plan(plan);
    return unicast_blocks_choose(&route, room_of(plan), choice, failure);
}

enum failure_kind migrate_visit_steps(const struct migration_plan *plan, bool copy_is_free,
                                      uint64_t *steps, struct failure *failure)
{
    struct block_choice route;
    struct segments segments = segments_of(plan, NULL);
    uint64_t broadcasting = copy_is_free ? 0 : segmented_broadcast_steps(&segments, false);
    uint32_t batches;
    enum failure_kind kind = choose_route(plan, &route, failure);
    *steps = 0;
    for (uint32_t i = 0; kind == FAIL_NONE && (batches = batches_from(plan, i)) > 0; i += batches) {
        struct segment_heads heads = heads_of(plan, NULL, batches);
        *steps += head_steps(plan, batches, copy_is_free) +
                  segment_heads_steps(&heads, copy_is_free) +
                  batches * (broadcasting + route.steps);
    }
    return kind;
}

/* ---- life ---- */

enum failure_kind migrate_make(struct machine *machine, const struct migration_plan *plan,
                               struct migration **migration, struct failure *failure)
{
    struct migration *new = *migration = memory_allocate(1, sizeof *new);
    if (new == NULL)
        return fail_memory(failure, "a migration");
    *new =
        (struct migration){.machine = machine, .header = machine_headers(machine), .plan = *plan};
    new->mark = machine_slot_field(machine, sizeof *new->mark);
    new->place = machine_slot_field(machine, sizeof *new->place);
    new->position = machine_slot_field(machine, sizeof *new->position);
    new->column = machine_slot_field(machine, sizeof *new->column);
    enum failure_kind kind = choose_route(plan, &new->route, failure);
    if (new->mark == NULL || new->place == NULL || new->position == NULL || new->column == NULL)
        kind = fail_memory(failure, "a migration");
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
    machine_end_field(migration->machine, migration->mark);
    machine_end_field(migration->machine, migration->place);
    machine_end_field(migration->machine, migration->position);
    machine_end_field(migration->machine, migration->column);
    free(migration->entry);
    free(migration->of_one);
    free(migration);
}

enum failure_kind migrate(struct machine *machine, const struct migration_plan *plan,
                          struct failure *failure)
{
    struct migration *migration;
    enum failure_kind kind = migrate_make(machine, plan, &migration, failure);
    if (kind == FAIL_NONE)
        kind = migrate_rank(migration, failure);
    for (uint32_t i = 0; i < migrate_instances(plan) && kind == FAIL_NONE; i += TOGETHER)
        kind = migrate_send(migration, 0, i, failure);
    migrate_end(migration);
    return kind;
}
