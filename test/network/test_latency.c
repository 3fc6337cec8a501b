/* test_latency.c - statistics of latencies, against values found in another way.
 *
 * Method: percentiles by counting; Student's quantiles by integrating the density, and those of
 * printed tables; the interval by how often it holds the true mean of random values.
 */
#include "network/latency.h"

#include "base/pcg.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

enum { MOST = 1000 };

/* Returns the least latency that `percent` of a hundred do not exceed. */
static uint64_t counted(const uint64_t *latency, uint64_t count, uint32_t percent)
{
    uint64_t least = UINT64_MAX;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t within = 0;
        for (uint64_t j = 0; j < count; j++)
            within += latency[j] <= latency[i];
        if (within * 100 >= count * percent && latency[i] < least)
            least = latency[i];
    }
    return least;
}

/* Mean, percentiles and maximum of random values are those that are found by counting. */
START_TEST(summaries)
{
    struct pcg32 random = pcg32_seed(1, 2);
    const uint64_t counts[] = {1, 2, 3, 19, 20, 21, 99, 100, 101, 200};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (uint32_t bound = 1; bound < 2000; bound = bound * 7 + 1) {
            uint64_t latency[MOST], copy[MOST], sum = 0;
            for (uint64_t i = 0; i < counts[c]; i++) {
                copy[i] = latency[i] = pcg32_below(&random, bound);
                sum += latency[i];
            }
            struct latency_summary summary = latency_summarise(latency, counts[c]);
            ck_assert_double_eq_tol(summary.mean, (double)sum / (double)counts[c], 1e-9);
            ck_assert_uint_eq(summary.median, counted(copy, counts[c], 50));
            ck_assert_uint_eq(summary.p95, counted(copy, counts[c], 95));
            ck_assert_uint_eq(summary.p99, counted(copy, counts[c], 99));
            ck_assert_uint_eq(summary.max, counted(copy, counts[c], 100));
        }
    ck_assert_uint_eq(latency_summarise(NULL, 0).max, 0);
}
END_TEST

/* Batches of 103 values: each value counts in one, and their sizes differ by one at most. */
START_TEST(batches)
{
    uint64_t latency[103];
    double mean[10], sum = 0;
    for (uint64_t i = 0; i < 103; i++)
        latency[i] = i;
    latency_batch_means(latency, 103, 10, mean);
    for (uint32_t i = 0; i < 10; i++) {
        uint64_t begin = 103 * i / 10, end = 103 * (i + 1) / 10;
        ck_assert_double_eq_tol(mean[i], (double)(begin + end - 1) / 2, 1e-9);
        sum += mean[i] * (double)(end - begin);
    }
    ck_assert_double_eq_tol(sum, 103 * 102 / 2, 1e-6);
}
END_TEST

/* Returns the weight of Student's distribution in -t .. t, by Simpson's rule. */
static double integrated(double t, uint32_t degrees)
{
    enum { PARTS = 20000 };
    double n = degrees, sum = 0;
    double factor = exp(lgamma((n + 1) / 2) - lgamma(n / 2)) / sqrt(n * acos(-1));
    for (int i = 0; i <= PARTS; i++) {
        double x = t * i / PARTS, density = factor * pow(1 + x * x / n, -(n + 1) / 2);
        sum += density * (i == 0 || i == PARTS ? 1 : i % 2 == 1 ? 4 : 2);
    }
    return 2 * sum * t / PARTS / 3;
}

/* Student's quantiles hold 95 % of the density, and are those of tables. */
START_TEST(student)
{
    static const struct {
        uint32_t degrees;
        double t;
    } table[] = {{1, 12.706}, {2, 4.303},  {3, 3.182},  {4, 2.776},  {9, 2.262},
                 {19, 2.093}, {29, 2.045}, {99, 1.984}, {299, 1.968}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        ck_assert_double_eq_tol(latency_student(table[i].degrees), table[i].t, 0.0006);
        ck_assert_double_eq_tol(integrated(latency_student(table[i].degrees), table[i].degrees),
                                0.95, 1e-5);
    }
}
END_TEST

/* The true mean is in 95 % of 2000 intervals about means of ten random values, give or take 1.5 %;
 * one batch tells nothing. */
START_TEST(coverage)
{
    struct pcg32 random = pcg32_seed(3, 4);
    int holds = 0;
    for (int i = 0; i < 2000; i++) {
        double mean[10];
        for (int j = 0; j < 10; j++) {
            mean[j] = -6;
            for (int k = 0; k < 12; k++) /* about normal, of mean 0 */
                mean[j] += pcg32_next(&random) / 4294967296.0;
        }
        struct latency_interval interval = latency_interval_of(mean, 10, 1);
        holds += fabs(interval.mean) <= interval.half_width;
    }
    ck_assert_int_ge(holds, 1870);
    ck_assert_int_le(holds, 1930);
    ck_assert(isinf(latency_interval_of((double[]){5}, 1, 1).half_width));
    /* Pairs of the same mean are five batches, not ten. */
    const double pairs[] = {1, 1, 2, 2, 3, 3, 4, 4, 5, 5}, singles[] = {1, 2, 3, 4, 5};
    double five = latency_interval_of(singles, 5, 1).half_width;
    ck_assert_double_eq_tol(latency_interval_of(pairs, 10, 2).half_width, five, 1e-12);
    ck_assert_double_eq_tol(latency_interval_widest(pairs, 10, 10).half_width, five, 1e-12);
}
END_TEST

void latency_suite(TCase *tests)
{
    tcase_add_test(tests, summaries);
    tcase_add_test(tests, batches);
    tcase_add_test(tests, student);
    tcase_add_test(tests, coverage);
}
