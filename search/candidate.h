/* candidate.h - a message set in the making: pairs of a seat and a destination, in any order.
 *
 * A node has a seat for each message that it may send: seat s is of node s / per_node. With one message per node seats
 * are nodes.
 *
 * Whatever is done to a candidate, no node is the destination of more pairs than the congestion allows,
 * so what a candidate becomes is always a valid set. A pair that comes twice is one delivery.
 */
#ifndef MESHCAST_SEARCH_CANDIDATE_H
#define MESHCAST_SEARCH_CANDIDATE_H

#include "base/pcg.h"
#include "workloads/message_set.h"

#include <stdbool.h>
#include <stdint.h>

struct candidate {
    struct mesh mesh;
    uint32_t congestion; /* at most so many pairs end at a node */
    uint32_t per_node;   /* l: seats of a node */
    size_t pairs, room;
    uint32_t *from;  /* seats */
    node_index *to;  /* MESH_NO_NODE where the pair was removed */
    uint32_t *load;  /* [node]: the pairs that end there */
    uint32_t *sent;  /* [node]: for candidate_take(); NULL with one message per node */
    bool is_changed; /* since candidate_take() */
    bool is_short;   /* there was no memory for a pair */
};

/* Makes an empty candidate. FAIL_SYSTEM: no memory. candidate_free() in any case; a zeroed candidate is fine. */
enum failure_kind candidate_make(struct candidate *candidate, struct mesh mesh, uint32_t congestion,
                                 uint32_t per_node, struct failure *failure);
void candidate_free(struct candidate *candidate);

void candidate_clear(struct candidate *candidate);

/* Makes the candidate the set, delivery for delivery: pair i is destination[i]. A node's messages take its seats in their
 * order; no node has more than it has seats. Pairs beyond the congestion are left out, as removed. */
void candidate_take(struct candidate *candidate, const struct message_set *set);

/* Each changes a pair if the destination has room; false: it has not, and nothing is changed. */
bool candidate_add(struct candidate *candidate, uint32_t from, node_index to);
bool candidate_redirect(struct candidate *candidate, uint64_t pair, node_index to);
void candidate_remove(struct candidate *candidate, uint64_t pair);

/* Pairs `one` and `other` exchange their destinations. */
void candidate_exchange(struct candidate *candidate, uint64_t one, uint64_t other);

/* The set of the candidate, which stays: messages in the order of seats. FAIL_SYSTEM: no memory, now or for a pair
 * before. */
enum failure_kind candidate_set(struct candidate *candidate, struct message_set *set,
                                struct failure *failure);

/* ---- mutations: search/mutation.c ---- */

/* What a mutation looks at and changes: pure arithmetic and a random generator. Whatever it does, the set stays valid. */
struct mutation_scene {
    struct candidate *candidate; /* just taken from `base`, pair for pair */
    const struct message_set
        *base; /* has a message at least; messages in the order of their sources */
    const struct message_set *other; /* another good set of the same mesh */
    node_index peak; /* where the base crowds most, or MESH_NO_NODE: changes aim there, often */
    uint32_t tile;   /* the side of a tile of l n / c nodes */
    struct pcg32 random;
};

struct mutation {
    const char *name;
    void (*make)(struct mutation_scene *scene);
};

uint32_t mutation_count(void);
const struct mutation *mutation_at(uint32_t index);

#endif
