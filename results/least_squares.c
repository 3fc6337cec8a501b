/* least_squares.c - min |A b - s| by A = Q R.
 *
 * Method: modified Gram-Schmidt. Each column in turn is divided by its length, and its direction is taken out of the later
 * columns and of s at once. What s loses is Q^T s. It is computed from the rest of s, never from s itself, which makes the
 * coefficients as accurate as Householder's. The normal equations would square the condition number.
 *
 * Cost: O(points columns^2) time, no memory.
 */
#include "results/least_squares.h"

#include <math.h>
#include <stddef.h>

static const double SINGULAR = 1e-8; /* of a diagonal of R, relative to the largest */

static double product_of(const double *x, const double *y, uint32_t points)
{
    double sum = 0;
    for (uint32_t i = 0; i < points; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Subtracts from x its component along the unit vector; returns the component. */
static double take_out(const double *unit, double *x, uint32_t points)
{
    double part = product_of(unit, x, points);
    for (uint32_t i = 0; i < points; i++)
        x[i] -= part * unit[i];
    return part;
}

/* Turns the matrix into Q, and sets `upper` to R and `image` to Q^T s; false if R is singular. */
static bool decompose(struct least_squares *system,
                      double upper[LEAST_SQUARES_COLUMNS][LEAST_SQUARES_COLUMNS],
                      double image[LEAST_SQUARES_COLUMNS])
{
    uint32_t points = system->points;
    double largest = 0, least = INFINITY;
    for (uint32_t k = 0; k < system->columns; k++) {
        double *unit = system->matrix + (size_t)k * points;
        upper[k][k] = sqrt(product_of(unit, unit, points));
        largest = fmax(largest, upper[k][k]);
        least = fmin(least, upper[k][k]);
        if (!(least > SINGULAR * largest))
            return false;
        for (uint32_t i = 0; i < points; i++)
            unit[i] /= upper[k][k];
        for (uint32_t j = k + 1; j < system->columns; j++)
            upper[k][j] = take_out(unit, system->matrix + (size_t)j * points, points);
        image[k] = take_out(unit, system->right, points);
    }
    return true;
}

bool least_squares_solve(struct least_squares *system)
{
    double upper[LEAST_SQUARES_COLUMNS][LEAST_SQUARES_COLUMNS], image[LEAST_SQUARES_COLUMNS];
    if (!decompose(system, upper, image))
        return false;
    for (uint32_t i = system->columns; i-- > 0;) { /* row i of the inverse needs those below it */
        system->coefficient[i] = 0;
        for (uint32_t j = 0; j < system->columns; j++) {
            double sum = i == j;
            for (uint32_t k = i + 1; k <= j; k++)
                sum -= upper[i][k] * system->inverse[k][j];
            system->inverse[i][j] = j < i ? 0 : sum / upper[i][i];
            system->coefficient[i] += system->inverse[i][j] * image[j];
        }
    }
    return true;
}
