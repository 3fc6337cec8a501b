/* mask_cover.h - sets of nodes as pairs of a mask and a value over the bits of node numbers. */
#ifndef MESHCAST_WORKLOADS_MASK_COVER_H
#define MESHCAST_WORKLOADS_MASK_COVER_H

#include "base/failure.h"
#include "machine/mesh.h"

/* Names the nodes whose numbers agree with `value` in all bits that `mask` has not; value & mask is 0. A number that no
 * node has names nothing. */
struct mask_pair {
    node_index value, mask;
};

/* What covers of sets of the nodes 0 .. nodes - 1 are found with; all but `nodes` is mask_cover.c's. */
struct mask_cover {
    uint32_t nodes;
    unsigned bits; /* of the largest node number, at least 1 */
    uint64_t *in,
        *covered; /* a bit for each node: of the set, covered so far; all clear between calls */
};

/* FAIL_SYSTEM: no memory. The caller frees the cover, after a failure too. */
enum failure_kind mask_cover_open(struct mask_cover *cover, uint32_t nodes,
                                  struct failure *failure);
void mask_cover_close(struct mask_cover *cover);

/* Finds pairs that together name exactly the `count` distinct nodes of node[], and returns how many they are, at most
 * `count`. They are few, not always as few as there can be. pair[count] gets them, unless it is NULL. */
uint64_t mask_cover_find(struct mask_cover *cover, const node_index *node, uint64_t count,
                         struct mask_pair *pair);

#endif
