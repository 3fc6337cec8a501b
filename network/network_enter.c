/* network_enter.c - what moved in a cycle enters the next buffers; slots that became free are free.
 *
 * Each band reads the mail of all bands. A lane brings one flit a cycle, so the order does not matter.
 */
#include "network/network_steps_private.h"

static void enter_credit(struct band *band, uint32_t credit)
{
    struct network *network = band->network;
    uint32_t number = credit & ~CREDIT_RELEASES;
    struct lane *lane = &network->lane[number];
    lane->used--;
    if (lane->owner != NONE) {
        struct part *part = &band->part[lane->owner];
        if (part->out < part->in && (part->lacking == 0 || !network->is_lockstep))
            list_mover(band, lane->owner);
    }
    if (!is_link_lane(network, number))
        return;
    uint32_t link = lane_link(network, number);
    const struct queue *asks = &network->link[link].asks;
    if (credit != number) {
        network->link[link].free |= UINT64_C(1) << (number - link * network->vcs);
        band->counts.taken--;
    }
    /* Under cut-through a free channel may have room now */
    if (asks->first != NONE && (credit != number || network->is_cut_through))
        link_pend(band, band->part[band->ask[asks->first].part].node, link);
}

/* The whole header's message is there, or need not be. */
static void came(struct band *band, uint32_t id)
{
    ask_at(band, id, band->cycle + 1 + band->network->delay, band->cycle + 1);
}

static void enter_head(struct band *band, struct head head)
{
    struct network *network = band->network;
    uint32_t id = part_make(band), node = network->lane[head.lane].to;
    if (id == NONE)
        return;
    struct inlet *inlet = &network->inlet[head.lane];
    band->part[id] = (struct part){.message = head.message,
                                   .since = band->cycle + 1,
                                   .flits = head.message->flits,
                                   .in = 1,
                                   .inlet = head.lane,
                                   .node = node,
                                   .stop = head.stop,
                                   .next = NONE,
                                   .lacking = 1};
    uint32_t peak = ++inlet->flits;
    bool is_counted = is_link_lane(network, head.lane);
    uint32_t before = inlet->last;
    inlet->last = id;
    if (network->is_stored) {
        peak = ++network->node[node].held;
        is_counted = true;
        if (network->settings.buffer > 0 && peak > network->settings.buffer &&
            node < band->overflow)
            band->overflow = node;
        if (head.message->flits == 1)
            came(band, id);
    } else if (before == NONE) {
        inlet->first = id;
        came(band, id);
    } else {
        band->part[before].next = id;
    }
    if (is_counted && band->counts.buffer_peak < peak)
        band->counts.buffer_peak = peak;
}

static void enter_body(struct band *band, uint32_t lane)
{
    struct network *network = band->network;
    struct inlet *inlet = &network->inlet[lane];
    struct part *part = &band->part[inlet->last];
    part->in++;
    inlet->flits++;
    band->is_broken |= part->in > part->flits;
    if (network->is_stored) {
        if (part->in == part->flits)
            came(band, inlet->last);
        return;
    }
    if (is_link_lane(network, lane) && band->counts.buffer_peak < inlet->flits)
        band->counts.buffer_peak = inlet->flits;
    if (part->has_asked && (part->lacking == 0 || !network->is_lockstep))
        list_mover(band, inlet->last);
}

void band_enter(struct band *band)
{
    struct network *network = band->network;
    uint32_t self = (uint32_t)(band - network->band);
    for (uint32_t from = 0; from < network->bands; from++) {
        struct mail *mail = &network->band[from].mail[band->cycle & 1][self];
        for (uint32_t i = 0; i < mail->credits.count; i++)
            enter_credit(band, mail->credits.item[i]);
        for (uint32_t i = 0; i < mail->heads.count; i++)
            enter_head(band, mail->heads.item[i]);
        for (uint32_t i = 0; i < mail->bodies.count; i++)
            enter_body(band, mail->bodies.item[i]);
        mail->credits.count = mail->heads.count = mail->bodies.count = 0;
    }
}
