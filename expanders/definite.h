/* definite.h - a proof, in floating point, that a symmetric matrix has no eigenvalue far below 0.
 */
#ifndef MESHCAST_EXPANDERS_DEFINITE_H
#define MESHCAST_EXPANDERS_DEFINITE_H

#include "expanders/effort.h"

#include <stdbool.h>
#include <stdint.h>

/* Factors the symmetric matrix of `order` rows, of which the lower triangle with the diagonal is
 * given in matrix[i * order + j], j <= i, and overwritten. True if the factorisation came
 * to its end; then, and whatever the rounding, no eigenvalue of the matrix given is below minus
 * *allowance. `threads` threads share the work; the result does not depend on their number.
 * `effort` receives the progress. `panel` is scratch of DEFINITE_BLOCK * order numbers. */
bool definite_factor(double *matrix, uint32_t order, double *panel, uint32_t threads,
                     const struct effort *effort, double *allowance);

enum { DEFINITE_BLOCK = 64 };

#endif
