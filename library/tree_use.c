/* tree_use.c - what the multicast trees of a run ask of routers with tables, and of links.
 *
 * Method: each hop and delivery is a key of node, message and a way of use; keys are sorted, and double ones dropped, whenever
 * the list is full, so it holds no more than twice what is different. A link's load is a counter. At the end the keys of
 * a node stand together, and of these those of a message.
 *   Colours: messages in the order of their numbers; each takes the least colour that no message before it has at one of its
 * nodes. A node has a bit for each colour that is taken.
 * Cost: O(1) an event and the sorts; 16 bytes for each (node, message, way).
 */
#include "library/tree_use.h"

#include "base/numbers.h"

#include <stdlib.h>
#include <string.h>

enum { WAY_BITS = 4, NODE_BITS = 26, INTO = DIRECTIONS, EJECTED = 2 * DIRECTIONS };
enum { NODE_SHIFT = 32 + WAY_BITS };
_Static_assert(1 << NODE_BITS == MESH_MAX_NODES, "a node fits");

static uint64_t key_of(node_index node, uint32_t message, unsigned way)
{
    return (uint64_t)node << NODE_SHIFT | (uint64_t)message << WAY_BITS | way;
}

static uint64_t sort_unique(uint64_t *key, uint64_t keys)
{
    uint64_t kept = 0;
    if (keys == 0)
        return 0; /* perhaps there is no list yet */
    qsort(key, keys, sizeof *key, compare_u64);
    for (uint64_t i = 0; i < keys; i++)
        if (kept == 0 || key[kept - 1] != key[i])
            key[kept++] = key[i];
    return kept;
}

/* ---- the events ---- */

static void add_key(struct tree_use *use, uint64_t key)
{
    enum { FIRST_ROOM = 1 << 14 };
    if (use->is_short)
        return;
    if (use->keys == use->room) {
        use->keys = sort_unique(use->key, use->keys);
        if (use->keys >= use->room / 2) {
            uint64_t room = use->room == 0 ? FIRST_ROOM : 2 * use->room;
            uint64_t *grown = memory_resize(use->key, room, sizeof key);
            use->is_short = grown == NULL;
            if (grown == NULL)
                return;
            use->key = grown;
            use->room = room;
        }
    }
    use->key[use->keys++] = key;
}

static void name_packet(struct tree_use *use, uint32_t packet, uint32_t message)
{
    if (packet >= use->packets && !use->is_short) {
        uint32_t room = packet < UINT32_MAX / 2 ? 2 * packet + 64 : UINT32_MAX;
        uint32_t *grown = memory_resize(use->message, room, sizeof *grown);
        use->is_short = grown == NULL;
        if (grown == NULL)
            return;
        use->message = grown;
        use->packets = room;
    }
    if (packet < use->packets)
        use->message[packet] = message;
}

static uint32_t message_of(const struct tree_use *use, uint32_t packet)
{
    return packet < use->packets ? use->message[packet] : 0;
}

static enum direction direction_of(node_index from, node_index to)
{
    if (to == from + 1)
        return EAST;
    if (to + 1 == from)
        return WEST;
    return to > from ? SOUTH : NORTH;
}

/* In a mesh of one column the node below has the next number. */
static enum direction direction_in(struct mesh mesh, node_index from, node_index to)
{
    if (mesh.cols == 1)
        return to > from ? SOUTH : NORTH;
    return direction_of(from, to);
}

static void take_move(struct tree_use *use, const uint32_t *field)
{
    enum direction d = direction_in(use->mesh, field[1], field[2]);
    uint32_t message = message_of(use, field[0]);
    use->load[(size_t)field[1] * DIRECTIONS + d]++;
    add_key(use, key_of(field[1], message, d));
    add_key(use, key_of(field[2], message, INTO + d));
}

static void take_events(void *of_use, uint64_t step, const struct machine_event *event,
                        size_t count)
{
    struct tree_use *use = of_use;
    (void)step;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *field = event[i].field;
        if (event[i].kind == 'M')
            take_move(use, field);
        else if (event[i].kind == 'I')
            name_packet(use, field[1], field[2]);
        else if (event[i].kind == 'C')
            name_packet(use, field[2], message_of(use, field[1]));
        else if (event[i].kind == 'D' || event[i].kind == 'E')
            add_key(use, key_of(field[0], field[2], EJECTED));
    }
}

static void take_phase(void *of_use, uint64_t step, const char *name)
{
    (void)of_use, (void)step, (void)name;
}

enum failure_kind tree_use_make(struct tree_use *use, struct mesh mesh, struct failure *failure)
{
    *use = (struct tree_use){.mesh = mesh};
    use->observer = (struct machine_observer){use, take_events, take_phase, NULL};
    use->load = memory_allocate((size_t)mesh_nodes(mesh) * DIRECTIONS, sizeof *use->load);
    return use->load != NULL ? FAIL_NONE : fail_memory(failure, "the use of links and nodes");
}

void tree_use_free(struct tree_use *use)
{
    free(use->message);
    free(use->load);
    free(use->key);
    *use = (struct tree_use){0};
}

enum failure_kind tree_use_finish(struct tree_use *use, struct failure *failure)
{
    if (use->is_short)
        return fail_memory(failure, "the use of links and nodes");
    use->keys = sort_unique(use->key, use->keys);
    return FAIL_NONE;
}

/* ---- tables ---- */

/* The keys of one message at one node, from `at` on. */
struct visit {
    node_index node;
    uint32_t message;
    unsigned into, out; /* bits of directions; `out` has EJECTED_BIT too */
};
enum { EJECTED_BIT = 1 << DIRECTIONS, OUTPUTS = 1 << (DIRECTIONS + 1) };

static uint64_t next_visit(const struct tree_use *use, uint64_t at, struct visit *visit)
{
    uint64_t place = use->key[at] >> WAY_BITS;
    *visit = (struct visit){(node_index)(place >> 32), (uint32_t)place, 0, 0};
    for (; at < use->keys && use->key[at] >> WAY_BITS == place; at++) {
        unsigned way = use->key[at] & ((1 << WAY_BITS) - 1);
        if (way == EJECTED)
            visit->out |= EJECTED_BIT;
        else if (way >= INTO)
            visit->into |= 1u << (way - INTO);
        else
            visit->out |= 1u << way;
    }
    return at;
}

static bool needs_entry(const struct visit *visit)
{
    bool is_one_way = visit->into != 0 && (visit->into & (visit->into - 1)) == 0;
    return !(is_one_way && visit->into == visit->out);
}

struct node_count {
    node_index node;
    uint32_t messages, entries, merged;
    bool has[OUTPUTS];
};

static void count_node(const struct node_count *count, uint32_t limit, struct tree_tables *tables)
{
    tables->entries += count->entries;
    tables->merged += count->merged;
    if (count->entries > tables->most) {
        tables->most = count->entries;
        tables->most_node = count->node;
    }
    if (count->merged > tables->most_merged) {
        tables->most_merged = count->merged;
        tables->merged_node = count->node;
    }
    if (count->messages > tables->messages)
        tables->messages = count->messages;
    tables->over += limit > 0 && count->entries > limit;
    tables->over_merged += limit > 0 && count->merged > limit;
}

/* ---- colours ---- */

struct colours {
    uint32_t nodes, words; /* of 64 colours for each node */
    uint64_t *taken;
};

static bool widen(struct colours *colours)
{
    uint32_t words = 2 * colours->words;
    uint64_t *taken = memory_allocate((size_t)colours->nodes * words, sizeof *taken);
    if (taken == NULL)
        return false;
    for (uint32_t node = 0; node < colours->nodes; node++)
        memcpy(taken + (size_t)node * words, colours->taken + (size_t)node * colours->words,
               colours->words * sizeof *taken);
    free(colours->taken);
    colours->taken = taken;
    colours->words = words;
    return true;
}

/* The least colour that is free at all of these nodes; 64 words: none. */
static uint32_t free_colour(const struct colours *colours, const uint64_t *visit, uint64_t count)
{
    for (uint32_t word = 0; word < colours->words; word++) {
        uint64_t taken = 0;
        for (uint64_t i = 0; i < count && taken != UINT64_MAX; i++)
            taken |= colours->taken[(visit[i] & (MESH_MAX_NODES - 1)) * colours->words + word];
        if (taken != UINT64_MAX)
            return 64 * word + (uint32_t)__builtin_ctzll(~taken);
    }
    return 64 * colours->words;
}

/* `visit` has message << NODE_BITS | node, ascending. */
static bool colour_all(struct colours *colours, const uint64_t *visit, uint64_t visits,
                       uint32_t *used)
{
    for (uint64_t first = 0, end; first < visits; first = end) {
        for (end = first; end < visits && visit[end] >> NODE_BITS == visit[first] >> NODE_BITS;)
            end++;
        uint32_t colour = free_colour(colours, visit + first, end - first);
        if (colour == 64 * colours->words && !widen(colours))
            return false;
        for (uint64_t i = first; i < end; i++)
            colours->taken[(visit[i] & (MESH_MAX_NODES - 1)) * colours->words + colour / 64] |=
                UINT64_C(1) << colour % 64;
        *used = colour + 1 > *used ? colour + 1 : *used;
    }
    return true;
}

enum failure_kind tree_use_tables(const struct tree_use *use, uint32_t table_limit,
                                  struct tree_tables *tables, struct failure *failure)
{
    enum { FIRST_WORDS = 4 };
    struct node_count count = {.node = MESH_NO_NODE};
    struct colours colours = {.nodes = mesh_nodes(use->mesh), .words = FIRST_WORDS};
    struct visit visit;
    uint64_t visits = 0, *by_message = memory_allocate(use->keys, sizeof *by_message);
    *tables = (struct tree_tables){0};
    colours.taken = memory_allocate((size_t)colours.nodes * colours.words, sizeof *colours.taken);
    bool has_memory = by_message != NULL && colours.taken != NULL;
    for (uint64_t at = 0; at < use->keys && has_memory;) {
        at = next_visit(use, at, &visit);
        if (visit.node != count.node) {
            count_node(&count, table_limit, tables);
            count = (struct node_count){.node = visit.node};
        }
        count.messages++;
        if (needs_entry(&visit)) {
            count.entries++;
            count.merged += !count.has[visit.out];
            count.has[visit.out] = true;
        }
        by_message[visits++] = (uint64_t)visit.message << NODE_BITS | visit.node;
    }
    count_node(&count, table_limit, tables);
    if (has_memory) {
        qsort(by_message, visits, sizeof *by_message, compare_u64);
        has_memory = colour_all(&colours, by_message, visits, &tables->colours);
    }
    free(by_message);
    free(colours.taken);
    return has_memory ? FAIL_NONE : fail_memory(failure, "routing tables");
}

/* ---- links ---- */

/* The first key at or behind `key`. */
static uint64_t find_key(const struct tree_use *use, uint64_t key)
{
    uint64_t low = 0, high = use->keys;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (use->key[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool list_messages(const struct tree_use *use, struct tree_link *link, enum direction d)
{
    uint64_t first = find_key(use, key_of(link->from, 0, 0));
    uint64_t end = find_key(use, (uint64_t)(link->from + 1) << NODE_SHIFT);
    for (uint64_t at = first; at < end; at++)
        link->messages += (use->key[at] & ((1 << WAY_BITS) - 1)) == d;
    link->message = memory_allocate(link->messages, sizeof *link->message);
    uint32_t next = 0;
    for (uint64_t at = first; at < end && link->message != NULL; at++)
        if ((use->key[at] & ((1 << WAY_BITS) - 1)) == d)
            link->message[next++] = (uint32_t)(use->key[at] >> WAY_BITS);
    return link->message != NULL;
}

static node_index neighbour(struct mesh mesh, node_index node, enum direction d)
{
    const uint32_t cols = mesh.cols;
    return d == NORTH ? node - cols : d == SOUTH ? node + cols : d == WEST ? node - 1 : node + 1;
}

enum failure_kind tree_use_links(const struct tree_use *use, uint32_t count, struct tree_link *link,
                                 uint32_t *found, struct failure *failure)
{
    size_t links = (size_t)mesh_nodes(use->mesh) * DIRECTIONS;
    *found = 0;
    for (size_t i = 0; i < links; i++) {
        uint32_t at = *found;
        if (use->load[i] == 0 || (at == count && use->load[i] <= link[count - 1].packets))
            continue;
        at = at < count ? (*found)++ : count - 1;
        for (; at > 0 && link[at - 1].packets < use->load[i]; at--)
            link[at] = link[at - 1];
        node_index from = (node_index)(i / DIRECTIONS);
        link[at] =
            (struct tree_link){from, neighbour(use->mesh, from, (enum direction)(i % DIRECTIONS)),
                               use->load[i], 0, NULL};
    }
    for (uint32_t i = 0; i < *found; i++)
        if (!list_messages(use, &link[i], direction_in(use->mesh, link[i].from, link[i].to))) {
            tree_links_free(link, i + 1);
            return fail_memory(failure, "the busiest links");
        }
    return FAIL_NONE;
}

void tree_links_free(struct tree_link *link, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(link[i].message);
}
