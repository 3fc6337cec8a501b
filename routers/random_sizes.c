/* random_sizes.c - how router `random` rounds the paper's numbers.
 *
 * c_0 is the power of two nearest to c, c_i = c_0 / 16^i, at least 1; b_i is the power of two nearest to
 * the side of a tile; K is rounded up.
 * Source: Section 4 of the paper.
 */
#include "routers/random_sizes.h"

#include <math.h>

/* The power of two nearest to sqrt(square), in logarithms. */
static uint64_t power_near_root(uint64_t square)
{
    uint64_t power = 1;
    while (square > 2 * power * power)
        power *= 2;
    return power;
}

uint32_t random_last_phase(struct mesh mesh, uint64_t congestion)
{
    uint32_t nodes = mesh_nodes(mesh), phases = 0;
    double log_n = log2(nodes), wanted = (double)congestion * log_n * log_n / nodes, power = 1;
    for (; power < wanted; power *= 16)
        phases++;
    return phases;
}

uint64_t random_tiles(uint64_t congestion, uint32_t phase)
{
    uint64_t tiles = power_near_root(congestion * congestion) >> (4 * phase);
    return tiles > 0 ? tiles : 1;
}

uint64_t random_blocks(struct mesh mesh, uint64_t tiles)
{
    return power_near_root(mesh_nodes(mesh) / tiles) * tiles;
}
