/* scheme_case.h - what suites of schemes share: random multicasts, plans, and which worms meet on links. */
#ifndef MESHCAST_TEST_SCHEMES_SCHEME_CASE_H
#define MESHCAST_TEST_SCHEMES_SCHEME_CASE_H

#include "network/schemes/scheme.h"

#include <stdint.h>

enum { SCHEME_CASE_NODES = 256 };

/* The next words of a scheme's parameters; false: these were the last, and the first ones follow. */
bool scheme_case_next_choices(const struct scheme *scheme, struct scheme_choices *choices);

/* The plan of the scheme of that name; plan_free() it. */
struct plan scheme_case_plan(const char *name, const struct scheme_choices *choices,
                             const struct topology *topology, const struct multicast *multicast);

/* A random source, and so many random destinations, or as many as there are; they depend on `number`. */
struct multicast scheme_case_multicast(const struct topology *topology, uint64_t number,
                                       uint32_t destinations, uint32_t *destination);

/* Sets the step of each worm, counted from the beginning, by what worms tell; returns the largest one. Of nodes below
 * SCHEME_CASE_NODES. */
uint32_t scheme_case_steps(const struct plan *plan, uint32_t *step);

/* How often a path worm takes a link that another one of the same step has taken; steps are 1 .. steps. */
uint32_t scheme_case_contentions(const struct plan *plan, const struct topology *topology,
                                 const uint32_t *step, uint32_t steps);

#endif
