/* least_squares.h - fits the coefficients of a few regressors to measurements. */
#ifndef MESHCAST_RESULTS_LEAST_SQUARES_H
#define MESHCAST_RESULTS_LEAST_SQUARES_H

#include <stdbool.h>
#include <stdint.h>

enum { LEAST_SQUARES_COLUMNS = 3 }; /* at most */

/* A system of `points` equations in `columns` coefficients; points >= columns >= 1. */
struct least_squares {
    uint32_t points, columns;
    double *matrix; /* [columns * points], column by column; overwritten by Q */
    double *right;  /* [points]; overwritten by the residuals */
    double coefficient[LEAST_SQUARES_COLUMNS];
    /* the inverse of R, where the matrix is Q R */
    double inverse[LEAST_SQUARES_COLUMNS][LEAST_SQUARES_COLUMNS];
};

/* Sets the coefficients and the inverse of R, whose product with its transpose is inverse(A^T A). Returns false, and leaves
 * both undefined, if a column is zero or depends on the others (to 1e-8 of the longest column). */
bool least_squares_solve(struct least_squares *system);

#endif
