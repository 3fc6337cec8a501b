/* expander_messages.c - the tables of messages and replicas of router `expander`, and the parts of
 * them that packets carry.
 *
 * The r classes are interleaved along the mesh's snake: the message of position p is input floor(p
 * / r) of class p mod r. So of r nodes in a row each class has one, and they are the segment of its
 * message: this holds from the start, where the paper needs a prefix computation and a routing. If
 * r does not divide n the last segment begins a few nodes earlier and shares them with the one
 * before it.
 *   Names. A packet is named by a slot, and a slot is for one delivery. So a message of d
 * destinations has r blocks of d slots, and replica j is named by the last slot of one of them,
 * that of the source's own replica by the last slot of all, which names the message. A replica
 * hands on the front of its range, so the rest is at the end of its block, and was never delivered
 * by any packet. The slots that all replicas have left, u slots or fewer of each block, are the
 * range of the next phase's replicas.
 *   A replica's number, and its birthplace, follow from its name, the names of its message's slots,
 * and its source. A rank knows these of its own messages; a packet that goes to another rank
 * carries them.
 *   Slots. A replica has slots of its own, of names that no other packet has. On ranks they are
 * taken where it is made: a packet takes those of all replicas that it is still to make along its
 * segment when it begins, and when it comes from another rank. When it leaves a rank it gives up
 * those of the replicas that it has not made.
 * Source: Section 5, Definition 1.
 * Cost: 4 bytes per name of a message, 16 per message; on ranks as much per message that arrives.
 */
#include "routers/expander_run.h"

#include "base/numbers.h"
#include "machine/pool.h"
#include "machine/ranks/ranks.h"
#include "primitives/prefix.h"

#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

/* Returns a bound: names of messages are below it. */
static uint32_t names_of(const struct message_set *set)
{
    uint32_t nodes = mesh_nodes(set->mesh);
    uint32_t messages = message_set_all_messages(set);
    return nodes > messages ? nodes : messages;
}

/* Adds a message, for which there is room. */
static void add_message(struct expander_run *run, uint32_t name, struct expander_message message)
{
    run->message[run->messages++] = message;
    run->message_at[name] = (uint32_t)run->messages;
}

enum failure_kind expander_tables_make(struct expander_run *run, struct failure *failure)
{
    const struct routing *routing = run->routing;
    const struct message_set *set = routing->set;
    const uint64_t *offset = routing->slot_offset;
    run->message_room = set->messages;
    run->message_at = memory_allocate(names_of(set), sizeof *run->message_at);
    run->message = memory_allocate(run->message_room, sizeof *run->message);
    if (run->message_at == NULL || run->message == NULL)
        return fail_memory(failure, "the replicas");
    for (uint32_t i = 0; i < set->messages; i++)
        add_message(
            run, message_set_name(set, routing->set_version, i),
            (struct expander_message){.first = routing_first_name(routing, i),
                                      .size = (uint32_t)(offset[i + 1] - offset[i]) / run->replicas,
                                      .source = set->source[i]});
    return FAIL_NONE;
}

void expander_tables_free(struct expander_run *run)
{
    if (run->masters.machine != NULL)
        machine_set_cargo(run->masters.machine, NULL);
    number_table_free(&run->found);
    free(run->message_at);
    free(run->message);
}

/* Makes room. False: no memory. */
static bool make_room(struct expander_run *run)
{
    if (run->messages < run->message_room)
        return true;
    uint64_t room = 2 * run->message_room + 1;
    struct expander_message *grown = memory_resize(run->message, room, sizeof *grown);
    if (grown == NULL)
        return false;
    run->message = grown;
    run->message_room = room;
    return true;
}

/* ---- positions and names ---- */

static struct segment segment_of_source(const struct expander_run *run, node_index source)
{
    struct mesh mesh = run->routing->set->mesh;
    uint32_t r = run->replicas;
    uint32_t position = (uint32_t)snake_number(source / mesh.cols, source % mesh.cols, mesh.cols);
    uint32_t first = min_u32(position - position % r, mesh_nodes(mesh) - r);
    return (struct segment){position % r, position / r, first, position - first};
}

struct expander_message *expander_message_of(const struct expander_run *run, uint32_t packet)
{
    return &run->message[run->message_at[run->masters.header->packet[packet].message] - 1];
}

struct segment expander_segment_of(const struct expander_run *run, uint32_t packet)
{
    return segment_of_source(run, expander_message_of(run, packet)->source);
}

uint32_t expander_replica(const struct expander_run *run, uint32_t packet)
{
    const struct expander_message *message = expander_message_of(run, packet);
    uint32_t block = (packet_name(run->masters.header, packet) - message->first) / message->size;
    return (block + 1 + expander_segment_of(run, packet).own) % run->replicas;
}

uint32_t expander_name_of(const struct expander_run *run, uint32_t packet, uint32_t replica)
{
    const struct expander_message *message = expander_message_of(run, packet);
    uint32_t own = expander_segment_of(run, packet).own;
    uint32_t block = (replica + 2 * run->replicas - 1 - own) % run->replicas;
    return message->first + (block + 1) * message->size - 1;
}

/* ---- packets by their names ---- */

uint32_t expander_packet_of_name(const struct expander_run *run, uint32_t name)
{
    if (headers_find_names(run->masters.header))
        return packet_of_name(run->masters.header, name);
    const uint32_t *packet = number_table_find(&run->found, name);
    return packet != NULL ? *packet : MACHINE_NONE;
}

void expander_note_name(struct expander_run *run, uint32_t packet)
{
    if (headers_find_names(run->masters.header))
        return;
    uint32_t *place = number_table_add(&run->found, packet_name(run->masters.header, packet));
    if (place != NULL)
        *place = packet;
    else
        run->lacks_memory = true;
}

enum failure_kind expander_forget_names(struct expander_run *run, struct failure *failure)
{
    bool lacks_memory = run->lacks_memory;
    number_table_free(&run->found);
    run->lacks_memory = false;
    return lacks_memory ? fail_memory(failure, "the replicas") : FAIL_NONE;
}

/* ---- slots of replicas ---- */

/* Calls `act` for each replica that `packet` is still to make; false, as soon as that returns
 * false. */
static bool for_missing(struct expander_run *run, uint32_t packet,
                        bool (*act)(struct expander_run *run, uint32_t packet, uint32_t name))
{
    uint32_t replica = expander_replica(run, packet);
    unsigned state = run->masters.header->packet[packet].state;
    bool is_done = true;
    for (uint32_t j = replica + 1; state & EXPANDER_AHEAD && is_done && j < run->replicas; j++)
        is_done = act(run, packet, expander_name_of(run, packet, j));
    for (uint32_t j = replica; state & EXPANDER_BEHIND && is_done && j > 0; j--)
        is_done = act(run, packet, expander_name_of(run, packet, j - 1));
    return is_done;
}

static uint32_t slots_of(const struct expander_run *run, uint32_t packet)
{
    return packet + 1 - run->masters.header->packet[packet].first;
}

static bool reserve(struct expander_run *run, uint32_t packet, uint32_t name)
{
    struct headers *header = run->masters.header;
    uint32_t count = slots_of(run, packet);
    uint32_t copy = machine_take_slots(run->masters.machine, name, count);
    for (uint32_t i = 0; copy != MACHINE_NONE && i < count; i++)
        header->packet[copy - i].message = header->packet[packet].message;
    if (copy != MACHINE_NONE)
        expander_note_name(run, copy);
    return copy != MACHINE_NONE && !run->lacks_memory;
}

static bool give_up(struct expander_run *run, uint32_t packet, uint32_t name)
{
    uint32_t copy = expander_packet_of_name(run, name);
    if (copy != MACHINE_NONE)
        machine_drop_slots(run->masters.machine, copy, slots_of(run, packet));
    number_table_remove(&run->found, name);
    return true;
}

bool expander_reserve_all(struct expander_run *run)
{
    bool is_done = true;
    if (headers_find_names(run->masters.header))
        return true;
    for (struct resting at = resting_of(run->masters.machine); is_done && resting_next(&at);)
        is_done = for_missing(run, at.packet, reserve);
    return is_done;
}

/* ---- data that packets carry ---- */

static const void *show(void *context, uint32_t packet, size_t *bytes)
{
    struct expander_run *run = context;
    if (run->is_replicating)
        for_missing(run, packet, give_up);
    run->carried = *expander_message_of(run, packet);
    *bytes = sizeof run->carried;
    return &run->carried;
}

static bool keep(void *context, uint32_t packet, const void *cargo, size_t bytes)
{
    struct expander_run *run = context;
    struct expander_message carried;
    uint32_t message = run->masters.header->packet[packet].message;
    if (bytes != sizeof carried)
        return false;
    memcpy(&carried, cargo, bytes);
    if (run->message_at[message] == 0) {
        if (!make_room(run))
            return false;
        add_message(run, message, carried);
    }
    return !run->is_replicating || for_missing(run, packet, reserve);
}

void expander_carry(struct expander_run *run)
{
    struct machine_cargo cargo = {run, show, keep};
    machine_set_cargo(run->masters.machine, &cargo);
}
