/* copy_bound.h - bounds where copies cost a step. Inside the workloads only. */
#ifndef MESHCAST_WORKLOADS_COPY_BOUND_H
#define MESHCAST_WORKLOADS_COPY_BOUND_H

#include "workloads/crossing.h"

/* The steps that one message takes with all its copies; places as in crossing.h, farthest: the
 * distance of the farthest destination. */
uint64_t split_bound(uint32_t source, const uint32_t *place, uint32_t count, uint32_t farthest);

/* Raises BOUND_COPIES; received[node]: the messages that a node receives from elsewhere. */
void copy_bounds_raise(const struct message_set *set, const uint32_t *received,
                       struct lower_bounds *bounds);

#endif
