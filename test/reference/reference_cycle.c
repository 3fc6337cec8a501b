/* reference_cycle.c - the golden models of machine_march and machine_circulate: packets on closed walks.
 *
 * Marching packets all hop at once. Those that circulate do a round over a link, in both directions, as soon
 * as both its nodes have done the round before on all their links, and have made the copies for this one.
 */
#include "test/reference/reference_private.h"

/* What is due where the packet is; a delivery on the way is a copy. */
static void act_on_march(struct model *m, const struct march *march, struct packet *p, bool copies)
{
    struct site site = p->node->site;
    unsigned parts = march->parts(march->context, site, p->name);
    bool goes_on = (parts & PART_PARK) != 0, delivers = (parts & PART_HERE) != 0;
    if (goes_on && delivers && !copies)
        return;
    if (delivers)
        deliver(m, p, goes_on ? march->take(march->context, site, p->name, PART_HERE) : p->name);
    else if (!goes_on)
        discard(m, p);
    p->hops = goes_on ? march->due(march->context, site_place(site), p->name) : 0;
}

/* After the first step a hop is one step, with unit copies two, of which the second is for copies. */
static void march_step(struct model *m, const void *how, uint64_t step)
{
    const struct march *march = how;
    bool crosses = step > 1 && (m->config.copy_is_free || step % 2 == 0);
    bool copies = m->config.copy_is_free || step % 2 == 1;
    for (struct node *node = m->node; node < m->end && crosses; node++) {
        struct packet *p = node->at[CIRCULATING];
        node_place here = site_place(node->site);
        node_place next = p == NULL ? here : march->next(march->context, here);
        if (next != here) {
            p->hops--;
            cross(m, node, model_node(m, next), p, ARRIVING);
        }
    }
    for (struct node *node = m->node; node < m->end; node++) {
        if (node->at[ARRIVING] != NULL)
            put(node->at[ARRIVING], node, CIRCULATING);
        if (node->at[CIRCULATING] != NULL && node->at[CIRCULATING]->hops == 0)
            act_on_march(m, march, node->at[CIRCULATING], copies);
    }
}

void model_march(struct model *m, const struct march *march, uint32_t hops)
{
    for (uint32_t i = 0; i < march->cycles; i++) {
        struct march_cycle cycle = march->cycle(march->context, i);
        node_place here = cycle.start;
        for (; cycle.length > 0; cycle.length--, here = march->next(march->context, here)) {
            struct packet *p = model_node(m, here)->at[RESTING];
            if (p != NULL) {
                put(p, p->node, CIRCULATING);
                p->hops = march->due(march->context, here, p->name);
            }
        }
    }
    run(m, 1 + hops * (m->config.copy_is_free ? 1 : 2), false, march_step, march);
    for (struct node *node = m->node; node < m->end; node++)
        if (node->at[CIRCULATING] != NULL)
            put(node->at[CIRCULATING], node, RESTING);
}

/* ---- machine_circulate: each place of the circuit is the link by which one leaves it ---- */

struct circulation {
    const struct circuit *circuit;
    uint32_t places;
    struct link *link[MOST_NODES * DIRECTIONS]; /* [place] */
};

static void copy_for(struct model *m, const struct circulation *call, struct packet *p);

/* The packet has come to its place. */
static void look_at(struct model *m, const struct circulation *call, struct packet *p)
{
    bool ends = m->header.packet[p->name].first == p->name;
    put(p, p->node, p->hops > 0 || ends || m->config.copy_is_free ? CIRCULATING : COPYING);
    if (p->hops == 0 && ends)
        deliver(m, p, p->name);
    else if (p->hops == 0 && m->config.copy_is_free)
        copy_for(m, call, p);
}

static void begin(struct model *m, const struct circulation *call, struct packet *p, uint32_t place)
{
    const struct circuit *circuit = call->circuit;
    p->on = call->link[place];
    p->on->held[0] = p;
    p->hops = p->split_at != CIRCUIT_NO_PLACE ? 0 : circuit->hops(circuit->context, place, p->name);
    look_at(m, call, p);
}

/* Makes the copy for which the packet waits: of the part that begins elsewhere, or of its message. */
static void copy_for(struct model *m, const struct circulation *call, struct packet *p)
{
    const struct circuit *circuit = call->circuit;
    uint32_t place = p->split_at;
    p->split_at = CIRCUIT_NO_PLACE;
    if (place != CIRCUIT_NO_PLACE) {
        struct packet *part = copy(m, p, circuit->take(circuit->context, p->name), CIRCULATING);
        part->split_at = CIRCUIT_NO_PLACE;
        begin(m, call, part, place);
    } else {
        deliver(m, p, m->header.packet[p->name].first++);
    }
    p->hops = circuit->hops(circuit->context, p->on->place, p->name);
    put(p, p->node, CIRCULATING);
}

/* All links at its node have done as many rounds, and the packet that leaves by it need not be copied. */
static bool is_ready(const struct link *link)
{
    const struct node *node = link->back->to;
    const struct packet *p = link->held[link->rounds % 2];
    for (enum direction d = 0; d < DIRECTIONS; d++)
        if (node->link[d].rounds < link->rounds)
            return false;
    return p == NULL || p->place != COPYING;
}

static void circulate_step(struct model *m, const void *how, uint64_t step)
{
    const struct circulation *call = how;
    const struct circuit *circuit = call->circuit;
    struct packet *p;
    for (struct node *node = m->node; node < m->end && step == 1; node++) {
        if ((p = node->at[RESTING]) == NULL)
            continue;
        p->split_at = circuit->begin(circuit->context, node->site, p->name, true);
        if (p->split_at != CIRCUIT_NO_PLACE)
            call->link[p->split_at]->held[0] = p; /* the place is kept */
        begin(m, call, p, circuit->begin(circuit->context, node->site, p->name, false));
    }
    for (uint32_t i = 0; i < call->places; i++)
        call->link[i]->goes = is_ready(call->link[i]) && is_ready(call->link[i]->back);
    for (struct node *node = m->node; node < m->end; node++)
        if (node->at[COPYING] != NULL) /* the one that came first */
            copy_for(m, call, node->at[COPYING]);
    for (uint32_t i = 0; i < call->places; i++) {
        struct link *link = call->link[i];
        p = link->held[link->rounds % 2];
        if (!link->goes)
            continue;
        link->held[link->rounds++ % 2] = NULL;
        if (p == NULL || p->node == NULL)
            continue;
        p->hops--;
        p->on = link->next;
        p->on->held[link->rounds % 2] = p;
        cross(m, p->node, link->to, p, ARRIVING);
    }
    for (struct node *node = m->node; node < m->end; node++)
        while ((p = node->at[ARRIVING]) != NULL) { /* lower places first, or higher ones */
            bool is_even = (node->site.row + node->site.col) % 2 == 0;
            for (struct packet *q = p; q != NULL; q = q->next)
                p = (q->on->place < p->on->place) == is_even ? q : p;
            look_at(m, call, p);
        }
}

void model_circulate(struct model *m, const struct circuit *circuit)
{
    static struct circulation call;
    uint32_t length = circuit->length;
    call.circuit = circuit;
    call.places = circuit->ways * length;
    for (struct node *node = m->node; node < m->end; node++)
        for (enum direction d = 0; d < DIRECTIONS; d++) {
            node->link[d].rounds = UINT64_MAX; /* no place leaves by it */
            node->link[d].held[0] = node->link[d].held[1] = NULL;
        }
    for (uint32_t i = 0; i < call.places; i++) {
        uint32_t next = i % length + 1 < length ? i + 1 : i + 1 - length;
        struct link *link = model_node(m, circuit->place[i])->link;
        while (link->to != model_node(m, circuit->place[next]))
            link++;
        call.link[i] = link;
        link->place = i;
        link->rounds = 0;
    }
    for (uint32_t i = 0; i < call.places; i++)
        call.link[i]->next = call.link[i % length + 1 < length ? i + 1 : i + 1 - length];
    m->wakes = true;
    run(m, UINT64_MAX, true, circulate_step, &call);
}
