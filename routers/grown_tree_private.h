/* grown_tree_private.h - a tree while its source grows it, node by node, and how it becomes straight pieces. */
#ifndef MESHCAST_ROUTERS_GROWN_TREE_PRIVATE_H
#define MESHCAST_ROUTERS_GROWN_TREE_PRIVATE_H

#include "routers/grown_tree.h"

#define NOWHERE UINT32_MAX

/* A node of the tree that is grown. */
struct grown_node {
    node_place place;
    uint32_t parent;
    uint32_t kid[DIRECTIONS]; /* NOWHERE: none */
    uint32_t slots, pieces, links, first_slot, piece;
    uint8_t from; /* the direction of the link into it */
    bool is_destination;
    bool east_before, east_behind; /* a link east leads to it; or is behind it */
};

/* On ranks: lets packets carry their pieces to other ranks (grown_tree_cargo.c). */
void grown_trees_carry(struct grown_trees *trees);

/* Returns the piece behind the end of `piece` that leaves by `output`. *slots_before: the first of its slots among those
 * of the outputs in `left` (grown_tree_rule.c). */
uint32_t tree_piece_behind(const struct grown_trees *trees, uint32_t piece, unsigned output,
                           unsigned left, uint32_t *slots_before);

/* Counts what is behind each of the nodes node[0 .. count-1], of which the first is the source and each stands behind its
 * parent. Returns the pieces of the tree. */
uint32_t tree_pieces_count(struct grown_node *node, uint32_t count);

/* Writes the pieces, and the destinations in the order of the pieces, from node[0].piece and node[0].first_slot on. */
void tree_pieces_write(struct grown_node *node, uint32_t count, struct grown_trees *trees);

#endif
