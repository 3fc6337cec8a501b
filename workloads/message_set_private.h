/* message_set_private.h - what the files of message sets share with one another. */
#ifndef MESHCAST_WORKLOADS_MESSAGE_SET_PRIVATE_H
#define MESHCAST_WORKLOADS_MESSAGE_SET_PRIVATE_H

#include "workloads/message_set.h"

/* Allocates what `set`, which is no part, has: room for its messages with lengths and given numbers. FAIL_SYSTEM: no
 * memory; `made` is then cleared. */
enum failure_kind message_set_allocate_as(struct message_set *made, const struct message_set *set,
                                          struct failure *failure);

/* Returns the number of a message's destinations without its own source. */
uint64_t message_set_leaving(const struct message_set *set, uint32_t message);

/* Adds to received[node] the messages that node `node` receives from others. */
void message_set_count_received(const struct message_set *set, uint32_t *received);

/* Takes what stays at home out of a set or a part, and of no count. */
void message_set_drop_home(struct message_set *set);

/* Moves message `from` to place `to`, which is not behind it, and its destinations to at .. */
void message_set_move(struct message_set *set, uint32_t to, uint32_t from, uint64_t at);

/* FAIL_INPUT: the set is not of a mesh that the mesh machine has. */
enum failure_kind message_set_check_mesh(const struct message_set *set, const char *name,
                                         struct failure *failure);

/* Replaces each message by as many as it has packets. The whole set then has `messages` messages and `deliveries`
 * deliveries. FAIL_INPUT: these are too many; FAIL_SYSTEM: no memory. */
enum failure_kind message_set_split_packets(struct message_set *set, const char *name,
                                            uint64_t messages, uint64_t deliveries,
                                            struct failure *failure);

#endif
