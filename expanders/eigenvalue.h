/* eigenvalue.h - the two largest eigenvalues of N'N, estimated by an iteration. */
#ifndef MESHCAST_EXPANDERS_EIGENVALUE_H
#define MESHCAST_EXPANDERS_EIGENVALUE_H

#include "expanders/adjacency.h"

/* The basis of the iteration has 20 vectors, and must not fill the space. Of smaller graphs every proof
 * is cheap (spectral.c), so that no estimate is needed. */
enum { EIGENVALUE_LEAST_GROUPS = 32 };

/* Sets first >= second. *found is false, and nothing is set, where the graph has less than
 * EIGENVALUE_LEAST_GROUPS groups or the iteration did not converge. These are estimates, which
 * prove nothing. FAIL_SYSTEM: no memory. Always the same start, so always the same values. */
enum failure_kind eigenvalue_estimate(const struct adjacency *adjacency, double *first,
                                      double *second, bool *found, struct failure *failure);

#endif
