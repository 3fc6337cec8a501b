/* own_packet.c - the packets of a run, for a router of the user's own.
 *
 * A packet is named by its last slot; its header is the inner one (machine/machine.h). Places are
 * nodes here and coordinates there. What a caller gets wrong about a packet at hand is found and
 * ends the run (own_break); whether the packet is at the site where it is asked about cannot be seen
 * from here and is the router's honour.
 */
#include "library/own_router_private.h"
#include "primitives/multicast_tree.h"

static struct headers *headers_of(const struct meshcast_routing *routing)
{
    return machine_headers(routing->routing->machine);
}

static struct meshcast_site site_at(const struct meshcast_routing *routing, node_place place)
{
    uint32_t row = place_row(place), col = place_col(place);
    return (struct meshcast_site){row * routing->routing->set->mesh.cols + col, row, col};
}

uint32_t meshcast_packet_first(const struct meshcast_routing *routing, uint32_t packet)
{
    return headers_of(routing)->first[packet];
}

struct meshcast_site meshcast_slot_destination(const struct meshcast_routing *routing,
                                               uint32_t slot)
{
    return site_at(routing, headers_of(routing)->destination[slot]);
}

uint32_t meshcast_slot_source(const struct meshcast_routing *routing, uint32_t slot)
{
    return headers_of(routing)->message[slot];
}

void meshcast_slots_swap(struct meshcast_routing *routing, uint32_t packet, uint32_t slot,
                         uint32_t other)
{
    struct headers *header = headers_of(routing);
    uint32_t first = header->first[packet];
    if (slot < first || slot > packet || other < first || other > packet) {
        own_break(routing, "exchanges slots %u and %u of packet %u, which has %u to %u", slot,
                  other, packet, first, packet);
        return;
    }
    node_place place = header->destination[slot];
    header->destination[slot] = header->destination[other];
    header->destination[other] = place;
}

uint32_t meshcast_packet_split(struct meshcast_routing *routing, uint32_t packet, uint32_t count)
{
    struct headers *header = headers_of(routing);
    uint32_t slots = packet - header->first[packet] + 1;
    if (count == 0 || count >= slots) {
        own_break(routing, "splits %u slots off packet %u, which has %u and must keep one", count,
                  packet, slots);
        return MESHCAST_NONE;
    }
    return packet_split(header, packet, header->first[packet] + count);
}

uint32_t meshcast_packet_target(const struct meshcast_routing *routing, uint32_t packet)
{
    return site_at(routing, headers_of(routing)->target[packet]).node;
}

void meshcast_packet_set_target(struct meshcast_routing *routing, uint32_t packet, uint32_t node)
{
    struct mesh mesh = routing->routing->set->mesh;
    if (node >= mesh_nodes(mesh)) {
        own_break(routing, "packet %u has node %u as its target; the nodes are 0 to %u", packet,
                  node, mesh_nodes(mesh) - 1);
        return;
    }
    headers_of(routing)->target[packet] = place_of(node / mesh.cols, node % mesh.cols);
}

uint8_t meshcast_packet_state(const struct meshcast_routing *routing, uint32_t packet)
{
    return headers_of(routing)->state[packet];
}

void meshcast_packet_set_state(struct meshcast_routing *routing, uint32_t packet, uint8_t state)
{
    headers_of(routing)->state[packet] = state;
}

uint32_t meshcast_first_resting(const struct meshcast_routing *routing, uint32_t node)
{
    return machine_first_resting(routing->routing->machine, node);
}

uint32_t meshcast_next_resting(const struct meshcast_routing *routing, uint32_t packet)
{
    return machine_next_resting(routing->routing->machine, packet);
}
