/* exact_steps.c - an exhaustive search over the schedules of a tiny set.
 *
 * A state has, for each message, the number of its packets at each node, and the destinations that
 * it has still to reach. The packet responsible for each destination need not be stored: where each
 * packet went on to deliver something, the destinations that it and its copies delivered are those
 * that it was responsible for. The search goes deep first, never to a state again that has failed
 * with as many steps left.
 *
 * Copies that cost a step: in a step each packet rests, crosses a link, is copied into a second
 * packet, or into the output queue; a node makes one copy, a link carries one packet; then packets
 * at destinations of theirs may end. No message has more packets than destinations to reach, as
 * each packet ends with a delivery. Free copies: a node that held the message can send it over each
 * of its links, once a step, so only who has it matters, and no link that could carry something new
 * needs to rest.
 *
 * Cost: exponential; milliseconds for a few messages on 2 x 3 nodes.
 */
#include "test/workloads/exact_steps.h"

#include <stdlib.h>
#include <string.h>

enum { NODES = EXACT_NODES, MESSAGES = EXACT_MESSAGES, LINKS = 4, TABLE_BITS = 16, FAR = 1000 };

struct state {
    uint8_t packets[MESSAGES][NODES];
    uint16_t due[MESSAGES]; /* destinations to reach, a bit per node */
    uint8_t left;           /* steps */
};

struct search {
    struct mesh mesh;
    uint32_t nodes, messages;
    bool copy_is_free;
    int neighbour[NODES][LINKS]; /* -1: none */
    int distance[NODES][NODES];
    struct state *failed; /* a table of states, hashed; a new one may take an old one's place */
};

static uint64_t hash_of(const struct state *state)
{
    const unsigned char *byte = (const unsigned char *)state;
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < sizeof *state; i++)
        hash = (hash ^ byte[i]) * 1099511628211u;
    return (hash ^ hash >> 29) & ((1u << TABLE_BITS) - 1);
}

static bool is_done(const struct search *search, const struct state *state)
{
    for (uint32_t m = 0; m < search->messages; m++)
        if (state->due[m] != 0)
            return false;
    return true;
}

/* True if every destination is near enough to some packet. */
static bool has_hope(const struct search *search, const struct state *state)
{
    for (uint32_t m = 0; m < search->messages; m++)
        for (uint32_t v = 0; v < search->nodes; v++) {
            bool is_near = !(state->due[m] >> v & 1);
            for (uint32_t u = 0; u < search->nodes && !is_near; u++)
                is_near = state->packets[m][u] > 0 && search->distance[u][v] <= state->left;
            if (!is_near)
                return false;
        }
    return true;
}

static bool try_state(const struct search *search, const struct state *state);

/* ---- free copies ---- */

/* Chooses the messages on the link `at` (of LINKS per node), then on the next ones. `now` is the
 * state before the step, `next` the one after it. */
static bool try_links_free(const struct search *search, const struct state *now, struct state *next,
                           uint32_t at)
{
    if (at == search->nodes * LINKS)
        return try_state(search, next);
    int from = (int)(at / LINKS), to = search->neighbour[from][at % LINKS];
    bool carries = false;
    for (uint32_t m = 0; m < search->messages && to >= 0; m++) {
        bool is_of_use = false;
        if (now->packets[m][from] == 0 || next->packets[m][to] != 0)
            continue;
        for (uint32_t v = 0; v < search->nodes; v++)
            is_of_use |= (now->due[m] >> v & 1) && search->distance[to][v] <= next->left;
        if (!is_of_use)
            continue;
        struct state with = *next;
        carries = true;
        with.packets[m][to] = 1;
        with.due[m] &= (uint16_t) ~(1u << to);
        if (try_links_free(search, now, &with, at + 1))
            return true;
    }
    return !carries && try_links_free(search, now, next, at + 1);
}

/* ---- copies that cost a step ---- */

static bool try_ends(const struct search *search, struct state *next, uint32_t at)
{
    for (; at < search->messages * search->nodes; at++) {
        uint32_t m = at / search->nodes, v = at % search->nodes;
        if (next->packets[m][v] == 0 || !(next->due[m] >> v & 1))
            continue;
        struct state ended = *next;
        ended.packets[m][v]--;
        ended.due[m] &= (uint16_t) ~(1u << v);
        if (try_ends(search, &ended, at + 1))
            return true;
    }
    for (uint32_t m = 0; m < search->messages; m++) {
        uint32_t packets = 0;
        for (uint32_t v = 0; v < search->nodes; v++)
            packets += next->packets[m][v];
        if (packets > (uint32_t)__builtin_popcount(next->due[m]))
            return false;
    }
    return try_state(search, next);
}

static bool try_copies(const struct search *search, struct state *now, struct state *next,
                       uint32_t node);

/* Chooses the packet on the link `at`, or none; a packet that has not acted. now->packets are those
 * that have not, next->packets all others. */
static bool try_links(const struct search *search, struct state *now, struct state *next,
                      uint32_t at)
{
    if (at == search->nodes * LINKS)
        return try_copies(search, now, next, 0);
    int from = (int)(at / LINKS), to = search->neighbour[from][at % LINKS];
    for (uint32_t m = 0; m < search->messages && to >= 0; m++) {
        if (now->packets[m][from] == 0)
            continue;
        now->packets[m][from]--;
        next->packets[m][to]++;
        bool can = try_links(search, now, next, at + 1);
        now->packets[m][from]++;
        next->packets[m][to]--;
        if (can)
            return true;
    }
    return try_links(search, now, next, at + 1);
}

/* Chooses the copies of `node` and the next ones; then all others rest. */
static bool try_copies(const struct search *search, struct state *now, struct state *next,
                       uint32_t node)
{
    if (node == search->nodes) {
        struct state after = *next;
        for (uint32_t m = 0; m < search->messages; m++)
            for (uint32_t v = 0; v < search->nodes; v++)
                after.packets[m][v] = (uint8_t)(after.packets[m][v] + now->packets[m][v]);
        return try_ends(search, &after, 0);
    }
    if (try_copies(search, now, next, node + 1))
        return true;
    for (uint32_t m = 0; m < search->messages; m++) {
        if (now->packets[m][node] == 0)
            continue;
        next->packets[m][node]++; /* the copy; the original is still among those that rest */
        bool can = try_copies(search, now, next, node + 1);
        next->packets[m][node]--;
        if (!can && (next->due[m] >> node & 1)) {
            next->due[m] &= (uint16_t) ~(1u << node);
            can = try_copies(search, now, next, node + 1);
            next->due[m] |= (uint16_t)(1u << node);
        }
        if (can)
            return true;
    }
    return false;
}

/* ---- the search ---- */

static bool try_state(const struct search *search, const struct state *state)
{
    if (is_done(search, state))
        return true;
    if (state->left == 0 || !has_hope(search, state))
        return false;
    struct state *place = &search->failed[hash_of(state)];
    if (memcmp(place, state, sizeof *state) == 0)
        return false;
    struct state now = *state, next = *state;
    next.left--;
    bool can;
    if (search->copy_is_free) {
        can = try_links_free(search, &now, &next, 0);
    } else {
        memset(next.packets, 0, sizeof next.packets);
        can = try_links(search, &now, &next, 0);
    }
    if (!can)
        *place = *state;
    return can;
}

static void search_open(struct search *search, const struct topology *topology,
                        const struct message_set *set, bool copy_is_free)
{
    const struct topology whole = topology_of_shape(&set->shape);
    *search = (struct search){.mesh = set->mesh,
                              .nodes = mesh_nodes(set->mesh),
                              .messages = set->messages,
                              .copy_is_free = copy_is_free};
    if (search->nodes > NODES || set->messages > MESSAGES)
        abort();
    for (uint32_t u = 0; u < search->nodes; u++) {
        for (uint32_t link = 0; link < LINKS; link++) {
            uint32_t v = topology_neighbour(&whole, u, link);
            bool is_there = v != TOPOLOGY_NO_NODE && topology_port_to(topology, u, v) != UINT32_MAX;
            search->neighbour[u][link] = is_there ? (int)v : -1;
        }
        for (uint32_t v = 0; v < search->nodes; v++) {
            uint32_t hops = topology_distance(topology, u, v);
            search->distance[u][v] = hops < FAR ? (int)hops : FAR;
        }
    }
    search->failed = calloc((size_t)1 << TABLE_BITS, sizeof *search->failed);
    if (search->failed == NULL)
        abort();
}

bool exact_can_be_done(const struct message_set *set, bool copy_is_free, uint32_t steps)
{
    const struct topology whole = topology_of_shape(&set->shape);
    return exact_can_be_done_on(&whole, set, copy_is_free, steps);
}

bool exact_can_be_done_on(const struct topology *topology, const struct message_set *set,
                          bool copy_is_free, uint32_t steps)
{
    struct search search;
    struct state start;
    memset(&start, 0, sizeof start);
    start.left = (uint8_t)(steps < 255 ? steps : 255);
    search_open(&search, topology, set, copy_is_free);
    for (uint32_t m = 0; m < set->messages; m++) {
        start.packets[m][set->source[m]] = 1;
        for (uint64_t j = set->offset[m]; j < set->offset[m + 1]; j++)
            start.due[m] |= (uint16_t)(1u << set->destination[j]);
        if (copy_is_free)
            start.due[m] &= (uint16_t) ~(1u << set->source[m]);
    }
    bool can = copy_is_free ? try_state(&search, &start) : try_ends(&search, &start, 0);
    free(search.failed);
    return can;
}
