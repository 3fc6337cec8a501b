/* tree_meter.h - the hops of a message's multicast tree, and the load of links.
 *
 * The tree is the union of the dimension-ordered paths from the source, dimension 0 first; on meshes that of scheme vh. On
 * tori a path takes the shorter way round each ring, of two equal ones that of ascending coordinates.
 *
 * The tree is measured without walking it. Its part in each dimension are segments of lines, each of which begins at the
 * node, its root, where the path has left the dimensions before. A segment is known by dimension and root, and reaches
 * `low` hops down and `high` hops up. A destination extends one segment per dimension, the last dimension first, until a
 * segment that was there before.
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

/* Makes a meter, which counts links if asked for. FAIL_SYSTEM: no memory. The caller frees it. */
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

/* Adds a destination. Returns the hops by which the tree has grown. */
static inline uint32_t tree_reach(struct tree_meter *meter, uint32_t node)
{
    const struct shape *shape = &meter->topology->shape;
    const int32_t *to = &meter->coordinate[(size_t)node * shape->dimensions];
    uint32_t hops = 0;
    for (uint32_t i = shape->dimensions; i-- > 0;) {
        int32_t away = to[i] - meter->at[i], size = (int32_t)shape->size[i];
        node -= (uint32_t)away * meter->topology->stride[i];
        if (meter->is_torus)
            away += 2 * away > size ? -size : 2 * away <= -size ? size : 0;
        struct tree_segment *segment = &meter->segment[(size_t)node * shape->dimensions + i];
        bool is_new = segment->stamp != meter->stamp;
        if (is_new)
            *segment = (struct tree_segment){.stamp = meter->stamp};
        int32_t *end = away > 0 ? &segment->high : &segment->low, more = abs(away) - abs(*end);
        if (more > 0) {
            hops += (uint32_t)more;
            if (meter->load != NULL)
                tree_meter_cross(meter, node, i, *end, away);
            *end = away;
        }
        if (!is_new)
            break;
    }
    return hops;
}

/* Moves the loads to crossed[], where each link that has one is once then. */
void tree_meter_collect(struct tree_meter *meter);

#endif
