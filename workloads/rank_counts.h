/* rank_counts.h - counts that each rank took of its own messages, added up. Inside the workloads only. */
#ifndef MESHCAST_WORKLOADS_RANK_COUNTS_H
#define MESHCAST_WORKLOADS_RANK_COUNTS_H

#include "base/ranks.h"

/* Replaces each of `counts` numbers by its sum over all ranks, which is below 2^32. FAIL_SYSTEM: no memory. */
enum failure_kind rank_counts_add_up(struct ranks *ranks, uint32_t *count, size_t counts,
                                     struct failure *failure);

#endif
