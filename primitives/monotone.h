/* monotone.h - monotone routing: packets spread out or pack together, their snake order kept. */
#ifndef MESHCAST_PRIMITIVES_MONOTONE_H
#define MESHCAST_PRIMITIVES_MONOTONE_H

#include "machine/machine.h"
#include "primitives/tessellation.h"

enum monotone_direction {
    MONOTONE_SPREAD, /* from consecutive places of the tile's snake, no place after its target */
    MONOTONE_PACK,   /* to consecutive places of the tile's snake, no place before its target */
};

/* In all tiles at once: every resting packet, at most one per node, goes to header.target (a
 * node_place) of its own tile. Targets differ, and stand in the tile's snake order as the packets
 * do. Phase `name`; NULL: the one that was begun.
 * Steps: h + w - 2 in tiles of at most h rows and w columns, a length that all nodes know: no
 * synchronisation ends it. Buffer: 4 packets per node to spread, 6 to pack (measured: 5). FAIL_CHECK:
 * a buffer overflowed. */
enum failure_kind monotone_route(struct machine *machine, const struct tessellation *tiles,
                                 enum monotone_direction direction, const char *name,
                                 struct failure *failure);

#endif
