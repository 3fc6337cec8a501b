/* tables.c - a replay's records of messages, nodes and packets. */
#include "audit/tables.h"

#include "base/failure.h"

#include <stdlib.h>

/* ---- maps ---- */

/* Method: a hash table with linear probing, at most half full. Cost: O(1) expected. */

static uint64_t mix(uint64_t high, uint64_t low)
{
    uint64_t hash = high * UINT64_C(0x9e3779b97f4a7c15) + low;
    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 29;
}

/* Returns the entry of the key, or the one where it would be. The map has an empty entry. */
static struct audit_entry *entry_of(const struct audit_map *map, uint64_t high, uint64_t low)
{
    for (uint64_t i = mix(high, low);; i++) {
        struct audit_entry *entry = &map->entry[i & (map->room - 1)];
        if (entry->value == 0 || (entry->high == high && entry->low == low))
            return entry;
    }
}

uint64_t *audit_map_find(const struct audit_map *map, uint64_t high, uint64_t low)
{
    struct audit_entry *entry = map->room == 0 ? NULL : entry_of(map, high, low);
    return entry == NULL || entry->value == 0 ? NULL : &entry->value;
}

static bool grow_map(struct audit_map *map)
{
    struct audit_map grown = {.count = map->count, .room = map->room == 0 ? 16 : 2 * map->room};
    grown.entry = memory_allocate(grown.room, sizeof *grown.entry);
    if (grown.entry == NULL)
        return false;
    for (size_t i = 0; i < map->room; i++)
        if (map->entry[i].value != 0)
            *entry_of(&grown, map->entry[i].high, map->entry[i].low) = map->entry[i];
    free(map->entry);
    *map = grown;
    return true;
}

uint64_t *audit_map_add(struct audit_map *map, uint64_t high, uint64_t low)
{
    if (2 * map->count >= map->room && !grow_map(map))
        return NULL;
    struct audit_entry *entry = entry_of(map, high, low);
    if (entry->value == 0) {
        *entry = (struct audit_entry){high, low, 0};
        map->count++;
    }
    return &entry->value;
}

/* ---- messages ---- */

/* The messages of a set in a replay: injections, packets, deliveries.
 *
 * Method: a record per message and a bit per delivery, in the set's order. The destinations of a
 * message ascend, and so do the sources, by which a set of version 1 names its messages: both are
 * found by bisection.
 *
 * Invariant: bit j of is_delivered is set exactly if destination[j] of the set was delivered, in a
 * reduction if its contribution was injected, and a bit is never set twice.
 *
 * Source: doc/model.md, the last paragraph of "The trace".
 * Cost: 24 bytes per message, a bit per delivery, with times 8 bytes more and 24 per node; O(log
 * messages) per injection, O(log degree) per delivery and per packet that is waited for.
 */

bool messages_init(struct audit_messages *messages, const struct message_set *set)
{
    *messages = (struct audit_messages){.set = set, .version = message_set_version(set)};
    messages->message = memory_allocate(set->messages, sizeof *messages->message);
    messages->is_delivered =
        memory_allocate((size_t)(set->deliveries / 64 + 1), sizeof *messages->is_delivered);
    bool is_timed = message_set_is_timed(set);
    if (is_timed) {
        messages->step = memory_allocate(set->deliveries, sizeof *messages->step);
        messages->source = memory_allocate(mesh_nodes(set->mesh), sizeof *messages->source);
    }
    if (!messages->message || !messages->is_delivered ||
        (is_timed && (!messages->step || !messages->source))) {
        messages_free(messages);
        return false;
    }
    return true;
}

/* Returns the least i in [begin, end) with list[i] >= node, or end. */
static uint64_t bisect(const node_index *list, uint64_t begin, uint64_t end, uint64_t node)
{
    while (begin < end) {
        uint64_t middle = begin + (end - begin) / 2;
        if (list[middle] < node)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

uint32_t messages_find(const struct audit_messages *messages, uint64_t name)
{
    const struct message_set *set = messages->set;
    uint64_t index = name;
    if (messages->version == 1)
        index = bisect(set->source, 0, set->messages, name);
    bool is_there =
        index < set->messages && message_set_name(set, messages->version, (uint32_t)index) == name;
    return is_there ? (uint32_t)index : AUDIT_NO_MESSAGE;
}

/* Returns the index of a delivery in the set's list; set->deliveries: it is none. */
static uint64_t delivery_at(const struct message_set *set, uint32_t index, uint32_t node)
{
    uint64_t end = set->offset[index + 1];
    uint64_t at = bisect(set->destination, set->offset[index], end, node);
    return at < end && set->destination[at] == node ? at : set->deliveries;
}

static bool is_delivered(const struct audit_messages *messages, uint64_t at)
{
    return messages->is_delivered[at / 64] >> at % 64 & 1;
}

enum delivery_status messages_contribute(struct audit_messages *messages, uint32_t index,
                                         uint32_t node)
{
    uint64_t at = delivery_at(messages->set, index, node);
    if (at == messages->set->deliveries)
        return DELIVERY_NOT_DUE;
    if (is_delivered(messages, at))
        return DELIVERY_TWICE;
    messages->is_delivered[at / 64] |= UINT64_C(1) << at % 64;
    return DELIVERY_DUE;
}

enum delivery_status messages_deliver(struct audit_messages *messages, uint32_t index,
                                      uint32_t node, uint64_t step)
{
    enum delivery_status status = messages_contribute(messages, index, node);
    messages->message[index].delivered += status == DELIVERY_DUE;
    if (status == DELIVERY_DUE && messages->step)
        messages->step[delivery_at(messages->set, index, node)] = step;
    return status;
}

/* ---- with times ---- */

bool messages_may_start(const struct audit_messages *messages, uint32_t index, uint64_t *start)
{
    const struct message_set *set = messages->set;
    uint32_t first = set->first_packet == NULL ? index : set->first_packet[index];
    uint64_t wait = set->wait_offset == NULL ? 0 : set->wait_offset[first], last = 0;
    uint64_t end = set->wait_offset == NULL ? 0 : set->wait_offset[first + 1];
    for (; wait < end; wait++) {
        uint32_t awaited = set->wait_on[wait], packet = awaited;
        do {
            uint64_t at = delivery_at(set, packet, set->source[first]);
            if (!is_delivered(messages, at)) {
                *start = packet;
                return false;
            }
            last = messages->step[at] > last ? messages->step[at] : last;
            packet++;
        } while (set->first_packet != NULL && packet < set->messages &&
                 set->first_packet[packet] == awaited);
    }
    *start = last + (set->start == NULL ? 0 : set->start[first]);
    return true;
}

bool messages_was_busy(struct audit_messages *messages, uint32_t index, uint64_t start,
                       uint64_t step)
{
    struct audit_source *source = &messages->source[messages->set->source[index]];
    bool is_empty = source->packets == 0;
    if (is_empty && step > source->freed + 1)
        source->idle = step - 1;
    return start == step || (source->idle <= start && !(is_empty && source->freed <= start));
}

void messages_come(struct audit_messages *messages, uint32_t index, uint32_t node)
{
    if (messages->source && messages->set->source[index] == node)
        messages->source[node].packets++;
}

void messages_go(struct audit_messages *messages, uint32_t index, uint32_t node, uint64_t step)
{
    if (messages->source && messages->set->source[index] == node &&
        --messages->source[node].packets == 0)
        messages->source[node].freed = step;
}

bool messages_is_complete(const struct audit_messages *messages, uint32_t index)
{
    const struct message_set *set = messages->set;
    return messages->message[index].delivered == set->offset[index + 1] - set->offset[index];
}

uint64_t messages_missing(const struct audit_messages *messages, uint32_t *name,
                          uint32_t *destination)
{
    const struct message_set *set = messages->set;
    uint64_t missing = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        for (uint64_t at = set->offset[i]; at < set->offset[i + 1]; at++) {
            if (is_delivered(messages, at))
                continue;
            if (missing++ == 0) {
                *name = message_set_name(set, messages->version, i);
                *destination = set->destination[at];
            }
        }
    }
    return missing;
}

void messages_free(struct audit_messages *messages)
{
    free(messages->message);
    free(messages->is_delivered);
    free(messages->step);
    free(messages->source);
    *messages = (struct audit_messages){0};
}

/* ---- nodes ---- */

/* The nodes of a replayed mesh: buffers at the ends of steps, links used.
 *
 * Method: one record of 8 bytes per node, in pages that are allocated when first touched, so that
 * memory follows the trace's events and not its header. A step's marks are cleared through the list
 * of nodes that the step touched; a node that no event touched holds as many packets as at the end
 * of the step before, so only listed nodes can raise the peak.
 *
 * Invariant: is_touched holds exactly for the nodes on the list; others have no mark set.
 *
 * Source: rule 1 and "What is counted" of doc/model.md.
 * Cost: O(1) per event; a word per page of 512 nodes, 8 bytes per node of touched pages, 4 bytes
 * per node that one step touches.
 */

static size_t page_count(const struct audit_nodes *nodes)
{
    return ((size_t)nodes->rows * nodes->cols + AUDIT_PAGE_NODES - 1) / AUDIT_PAGE_NODES;
}

bool nodes_init(struct audit_nodes *nodes, uint32_t rows, uint32_t cols)
{
    *nodes = (struct audit_nodes){.rows = rows, .cols = cols};
    nodes->page = memory_allocate(page_count(nodes), sizeof(struct audit_node *));
    return nodes->page != NULL;
}

static struct audit_node *get_page(struct audit_nodes *nodes, uint32_t index)
{
    struct audit_node **page = &nodes->page[index / AUDIT_PAGE_NODES];
    if (!*page)
        *page = memory_allocate(AUDIT_PAGE_NODES, sizeof **page);
    return *page;
}

static bool list_touched(struct audit_nodes *nodes, uint32_t index)
{
    if (!memory_make_room(&nodes->touched, &nodes->touched_room, nodes->touched_count + 1,
                          sizeof *nodes->touched))
        return false;
    nodes->touched[nodes->touched_count++] = index;
    return true;
}

struct audit_node *nodes_touch(struct audit_nodes *nodes, uint32_t index)
{
    struct audit_node *page = get_page(nodes, index);
    if (!page)
        return NULL;
    struct audit_node *node = &page[index % AUDIT_PAGE_NODES];
    if (!node->is_touched) {
        if (!list_touched(nodes, index))
            return NULL;
        node->is_touched = true;
    }
    return node;
}

int nodes_link(const struct audit_nodes *nodes, uint32_t from, uint32_t to)
{
    uint32_t low = from < to ? from : to, high = from < to ? to : from;
    if (high - low == nodes->cols)
        return from < to ? 0 : 1;
    /* neighbouring numbers are on two rows exactly if the higher one begins a row */
    if (high - low == 1 && high % nodes->cols != 0)
        return from < to ? 2 : 3;
    return -1;
}

void nodes_end_step(struct audit_nodes *nodes, uint64_t step)
{
    for (size_t i = 0; i < nodes->touched_count; i++) {
        uint32_t index = nodes->touched[i];
        struct audit_node *node = &nodes->page[index / AUDIT_PAGE_NODES][index % AUDIT_PAGE_NODES];
        bool is_tie = node->packets == nodes->peak && nodes->peak_step == step &&
                      index < nodes->peak_node && nodes->peak > 0;
        if (node->packets > nodes->peak || is_tie) {
            nodes->peak = node->packets;
            nodes->peak_node = index;
            nodes->peak_step = step;
        }
        node->links_used = 0;
        node->has_copied = false;
        node->is_touched = false;
    }
    nodes->touched_count = 0;
}

void nodes_free(struct audit_nodes *nodes)
{
    for (size_t i = 0; nodes->page && i < page_count(nodes); i++)
        free(nodes->page[i]);
    free(nodes->page);
    free(nodes->touched);
    *nodes = (struct audit_nodes){0};
}

/* ---- packets ---- */

/* The packets that a replayed trace has in the network, and every id it used.
 *
 * Method: a hash table with open addressing and linear probing, at most two thirds full, has one
 * slot per living packet; a removed one leaves no mark, since later entries of its run move back. A
 * map has one value per block of 64 ids, with a bit per id: consecutive ids cost about a byte each,
 * ids scattered over 64 bits 48 to 96.
 *
 * A table of our own rather than uthash or the like, which allocates a node per packet with over 50
 * bytes beside it. Here a look-up is one cache line, which bounds the audit's speed and can be
 * prefetched.
 *
 * Invariant: from a key's home slot to its slot no slot is empty.
 *
 * Cost: O(1) expected per operation; 32 bytes per slot of living packets, 1.5 to 3 slots per
 * packet.
 */

enum { FIRST_SLOTS = 1024 };

/* Returns the first slot for a key, by Fibonacci hashing of groups of four keys, which stay
 * neighbours: packets made together are often looked up together, and share cache lines. Both
 * halves of the key take part, and the product's high half, since its low bits depend only on low
 * bits. `slots` is a power of two. */
static size_t home_slot(uint64_t key, size_t slots)
{
    uint64_t group = key >> 2;
    uint64_t mixed = (group ^ group >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)((mixed ^ mixed >> 32) << 2 | (key & 3)) & (slots - 1);
}

static bool is_full(size_t count, size_t slots)
{
    return count + 1 > slots / 3 * 2;
}

/* ---- ids ---- */

bool packets_id_used(const struct audit_packets *packets, uint64_t id)
{
    const uint64_t *block = audit_map_find(&packets->used, 0, id / 64);
    return block != NULL && *block >> id % 64 & 1;
}

static enum packets_status use_id(struct audit_packets *packets, uint64_t id)
{
    uint64_t *block = audit_map_add(&packets->used, 0, id / 64), bit = UINT64_C(1) << id % 64;
    if (block == NULL)
        return PACKETS_NO_MEMORY;
    if (*block & bit)
        return PACKETS_ID_USED;
    *block |= bit;
    return PACKETS_ADDED;
}

/* ---- living packets ---- */

/* Returns the slot of packet `id`, or the empty slot where it belongs. */
static struct audit_packet *find_slot(struct audit_packet *table, size_t slots, uint64_t id)
{
    size_t slot = home_slot(id, slots);
    while (table[slot].taken && table[slot].id != id)
        slot = (slot + 1) & (slots - 1);
    return &table[slot];
}

static bool grow_packets(struct audit_packets *packets)
{
    size_t slots = packets->packet_slots ? 2 * packets->packet_slots : FIRST_SLOTS;
    struct audit_packet *table = memory_allocate(slots, sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < packets->packet_slots; i++)
        if (packets->packet[i].taken)
            *find_slot(table, slots, packets->packet[i].id) = packets->packet[i];
    free(packets->packet);
    packets->packet = table;
    packets->packet_slots = slots;
    return true;
}

enum packets_status packets_add(struct audit_packets *packets, uint64_t id,
                                struct audit_packet **packet)
{
    if (is_full(packets->packet_count, packets->packet_slots) && !grow_packets(packets))
        return PACKETS_NO_MEMORY;
    enum packets_status status = use_id(packets, id);
    if (status != PACKETS_ADDED)
        return status;
    *packet = find_slot(packets->packet, packets->packet_slots, id);
    **packet = (struct audit_packet){.id = id, .taken = true};
    packets->packet_count++;
    return PACKETS_ADDED;
}

struct audit_packet *packets_find(const struct audit_packets *packets, uint64_t id)
{
    if (packets->packet_slots == 0)
        return NULL;
    struct audit_packet *packet = find_slot(packets->packet, packets->packet_slots, id);
    return packet->taken ? packet : NULL;
}

void packets_prefetch(const struct audit_packets *packets, uint64_t id)
{
    if (packets->packet_slots > 0)
        __builtin_prefetch(&packets->packet[home_slot(id, packets->packet_slots)], 1);
}

const struct audit_packet *packets_least(const struct audit_packets *packets)
{
    const struct audit_packet *least = NULL;
    for (size_t i = 0; i < packets->packet_slots; i++) {
        const struct audit_packet *packet = &packets->packet[i];
        if (packet->taken && (!least || packet->id < least->id))
            least = packet;
    }
    return least;
}

void packets_remove(struct audit_packets *packets, struct audit_packet *packet)
{
    struct audit_packet *table = packets->packet;
    size_t mask = packets->packet_slots - 1;
    size_t hole = (size_t)(packet - table);

    /* An entry may fill the hole if the hole is on the way from its home to its slot. */
    for (size_t slot = (hole + 1) & mask; table[slot].taken; slot = (slot + 1) & mask) {
        size_t home = home_slot(table[slot].id, mask + 1);
        if (((slot - home) & mask) >= ((slot - hole) & mask)) {
            table[hole] = table[slot];
            hole = slot;
        }
    }
    table[hole].taken = false;
    packets->packet_count--;
}

void packets_free(struct audit_packets *packets)
{
    free(packets->packet);
    free(packets->used.entry);
    *packets = (struct audit_packets){0};
}
