/* reference_route.c - the golden models of machine_forward and machine_channel: packets go to their
 * stops.
 *
 * At a stop the rule names the outputs of a packet. Under machine_forward packets wait for them in
 * queues of any length, one per link. Under machine_channel a node has sources that ask for its
 * links: its virtual channels, of which only the first packet acts; its injection slot; and, with
 * unit copies, three registers, each of which holds a copy until that leaves. Express packets go
 * before all of these, from queues of any length.
 */
#include "test/reference/reference.h"

enum { SOURCES = ARRIVING - INPUT_BUFFER, INJECTED = INJECTION - INPUT_BUFFER };

/* In the order in which they leave a packet. */
static const enum output OUTPUTS[] = {OUT_EJECT, OUT_NORTH, OUT_SOUTH, OUT_WEST,
                                      OUT_EAST,  OUT_HOLD,  OUT_AGAIN, OUT_DISCARD};
static const enum output *const LINK_OUTPUT = OUTPUTS + 1; /* [direction] */

static enum output first_of(unsigned outputs)
{
    const enum output *output = OUTPUTS;
    while (!(*output & outputs))
        output++;
    return *output;
}

static bool are_several(unsigned outputs)
{
    return (outputs & (outputs - 1)) != 0;
}

static unsigned outputs_of(const struct model *m, const struct node *node, uint32_t packet)
{
    return m->rule->outputs(m->rule->context, node->site, packet);
}

/* Splits off the part for the output: a delivery, or a packet in `list`, which is returned. */
static struct packet *split(struct model *m, struct packet *p, enum output output, unsigned list)
{
    uint32_t slot = m->rule->take(m->rule->context, p->node->site, p->name, output);
    if (output != OUT_EJECT)
        return copy(m, p, slot, list);
    deliver(m, p, slot);
    return NULL;
}

/* The packet has these outputs left; where that is one link it learns where it must stop. */
static void want(const struct model *m, struct packet *p, unsigned outputs)
{
    p->wanted = outputs;
    if (are_several(outputs) || !(outputs & OUT_LINKS))
        return;
    for (p->heading = NORTH; LINK_OUTPUT[p->heading] != outputs;)
        p->heading++;
    p->stop = m->rule->stop(m->rule->context, p->node->site, p->name, p->heading);
}

/* ---- queues ---- */

static void queue_up(struct model *m, struct packet *p, unsigned output)
{
    want(m, p, output);
    p->urgency = 0;
    if (m->channel != NULL) /* the farthest stop goes first */
        p->urgency = output & (OUT_NORTH | OUT_WEST) ? MESH_MAX_SIDE - p->stop : p->stop;
    else if (m->rule->urgency != NULL)
        p->urgency = m->rule->urgency(m->rule->context, p->node->site, p->name, p->heading);
    put(p, p->node, LINK_QUEUE + p->heading);
}

/* Serves a packet that is at a stop, or waits there to be copied: its outputs one after another, as
 * far as copies may be made, and the last one by the packet itself. */
static void settle(struct model *m, struct packet *p, bool may_copy)
{
    unsigned outputs = outputs_of(m, p->node, p->name);
    bool is_free = m->config.copy_is_free, was_copied = false;
    for (; are_several(outputs) && may_copy; may_copy = is_free) {
        struct packet *made = split(m, p, first_of(outputs), COPYING);
        if (made != NULL)
            settle(m, made, false);
        outputs = outputs_of(m, p->node, p->name);
        was_copied = !is_free;
    }
    bool waits = are_several(outputs) || (was_copied && outputs == OUT_EJECT);
    if (waits && p->list == COPYING)
        return; /* where it was among those that wait for another step */
    if (waits)
        put(p, p->node, COPYING);
    else if (outputs & OUT_LINKS)
        queue_up(m, p, outputs);
    else if (outputs == OUT_HOLD)
        put(p, p->node, RESTING);
    else if (outputs == OUT_EJECT)
        deliver(m, p, p->name);
    else
        discard(m, p);
}

/* The most urgent packet of each queue, the first of equally urgent ones, crosses the link. A copy
 * that was just made does not. */
static void cross_links(struct model *m, struct node *node)
{
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        struct packet *first = NULL;
        for (struct packet *p = node->at[LINK_QUEUE + d]; p != NULL; p = p->next)
            if (p->acted != m->counts.steps && (first == NULL || p->urgency > first->urgency))
                first = p;
        if (first != NULL)
            cross(m, node, node->link[d].to, first, ARRIVING + d);
    }
}

static void leave_forward(struct model *m, struct node *node)
{
    uint32_t woken = m->wakes ? model_count(node, node + 1, RESTING, RESTING) : 0;
    for (; woken > 0; woken--)
        settle(m, node->at[RESTING], m->config.copy_is_free);
    cross_links(m, node);
    if (node->at[COPYING] != NULL)
        settle(m, node->at[COPYING], true);
}

/* ---- virtual channels ---- */

/* The class in which a packet goes to these outputs: both share the channels along rows, or
 * none. */
static unsigned class_for(const struct model *m, unsigned class, unsigned outputs)
{
    bool is_along_row = (outputs & OUT_LINKS) && !(outputs & (OUT_NORTH | OUT_SOUTH));
    return m->channel->channels == CHANNELS_SHARED && class == 0 && is_along_row ? 1 : class;
}

static void compete(struct model *m, struct packet *p, unsigned outputs)
{
    p->class = class_for(m, m->channel->class_of(m->rule->context, p->name), outputs);
    want(m, p, outputs);
}

/* The packet is at a stop: it ends there, or waits in `list`. */
static void occupy(struct model *m, struct packet *p, unsigned list)
{
    unsigned outputs = outputs_of(m, p->node, p->name);
    if (!(outputs & OUT_LINKS)) {
        settle(m, p, false);
        return;
    }
    if ((outputs & OUT_EJECT) && m->config.copy_is_free) {
        split(m, p, OUT_EJECT, list);
        outputs &= OUT_LINKS;
    }
    compete(m, p, outputs);
    put(p, p->node, list);
}

static bool is_express(const struct model *m, const struct packet *p)
{
    unsigned outputs = outputs_of(m, p->node, p->name); /* which may change its class */
    return (outputs & OUT_LINKS) &&
           m->channel->class_of(m->rule->context, p->name) == CHANNEL_EXPRESS;
}

/* Lets a packet that rests, and may be an express one, set out after its copies. Returns false if
 * it stays, as with unit copies after it was copied. */
static bool set_out(struct model *m, struct packet *p)
{
    if (!is_express(m, p))
        return false;
    for (unsigned outputs; are_several(outputs = outputs_of(m, p->node, p->name));) {
        enum output output = first_of(outputs);
        struct packet *made = split(m, p, output, COPYING);
        made->class = CHANNEL_EXPRESS;
        queue_up(m, made, output);
        if (!m->config.copy_is_free)
            return false;
    }
    p->class = CHANNEL_EXPRESS;
    queue_up(m, p, outputs_of(m, p->node, p->name));
    return true;
}

/* The packets that rest, oldest first: each may go into the empty injection slot or hand a copy to
 * it, and express packets that are woken, or need not be, set out. The node is asked again where
 * one stays that has not declined, or waits in the input queue; the first of that is injected where
 * none rests and the slot is empty. */
static void inject(struct model *m, struct node *node)
{
    const struct channel_rule *rule = m->channel;
    void *context = rule->routing.context;
    bool is_free = m->config.copy_is_free, sets_out = m->wakes && rule->inject != NULL;
    bool goes_first = rule->inject == NULL && rule->has_express;
    if (node->at[INPUT] != NULL && node->at[RESTING] == NULL && node->at[INJECTION] == NULL)
        begin_to_rest(m, node, node->at[INPUT]);
    struct packet *next, *p = node->may_inject ? node->at[RESTING] : NULL;
    node->may_inject = node->at[INPUT] != NULL;
    for (bool may = true; p != NULL && (may || sets_out || goes_first); p = next) {
        uint32_t made = MACHINE_NONE;
        next = p->next;
        if (goes_first && set_out(m, p))
            continue;
        goes_first &= is_free || node->copied != m->counts.steps;
        may = node->at[INJECTION] == NULL && (is_free || node->copied != m->counts.steps);
        if (may)
            made = rule->inject != NULL ? rule->inject(context, node->site, p->name) : p->name;
        if (made == p->name)
            occupy(m, p, INJECTION);
        else if (made != MACHINE_NONE && outputs_of(m, node, made) == OUT_EJECT)
            deliver(m, p, made);
        else if (made != MACHINE_NONE)
            occupy(m, copy(m, p, made, INJECTION), INJECTION);
        if (made == p->name)
            continue;
        if (sets_out && (is_free || made == MACHINE_NONE) &&
            rule->class_of(context, p->name) == CHANNEL_EXPRESS &&
            outputs_of(m, node, p->name) != OUT_HOLD) {
            p->class = CHANNEL_EXPRESS;
            queue_up(m, p, outputs_of(m, node, p->name));
        } else {
            node->may_inject |= !may || made != MACHINE_NONE;
        }
    }
}

/* The source to which link d is granted, or SOURCES: of the class that has priority in this step,
 * if it may have any, straight on before turning, then the lowest. It needs a credit of the channel
 * ahead. */
static unsigned arbitrate(const struct model *m, const struct node *node, enum direction d,
                          struct packet *const first[SOURCES])
{
    const struct node *ahead = node->link[d].to;
    unsigned granted = SOURCES, best = 0, priority = (m->counts.steps - 1) / 32 % 2;
    for (unsigned s = 0; s < SOURCES && ahead != NULL && ahead->at[ARRIVING + d] == NULL; s++) {
        unsigned wanted = first[s] == NULL ? 0 : first[s]->wanted;
        if (!(wanted & LINK_OUTPUT[d]) || (are_several(wanted) && !m->config.copy_is_free) ||
            ahead->full[4 * class_for(m, first[s]->class, LINK_OUTPUT[d]) + d])
            continue;
        bool goes_straight = s < VIRTUAL_CHANNELS && s % 4 == d;
        unsigned rank = 1 + 2 * (first[s]->class == priority) + goes_straight;
        granted = rank > best ? s : granted;
        best = rank > best ? rank : best;
    }
    return granted;
}

/* Where a copy of the packet in a channel waits. */
static unsigned register_for(enum output output)
{
    return output & (OUT_EAST | OUT_WEST) ? REGISTER_ROWS : REGISTER_COLS;
}

/* The two registers of parts that turn, with channels for both classes. */
static unsigned other_register(unsigned list)
{
    return list == REGISTER_ROWS ? REGISTER_COLS : REGISTER_ROWS;
}

/* The first packet of channel `s` goes straight on, and leaves its other outputs, if they are
 * several, behind in a register as one packet. Returns false if that is not free, or the other
 * register also holds what goes over two links. */
static bool leave_behind(struct model *m, struct packet *p, unsigned s)
{
    struct node *node = p->node;
    unsigned left = p->wanted & ~LINK_OUTPUT[s % 4];
    if (!(p->wanted & LINK_OUTPUT[s % 4]) || !are_several(left))
        return false;
    unsigned list = register_for(first_of(left & OUT_LINKS));
    const struct packet *other = node->at[other_register(list)];
    if (node->at[list] != NULL || (other != NULL && are_several(other->wanted & OUT_LINKS)))
        return false;
    struct packet *straight = split(m, p, LINK_OUTPUT[s % 4], INPUT_BUFFER + s);
    put(p, node, list);
    while (node->at[INPUT_BUFFER + s] != straight)
        put(node->at[INPUT_BUFFER + s], node, INPUT_BUFFER + s);
    compete(m, straight, LINK_OUTPUT[s % 4]);
    compete(m, p, left);
    return true;
}

/* With unit copies, makes the node's one copy, for the lowest source that wants several outputs and
 * finds its register empty. Returns the source. */
static unsigned copy_for_one(struct model *m, struct node *node,
                             struct packet *const first[SOURCES])
{
    for (unsigned s = 0; s < SOURCES; s++) {
        unsigned wanted = first[s] == NULL ? 0 : first[s]->wanted;
        if (!are_several(wanted))
            continue;
        if (m->channel->straight_first && s < VIRTUAL_CHANNELS && leave_behind(m, first[s], s))
            return s;
        /* a channel's packet hands on what turns off, and goes straight on itself */
        enum output output = first_of(s < VIRTUAL_CHANNELS ? wanted & ~LINK_OUTPUT[s % 4] : wanted);
        unsigned list = s == INJECTED          ? REGISTER_INJECTED
                        : s < VIRTUAL_CHANNELS ? register_for(output)
                                               : other_register(INPUT_BUFFER + s);
        if (output != OUT_EJECT && node->at[list] != NULL)
            continue;
        struct packet *made = split(m, first[s], output, list);
        if (made != NULL)
            compete(m, made, output);
        compete(m, first[s], wanted & ~(unsigned)output);
        return s;
    }
    return SOURCES;
}

/* A packet of which nothing has left in this step may change to the other class: the injected one
 * anywhere; of class 0 along an even column, and of class 1 along a row at an odd column. These
 * must stay whole. */
static void switch_class(struct model *m, struct node *node, unsigned source, struct packet *p)
{
    const struct channel_rule *rule = m->channel;
    bool is_injected = source == INJECTED;
    bool turns = node->site.col % 2 == 0 ? source == NORTH || source == SOUTH
                                         : source == 4 + WEST || source == 4 + EAST;
    if (!is_injected && (!turns || rule->channels == CHANNELS_SHARED || are_several(p->wanted)))
        return;
    rule->switch_class(m->rule->context, node->site, p->name);
    unsigned outputs = outputs_of(m, node, p->name);
    if (is_injected || !are_several(outputs))
        compete(m, p, outputs);
    else
        rule->switch_class(m->rule->context, node->site, p->name);
}

static void leave_channel(struct model *m, struct node *node)
{
    const struct channel_rule *rule = m->channel;
    struct packet *first[SOURCES]; /* a packet that comes first later does not act in this step */
    bool acts[SOURCES + 1] = {false};
    inject(m, node);
    cross_links(m, node);
    for (unsigned s = 0; s < SOURCES; s++)
        first[s] = node->at[INPUT_BUFFER + s];
    bool is_free = m->config.copy_is_free, has_copied = !is_free && node->copied == m->counts.steps;
    first[INJECTED] = has_copied ? NULL : first[INJECTED]; /* it has just been copied */
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        unsigned granted = arbitrate(m, node, d, first);
        if (granted == SOURCES)
            continue;
        struct packet *p = first[granted], *leaving = p;
        unsigned left = p->wanted & ~LINK_OUTPUT[d], class = class_for(m, p->class, LINK_OUTPUT[d]);
        if (left != 0) { /* a copy goes; the rest competes in its class as before */
            leaving = split(m, p, LINK_OUTPUT[d], INJECTION);
            want(m, leaving, LINK_OUTPUT[d]);
            want(m, p, left);
        }
        leaving->class = class;
        cross(m, node, node->link[d].to, leaving, ARRIVING + d);
        acts[granted] = true;
    }
    if (!is_free && !has_copied)
        acts[copy_for_one(m, node, first)] = true;
    if (rule->switch_class == NULL ||
        (rule->switch_every > 0 && (m->counts.steps - 1) % rule->switch_every > 0))
        return;
    for (unsigned s = 0; s < SOURCES; s++)
        if (first[s] != NULL && !acts[s])
            switch_class(m, node, s, first[s]);
}

/* The credits for the next step. */
static void note_full(struct model *m, struct node *node)
{
    for (unsigned c = 0; c < VIRTUAL_CHANNELS; c++)
        node->full[c] =
            model_count(node, node + 1, INPUT_BUFFER + c, INPUT_BUFFER + c) >= m->channel->slots;
}

/* ---- both ---- */

static void come(struct model *m, struct node *node, struct packet *p)
{
    enum direction d = p->heading;
    bool is_queued = m->channel == NULL || p->class == CHANNEL_EXPRESS;
    unsigned ahead = is_queued ? LINK_QUEUE + d : INPUT_BUFFER + 4 * p->class + d;
    if (p->stop != (direction_is_vertical(d) ? node->site.row : node->site.col))
        put(p, node, ahead);
    else if (!is_queued)
        occupy(m, p, ahead);
    else if (m->channel == NULL)
        settle(m, p, m->config.copy_is_free);
    else
        put(p, node, RESTING);
    node->may_inject |= p->node == node && p->list == RESTING;
}

void model_forward(struct model *m, const struct routing_rule *rule, bool wakes, uint64_t limit)
{
    static const struct instruction FORWARD = {leave_forward, come, NULL};
    uint32_t buffer = m->config.buffer, aside = 0;
    for (struct node *node = m->node; node < m->end; node++) {
        uint32_t count = model_count(node, node + 1, ASIDE, ON_PLANE - 1);
        aside = count > aside ? count : aside;
    }
    if (rule->capacity > 0 && (buffer == 0 || rule->capacity + aside < buffer))
        m->capacity = rule->capacity + aside;
    m->rule = rule;
    m->wakes = wakes;
    run(m, &FORWARD, limit, UNTIL_DONE);
    m->capacity = buffer;
}

void model_channel(struct model *m, const struct channel_rule *rule, bool wakes, uint64_t limit)
{
    static const struct instruction CHANNEL = {leave_channel, come, note_full};
    for (struct node *node = m->node; node < m->end; node++)
        node->may_inject = true;
    m->rule = &rule->routing;
    m->channel = rule;
    m->wakes = wakes;
    run(m, &CHANNEL, limit, UNTIL_DONE);
    m->channel = NULL;
}
