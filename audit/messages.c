/* messages.c - the messages of a set in a replay: injections, what is left, deliveries.
 *
 * Method: a record a message and a bit per delivery, in the set's order. The destinations of a message
 * ascend, and so do the sources, by which a set of version 1 names its messages: both are found by bisection.
 *
 * Invariant: bit j of is_delivered is set exactly if destination[j] of the set was delivered, in a reduction if its
 * contribution was injected, and a bit is never set twice.
 *
 * Source: doc/model.md, the last paragraph of "The trace".
 * Cost: 24 bytes per message, a bit per delivery; O(log messages) an injection, O(log degree) a
 * delivery.
 */
#include "audit/messages.h"

#include <stdlib.h>

bool messages_init(struct audit_messages *messages, const struct message_set *set)
{
    *messages = (struct audit_messages){.set = set, .version = message_set_version(set)};
    messages->message = memory_allocate(set->messages, sizeof *messages->message);
    messages->is_delivered =
        memory_allocate((size_t)(set->deliveries / 64 + 1), sizeof *messages->is_delivered);
    if (!messages->message || !messages->is_delivered) {
        messages_free(messages);
        return false;
    }
    return true;
}

/* The least i in [begin, end) with list[i] >= node, or end. */
static uint64_t bisect(const node_index *list, uint64_t begin, uint64_t end, uint64_t node)
{
    while (begin < end) {
        uint64_t middle = begin + (end - begin) / 2;
        if (list[middle] < node) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

uint32_t messages_find(const struct audit_messages *messages, uint64_t name)
{
    const struct message_set *set = messages->set;
    uint64_t index = name;
    if (messages->version == 1)
        index = bisect(set->source, 0, set->messages, name);
    bool is_there =
        index < set->messages && message_set_name(set, messages->version, (uint32_t)index) == name;
    return is_there ? (uint32_t)index : AUDIT_NO_MESSAGE;
}

enum delivery_status messages_contribute(struct audit_messages *messages, uint32_t index,
                                         uint32_t node)
{
    const struct message_set *set = messages->set;
    uint64_t end = set->offset[index + 1];
    uint64_t at = bisect(set->destination, set->offset[index], end, node);
    if (at == end || set->destination[at] != node) {
        return DELIVERY_NOT_DUE;
    }
    uint64_t bit = UINT64_C(1) << at % 64;
    if (messages->is_delivered[at / 64] & bit) {
        return DELIVERY_TWICE;
    }
    messages->is_delivered[at / 64] |= bit;
    return DELIVERY_DUE;
}

enum delivery_status messages_deliver(struct audit_messages *messages, uint32_t index,
                                      uint32_t node)
{
    enum delivery_status status = messages_contribute(messages, index, node);
    messages->message[index].delivered += status == DELIVERY_DUE;
    return status;
}

bool messages_is_complete(const struct audit_messages *messages, uint32_t index)
{
    const struct message_set *set = messages->set;
    return messages->message[index].delivered == set->offset[index + 1] - set->offset[index];
}

uint64_t messages_missing(const struct audit_messages *messages, uint32_t *name,
                          uint32_t *destination)
{
    const struct message_set *set = messages->set;
    uint64_t missing = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        for (uint64_t at = set->offset[i]; at < set->offset[i + 1]; at++) {
            if (messages->is_delivered[at / 64] >> at % 64 & 1) {
                continue;
            }
            if (missing++ == 0) {
                *name = message_set_name(set, messages->version, i);
                *destination = set->destination[at];
            }
        }
    }
    return missing;
}

void messages_free(struct audit_messages *messages)
{
    free(messages->message);
    free(messages->is_delivered);
    *messages = (struct audit_messages){0};
}
