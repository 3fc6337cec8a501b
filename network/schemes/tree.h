/* tree.h - multicast trees on meshes and tori, grown about the source orthant by orthant.
 *
 * A mesh is cut at the source. The positive side of a dimension is the one with more destinations
 * beside the cut; between equal numbers a hash of the whole set, seen from the source, decides. So
 * if one side has no destinations the other one has those on the cut, and a reflection of mesh and
 * set changes no cost of a plan. In each dimension an orthant has the positive side, cut included,
 * or the negative one. Its tree may also use nodes on the cuts. It is a mesh with the source in its
 * corner. On a torus coordinates are counted from the source round the rings. The first half of
 * each ring is its positive side, the rest, counted backwards from the source's other neighbour,
 * its negative one. An orthant is a mesh again; the node next to the source over its wraparound
 * links, one in each dimension with the negative side, is its corner. Corners hang together by
 * these links, taken in the order of dimensions 0, n - 1, n - 2, .., 1.
 *
 * A rule grows the tree of one orthant, in local coordinates, from the corner on. Then all trees
 * are united. A node on a cut that several trees reached keeps its first link; the others are
 * dropped, and then all that no longer leads to a destination. The union is a tree: the sender of
 * each node's first link joined before the node did, so the links lead back to the source.
 *
 * Source: S. Wang, Efficient multicast routing algorithms for mesh-connected multicomputers,
 * Concordia University, 2005, for sources in a corner.
 */
#ifndef MESHCAST_NETWORK_SCHEMES_TREE_H
#define MESHCAST_NETWORK_SCHEMES_TREE_H

#include "network/schemes/scheme_private.h"

/* The link to a node from its parent. */
enum tree_link { TREE_WRAP, TREE_STEM, TREE_OTHER };

/* A node that has joined. */
struct tree_node {
    uint32_t node, parent; /* its number, and the parent's place */
    uint32_t local;        /* its local number, see below */
    uint16_t link;         /* of enum tree_link */
    uint16_t rank; /* among the parent's children by links of this kind, smaller ones first */
};

/* Nodes in the order in which they joined; a parent is before its children. */
struct tree {
    const struct topology *topology;
    /* may lack memory after any function below; the nodes that join are then lost */
    struct plan *plan;
    uint32_t source, nodes;
    uint32_t reflected; /* bit i: the positive side of dimension i has the smaller coordinates */
    size_t room;        /* for nodes */
    struct tree_node *node;
    /* By local number: 1 + the place of a node of the orthant at hand; 0: it is not in the tree. */
    uint32_t *place;
};

/* An orthant. The local number of a node is the number that the whole mesh has for its local
 * coordinates. */
struct orthant {
    struct tree *tree;
    uint32_t size[TOPOLOGY_DIMENSIONS]; /* local coordinates are below */
    uint32_t sides;                     /* bit i: it is the negative side of dimension i */
    uint32_t corner;                    /* the place of its corner in the tree */
    uint32_t first;                     /* the place of the first other node that joined in it */
    uint32_t targets;                   /* its destinations, at least one, */
    const uint32_t *target;             /* by their local numbers, ascending */
};

static inline uint32_t orthant_at(const struct orthant *orthant, uint32_t local, uint32_t dimension)
{
    return topology_coordinate(orthant->tree->topology, local, dimension);
}

/* Returns the distance from the corner, the sum of the local coordinates. */
uint32_t orthant_distance(const struct orthant *orthant, uint32_t local);

/* Adds a neighbour of the node at place `parent`: its coordinate in the dimension is larger by 1,
 * or smaller (`is_back`). Returns its place. */
uint32_t orthant_join(struct orthant *orthant, uint32_t parent, uint32_t dimension, bool is_back,
                      enum tree_link link);

/* Walks from the node at place `from` to a node, dimension 0 first, then 1, ..; each node on the
 * way joins, and none of them has before. */
void orthant_connect(struct orthant *orthant, uint32_t from, uint32_t local);

/* ---- the nearest node of the tree ---- */

/* The choice among several. */
enum tree_tie { TREE_TIE_LOCAL, TREE_TIE_FIRST, TREE_TIE_LAST };

struct tree_nearest {
    uint32_t place, distance; /* distance UINT32_MAX: there is none */
};

/* Returns the nearest of the nodes of the orthant's tree that are nearer than `limit` to node
 * `local`. With `in_zone` only nodes without a larger coordinate count. Time: at most that of
 * examining all of them, less if one is near. */
struct tree_nearest tree_find_nearest(const struct orthant *orthant, uint32_t local, bool in_zone,
                                      uint32_t limit, enum tree_tie tie);

/* Connects a destination with the nearest node that has no larger coordinate than it. */
static inline void orthant_connect_nearest(struct orthant *orthant, uint32_t local,
                                           enum tree_tie tie)
{
    orthant_connect(orthant, tree_find_nearest(orthant, local, true, UINT32_MAX, tie).place, local);
}

/* ---- schemes ---- */

/* The parameters of trees, in this order; a rule's own are after them, or it does not use the last
 * ones. */
enum { TREE_ORDER, TREE_WRAPS, TREE_TIES, TREE_OWN, TREE_CLASSES = TREE_OWN };
enum { ORDER_OWN, ORDER_DEEPEST };
enum { WRAPS_FIRST, WRAPS_LAST };
enum { CLASSES_ONE, CLASSES_SIDES };
#define TREE_ORDER_PARAMETER                                                                       \
    {                                                                                              \
        "order", {"own", "deepest"},                                                               \
            "in which a node sends to its children: the tree's own order, "                        \
            "or first to the child below which most hops are left, over one port"                  \
    }
#define TREE_WRAPS_PARAMETER                                                                       \
    {                                                                                              \
        "wrap", {"first", "last"},                                                                 \
            "on tori: whether in the tree's own order wraparound links come first"                 \
    }
#define TREE_TIES_PARAMETER                                                                        \
    {                                                                                              \
        "tie", {"id", "first", "last"},                                                            \
            "which of several nearest nodes a branch leaves: the least by local "                  \
            "number, the first one that joined, or the last one"                                   \
    }

#define TREE_CLASSES_PARAMETER                                                                     \
    {                                                                                              \
        "classes", {"one", "sides"},                                                               \
            "of virtual channels: one, or on meshes of n dimensions 2^(n-1), by the sides that "   \
            "paths lead to, which prevents deadlocks under cut-through"                            \
    }

/* Grows the tree of an orthant from its corner on: each of its destinations joins. */
typedef void tree_rule(struct orthant *orthant, const struct scheme_choices *choices);

/* Adds one worm, whose stops are the nodes of the tree, the source the first one. */
void tree_plan(const struct planning *planning, tree_rule *rule);

/* Returns the routing of a scheme whose parameters end with TREE_CLASSES_PARAMETER: no way of it
 * may turn back in a dimension. */
const struct routing *tree_routing_by_classes(const struct scheme_choices *choices);

/* Adds the worm of a tree of paths up, then down (route_up_down.c). */
void tree_plan_up_down(const struct planning *planning);

/* Unites the trees and makes a plan's worm of them: merges nodes that joined twice, drops branches
 * without a destination, and puts children in order. */
void tree_unite(struct tree *tree, const struct planning *planning);

#endif
