/* prefix_sparse.h - prefix computations to which few nodes contribute: prefix.h's, with the items
 * of a row in a list. */
#ifndef MESHCAST_PRIMITIVES_PREFIX_SPARSE_H
#define MESHCAST_PRIMITIVES_PREFIX_SPARSE_H

#include "primitives/prefix.h"

/* A node's value in computation `item`; afterwards the combination before it. */
struct prefix_entry {
    uint64_t value;
    node_index node;
    uint32_t item;
    uint32_t order[2]; /* the kernel's own */
};

/* Entries of a row of the mesh, by nodes from west to east; no node has two for one item. */
struct prefix_row {
    struct prefix_entry *entry;
    uint32_t count;
};

struct prefix_list {
    const struct prefix_operator *operation;
    uint32_t count;         /* computations, at least 1 */
    struct prefix_row *row; /* [row of the mesh]; only machine_rows() are read */
};

/* Computes prefix_snake without totals: the same words in the same steps, but nodes that only
 * forward words cost next to nothing. FAIL_SYSTEM: no memory. */
enum failure_kind prefix_sparse(struct machine *machine, const struct tessellation *tessellation,
                                const struct prefix_list *list, struct failure *failure);

#endif
