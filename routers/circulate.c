/* circulate.c - the baseline that the paper falls back to for c > n/16: all packets tour the mesh.
 *
 * Each message becomes two packets on the mesh's Hamiltonian ring (Fact 1), one each way, each
 * responsible for the destinations that it reaches first, at most half of the ring away. Packets
 * queue first in, first out; as all go the same way at the same speed, a node holds one packet a
 * way (and with unit copies those that wait for a delivery ahead of them).
 * Encoding: at its source a packet's range is sorted by way and distance, so that the nearest
 * destination is always first. On an odd x odd mesh the corner (0, 0) is beside the ring: packets
 * for it leave a copy there when they pass, and its own message enters at both neighbours.
 *
 * Steps with free copies: floor(length / 2) for a ring, at most 2 more with a corner beside it;
 * length - 1 for a path. Unit copies: a packet that delivers holds up those behind it; twice as
 * many steps where each node receives a few messages, 3.3 times n / 2 measured where each receives
 * all and a corner is beside the ring.
 * Buffer: 2 packets a node with free copies (3 measured with a corner). Unit copies: 4 or 5 as a
 * rule; packets pile up where many deliver at once (30 at hubs, 221 at a corner's neighbour).
 * Source: Section 4 of the paper, "all packets circulate along a Hamiltonian cycle of the mesh".
 */
#include "machine/fetch.h"
#include "machine/parallel.h"
#include "machine/routing_ring.h"
#include "primitives/multicast_tree.h"
#include "primitives/ring.h"
#include "routers/routing.h"

#include <stdlib.h>
#include <string.h>

enum state { FRESH, SORTED, FORWARD, BACKWARD };

enum { BESIDE = 1 }; /* the lowest bit of a distance: the corner beside the ring comes after it */

struct circulation {
    struct routing *routing;
    struct headers *header;
    struct ring ring;
};

static const struct parameter_spec SPECS[] = {{NULL, NULL, 0, 0, NULL}};

static bool is_corner(const struct ring *ring, node_place place)
{
    return ring->leaves_out_corner && place == place_of(0, 0);
}

static uint32_t position_of(const struct ring *ring, node_place place)
{
    return ring->position[place_row(place) * ring->mesh.cols + place_col(place)];
}

/* Steps along the ring from one position to another; UINT32_MAX if that way is closed. */
static uint32_t steps_between(const struct ring *ring, uint32_t from, uint32_t to, enum state way)
{
    uint32_t low = way == FORWARD ? from : to, high = way == FORWARD ? to : from;
    if (high >= low)
        return high - low;
    return ring->is_closed ? high + ring->length - low : UINT32_MAX;
}

/* Where packets of this way leave the ring for the corner, or enter it from there. */
static uint32_t gate(const struct ring *ring, enum state way)
{
    return way == FORWARD ? ring->before_corner : ring->after_corner;
}

/* Twice the distance from `source` to `place`, and BESIDE for the corner: an order of visits. */
static uint32_t visit_key(const struct ring *ring, node_place source, node_place place,
                          enum state way)
{
    if (source == place)
        return 0;
    uint32_t before = is_corner(ring, source) ? 1 : 0;
    uint32_t from = before ? gate(ring, way) : position_of(ring, source);
    uint32_t to = is_corner(ring, place) ? gate(ring, way) : position_of(ring, place);
    uint32_t steps = steps_between(ring, from, to, way);
    return steps == UINT32_MAX ? UINT32_MAX : 2 * (steps + before) + is_corner(ring, place);
}

static enum state way_of(const struct ring *ring, node_place source, node_place place)
{
    return visit_key(ring, source, place, FORWARD) <= visit_key(ring, source, place, BACKWARD)
               ? FORWARD
               : BACKWARD;
}

/* ---- links ---- */

static unsigned link_between(node_place from, node_place to)
{
    if (place_row(from) != place_row(to))
        return place_row(to) > place_row(from) ? PART_SOUTH : PART_NORTH;
    return place_col(to) > place_col(from) ? PART_EAST : PART_WEST;
}

/* The link on which packets of this way leave `here` along the ring. */
static unsigned link_onward(const struct ring *ring, node_place here, enum state way)
{
    if (is_corner(ring, here))
        return link_between(here, ring->place[gate(ring, way)]);
    uint32_t p = position_of(ring, here), last = ring->length - 1;
    uint32_t next = way == FORWARD ? (p == last ? 0 : p + 1) : (p == 0 ? last : p - 1);
    return link_between(here, ring->place[next]);
}

/* Of the two ways, the one whose link has the higher number: the machine splits off the part of the
 * lower link, and what is split off must stand first. */
static enum state second_way(const struct ring *ring, node_place source)
{
    return link_onward(ring, source, FORWARD) > link_onward(ring, source, BACKWARD) ? FORWARD
                                                                                    : BACKWARD;
}

/* ---- at the source ---- */

enum { SECOND = 1 << 30 }; /* above every distance */

struct visit {
    uint32_t key; /* distance, and SECOND for the way that stands second */
    node_place place;
};

static int compare_visits(const void *a, const void *b)
{
    uint32_t x = ((const struct visit *)a)->key, y = ((const struct visit *)b)->key;
    return (x > y) - (x < y);
}

/* Sorts the destinations of a message by way and distance from its source. */
static void sort_message(const struct circulation *circulation, uint32_t message,
                         struct visit *visit)
{
    const struct routing *routing = circulation->routing;
    struct headers *header = circulation->header;
    uint64_t start = routing->slot_offset[message];
    uint64_t count = routing->slot_offset[message + 1] - start;
    node_place source = site_place(machine_site(routing->machine, routing->set->source[message]));
    for (uint64_t j = 0; j < count; j++) {
        node_place place = header->destination[start + j];
        enum state way = way_of(&circulation->ring, source, place);
        visit[j].place = place;
        visit[j].key = visit_key(&circulation->ring, source, place, way);
        bool is_beside = visit[j].key <= BESIDE; /* here, or the corner beside this node */
        if (!is_beside && way == second_way(&circulation->ring, source))
            visit[j].key |= SECOND;
    }
    qsort(visit, count, sizeof *visit, compare_visits);
    for (uint64_t j = 0; j < count; j++)
        header->destination[start + j] = visit[j].place;
    header->packet[start + count - 1].state = SORTED;
}

struct sort_work {
    const struct circulation *circulation;
    struct visit *visit; /* [threads][degree] */
};

static void sort_band(void *context, const struct team *team)
{
    const struct sort_work *work = context;
    const struct routing *routing = work->circulation->routing;
    uint32_t messages = routing->set->messages;
    uint32_t end = parallel_band_start(messages, team->rank + 1, team->size);
    for (uint32_t i = parallel_band_start(messages, team->rank, team->size); i < end; i++)
        sort_message(work->circulation, i, work->visit + (size_t)team->rank * routing->degree);
}

/* As each node does for its own message before the first step. */
static enum failure_kind sort_all(const struct circulation *circulation, struct failure *failure)
{
    const struct routing *routing = circulation->routing;
    uint32_t threads = routing->result->threads;
    struct sort_work work = {
        circulation, memory_allocate((size_t)threads * routing->degree, sizeof *work.visit)};
    if (work.visit == NULL)
        return fail_memory(failure, "the order of visits");
    parallel_run(routing->crew, sort_band, &work);
    free(work.visit);
    return FAIL_NONE;
}

/* ---- under way ---- */

/* At the source the range is: here, the corner if it is beside, the destinations of one way, those
 * of the other. */
static unsigned parts_at_source(struct circulation *circulation, node_place here, uint32_t packet)
{
    struct headers *header = circulation->header;
    const struct ring *ring = &circulation->ring;
    uint32_t first = header->packet[packet].first;
    if (header->destination[first] == here)
        return first == packet ? PART_HERE : PART_HERE | PART_REST;
    enum state nearest = way_of(ring, here, header->destination[first]);
    if (is_corner(ring, header->destination[first]) && here == ring->place[gate(ring, nearest)]) {
        if (first == packet)
            header->packet[packet].state = (uint8_t)nearest;
        return link_between(here, place_of(0, 0)) | (first == packet ? 0 : (unsigned)PART_REST);
    }
    enum state last = way_of(ring, here, header->destination[packet]);
    if (nearest == last)
        header->packet[packet].state = (uint8_t)nearest;
    return link_onward(ring, here, nearest) | link_onward(ring, here, last);
}

static unsigned parts(void *context, struct site site, uint32_t packet)
{
    struct circulation *circulation = context;
    struct headers *header = circulation->header;
    const struct ring *ring = &circulation->ring;
    node_place here = site_place(site);
    enum state way = header->packet[packet].state;
    if (way == SORTED)
        return parts_at_source(circulation, here, packet);
    unsigned found = 0;
    uint32_t slot = header->packet[packet].first;
    if (header->destination[slot] == here) {
        found |= PART_HERE;
        slot++;
    }
    if (slot <= packet && is_corner(ring, header->destination[slot]) &&
        here == ring->place[gate(ring, way)]) {
        found |= link_between(here, header->destination[slot]);
        slot++;
    }
    return slot <= packet ? found | link_onward(ring, here, way) : found;
}

/* Splits off the destinations of the way that stands first. */
static uint32_t take_way(struct circulation *circulation, node_place here, uint32_t packet)
{
    struct headers *header = circulation->header;
    const struct ring *ring = &circulation->ring;
    uint32_t first = header->packet[packet].first, end = first + 1;
    enum state way = way_of(ring, here, header->destination[first]);
    while (way_of(ring, here, header->destination[end]) == way)
        end++;
    uint32_t taken = packet_split(header, packet, end);
    header->packet[taken].state = (uint8_t)way;
    header->packet[packet].state = way == FORWARD ? BACKWARD : FORWARD;
    return taken;
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum part part)
{
    struct circulation *circulation = context;
    struct headers *header = circulation->header;
    uint32_t first = header->packet[packet].first;
    bool is_beside = is_corner(&circulation->ring, header->destination[first]) &&
                     part == link_between(site_place(site), place_of(0, 0));
    if (part == PART_HERE)
        return packet_split(header, packet, first + 1);
    if (header->packet[packet].state == SORTED && !is_beside)
        return take_way(circulation, site_place(site), packet);
    if (is_beside) {
        uint32_t taken = packet_split(header, packet, first + 1);
        if (header->packet[packet].state == SORTED)
            header->packet[taken].state =
                (uint8_t)way_of(&circulation->ring, site_place(site), header->destination[taken]);
        return taken;
    }
    /* the corner stands first, and the other part goes onward */
    memmove(header->destination + first, header->destination + first + 1,
            (packet - first) * sizeof *header->destination);
    header->destination[packet] = place_of(0, 0);
    return packet_split(header, packet, packet);
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    struct circulation *circulation = context;
    const struct ring *ring = &circulation->ring;
    node_place here = site_place(site), next;
    enum state way = circulation->header->packet[packet].state;
    node_place nearest =
        circulation->header->destination[circulation->header->packet[packet].first];
    if (is_corner(ring, here)) {
        next = ring->place[gate(ring, way)];
    } else if (is_corner(ring, nearest) && here == ring->place[gate(ring, way)]) {
        next = nearest;
    } else {
        uint32_t from = position_of(ring, here);
        uint32_t to = is_corner(ring, nearest) ? gate(ring, way) : position_of(ring, nearest);
        uint32_t straight = ring->straight_end[way == BACKWARD][from];
        bool is_near =
            steps_between(ring, from, to, way) < steps_between(ring, from, straight, way);
        next = ring->place[is_near ? to : straight];
    }
    return direction_is_vertical(direction) ? place_row(next) : place_col(next);
}

/* On the ring itself: the links to the next destination. */
static uint32_t hops(void *context, struct site site, uint32_t packet, enum ring_way way)
{
    const struct circulation *circulation = context;
    const struct ring *ring = &circulation->ring;
    const struct headers *header = circulation->header;
    node_place nearest = header->destination[header->packet[packet].first];
    return steps_between(ring, ring->position[site.index], position_of(ring, nearest),
                         way == RING_FORWARD ? FORWARD : BACKWARD);
}

/* The packet that a copy becomes, and where the next destination stands on the ring. */
static void fetch(void *context, uint32_t packet)
{
    const struct circulation *circulation = context;
    const struct headers *header = circulation->header;
    const struct ring *ring = &circulation->ring;
    uint32_t first = header->packet[packet].first;
    node_place next = header->destination[first < packet ? first + 1 : first];
    fetch_has_effect();
    __builtin_prefetch(&header->packet[first], 1);
    __builtin_prefetch(&ring->position[place_row(next) * ring->mesh.cols + place_col(next)]);
}

static enum failure_kind tour(struct circulation *circulation, struct failure *failure)
{
    const struct ring *ring = &circulation->ring;
    struct machine *machine = circulation->routing->machine;
    struct routing_ring all = {ring->length, ring->place, ring->position, hops};
    struct routing_rule rule = {
        .context = circulation, .parts = parts, .take = take, .stop = stop, .fetch = fetch};
    if (ring->is_closed && !ring->leaves_out_corner)
        rule.ring = &all;
    machine_begin_phase(machine, "tour");
    return machine_forward(machine, &rule, true, UINT64_MAX, failure);
}

static enum failure_kind circulate_route(struct routing *routing, struct failure *failure)
{
    struct circulation circulation = {.routing = routing};
    enum failure_kind kind = ring_make(&circulation.ring, routing->set->mesh, failure);
    if (kind == FAIL_NONE)
        kind = routing_start(routing, routing->options->buffer, NULL, failure);
    if (kind == FAIL_NONE) {
        circulation.header = machine_headers(routing->machine);
        kind = sort_all(&circulation, failure);
    }
    if (kind == FAIL_NONE)
        kind = tour(&circulation, failure);
    ring_free(&circulation.ring);
    return kind;
}

/* The ring is open, or leaves out a corner, where packets go as elsewhere. */
static uint64_t circulate_footprint(const struct routing *routing)
{
    struct machine_needs needs = routing_needs(routing, routing->set->deliveries);
    struct mesh mesh = routing->set->mesh;
    bool is_path = mesh.rows == 1 || mesh.cols == 1;
    needs.uses = is_path || mesh_nodes(mesh) % 2 == 1 ? USE_FORWARD : USE_RING;
    return machine_footprint(&needs) + ring_footprint(mesh);
}

const struct router_method circulate_method = {
    {"circulate", "all packets tour the mesh's Hamiltonian ring, half of each message each way",
     ""},
    SPECS,
    circulate_route,
    NULL,
    circulate_footprint,
};
