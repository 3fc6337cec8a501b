/* reference_cycle.c - the golden models of machine_march and machine_circulate: packets on closed walks.
 *
 * Marching packets all hop at once. Those that circulate do a round over a link, in both directions, as soon
 * as both its nodes have done the round before on all their links, and have made the copies for this one.
 */
#include "test/reference/reference.h"

static struct node *node_at(struct model *m, node_place place)
{
    return &m->node[place_row(place) * m->config.mesh.cols + place_col(place)];
}

/* ---- machine_march ---- */

/* What is due where the packet is; a delivery on the way is a copy. */
static void act_on_march(struct model *m, struct packet *p, bool may_copy)
{
    const struct march *march = m->how;
    struct site site = p->node->site;
    unsigned outputs = march->outputs(march->context, site, p->name);
    bool goes_on = (outputs & OUT_HOLD) != 0, delivers = (outputs & OUT_EJECT) != 0;
    if (goes_on && delivers && !may_copy)
        return;
    if (delivers)
        deliver(m, p, goes_on ? march->take(march->context, site, p->name, OUT_EJECT) : p->name);
    else if (!goes_on)
        discard(m, p);
    p->hops = goes_on ? march->due(march->context, site_place(site), p->name) : 0;
}

/* After the first step a hop is one step, with unit copies two, of which the second is for copies. */
static void leave_march(struct model *m, struct node *node)
{
    const struct march *march = m->how;
    struct packet *p = node->at[MARCHING];
    node_place here = site_place(node->site), next;
    bool crosses = m->step > 1 && (m->config.copy_is_free || m->step % 2 == 0);
    if (p != NULL && crosses && (next = march->next(march->context, here)) != here)
        cross(m, node, node_at(m, next), p, ARRIVING);
    else if (p != NULL && !crosses && p->hops == 0)
        act_on_march(m, p, true);
}

static void come_march(struct model *m, struct node *node, struct packet *p)
{
    put(p, node, MARCHING);
    if (--p->hops == 0)
        act_on_march(m, p, m->config.copy_is_free);
}

void model_march(struct model *m, const struct march *march, uint32_t hops)
{
    static const struct instruction MARCH = {leave_march, come_march, NULL};
    m->how = march;
    for (uint32_t i = 0; i < march->cycles; i++) {
        struct march_cycle cycle = march->cycle(march->context, i);
        node_place here = cycle.start;
        for (; cycle.length > 0; cycle.length--, here = march->next(march->context, here)) {
            struct packet *p = node_at(m, here)->at[RESTING];
            if (p != NULL) {
                put(p, p->node, MARCHING);
                p->hops = march->due(march->context, here, p->name);
            }
        }
    }
    run(m, &MARCH, 1 + hops * (m->config.copy_is_free ? 1 : 2), BOUNDED);
    for (struct node *node = m->node; node < m->end; node++)
        if (node->at[MARCHING] != NULL)
            put(node->at[MARCHING], node, RESTING);
}

/* ---- machine_circulate ---- */

static uint32_t next_place(const struct circuit *circuit, uint32_t place)
{
    return (place + 1) % circuit->length == 0 ? place + 1 - circuit->length : place + 1;
}

/* By which one leaves a place. */
static struct link *link_at(struct model *m, uint32_t place)
{
    const struct circuit *circuit = m->how;
    struct link *link = node_at(m, circuit->place(circuit->context, place))->link;
    while (link->to != node_at(m, circuit->place(circuit->context, next_place(circuit, place))))
        link++;
    return link;
}

/* The packet is where it begins, or has been copied. */
static void aim(struct model *m, struct packet *p)
{
    const struct circuit *circuit = m->how;
    p->hops = p->split != NULL ? 0 : circuit->hops(circuit->context, p->on->place, p->name);
    put(p, p->node, p->hops > 0 ? CIRCULATING : COPYING);
}

static void begin_circuit(struct model *m, struct node *node)
{
    const struct circuit *circuit = m->how;
    struct packet *p = node->at[RESTING];
    if (p == NULL)
        return;
    uint32_t part = circuit->begin(circuit->context, node->site, p->name, true);
    p->on = link_at(m, circuit->begin(circuit->context, node->site, p->name, false));
    p->split = part == CIRCUIT_NO_PLACE ? NULL : link_at(m, part);
    p->rounds = 0;
    aim(m, p);
}

/* Makes the copy for which the packet waits: of the part that begins elsewhere, or of its message. */
static void copy_one(struct model *m, struct packet *p)
{
    const struct circuit *circuit = m->how;
    if (p->split == NULL) {
        deliver(m, p, m->header.packet[p->name].first++);
    } else {
        struct packet *part = copy(m, p, circuit->take(circuit->context, p->name), COPYING);
        part->on = p->split;
        part->split = p->split = NULL;
        part->rounds = 0;
        aim(m, part);
    }
    aim(m, p);
}

/* A node copies in the order of rounds, then of coming; of two that came at once that of the lower place first,
 * or of the higher one. */
static bool is_copied_before(const struct packet *p, const struct packet *q)
{
    bool lower_first = (p->node->site.row + p->node->site.col) % 2 == 0;
    return p->rounds != q->rounds ? p->rounds < q->rounds
           : p->acted != q->acted ? p->acted < q->acted
                                  : (p->on->place < q->on->place) == lower_first;
}

static void leave_circuit(struct model *m, struct node *node)
{
    struct packet *p, *next;
    for (bool may_copy = true; may_copy && (p = node->at[COPYING]) != NULL;) {
        for (struct packet *q = p->next; q != NULL; q = q->next)
            p = is_copied_before(q, p) ? q : p;
        copy_one(m, p);
        may_copy = m->config.copy_is_free;
    }
    for (struct link *link = node->link; link < node->link + DIRECTIONS; link++) {
        if (!link->is_ready || !link->back->is_ready)
            continue;
        for (p = node->at[CIRCULATING]; p != NULL; p = next) {
            next = p->next;
            if (p->on == link && p->rounds == link->rounds)
                cross(m, node, link->to, p, ARRIVING);
        }
        link->rounds++;
    }
}

static void come_circuit(struct model *m, struct node *node, struct packet *p)
{
    p->on = p->on->next;
    p->rounds++;
    put(p, node, --p->hops > 0 ? CIRCULATING : COPYING);
    if (p->hops == 0 && m->header.packet[p->name].first == p->name)
        deliver(m, p, p->name);
    else if (p->hops == 0 && m->config.copy_is_free)
        copy_one(m, p);
}

/* A link is ready for a round when all at its node have done those before, and when the packet that leaves by it
 * need not be copied, nor one of which a part does. */
static void note_ready(struct model *m, struct node *node)
{
    for (struct link *link = node->link; link < node->link + DIRECTIONS; link++) {
        link->is_ready = link->next != NULL;
        for (enum direction d = 0; d < DIRECTIONS; d++)
            link->is_ready &= node->link[d].next == NULL || node->link[d].rounds >= link->rounds;
        for (const struct packet *p = node->at[COPYING]; p != NULL; p = p->next)
            link->is_ready &= m->config.copy_is_free || (p->on != link && p->split != link) ||
                              p->rounds != link->rounds;
    }
}

void model_circulate(struct model *m, const struct circuit *circuit)
{
    static const struct instruction CIRCUIT = {leave_circuit, come_circuit, note_ready};
    m->how = circuit;
    for (uint32_t i = 0; i < circuit->ways * circuit->length; i++) {
        struct link *link = link_at(m, i);
        link->place = i;
        link->rounds = 0;
        link->next = link_at(m, next_place(circuit, i));
    }
    each_node(m, begin_circuit);
    each_node(m, note_ready);
    run(m, &CIRCUIT, UINT64_MAX, UNTIL_DONE);
}
