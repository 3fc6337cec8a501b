/* latency.c - percentiles, batch means, and Student's interval about them.
 *
 * Method: Student's distribution has a closed form for whole degrees of freedom (Abramowitz,
 * Stegun, 26.7.3 and 26.7.4); its quantile is found by bisection.
 */
#include "network/latency.h"

#include "base/numbers.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/* Returns the index of a percentile in `count` sorted latencies. */
static uint64_t place_of(uint64_t count, uint32_t percent)
{
    uint64_t rank = (count * percent + 99) / 100;
    return rank > 0 ? rank - 1 : 0;
}

struct latency_summary latency_summarise(uint64_t *latency, uint64_t count)
{
    uint64_t sum = 0;
    if (count == 0)
        return (struct latency_summary){0};
    for (uint64_t i = 0; i < count; i++)
        sum += latency[i];
    qsort(latency, count, sizeof *latency, compare_u64);
    return (struct latency_summary){.mean = (double)sum / (double)count,
                                    .median = latency[place_of(count, 50)],
                                    .p95 = latency[place_of(count, 95)],
                                    .p99 = latency[place_of(count, 99)],
                                    .max = latency[count - 1]};
}

void latency_batch_means(const uint64_t *latency, uint64_t count, uint32_t batches, double *mean)
{
    for (uint32_t i = 0; i < batches; i++) {
        uint64_t begin = count * i / batches, end = count * (i + 1) / batches;
        double sum = 0;
        for (uint64_t j = begin; j < end; j++)
            sum += (double)latency[j];
        mean[i] = sum / (double)(end - begin);
    }
}

/* Returns the probability of a value in -t .. t. */
static double student_within(double t, uint32_t degrees)
{
    double angle = atan(t / sqrt(degrees)), square = cos(angle) * cos(angle);
    bool is_odd = degrees % 2 == 1;
    double term = is_odd ? cos(angle) : 1, sum = 0;
    for (uint32_t i = is_odd ? 3 : 2; i <= degrees; i += 2) {
        sum += term;
        term *= square * (i - 1) / i;
    }
    return is_odd ? 2 / PI * (angle + sin(angle) * sum) : sin(angle) * sum;
}

double latency_student(uint32_t degrees)
{
    double low = 0, high = 16; /* it is 12.7 for one degree, and falls */
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (student_within(middle, degrees) < 0.95)
            low = middle;
        else
            high = middle;
    }
    return high;
}

struct latency_interval latency_interval_of(const double *mean, uint32_t batches, uint32_t together)
{
    struct latency_interval interval = {0, INFINITY};
    uint32_t groups = batches / together;
    double squares = 0;
    for (uint32_t i = 0; i < batches; i++)
        interval.mean += mean[i] / batches;
    for (uint32_t i = 0; i < groups; i++) {
        double group = 0;
        for (uint32_t j = i * together; j < (i + 1) * together; j++)
            group += mean[j] / together;
        squares += (group - interval.mean) * (group - interval.mean);
    }
    if (groups >= 2)
        interval.half_width = latency_student(groups - 1) * sqrt(squares / (groups - 1.0) / groups);
    return interval;
}

struct latency_interval latency_interval_widest(const double *mean, uint32_t batches,
                                                uint32_t per_run)
{
    enum { LEAST_BATCHES = 5 };
    const uint32_t together[] = {2, per_run / 2, per_run};
    struct latency_interval widest = latency_interval_of(mean, batches, 1);
    for (size_t i = 0; i < sizeof together / sizeof *together; i++) {
        if (batches / together[i] < LEAST_BATCHES)
            break;
        struct latency_interval interval = latency_interval_of(mean, batches, together[i]);
        if (interval.half_width > widest.half_width)
            widest = interval;
    }
    return widest;
}
