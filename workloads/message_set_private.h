/* message_set_private.h - what the files of message sets share with one another. */
#ifndef MESHCAST_WORKLOADS_MESSAGE_SET_PRIVATE_H
#define MESHCAST_WORKLOADS_MESSAGE_SET_PRIVATE_H

#include "workloads/message_set.h"

/* FAIL_INPUT: the set is not of a mesh that the mesh machine has. */
enum failure_kind message_set_check_mesh(const struct message_set *set, const char *name,
                                         struct failure *failure);

/* Replaces each message by as many as it has packets. The whole set then has `messages` messages and `deliveries`
 * deliveries. FAIL_INPUT: these are too many; FAIL_SYSTEM: no memory, or more than `limit` bytes. */
enum failure_kind message_set_split_packets(struct message_set *set, const char *name,
                                            uint64_t messages, uint64_t deliveries, uint64_t limit,
                                            struct failure *failure);

#endif
