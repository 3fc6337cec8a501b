/* tree_meter.h - the hops of a message's multicast tree, and the load of links.
 *
 * The tree is the union of the dimension-ordered paths from the source, dimension 0 first; on
 * meshes that of scheme vh. On tori a path takes the shorter way round each ring, of two equal ones
 * that of ascending coordinates.
 *
 * The tree is measured without walking it. Its parts in each dimension are segments of lines, each
 * of which begins at the node, its root, where the path has left the dimensions before. A segment
 * is known by dimension and root, and reaches `low` hops down and `high` hops up. A destination
 * extends a segment per dimension, the last dimension first, if they do not reach as far already.
 * There are no branches, since none could be predicted.
 * Cost: O(dimensions) per destination; 16 bytes per node and dimension.
 */
#ifndef MESHCAST_PLACE_TREE_METER_H
#define MESHCAST_PLACE_TREE_METER_H

#include "network/topology/topology.h"

#include <stdlib.h>

struct tree_segment {
    uint32_t stamp; /* of the tree that it belongs to */
    int32_t low, high;
};

struct tree_crossing {
    uint32_t link;
    int32_t trees;
};

struct tree_meter {
    const struct topology *topology;
    uint32_t stamp;
    bool is_torus;
    int32_t at[TOPOLOGY_DIMENSIONS]; /* the source's coordinates */
    int32_t *coordinate;             /* [nodes * dimensions] */
    struct tree_segment *segment;    /* [dimensions * nodes] */
    /* Links that are counted: each crossing adds `weight`. NULL: none are. */
    int32_t weight;
    int32_t *load;                 /* [links], 0 but for those that were crossed, .. */
    struct tree_crossing *crossed; /* .. which are here, some twice */
    size_t crossings, room;
    bool is_short; /* of memory for crossings */
};

/* Makes a meter, which counts links if requested. FAIL_SYSTEM: no memory. The caller frees it. */
enum failure_kind tree_meter_make(struct tree_meter *meter, const struct topology *topology,
                                  bool counts_links, struct failure *failure);
void tree_meter_free(struct tree_meter *meter);

/* Clears the segments, after 2^32 trees. */
void tree_meter_clear(struct tree_meter *meter);

/* Counts the links of a dimension's line from `from` to `to` hops away from its root. */
void tree_meter_cross(struct tree_meter *meter, uint32_t root, uint32_t dimension, int32_t from,
                      int32_t to);

/* Begins the tree of a message from `source`. */
static inline void tree_begin(struct tree_meter *meter, uint32_t source)
{
    uint32_t dimensions = meter->topology->shape.dimensions;
    for (uint32_t i = 0; i < dimensions; i++)
        meter->at[i] = meter->coordinate[(size_t)source * dimensions + i];
    if (++meter->stamp == 0)
        tree_meter_clear(meter);
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
        bool is_old = segment->stamp == meter->stamp;
        int32_t low = is_old ? segment->low : 0, high = is_old ? segment->high : 0;
        int32_t new_low = away < low ? away : low, new_high = away > high ? away : high;
        *segment = (struct tree_segment){meter->stamp, new_low, new_high};
        hops += (uint32_t)(new_high - new_low - (high - low));
        if (meter->load != NULL) {
            tree_meter_cross(meter, node, i, low, new_low);
            tree_meter_cross(meter, node, i, high, new_high);
        }
    }
    return hops;
}

/* Adds a destination. Returns the hops by which the tree has grown. */
static inline uint32_t tree_reach(struct tree_meter *meter, uint32_t node)
{
    uint32_t dimensions = meter->topology->shape.dimensions;
    return dimensions == 2 ? tree_reach_in(meter, node, 2) : tree_reach_in(meter, node, dimensions);
}

/* Moves the loads to crossed[], where each link that has one is once then. */
void tree_meter_collect(struct tree_meter *meter);

#endif
