/* candidate.h - a message set in the making: pairs of a seat and a destination, in any order.
 *
 * A node has a seat for each message that it may send: seat s is of node s / per_node. With one
 * message per node seats are nodes.
 *
 * After every change no node is the destination of more pairs than the congestion allows, so a
 * candidate always becomes a valid set. A repeated pair is one delivery.
 */
#ifndef MESHCAST_SEARCH_CANDIDATE_H
#define MESHCAST_SEARCH_CANDIDATE_H

#include "base/pcg.h"
#include "workloads/message_set.h"

#include <stdbool.h>
#include <stdint.h>

struct candidate {
    struct mesh mesh;
    uint32_t congestion; /* the most pairs that end at a node */
    uint32_t per_node;   /* l: seats per node */
    size_t pairs, room;
    uint32_t *from;  /* seats */
    node_index *to;  /* MESH_NO_NODE: the pair was removed */
    uint32_t *load;  /* [node]: number of pairs that end there */
    uint32_t *sent;  /* [node]: for candidate_take(); NULL with one message per node */
    bool is_changed; /* since candidate_take() */
    bool is_short;   /* no memory for a pair */
};

/* Makes an empty candidate. FAIL_SYSTEM: no memory. candidate_free() in any case; a zeroed
 * candidate is fine. */
enum failure_kind candidate_make(struct candidate *candidate, struct mesh mesh, uint32_t congestion,
                                 uint32_t per_node, struct failure *failure);
void candidate_free(struct candidate *candidate);

void candidate_clear(struct candidate *candidate);

/* Makes the candidate the set, delivery for delivery: pair i is destination[i]. A node's messages
 * get its seats in their order; no node has more than it has seats. Pairs beyond the congestion are
 * left out, as removed. */
void candidate_take(struct candidate *candidate, const struct message_set *set);

/* Change a pair if the destination has room; false: it has none, and nothing is changed. */
bool candidate_add(struct candidate *candidate, uint32_t from, node_index to);
bool candidate_redirect(struct candidate *candidate, uint64_t pair, node_index to);
void candidate_remove(struct candidate *candidate, uint64_t pair);

/* Exchanges the destinations of pairs `one` and `other`. */
void candidate_exchange(struct candidate *candidate, uint64_t one, uint64_t other);

/* Makes the set of the candidate, which stays: messages in the order of seats. FAIL_SYSTEM: no
 * memory, now or for an earlier pair. */
enum failure_kind candidate_set(struct candidate *candidate, struct message_set *set,
                                struct failure *failure);

/* ---- mutations: search/mutation.c ---- */

/* The state that a mutation reads and changes: pure arithmetic and a random generator. The set
 * always stays valid. */
struct mutation_scene {
    struct candidate *candidate; /* just taken from `base`, pair for pair */
    const struct message_set
        *base; /* has at least one message; messages in the order of their sources */
    const struct message_set *other; /* another good set of the same mesh */
    node_index peak; /* where the base crowds most, or MESH_NO_NODE: changes often aim there */
    uint32_t tile;   /* side of a tile of l n / c nodes */
    struct pcg32 random;
};

struct mutation {
    const char *name;
    void (*make)(struct mutation_scene *scene);
};

uint32_t mutation_count(void);
const struct mutation *mutation_at(uint32_t index);

#endif
