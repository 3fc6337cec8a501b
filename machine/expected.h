/* expected.h - the messages that each node expects, and those that have arrived: deliveries are
 * checked where they happen.
 *
 * Each node has a list of the numbers of the messages that it expects, in ascending order, and a
 * byte per message: the attempt in which it arrived. A delivery looks its message up there. It is
 * wrong if the node does not expect the message, or has received it in this attempt. A node keeps a
 * message that an earlier attempt delivered, and does not receive it again.
 *
 * Lists are made in two passes over the deliveries, which may come from anywhere, message after
 * message:
 *
 *     expected_begin()      the nodes first .. end - 1
 *     expected_count()      .. for each delivery
 *     expected_make_room()
 *     expected_add()        .. for each delivery, in the same order or another one
 *     expected_sort()       .. only if the messages of some node did not ascend
 *
 * The maker of a machine makes the lists, once for all attempts of a run, and passes them in its
 * config.
 *
 * Threads: a node's deliveries are those of one thread at a time. They are bytes, not bits, because
 * no two threads may write parts of one word.
 * Cost: 4 bytes per node and 5 per delivery; per delivery O(log) of the messages that its node
 * expects.
 */
#ifndef MESHCAST_MACHINE_EXPECTED_H
#define MESHCAST_MACHINE_EXPECTED_H

#include "machine/mesh.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPECTED_NONE UINT32_MAX

struct expected_messages {
    node_index first, end; /* the nodes that have lists */
    /* [end - first + 2]: the beginning of each node's messages in the next two arrays, and the end
     * of the last one's; the last element is used only while the lists are made. */
    uint32_t *start;
    uint32_t *message;    /* [deliveries], below 2^32 - 1 of them */
    uint8_t *arrived;     /* [deliveries]: the attempt, 1 ..; 0: not yet */
    uint8_t attempt;      /* the current attempt: 1 .. */
    uint64_t wrong;       /* deliveries of messages that were not expected, or had arrived */
    uint32_t first_wrong; /* the least number of such a message, if there are any */
};

/* Begins lists for the nodes first .. end - 1; numbers of nodes are those of the mesh in all these
 * functions. False: no memory. expected_free() frees, after a failure too, and a zeroed struct is
 * fine. */
bool expected_begin(struct expected_messages *expected, node_index first, node_index end);
/* Makes room for the counted messages. False: no memory. */
bool expected_make_room(struct expected_messages *expected);
void expected_sort(struct expected_messages *expected);
void expected_free(struct expected_messages *expected);

/* Returns the number of messages that have not reached the nodes first .. end - 1. *least becomes
 * the least number of one, if that is smaller. */
uint64_t expected_missing(const struct expected_messages *expected, node_index first,
                          node_index end, uint32_t *least);

/* Count, and after expected_make_room() add, a delivery. */
void expected_count(struct expected_messages *expected, node_index node);
void expected_add(struct expected_messages *expected, node_index node, uint32_t message);

/* Returns the index of this message in the list of `node`, as in message[] and arrived[];
 * EXPECTED_NONE: the node does not expect it. */
uint32_t expected_find(const struct expected_messages *expected, node_index node, uint32_t message);

/* Returns the node in whose list is index `at`. */
node_index expected_node(const struct expected_messages *expected, uint32_t at);

/* True if an earlier attempt delivered it; `at` may be EXPECTED_NONE. */
bool expected_is_held(const struct expected_messages *expected, uint32_t at);

/* Fetches the list of `node`, or the first part of a long one, into the cache before it is
 * needed. */
static inline void expected_fetch(const struct expected_messages *expected, node_index node)
{
    enum { CACHE_LINE_END = 64 / sizeof *expected->message - 1 };
    if (expected == NULL)
        return;
    uint32_t at = expected->start[node - expected->first];
    __builtin_prefetch(&expected->message[at]);
    __builtin_prefetch(&expected->message[at + CACHE_LINE_END]); /* it need not begin a line */
    __builtin_prefetch(&expected->arrived[at], 1);
}

/* Deliveries, by their indices in the lists, in a step that may turn out to be after the last
 * one. */
struct delivery_list {
    uint32_t *at;
    size_t count, room;
    bool is_short; /* no memory for an element */
};
/* Appends a delivery to the list, or notes that there is no memory for it. */
void delivery_list_add(struct delivery_list *list, uint32_t at);

#endif
