/* sweep_patterns.h - the patterns of a sweep with their inputs, for sweep/sweep_plan.c. */
#ifndef MESHCAST_LAB_SWEEP_PATTERNS_H
#define MESHCAST_LAB_SWEEP_PATTERNS_H

#include "lab/sweep_plan.h"

/* Reads the files that the inputs name, into plan->files, and names the patterns, plan->pattern.
 * What is read stays read: workers make their sets from it. Both are the plan's to free, also after
 * a failure. */
enum failure_kind sweep_make_patterns(struct sweep_plan *plan, const struct sweep_request *request,
                                      struct failure *failure);

#endif
