/* sweep_methods.h - the methods of a sweep's plan. */
#ifndef MESHCAST_LAB_SWEEP_METHODS_H
#define MESHCAST_LAB_SWEEP_METHODS_H

#include "lab/sweep_plan.h"

#include <stdint.h>

/* Fills plan->method. FAIL_USAGE: constants that no router has, or too many methods; FAIL_SYSTEM:
 * of a file that a constant names. */
enum failure_kind sweep_make_methods(struct sweep_plan *plan, const struct sweep_request *request,
                                     struct failure *failure);

/* A hash of the contents of all files that the method's constants name; 0: they name none. */
uint64_t sweep_method_files(const struct sweep_method *method);

/* FAIL_INPUT: one of these files has changed since the plan was made. */
enum failure_kind sweep_check_method(const struct sweep_method *method, struct failure *failure);

/* Fails with FAIL_USAGE: the sweep has more than SWEEP_MOST_RUNS runs. */
enum failure_kind sweep_fail_too_many(struct failure *failure);

#endif
