/* network_move.c - flits leave their buffers.
 *
 * Whether a flit may move is decided by what its band knew at the beginning of the cycle: flits that enter and slots
 * that become free in this cycle are told by mail, which is read when all have moved. What is given back at the
 * node itself is free at once, since this cycle's grants are over.
 *
 * With one virtual channel a link has one owner, and a flit that may move does. With several, parts bid for
 * their links first; then parts that need several links at once choose, then each link takes its
 * winner. A part that has moved or bid is a mover of the next cycle, too; one that could not sleeps.
 */
#include "network/network_pass_private.h"

/* ---- mail to other bands ---- */

/* Bands are rows, so the other one is not far. */
struct mail *mail_to_other_node(struct band *band, uint32_t node)
{
    const struct band *to = band;
    while (node < to->first)
        to--;
    while (node >= to->end)
        to++;
    return mail_out(band, to);
}

struct mail *mail_to_other_channel(struct band *band, uint32_t channel)
{
    const struct band *to = band;
    while (channel < to->first_record)
        to--;
    while (channel >= to->end_record)
        to++;
    return mail_out(band, to);
}

/* ---- a flit over one output ---- */

void serve_destination(struct band *band, const struct part *part)
{
    struct message *message = part->message;
    struct stop_copy *stop = &message->stop[part->stop];
    band->is_broken |= stop->is_served || part->in != part->flits;
    stop->is_served = 1;
    band->counts.deliveries++;
    band->counts.last_delivery = band->cycle + 1;
    for (uint32_t worm = stop->sends; worm != NONE; worm = message->worm[worm].other)
        schedule(band, band->cycle + 1,
                 (struct event){.of.sending = &message->worm[worm], .kind = EVENT_READY});
    if (atomic_fetch_sub_explicit(&message->left, 1, memory_order_acq_rel) == 1) {
        band->counts.done++;
        band_keep(band,
                  finished_push(&band->finished, (struct finished){message, band->cycle + 1}));
    }
}

void pass_consumption(struct band *band, struct part *part, struct output *output)
{
    struct node *node = &band->network->node[part->node];
    if (band->network->observation != NULL)
        observe_consumption(band, part, output->channel, output->moved == 0);
    band->work++;
    if (++output->moved < part->flits)
        return;
    serve_destination(band, part);
    node->free_consumption |= UINT64_C(1) << output->channel;
    band->counts.taken--;
    if (node->is_asked_to_consume) {
        node->is_consumption_pending = true;
        touch(band, part->node);
    }
}

/* ---- lockstep: over all outputs or none ---- */

static uint32_t move_together(struct band *band, uint32_t id)
{
    struct part *part = &band->part[id];
    struct output *output = part_outputs(part);
    for (uint32_t i = 0; i < part->outputs; i++) {
        if (output[i].stop == NONE)
            pass_consumption(band, part, &output[i]);
        else
            pass_channel(band, part, &output[i]);
    }
    part->has_moved = band->network->follows;
    uint32_t follower = part_leave(band, id);
    if (part->message != NULL && band->network->vcs == 1)
        list_next(band, id);
    return follower;
}

/* Returns a part that may follow. */
static uint32_t advance_together(struct band *band, uint32_t id)
{
    struct network *network = band->network;
    struct part *part = &band->part[id];
    if (part->has_moved)
        return NONE;
    part->is_listed = false;
    if (part->lacking != 0 || part->out == part->in)
        return NONE;
    const struct output *output = part_outputs(part);
    uint32_t links = 0, channel = NONE;
    for (uint32_t i = 0; i < part->outputs; i++) {
        if (output[i].stop == NONE)
            continue;
        if (channel_at(network, output[i].channel)->used >= network->depth)
            return NONE;
        if (is_link_channel(network, output[i].channel)) {
            channel = output[i].channel;
            links++;
        }
    }
    part->is_listed = network->vcs > 1;
    if (network->vcs == 1 || links == 0)
        return move_together(band, id);
    if (links == 1)
        bid(band, channel);
    else
        band_keep(band, index_push(&band->wide, id));
    return NONE;
}

/* A part moves, then those that follow it. */
static void advance_in_turn(struct band *band, uint32_t id)
{
    while (id != NONE)
        id = advance_together(band, id);
}

/* ---- each output by itself ---- */

/* Of outputs that go one after the other, the next one's turn comes when the tail has gone. */
static void settle(struct band *band, uint32_t id)
{
    struct part *part = &band->part[id];
    struct output *output = part_outputs(part);
    uint32_t least = part->flits;
    for (uint32_t i = 0; i < part->outputs; i++) {
        if (output[i].moved < least)
            least = output[i].moved;
        if (output[i].channel == LATER && output[i - 1].moved == part->flits) {
            output[i].channel = LACKING;
            schedule(band, band->cycle + 1, (struct event){.of.ask = {id, i}, .kind = EVENT_CHILD});
        }
    }
    if (least > part->out)
        part_leave(band, id);
}

static void advance_each(struct band *band, uint32_t id)
{
    struct network *network = band->network;
    struct part *part = &band->part[id];
    struct output *output = part_outputs(part);
    bool has_acted = false;
    for (uint32_t i = 0; i < part->outputs; i++) {
        if (output[i].channel >= LATER || output[i].moved == part->in)
            continue;
        if (output[i].stop == NONE) {
            pass_consumption(band, part, &output[i]);
        } else {
            if (channel_at(network, output[i].channel)->used >= network->depth)
                continue;
            if (network->vcs > 1 && is_link_channel(network, output[i].channel))
                bid(band, output[i].channel);
            else
                pass_channel(band, part, &output[i]);
        }
        has_acted = true;
    }
    part->is_listed = has_acted && network->vcs > 1;
    settle(band, id);
    if (has_acted && part->message != NULL && network->vcs == 1)
        list_next(band, id);
}

/* ---- several virtual channels ---- */

static int compare_wide(const struct part *one, const struct part *other)
{
    return part_precedes(one, other) ? -1 : 1;
}

/* Insertion: such worms are few. */
static void sort_wide(struct band *band)
{
    uint32_t *wide = band->wide.item;
    for (uint32_t i = 1; i < band->wide.count; i++) {
        uint32_t id = wide[i], place = i;
        for (; place > 0 && compare_wide(&band->part[id], &band->part[wide[place - 1]]) < 0;
             place--)
            wide[place] = wide[place - 1];
        wide[place] = id;
    }
}

/* Two branches over one link never can: it passes one flit a cycle. */
static bool can_take_links(const struct network *network, uint32_t outputs,
                           const struct output *output)
{
    for (uint32_t i = 0; i < outputs; i++) {
        if (output[i].stop == NONE)
            continue;
        uint32_t link = channel_link(network, output[i].channel);
        if (link_at(network, link)->is_taken)
            return false;
        for (uint32_t j = 0; j < i; j++)
            if (output[j].stop != NONE && channel_link(network, output[j].channel) == link)
                return false;
    }
    return true;
}

/* Parts that need several links take all of them or none. */
static void choose_wide(struct band *band)
{
    struct network *network = band->network;
    sort_wide(band);
    for (uint32_t w = 0; w < band->wide.count; w++) {
        uint32_t id = band->wide.item[w];
        const struct part *part = &band->part[id];
        const struct output *output = part_outputs(&band->part[id]);
        bool is_possible = can_take_links(network, part->outputs, output);
        for (uint32_t i = 0; i < part->outputs && is_possible; i++) {
            if (output[i].stop == NONE)
                continue;
            uint32_t number = channel_link(network, output[i].channel);
            uint32_t vc = output[i].channel - number - 1;
            struct link *link = link_at(network, number);
            if (link->ready == 0)
                band_keep(band, index_push(&band->contested, number));
            link->ready |= UINT64_C(1) << vc;
            link->is_taken = true;
            link->pointer = (uint8_t)((vc + 1) % network->vcs);
        }
        if (is_possible)
            move_together(band, id);
    }
    band->wide.count = 0;
}

static void pass_granted(struct band *band, uint32_t channel)
{
    uint32_t id = channel_at(band->network, channel)->owner;
    struct part *part = &band->part[id];
    if (band->network->is_lockstep) {
        move_together(band, id);
        return;
    }
    pass_channel(band, part, output_over(part, channel));
    settle(band, id);
}

/* Round robin among the virtual channels of each link that would send. */
static void arbitrate(struct band *band)
{
    struct network *network = band->network;
    choose_wide(band);
    for (uint32_t i = 0; i < band->contested.count; i++) {
        uint32_t number = band->contested.item[i];
        struct link *link = link_at(network, number);
        uint64_t behind = link->ready & UINT64_MAX << link->pointer;
        uint32_t vc = (uint32_t)__builtin_ctzll(behind != 0 ? behind : link->ready);
        bool is_taken = link->is_taken;
        link->ready = 0;
        link->is_taken = false;
        if (is_taken)
            continue;
        link->pointer = (uint8_t)((vc + 1) % network->vcs);
        pass_granted(band, number + 1 + vc);
    }
    band->contested.count = 0;
    for (uint32_t i = 0; i < band->movers.count; i++) {
        uint32_t id = band->movers.item[i];
        if (band->part[id].is_listed)
            band_keep(band, index_push(&band->next_movers, id));
    }
}

/* ---- the cycle ---- */

static void swap_movers(struct band *band)
{
    struct index_list moved = band->movers;
    band->movers = band->next_movers;
    band->next_movers = moved;
    band->next_movers.count = 0;
    if (band->network->follows)
        for (uint32_t i = 0; i < band->movers.count; i++)
            band->part[band->movers.item[i]].has_moved = false;
}

enum { FETCH_PART = 8, FETCH_CHANNELS = 4 };

static void fetch(struct band *band, uint32_t i)
{
    const struct index_list *movers = &band->movers;
    if (i + FETCH_PART < movers->count)
        __builtin_prefetch(&band->part[movers->item[i + FETCH_PART]], 1);
    if (i + FETCH_CHANNELS >= movers->count)
        return;
    struct part *part = &band->part[movers->item[i + FETCH_CHANNELS]];
    if (!part->is_feeder)
        __builtin_prefetch(channel_at(band->network, part->inlet), 1);
    if (part->outputs == 1 && part->way.one.stop != NONE)
        __builtin_prefetch(channel_at(band->network, part->way.one.channel), 1);
}

void band_advance(struct band *band, uint32_t first)
{
    bool is_lockstep = band->network->is_lockstep, follows = band->network->follows;
    bool fetches = band->network->fetches;
    for (uint32_t i = first; i < band->movers.count; i++) {
        uint32_t id = band->movers.item[i];
        if (fetches)
            fetch(band, i);
        if (band->part[id].outputs == 1 && !follows)
            advance_one(band, id);
        else if (!is_lockstep)
            advance_each(band, id);
        else
            advance_in_turn(band, id);
    }
    if (band->network->vcs == 1)
        band->movers.count = first;
}

void band_move(struct band *band)
{
    band_advance(band, 0);
    if (band->network->vcs > 1)
        arbitrate(band);
    swap_movers(band);
}
