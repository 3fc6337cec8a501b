/* network_eject.c - flits leave the network at their destinations. */
#include "network/network_private.h"

static void serve_destination(struct band *band, struct message *message, struct stop_copy *stop)
{
    band->is_broken |= stop->is_served;
    stop->is_served = 1;
    band->counts.deliveries++;
    band->counts.last_delivery = band->cycle + 1;
    if (message->is_awaited)
        band_keep(band,
                  LIST_PUSH(&band->receipts, (struct network_receipt){message->number, stop->node,
                                                                      band->cycle + 1}));
    for (uint32_t worm = stop->sends; worm != NONE; worm = message->worm[worm].other)
        schedule(band, band->cycle + 1,
                 (struct event){.of.worm = &message->worm[worm], .kind = EVENT_READY});
    if (atomic_fetch_sub_explicit(&message->left, 1, memory_order_acq_rel) == 1) {
        band->counts.done++;
        band_keep(band, LIST_PUSH(&band->finished, (struct finished){message, band->cycle + 1}));
    }
}

void eject_tail(struct band *band, uint32_t place, struct message *message, uint32_t stop,
                uint32_t channel)
{
    struct node *node = &band->network->node[place];
    serve_destination(band, message, &message->stop[stop]);
    node->free_ejection |= UINT64_C(1) << channel;
    if (node->is_ejection_asked) {
        node->is_ejection_released = true;
        activate(band, place);
    }
}

void eject_flit(struct band *band, struct segment *segment, struct output *output)
{
    if (band->network->observation != NULL)
        observe_ejection(band, segment->node, segment->message, segment->stop, output->channel,
                         output->moved == 0);
    band->work++;
    if (++output->moved < segment->flits)
        return;
    band->is_broken |= segment->in != segment->flits;
    band->counts.taken--;
    eject_tail(band, segment->node, segment->message, segment->stop, output->channel);
}
