/* stress_private.h - figures of a run with one capacity, for the handles of stress and races. For library/
 * alone. */
#ifndef MESHCAST_LIBRARY_STRESS_PRIVATE_H
#define MESHCAST_LIBRARY_STRESS_PRIVATE_H

#include "library/handle_private.h"
#include "library/meshcast_stress.h"
#include "search/stress.h"

uint64_t stress_run_figure_of(const struct stress_run *run, enum meshcast_stress_run_figure figure);

#endif
