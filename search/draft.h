/* draft.h - a message set in the making: pairs of a seat and a destination, in any order.
 *
 * A node has a seat for each message that it may send: seat s is of node s / per_node. With one message per node seats
 * are nodes.
 *
 * Whatever is done to a draft, no node is the destination of more pairs than the congestion allows,
 * so what a draft becomes is always a valid set. A pair that comes twice is one delivery.
 */
#ifndef MESHCAST_SEARCH_DRAFT_H
#define MESHCAST_SEARCH_DRAFT_H

#include "workloads/message_set.h"

#include <stdbool.h>
#include <stdint.h>

struct draft {
    struct mesh mesh;
    uint32_t congestion; /* at most so many pairs end at a node */
    uint32_t per_node;   /* l: seats of a node */
    size_t pairs, room;
    uint32_t *from;  /* seats */
    node_index *to;  /* MESH_NO_NODE where the pair was removed */
    uint32_t *load;  /* [node]: the pairs that end there */
    uint32_t *sent;  /* [node]: for draft_take(); NULL with one message per node */
    bool is_changed; /* since draft_take() */
    bool is_short;   /* there was no memory for a pair */
};

/* Makes an empty draft. FAIL_SYSTEM: no memory. draft_free() in any case; a zeroed draft is fine. */
enum failure_kind draft_make(struct draft *draft, struct mesh mesh, uint32_t congestion,
                             uint32_t per_node, struct failure *failure);
void draft_free(struct draft *draft);

void draft_clear(struct draft *draft);

/* Makes the draft the set, delivery for delivery: pair i is destination[i]. A node's messages take its seats in their
 * order; no node has more than it has seats. Pairs beyond the congestion are left out, as removed. */
void draft_take(struct draft *draft, const struct message_set *set);

/* Each changes a pair if the destination has room; false: it has not, and nothing is changed. */
bool draft_add(struct draft *draft, uint32_t from, node_index to);
bool draft_redirect(struct draft *draft, uint64_t pair, node_index to);
void draft_remove(struct draft *draft, uint64_t pair);

/* Pairs `one` and `other` exchange their destinations. */
void draft_exchange(struct draft *draft, uint64_t one, uint64_t other);

/* Sends every source or every destination through a one-to-one map of the nodes. */
typedef node_index draft_map(const void *context, struct mesh mesh, node_index node);
void draft_map_sources(struct draft *draft, draft_map *map, const void *context);
void draft_map_destinations(struct draft *draft, draft_map *map, const void *context);

/* The set of the draft, which stays: messages in the order of seats. FAIL_SYSTEM: no memory, now or for a pair
 * before. */
enum failure_kind draft_set(struct draft *draft, struct message_set *set, struct failure *failure);

#endif
