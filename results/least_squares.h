/* least_squares.h - the coefficients that fit a few regressors to measurements best. */
#ifndef MESHCAST_RESULTS_LEAST_SQUARES_H
#define MESHCAST_RESULTS_LEAST_SQUARES_H

#include <stdbool.h>
#include <stdint.h>

enum { LEAST_SQUARES_COLUMNS = 3 }; /* at most */

/* A system of `points` equations in `columns` coefficients; points >= columns >= 1. */
struct least_squares {
    uint32_t points, columns;
    double *matrix; /* [columns * points], column by column; used up */
    double *right;  /* [points]; used up: the residuals are left */
    double coefficient[LEAST_SQUARES_COLUMNS];
    double inverse[LEAST_SQUARES_COLUMNS]
                  [LEAST_SQUARES_COLUMNS]; /* of R, where the matrix is Q R */
};

/* Sets the coefficients, and inverse(R), whose product with its transpose is inverse(A^T A). Returns false, and leaves both
 * undefined, where a column is zero or depends on the others (to 1e-8 of the longest column). */
bool least_squares_solve(struct least_squares *system);

#endif
