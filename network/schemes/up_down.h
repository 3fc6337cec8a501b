/* up_down.h - the search for paths that lead up, then down; see route_up_down.c. */
#ifndef MESHCAST_NETWORK_SCHEMES_UP_DOWN_H
#define MESHCAST_NETWORK_SCHEMES_UP_DOWN_H

#include "network/topology/topology.h"

#include <stdbool.h>
#include <stdint.h>

/* A search from one source, as far as requested; a zeroed one has no memory yet. */
struct up_down {
    uint32_t room;  /* nodes that the arrays have room for */
    uint32_t *hops; /* [nodes] from the source, and 1; 0: not reached */
    /* [nodes] the node before it on its path, with UP_DOWN_UP if a path of only links up leads
     * to it */
    uint32_t *parent;
    /* [nodes] those on paths of only links up, then the others; each in the order of hops */
    uint32_t *reached;
    uint32_t source, count; /* TOPOLOGY_NO_NODE: no search; nodes reached */
    uint32_t ups;           /* those on paths of only links up */
    bool goes_straight;     /* of equally short paths, prefers one that goes straight on */
    /* Set by the owner before a search. Links up and down in any order: the shortest of all paths,
     * but worms along them could deadlock. */
    bool is_any;
    bool spreads;            /* never prefers to go straight: paths spread over links */
    enum topology_root root; /* the node from which levels are counted */
    uint32_t up, down;       /* the next ones of each whose links down are examined */
};

#define UP_DOWN_UP (UINT32_C(1) << 31)

static inline uint32_t up_down_parent(const struct up_down *paths, uint32_t node)
{
    return paths->parent[node] & ~UP_DOWN_UP;
}

/* Begins a search, unless one from this source was begun. Of several shortest paths it finds one by
 * a hash of the source, so that sources load different links; with `goes_straight` it prefers few
 * turns. False: no memory. */
bool up_down_begin(struct up_down *paths, const struct topology *topology, uint32_t source,
                   bool goes_straight);

/* Forgets the search and keeps its memory. */
void up_down_forget(struct up_down *paths);

/* Goes on until a node of the source's part is reached, and its path is found. */
void up_down_reach(struct up_down *paths, const struct topology *topology, uint32_t node);

void up_down_free(struct up_down *paths);

#endif
