/* reference_cycle.c - the golden models of machine_march and machine_circulate: packets on closed walks.
 *
 * Marching packets all hop at once. Those that circulate do a round over a link, in both directions, as soon
 * as both its nodes have done the round before on all their links, and have made the copies for this one.
 */
#include "test/reference/reference_private.h"

static struct node *node_at(struct model *m, node_place place)
{
    return &m->node[place_row(place) * m->config.mesh.cols + place_col(place)];
}

/* ---- machine_march ---- */

/* What is due where the packet is; a delivery on the way is a copy. */
static void act_on_march(struct model *m, const struct march *march, struct packet *p, bool copies)
{
    struct site site = p->node->site;
    unsigned outputs = march->outputs(march->context, site, p->name);
    bool goes_on = (outputs & OUT_HOLD) != 0, delivers = (outputs & OUT_EJECT) != 0;
    if (goes_on && delivers && !copies)
        return;
    if (delivers)
        deliver(m, p, goes_on ? march->take(march->context, site, p->name, OUT_EJECT) : p->name);
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
        struct packet *p = node->at[MARCHING];
        node_place here = site_place(node->site);
        node_place next = p == NULL ? here : march->next(march->context, here);
        if (next != here) {
            p->hops--;
            cross(m, node, node_at(m, next), p, ARRIVING);
        }
    }
    for (struct node *node = m->node; node < m->end; node++) {
        if (node->at[ARRIVING] != NULL)
            put(node->at[ARRIVING], node, MARCHING);
        if (node->at[MARCHING] != NULL && node->at[MARCHING]->hops == 0)
            act_on_march(m, march, node->at[MARCHING], copies);
    }
}

void model_march(struct model *m, const struct march *march, uint32_t hops)
{
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
    run(m, 1 + hops * (m->config.copy_is_free ? 1 : 2), BOUNDED, march_step, march);
    for (struct node *node = m->node; node < m->end; node++)
        if (node->at[MARCHING] != NULL)
            put(node->at[MARCHING], node, RESTING);
}

/* ---- machine_circulate ---- */

static uint32_t hops_of(const struct model *m, const struct packet *p)
{
    return m->circuit->hops(m->circuit->context, p->on->place, p->name);
}

static void copy_for(struct model *m, struct packet *p);

/* The packet has come to its place. */
static void look_at(struct model *m, struct packet *p)
{
    bool ends = m->header.packet[p->name].first == p->name, is_free = m->config.copy_is_free;
    put(p, p->node, p->hops > 0 || ends || is_free ? CIRCULATING : COPYING);
    if (p->hops == 0 && ends)
        deliver(m, p, p->name);
    else if (p->hops == 0 && is_free)
        copy_for(m, p);
}

static void begin(struct model *m, struct packet *p, uint32_t place, uint32_t split_at)
{
    p->on = m->place[place];
    p->on->held[0] = p;
    p->split_at = split_at;
    if (split_at != CIRCUIT_NO_PLACE)
        m->place[split_at]->held[0] = p; /* kept, until the part is there */
    p->hops = split_at != CIRCUIT_NO_PLACE ? 0 : hops_of(m, p);
    look_at(m, p);
}

/* Makes the copy for which the packet waits: of the part that begins elsewhere, or of its message. */
static void copy_for(struct model *m, struct packet *p)
{
    uint32_t place = p->split_at;
    p->split_at = CIRCUIT_NO_PLACE;
    if (place == CIRCUIT_NO_PLACE) {
        deliver(m, p, m->header.packet[p->name].first++);
    } else {
        uint32_t part = m->circuit->take(m->circuit->context, p->name);
        begin(m, copy(m, p, part, CIRCULATING), place, CIRCUIT_NO_PLACE);
    }
    p->hops = hops_of(m, p);
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
    return p == NULL || p->list != COPYING;
}

static void circulate_step(struct model *m, const void *how, uint64_t step)
{
    const struct circuit *circuit = how;
    uint32_t places = circuit->ways * circuit->length;
    struct packet *p;
    for (struct node *node = m->node; node < m->end && step == 1; node++)
        if ((p = node->at[RESTING]) != NULL)
            begin(m, p, circuit->begin(circuit->context, node->site, p->name, false),
                  circuit->begin(circuit->context, node->site, p->name, true));
    for (uint32_t i = 0; i < places; i++)
        m->place[i]->goes = is_ready(m->place[i]) && is_ready(m->place[i]->back);
    for (struct node *node = m->node; node < m->end; node++)
        if (node->at[COPYING] != NULL) /* the one that came first */
            copy_for(m, node->at[COPYING]);
    for (uint32_t i = 0; i < places; i++) {
        struct link *link = m->place[i];
        if (!link->goes)
            continue;
        p = link->held[link->rounds % 2];
        link->held[link->rounds++ % 2] = NULL;
        if (p == NULL || p->node == NULL)
            continue;
        p->hops--;
        p->on = m->place[link->next_place];
        p->on->held[link->rounds % 2] = p;
        cross(m, p->node, link->to, p, ARRIVING);
    }
    for (struct node *node = m->node; node < m->end; node++)
        while ((p = node->at[ARRIVING]) != NULL) { /* lower places first, or higher ones */
            bool is_even = (node->site.row + node->site.col) % 2 == 0;
            for (struct packet *q = p; q != NULL; q = q->next)
                p = (q->on->place < p->on->place) == is_even ? q : p;
            look_at(m, p);
        }
}

void model_circulate(struct model *m, const struct circuit *circuit)
{
    m->circuit = circuit;
    for (struct node *node = m->node; node < m->end; node++)
        for (enum direction d = 0; d < DIRECTIONS; d++)
            node->link[d].rounds = UINT64_MAX; /* no place leaves by it */
    for (uint32_t i = 0, length = circuit->length; i < circuit->ways * length; i++) {
        uint32_t next = i % length + 1 < length ? i + 1 : i + 1 - length;
        struct link *link = node_at(m, circuit->place[i])->link;
        while (link->to != node_at(m, circuit->place[next]))
            link++;
        link->place = i;
        link->next_place = next;
        link->rounds = 0;
        link->held[0] = link->held[1] = NULL;
        m->place[i] = link;
    }
    m->wakes = true;
    run(m, UINT64_MAX, UNTIL_DONE, circulate_step, circuit);
}
