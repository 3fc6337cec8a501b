/* message_set.h - multicast message sets: the instance that a router routes, the burst that a
 * network carries.
 *
 * An mcast(n, d, c) message set (Section 1 of the paper): messages with distinct destinations each;
 * d, the degree, is the largest number of destinations of a message, c, the congestion, the largest
 * number of messages that one node receives, and l the largest number that one node sends. A
 * delivery to the message's own source stays at home: it crosses no link and counts in none of
 * these, nor does a message that has no others. message_set_leave_home() removes such deliveries,
 * once, before anything is routed. The file format is
 *
 *     mcast 1 ROWS COLS                    a mesh of two dimensions, at most one message per source
 *     # comments and blank lines anywhere
 *     SOURCE DEST DEST ...
 *
 * or, where this cannot say the set,
 *
 *     mcast 2 mesh|torus SIZE SIZE ...     slowest dimension first; or: mcast 2 graph NODES
 *     SOURCE DEST DEST ...                 a source may repeat; messages are numbered as they come
 *     SOURCE:LENGTH DEST DEST ...          of so many flits (network) or packets (machine)
 *     end MESSAGES
 *
 * or, where messages have times, mcast 3 with the same sizes and
 *
 *     SOURCE@START DEST ...                may start in that step or cycle
 *     SOURCE:LENGTH>K,K@DELAY DEST ...     may start `DELAY` after its source has messages K, ..
 *                                          completely
 *
 * A message waits only for messages of other nodes: a node has its messages to itself from the
 * start, so no message waits for deliveries that stay at home.
 */
#ifndef MESHCAST_WORKLOADS_MESSAGE_SET_H
#define MESHCAST_WORKLOADS_MESSAGE_SET_H

#include "base/byte_source.h"
#include "base/failure.h"
#include "base/starts.h"
#include "machine/mesh.h"
#include "network/topology/topology.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MESSAGE_SET_MAX_LENGTH = 1 << 24 };

#define MESSAGE_SET_MAX_START ((uint64_t)1 << 48)
#define MESSAGE_SET_MAX_STARTS ((uint64_t)1 << 60) /* added up, so that no chain overflows */

/* Deliveries that stay at home: to messages' own sources, and messages that have no others. */
struct home_count {
    uint32_t messages;
    uint64_t deliveries;
};

/* The known figures of the set that a part belongs to. */
struct message_set_whole {
    uint32_t messages;
    uint64_t deliveries;
    uint32_t degree, congestion, most_sent; /* d, c and l */
    uint64_t waits;
    int version;
};

/* Message i starts at node source[i] and goes to destination[offset[i] .. offset[i+1]-1]. The
 * destinations of a message ascend strictly; no message is empty. Storage is proportional to the
 * messages and deliveries, never to the nodes. The mesh machine routes sets of a mesh without
 * lengths: message_set_fit_machine().
 *
 * A set can be a part: the messages that start in a rank's rows (message_set_keep()). Then the
 * shape, lacks_end and home are those of the whole set, and all other fields describe the part.
 * Functions return d, c, l, the version, message_set_all_messages() and
 * message_set_all_deliveries(), all of the whole set. */
struct message_set {
    struct shape shape;
    struct mesh mesh; /* of a mesh of two dimensions, each of at most MESH_MAX_SIDE; else 0 x 0 */
    bool lacks_end;   /* it was read from a text of version 2 without its last line */
    uint32_t messages;
    uint64_t deliveries;     /* offset[messages], below 2^32 - 1 */
    node_index *source;      /* [messages] */
    uint32_t *length;        /* [messages], 0: not given; NULL: no length is given */
    uint64_t *offset;        /* [messages + 1] */
    node_index *destination; /* [deliveries] */
    /* The step or cycle in which each message may start; of one that waits, the delay after its
     * last receipt. NULL: all 0. */
    uint64_t *start; /* [messages] */
    /* Message i waits for messages wait_on[wait_offset[i] .. wait_offset[i+1]-1], which ascend
     * strictly, go to its source, and do not wait for it in turn. NULL: no message waits. */
    uint64_t *wait_offset; /* [messages + 1] */
    uint32_t *wait_on;     /* numbers in the whole set */
    /* Where messages are packets of longer ones, which start together: the number of the first
     * packet of each one's message. Only that one waits, and a message that waits for it waits for
     * all of its message. NULL: each message is one packet. */
    uint32_t *first_packet; /* [messages of the whole set] */
    /* The number of each message in the whole set, ascending strictly; NULL: that of message i is
     * first_number + i. */
    uint32_t *number; /* [messages] */
    uint32_t first_number;
    /* The number of each message in the set as given, before messages were removed; NULL, as in
     * parts: message_set_number(). */
    uint32_t *given;        /* [messages] */
    struct home_count home; /* removed deliveries */
    bool is_away;           /* no delivery stays at home: message_set_leave_home() */
    bool is_part;
    struct message_set_whole whole; /* of a part */
};

/* Return the shape of a mesh of the machine, and the mesh of a shape: 0 x 0 if it is not the
 * machine's. */
struct shape shape_of_mesh(struct mesh mesh);
struct mesh mesh_of_shape(const struct shape *shape);

/* Frees the arrays and clears the set; a zeroed set is fine. */
void message_set_free(struct message_set *set);

/* Reads a set from the source, and closes it; `name` is the file's in messages. On failure
 * (FAIL_INPUT names the file, the line and what was expected; FAIL_SYSTEM if it cannot be read)
 * `set` is cleared. The caller frees the set. Destinations may be in any order in the file, and
 * messages of version 1 also; those of version 2 keep theirs. */
enum failure_kind message_set_read_source(struct message_set *set, struct byte_source *source,
                                          const char *name, struct failure *failure);

/* Gives back room that the arrays do not need. */
void message_set_trim(struct message_set *set);

/* Returns the number of waits of all messages. */
uint64_t message_set_waits(const struct message_set *set);

/* True if a message cannot start at once. */
bool message_set_is_timed(const struct message_set *set);

/* Frees lengths, starts and waits if no message has one. */
void message_set_drop_unused(struct message_set *set);

/* Returns 3: with times; 1: on a mesh of the machine, with strictly ascending sources and no
 * length; else 2. */
int message_set_version(const struct message_set *set);

/* Called occasionally while a set is written, with the deliveries written so far. */
struct message_set_watch {
    void (*written)(void *context, uint64_t deliveries);
    void *context;
};

/* Writes `set` to `out`, as text of its version, and flushes it; false if that failed, as
 * ferror(out) then also reports. `comment` becomes `#` lines under the header; it and `watch` may
 * be NULL. */
bool message_set_write(const struct message_set *set, const char *comment, FILE *out,
                       const struct message_set_watch *watch);

/* Reads a set from `length` bytes in memory, which are only read; `name` is the file's in messages.
 * Otherwise as message_set_read_source(). */
enum failure_kind message_set_read_memory(struct message_set *set, const void *bytes, size_t length,
                                          const char *name, struct failure *failure);

/* Allocates the arrays, except `length`, for so many messages and deliveries, all zero, with
 * offset[messages] set to `deliveries`. FAIL_USAGE: 2^32 - 1 deliveries or more; FAIL_SYSTEM: no
 * memory. `set` is then cleared. */
enum failure_kind message_set_allocate(struct message_set *set, struct shape shape,
                                       uint32_t messages, uint64_t deliveries,
                                       struct failure *failure);

/* Makes a copy of a set that is no part. FAIL_SYSTEM: no memory; the copy is then empty. The caller
 * frees it. */
enum failure_kind message_set_copy(struct message_set *copy, const struct message_set *set,
                                   struct failure *failure);

/* Makes the set in which from[i] sends to to[i] for every i < pairs, in any order; a repeated pair
 * counts once. Needs time and memory for `pairs` and one count per node. Fails as
 * message_set_allocate(). */
enum failure_kind message_set_from_pairs(struct message_set *set, struct shape shape,
                                         uint64_t pairs, const node_index *from,
                                         const node_index *to, struct failure *failure);

/* Makes the set of ascending words that hold a sender, and in their lower `bits` a destination: a
 * message per sender, whose source is that number. Fails as message_set_allocate(). */
enum failure_kind message_set_cut(struct message_set *set, struct shape shape, const uint64_t *word,
                                  size_t count, unsigned bits, struct failure *failure);

/* Does the same with at most per_node messages per node: from[i] is a seat, the source times
 * per_node and the number of the message there, 0 .. per_node - 1. Messages are in the order of
 * their seats. Nodes times per_node are below 2^32. */
enum failure_kind message_set_from_seats(struct message_set *set, struct shape shape,
                                         uint32_t per_node, uint64_t pairs, const uint32_t *from,
                                         const node_index *to, struct failure *failure);

/* Moves message `from` to place `to`, which is not after it, and its destinations to at ..; no
 * message waits. */
void message_set_move(struct message_set *set, uint32_t to, uint32_t from, uint64_t at);

/* Puts the messages in the order of their sources, if no source has two. Else the set is unchanged,
 * and repeated[0] and [1] are two messages of one source, of all such pairs the one whose second
 * message is first; without such, repeated[1] is UINT32_MAX. If `repeated` is NULL, messages of one
 * source keep their order. The set has no times. */
enum failure_kind message_set_sort_sources(struct message_set *set, uint32_t repeated[2],
                                           struct failure *failure);

/* Makes a message of each packet of a message, and sorts sources that send one message each; in a
 * set with times, which keeps its order, deliveries that stay at home are removed before.
 * FAIL_INPUT: the mesh machine accepts no such set, which is unchanged; the text, which begins with
 * `name`, gives the reason and a command that accepts it. FAIL_SYSTEM: no memory. */
enum failure_kind message_set_fit_packets(struct message_set *set, const char *name,
                                          struct failure *failure);

/* Makes a set one for the mesh machine: message_set_fit_packets(), without deliveries that stay at
 * home. Fails in the same ways. */
enum failure_kind message_set_fit_machine(struct message_set *set, const char *name,
                                          struct failure *failure);

/* Counts the deliveries that stay at home of a set that is no part, and still has them. */
struct home_count message_set_count_home(const struct message_set *set);

/* Removes deliveries that stay at home from a set, which is no part, and adds them to set->home.
 * The other messages get consecutive numbers. FAIL_SYSTEM: no memory; the set is unchanged. */
enum failure_kind message_set_leave_home(struct message_set *set, struct failure *failure);

/* Returns the set without deliveries that stay at home: `set` if it has none, else `room`, which
 * becomes a copy without them. The caller frees `room` in either case. NULL: no memory. */
const struct message_set *message_set_away(const struct message_set *set, struct message_set *room,
                                           struct failure *failure);

/* Return the messages and deliveries of the whole set. */
uint32_t message_set_all_messages(const struct message_set *set);
uint64_t message_set_all_deliveries(const struct message_set *set);

/* Return them with those that were removed. */
uint32_t message_set_given_messages(const struct message_set *set);
uint64_t message_set_given_deliveries(const struct message_set *set);

/* Returns the number of message `index` in the whole set. */
uint32_t message_set_number(const struct message_set *set, uint32_t index);

/* Returns the number of message `index` in the set as given. */
uint32_t message_set_given_number(const struct message_set *set, uint32_t index);

/* Returns the name of message `index` in traces and results; `version` is message_set_version(). */
uint32_t message_set_name(const struct message_set *set, int version, uint32_t index);

/* Returns the index of the message of that name; set->messages if it is not here. */
uint32_t message_set_named(const struct message_set *set, int version, uint32_t name);

/* FAIL_USAGE: the topology has another shape than the set. */
enum failure_kind message_set_check_topology(const struct message_set *set,
                                             const struct topology *topology,
                                             struct failure *failure);

/* FAIL_INPUT: a message begins or ends at a dead node of a broken mesh, or its destination is in
 * another part than its source. The text names the set `name`, the file `without`, the message and
 * the node. */
enum failure_kind message_set_check_parts(const struct message_set *set, const char *name,
                                          const struct topology *topology, const char *without,
                                          struct failure *failure);

/* Finds the topology of the set: the one that `given` names (topology_parse()), or, if that is
 * NULL, the set's mesh or torus. FAIL_USAGE: it has another shape, or is a graph, whose edges must
 * be given. */
enum failure_kind message_set_topology(const struct message_set *set, const char *given,
                                       struct topology *topology, struct failure *failure);

/* Return d, c and l of the whole set, without deliveries that stay at home; 0 for the empty one. c
 * and l of a set that is no part need memory for one count per node, and are UINT32_MAX without
 * it. */
uint32_t message_set_degree(const struct message_set *set);
uint32_t message_set_congestion(const struct message_set *set);
uint32_t message_set_most_sent(const struct message_set *set);

/* ---- waits ---- */

/* Finds the length of the longest chain of waits that ends with each message, itself included. Sets
 * *cyclic to a message that waits for itself, perhaps through others, or UINT32_MAX; `chain` is
 * then incomplete. FAIL_SYSTEM: no memory. */
enum failure_kind message_set_chains(const struct message_set *set, uint32_t *chain,
                                     uint32_t *cyclic, struct failure *failure);

/* Returns the timing of message `index`; its pointers are the set's. */
struct timing message_set_timing(const struct message_set *set, uint32_t index);

/* Returns the timings of all messages; `at` is NULL if all may start at once. */
struct timings message_set_timings(const struct message_set *set);

/* Returns the waits of the whole set. */
uint64_t message_set_all_waits(const struct message_set *set);

/* Returns the first packet of the message of which message `number` of the whole set is a
 * packet. */
uint32_t message_set_first_packet(const struct message_set *set, uint32_t number);

/* Returns the packets of the message of which message `number` of the whole set is the first
 * packet. */
uint32_t message_set_packets(const struct message_set *set, uint32_t number);

/* Checks the waits of a set that was read: each is for a message of another node, which goes to the
 * source of the one that waits, and none form a cycle. Message i is in line_of[i] of the file, and
 * has the id id[i] there; NULL: i. FAIL_INPUT names file and line; FAIL_SYSTEM: no memory. */
enum failure_kind message_set_check_waits(const struct message_set *set, const char *name,
                                          const uint64_t *line_of, const uint64_t *id,
                                          struct failure *failure);

/* True if a message is bound for the node. */
bool message_set_goes_to(const struct message_set *set, uint32_t message, node_index node);

/* ---- parts ---- */

/* Removes from a set, which is no part, the deliveries that stay at home, then all messages except
 * those that start at nodes first .. end - 1, and keeps the figures of the whole. FAIL_SYSTEM: no
 * memory; the set is unchanged. */
enum failure_kind message_set_keep(struct message_set *set, node_index first, node_index end,
                                   struct failure *failure);

#endif
