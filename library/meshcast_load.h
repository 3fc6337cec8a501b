/* meshcast_load.h - latency against load: messages that arrive by themselves, for programs.
 *
 * A call is a point: one scheme, one rate. `meshcast load` prints the same figures; doc/network.md says how
 * it measures. The error rule, ownership and threads are those of meshcast.h; schemes and options are in
 * meshcast_plan.h.
 */
#ifndef MESHCAST_LOAD_H
#define MESHCAST_LOAD_H

#include "meshcast_network.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* What nodes send. */
struct meshcast_traffic {
    double rate;           /* messages that a node makes in a cycle, above 0 and up to 1 */
    uint32_t destinations; /* of a message, all other nodes being as likely; 0: one */
    /* The share of messages that have `destinations`, in [0, 1]; the others have one. 0: all have them. */
    double multicast_share;
    const char *pattern; /* NULL or "uniform", or a permutation of kernels: random, transpose, .. */
    const struct meshcast_set
        *set; /* instead: a node draws one of its messages in the set; NULL: none */
};

struct meshcast_load;

/* Measures the point. `options` may be NULL. With MESHCAST_OK, with MESHCAST_CHECK (a deadlock, an
 * overflow, a check) and with MESHCAST_INTERRUPTED *load is the caller's and holds what was measured until
 * then, else NULL. A load that the network cannot carry is MESHCAST_OK, and saturated. MESHCAST_USAGE: a
 * value is out of range, or the scheme or network cannot run so. */
enum meshcast_status meshcast_load_run(const struct meshcast_topology *topology,
                                       const struct meshcast_scheme *scheme,
                                       const struct meshcast_traffic *traffic,
                                       const struct meshcast_network_options *options,
                                       struct meshcast_load **load, struct meshcast_error *error);
void meshcast_load_free(struct meshcast_load *load);

enum meshcast_load_figure {
    MESHCAST_LOAD_IS_SATURATED, /* 1: the network cannot carry it; the latency grows with the run */
    MESHCAST_LOAD_IS_RISING,    /* 1: the network had not settled, and the mean may be too small */
    MESHCAST_LOAD_HAS_LATENCY,  /* 1: the latency means something */
    MESHCAST_LOAD_RUNS,
    MESHCAST_LOAD_CYCLES,    /* of all runs, as all below */
    MESHCAST_LOAD_MESSAGES,  /* measured and done */
    MESHCAST_LOAD_CROSSINGS, /* flits over links */
    MESHCAST_LOAD_STARTUPS,  /* worms */
    MESHCAST_LOAD_BUFFER_PEAK,
    MESHCAST_LOAD_UNSENT_PEAK,
    MESHCAST_LOAD_LATENCY_MEDIAN, /* cycles per message */
    MESHCAST_LOAD_LATENCY_P95,
    MESHCAST_LOAD_LATENCY_P99,
    MESHCAST_LOAD_LATENCY_MAX,
    MESHCAST_LOAD_WARMUP, /* messages a run, as used */
    MESHCAST_LOAD_MEASURED,
};
uint64_t meshcast_load_figure(const struct meshcast_load *load, enum meshcast_load_figure figure);

/* The mean latency in cycles, and the half width of its confidence interval of 95 %, where
 * MESHCAST_LOAD_HAS_LATENCY, else 0. */
double meshcast_load_latency(const struct meshcast_load *load, double *half_width);

/* Messages per node and cycle: those that were delivered after the warm-up; and an upper bound of what any scheme can
 * carry, and of what the routing in use can carry, above 0 and up to 1; the last is 0 where it is not known. */
double meshcast_load_accepted(const struct meshcast_load *load);
double meshcast_load_capacity(const struct meshcast_load *load);
double meshcast_load_routing_capacity(const struct meshcast_load *load);

/* As meshcast_network_deadlock(), but that messages are numbered as the run made them. */
const struct meshcast_wait *meshcast_load_deadlock(const struct meshcast_load *load,
                                                   uint32_t *count);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
