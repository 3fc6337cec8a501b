/* prefix_lanes.h - sums of four small counts in a word of a prefix computation. */
#ifndef MESHCAST_PRIMITIVES_PREFIX_LANES_H
#define MESHCAST_PRIMITIVES_PREFIX_LANES_H

#include "primitives/prefix.h"

enum { PREFIX_LANES = 4, PREFIX_LANE_BITS = 16, PREFIX_LANE_MOST = (1 << PREFIX_LANE_BITS) - 1 };

/* Adds lane by lane. A count stops at PREFIX_LANE_MOST, which stands for so many or more. */
extern const struct prefix_operator prefix_lanes_sum;

/* Count number `item` stands in word item / PREFIX_LANES. */
static inline uint32_t prefix_lane_of(uint64_t word, uint32_t item)
{
    return (uint32_t)(word >> item % PREFIX_LANES * PREFIX_LANE_BITS) & PREFIX_LANE_MOST;
}

static inline uint64_t prefix_one_in_lane(uint32_t item)
{
    return UINT64_C(1) << item % PREFIX_LANES * PREFIX_LANE_BITS;
}

#endif
