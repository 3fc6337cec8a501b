/* quadrants.h - the destinations of a multicast on a mesh, by where they stand about the source, and chains of them.
 *
 * A chain is a list of nodes in which neither coordinate shrinks. Private to the schemes.
 */
#ifndef MESHCAST_NETWORK_SCHEMES_QUADRANTS_H
#define MESHCAST_NETWORK_SCHEMES_QUADRANTS_H

#include "network/schemes/scheme.h"

/* North-east and south-west have the axes of the source, as Libeskind-Hadas et al. have them. */
enum quadrant { NORTH_WEST, SOUTH_EAST, NORTH_EAST, SOUTH_WEST, QUADRANTS };

/* Column by column from the west, in each from the south; or row by row from the south, in each from the west. */
enum sweep { BY_COLUMNS, BY_ROWS };

struct site {
    uint32_t at
        [2]; /* x, y: so at[sweep] counts the columns or rows of a sweep, at[!sweep] runs along them */
    uint32_t node;
    enum quadrant quadrant;
    bool is_taken;
};

struct quadrants {
    uint32_t count, left[QUADRANTS]; /* sites, and how many of each quadrant are not taken */
    uint32_t source[2];
    struct site *site;  /* in the order of rows */
    uint64_t *eastward; /* their places in the order of columns, in the lower half of each */
    uint32_t *node;     /* room for as many nodes, for whoever makes worms of them */
};

/* FAIL_SYSTEM: no memory. */
enum failure_kind quadrants_make(struct quadrants *quadrants, const struct topology *topology,
                                 const struct multicast *multicast, struct failure *failure);
void quadrants_free(struct quadrants *quadrants);

/* The i-th site of a sweep. */
static inline struct site *quadrants_site(struct quadrants *quadrants, enum sweep sweep, uint32_t i)
{
    return &quadrants->site[sweep == BY_COLUMNS ? (uint32_t)quadrants->eastward[i] : i];
}

/* Takes a site; returns its node. */
uint32_t quadrants_take(struct quadrants *quadrants, struct site *site);

/* Takes a chain, and writes its nodes: in the order of the sweep each site that extends it, of all quadrants, or of one
 * alone (QUADRANTS: of all). Repeated until a quadrant is empty, by one sweep, this gives the fewest chains that it can
 * be cut into. Returns how many nodes. */
uint32_t quadrants_take_chain(struct quadrants *quadrants, enum sweep sweep, enum quadrant of,
                              uint32_t *node);

#endif
