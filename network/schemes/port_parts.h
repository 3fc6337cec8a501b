/* port_parts.h - what the holder of a message can give away in one step, over several ports at once, along a chain.
 *
 * The chain is that of labels. A holder has two sides, 0: the larger labels, 1: the smaller ones. On each side it hands
 * parts of the chain over to receivers: members of these parts, in which they are the next holders. A message leaves
 * over a port that it names and goes by labels from there, so it keeps between holder and receiver. The messages of a
 * side share no link: their ways are walked, and a receiver whose way crosses one that is taken is not chosen.
 *
 * Places are counted along a side: on side 1 from the other end of the chain.
 */
#ifndef MESHCAST_NETWORK_SCHEMES_PORT_PARTS_H
#define MESHCAST_NETWORK_SCHEMES_PORT_PARTS_H

#include "network/schemes/scheme_private.h"

enum { PORT_PARTS_SIDES = 2, PORT_PARTS_MOST = 16, PORT_PARTS_LEVELS = 32 };

/* Members first .. last of a side. `port` leads to the node `over`. */
struct port_part {
    uint32_t first, last, receiver, port, over;
};

/* What so many steps are enough for. Every member reaches `half` places on either side. Samples, which are every `grid`-th
 * member and the source, may reach farther. */
struct port_level {
    uint32_t half, grid; /* grid: a power of two; 0: the source alone */
    uint32_t source[PORT_PARTS_SIDES];
    uint32_t
        *reach[PORT_PARTS_SIDES]; /* of samples, by their order in the chain: the farthest place */
    uint32_t *
        widest[PORT_PARTS_SIDES]; /* of each place: the end of the longest part that begins there */
};

struct port_parts {
    const struct topology *topology;
    const struct chain *chain;
    uint32_t most; /* messages of a side in a step */
    uint32_t levels;
    struct port_level level[PORT_PARTS_LEVELS];
    uint32_t *words; /* three of each member, while levels are made */
    uint8_t *taken;  /* of each link */
    uint64_t *way;   /* taken links */
    uint32_t way_room, way_length;
    uint32_t tries; /* walks that may still be tried for the parts at hand */
};

/* Makes the levels up to the one at which the chain's source reaches both ends. FAIL_SYSTEM: no memory. */
enum failure_kind port_parts_make(struct port_parts *parts, const struct topology *topology,
                                  const struct chain *chain, uint32_t most,
                                  struct failure *failure);
void port_parts_free(struct port_parts *parts);

/* A place counted from the other side. */
static inline uint32_t port_parts_mirror(const struct port_parts *parts, uint32_t place)
{
    return parts->chain->count - 1 - place;
}

/* The node at a place of a side. */
static inline uint32_t port_parts_node(const struct port_parts *parts, uint32_t side,
                                       uint32_t place)
{
    return parts->chain->node[side == 0 ? place : port_parts_mirror(parts, place)];
}

/* How far a holder reaches on a side. */
static inline uint32_t port_parts_reach(const struct port_parts *parts, uint32_t level,
                                        uint32_t side, uint32_t place)
{
    const struct port_level *at = &parts->level[level];
    uint32_t member = side == 0 ? place : port_parts_mirror(parts, place);
    uint32_t last = parts->chain->count - 1;
    if (member == parts->chain->source)
        return at->source[side];
    if (at->grid > 0 && (member & (at->grid - 1)) == 0)
        return at->reach[side][member / at->grid];
    return at->half < last - place ? place + at->half : last;
}

/* The least level at which a holder reaches `end` on side 0 and `other_end` on side 1, both places of their side; the
 * highest one if there is none. */
uint32_t port_parts_level(const struct port_parts *parts, uint32_t place, uint32_t end,
                          uint32_t other_end);

/* Divides the members behind the reach of `holder` at a level, up to `end`, into parts whose receivers serve them at
 * this level; returns how many, the nearest part first. Where no such parts are found there is one, with the middle as
 * its receiver. */
uint32_t port_parts_divide(struct port_parts *parts, uint32_t level, uint32_t side, uint32_t holder,
                           uint32_t end, struct port_part part[PORT_PARTS_MOST]);

/* ---- port_receivers.c ---- */

struct port {
    uint32_t port, node, distance; /* of labels, from the holder */
};

/* The choice of receivers for parts of a holder, which they serve at a level. */
struct choosing {
    struct port_parts *parts;
    uint32_t level, side, holder, count, ports;
    struct port port[PORT_PARTS_MOST];
    bool is_used[PORT_PARTS_MOST];
    struct port_part *part;
};

/* Begins with no part, and finds the holder's ports of a side. */
struct choosing port_receivers_begin(struct port_parts *parts, uint32_t level, uint32_t side,
                                     uint32_t holder, struct port_part part[PORT_PARTS_MOST]);

/* How many parts a step of the holder can have at most. */
uint32_t port_receivers_most(const struct choosing *choosing);

/* Chooses receivers and ports of parts 0 .. count - 1 so that their ways share no link. False: none were found. */
bool port_receivers_find(struct choosing *choosing);

/* Sets the port of a part to the one that label routing takes to its receiver. */
void port_receivers_natural(const struct choosing *choosing, struct port_part *part);

#endif
