/* results_fit.h - two laws for each router and pattern: log steps = a + x log c + y log n, and
 * steps = c1 S + c2 m. */
#ifndef MESHCAST_LAB_RESULTS_FIT_H
#define MESHCAST_LAB_RESULTS_FIT_H

#include "lab/results_group.h"

#include <stdint.h>

/* A coefficient and its standard error; NAN where it, or its error, cannot be had. */
struct fit_value {
    double value, error;
};

/* Coefficients c1, c2 >= 0 of steps = c1 S + c2 m, S being sqrt(l c n); NAN where points do not
 * tell them apart. `scatter`: standard deviation of steps / (c1 S + c2 m) about 1; NAN: two points
 * or fewer. */
struct fit_sum {
    double of_s, of_m, scatter;
};

struct fit {
    struct fit_value a, x, y; /* natural logarithms */
    double scatter;           /* standard deviation of log steps about the fit; NAN: none */
    struct fit_sum sum;
};

/* A point of a fit, all above 0: c (l c if nodes send l messages), n, m (half of rows and columns),
 * steps. */
struct fit_point {
    double c, n, m, steps;
};

/* Fits both laws by least squares. Where c is the same in all points x is NAN, and the same for n
 * and y; where c and n do not vary independently, or there are fewer points than coefficients, all
 * are. The sum is fitted by relative residuals, in which a point of few steps counts as much as one
 * of many; where S and m are proportional, as for one c, its coefficients are NAN. points >= 1.
 * FAIL_SYSTEM: no memory. */
enum failure_kind fit_points(const struct fit_point *point, uint32_t points, struct fit *fit,
                             struct failure *failure);

/* Sets *fits to an array with a fit for every router on every pattern that has two points at least,
 * whose keys are those of its first group and of the columns of lab/results_tables.c; the caller
 * owns it, also after a failure. */
enum failure_kind results_fits_make(json_t **fits, const struct results_groups *groups,
                                    struct failure *failure);

#endif
