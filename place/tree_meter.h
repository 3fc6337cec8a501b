/* tree_meter.h - the hops of a message's multicast tree, and the load of links.
 *
 * On whole meshes and tori the tree is the union of the dimension-ordered paths from the source,
 * dimension 0 first; on meshes that of scheme vh. On tori a path takes the shorter way round each
 * ring, of two equal ones that of ascending coordinates. On graphs, and on broken meshes and tori,
 * it is the union of paths up, then down (network/schemes/route_up_down.c): the tree of vh with
 * paths=up-down.
 *
 * On a whole mesh or torus the tree is measured without walking it. Its part in each dimension are
 * segments of lines, each of which begins at the node, its root, where the path has left the
 * dimensions before. A segment is known by dimension and root, and reaches `low` hops down and
 * `high` hops up. A destination extends a segment per dimension, the last dimension first, if they
 * do not reach as far already. There are no branches, since none could be predicted. Other trees
 * are walked, from a destination back to the first node that was passed before.
 * Cost: O(dimensions) per destination, or a step per hop; 16 bytes per node and dimension, or 4 per
 * pair of nodes.
 */
#ifndef MESHCAST_PLACE_TREE_METER_H
#define MESHCAST_PLACE_TREE_METER_H

#include "network/topology/topology.h"

#include <stdlib.h>

/* The paths between all nodes of the main part of a topology with neighbour lists. */
struct path_table {
    uint32_t nodes;
    uint32_t *last_link; /* [nodes * nodes]: of the path from one node to another */
    uint32_t *from;      /* [links]: the node that sends on each */
};

/* Fills in the table, unless the topology has no neighbour lists. FAIL_SYSTEM: no memory;
 * FAIL_INTERRUPTED. The caller frees it. */
enum failure_kind path_table_make(struct path_table *paths, const struct topology *topology,
                                  uint32_t threads, const struct interrupt *interrupt,
                                  struct failure *failure);
void path_table_free(struct path_table *paths);

/* Returns the node before another one on the path from the source, and the link between them in
 * *link. */
static inline uint32_t path_before(const struct path_table *paths, uint32_t source, uint32_t node,
                                   uint32_t *link)
{
    *link = paths->last_link[(size_t)source * paths->nodes + node];
    return paths->from[*link];
}

struct tree_segment {
    uint32_t stamp; /* of the tree that it belongs to */
    int32_t low, high;
};

struct tree_meter {
    const struct topology *topology;
    const struct path_table *paths; /* of a topology with neighbour lists; else without nodes */
    uint32_t stamp;
    bool is_torus;
    uint32_t source;
    int32_t at[TOPOLOGY_DIMENSIONS]; /* the source's coordinates */
    int32_t *coordinate;             /* [nodes * dimensions] */
    struct tree_segment *segment;    /* [dimensions * nodes] */
    uint32_t *passed;                /* [nodes]: the stamp of the last walked tree with the node */
    /* Trees that cross each link. While `counts`, tree_reach() adds one for each link that is new
     * to the tree or, with `is_removing`, takes one away, and changes `energy`, the sum of the
     * fourth powers of all loads. */
    bool counts, is_removing;
    uint32_t *load; /* [links]; NULL: the meter never counts */
    double energy;
    uint32_t *crossed; /* links, once per change, in the order of changes */
    size_t crossings, room;
    bool is_short; /* of memory for crossings */
};

/* Makes a meter, which counts links if requested. FAIL_SYSTEM: no memory. The caller frees it. */
enum failure_kind tree_meter_make(struct tree_meter *meter, const struct topology *topology,
                                  const struct path_table *paths, bool counts_links,
                                  struct failure *failure);
void tree_meter_free(struct tree_meter *meter);

/* Clears the stamps, after 2^32 trees. */
void tree_meter_clear(struct tree_meter *meter);

/* Counts the links of a dimension's line from `from` to `to` hops away from its root. */
void tree_meter_cross(struct tree_meter *meter, uint32_t root, uint32_t dimension, int32_t from,
                      int32_t to);

/* Does the work of tree_reach() for trees that are walked. */
uint32_t tree_walk(struct tree_meter *meter, uint32_t node);

/* Begins the tree of a message from `source`. */
static inline void tree_begin(struct tree_meter *meter, uint32_t source)
{
    if (++meter->stamp == 0)
        tree_meter_clear(meter);
    meter->source = source;
    if (meter->passed != NULL) {
        meter->passed[source] = meter->stamp;
        return;
    }
    uint32_t dimensions = meter->topology->shape.dimensions;
    for (uint32_t i = 0; i < dimensions; i++)
        meter->at[i] = meter->coordinate[(size_t)source * dimensions + i];
}

/* Does the work of tree_reach() for a number of dimensions that the compiler knows. */
static inline __attribute__((always_inline)) uint32_t
tree_reach_in(struct tree_meter *meter, uint32_t node, uint32_t dimensions)
{
    const int32_t *to = &meter->coordinate[(size_t)node * dimensions];
    uint32_t hops = 0;
    for (uint32_t i = dimensions; i-- > 0;) {
        int32_t away = to[i] - meter->at[i];
        node -= (uint32_t)away * meter->topology->stride[i];
        if (meter->is_torus) {
            int32_t size = (int32_t)meter->topology->shape.size[i];
            away += 2 * away > size ? -size : 2 * away <= -size ? size : 0;
        }
        struct tree_segment *segment = &meter->segment[(size_t)node * dimensions + i];
        int32_t is_old = -(segment->stamp == meter->stamp); /* all bits, or none */
        int32_t low = segment->low & is_old, high = segment->high & is_old;
        int32_t new_low = away < low ? away : low, new_high = away > high ? away : high;
        *segment = (struct tree_segment){meter->stamp, new_low, new_high};
        uint32_t grown = (uint32_t)(new_high - new_low - (high - low));
        hops += grown;
        if (meter->counts)
            tree_meter_cross(meter, node, i, away < 0 ? low : high, away < 0 ? new_low : new_high);
    }
    return hops;
}

/* Adds a destination. Returns the hops by which the tree has grown. */
static inline uint32_t tree_reach(struct tree_meter *meter, uint32_t node)
{
    uint32_t dimensions = meter->topology->shape.dimensions;
    if (meter->passed != NULL)
        return tree_walk(meter, node);
    return dimensions == 2 ? tree_reach_in(meter, node, 2) : tree_reach_in(meter, node, dimensions);
}

#endif
