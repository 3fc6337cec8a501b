/* reference.c - the golden model: what each instruction of the mesh machine means.
 *
 * To be read after doc/model.md, from top to bottom: first the packets of a node, then the four things
 * that may happen to a packet, each of which checks the rules of the model, then the end of a step,
 * and behind these one instruction after another.
 *   A step has two halves. In the first, nodes decide from what they held when it began; what crosses a
 * link is ARRIVING at the other end. In the second, nodes take in what has come. Nothing here is fast:
 * each step looks at all nodes, each queue is found by looking through the packets of its node.
 */
#include "test/reference/reference_private.h"

/* In the order in which parts leave a packet, one copy after another. */
static const enum part PARTS[] = {PART_HERE, PART_NORTH, PART_SOUTH, PART_WEST,
                                  PART_EAST, PART_PARK,  PART_REST,  PART_DISCARD};
const enum part LINK_PART[DIRECTIONS] = {PART_NORTH, PART_SOUTH, PART_WEST, PART_EAST};
enum { PART_KINDS = sizeof PARTS / sizeof *PARTS, STRETCH = 64 };

unsigned parts_count(unsigned parts)
{
    unsigned count = 0;
    for (unsigned i = 0; i < PART_KINDS; i++)
        count += (parts & PARTS[i]) != 0;
    return count;
}

enum part parts_first(unsigned parts)
{
    unsigned i = 0;
    while (!(parts & PARTS[i]))
        i++;
    return PARTS[i];
}

enum direction part_link(enum part part)
{
    enum direction d = NORTH;
    while (LINK_PART[d] != part)
        d++;
    return d;
}

/* ---- nodes, and the packets at them ---- */

struct site reference_site(const struct reference *model, node_index node)
{
    uint32_t cols = model->config.mesh.cols;
    return (struct site){node, node / cols, node % cols};
}

node_index model_neighbour(const struct reference *model, node_index node, enum direction d)
{
    const int cols = (int)model->config.mesh.cols, offset[] = {-cols, cols, -1, 1};
    return node + (node_index)offset[d];
}

node_index model_stretch_end(const struct reference *model, node_index first)
{
    node_index end_of_row = first - first % model->config.mesh.cols + model->config.mesh.cols;
    return first + STRETCH < end_of_row ? first + STRETCH : end_of_row;
}

uint32_t reference_next(const struct reference *model, uint32_t packet)
{
    enum reference_place place = model->packet[packet].place;
    do
        packet = model->packet[packet].next;
    while (packet != MACHINE_NONE && model->packet[packet].place != place);
    return packet;
}

uint32_t reference_first(const struct reference *model, node_index node, enum reference_place place)
{
    uint32_t packet = model->node[node].first;
    while (packet != MACHINE_NONE && model->packet[packet].place != place)
        packet = model->packet[packet].next;
    return packet;
}

uint32_t model_most_urgent(const struct reference *model, node_index node,
                           enum reference_place place)
{
    uint32_t first = reference_first(model, node, place), packet = first;
    for (; packet != MACHINE_NONE; packet = reference_next(model, packet))
        if (model->packet[packet].urgency > model->packet[first].urgency)
            first = packet;
    return first;
}

uint32_t model_count(const struct reference *model, node_index node, enum reference_place place)
{
    uint32_t count = 0, packet = reference_first(model, node, place);
    for (; packet != MACHINE_NONE; packet = reference_next(model, packet))
        count++;
    return count;
}

uint32_t model_occupancy(const struct reference *model, node_index node)
{
    uint32_t count = 0, packet = model->node[node].first;
    for (; packet != MACHINE_NONE; packet = model->packet[packet].next)
        count++;
    return count;
}

void model_leave(struct reference *model, uint32_t packet)
{
    uint32_t *at = &model->node[model->packet[packet].node].first;
    while (*at != packet)
        at = &model->packet[*at].next;
    *at = model->packet[packet].next;
    model->packet[packet].node = MESH_NO_NODE;
}

void model_enter(struct reference *model, uint32_t packet, node_index node,
                 enum reference_place place)
{
    uint32_t *at = &model->node[node].first;
    while (*at != MACHINE_NONE)
        at = &model->packet[*at].next;
    *at = packet;
    model->packet[packet].node = node;
    model->packet[packet].place = place;
    model->packet[packet].next = MACHINE_NONE;
}

void model_move(struct reference *model, uint32_t packet, enum reference_place place)
{
    node_index node = model->packet[packet].node;
    model_leave(model, packet);
    model_enter(model, packet, node, place);
}

uint64_t reference_resting(const struct reference *model)
{
    uint64_t count = 0;
    for (node_index node = 0; node < model->nodes; node++)
        count += model_count(model, node, RESTING) + model_count(model, node, ON_PLANE);
    return count;
}

uint64_t reference_travelling(const struct reference *model)
{
    uint64_t count = 0;
    for (uint32_t p = 0; p < model->header.slots; p++)
        count += model->packet[p].node != MESH_NO_NODE && model->packet[p].place >= WAKING &&
                 model->packet[p].place != ON_PLANE;
    return count;
}

/* ---- what may happen to a packet ---- */

void model_tell(struct reference *model, char kind, uint32_t a, uint32_t b, uint32_t c)
{
    if (model->events == model->event_room) {
        model->event_room = 2 * model->event_room + 1024;
        model->event = realloc(model->event, model->event_room * sizeof *model->event);
        assert(model->event != NULL);
    }
    model->event[model->events++] =
        (struct reference_event){model->counts.steps, {{a, b, c}, kind}};
}

/* Rule 1: a link carries one item a step. */
static struct reference_link *use_link(struct reference *model, node_index from, node_index to)
{
    enum direction d = NORTH;
    while (model_neighbour(model, from, d) != to)
        d++;
    struct reference_link *link = &model->link[from * DIRECTIONS + d];
    assert(link->used != model->counts.steps);
    link->used = model->counts.steps;
    return link;
}

struct reference_link *model_cross_word(struct reference *model, node_index from, node_index to)
{
    model->counts.word_hops++;
    model_tell(model, 'X', from, to, 0);
    return use_link(model, from, to);
}

/* Rule 2: a packet, and what is copied from it in the same step, crosses one link a step. */
void model_cross(struct reference *model, uint32_t packet, node_index to,
                 enum reference_place place)
{
    struct reference_packet *p = &model->packet[packet];
    use_link(model, p->node, to);
    assert(p->acted != model->counts.steps);
    p->acted = model->counts.steps;
    model->counts.packet_hops++;
    model_tell(model, 'M', packet, p->node, to);
    model_leave(model, packet);
    model_enter(model, packet, to, place);
}

/* Rules 2 and 3: unless copies are free, being copied is all that a packet does in a step, and a node
 * makes one copy. */
static void spend_copy(struct reference *model, uint32_t packet)
{
    struct reference_packet *p = &model->packet[packet];
    struct reference_node *node = &model->node[p->node];
    if (model->config.copy_is_free)
        return;
    assert(node->copied != model->counts.steps && p->acted != model->counts.steps);
    node->copied = p->acted = model->counts.steps;
}

void model_copy(struct reference *model, uint32_t packet, uint32_t made, enum reference_place place)
{
    node_index node = model->packet[packet].node;
    assert(made != packet && model->packet[made].node == MESH_NO_NODE);
    spend_copy(model, packet);
    model->packet[made].acted = model->packet[packet].acted;
    model->counts.copies++;
    model_tell(model, 'C', node, packet, made);
    model_enter(model, made, node, place);
}

void model_discard(struct reference *model, uint32_t packet)
{
    model_tell(model, 'R', model->packet[packet].node, packet, 0);
    model_leave(model, packet);
}

/* Rule 4: with its last slot a packet ends; another one is delivered by a copy of the message. Where
 * the node holds the message already the destination is only crossed out. */
void model_deliver(struct reference *model, uint32_t packet, uint32_t slot)
{
    const struct machine_attempt *attempt = &model->attempt;
    node_index node = model->packet[packet].node;
    uint32_t message = model->header.packet[slot].message;
    bool ends = slot == packet;
    if (!ends)
        spend_copy(model, packet);
    if (attempt->is_held != NULL && attempt->is_held(attempt->context, message, node)) {
        if (ends)
            model_discard(model, packet);
        return;
    }
    model->duplicated += model->delivered_at[slot] != MACHINE_NO_PLACE;
    model->delivered_at[slot] = site_place(reference_site(model, node));
    model->counts.delivered++;
    model->counts.copies += !ends;
    model_tell(model, ends ? 'E' : 'D', node, packet, message);
    if (ends)
        model_leave(model, packet);
}
