/* results_fit.h - log steps = a + x log c + y log n, for each router and pattern. */
#ifndef MESHCAST_RESULTS_RESULTS_FIT_H
#define MESHCAST_RESULTS_RESULTS_FIT_H

#include "results/results_group.h"

#include <stdbool.h>
#include <stdint.h>

/* A coefficient and its standard error; NAN where it, or its error, cannot be had. */
struct fit_value {
    double value, error;
};

/* The fit of one router on one pattern; every group of theirs is a point, its median. */
struct results_fit {
    const struct results_group *of; /* the first group: names */
    uint32_t points;
    struct fit_value a, x, y; /* natural logarithms */
    double scatter;           /* standard deviation of log steps about the fit; NAN: no such */
    double least, most;       /* of steps / sqrt(c n), medians over seeds, over the points */
};

struct results_fits {
    uint32_t count;
    struct results_fit *fit;
};

/* A point of a fit. */
struct fit_point {
    double c, n, steps; /* all above 0 */
};

/* Fits by least squares. Where c is the same in all points x is NAN, and the same for n and y;
 * where c and n do not vary independently, or there are fewer points than coefficients, all are.
 * FAIL_SYSTEM: no memory. */
enum failure_kind fit_points(const struct fit_point *point, uint32_t points,
                             struct results_fit *fit, struct failure *failure);

/* Fits every router on every pattern of the groups that has two points at least; the groups must
 * outlive the fits. results_fits_free() when done. */
enum failure_kind results_fits_make(struct results_fits *fits, const struct results_groups *groups,
                                    struct failure *failure);
void results_fits_free(struct results_fits *fits);

#endif
