/* messages.h - the messages of a set in a replay: injections, what is left, deliveries. */
#ifndef MESHCAST_AUDIT_MESSAGES_H
#define MESHCAST_AUDIT_MESSAGES_H

#include "workloads/message_set.h"

#include <stdbool.h>
#include <stdint.h>

#define AUDIT_NO_MESSAGE UINT32_MAX

struct audit_message {
    uint64_t gone_step; /* when its last packet went */
    uint32_t packets;   /* in the network */
    uint32_t delivered; /* of its destinations */
    bool is_injected;
    bool was_discarded; /* a packet of it, since it was last injected */
};

struct audit_messages {
    const struct message_set *set; /* not owned */
    int version;                   /* message_set_version(): how the trace names messages */
    struct audit_message *message; /* [set->messages] */
    uint64_t *is_delivered;        /* a bit per delivery of the set */
};

enum delivery_status { DELIVERY_DUE, DELIVERY_TWICE, DELIVERY_NOT_DUE };

/* False if there is no memory; then nothing is held. */
bool messages_init(struct audit_messages *messages, const struct message_set *set);

/* The index of the message that a trace gives this number, or AUDIT_NO_MESSAGE. */
uint32_t messages_find(const struct audit_messages *messages, uint64_t name);

/* Notes the delivery of message `index` to `node`, if it is due. */
enum delivery_status messages_deliver(struct audit_messages *messages, uint32_t index,
                                      uint32_t node);

/* Notes that the contribution of `node` to message `index` is injected, if it is due: each destination has one, in a
 * reduction. `is_delivered` then says so. */
enum delivery_status messages_contribute(struct audit_messages *messages, uint32_t index,
                                         uint32_t node);

/* Whether all destinations of message `index` have it. */
bool messages_is_complete(const struct audit_messages *messages, uint32_t index);

/* How many deliveries were not made; *name, of the message, and *destination are the first such one. */
uint64_t messages_missing(const struct audit_messages *messages, uint32_t *name,
                          uint32_t *destination);

void messages_free(struct audit_messages *messages);

#endif
