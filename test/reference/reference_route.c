/* reference_route.c - the golden models of machine_forward and machine_channel: packets go to their stops.
 *
 * At a stop the rule says into which parts a packet falls. Under machine_forward they wait in queues of any
 * length, one a link. Under machine_channel a node has sources that ask for its links: its virtual channels,
 * of which only the first packet acts; its injection slot; and, with unit copies, three registers, each of
 * which holds a copy until that leaves. Express packets go before all of these, from queues of any length.
 */
#include "test/reference/reference_private.h"

enum { SOURCES = CIRCULATING - INPUT_BUFFER, INJECTED = INJECTION - INPUT_BUFFER };

/* In the order in which they leave a packet. */
static const enum part PARTS[] = {PART_HERE, PART_NORTH, PART_SOUTH, PART_WEST,
                                  PART_EAST, PART_PARK,  PART_REST,  PART_DISCARD};
static const enum part *const LINK_PART = PARTS + 1; /* [direction] */

static enum part first_of(unsigned parts)
{
    const enum part *part = PARTS;
    while (!(*part & parts))
        part++;
    return *part;
}

static bool are_several(unsigned parts)
{
    return (parts & (parts - 1)) != 0;
}

static unsigned parts_of(const struct model *m, const struct node *node, uint32_t packet)
{
    return m->rule->parts(m->rule->context, node->site, packet);
}

/* Splits the part off: a delivery, or a packet in `place`, which is returned. */
static struct packet *split(struct model *m, struct packet *p, enum part part, unsigned place)
{
    uint32_t slot = m->rule->take(m->rule->context, p->node->site, p->name, part);
    if (part != PART_HERE)
        return copy(m, p, slot, place);
    deliver(m, p, slot);
    return NULL;
}

/* These parts of the packet are to leave; what goes over one link alone learns where it must stop. */
static void want(const struct model *m, struct packet *p, unsigned parts)
{
    p->wanted = parts;
    if (are_several(parts) || !(parts & PART_LINKS))
        return;
    for (p->heading = NORTH; LINK_PART[p->heading] != parts;)
        p->heading++;
    p->stop = m->rule->stop(m->rule->context, p->node->site, p->name, p->heading);
}

/* ---- queues ---- */

static void queue_up(struct model *m, struct packet *p, unsigned part)
{
    want(m, p, part);
    p->urgency = 0;
    if (m->channel != NULL) /* the farthest stop goes first */
        p->urgency = part & (PART_NORTH | PART_WEST) ? MESH_MAX_SIDE - p->stop : p->stop;
    else if (m->rule->urgency != NULL)
        p->urgency = m->rule->urgency(m->rule->context, p->node->site, p->name, p->heading);
    put(p, p->node, LINK_QUEUE + p->heading);
}

/* The packet is at a stop, or waits there to be copied. */
static void settle(struct model *m, struct packet *p, bool may_copy)
{
    unsigned parts = parts_of(m, p->node, p->name);
    bool is_free = m->config.copy_is_free, waits = false;
    for (; are_several(parts) && may_copy; may_copy = is_free) {
        struct packet *made = split(m, p, first_of(parts), COPYING);
        if (made != NULL)
            settle(m, made, false);
        parts = parts_of(m, p->node, p->name);
        waits =
            !is_free && parts == PART_HERE; /* it does not end in a step in which it is copied */
    }
    if ((are_several(parts) || waits) && p->place == COPYING)
        return;
    if (are_several(parts))
        put(p, p->node, COPYING);
    else if (parts & PART_LINKS)
        queue_up(m, p, parts);
    else if (parts == PART_PARK)
        put(p, p->node, RESTING);
    else if (parts == PART_HERE)
        deliver(m, p, p->name);
    else
        discard(m, p);
}

/* Of each queue the most urgent packet, of equally urgent ones the first, crosses the link. */
static void cross_links(struct model *m, struct node *node)
{
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        struct packet *first = node->at[LINK_QUEUE + d];
        for (struct packet *p = first; p != NULL; p = p->next)
            first = p->urgency > first->urgency ? p : first;
        if (first != NULL)
            cross(m, node, node->link[d].to, first, ARRIVING + d);
    }
}

static void forward_step(struct model *m, struct node *node)
{
    uint32_t woken = m->wakes ? model_count(node, node + 1, RESTING, RESTING) : 0;
    for (; woken > 0; woken--)
        settle(m, node->at[RESTING], m->config.copy_is_free);
    cross_links(m, node);
    if (node->at[COPYING] != NULL)
        settle(m, node->at[COPYING], true);
}

/* ---- virtual channels ---- */

/* The class in which a packet takes these parts: both share the channels along rows, or none. */
static unsigned class_for(const struct model *m, unsigned class, unsigned parts)
{
    bool is_along_row = (parts & PART_LINKS) && !(parts & (PART_NORTH | PART_SOUTH));
    return m->channel->channels == CHANNELS_SHARED && class == 0 && is_along_row ? 1 : class;
}

static void compete(struct model *m, struct packet *p, unsigned parts)
{
    p->class = class_for(m, m->channel->class_of(m->rule->context, p->name), parts);
    want(m, p, parts);
}

/* The packet is at a stop: it ends there, or its parts wait in `place`. */
static void occupy(struct model *m, struct packet *p, unsigned place)
{
    unsigned parts = parts_of(m, p->node, p->name);
    if (parts == PART_HERE || parts == PART_DISCARD) {
        parts == PART_HERE ? deliver(m, p, p->name) : discard(m, p);
        return;
    }
    if ((parts & PART_HERE) && m->config.copy_is_free) {
        split(m, p, PART_HERE, place);
        parts &= PART_LINKS;
    }
    compete(m, p, parts);
    put(p, p->node, place);
}

static bool has_copied(const struct model *m, const struct node *node)
{
    return !m->config.copy_is_free && node->copied == m->counts.steps;
}

/* Packets that rest, oldest first, go into the empty injection slot or hand a copy to it; and when they are
 * woken, express packets set out. */
static void inject(struct model *m, struct node *node)
{
    const struct channel_rule *rule = m->channel;
    bool may = true, sets_out = m->wakes && rule->inject != NULL, was_asked = node->may_inject;
    struct packet *next, *p = was_asked ? node->at[RESTING] : NULL;
    node->may_inject = false;
    for (; p != NULL && (may || sets_out); p = next) {
        uint32_t made = MACHINE_NONE;
        next = p->next;
        may = node->at[INJECTION] == NULL && !has_copied(m, node);
        if (may)
            made = rule->inject ? rule->inject(m->rule->context, node->site, p->name) : p->name;
        if (made == p->name) {
            occupy(m, p, INJECTION);
            continue;
        }
        if (made != MACHINE_NONE && parts_of(m, node, made) == PART_HERE)
            deliver(m, p, made);
        else if (made != MACHINE_NONE)
            occupy(m, copy(m, p, made, INJECTION), INJECTION);
        bool may_go = sets_out && (made == MACHINE_NONE || m->config.copy_is_free);
        if (may_go && rule->class_of(m->rule->context, p->name) == CHANNEL_EXPRESS &&
            parts_of(m, node, p->name) != PART_PARK) {
            p->class = CHANNEL_EXPRESS;
            queue_up(m, p, parts_of(m, node, p->name));
        } else {
            node->may_inject |= !may || made != MACHINE_NONE;
        }
    }
}

/* The source to which link d is granted, or SOURCES: of the class that has priority in this step, if it may
 * have any, straight on before turning, then the lowest. It needs a credit of the channel ahead. */
static unsigned arbitrate(const struct model *m, const struct node *node, enum direction d,
                          struct packet *const first[SOURCES])
{
    const struct node *ahead = node->link[d].to;
    unsigned granted = SOURCES, best = 0, priority = (m->counts.steps + 1) % 2;
    for (unsigned s = 0; s < SOURCES && ahead != NULL && ahead->at[ARRIVING + d] == NULL; s++) {
        unsigned wanted = first[s] == NULL ? 0 : first[s]->wanted;
        if (!(wanted & LINK_PART[d]) || (are_several(wanted) && !m->config.copy_is_free) ||
            ahead->full[4 * class_for(m, first[s]->class, LINK_PART[d]) + d])
            continue;
        bool goes_straight = s < VIRTUAL_CHANNELS && s % 4 == d;
        unsigned rank = 1 + 2 * (first[s]->class == priority) + goes_straight;
        granted = rank > best ? s : granted;
        best = rank > best ? rank : best;
    }
    return granted;
}

/* The packet, or a copy of it that carries the part, crosses link d. */
static void send(struct model *m, struct packet *p, enum direction d)
{
    unsigned left = p->wanted & ~(unsigned)LINK_PART[d];
    unsigned class = class_for(m, p->class, LINK_PART[d]);
    struct packet *leaving = p;
    if (left != 0) {
        leaving = split(m, p, LINK_PART[d], INJECTION);
        want(m, leaving, LINK_PART[d]);
        want(m, p, left); /* in its class, as before */
    }
    leaving->class = class;
    cross(m, leaving->node, leaving->node->link[d].to, leaving, ARRIVING + d);
}

/* Unit copies: the node makes one, for the lowest source that wants several parts and finds its register
 * empty. Returns which. */
static unsigned copy_for_one(struct model *m, struct node *node,
                             struct packet *const first[SOURCES])
{
    for (unsigned s = 0; s < SOURCES; s++) {
        unsigned wanted = first[s] == NULL ? 0 : first[s]->wanted;
        if (!are_several(wanted))
            continue;
        /* a channel's packet hands on what turns off, and goes straight on itself */
        enum part part = first_of(s < VIRTUAL_CHANNELS ? wanted & ~LINK_PART[s % 4] : wanted);
        unsigned place = s == INJECTED                      ? REGISTER_INJECTED
                         : part & (PART_NORTH | PART_SOUTH) ? REGISTER_VERTICAL
                                                            : REGISTER;
        if (part != PART_HERE && node->at[place] != NULL)
            continue;
        struct packet *made = split(m, first[s], part, place);
        if (made != NULL)
            compete(m, made, part);
        compete(m, first[s], wanted & ~(unsigned)part);
        return s;
    }
    return SOURCES;
}

/* A packet of which nothing has left in this step may change to the other class: the injected one anywhere;
 * of class 0 along an even column, and of class 1 along a row at an odd column. These must stay whole. */
static void switch_class(struct model *m, struct node *node, unsigned source, struct packet *p)
{
    const struct channel_rule *rule = m->channel;
    bool is_injected = source == INJECTED;
    bool turns = node->site.col % 2 == 0 ? source == NORTH || source == SOUTH
                                         : source == 4 + WEST || source == 4 + EAST;
    if (!is_injected && (!turns || rule->channels == CHANNELS_SHARED || are_several(p->wanted)))
        return;
    rule->switch_class(m->rule->context, node->site, p->name);
    unsigned parts = parts_of(m, node, p->name);
    if (is_injected || !are_several(parts))
        compete(m, p, parts);
    else
        rule->switch_class(m->rule->context, node->site, p->name);
}

static void channel_step(struct model *m, struct node *node)
{
    const struct channel_rule *rule = m->channel;
    struct packet *first[SOURCES]; /* what may act: who comes first later does not in this step */
    bool acts[SOURCES + 1] = {false};
    inject(m, node);
    cross_links(m, node);
    for (unsigned s = 0; s < SOURCES; s++)
        first[s] = node->at[INPUT_BUFFER + s];
    bool is_fresh = has_copied(m, node); /* what is in the injection slot */
    first[INJECTED] = is_fresh ? NULL : first[INJECTED];
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        unsigned granted = arbitrate(m, node, d, first);
        acts[granted] = true;
        if (granted != SOURCES)
            send(m, first[granted], d);
    }
    if (!m->config.copy_is_free && !is_fresh)
        acts[copy_for_one(m, node, first)] = true;
    if (rule->switch_class == NULL ||
        (rule->switch_every > 0 && (m->counts.steps - 1) % rule->switch_every > 0))
        return;
    for (unsigned s = 0; s < SOURCES; s++)
        if (first[s] != NULL && !acts[s])
            switch_class(m, node, s, first[s]);
}

/* The credits for the next step. A channel is full when its own slots are taken, unless a free spare slot is
 * set apart for its link: one for each link with a full channel, in rotation. */
static void note_full(const struct model *m, struct node *node)
{
    uint32_t slots = m->channel->slots, taken = 0;
    for (unsigned c = 0; c < VIRTUAL_CHANNELS; c++) {
        uint32_t count = model_count(node, node + 1, INPUT_BUFFER + c, INPUT_BUFFER + c);
        node->full[c] = count >= slots;
        taken += node->full[c] ? count - slots : 0;
    }
    for (unsigned i = 0; i < DIRECTIONS; i++) {
        unsigned d = (unsigned)(m->counts.steps - 1 + i) % DIRECTIONS;
        if (taken >= m->channel->spare || !(node->full[d] || node->full[4 + d]))
            continue;
        node->full[d] = node->full[4 + d] = false;
        taken++;
    }
}

/* ---- both ---- */

static void arrive(struct model *m, struct packet *p, struct node *node, enum direction d)
{
    bool is_queued = m->channel == NULL || p->class == CHANNEL_EXPRESS;
    unsigned ahead = is_queued ? LINK_QUEUE + d : INPUT_BUFFER + 4 * p->class + d;
    if (p->stop != (direction_is_vertical(d) ? node->site.row : node->site.col)) {
        put(p, node, ahead);
    } else if (m->channel == NULL) {
        settle(m, p, m->config.copy_is_free);
    } else if (is_queued) {
        put(p, node, RESTING);
        node->may_inject = true;
    } else {
        occupy(m, p, ahead);
    }
}

static void route_step(struct model *m, const void *how, uint64_t step)
{
    (void)how, (void)step;
    for (struct node *node = m->node; node < m->end; node++)
        m->channel == NULL ? forward_step(m, node) : channel_step(m, node);
    for (struct node *node = m->node; node < m->end; node++) {
        for (enum direction d = 0; d < DIRECTIONS; d++)
            if (node->at[ARRIVING + d] != NULL)
                arrive(m, node->at[ARRIVING + d], node, d);
        if (m->channel != NULL)
            note_full(m, node);
    }
}

void model_forward(struct model *m, const struct routing_rule *rule, bool wakes, uint64_t limit)
{
    uint32_t buffer = m->config.buffer, aside = 0;
    for (struct node *node = m->node; node < m->end; node++) {
        uint32_t count = model_count(node, node + 1, ASIDE, ON_PLANE - 1);
        aside = count > aside ? count : aside;
    }
    m->rule = rule;
    m->wakes = wakes;
    if (rule->capacity > 0 && (buffer == 0 || rule->capacity + aside < buffer))
        m->capacity = rule->capacity + aside;
    run(m, limit, true, route_step, NULL);
    m->capacity = buffer;
    m->wakes = false;
}

void model_channel(struct model *m, const struct channel_rule *rule, bool wakes, uint64_t limit)
{
    for (struct node *node = m->node; node < m->end; node++)
        node->may_inject = true;
    m->channel = rule;
    m->rule = &rule->routing;
    m->wakes = wakes;
    run(m, limit, true, route_step, NULL);
    m->channel = NULL;
    m->wakes = false;
}

void model_channel_halt(struct model *m)
{
    for (struct node *node = m->node; node < m->end; node++) {
        for (unsigned s = 0; s < SOURCES; s++)
            while (node->at[INPUT_BUFFER + s] != NULL)
                put(node->at[INPUT_BUFFER + s], node, RESTING);
        for (unsigned c = 0; c < VIRTUAL_CHANNELS; c++)
            node->full[c] = false;
    }
}
