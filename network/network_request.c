/* network_request.c - requests that wait, and their queues.
 *
 * A queue stands in the order of service. Most requests join the end, since they have asked for the shortest
 * time; one that asks again, for its next child, joins where its age says.
 */
#include "network/network_steps_private.h"

static uint32_t request_make(struct band *band)
{
    uint32_t id = band->free_request;
    if (id != NONE) {
        band->free_request = band->request[id].next;
    } else {
        if (band->requests == band->requests_allocated) {
            void *more = list_grow(band->request, &band->requests_allocated, sizeof *band->request);
            if (more == NULL) {
                band->is_out_of_memory = true;
                return NONE;
            }
            band->request = more;
        }
        id = band->requests++;
    }
    return id;
}

static void request_free(struct band *band, uint32_t id)
{
    band->request[id].next = band->free_request;
    band->free_request = id;
}

static struct queue *queue_of(struct network *network, const struct request *request, uint32_t node)
{
    return request->link == NONE ? &network->sender[node].requests
                                 : &link_at(network, request->link)->requests;
}

static int compare(const struct request *one, const struct request *other)
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

int request_compare(const void *one, const void *other)
{
    return compare(one, other);
}

/* Adds a request to the queue of a link, NONE: of consumption. */
void request_join(struct band *band, uint32_t id, uint32_t index, uint32_t link)
{
    uint32_t a = request_make(band);
    if (a == NONE)
        return;
    struct part *part = &band->part[id];
    struct output *output = &part_outputs(part)[index];
    struct request *request = &band->request[a];
    *request = (struct request){.since = part->since,
                                .message = part->message->number,
                                .worm = part_worm(part),
                                .stop = part->stop,
                                .part = id,
                                .output = index,
                                .link = link,
                                .sibling = output->requests};
    output->requests = a;
    struct queue *queue = queue_of(band->network, request, part->node);
    uint32_t before = queue->last;
    while (before != NONE && compare(request, &band->request[before]) < 0)
        before = band->request[before].before;
    request->before = before;
    request->next = before != NONE ? band->request[before].next : queue->first;
    *(before != NONE ? &band->request[before].next : &queue->first) = a;
    *(request->next != NONE ? &band->request[request->next].before : &queue->last) = a;
}

/* Takes the requests for an output out of their queues. */
void request_leave(struct band *band, uint32_t node, struct output *output)
{
    while (output->requests != NONE) {
        uint32_t a = output->requests;
        struct request *request = &band->request[a];
        struct queue *queue = queue_of(band->network, request, node);
        *(request->before != NONE ? &band->request[request->before].next : &queue->first) =
            request->next;
        *(request->next != NONE ? &band->request[request->next].before : &queue->last) =
            request->before;
        output->requests = request->sibling;
        request_free(band, a);
    }
}
