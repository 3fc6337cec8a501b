/* tables.h - a replay's records of a set's messages, of nodes, and of packets. Private to the
 * audit. */
#ifndef MESHCAST_AUDIT_TABLES_H
#define MESHCAST_AUDIT_TABLES_H

#include "workloads/message_set.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- a map from two numbers to one that is not 0 ---- */

struct audit_entry {
    uint64_t high, low, value; /* value 0: empty */
};

/* A zeroed one is empty; to free it, free `entry`. */
struct audit_map {
    struct audit_entry *entry;
    size_t count, room; /* room is a power of two, or 0 */
};

/* Returns the value of a key, valid until something is added; NULL: none. */
uint64_t *audit_map_find(const struct audit_map *map, uint64_t high, uint64_t low);

/* Returns the same; a key without a value gets 0, which the caller replaces. NULL: no memory. */
uint64_t *audit_map_add(struct audit_map *map, uint64_t high, uint64_t low);

/* ---- messages: injections, packets, deliveries ---- */

#define AUDIT_NO_MESSAGE UINT32_MAX

struct audit_message {
    uint64_t gone_step; /* step in which its last packet went */
    uint32_t packets;   /* in the network */
    uint32_t delivered; /* number of its destinations served */
    bool is_injected;
    bool was_discarded; /* a packet of it, since it was last injected */
};

/* With times: the packets of a node's own messages that are at it. */
struct audit_source {
    uint32_t packets;
    uint64_t freed; /* step in which the last one left */
    /* The last step that began without one, and in which none was injected; 0: none. */
    uint64_t idle;
};

struct audit_messages {
    const struct message_set *set; /* not owned */
    int version;                   /* message_set_version(): the trace's way to name messages */
    struct audit_message *message; /* [set->messages] */
    uint64_t *is_delivered;        /* a bit per delivery of the set */
    /* With times; else NULL: */
    uint64_t *step;              /* [delivery]: its step */
    struct audit_source *source; /* [node] */
};

enum delivery_status { DELIVERY_DUE, DELIVERY_TWICE, DELIVERY_NOT_DUE };

/* Begins the messages. False: no memory; then nothing is held. */
bool messages_init(struct audit_messages *messages, const struct message_set *set);

/* Returns the index of the message with this number in a trace, or AUDIT_NO_MESSAGE. */
uint32_t messages_find(const struct audit_messages *messages, uint64_t name);

/* Notes the delivery of message `index` to `node` in step `step`, if it is due. */
enum delivery_status messages_deliver(struct audit_messages *messages, uint32_t index,
                                      uint32_t node, uint64_t step);

/* With times: finds the step in which message `index` may start, by its source's receipts. False:
 * message *start has not arrived there. */
bool messages_may_start(const struct audit_messages *messages, uint32_t index, uint64_t *start);

/* With times: notes that a packet of message `index` is injected at its source in step `step`. True
 * if the source had packets of its own, or injected some, at the end of step `start` and in each
 * step after it. */
bool messages_was_busy(struct audit_messages *messages, uint32_t index, uint64_t start,
                       uint64_t step);

/* Note that a packet of message `index` arrived at `node`, or left it. */
void messages_come(struct audit_messages *messages, uint32_t index, uint32_t node);
void messages_go(struct audit_messages *messages, uint32_t index, uint32_t node, uint64_t step);

/* Notes that the contribution of `node` to message `index` is injected, if it is due: each
 * destination has one, in a reduction. `is_delivered` then says so. */
enum delivery_status messages_contribute(struct audit_messages *messages, uint32_t index,
                                         uint32_t node);

/* True if all destinations of message `index` have it. */
bool messages_is_complete(const struct audit_messages *messages, uint32_t index);

/* Returns the number of missing deliveries; *name, of the message, and *destination are the first
 * one's. */
uint64_t messages_missing(const struct audit_messages *messages, uint32_t *name,
                          uint32_t *destination);

void messages_free(struct audit_messages *messages);

/* ---- nodes: the contents of buffers at the end of each step, and the links and copies used in the
 * current step ---- */

struct audit_node {
    uint32_t packets;   /* in its buffer now */
    uint8_t links_used; /* in this step: a bit per outgoing link */
    bool has_copied;    /* in this step */
    bool is_touched;    /* in this step: it is on the list */
};

enum { AUDIT_PAGE_NODES = 512 };

struct audit_nodes {
    uint32_t rows, cols;
    /* of AUDIT_PAGE_NODES nodes each, NULL if nothing happened there yet */
    struct audit_node **page;
    uint32_t *touched; /* the nodes touched in this step */
    size_t touched_count, touched_room;
    /* the fullest buffer so far, and the least node with it in the first such step */
    uint32_t peak, peak_node;
    uint64_t peak_step;
};

/* Begins the nodes. False: no memory; then nothing is held. */
bool nodes_init(struct audit_nodes *nodes, uint32_t rows, uint32_t cols);

/* Returns the node (index below rows * cols), noted as one that this step may change; NULL: no
 * memory. The pointer holds until nodes_free(). */
struct audit_node *nodes_touch(struct audit_nodes *nodes, uint32_t index);

/* Returns the number 0..3 of the link from node `from` to node `to`, -1 if they are not
 * neighbours. */
int nodes_link(const struct audit_nodes *nodes, uint32_t from, uint32_t to);

/* Ends step `step`: updates the peak, clears the marks of the step. */
void nodes_end_step(struct audit_nodes *nodes, uint64_t step);

void nodes_free(struct audit_nodes *nodes);

/* ---- packets in the network, and every id that was used ----
 *
 * Ids are any 64-bit numbers. Pointers to packets hold until the next packets_add() or
 * packets_remove(). */

struct audit_packet {
    uint64_t id;
    uint64_t message; /* named by its injection; copies inherit it */
    uint64_t parts;   /* in a reduction: number of its contributions */
    uint64_t used;    /* the last step that used it up, and how: see the rules */
    uint32_t node;    /* its present node */
    bool taken;       /* false: the slot is empty */
};

/* A zeroed struct is an empty table, which has 2^k slots, or none. */
struct audit_packets {
    struct audit_packet *packet;
    size_t packet_slots, packet_count;
    struct audit_map used; /* (0, block): bit i is set if id 64 * block + i was used */
};

enum packets_status { PACKETS_ADDED, PACKETS_ID_USED, PACKETS_NO_MEMORY };

/* Adds a packet with this id and returns it in *packet, its other fields zero. */
enum packets_status packets_add(struct audit_packets *packets, uint64_t id,
                                struct audit_packet **packet);

/* Returns the living packet with this id, or NULL. */
struct audit_packet *packets_find(const struct audit_packets *packets, uint64_t id);

/* Prefetches the memory of packets_find(packets, id). */
void packets_prefetch(const struct audit_packets *packets, uint64_t id);

/* Returns the living packet with the least id, or NULL. Looks at every slot. */
const struct audit_packet *packets_least(const struct audit_packets *packets);

/* True if a packet had this id, living or gone. */
bool packets_id_used(const struct audit_packets *packets, uint64_t id);

/* Removes a packet returned by packets_find(). Its id stays used. */
void packets_remove(struct audit_packets *packets, struct audit_packet *packet);

void packets_free(struct audit_packets *packets);

#endif
