/* open_loop.h - messages that arrive by themselves: latency against load.
 *
 * Each node makes messages at random times, whatever the network does with them. The first ones warm the network up;
 * the next ones are measured. Messages go on arriving until the last measured one is delivered. Runs with other random
 * values follow until the mean latency is known well enough. A load that the network cannot carry is reported as
 * saturated.
 *
 * Random values depend on (seed, run and node, index) alone: all schemes meet the same messages.
 */
#ifndef MESHCAST_NETWORK_OPEN_LOOP_H
#define MESHCAST_NETWORK_OPEN_LOOP_H

#include "network/experiment.h"
#include "network/latency.h"
#include "network/network.h"
#include "network/schemes/scheme.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    OPEN_LOOP_BATCHES = 10, /* a run, for the confidence of its mean */
    OPEN_LOOP_MAX_ORDER = 1000,
    OPEN_LOOP_MAX_MESSAGES =
        1 << 29 /* to warm up, and to measure: 3 times both are fewer than 2^32 */
};

/* A message in 10^9 cycles: cycles of a run then stay far below 2^64. */
#define OPEN_LOOP_LEAST_RATE 1e-9

/* What nodes send where it is not uniform: node v draws one of the lists first[v] .. first[v + 1] - 1, and if there is
 * none it sends nothing. List i is destination[offset[i] .. offset[i + 1] - 1], ascending, each node once; the source
 * may be among them. */
struct destination_lists {
    const uint64_t *first;  /* [nodes + 1] */
    const uint64_t *offset; /* one more than lists */
    const uint32_t *destination;
};

struct open_loop {
    const struct topology *topology;
    const struct scheme *scheme;
    struct scheme_choices choices;
    struct network_settings settings;
    double rate; /* messages per node and cycle, > 0, order * rate <= 1 */
    uint32_t
        order; /* of the times between messages: the sum of so many geometric ones; 1: geometric */
    uint32_t destinations; /* distinct nodes, not the source: 1 .. nodes - 1 */
    /* The share of uniform messages that have `destinations`, in [0, 1]; the others have one. 0: all have them. */
    double multicast_share;
    const struct destination_lists *lists; /* NULL: uniform */
    uint32_t least_flits, most_flits;      /* uniform between them */
    uint64_t warmup, measured;             /* messages a run; measured >= OPEN_LOOP_BATCHES */
    bool is_finite;                        /* no messages arrive behind the measured ones */
    bool is_patient;    /* a saturated run goes on until all measured ones are done */
    double precision;   /* runs repeat until half_width / mean is at most this, .. */
    uint32_t most_runs; /* .. or there were so many, >= 1 */
    uint64_t seed;
    network_watcher *watcher; /* of measured messages, those of all runs so far; may be NULL */
    void *watcher_context;
};

struct open_loop_result {
    struct latency_interval latency;
    struct latency_summary summary; /* of all measured messages that are done */
    double accepted; /* messages per node and cycle that were delivered behind the warm-up */
    bool is_saturated;
    bool is_rising;  /* not saturated, but the network had not settled: the mean may be too small */
    bool is_partial; /* the watcher ended it */
    uint32_t runs;
    uint64_t cycles;   /* of all runs */
    uint64_t messages; /* measured and done, of all runs */
    uint64_t crossings, startups;
    uint32_t buffer_peak;
    uint64_t unsent_peak;
    struct network_wait *deadlock; /* NULL: none */
    size_t waits;
};

/* Returns the share of uniform messages that have loop->destinations, above 0. */
static inline double open_loop_multicast_share(const struct open_loop *loop)
{
    return loop->multicast_share > 0 ? loop->multicast_share : 1;
}

/* FAIL_USAGE: a value is out of range, or the scheme or network cannot run so; the text says what would do. */
enum failure_kind open_loop_check(const struct open_loop *loop, struct failure *failure);

/* Runs it; open_loop_check() comes first. FAIL_CHECK (a
 * deadlock, an overflow, a check) leaves a result, as burst_run() does. FAIL_SYSTEM: no memory.
 * open_loop_free() in any case. */
enum failure_kind open_loop_run(const struct open_loop *loop, struct open_loop_result *result,
                                struct failure *failure);

void open_loop_free(struct open_loop_result *result);

#endif
