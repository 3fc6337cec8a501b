/* open_loop_total.h - the measurements of all runs of an open loop: the interval of the mean, and
 * its growth.
 *
 * Each run is cut into OPEN_LOOP_BATCHES batches in the order in which messages were created.
 */
#ifndef MESHCAST_NETWORK_OPEN_LOOP_TOTAL_H
#define MESHCAST_NETWORK_OPEN_LOOP_TOTAL_H

#include "network/open_loop.h"

/* The runs that a mean needs if messages that follow one another are alike, and that growing
 * latencies need. */
enum { OPEN_LOOP_LEAST_RUNS = 5 };

/* A zeroed one has no runs. */
struct open_loop_total {
    uint64_t *latency; /* of `count` messages that are done */
    uint64_t count;
    double *batch;   /* means; whole runs, or a single one that the watcher ended */
    double *settled; /* room for as many, for open_loop_total_interval() */
    uint32_t batches, runs;
    double accepted;       /* the sum over `runs` runs */
    double steady, growth; /* of the backlogs, in messages, summed over runs */
    /* Of short batches, and of each with the next one, summed over runs. */
    double variation, covariation;
};

/* One run. */
struct open_loop_run {
    /* Of the measured messages, in the order of their creation; OPEN_LOOP_NOT_DONE: not yet. */
    uint64_t *latency;
    uint64_t begin, end; /* cycles of the first and the last measured one; UINT64_MAX: not yet */
    uint64_t done_before, delivered; /* messages delivered up to `begin`, and from then to `end` */
    double accepted;                 /* messages per node and cycle */
};

#define OPEN_LOOP_NOT_DONE UINT64_MAX

/* Returns room for the latencies of another run, which begin at total->latency + total->count, all
 * of them not done. NULL: no memory. */
uint64_t *open_loop_total_room(struct open_loop_total *total, const struct open_loop *loop);

/* Adds a run whose latencies are in that memory. */
void open_loop_total_add(struct open_loop_total *total, const struct open_loop *loop,
                         const struct open_loop_run *run);

/* Returns the interval of the mean; {0, INFINITY} before any batch. If latencies swing it is that
 * of the means without the first two batches of each run. */
struct latency_interval open_loop_total_interval(const struct open_loop_total *total);

/* True if the interval is reliable: messages that follow one another are not alike, or there are
 * enough runs. */
bool open_loop_total_is_sure(const struct open_loop_total *total);

/* True if more arrives than is carried: the backlogs grew during the measurement, or the latencies
 * did, in at least five runs. */
bool open_loop_total_has_grown(const struct open_loop_total *total, const struct open_loop *loop);

/* True if so many more messages arrived than were delivered that the network had not settled: a
 * less strict test, since its only consequence is that the mean is too small. */
bool open_loop_total_is_rising(const struct open_loop_total *total, const struct open_loop *loop);

void open_loop_total_free(struct open_loop_total *total);

#endif
