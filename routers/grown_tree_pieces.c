/* grown_tree_pieces.c - a grown tree as straight pieces, which is how packets carry it.
 *
 * A piece goes on through nodes in which the tree only goes straight on. Pieces and destinations stand in the order of a
 * walk of the tree, so that a part of it is a range of both.
 * Cost: O(1) a node of the tree.
 */
#include "routers/grown_tree_private.h"

/* The way through the node goes straight on, and it is no destination. */
static bool is_passed(const struct grown_node *node)
{
    if (node->parent == NOWHERE || node->is_destination)
        return false;
    for (enum direction d = 0; d < DIRECTIONS; d++)
        if ((node->kid[d] != NOWHERE) != (d == node->from))
            return false;
    return true;
}

uint32_t tree_pieces_count(struct grown_node *tree, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;) {
        struct grown_node *node = &tree[i];
        node->slots = node->is_destination;
        for (enum direction d = 0; d < DIRECTIONS; d++) {
            if (node->kid[d] == NOWHERE)
                continue;
            const struct grown_node *kid = &tree[node->kid[d]];
            node->slots += kid->slots;
            node->east_behind |= d == EAST || kid->east_behind;
            node->pieces += kid->pieces + !is_passed(node);
            node->links = node->links > kid->links + 1 ? node->links : kid->links + 1;
        }
    }
    return tree[0].pieces + 1;
}

/* From the source on: each node knows its piece and its slots, and tells its kids theirs. */
void tree_pieces_write(struct grown_node *tree, uint32_t count, struct grown_trees *trees)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct grown_node *node = &tree[i];
        bool passed = is_passed(node);
        uint32_t slot = node->first_slot, next = node->piece + !passed;
        if (node->is_destination)
            trees->header->destination[slot++] = node->place;
        if (!passed)
            trees->piece[node->piece] =
                (struct tree_piece){node->place,
                                    node->pieces + 1,
                                    node->slots,
                                    node->links,
                                    i == 0 ? 0 : (uint8_t)(1u << node->from),
                                    node->is_destination,
                                    node->east_before || node->east_behind};
        for (enum direction d = 0; d < DIRECTIONS; d++) {
            if (node->kid[d] == NOWHERE)
                continue;
            struct grown_node *kid = &tree[node->kid[d]];
            kid->east_before = d == EAST || node->east_before;
            kid->first_slot = slot;
            kid->piece = next;
            trees->carried += kid->pieces + 1;
            slot += kid->slots;
            next += kid->pieces + 1;
        }
    }
}
