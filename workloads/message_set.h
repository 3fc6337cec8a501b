/* message_set.h - multicast message sets: the instance that a router routes.
 *
 * An mcast(n, d, c) message set (Section 1 of the paper): at most one message a source node, each
 * with distinct destinations; d, the degree, is the largest number of destinations of a message,
 * and c, the congestion, the largest number of messages that one node receives. The file format is
 *
 *     mcast 1 ROWS COLS
 *     # comments and blank lines anywhere
 *     SOURCE DEST DEST ...
 */
#ifndef MESHCAST_WORKLOADS_MESSAGE_SET_H
#define MESHCAST_WORKLOADS_MESSAGE_SET_H

#include "base/failure.h"
#include "machine/mesh.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Message i starts at node source[i] and goes to destination[offset[i] .. offset[i+1]-1].
 * Sources ascend strictly; the destinations of a message ascend strictly; no message is empty.
 * Storage is proportional to the messages and deliveries, never to rows * cols. */
struct message_set {
    struct mesh mesh;
    uint32_t messages;
    uint64_t deliveries;     /* offset[messages], below 2^32 - 1 */
    node_index *source;      /* [messages] */
    uint64_t *offset;        /* [messages + 1] */
    node_index *destination; /* [deliveries] */
};

/* Frees the arrays and clears the set; a zeroed set is fine. */
void message_set_free(struct message_set *set);

/* Reads a set, plain or gzip, from the file `path` ("-": standard input). On failure (FAIL_INPUT names
 * file, line and what was expected; FAIL_SYSTEM if it cannot be read) `set` is cleared. The caller frees
 * the set. Messages may stand in any order in the file, and a message's destinations too. */
enum failure_kind message_set_read(struct message_set *set, const char *path,
                                   struct failure *failure);

/* The same; FAIL_SYSTEM if reading would take more than `limit` bytes. */
enum failure_kind message_set_read_within(struct message_set *set, const char *path, uint64_t limit,
                                          struct failure *failure);

/* The bytes of a set. */
uint64_t message_set_footprint(const struct message_set *set);

/* Writes `set` to `out` and flushes it; false if that failed, as ferror(out) then says too. `comment`
 * (may be NULL) becomes `#` lines under the header. */
bool message_set_write(const struct message_set *set, const char *comment, FILE *out);

/* Reads a set from `length` bytes in memory, which are only read; `name` stands for the file's name
 * in messages. Otherwise as message_set_read(). */
enum failure_kind message_set_read_memory(struct message_set *set, const void *bytes, size_t length,
                                          const char *name, struct failure *failure);

/* Allocates the arrays for so many messages and deliveries, all zero, with offset[messages] set to
 * `deliveries`. FAIL_USAGE: 2^32 - 1 deliveries or more; FAIL_SYSTEM: no memory. `set` is then
 * cleared. */
enum failure_kind message_set_allocate(struct message_set *set, struct mesh mesh, uint32_t messages,
                                       uint64_t deliveries, struct failure *failure);

/* Makes the set in which from[i] sends to to[i] for every i < pairs, in any order; a pair that
 * comes again counts once. Takes time and memory for `pairs` and one count a node. Failures as
 * message_set_allocate(). */
enum failure_kind message_set_from_pairs(struct message_set *set, struct mesh mesh, uint64_t pairs,
                                         const node_index *from, const node_index *to,
                                         struct failure *failure);

/* Sorts nodes ascending in place. */
void message_set_sort_nodes(node_index *node, uint64_t count);

/* d and c; 0 for the empty set. message_set_congestion needs memory for one count a node and
 * returns UINT32_MAX if there is none. */
uint32_t message_set_degree(const struct message_set *set);
uint32_t message_set_congestion(const struct message_set *set);

#endif
