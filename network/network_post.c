/* network_post.c - posting of messages, with copies of their plans.
 *
 * A copy lists for each destination the worms that it sends when it has the message, so that
 * nothing is looked up on the way.
 */
#include "network/network_private.h"

#include <string.h>

static enum failure_kind fault(struct failure *failure, const char *what)
{
    return fail(failure, FAIL_USAGE, "the plan of a message is not valid: %s", what);
}

/* Checks the assumptions of the stages. */
static enum failure_kind check_worm(const struct network *network, const struct plan *plan,
                                    uint32_t w, struct failure *failure)
{
    const struct worm *worm = &plan->worm[w];
    const struct stop *stop = plan->stop;
    uint32_t end = worm->first + worm->stops;
    if (worm->stops == 0 || stop[worm->first].span != worm->stops)
        return fault(failure, "a worm's stops are no tree");
    for (uint32_t s = worm->first; s < end; s++) {
        uint32_t children = 0;
        if (stop[s].span == 1 && !stop[s].is_destination)
            return fault(failure, "a worm ends at a node that is no destination");
        for (uint32_t child = s + 1; child < s + stop[s].span; child += stop[child].span) {
            children++;
            if (stop[child].node == stop[s].node)
                return fault(failure, "a worm stops twice at a node without leaving it");
        }
        if (children >= UINT16_MAX)
            return fault(failure, "a worm branches more than 65534 times at a node");
        if (children > 1 && network->switching == SWITCHING_CIRCUIT)
            return fail(failure, FAIL_USAGE, "circuit switching needs worms that do not branch");
        if (children > 1 && network->is_lockstep && network->settings.is_one_port)
            return fail(failure, FAIL_USAGE,
                        "under wormhole switching a worm that branches needs all ports");
    }
    return FAIL_NONE;
}

static enum failure_kind check_length(const struct network *network, uint64_t flits,
                                      struct failure *failure)
{
    if (flits < 1 || flits > NETWORK_MAX_FLITS)
        return fail(failure, FAIL_USAGE, "a message must have 1 to %d flits, not %llu",
                    (int)NETWORK_MAX_FLITS, (unsigned long long)flits);
    return check_cut_through(&network->settings, (uint32_t)flits, failure);
}

/* Returns the flits of a worm of a message, including those of a longer header. */
static uint64_t worm_flits(const struct network *network, uint32_t flits, const struct worm *worm)
{
    return flits + network_header_flits(&network->settings, network->topology->nodes, worm->stops);
}

static enum failure_kind check(const struct network *network, const struct multicast *multicast,
                               const struct plan *plan, struct failure *failure)
{
    if (check_length(network, multicast->flits, failure) != FAIL_NONE)
        return FAIL_USAGE;
    if (network->posted == UINT32_MAX)
        return fail(failure, FAIL_USAGE, "a network has at most 2^32 - 1 messages");
    for (uint32_t w = 0; w < plan->worms; w++)
        if (check_worm(network, plan, w, failure) != FAIL_NONE ||
            check_length(network, worm_flits(network, multicast->flits, &plan->worm[w]), failure) !=
                FAIL_NONE)
            return FAIL_USAGE;
    return FAIL_NONE;
}

/* Returns the bytes of the copies of stops, before the worms. */
static size_t stop_bytes(uint32_t stops)
{
    return (stops * sizeof(struct stop_copy) + _Alignof(struct queued_worm) - 1) /
           _Alignof(struct queued_worm) * _Alignof(struct queued_worm);
}

static size_t message_bytes(uint32_t stops, uint32_t worms)
{
    return sizeof(struct message) + stop_bytes(stops) + worms * sizeof(struct queued_worm);
}

static struct message *message_make(struct network *network, uint32_t stops, uint32_t worms)
{
    size_t bytes = message_bytes(stops, worms);
    struct message *message = block_take(&network->blocks, bytes);
    if (message == NULL)
        return NULL;
    memset(message, 0, sizeof *message);
    message->bytes = bytes;
    message->worms = worms & INT32_MAX;
    message->worm = (void *)((char *)message->stop + stop_bytes(stops));
    return message;
}

static void copy_plan(struct message *message, const struct plan *plan)
{
    uint32_t destinations = 0;
    for (uint32_t w = 0; w < plan->worms; w++) {
        const struct worm *worm = &plan->worm[w];
        message->worm[w] = (struct queued_worm){
            .message = message, .number = w, .sender = worm->sender, .stop = worm->first};
        for (uint32_t s = worm->first; s < worm->first + worm->stops; s++) {
            const struct stop *stop = &plan->stop[s];
            destinations += stop->is_destination;
            message->stop[s] = (struct stop_copy){.node = stop->node,
                                                  .span = stop->span,
                                                  .is_destination = stop->is_destination,
                                                  .class = stop->class,
                                                  .worm = w,
                                                  .sends = NONE};
        }
    }
    atomic_init(&message->left, destinations);
}

/* Puts the destinations of `message` into a table by their nodes: a list of places of stops, NONE:
 * none. */
static bool make_table(struct index_list *table, const struct message *message, uint32_t stops)
{
    table->count = 0;
    uint32_t size = 16;
    while (size < 2 * stops)
        size *= 2;
    for (uint32_t i = 0; i < size; i++)
        if (!LIST_PUSH(table, NONE))
            return false;
    for (uint32_t s = 0; s < stops; s++) {
        if (!message->stop[s].is_destination)
            continue;
        uint32_t place = message->stop[s].node & (size - 1);
        while (table->item[place] != NONE)
            place = (place + 1) & (size - 1);
        table->item[place] = s;
    }
    return true;
}

/* Returns the destination at a node, or NULL. */
static struct stop_copy *find(const struct index_list *table, struct message *message,
                              uint32_t node)
{
    uint32_t place = node & (table->count - 1);
    for (; table->item[place] != NONE; place = (place + 1) & (table->count - 1))
        if (message->stop[table->item[place]].node == node)
            return &message->stop[table->item[place]];
    return NULL;
}

/* Links the worms of each sender, in their order, to the event that makes them ready. */
static enum failure_kind link_worms(struct network *network, struct message *message,
                                    const struct plan *plan, struct failure *failure)
{
    bool has_table = false;
    message->sends = NONE;
    for (uint32_t w = plan->worms; w-- > 0;) {
        uint32_t *sends = &message->sends;
        if (plan->worm[w].sender != message->source) {
            if (!has_table && !make_table(&network->table, message, plan->stops))
                return fail_memory(failure, "the plan of a message");
            has_table = true;
            struct stop_copy *stop = find(&network->table, message, plan->worm[w].sender);
            if (stop == NULL)
                return fault(failure, "a sender does not get the message");
            sends = &stop->sends;
        }
        message->worm[w].other = *sends;
        *sends = w;
    }
    return FAIL_NONE;
}

enum failure_kind network_post(struct network *network, uint64_t cycle,
                               const struct multicast *multicast, const struct plan *plan,
                               struct failure *failure)
{
    const struct network_posting posting = {(uint32_t)network->posted, cycle, false};
    return network_post_as(network, &posting, multicast, plan, failure);
}

enum failure_kind network_post_as(struct network *network, const struct network_posting *posting,
                                  const struct multicast *multicast, const struct plan *plan,
                                  struct failure *failure)
{
    assert(posting->cycle >= network->cycle);
    enum failure_kind kind = check(network, multicast, plan, failure);
    if (kind != FAIL_NONE)
        return kind;
    struct message *message = message_make(network, plan->stops, plan->worms);
    if (message == NULL)
        return fail_memory(failure, "a message");
    message->created = posting->cycle;
    message->number = posting->number;
    message->is_awaited = posting->is_awaited;
    message->flits = multicast->flits;
    message->source = multicast->source;
    copy_plan(message, plan);
    kind = link_worms(network, message, plan, failure);
    if (kind == FAIL_NONE) {
        struct band *band = network_band(network, multicast->source);
        struct event event = {.of.message = message, .kind = EVENT_CREATE};
        if (!wheel_push(&band->wheel, network->cycle, posting->cycle, event))
            kind = fail_memory(failure, "a message");
    }
    if (kind != FAIL_NONE) {
        block_give(&network->blocks, message, message->bytes);
        return kind;
    }
    network->posted++;
    return FAIL_NONE;
}
