/* plain_tree.h - the trees of links from the corner of a mesh, plainly: for the nearest node all of
 * the tree is examined. */
#ifndef MESHCAST_TEST_SCHEMES_PLAIN_TREE_H
#define MESHCAST_TEST_SCHEMES_PLAIN_TREE_H

#include "network/schemes/scheme.h"
#include "test/schemes/scheme_case.h"

enum plain_rule { PLAIN_VH, PLAIN_DIAG, PLAIN_DDS, PLAIN_MIN };

struct plain_tree {
    uint32_t links, nodes, node[SCHEME_CASE_NODES]; /* nodes in the order in which they joined */
    uint32_t parent[SCHEME_CASE_NODES];             /* UINT32_MAX: it is not in the tree */
};

/* From node 0. `tie`: 0 the least number, 1 the first one that joined, 2 the last one; `min`: 0
 * lex, 1 near. */
void plain_tree_make(struct plain_tree *tree, const struct topology *topology,
                     const struct multicast *multicast, enum plain_rule rule, uint32_t tie,
                     uint32_t min);

#endif
