/* network_study.h - latencies on the network: bursts of random multicasts, and open loops.
 *
 * Latencies are in microseconds of 5 ns cycles, the tables have the cycles beside.
 */
#ifndef MESHCAST_PAPERS_NETWORK_STUDY_H
#define MESHCAST_PAPERS_NETWORK_STUDY_H

#include "network/network.h"
#include "papers/figure.h"

/* The length of a cycle, and cycles a microsecond. */
#define MICROSECONDS_A_CYCLE 0.005
#define CYCLES_A_MICROSECOND 200.0

/* The choices that network_study_settings() reads; an experiment writes its values. */
#define NETWORK_CHOICES(startup, mode, delay, ports, consumption, buffer)                          \
    {"startup", startup, "cycles a worm"},                                                         \
        {"startup-mode", mode,                                                                     \
         "`serial`: a node's startups follow one another; `per-port`: each port has its own"},     \
        {"router", delay, "cycles before a header asks for its output, one for the link besides"}, \
        {"injection", ports, "channels a node"}, {"consumption", consumption, "channels a node"},  \
        {"buffer", buffer, "flits a virtual channel"},                                             \
    {                                                                                              \
        "vcs", "1", "virtual channels a link"                                                      \
    }

struct network_settings network_study_settings(const struct paper *paper);

/* The choice that load_study_run() reads. */
#define ARRIVALS_CHOICE                                                                            \
    {                                                                                              \
        "arrivals", "geometric",                                                                   \
            "times between a node's messages; `negative-binomial` is steadier, the sum of two"     \
    }

/* ---- bursts ---- */

struct burst_point {
    uint32_t sources, destinations, flits; /* of each of the messages, whose sources are distinct */
};

struct burst_study {
    const struct paper *paper;
    struct topology topology;
    const struct network_settings *settings; /* of each contender */
    const struct burst_point *point;         /* of each x of the grids */
    uint32_t least_runs, most_runs; /* runs end when the half width is at most 5 % of the mean */
    struct grid *latency;           /* the mean latency of messages */
    struct grid *last;              /* the time of the last delivery; NULL: not wanted */
};

void burst_study_run(const struct burst_study *study);

/* ---- open loops ---- */

struct load_point_of_study {
    double rate; /* messages per node and microsecond */
    uint32_t destinations, least_flits, most_flits;
};

struct load_study {
    const struct paper *paper;
    struct topology topology;
    const struct network_settings *settings; /* of each contender */
    const struct load_point_of_study *point; /* of each x of the grid */
    uint64_t warmup, measured;               /* messages a run */
    uint32_t most_runs; /* runs end when the half width is at most 5 % of the mean */
    struct grid *latency;
};

/* A saturated point is measured again in a finite run, and marked. */
void load_study_run(const struct load_study *study);

/* The largest x at which a curve is not saturated; 0: none. */
double load_study_steady(const struct grid *grid, uint32_t curve);

#endif
