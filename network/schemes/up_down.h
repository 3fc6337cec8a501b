/* up_down.h - the search for paths that lead up, then down; see route_up_down.c. */
#ifndef MESHCAST_NETWORK_SCHEMES_UP_DOWN_H
#define MESHCAST_NETWORK_SCHEMES_UP_DOWN_H

#include "network/topology/topology.h"

#include <stdbool.h>
#include <stdint.h>

/* A search from one source, which goes on as far as it was asked; a zeroed one has no memory yet. */
struct up_down {
    uint32_t room;  /* nodes that the arrays have room for */
    uint32_t *hops; /* [nodes] from the source, and 1; 0: not reached */
    uint32_t *
        parent; /* [nodes] the node before it on its path, with UP_DOWN_UP if links up alone lead to it */
    uint32_t *
        reached; /* [nodes] those over links up alone, then the others; each in the order of hops */
    uint32_t source, count; /* TOPOLOGY_NO_NODE: no search; nodes reached */
    uint32_t ups;           /* those over links up alone */
    bool goes_straight;     /* of equally short paths, rather takes one that goes straight on */
    /* Set by the owner before a search. */
    bool
        is_any; /* links up and down in any order: shortest of all paths, but worms along them could deadlock */
    bool spreads;            /* never goes straight for that: sources spread over links */
    enum topology_root root; /* from which levels are counted */
    uint32_t up, down;       /* the next ones of each whose links down are looked at */
};

#define UP_DOWN_UP (UINT32_C(1) << 31)

static inline uint32_t up_down_parent(const struct up_down *paths, uint32_t node)
{
    return paths->parent[node] & ~UP_DOWN_UP;
}

/* Begins a search, unless one from this source was begun. Of several shortest paths it finds one by a hash of the source, so that
 * sources load different links; with `goes_straight` rather one with few turns. False: no memory. */
bool up_down_begin(struct up_down *paths, const struct topology *topology, uint32_t source,
                   bool goes_straight);

/* Forgets the search and keeps its memory. */
void up_down_forget(struct up_down *paths);

/* Goes on until a node of the source's part is reached, and its path is found. */
void up_down_reach(struct up_down *paths, const struct topology *topology, uint32_t node);

void up_down_free(struct up_down *paths);

#endif
