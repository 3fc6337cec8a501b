/* port_parts.c - the parts of a chain that a holder hands over in one step.
 *
 * Levels: with no steps a holder reaches itself. With s + 1 steps it reaches as far as with s, and in its first step it
 * hands over the parts behind, each as long as any receiver in it can serve with s steps, as many as it has ports and
 * ways that share no link.
 * With one message a side this is exact, and nothing is ever refused: any receiver has a way. A holder then reaches
 * (3^s - 1) / 2 members on either side and a part has up to 3^s of them, with its middle as the receiver.
 * Cost: O(m^2) in all for m members, with a small constant, and a few walks a member, side and level; 16 bytes a member
 * and level, a byte and 8 more a link, of which only those on the ways are touched.
 */
#include "schemes/port_parts.h"

#include <assert.h>
#include <stdlib.h>

enum { TRIES = 64 };

static uint32_t node_at(const struct port_parts *parts, uint32_t side, uint32_t place)
{
    return parts->chain->node[side == 0 ? place : port_parts_mirror(parts, place)];
}

/* The end of the longest part that begins at a place. */
static uint32_t widest(const struct port_parts *parts, uint32_t level, uint32_t side,
                       uint32_t place)
{
    size_t row = PORT_PARTS_SIDES + side;
    return parts->level[level][row * parts->chain->count + place];
}

/* Whether a member can be the receiver of a part. */
static bool serves(const struct port_parts *parts, uint32_t level, uint32_t side, uint32_t member,
                   uint32_t first, uint32_t last)
{
    return port_parts_reach(parts, level, side, member) >= last &&
           port_parts_reach(parts, level, 1 - side, port_parts_mirror(parts, member)) >=
               port_parts_mirror(parts, first);
}

/* ---- ports ---- */

struct port {
    uint32_t port, node, distance; /* of labels, from the holder */
};

static uint32_t distance(const struct port_parts *parts, uint32_t one, uint32_t other)
{
    uint32_t a = topology_label(parts->topology, one), b = topology_label(parts->topology, other);
    return a < b ? b - a : a - b;
}

/* The holder's ports of a side, the one with the nearest label first. */
static uint32_t find_ports(const struct port_parts *parts, uint32_t side, uint32_t holder,
                           struct port port[PORT_PARTS_MOST])
{
    uint32_t node = node_at(parts, side, holder), label = topology_label(parts->topology, node);
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

/* ---- receivers ---- */

struct choosing {
    struct port_parts *parts;
    uint32_t level, side, holder, count, ports;
    struct port port[PORT_PARTS_MOST];
    bool is_used[PORT_PARTS_MOST];
    struct port_part *part;
};

/* Chooses receivers and ports of parts `index` .. ; recursion is as deep as there are parts. */
static bool choose(struct choosing *choosing, uint32_t index)
{
    struct port_parts *parts = choosing->parts;
    if (index == choosing->count)
        return true;
    struct port_part *part = &choosing->part[index];
    uint32_t size = part->last - part->first + 1, length = parts->way_length;
    uint32_t holder = node_at(parts, choosing->side, choosing->holder);
    for (uint32_t i = 0; i < size && parts->tries > 0; i++) {
        /* from the middle outwards: + 0, + 1, - 1, + 2, .. */
        uint32_t middle = part->first + (size - 1) / 2;
        part->receiver = i % 2 == 1 ? middle + (i + 1) / 2 : middle - i / 2;
        if (!serves(parts, choosing->level, choosing->side, part->receiver, part->first,
                    part->last))
            continue;
        uint32_t target = node_at(parts, choosing->side, part->receiver);
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

/* Chooses receivers of parts that share no link on their ways. */
static bool find_receivers(struct choosing *choosing)
{
    choosing->parts->tries = TRIES;
    for (uint32_t i = 0; i < choosing->ports; i++)
        choosing->is_used[i] = false;
    bool is_found = choose(choosing, 0);
    leave_way(choosing->parts, 0);
    return is_found;
}

static struct choosing begin(struct port_parts *parts, uint32_t level, uint32_t side,
                             uint32_t holder, struct port_part part[PORT_PARTS_MOST])
{
    struct choosing choosing = {
        .parts = parts, .level = level, .side = side, .holder = holder, .part = part};
    choosing.ports = find_ports(parts, side, holder, choosing.port);
    return choosing;
}

/* How many parts a step of the holder can have at most. */
static uint32_t most_parts(const struct choosing *choosing)
{
    uint32_t most = choosing->parts->most;
    return choosing->ports < most ? choosing->ports : most;
}

/* ---- levels ---- */

/* How far a holder reaches with one step more. */
static uint32_t reach_more(struct port_parts *parts, uint32_t level, uint32_t side, uint32_t holder)
{
    struct port_part part[PORT_PARTS_MOST];
    struct choosing choosing = begin(parts, level, side, holder, part);
    uint32_t reached = port_parts_reach(parts, level, side, holder), most = most_parts(&choosing);
    while (choosing.count < most && reached < parts->chain->count - 1) {
        uint32_t last = widest(parts, level, side, reached + 1);
        part[choosing.count++] = (struct port_part){.first = reached + 1, .last = last};
        if (!find_receivers(&choosing))
            break;
        reached = last;
    }
    return reached;
}

/* The longest parts of a level, once its reaches are there. A receiver is at most as far behind the beginning of its
 * part as any member reaches towards the other side. */
static void find_widest(struct port_parts *parts, uint32_t level, uint32_t side)
{
    uint32_t count = parts->chain->count, back = 0;
    for (uint32_t place = 0; place < count; place++) {
        uint32_t mirror = port_parts_mirror(parts, place);
        uint32_t reach = port_parts_reach(parts, level, 1 - side, mirror) - mirror;
        back = reach > back ? reach : back;
    }
    for (uint32_t first = 0; first < count; first++) {
        uint32_t best = first, end = count - 1 - first < back ? count - 1 : first + back;
        for (uint32_t member = first; member <= end; member++) {
            uint32_t last = port_parts_reach(parts, level, side, member);
            if (last > best && serves(parts, level, side, member, first, last))
                best = last;
        }
        parts->level[level][(PORT_PARTS_SIDES + (size_t)side) * count + first] = best;
    }
}

static bool add_level(struct port_parts *parts)
{
    uint32_t count = parts->chain->count, level = parts->levels;
    assert(level < PORT_PARTS_LEVELS);
    uint32_t *words = memory_allocate(count, 2 * PORT_PARTS_SIDES * sizeof *words);
    parts->level[level] = words;
    if (words == NULL)
        return false;
    parts->levels++;
    for (uint32_t side = 0; side < PORT_PARTS_SIDES; side++)
        for (uint32_t place = 0; place < count; place++)
            words[(size_t)side * count + place] =
                level == 0 ? place : reach_more(parts, level - 1, side, place);
    return true;
}

enum failure_kind port_parts_make(struct port_parts *parts, const struct topology *topology,
                                  const struct chain *chain, uint32_t most, struct failure *failure)
{
    uint32_t last = chain->count - 1;
    *parts = (struct port_parts){.topology = topology, .chain = chain, .most = most};
    parts->way_room = PORT_PARTS_MOST * topology->nodes;
    parts->taken = calloc(topology->links, 1);
    parts->way = memory_allocate(parts->way_room, sizeof *parts->way);
    bool is_made = parts->taken != NULL && parts->way != NULL && add_level(parts);
    while (is_made) {
        uint32_t level = parts->levels - 1;
        if (port_parts_reach(parts, level, 0, chain->source) == last &&
            port_parts_reach(parts, level, 1, last - chain->source) == last)
            break;
        find_widest(parts, level, 0);
        find_widest(parts, level, 1);
        is_made = add_level(parts);
    }
    if (is_made)
        return FAIL_NONE;
    port_parts_free(parts);
    return fail_memory(failure, "the parts of a multicast");
}

void port_parts_free(struct port_parts *parts)
{
    for (uint32_t level = 0; level < parts->levels; level++)
        free(parts->level[level]);
    free(parts->taken);
    free(parts->way);
    *parts = (struct port_parts){0};
}

uint32_t port_parts_level(const struct port_parts *parts, uint32_t place, uint32_t end,
                          uint32_t other_end)
{
    uint32_t level = 0, mirror = port_parts_mirror(parts, place);
    while (level + 1 < parts->levels && (port_parts_reach(parts, level, 0, place) < end ||
                                         port_parts_reach(parts, level, 1, mirror) < other_end))
        level++;
    return level;
}

/* ---- division ---- */

/* The longest parts from the holder's reach on; returns how many, or more than allowed. */
static uint32_t divide_from_near(const struct choosing *choosing, uint32_t reached, uint32_t end)
{
    uint32_t count = 0, most = most_parts(choosing);
    while (reached < end && count < most) {
        count++;
        uint32_t last = widest(choosing->parts, choosing->level, choosing->side, reached + 1);
        last = last < end ? last : end;
        choosing->part[count - 1] = (struct port_part){.first = reached + 1, .last = last};
        reached = last;
    }
    return reached < end ? count + 1 : count;
}

/* `count` parts of about the same size. */
static void divide_evenly(struct choosing *choosing, uint32_t reached, uint32_t end, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = (end - reached + count - i - 1) / (count - i);
        choosing->part[i] = (struct port_part){.first = reached + 1, .last = reached + size};
        reached += size;
    }
    choosing->count = count;
}

uint32_t port_parts_divide(struct port_parts *parts, uint32_t level, uint32_t side, uint32_t holder,
                           uint32_t end, struct port_part part[PORT_PARTS_MOST])
{
    struct choosing choosing = begin(parts, level, side, holder, part);
    uint32_t reached = port_parts_reach(parts, level, side, holder), most = most_parts(&choosing);
    if (reached >= end)
        return 0;
    uint32_t least = choosing.count = divide_from_near(&choosing, reached, end);
    if (least <= most && find_receivers(&choosing))
        return choosing.count;
    for (uint32_t count = least; count <= most && count <= end - reached; count++) {
        divide_evenly(&choosing, reached, end, count);
        if (find_receivers(&choosing))
            return count;
    }
    part[0] = (struct port_part){.first = reached + 1, .last = end};
    part[0].receiver = part[0].first + (end - reached - 1) / 2;
    for (uint32_t i = 0; i < choosing.ports;
         i++) { /* the farthest port that does not lead beyond */
        uint32_t target = node_at(parts, side, part[0].receiver);
        if (choosing.port[i].distance <= distance(parts, node_at(parts, side, holder), target)) {
            part[0].port = choosing.port[i].port;
            part[0].over = choosing.port[i].node;
        }
    }
    return 1;
}
