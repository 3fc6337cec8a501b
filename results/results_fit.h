/* results_fit.h - two laws for each router and pattern: log steps = a + x log c + y log n, and steps = c1 S + c2 m. */
#ifndef MESHCAST_RESULTS_RESULTS_FIT_H
#define MESHCAST_RESULTS_RESULTS_FIT_H

#include "results/results_group.h"

#include <stdbool.h>
#include <stdint.h>

/* A coefficient and its standard error; NAN where it, or its error, cannot be had. */
struct fit_value {
    double value, error;
};

/* Coefficients c1, c2 >= 0 of steps = c1 S + c2 m, S being sqrt(l c n); NAN where points do not tell them apart. */
struct fit_sum {
    double of_s, of_m;
    double
        scatter; /* standard deviation of steps / (c1 S + c2 m) about 1; NAN: two points or fewer */
};

/* The fits of one router on one pattern; every group of theirs is a point, its median. */
struct results_fit {
    const struct results_group *of; /* the first group: names */
    uint32_t points;
    struct fit_value a, x, y; /* natural logarithms */
    double scatter;           /* standard deviation of log steps about the fit; NAN: no such */
    struct fit_sum sum;
    double least, most; /* of steps / sqrt(c n), medians over seeds, over the points */
};

struct results_fits {
    uint32_t count;
    struct results_fit *fit;
};

/* A point of a fit. */
struct fit_point {
    double c, n, m,
        steps; /* all above 0; c: l c where nodes send l messages; m: half of rows and columns */
};

/* Fits both laws by least squares. Where c is the same in all points x is NAN, and the same for n and y; where c and n do
 * not vary independently, or there are fewer points than coefficients, all are. The sum is fitted by relative residuals, in
 * which a point of few steps counts as much as one of many; where S and m are proportional, as for one c, its coefficients
 * are NAN. points >= 1. FAIL_SYSTEM: no memory. */
enum failure_kind fit_points(const struct fit_point *point, uint32_t points,
                             struct results_fit *fit, struct failure *failure);

/* Fits every router on every pattern of the groups that has two points at least; the groups must
 * outlive the fits. results_fits_free() when done. */
enum failure_kind results_fits_make(struct results_fits *fits, const struct results_groups *groups,
                                    struct failure *failure);
void results_fits_free(struct results_fits *fits);

#endif
