/* own_packet.c - the packets of a run, for a router of the user's own.
 *
 * A packet is named by its last slot; its header is the inner one (machine/machine.h). Places are
 * nodes here and coordinates there. What a caller gets wrong about a packet at hand is found and
 * ends the run (own_break); whether the packet is at the site where it is asked about cannot be seen
 * from here and is the router's honour.
 */
#include "library/own_router_private.h"
#include "primitives/multicast_tree.h"

/* Returns the headers, if meshcast_start() has succeeded: a router may go on after one that failed. A constant handle
 * promises that the run stays as it is, except that it is over. */
static struct headers *headers_of(const struct meshcast_routing *routing)
{
    if (routing->is_packet != NULL)
        return machine_headers(routing->routing->machine);
    own_break((struct meshcast_routing *)routing, "asks for packets before meshcast_start()");
    return NULL;
}

/* Returns the headers, if there is such a slot; NULL: the router broke the rule. */
static struct headers *headers_with_slot(const struct meshcast_routing *routing, uint32_t slot)
{
    struct headers *header = headers_of(routing);
    if (header == NULL || slot < header->slots)
        return header;
    own_break((struct meshcast_routing *)routing, "asks for slot %u; there are %u", slot,
              header->slots);
    return NULL;
}

/* Returns the headers, if there is such a packet; NULL: the router broke the rule. */
static struct headers *headers_with(const struct meshcast_routing *routing, uint32_t packet)
{
    struct headers *header = headers_of(routing);
    if (header == NULL || (packet < header->slots && routing->is_packet[packet]))
        return header;
    own_break((struct meshcast_routing *)routing, "asks for packet %u, and there is none", packet);
    return NULL;
}

static struct meshcast_site site_at(const struct meshcast_routing *routing, node_place place)
{
    uint32_t row = place_row(place), col = place_col(place);
    return (struct meshcast_site){row * routing->routing->set->mesh.cols + col, row, col};
}

uint32_t meshcast_packet_first(const struct meshcast_routing *routing, uint32_t packet)
{
    const struct headers *header = headers_with(routing, packet);
    return header == NULL ? packet : header->packet[packet].first;
}

struct meshcast_site meshcast_slot_destination(const struct meshcast_routing *routing,
                                               uint32_t slot)
{
    const struct headers *header = headers_with_slot(routing, slot);
    return site_at(routing, header == NULL ? 0 : header->destination[slot]);
}

void meshcast_slots_swap(struct meshcast_routing *routing, uint32_t packet, uint32_t slot,
                         uint32_t other)
{
    struct headers *header = headers_with(routing, packet);
    uint32_t first = header == NULL ? 0 : header->packet[packet].first;
    if (header == NULL || slot < first || slot > packet || other < first || other > packet) {
        own_break(routing, "exchanges slots %u and %u of packet %u, which has %u to %u", slot,
                  other, packet, first, packet);
        return;
    }
    node_place place = header->destination[slot];
    header->destination[slot] = header->destination[other];
    header->destination[other] = place;
}

uint32_t own_split(struct meshcast_routing *routing, uint32_t packet, uint32_t middle)
{
    uint32_t taken = packet_split(machine_headers(routing->routing->machine), packet, middle);
    routing->is_packet[taken] = 1;
    return taken;
}

uint32_t meshcast_packet_split(struct meshcast_routing *routing, uint32_t packet, uint32_t count)
{
    struct headers *header = headers_with(routing, packet);
    uint32_t slots = header == NULL ? 0 : packet - header->packet[packet].first + 1;
    if (!routing->is_asking)
        own_break(routing, "splits packet %u outside of a rule's take()", packet);
    else if (count == 0 || count >= slots)
        own_break(routing, "splits %u slots off packet %u, which has %u and must keep one", count,
                  packet, slots);
    else if (header != NULL)
        return own_split(routing, packet, header->packet[packet].first + count);
    return MESHCAST_NONE;
}

uint32_t meshcast_packet_target(const struct meshcast_routing *routing, uint32_t packet)
{
    const struct headers *header = headers_with(routing, packet);
    return header == NULL ? 0 : site_at(routing, header->packet[packet].target).node;
}

void meshcast_packet_set_target(struct meshcast_routing *routing, uint32_t packet, uint32_t node)
{
    struct mesh mesh = routing->routing->set->mesh;
    struct headers *header = headers_with(routing, packet);
    if (node >= mesh_nodes(mesh))
        own_break(routing, "packet %u has node %u as its target; the nodes are 0 to %u", packet,
                  node, mesh_nodes(mesh) - 1);
    else if (header != NULL)
        header->packet[packet].target = place_of(node / mesh.cols, node % mesh.cols);
}

uint8_t meshcast_packet_state(const struct meshcast_routing *routing, uint32_t packet)
{
    const struct headers *header = headers_with(routing, packet);
    return header == NULL ? 0 : header->packet[packet].state;
}

void meshcast_packet_set_state(struct meshcast_routing *routing, uint32_t packet, uint8_t state)
{
    struct headers *header = headers_with(routing, packet);
    if (header != NULL)
        header->packet[packet].state = state;
}

uint32_t meshcast_first_resting(const struct meshcast_routing *routing, uint32_t node)
{
    if (headers_of(routing) == NULL)
        return MESHCAST_NONE;
    struct node_range own = machine_nodes(routing->routing->machine);
    if (node >= own.first && node < own.end)
        return machine_first_resting(routing->routing->machine, node);
    if (node < mesh_nodes(routing->routing->set->mesh))
        return MESHCAST_NONE; /* of another rank, which looks there */
    own_break((struct meshcast_routing *)routing,
              "asks what rests at node %u; the nodes are 0 to %u", node,
              mesh_nodes(routing->routing->set->mesh) - 1);
    return MESHCAST_NONE;
}

uint32_t meshcast_next_resting(const struct meshcast_routing *routing, uint32_t packet)
{
    const struct headers *header = headers_with(routing, packet);
    return header == NULL ? MESHCAST_NONE : machine_next_resting(routing->routing->machine, packet);
}

/* ---- messages ---- */

/* A rank has the messages of its own nodes, and packets of other ranks carry only a name. So a rank cannot answer
 * everything that is asked here, which ends the run (own_break). */

uint32_t meshcast_slot_source(const struct meshcast_routing *routing, uint32_t slot)
{
    const struct message_set *set = routing->routing->set;
    const struct headers *header = headers_with_slot(routing, slot);
    if (header == NULL)
        return 0;
    uint32_t name = header->packet[slot].message;
    if (routing->routing->set_version == 1)
        return name;
    uint32_t message = message_set_named(set, routing->routing->set_version, name);
    if (message < set->messages)
        return set->source[message];
    own_break((struct meshcast_routing *)routing,
              "asks for the source of a message that starts in another rank, where nodes may send "
              "several");
    return 0;
}

uint32_t meshcast_slot_message(const struct meshcast_routing *routing, uint32_t slot)
{
    const struct routing *inner = routing->routing;
    const struct headers *header = headers_with_slot(routing, slot);
    if (header == NULL)
        return 0;
    uint32_t name = header->packet[slot].message;
    uint32_t message = message_set_named(inner->set, inner->set_version, name);
    if (message < inner->set->messages)
        return message_set_given_number(inner->set, message);
    if (inner->set_version != 1 && inner->set->home.messages == 0)
        return name; /* its number */
    own_break((struct meshcast_routing *)routing,
              "asks for the number of a message that starts in another rank");
    return 0;
}
