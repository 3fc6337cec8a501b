/* own_message.c - which message a packet's slot is of, for a router of the user's own.
 *
 * A rank has the messages of its own nodes, and packets of others come by with the name of theirs alone. So some of
 * what is asked here a rank cannot answer, which ends the run (own_break).
 */
#include "library/own_router_private.h"

uint32_t meshcast_slot_source(const struct meshcast_routing *routing, uint32_t slot)
{
    const struct message_set *set = routing->routing->set;
    const struct headers *header = own_headers_with_slot(routing, slot);
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
    const struct headers *header = own_headers_with_slot(routing, slot);
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
