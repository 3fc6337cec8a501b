/* port_receivers.c - receivers and ports for the parts that a holder hands over in one step.
 *
 * Method: a search with backtracking over parts, the nearest one first. Candidates of a part are its middle, then its
 * samples from the middle outwards; of ports the one with the nearest label comes first. The ways that are chosen are
 * marked link by link. A single part needs no walk: any receiver has a way, and nothing else is on it.
 * Cost: at most TRIES walks.
 */
#include "network/schemes/port_parts.h"

enum { TRIES = 64 };

/* ---- ports ---- */

static uint32_t distance(const struct port_parts *parts, uint32_t one, uint32_t other)
{
    uint32_t a = topology_label(parts->topology, one), b = topology_label(parts->topology, other);
    return a < b ? b - a : a - b;
}

/* The holder's ports of a side, the one with the nearest label first. */
static uint32_t find_ports(const struct port_parts *parts, uint32_t side, uint32_t holder,
                           struct port port[PORT_PARTS_MOST])
{
    uint32_t node = port_parts_node(parts, side, holder);
    uint32_t label = topology_label(parts->topology, node);
    uint32_t ports = topology_node_ports(parts->topology, node), count = 0;
    for (uint32_t i = 0; i < ports; i++) {
        uint32_t neighbour = topology_neighbour(parts->topology, node, i);
        if (neighbour == TOPOLOGY_NO_NODE ||
            (topology_label(parts->topology, neighbour) > label) != (side == 0))
            continue;
        uint32_t away = distance(parts, node, neighbour), place = count;
        for (; place > 0 && port[place - 1].distance > away; place--)
            if (place < PORT_PARTS_MOST)
                port[place] = port[place - 1];
        if (place < PORT_PARTS_MOST)
            port[place] = (struct port){i, neighbour, away};
        count += count < PORT_PARTS_MOST;
    }
    return count;
}

/* ---- ways ---- */

static bool take_link(struct port_parts *parts, uint32_t node, uint32_t port)
{
    uint64_t link = topology_link(parts->topology, node, port);
    if (parts->taken[link] || parts->way_length == parts->way_room)
        return false;
    parts->taken[link] = 1;
    parts->way[parts->way_length++] = link;
    return true;
}

static void leave_way(struct port_parts *parts, uint32_t length)
{
    while (parts->way_length > length)
        parts->taken[parts->way[--parts->way_length]] = 0;
}

/* Takes the links from the holder over a port to the target. False: one of them is taken, or the port leads beyond;
 * nothing has changed. */
static bool take_way(struct port_parts *parts, uint32_t holder, const struct port *port,
                     uint32_t target)
{
    uint32_t length = parts->way_length, node = port->node;
    if (port->distance > distance(parts, holder, target) || parts->tries == 0)
        return false;
    parts->tries--;
    bool is_free = take_link(parts, holder, port->port);
    while (is_free && node != target) {
        struct routing_choice choice[ROUTING_CHOICES];
        routing_label.next(parts->topology, node, target, choice);
        is_free = take_link(parts, node, choice[0].port);
        node = topology_neighbour(parts->topology, node, choice[0].port);
    }
    if (!is_free)
        leave_way(parts, length);
    return is_free;
}

void port_receivers_natural(const struct choosing *choosing, struct port_part *part)
{
    const struct port_parts *parts = choosing->parts;
    uint32_t holder = port_parts_node(parts, choosing->side, choosing->holder);
    uint32_t target = port_parts_node(parts, choosing->side, part->receiver);
    struct routing_choice choice[ROUTING_CHOICES];
    routing_label.next(parts->topology, holder, target, choice);
    part->port = choice[0].port;
    part->over = topology_neighbour(parts->topology, holder, part->port);
}

/* ---- receivers ---- */

/* Whether a member serves a part. */
static bool serves(const struct choosing *choosing, uint32_t member, const struct port_part *part)
{
    const struct port_parts *parts = choosing->parts;
    uint32_t side = choosing->side;
    return port_parts_reach(parts, choosing->level, side, member) >= part->last &&
           port_parts_reach(parts, choosing->level, 1 - side, port_parts_mirror(parts, member)) >=
               port_parts_mirror(parts, part->first);
}

/* Places of a part that may be its receiver: the middle, then samples from it outwards, behind it and before it in
 * turn. */
struct candidates {
    int64_t first, last, middle, grid;
    int64_t behind, before; /* the next ones */
    bool has_begun, goes_behind;
};

static struct candidates candidates_of(const struct choosing *choosing,
                                       const struct port_part *part)
{
    const struct port_parts *parts = choosing->parts;
    uint32_t middle = part->first + (part->last - part->first) / 2;
    uint32_t grid = parts->level[choosing->level].grid;
    uint32_t member = choosing->side == 0 ? middle : port_parts_mirror(parts, middle);
    struct candidates candidates = {.first = part->first,
                                    .last = part->last,
                                    .middle = middle,
                                    .grid = grid,
                                    .behind = INT64_MAX,
                                    .before = -1,
                                    .goes_behind = true};
    if (grid == 0)
        return candidates;
    uint32_t above = grid - member % grid, below = member % grid == 0 ? grid : member % grid;
    candidates.behind = (int64_t)middle + (choosing->side == 0 ? above : below);
    candidates.before = (int64_t)middle - (choosing->side == 0 ? below : above);
    return candidates;
}

/* False: there are no more. */
static bool next_candidate(struct candidates *candidates, uint32_t *member)
{
    bool has_behind = candidates->behind <= candidates->last;
    bool has_before = candidates->before >= candidates->first;
    if (!candidates->has_begun) {
        candidates->has_begun = true;
        *member = (uint32_t)candidates->middle;
        return true;
    }
    if (!has_behind && !has_before)
        return false;
    bool is_behind = has_behind && (candidates->goes_behind || !has_before);
    *member = (uint32_t)(is_behind ? candidates->behind : candidates->before);
    if (is_behind)
        candidates->behind += candidates->grid;
    else
        candidates->before -= candidates->grid;
    candidates->goes_behind = !is_behind;
    return true;
}

/* Chooses receivers and ports of parts `index` .. ; recursion is as deep as there are parts. */
static bool choose(struct choosing *choosing, uint32_t index)
{
    struct port_parts *parts = choosing->parts;
    if (index == choosing->count)
        return true;
    struct port_part *part = &choosing->part[index];
    struct candidates candidates = candidates_of(choosing, part);
    uint32_t holder = port_parts_node(parts, choosing->side, choosing->holder);
    while (parts->tries > 0 && next_candidate(&candidates, &part->receiver)) {
        if (!serves(choosing, part->receiver, part))
            continue;
        uint32_t length = parts->way_length;
        uint32_t target = port_parts_node(parts, choosing->side, part->receiver);
        for (uint32_t port = 0; port < choosing->ports; port++) {
            if (choosing->is_used[port] || !take_way(parts, holder, &choosing->port[port], target))
                continue;
            choosing->is_used[port] = true;
            part->port = choosing->port[port].port;
            part->over = choosing->port[port].node;
            if (choose(choosing, index + 1))
                return true;
            choosing->is_used[port] = false;
            leave_way(parts, length);
        }
    }
    return false;
}

static bool find_one(struct choosing *choosing)
{
    struct port_part *part = &choosing->part[0];
    struct candidates candidates = candidates_of(choosing, part);
    while (next_candidate(&candidates, &part->receiver))
        if (serves(choosing, part->receiver, part)) {
            port_receivers_natural(choosing, part);
            return true;
        }
    return false;
}

/* Whether each part can have a port of its own that does not lead beyond it. Nearer parts come first. */
static bool has_ports(const struct choosing *choosing)
{
    const struct port_parts *parts = choosing->parts;
    uint32_t holder = port_parts_node(parts, choosing->side, choosing->holder);
    for (uint32_t i = 0; i < choosing->count; i++) {
        uint32_t last = port_parts_node(parts, choosing->side, choosing->part[i].last);
        if (i >= choosing->ports || choosing->port[i].distance > distance(parts, holder, last))
            return false;
    }
    return true;
}

bool port_receivers_find(struct choosing *choosing)
{
    if (choosing->count <= 1)
        return choosing->count == 0 || find_one(choosing);
    if (!has_ports(choosing))
        return false;
    choosing->parts->tries = TRIES;
    for (uint32_t i = 0; i < choosing->ports; i++)
        choosing->is_used[i] = false;
    bool is_found = choose(choosing, 0);
    leave_way(choosing->parts, 0);
    return is_found;
}

struct choosing port_receivers_begin(struct port_parts *parts, uint32_t level, uint32_t side,
                                     uint32_t holder, struct port_part part[PORT_PARTS_MOST])
{
    struct choosing choosing = {
        .parts = parts, .level = level, .side = side, .holder = holder, .part = part};
    choosing.ports = find_ports(parts, side, holder, choosing.port);
    return choosing;
}

uint32_t port_receivers_most(const struct choosing *choosing)
{
    uint32_t most = choosing->parts->most;
    return choosing->ports < most ? choosing->ports : most;
}
