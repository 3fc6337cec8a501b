/* chosen_messages.h - the messages of a set that a scheme sends, and their lengths. */
#ifndef MESHCAST_LIBRARY_CHOSEN_MESSAGES_H
#define MESHCAST_LIBRARY_CHOSEN_MESSAGES_H

#include "network/schemes/scheme.h"
#include "workloads/message_set.h"

/* Lengths of messages in flits, uniform between the two; least 0: not given. */
struct flits_range {
    uint32_t least, most;
};

/* The user's choice of messages. */
struct message_choice {
    /* Number of the set's sources that send, each with the same probability; 0: all. */
    uint32_t sources;
    struct flits_range flits; /* of messages to which the set gives no length; not given: 1 flit */
    uint64_t seed;
};

/* The messages of a set that are sent. */
struct chosen_messages {
    const struct message_set *set;
    struct message_choice choice;
    uint32_t count;
    /* The lengths of the shortest and the longest message; without messages, choice.flits. */
    struct flits_range flits;
    uint32_t *message; /* [count]: the message's index in the set */
};

/* Returns a message of a set, with so many flits; its destinations are the set's. */
struct multicast set_multicast(const struct message_set *set, uint32_t message, uint32_t flits);

/* Chooses messages. The set has none from nodes to themselves (message_set_leave_home()).
 * chosen_messages_free() when done. FAIL_USAGE: the set has fewer sources than are wanted.
 * FAIL_SYSTEM: no memory. */
enum failure_kind chosen_messages_make(struct chosen_messages *chosen,
                                       const struct message_set *set,
                                       const struct message_choice *choice,
                                       struct failure *failure);
void chosen_messages_free(struct chosen_messages *chosen);

/* Returns the number of message 0 .. count - 1 in the set as it was given. */
static inline uint32_t chosen_messages_number(const struct chosen_messages *chosen, uint32_t index)
{
    return message_set_given_number(chosen->set, chosen->message[index]);
}

/* Returns message 0 .. count - 1, whose destinations are the set's. */
struct multicast chosen_messages_at(const struct chosen_messages *chosen, uint32_t index);

#endif
