/* reference_gather.c - the golden model of machine_gather: contributions that are combined on their
 * way to sums.
 *
 * A packet in the input queue has its link, its urgency and its due step from the start. A packet
 * in the buffer waits in the list of its link, where one that comes is combined with the one of its
 * message.
 */
#include "test/reference/reference.h"

#include <assert.h>
#include <stddef.h>

void model_contribute(struct model *m, node_index node, uint32_t packet)
{
    struct packet *p = &m->packet[packet];
    if (m->destination[packet] == site_place(m->node[node].site))
        model_inject(m, node, packet);
    else
        put(p, &m->node[node], INPUT);
}

/* Asks the rule about a packet that is at its node now. False: its sum belongs here. */
static bool ask(const struct model *m, struct packet *p)
{
    static const enum output links[DIRECTIONS] = {OUT_NORTH, OUT_SOUTH, OUT_WEST, OUT_EAST};
    const struct gather_rule *rule = m->how;
    struct site site = p->node->site;
    enum output output = rule->output(rule->context, site, p->name);
    if (output == OUT_EJECT)
        return false;
    for (p->heading = NORTH; links[p->heading] != output;)
        p->heading++;
    p->urgency = rule->urgency == NULL ? 0 : rule->urgency(rule->context, site, p->name);
    return true;
}

static void begin_gather(struct model *m, struct node *node)
{
    const struct gather_rule *rule = m->how;
    for (struct packet *p = node->at[INPUT]; p != NULL; p = p->next) {
        bool is_away = ask(m, p);
        assert(is_away);
        p->due = rule->due == NULL ? 1 : rule->due(rule->context, node->site, p->name);
        p->parts = 1;
    }
}

/* True if `p` goes before `q` in the input queue. */
static bool is_sooner(const struct packet *p, const struct packet *q)
{
    if (p->due != q->due)
        return p->due < q->due;
    return p->urgency != q->urgency ? p->urgency > q->urgency : p->name < q->name;
}

/* Returns the channel, with slots, of a packet that came in direction d. */
static unsigned channel_of(const struct model *m, const struct packet *p, enum direction d)
{
    const struct gather_rule *rule = m->how;
    return rule->slots == 0 ? 0 : 4 * rule->class_of(rule->context, p->name) + d;
}

static bool has_credit(const struct model *m, const struct node *node, const struct packet *p,
                       enum direction d)
{
    const struct gather_rule *rule = m->how;
    return rule->slots == 0 || !node->link[d].to->full[channel_of(m, p, d)];
}

/* `class` of a packet that waits is the channel in which it is. */
static void note_full(struct model *m, struct node *node)
{
    const struct gather_rule *rule = m->how;
    for (unsigned channel = 0; rule->slots > 0 && channel < VIRTUAL_CHANNELS; channel++) {
        uint32_t count = 0;
        for (enum direction d = 0; d < DIRECTIONS; d++)
            for (const struct packet *p = node->at[LINK_QUEUE + d]; p != NULL; p = p->next)
                count += p->class == channel;
        node->full[channel] = count >= rule->slots;
    }
}

static struct packet *first_for(const struct model *m, const struct node *node, enum direction d)
{
    struct packet *best = NULL, *due = NULL;
    for (struct packet *p = node->at[LINK_QUEUE + d]; p != NULL; p = p->next)
        if (has_credit(m, node, p, d))
            best = best == NULL || p->urgency > best->urgency ? p : best;
    for (struct packet *p = node->at[INPUT]; p != NULL; p = p->next)
        if (p->heading == d && p->due <= m->step && (due == NULL || is_sooner(p, due)))
            due = p;
    if (due != NULL && !has_credit(m, node, due, d))
        due = NULL;
    return due != NULL && (best == NULL || due->urgency > best->urgency) ? due : best;
}

static void leave_gather(struct model *m, struct node *node)
{
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        struct packet *p = first_for(m, node, d);
        if (p != NULL && p->list == INPUT)
            begin_to_rest(m, node, p);
        if (p != NULL)
            cross(m, node, node->link[d].to, p, ARRIVING + d);
    }
}

static void combine(struct model *m, struct packet *p, struct packet *into)
{
    const struct gather_rule *rule = m->how;
    into->parts += p->parts;
    if (rule->combine != NULL)
        rule->combine(rule->context, p->name, into->name);
    merge(m, p, into);
}

static struct packet *of_message(const struct model *m, struct packet *p, uint32_t message,
                                 enum direction heading)
{
    while (p != NULL && (m->packet_header[p->name].message != message || p->heading != heading))
        p = p->next;
    return p;
}

static void come_gather(struct model *m, struct node *node, struct packet *p)
{
    uint32_t message = m->packet_header[p->name].message;
    p->class = channel_of(m, p, (enum direction)(p->list - ARRIVING));
    if (!ask(m, p)) {
        const struct gather_rule *rule = m->how;
        if (rule->deliver != NULL)
            rule->deliver(rule->context, node->site, p->name);
        m->counts.delivered += p->parts - 1;
        deliver(m, p, p->name);
        return;
    }
    struct packet *other = of_message(m, node->at[LINK_QUEUE + p->heading], message, p->heading);
    struct packet *own = of_message(m, node->at[INPUT], message, p->heading);
    if (other != NULL) {
        combine(m, p, other);
        return;
    }
    if (own != NULL) {
        begin_to_rest(m, node, own);
        combine(m, own, p);
    }
    put(p, node, LINK_QUEUE + p->heading);
}

void model_gather(struct model *m, const struct gather_rule *rule)
{
    static const struct instruction GATHER = {leave_gather, come_gather, note_full};
    m->how = rule;
    each_node(m, begin_gather);
    each_node(m, note_full);
    run(m, &GATHER, UINT64_MAX, WHILE_ANY);
}
