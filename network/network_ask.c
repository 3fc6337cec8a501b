/* network_ask.c - requests that wait, and their queues.
 *
 * A queue stands in the order of service. Most requests join the end, since they have asked for the shortest
 * time; one that asks again, for its next child, joins where its age says.
 */
#include "network/network_steps_private.h"

static uint32_t ask_make(struct band *band)
{
    uint32_t id = band->free_ask;
    if (id != NONE) {
        band->free_ask = band->ask[id].next;
    } else {
        if (band->asks == band->asks_room) {
            void *more = list_grow(band->ask, &band->asks_room, sizeof *band->ask);
            if (more == NULL) {
                band->is_out_of_memory = true;
                return NONE;
            }
            band->ask = more;
        }
        id = band->asks++;
    }
    return id;
}

static void ask_free(struct band *band, uint32_t id)
{
    band->ask[id].next = band->free_ask;
    band->free_ask = id;
}

static struct queue *queue_of(struct network *network, const struct ask *ask, uint32_t node)
{
    return ask->link == NONE ? &network->sender[node].asks : &link_at(network, ask->link)->asks;
}

static int compare(const struct ask *one, const struct ask *other)
{
    if (one->since != other->since)
        return one->since < other->since ? -1 : 1;
    if (one->message != other->message)
        return one->message < other->message ? -1 : 1;
    if (one->worm != other->worm)
        return one->worm < other->worm ? -1 : 1;
    if (one->stop != other->stop)
        return one->stop < other->stop ? -1 : 1;
    return one->output < other->output ? -1 : one->output > other->output;
}

int ask_compare(const void *one, const void *other)
{
    return compare(one, other);
}

/* Adds a request to the queue of a link, NONE: of consumption. */
void ask_join(struct band *band, uint32_t id, uint32_t index, uint32_t link)
{
    uint32_t a = ask_make(band);
    if (a == NONE)
        return;
    struct part *part = &band->part[id];
    struct output *output = &part_outputs(part)[index];
    struct ask *ask = &band->ask[a];
    *ask = (struct ask){.since = part->since,
                        .message = part->message->number,
                        .worm = part_worm(part),
                        .stop = part->stop,
                        .part = id,
                        .output = index,
                        .link = link,
                        .sibling = output->asks};
    output->asks = a;
    struct queue *queue = queue_of(band->network, ask, part->node);
    uint32_t before = queue->last;
    while (before != NONE && compare(ask, &band->ask[before]) < 0)
        before = band->ask[before].before;
    ask->before = before;
    ask->next = before != NONE ? band->ask[before].next : queue->first;
    *(before != NONE ? &band->ask[before].next : &queue->first) = a;
    *(ask->next != NONE ? &band->ask[ask->next].before : &queue->last) = a;
}

/* Takes the requests for an output out of their queues. */
void ask_leave(struct band *band, uint32_t node, struct output *output)
{
    while (output->asks != NONE) {
        uint32_t a = output->asks;
        struct ask *ask = &band->ask[a];
        struct queue *queue = queue_of(band->network, ask, node);
        *(ask->before != NONE ? &band->ask[ask->before].next : &queue->first) = ask->next;
        *(ask->next != NONE ? &band->ask[ask->next].before : &queue->last) = ask->before;
        output->asks = ask->sibling;
        ask_free(band, a);
    }
}
