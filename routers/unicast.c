/* unicast.c - the reduction to (d,c)-routing: one packet per destination.
 *
 * A message waits at its source. As often as the node's slot for injection is empty it makes a copy
 * for one destination there, the last one being the message itself, and a copy travels by itself:
 * alternately along its row and then along the column, and the other way round. Sources serve their
 * destinations in the order of node numbers from their own on, so that they do not all begin with
 * the same node.
 *   On a broken mesh a source plans a path up, then down to each destination, which the copy names
 * in its header.
 *   Copies move in bounded channels, apart for the two orders of dimensions, held back by credits;
 * nothing is dropped and no node is informed of anything.
 *
 * Why it ends: a copy always wants exactly one link, or ends where it is, which needs no room.
 * Within an order of dimensions packets turn once, from rows into columns, say. So the channels of
 * columns wait only for channels of the same column and direction, the last of which holds packets
 * that end; those of rows wait for channels of the same row and direction and for columns; and the
 * slot for injection, for which no packet of the network waits, waits for both. That is an order
 * without a cycle, so as long as a packet is left one moves; and each copy moves its distance and
 * no more.
 *
 * Steps: no useful bound is proven; the paper has O(sqrt(d c n)) for (d,c)-routing, and the traffic
 * itself needs as much: up to d n copies cross the mesh one by one. Buffer, proven: 8 k + 2 packets
 * per node with k slots per channel, with either cost of copies: the channels, the slot for
 * injection, and the message at its source. Enforced as the machine's capacity.
 * Source: Section 1.1 of the paper, the reduction that multicast routing is compared with.
 * Cost: no memory beyond the machine's channels.
 */
#include "machine/channel.h"
#include "primitives/multicast_tree.h"
#include "routers/grown_tree.h"
#include "routers/routing.h"

#include <stdlib.h>

enum { COPY = 1, ROW_FIRST = 2 }; /* bits of header.state; a message at its source has none */

enum { MOST_SLOTS = 64, AUTO = MOST_SLOTS + 1 };

static const struct parameter_spec SPECS[] = {
    {"slots", "auto", 1, MOST_SLOTS, "auto", NULL},
    {.name = NULL},
};

/* ---- the rule ---- */

static node_place goal_of(const struct headers *header, uint32_t packet)
{
    return header->destination[packet];
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    const struct headers *header = context;
    node_place goal = goal_of(header, packet);
    bool row_first = header->packet[packet].state & ROW_FIRST;
    return goal == site_place(site) ? OUT_EJECT : link_towards(site, goal, !row_first);
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    node_place goal = goal_of(context, packet);
    (void)site;
    return line_of_place(goal, direction);
}

static unsigned class_of(void *context, uint32_t packet)
{
    return ((const struct headers *)context)->packet[packet].state & ROW_FIRST ? 1 : 0;
}

static bool is_row_first(node_place source, node_place goal)
{
    return (place_row(source) + place_col(source) + place_row(goal) + place_col(goal)) % 2 == 0;
}

/* Returns the next copy of the message that waits at `site`. */
static uint32_t inject(void *context, struct site site, uint32_t packet)
{
    struct headers *header = context;
    uint32_t first = header->packet[packet].first;
    uint32_t copy = first == packet ? packet : packet_split(header, packet, first + 1);
    bool row_first = is_row_first(site_place(site), goal_of(header, copy));
    header->packet[copy].state = row_first ? COPY | ROW_FIRST : COPY;
    return copy;
}

/* ---- the order of copies ---- */

/* Puts the destinations after the source first, in the order of node numbers, then those before
 * it. */
static void rotate_slots(struct headers *header, struct site source, uint32_t packet)
{
    uint32_t first = header->packet[packet].first, start = first;
    node_place *slot = header->destination;
    while (start <= packet && slot[start] <= site_place(source))
        start++;
    rotate_to_front(slot, first, start, packet + 1);
}

static void order_copies(struct routing *routing)
{
    struct machine *machine = routing->machine;
    for (uint32_t i = 0; i < routing->set->messages; i++)
        rotate_slots(machine_headers(machine), machine_site(machine, routing->set->source[i]),
                     routing_packet(routing, i));
}

/* ---- the run ---- */

/* Returns the capacity. Packets never split in the network, so none waits beside the channels for a
 * copy to leave. */
static uint32_t capacity(uint32_t slots)
{
    return machine_channel_capacity(CHANNELS_OF_BOTH, slots, true) + 1;
}

/* Returns as many slots as fit into the capacity that the user gave, at least one. */
static uint32_t slots_that_fit(uint32_t buffer)
{
    uint32_t slots = 1;
    while (slots < MOST_SLOTS && capacity(slots + 1) <= buffer)
        slots++;
    return slots;
}

static enum failure_kind run_by_goals(struct routing *routing, uint32_t slots,
                                      struct failure *failure)
{
    struct channel_rule rule = {
        .routing = {.context = machine_headers(routing->machine), .outputs = outputs, .stop = stop},
        .class_of = class_of,
        .channels = CHANNELS_OF_BOTH,
        .slots = slots,
        .inject = inject};
    order_copies(routing);
    machine_begin_phase(routing->machine, "unicast");
    return routing_channel(routing, &rule, failure);
}

/* Routes on a broken mesh, along the paths that sources have planned. */
static enum failure_kind run_planned(struct routing *routing, uint32_t slots,
                                     struct failure *failure)
{
    struct grown_trees paths = {0};
    enum failure_kind kind = grown_trees_make(&paths, routing, TREE_PATHS, failure);
    if (kind == FAIL_NONE) {
        struct channel_rule rule = grown_trees_channel_rule(&paths, slots);
        rule.inject = grown_trees_next_copy;
        machine_begin_phase(routing->machine, "unicast");
        kind = routing_channel(routing, &rule, failure);
    }
    grown_trees_free(&paths);
    return kind;
}

enum failure_kind unicast_run(struct routing *routing, uint32_t slots, uint32_t *used,
                              struct failure *failure)
{
    uint32_t buffer = routing->options->buffer;
    *used = slots > 0 ? slots : slots_that_fit(buffer);
    if (buffer > 0 && capacity(*used) > buffer)
        return fail(
            failure, FAIL_USAGE,
            "router unicast with slots=%u cannot run with a buffer of %u; the least is %u packets",
            *used, buffer, capacity(*used));
    routing->injection = INJECT_BY_NODE;
    enum failure_kind kind =
        routing_start(routing, buffer > 0 ? buffer : capacity(*used), NULL, failure);
    if (kind != FAIL_NONE)
        return kind;
    return routing->options->broken != NULL ? run_planned(routing, *used, failure)
                                            : run_by_goals(routing, *used, failure);
}

static enum failure_kind unicast_route_set(struct routing *routing, struct failure *failure)
{
    char value[ROUTER_NAME_SIZE];
    uint32_t slots = routing_parameter(routing, SPECS, "slots"), used;
    enum failure_kind kind = unicast_run(routing, slots == AUTO ? 0 : slots, &used, failure);
    snprintf(value, sizeof value, "%u", used);
    routing_use(routing, "slots", value);
    return kind;
}

static void release_tiles(void *own)
{
    tessellation_free(own);
    free(own);
}

enum failure_kind choices_at_source(struct mesh mesh, struct router_choices *choices,
                                    struct handover (*handover)(const void *own, node_place source,
                                                                node_place destination),
                                    struct failure *failure)
{
    struct tessellation *tiles = memory_allocate(1, sizeof *tiles);
    if (tiles == NULL)
        return fail_memory(failure, "the choices of a router");
    *choices = (struct router_choices){
        .visits = 1, .groups = 1, .handover = handover, .own = tiles, .release = release_tiles};
    enum failure_kind kind = tessellation_make(tiles, mesh, 1, failure);
    choices->tiles = kind == FAIL_NONE ? tiles : NULL;
    return kind;
}

static struct handover handover(const void *own, node_place source, node_place destination)
{
    (void)own;
    return (struct handover){.home = source, .row_first = is_row_first(source, destination)};
}

static enum failure_kind unicast_choose(const struct routing *routing,
                                        struct router_choices *choices, struct failure *failure)
{
    return choices_at_source(routing->set->mesh, choices, handover, failure);
}

const struct router_method unicast_method = {
    {"unicast",
     "one packet per destination: the reduction to (d,c)-routing; buffers O(1) by credits",
     "slots=N  packets per channel, 1 .. 64 (default auto: 1; with --buffer B as many\n"
     "         as fit)"},
    SPECS,
    unicast_route_set,
    NULL,
    TAKES_MANY | TAKES_TIMES | TAKES_BROKEN,
    NULL,
    unicast_choose,
};
