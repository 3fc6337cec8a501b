/* reference_cycle.c - the golden model of machine_march: packets on closed walks.
 *
 * All packets of a cycle hop at once. Of two ways with unit copies one hops while the other makes
 * copies.
 */
#include "test/reference/reference.h"

static struct node *node_at(struct model *m, node_place place)
{
    return &m->node[place_row(place) * m->config.mesh.cols + place_col(place)];
}

/* Does the work that is due where the packet is; a delivery on the way is a copy. */
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

/* True if copies need no step, or there are none. */
static bool is_free(const struct model *m)
{
    const struct march *march = m->how;
    return m->config.copy_is_free || (march->paths != NULL && march->paths->copies_nothing);
}

/* True if packets hop now. After the first step a hop is one step. With unit copies it is two, of
 * which the second is for copies; or of two ways each has one of them to hop, and the other one to
 * copy. Two ways with free copies need no first step. */
static bool hops_now(const struct model *m, uint32_t way)
{
    const struct march *march = m->how;
    if (is_free(m))
        return m->step > 1 || march->paths != NULL;
    return m->step > 1 && m->step % 2 == way;
}

/* The packet begins to march, on both ways if it is split. */
static void begin_march(struct model *m, struct packet *p)
{
    const struct march *march = m->how;
    struct site site = p->node->site;
    uint32_t name = MACHINE_NONE;
    if (march->paths != NULL && p->cycle % 2 == 0)
        name = march->paths->split(march->context, p->name);
    if (name != MACHINE_NONE) {
        struct packet *part = copy(m, p, name, MARCHING);
        part->has_begun = true;
        part->cycle = p->cycle;
        part->number = p->number;
        part->hops = march->due(march->context, site_place(site), name);
        p->cycle++;
        p->number = march->paths->begin(march->context, p->cycle, site, p->name);
    }
    p->hops = march->due(march->context, site_place(site), p->name);
}

static void leave_march(struct model *m, struct node *node)
{
    const struct march *march = m->how;
    for (struct packet *p = node->at[MARCHING]; p != NULL && m->step == 1; p = p->next)
        if (!p->has_begun) {
            p->has_begun = true;
            begin_march(m, p);
        }
    for (struct packet *p = node->at[MARCHING], *next; p != NULL; p = next) {
        uint32_t way = march->paths != NULL ? p->cycle % 2 : 0;
        next = p->next;
        if (p->hops == 0 && (m->step > 1 || way == 0 || is_free(m)))
            act_on_march(m, p, true);
        if (p->node == NULL || !hops_now(m, way))
            continue;
        p->number = (p->number + 1) % march->cycle(march->context, p->cycle).length;
        struct node *to = node_at(m, march->place(march->context, p->cycle, p->number));
        if (to != node)
            cross(m, node, to, p, ARRIVING);
    }
}

static void come_march(struct model *m, struct node *node, struct packet *p)
{
    put(p, node, MARCHING);
    if (--p->hops == 0)
        act_on_march(m, p, is_free(m));
}

void model_march(struct model *m, const struct march *march, uint32_t hops)
{
    static const struct instruction MARCH = {leave_march, come_march, NULL};
    m->how = march;
    uint64_t steps = is_free(m) ? hops + (uint64_t)(march->paths == NULL) : 1 + 2 * hops;
    for (uint32_t i = 0; i < march->cycles; i++)
        for (uint32_t n = 0; n < march->cycle(march->context, i).length; n++) {
            struct node *node = node_at(m, march->place(march->context, i, n));
            struct packet *p = node->at[RESTING];
            if (p == NULL || (march->paths != NULL &&
                              march->paths->begin(march->context, i, node->site, p->name) != n))
                continue;
            put(p, node, MARCHING);
            p->has_begun = false;
            p->cycle = i;
            p->number = n;
        }
    run(m, &MARCH, steps, march->paths == NULL ? BOUNDED : WHILE_ANY);
    for (uint32_t i = 0; i < march->cycles; i++)
        for (uint32_t n = 0; n < march->cycle(march->context, i).length; n++) {
            struct node *node = node_at(m, march->place(march->context, i, n));
            for (struct packet *p = node->at[MARCHING], *next; p != NULL; p = next) {
                next = p->next;
                if (p->cycle == i && p->number == n)
                    put(p, node, RESTING);
            }
        }
}
