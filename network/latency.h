/* latency.h - statistics of latencies: percentiles of a burst, confidence of an open loop. */
#ifndef MESHCAST_NETWORK_LATENCY_H
#define MESHCAST_NETWORK_LATENCY_H

#include <stdint.h>

/* A percentile is the least latency that this share of messages, in percent, does not exceed. All
 * are 0 without messages. */
struct latency_summary {
    double mean;
    uint64_t median, p95, p99, max;
};

/* Sorts latency[0 .. count-1], in cycles, and returns its summary. */
struct latency_summary latency_summarise(uint64_t *latency, uint64_t count);

/* A mean and its confidence: with 95 % confidence it is within half_width of the true mean, if the
 * batches are as good as independent. */
struct latency_interval {
    double mean, half_width; /* half_width is infinite for fewer than two batches */
};

/* Cuts latency[0 .. count-1], in the order in which the messages were created, into `batches` parts
 * of equal size (up to one) and writes the mean of each. count >= batches. */
void latency_batch_means(const uint64_t *latency, uint64_t count, uint32_t batches, double *mean);

/* Returns the interval of Student's t about the mean of batch means, where each `together` adjacent
 * batches count as one; `batches` is a multiple of it. */
struct latency_interval latency_interval_of(const double *mean, uint32_t batches,
                                            uint32_t together);

/* Returns the widest of the intervals in which 1, 2, half a run's and a whole run's batches count
 * as one, as far as at least five remain; `batches` is a multiple of `per_run`, which is even. If
 * batches that follow one another are alike, larger ones show more of the effect of chance. */
struct latency_interval latency_interval_widest(const double *mean, uint32_t batches,
                                                uint32_t per_run);

/* Returns the t for which a value of Student's distribution with so many degrees of freedom, >= 1,
 * is in -t .. t in 95 of 100 cases. */
double latency_student(uint32_t degrees);

#endif
