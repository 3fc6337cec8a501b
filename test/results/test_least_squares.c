/* test_least_squares.c - least squares against exact rationals.
 *
 * Oracle: the normal equations of matrices of integers, solved by Cramer's rule in integers of 128 bits, so that nothing is
 * rounded before the one division at the end.
 */
#include "base/pcg.h"
#include "results/least_squares.h"

#include <check.h>
#include <math.h>

Suite *least_squares_suite(void);

enum { POINTS = 9, COLUMNS = LEAST_SQUARES_COLUMNS };

typedef __int128 exact;

/* A system in integers, and its normal equations. */
struct whole {
    uint32_t points, columns;
    int32_t matrix[COLUMNS][POINTS], right[POINTS];
    exact square[COLUMNS][COLUMNS], image[COLUMNS];
};

/* Of the matrix without a row and a column; that of none is 1. */
static exact minor_of(exact matrix[COLUMNS][COLUMNS], uint32_t columns, uint32_t row, uint32_t col)
{
    exact left[COLUMNS * COLUMNS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < columns; i++)
        for (uint32_t j = 0; j < columns; j++)
            if (i != row && j != col)
                left[count++] = matrix[i][j];
    return count == 0 ? 1 : count == 1 ? left[0] : left[0] * left[3] - left[1] * left[2];
}

static exact cofactor_of(exact matrix[COLUMNS][COLUMNS], uint32_t columns, uint32_t row,
                         uint32_t col)
{
    exact found = minor_of(matrix, columns, row, col);
    return (row + col) % 2 == 0 ? found : -found;
}

static exact determinant_of(exact matrix[COLUMNS][COLUMNS], uint32_t columns)
{
    exact sum = 0;
    for (uint32_t j = 0; j < columns; j++)
        sum += matrix[0][j] * cofactor_of(matrix, columns, 0, j);
    return sum;
}

static void multiply(struct whole *whole)
{
    for (uint32_t i = 0; i < whole->columns; i++) {
        whole->image[i] = 0;
        for (uint32_t j = 0; j < whole->columns; j++)
            whole->square[i][j] = 0;
        for (uint32_t k = 0; k < whole->points; k++) {
            whole->image[i] += (exact)whole->matrix[i][k] * whole->right[k];
            for (uint32_t j = 0; j < whole->columns; j++)
                whole->square[i][j] += (exact)whole->matrix[i][k] * whole->matrix[j][k];
        }
    }
}

static bool solve(const struct whole *whole, struct least_squares *system)
{
    static double matrix[COLUMNS * POINTS], right[POINTS];
    for (uint32_t k = 0; k < whole->points; k++) {
        right[k] = whole->right[k];
        for (uint32_t i = 0; i < whole->columns; i++)
            matrix[i * whole->points + k] = whole->matrix[i][k];
    }
    *system = (struct least_squares){whole->points, whole->columns, matrix, right, {0}, {{0}}};
    return least_squares_solve(system);
}

static void check_close(double found, exact above, exact below, double scale, double error)
{
    double expected = (double)above / (double)below;
    ck_assert_msg(fabs(found - expected) <= error * (fabs(expected) + scale), "%.17g, not %.17g",
                  found, expected);
}

/* The coefficients are the exact ones, inverse(R) with its transpose is the exact inverse, and the residuals are right. */
static void check_system(struct whole *whole, double error)
{
    struct least_squares system;
    multiply(whole);
    exact determinant = determinant_of(whole->square, whole->columns);
    if (determinant == 0) {
        ck_assert(!solve(whole, &system));
        return;
    }
    ck_assert(solve(whole, &system));
    for (uint32_t i = 0; i < whole->columns; i++) {
        exact sum = 0;
        for (uint32_t j = 0; j < whole->columns; j++)
            sum += cofactor_of(whole->square, whole->columns, j, i) * whole->image[j];
        check_close(system.coefficient[i], sum, determinant, 1, error);
        for (uint32_t j = 0; j < whole->columns; j++) {
            double product = 0, own = sqrt((double)minor_of(whole->square, whole->columns, i, i) *
                                           (double)minor_of(whole->square, whole->columns, j, j)) /
                                      (double)determinant;
            for (uint32_t k = 0; k < whole->columns; k++)
                product += system.inverse[i][k] * system.inverse[j][k];
            check_close(product, cofactor_of(whole->square, whole->columns, i, j), determinant, own,
                        error);
        }
    }
    for (uint32_t k = 0; k < whole->points; k++) {
        double left = whole->right[k];
        for (uint32_t i = 0; i < whole->columns; i++)
            left -= system.coefficient[i] * whole->matrix[i][k];
        ck_assert_double_le(fabs(left - system.right[k]), error * 1e4);
    }
}

static void draw(struct whole *whole, int32_t from, uint32_t range, struct pcg32 *random)
{
    whole->columns = 1 + pcg32_below(random, COLUMNS);
    whole->points = whole->columns + pcg32_below(random, POINTS - whole->columns + 1);
    for (uint32_t k = 0; k < whole->points; k++) {
        whole->right[k] = (int32_t)pcg32_below(random, 201) - 100;
        for (uint32_t i = 0; i < whole->columns; i++)
            whole->matrix[i][k] = from + (int32_t)pcg32_below(random, range);
    }
}

/* Small integers of either sign, of which many systems are singular. */
START_TEST(small_systems)
{
    struct pcg32 random = pcg32_seed(3, 1);
    for (int i = 0; i < 20000; i++) {
        struct whole whole;
        draw(&whole, -2, 5, &random);
        check_system(&whole, 1e-11);
    }
}
END_TEST

/* Columns that are almost the same: 3000 and a few. The normal equations, of condition 10^14, lose all but a few digits. */
START_TEST(almost_dependent_columns)
{
    struct pcg32 random = pcg32_seed(3, 2);
    for (int i = 0; i < 20000; i++) {
        struct whole whole;
        draw(&whole, 3000, 10, &random);
        check_system(&whole, 1e-8);
    }
}
END_TEST

/* A column that is zero, one that is a multiple of another, and one that is the sum of two others. */
START_TEST(dependent_columns_have_no_fit)
{
    struct whole zero = {3, 2, {{1, 2, 3}, {0, 0, 0}}, {1, 1, 1}, {{0}}, {0}};
    struct whole multiple = {4, 2, {{1, 2, 3, 7}, {3, 6, 9, 21}}, {1, 2, 1, 2}, {{0}}, {0}};
    struct whole sum = {4, 3, {{1, 1, 1, 1}, {5, 7, 8, 1}, {6, 8, 9, 2}}, {1, 2, 1, 2}, {{0}}, {0}};
    struct least_squares system;
    ck_assert(!solve(&zero, &system));
    ck_assert(!solve(&multiple, &system));
    ck_assert(!solve(&sum, &system));
}
END_TEST

Suite *least_squares_suite(void)
{
    Suite *suite = suite_create("least_squares");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, small_systems);
    tcase_add_test(tests, almost_dependent_columns);
    tcase_add_test(tests, dependent_columns_have_no_fit);
    suite_add_tcase(suite, tests);
    return suite;
}
