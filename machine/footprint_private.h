/* footprint_private.h - the summands of machine_footprint(), each in the file of what it predicts.
 * For machine/ only.
 *
 * All return bytes, and are called if `needs` uses the instruction (footprint.c).
 */
#ifndef MESHCAST_MACHINE_FOOTPRINT_PRIVATE_H
#define MESHCAST_MACHINE_FOOTPRINT_PRIVATE_H

#include "machine/footprint.h"

uint64_t forward_footprint(const struct machine_needs *needs); /* forward.c */
uint64_t channel_footprint(const struct machine_needs *needs); /* channel_memory.c */
uint64_t word_footprint(const struct machine_needs *needs);    /* word.c */
uint64_t plane_footprint(const struct machine_needs *needs);   /* plane.c */
uint64_t aside_footprint(const struct machine_needs *needs);   /* aside.c */
uint64_t march_footprint(const struct machine_needs *needs);   /* march.c */
uint64_t gather_footprint(const struct machine_needs *needs);  /* gather.c */

static inline uint64_t needs_nodes(const struct machine_needs *needs)
{
    return (uint64_t)needs->mesh.rows * needs->mesh.cols;
}

#endif
