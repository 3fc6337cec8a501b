/* prefix_lanes.c - four counts of 16 bits in a word, added without a carry from one to the next.
 *
 * A count that would grow beyond 65535 stays there, so that a word is right for all who ask whether a count
 * is below a smaller number. Steps: those of a quarter as many prefix computations.
 */
#include "primitives/prefix_lanes.h"

static uint64_t add_lanes(uint64_t before, uint64_t after)
{
    const uint64_t high = UINT64_C(0x8000800080008000);
    uint64_t low = (before & ~high) + (after & ~high), sum = low ^ ((before ^ after) & high);
    uint64_t over =
        ((before & after) | ((before | after) & ~sum)) & high; /* a carry out of a lane */
    return sum | ((over >> (PREFIX_LANE_BITS - 1)) * PREFIX_LANE_MOST);
}

const struct prefix_operator prefix_lanes_sum = {0, add_lanes};
