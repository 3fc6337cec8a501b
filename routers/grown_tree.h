/* grown_tree.h - multicast trees that a source grows destination by destination, and the parts that
 * packets carry.
 */
#ifndef MESHCAST_ROUTERS_GROWN_TREE_H
#define MESHCAST_ROUTERS_GROWN_TREE_H

#include "machine/channel.h"
#include "machine/machine.h"
#include "machine/rule.h"
#include "routers/routing.h"

/* The values of `tree=`. Packets split along xy and halves by the destinations in their ranges
 * (trees.c). Sources grow the other trees, which packets carry: by the shortest path from the
 * nearest node of the tree to a drawn side of the destination, and in by that side; or by schemes,
 * which plan whole trees (planned_tree.h). TREE_PATHS, not a value: a path per destination, up,
 * then down; the message waits at its source (grown_trees_next_copy()). */
#define TREE_CHOICES "auto xy halves spread diag dds shortest up-down"
enum tree_choice {
    TREE_AUTO,
    TREE_XY,
    TREE_HALVES,
    TREE_SPREAD,
    TREE_DIAG,
    TREE_DDS,
    TREE_SHORTEST,
    TREE_UP_DOWN,
    TREE_PATHS
};

/* A straight piece of a tree, as a packet's header carries it. The pieces of a message are in the
 * order of a walk of the tree, a piece before those after its end; a packet carries a piece with
 * all of them. */
struct tree_piece {
    node_place end;
    uint32_t pieces;    /* itself and those after its end */
    uint32_t slots;     /* destinations at its end and after it */
    uint32_t links;     /* from its end to the farthest of them */
    uint8_t output;     /* the link over which it leaves; 0 at the source */
    bool ends_at_place; /* its end is a destination */
};

/* The trees of all sources, and their figures for the report; links in one direction of travel. */
struct grown_trees {
    struct headers *header;
    struct tree_piece *piece;
    uint64_t pieces; /* total, including those of packets from other ranks */
    size_t room;     /* for pieces */
    struct machine *machine;
    struct tree_piece *cargo; /* of a packet that goes to another rank */
    size_t cargo_room;
    uint64_t congestion; /* trees that use the busiest link */
    uint64_t dilation;   /* links from a source to its farthest destination */
    uint64_t links;      /* of all trees */
    uint64_t longest;    /* pieces of the largest tree */
    uint64_t carried;    /* pieces that packets carry, added up over all links */
};

/* Grows the tree of each message at its source, from the source's knowledge: its message, the sides
 * and the seed. The packets' headers then begin with the first piece of their trees. The caller
 * frees with grown_trees_free, also after a failure. FAIL_SYSTEM: no memory. */
enum failure_kind grown_trees_make(struct grown_trees *trees, const struct routing *routing,
                                   enum tree_choice choice, struct failure *failure);
void grown_trees_free(struct grown_trees *trees);

/* Reports figures of the trees before the first packet moves. No node acts on them. */
void grown_trees_predict(struct routing *routing, const struct grown_trees *trees);

/* Returns the rule that sends packets along their trees, farthest first; `trees` stays the
 * caller's. */
struct routing_rule grown_trees_rule(struct grown_trees *trees);

/* Returns the same through channels of so many slots, for paths up, then down. Messages take turns
 * between the classes, class 1 with paths by the greatest node (planned_tree.h). */
struct channel_rule grown_trees_channel_rule(struct grown_trees *trees, uint32_t slots);

/* Splits the copy for the next destination off the message: the `inject` of that rule for
 * TREE_PATHS. */
uint32_t grown_trees_next_copy(void *trees, struct site site, uint32_t packet);

#endif
