/* reference_channel.c - the golden model of machine_channel: bounded virtual channels with credits.
 *
 * A node's sources, which ask for its links: the input buffers of its virtual channels, of which only the
 * first packet acts; its injection slot; and, with unit copies, three registers, each of which holds a copy
 * until that leaves. An arbiter for each link grants it to one source whose channel at the neighbour was
 * not full at the end of the last step. Express packets take links before all of these and wait in
 * unbounded queues.
 */
#include "test/reference/reference_private.h"

enum { SOURCES = REFERENCE_SOURCES, INJECTED = INJECTION - INPUT_BUFFER };

/* A call of machine_channel. */
struct channelling {
    struct reference *model;
    const struct channel_rule *rule;
    bool wakes; /* resting express packets may set out */
};

static unsigned class_in_row(const struct channelling *call, unsigned class)
{
    return call->rule->channels == CHANNELS_SHARED && class == 0 ? 1 : class;
}

static void ask_for_stop(const struct channelling *call, uint32_t packet, unsigned wanted)
{
    const struct routing_rule *rule = &call->rule->routing;
    struct reference_packet *p = &call->model->packet[packet];
    p->wanted = wanted;
    if (parts_count(wanted) == 1 && (wanted & PART_LINKS))
        p->stop = rule->stop(rule->context, reference_site(call->model, p->node), packet,
                             part_link(wanted));
}

/* The packet waits for its parts `wanted` to leave. Where both classes share the channels along rows, it is
 * of class 1 once it wants these alone. */
static void wait_for(const struct channelling *call, uint32_t packet, unsigned wanted)
{
    unsigned class = call->rule->class_of(call->rule->routing.context, packet);
    bool along_row = (wanted & PART_LINKS) && !(wanted & (PART_NORTH | PART_SOUTH));
    call->model->packet[packet].class = along_row ? class_in_row(call, class) : class;
    ask_for_stop(call, packet, wanted);
}

static uint32_t take(const struct channelling *call, uint32_t packet, enum part part)
{
    const struct routing_rule *rule = &call->rule->routing;
    node_index node = call->model->packet[packet].node;
    return rule->take(rule->context, reference_site(call->model, node), packet, part);
}

static unsigned parts_of(const struct channelling *call, node_index node, uint32_t packet)
{
    const struct routing_rule *rule = &call->rule->routing;
    return rule->parts(rule->context, reference_site(call->model, node), packet);
}

/* The packet is at a stop: it ends there, or waits in `place`. */
static void settle(const struct channelling *call, uint32_t packet, enum reference_place place)
{
    struct reference *model = call->model;
    unsigned parts = parts_of(call, model->packet[packet].node, packet);
    if (parts == PART_HERE) {
        model_deliver(model, packet, packet);
    } else if (parts == PART_DISCARD) {
        model_discard(model, packet);
    } else {
        if ((parts & PART_HERE) && model->config.copy_is_free)
            model_deliver(model, packet, take(call, packet, PART_HERE));
        wait_for(call, packet, model->config.copy_is_free ? parts & PART_LINKS : parts);
        model_move(model, packet, place);
    }
}

/* ---- packets at rest ---- */

static bool has_copied(const struct reference *model, node_index node)
{
    return !model->config.copy_is_free && model->node[node].copied == model->counts.steps;
}

/* `made`, which was split off `packet`, goes into the empty slot; if it ends here it is only delivered. */
static void inject_copy(const struct channelling *call, uint32_t packet, uint32_t made)
{
    if (parts_of(call, call->model->packet[packet].node, made) == PART_HERE) {
        model_deliver(call->model, packet, made);
        return;
    }
    model_copy(call->model, packet, made, INJECTION);
    settle(call, made, INJECTION);
}

/* Tells whether the express packet goes; the farthest stop is the most urgent. */
static bool set_out(const struct channelling *call, uint32_t packet, enum part part)
{
    struct reference_packet *p = &call->model->packet[packet];
    if (part == PART_PARK)
        return false;
    enum direction d = part_link(part);
    ask_for_stop(call, packet, part);
    p->class = CHANNEL_EXPRESS;
    p->urgency = d == NORTH || d == WEST ? MESH_MAX_SIDE - p->stop : p->stop;
    model_move(call->model, packet, EXPRESS_QUEUE + d);
    return true;
}

/* The packets that rest, oldest first: each may go into the empty injection slot or hand a copy to it; and
 * when they are woken, express packets set out. */
static void wake_node(const struct channelling *call, node_index node)
{
    struct reference *model = call->model;
    const struct channel_rule *rule = call->rule;
    bool sets_out = call->wakes && rule->inject != NULL, asks_again = false, may_inject = true;
    uint32_t next, packet = reference_first(model, node, RESTING);
    for (; packet != MACHINE_NONE && (may_inject || sets_out); packet = next) {
        uint32_t made = MACHINE_NONE;
        next = reference_next(model, packet);
        may_inject =
            reference_first(model, node, INJECTION) == MACHINE_NONE && !has_copied(model, node);
        if (may_inject)
            made = rule->inject == NULL
                       ? packet
                       : rule->inject(rule->routing.context, reference_site(model, node), packet);
        if (made == packet) {
            settle(call, packet, INJECTION);
            continue;
        }
        if (made != MACHINE_NONE)
            inject_copy(call, packet, made);
        bool was_copied = made != MACHINE_NONE && !model->config.copy_is_free;
        bool is_express = rule->class_of(rule->routing.context, packet) == CHANNEL_EXPRESS;
        if (sets_out && !was_copied && is_express &&
            set_out(call, packet, parts_of(call, node, packet)))
            continue;
        asks_again |= !may_inject || made != MACHINE_NONE;
    }
    model->node[node].may_inject = asks_again;
}

/* ---- links ---- */

static bool asks_for(const struct reference *model, uint32_t packet, enum direction d)
{
    unsigned wanted = model->packet[packet].wanted;
    return (wanted & LINK_PART[d]) && (model->config.copy_is_free || parts_count(wanted) == 1);
}

/* The virtual channel in which a packet goes on over link d. */
static unsigned channel_ahead(const struct channelling *call, uint32_t packet, enum direction d)
{
    unsigned class = call->model->packet[packet].class;
    return 4 * (direction_is_vertical(d) ? class : class_in_row(call, class)) + d;
}

/* The source to which link d is granted, or SOURCES: of the class that has priority in this step if it may
 * have any, straight on before turning, then the lowest. `first` are the packets that ask. */
static unsigned arbitrate(const struct channelling *call, node_index node, enum direction d,
                          const uint32_t first[SOURCES])
{
    const struct reference *model = call->model;
    unsigned granted = SOURCES, best = 0, priority = (model->counts.steps + 1) % 2;
    for (unsigned s = 0; s < SOURCES; s++) {
        if (first[s] == MACHINE_NONE || !asks_for(model, first[s], d))
            continue;
        node_index ahead = model_neighbour(model, node, d);
        bool is_free = reference_first(model, ahead, ARRIVING + d) == MACHINE_NONE;
        bool has_credit = !model->node[ahead].full[channel_ahead(call, first[s], d)];
        bool goes_straight = s < REFERENCE_CHANNELS && s % 4 == d;
        unsigned rank = 1 + 2 * (model->packet[first[s]].class == priority) + goes_straight;
        if (!is_free || !has_credit || rank <= best)
            continue;
        granted = s;
        best = rank;
    }
    return granted;
}

/* The packet, or a copy of it that carries the part, crosses link d. */
static void send(const struct channelling *call, uint32_t packet, enum direction d)
{
    struct reference *model = call->model;
    struct reference_packet *p = &model->packet[packet];
    unsigned left = p->wanted & ~(unsigned)LINK_PART[d];
    unsigned class = channel_ahead(call, packet, d) / 4;
    uint32_t leaves = packet;
    if (left != 0) {
        leaves = take(call, packet, LINK_PART[d]);
        model_copy(model, packet, leaves, INJECTION);
        ask_for_stop(call, leaves, LINK_PART[d]);
        ask_for_stop(call, packet, left); /* what is left competes in its class as before */
    }
    model->packet[leaves].class = class;
    model_cross(model, leaves, model_neighbour(model, model->packet[leaves].node, d), ARRIVING + d);
}

/* Unit copies: the node makes one, for the lowest source that wants several parts and finds its register
 * empty. Returns which. */
static unsigned copy_for_one(const struct channelling *call, node_index node,
                             const uint32_t first[SOURCES])
{
    struct reference *model = call->model;
    for (unsigned s = 0; s < SOURCES; s++) {
        uint32_t packet = first[s];
        unsigned wanted = packet == MACHINE_NONE ? 0 : model->packet[packet].wanted;
        if (parts_count(wanted) < 2)
            continue;
        /* a channel's packet hands on what turns off, and goes straight on itself */
        unsigned turning = s < REFERENCE_CHANNELS ? wanted & ~(unsigned)LINK_PART[s % 4] : wanted;
        enum part part = parts_first(turning);
        bool to_row = part == PART_WEST || part == PART_EAST;
        enum reference_place into = s == INJECTED ? REGISTER_INJECTED
                                    : to_row      ? REGISTER
                                                  : REGISTER_VERTICAL;
        if (part != PART_HERE && reference_first(model, node, into) != MACHINE_NONE)
            continue;
        uint32_t taken = take(call, packet, part);
        if (part == PART_HERE) {
            model_deliver(model, packet, taken);
        } else {
            model_copy(model, packet, taken, into);
            wait_for(call, taken, part);
        }
        wait_for(call, packet, wanted & ~(unsigned)part);
        return s;
    }
    return SOURCES;
}

/* A packet of which nothing has left in this step may change to the other class: the injected one anywhere;
 * of class 0 along an even column, and of class 1 along a row at an odd column. These must stay whole. */
static void switch_class(const struct channelling *call, node_index node, unsigned source,
                         uint32_t packet)
{
    struct reference *model = call->model;
    const struct channel_rule *rule = call->rule;
    struct site site = reference_site(model, node);
    bool is_vertical = source == NORTH || source == SOUTH, is_injected = source == INJECTED;
    bool is_along_row = source == 4 + WEST || source == 4 + EAST;
    bool may = is_injected || (rule->channels != CHANNELS_SHARED &&
                               (site.col % 2 == 0 ? is_vertical : is_along_row));
    if (!may || (!is_injected && parts_count(model->packet[packet].wanted) > 1))
        return;
    rule->switch_class(rule->routing.context, site, packet);
    unsigned parts = parts_of(call, node, packet);
    if (!is_injected && parts_count(parts) > 1)
        rule->switch_class(rule->routing.context, site, packet);
    else
        wait_for(call, packet, parts);
}

static void depart(const struct channelling *call, node_index node)
{
    struct reference *model = call->model;
    const struct channel_rule *rule = call->rule;
    unsigned granted[DIRECTIONS];
    uint32_t packet, first[SOURCES]; /* what may act: who comes first later does not in this step */
    if (model->node[node].may_inject)
        wake_node(call, node);
    bool is_fresh = has_copied(model, node);
    for (enum direction d = 0; d < DIRECTIONS; d++)
        if ((packet = model_most_urgent(model, node, EXPRESS_QUEUE + d)) != MACHINE_NONE)
            model_cross(model, packet, model_neighbour(model, node, d), ARRIVING + d);
    for (unsigned s = 0; s < SOURCES; s++)
        first[s] = reference_first(model, node, INPUT_BUFFER + s);
    if (is_fresh) /* what was just copied into the slot */
        first[INJECTED] = MACHINE_NONE;
    for (enum direction d = 0; d < DIRECTIONS; d++)
        granted[d] = arbitrate(call, node, d, first);
    for (enum direction d = 0; d < DIRECTIONS; d++)
        if (granted[d] != SOURCES)
            send(call, first[granted[d]], d);
    unsigned copied = SOURCES;
    if (!model->config.copy_is_free && !is_fresh)
        copied = copy_for_one(call, node, first);
    bool may_switch =
        rule->switch_class != NULL &&
        (rule->switch_every == 0 || (model->counts.steps - 1) % rule->switch_every == 0);
    for (unsigned s = 0; s < SOURCES && may_switch; s++) {
        bool has_acted = s == copied;
        for (enum direction d = 0; d < DIRECTIONS; d++)
            has_acted |= s == granted[d];
        if (first[s] != MACHINE_NONE && !has_acted)
            switch_class(call, node, s, first[s]);
    }
}

static void arrive(const struct channelling *call, node_index node)
{
    struct reference *model = call->model;
    struct site site = reference_site(model, node);
    for (enum direction d = 0; d < DIRECTIONS; d++) {
        uint32_t packet = reference_first(model, node, ARRIVING + d);
        if (packet == MACHINE_NONE)
            continue;
        struct reference_packet *p = &model->packet[packet];
        bool is_express = p->class == CHANNEL_EXPRESS;
        bool is_at_stop = p->stop == (direction_is_vertical(d) ? site.row : site.col);
        enum reference_place straight_on =
            is_express ? EXPRESS_QUEUE + d : INPUT_BUFFER + 4 * p->class + d;
        if (is_at_stop && !is_express) {
            settle(call, packet, straight_on);
            continue;
        }
        model_move(model, packet, is_at_stop ? RESTING : straight_on);
        if (is_at_stop) {
            p->urgency = 0;
            model->node[node].may_inject = true;
        }
    }
}

/* The credits for the next step. A channel is full when its own slots are taken, unless a free spare slot is
 * set apart for its link: one for each link with a full channel, in rotation. */
static void note_full(const struct channelling *call, node_index node)
{
    const struct reference *model = call->model;
    bool *full = model->node[node].full;
    uint32_t spare = call->rule->spare, taken = 0;
    for (unsigned c = 0; c < REFERENCE_CHANNELS; c++) {
        uint32_t count = model_count(model, node, INPUT_BUFFER + c);
        full[c] = count >= call->rule->slots;
        taken += full[c] ? count - call->rule->slots : 0;
    }
    for (unsigned i = 0; i < DIRECTIONS; i++) {
        unsigned d = (unsigned)(model->counts.steps - 1 + i) % DIRECTIONS;
        if (taken >= spare || !(full[d] || full[4 + d]))
            continue;
        full[d] = full[4 + d] = false;
        taken++;
    }
}

enum failure_kind reference_channel(struct reference *model, const struct channel_rule *rule,
                                    bool wakes, uint64_t limit, struct failure *failure)
{
    struct channelling call = {model, rule, wakes};
    enum failure_kind kind = model_judge(model, failure);
    if (reference_steps_left(model) == 0)
        return FAIL_VOID;
    for (node_index node = 0; node < model->nodes; node++)
        model->node[node].may_inject = true;
    for (; kind == FAIL_NONE && limit > 0; limit--) {
        if (reference_travelling(model) == 0 && reference_resting(model) == 0)
            break;
        model_advance(model, 1);
        for (node_index node = 0; node < model->nodes; node++)
            depart(&call, node);
        for (node_index node = 0; node < model->nodes; node++)
            arrive(&call, node);
        for (node_index node = 0; node < model->nodes; node++)
            note_full(&call, node);
        kind = model_end_bounded_step(model, failure);
        call.wakes = false;
    }
    return kind;
}

void reference_channel_halt(struct reference *model)
{
    uint32_t packet;
    for (node_index node = 0; node < model->nodes; node++) {
        for (unsigned s = 0; s < SOURCES; s++)
            while ((packet = reference_first(model, node, INPUT_BUFFER + s)) != MACHINE_NONE)
                model_move(model, packet, RESTING);
        memset(model->node[node].full, 0, sizeof model->node[node].full);
    }
}
