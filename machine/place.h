/* place.h - a node by its coordinates. */
#ifndef MESHCAST_MACHINE_PLACE_H
#define MESHCAST_MACHINE_PLACE_H

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

#endif
