/* place.h - a node by its coordinates. */
#ifndef MESHCAST_MACHINE_PLACE_H
#define MESHCAST_MACHINE_PLACE_H

#include "base/numbers.h"

#include <stdint.h>

/* row << 16 | col */
typedef uint32_t node_place;

static inline node_place place_of(uint32_t row, uint32_t col)
{
    return row << 16 | col;
}

static inline uint32_t place_row(node_place place)
{
    return place >> 16;
}

static inline uint32_t place_col(node_place place)
{
    return place & 0xffff;
}

/* Returns how many links a shortest way between two nodes has. */
static inline uint32_t place_distance(node_place one, node_place other)
{
    return difference(place_row(one), place_row(other)) +
           difference(place_col(one), place_col(other));
}

#endif
