/* message_set_private.h - what the files of message sets share with one another. */
#ifndef MESHCAST_WORKLOADS_MESSAGE_SET_PRIVATE_H
#define MESHCAST_WORKLOADS_MESSAGE_SET_PRIVATE_H

#include "workloads/message_set.h"

/* FAIL_INPUT: the set is not of a mesh that the mesh machine has. */
enum failure_kind message_set_check_mesh(const struct message_set *set, const char *name,
                                         struct failure *failure);

/* Makes each packet of a message a message, in the place of that; those of the whole set are then `messages`, with
 * `deliveries`. FAIL_INPUT: too many; FAIL_SYSTEM: no memory, or more than `limit` bytes. */
enum failure_kind message_set_split_packets(struct message_set *set, const char *name,
                                            uint64_t messages, uint64_t deliveries, uint64_t limit,
                                            struct failure *failure);

#endif
