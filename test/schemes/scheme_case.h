/* scheme_case.h - common code of suites of schemes: random multicasts, plans, and worms that meet
 * on links. */
#ifndef MESHCAST_TEST_SCHEMES_SCHEME_CASE_H
#define MESHCAST_TEST_SCHEMES_SCHEME_CASE_H

#include "network/schemes/scheme.h"

#include <stdint.h>

enum { SCHEME_CASE_NODES = 256 };

/* Advances to the next words of a scheme's parameters; false: these were the last, and the first
 * ones follow. */
bool scheme_case_next_choices(const struct scheme *scheme, struct scheme_choices *choices);

/* Returns the plan of the scheme of that name; the caller calls plan_free(). */
struct plan scheme_case_plan(const char *name, const struct scheme_choices *choices,
                             const struct topology *topology, const struct multicast *multicast);

/* Returns a random source, and so many random destinations, or as many as there are; they depend on
 * `number`. */
struct multicast scheme_case_multicast(const struct topology *topology, uint64_t number,
                                       uint32_t destinations, uint32_t *destination);

/* Sets the step of each worm, counted from the beginning, by the worms' own steps; returns the
 * largest one. Of nodes below SCHEME_CASE_NODES. */
uint32_t scheme_case_steps(const struct plan *plan, uint32_t *step);

/* Returns how often a path worm uses a link of another one of the same step; steps are 1 ..
 * steps. */
uint32_t scheme_case_contentions(const struct plan *plan, const struct topology *topology,
                                 const uint32_t *step, uint32_t steps);

#endif
