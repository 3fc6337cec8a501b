/* reference_forward.c - the golden model of machine_forward: packets through unbounded queues, one a link.
 *
 * In a step the first packet of each queue crosses its link; at the other end it is at its stop, where
 * the rule says what becomes of it, or it joins the queue straight ahead.
 */
#include "test/reference/reference_private.h"

/* The packet does its only part. */
static void finish(struct reference *model, const struct routing_rule *rule, uint32_t packet,
                   enum part part)
{
    struct reference_packet *p = &model->packet[packet];
    struct site site = reference_site(model, p->node);
    if (part & PART_LINKS) {
        enum direction d = part_link(part);
        p->stop = rule->stop(rule->context, site, packet, d);
        p->urgency = rule->urgency ? rule->urgency(rule->context, site, packet, d) : 0;
        model_move(model, packet, LINK_QUEUE + d);
    } else if (part == PART_PARK) {
        model_move(model, packet, RESTING);
    } else if (part == PART_HERE) {
        model_deliver(model, packet, packet);
    } else {
        model_discard(model, packet);
    }
}

/* Makes one copy for the first of several parts; returns the parts that are left. */
static unsigned copy_once(struct reference *model, const struct routing_rule *rule, uint32_t packet,
                          unsigned parts)
{
    struct site site = reference_site(model, model->packet[packet].node);
    enum part part = parts_first(parts);
    uint32_t taken = rule->take(rule->context, site, packet, part);
    if (part == PART_HERE) {
        model_deliver(model, packet, taken);
    } else {
        model_copy(model, packet, taken, COPYING);
        model->packet[taken].urgency = 0;
        finish(model, rule, taken, part);
    }
    return rule->parts(rule->context, site, packet);
}

/* The packet is at a stop. */
static void settle(struct reference *model, const struct routing_rule *rule, uint32_t packet)
{
    struct site site = reference_site(model, model->packet[packet].node);
    unsigned parts = rule->parts(rule->context, site, packet);
    model->packet[packet].urgency = 0;
    while (model->config.copy_is_free && parts_count(parts) > 1)
        parts = copy_once(model, rule, packet, parts);
    if (parts_count(parts) > 1)
        model_move(model, packet, COPYING);
    else
        finish(model, rule, packet, parts);
}

/* Unit copies: the node makes one, for the packet that waits longest. */
static void copy_for_first(struct reference *model, const struct routing_rule *rule,
                           node_index node)
{
    uint32_t packet = reference_first(model, node, COPYING);
    if (packet == MACHINE_NONE)
        return;
    unsigned parts = rule->parts(rule->context, reference_site(model, node), packet);
    bool copies = parts_count(parts) > 1;
    if (copies)
        parts = copy_once(model, rule, packet, parts);
    /* a packet that was copied in this step does not end in it */
    if (parts_count(parts) == 1 && !(copies && parts == PART_HERE))
        finish(model, rule, packet, parts);
}

static void wake(struct reference *model, const struct routing_rule *rule, node_index node)
{
    uint32_t packet;
    while ((packet = reference_first(model, node, RESTING)) != MACHINE_NONE)
        model_move(model, packet, WAKING);
    while ((packet = reference_first(model, node, WAKING)) != MACHINE_NONE)
        settle(model, rule, packet);
}

static bool is_at_stop(const struct reference *model, uint32_t packet, enum direction d)
{
    struct site site = reference_site(model, model->packet[packet].node);
    return model->packet[packet].stop == (direction_is_vertical(d) ? site.row : site.col);
}

static void forward_step(struct reference *model, const struct routing_rule *rule, bool wakes)
{
    node_index nodes = model->nodes, first, end, node;
    uint32_t packet;
    for (first = 0; first < nodes; first = end) {
        end = model_stretch_end(model, first);
        for (node = first; wakes && first % model->config.mesh.cols == 0 &&
                           node < first + model->config.mesh.cols;
             node++)
            wake(model, rule, node);
        for (node = first; node < end; node++)
            for (enum direction d = 0; d < DIRECTIONS; d++)
                if ((packet = model_most_urgent(model, node, LINK_QUEUE + d)) != MACHINE_NONE)
                    model_cross(model, packet, model_neighbour(model, node, d), ARRIVING + d);
        for (node = first; node < end; node++)
            copy_for_first(model, rule, node);
    }
    for (first = 0; first < nodes; first = end) {
        end = model_stretch_end(model, first);
        for (enum direction d = 0; d < DIRECTIONS; d++)
            for (node = first; node < end; node++) {
                if ((packet = reference_first(model, node, ARRIVING + d)) == MACHINE_NONE)
                    continue;
                if (is_at_stop(model, packet, d))
                    settle(model, rule, packet);
                else
                    model_move(model, packet, LINK_QUEUE + d);
            }
    }
}

enum failure_kind reference_forward(struct reference *model, const struct routing_rule *rule,
                                    bool wakes, uint64_t limit, struct failure *failure)
{
    enum failure_kind kind = model_judge(model, failure);
    if (reference_steps_left(model) == 0)
        return FAIL_VOID;
    uint32_t aside = 0;
    for (node_index node = 0; node < model->nodes; node++) {
        uint32_t count = 0;
        for (unsigned level = 0; level < model->aside_levels; level++)
            count += model_count(model, node, ASIDE + level);
        aside = count > aside ? count : aside;
    }
    model->proven_capacity = rule->capacity > 0 ? rule->capacity + aside : 0;
    for (; kind == FAIL_NONE && limit > 0; limit--) {
        if (reference_travelling(model) == 0 && !(wakes && reference_resting(model) > 0))
            break;
        model_advance(model, 1);
        forward_step(model, rule, wakes);
        kind = model_end_bounded_step(model, failure);
        wakes = false;
    }
    model->proven_capacity = 0;
    return kind;
}
