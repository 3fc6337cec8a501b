/* open_loop.h - messages that arrive by themselves: latency against load.
 *
 * Each node makes messages at random times, independent of the network. The first ones warm the
 * network up; the next ones are measured. Messages go on arriving until the last measured one is
 * delivered. Runs with other random values follow until the mean latency is known well enough. A
 * load that the network cannot carry is reported as saturated.
 *
 * Random values depend only on (seed, run and node, index): all schemes send the same messages.
 */
#ifndef MESHCAST_NETWORK_OPEN_LOOP_H
#define MESHCAST_NETWORK_OPEN_LOOP_H

#include "network/latency.h"
#include "network/network.h"
#include "network/schemes/scheme.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    OPEN_LOOP_BATCHES = 10, /* per run, for the confidence of its mean */
    OPEN_LOOP_MAX_ORDER = 1000,
    OPEN_LOOP_MAX_MESSAGES =
        1 << 29 /* to warm up, and to measure: 3 times both are fewer than 2^32 */
};

/* A message in 10^9 cycles: cycles of a run then stay far below 2^64. */
#define OPEN_LOOP_LEAST_RATE 1e-9

/* Messages that are not uniform: node v draws one of the lists first[v] .. first[v + 1] - 1;
 * without any it sends nothing. List i is destination[offset[i] .. offset[i + 1] - 1], ascending,
 * each node once; the source may be among them. */
struct destination_lists {
    const uint64_t *first;  /* [nodes + 1] */
    const uint64_t *offset; /* one more than lists */
    const uint32_t *destination;
};

/* Shares of messages by their number of destinations: kind i is this share of them. Shares are
 * above 0 and add up to 1; the last kind gets the rest. */
struct destination_mix {
    uint32_t kinds;
    struct {
        uint32_t destinations; /* distinct nodes, not the source: 1 .. nodes - 1 */
        double share;
    } kind[16];
};

struct open_loop {
    const struct topology *topology;
    const struct scheme *scheme;
    struct scheme_choices choices;
    struct network_settings settings;
    double rate; /* messages per node and cycle, > 0, order * rate <= 1 */
    /* of the times between messages: the sum of so many geometric ones; 1: geometric */
    uint32_t order;
    struct destination_mix mix;            /* of uniform messages */
    const struct destination_lists *lists; /* NULL: uniform */
    uint32_t least_flits, most_flits;      /* uniform between them */
    uint64_t warmup, measured;             /* messages per run; measured >= OPEN_LOOP_BATCHES */
    bool is_finite;                        /* no messages arrive after the measured ones */
    double precision;   /* runs repeat until half_width / mean is at most this, .. */
    uint32_t most_runs; /* .. or there were so many, >= 1 */
    uint64_t seed;
    network_watcher *watcher; /* of measured messages, counted over all runs so far; may be NULL */
    void *watcher_context;
};

struct open_loop_result {
    struct latency_interval latency;
    struct latency_summary summary; /* of all measured messages that are done */
    double accepted; /* messages per node and cycle that were delivered after the warm-up */
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

/* Returns the mix in which the share `multicasts` of messages have so many destinations, and all
 * others one. */
struct destination_mix destination_mix_of(uint32_t destinations, double multicasts);

/* FAIL_USAGE: a value is out of range, or the scheme or network cannot run so; the text names the
 * remedy. */
enum failure_kind open_loop_check(const struct open_loop *loop, struct failure *failure);

/* Runs it; open_loop_check() comes first. FAIL_CHECK (a deadlock, an overflow, a check) leaves a
 * result, as burst_run() does. FAIL_SYSTEM: no memory. open_loop_free() in any case. */
enum failure_kind open_loop_run(const struct open_loop *loop, struct open_loop_result *result,
                                struct failure *failure);

void open_loop_free(struct open_loop_result *result);

/* ---- the default lengths of warm-up and measurement ----
 *
 * A message depends on the messages of some latencies before it, so lengths follow from cycles: a
 * warm-up lasts OPEN_LOOP_WARMUP times the latency of a single message in the network, a batch
 * OPEN_LOOP_BATCH times. */

enum { OPEN_LOOP_WARMUP = 50, OPEN_LOOP_BATCH = 40 };

/* Messages whose mean latency is taken: it is needed only within some 10 %. */
enum { OPEN_LOOP_SAMPLE = 64 };

/* So rare that chance decides which nodes send. */
#define OPEN_LOOP_SAMPLE_RATE 1e-6

struct open_loop_pace {
    double latency;   /* the mean of OPEN_LOOP_SAMPLE messages without blocking, cycles */
    uint32_t senders; /* nodes that make messages */
};

/* Sends OPEN_LOOP_SAMPLE messages, one after the other, through an empty network. The pace does not
 * depend on rate, warmup and measured. open_loop_check() comes first. FAIL_SYSTEM: no memory. */
enum failure_kind open_loop_pace_of(const struct open_loop *loop, struct open_loop_pace *pace,
                                    struct failure *failure);

/* Return the messages of a warm-up, and the measured ones: those of such a time, at least 1000 and
 * 4 per node, and 10000 and 16 per node; at most OPEN_LOOP_MOST_BY_TIME if the least is not
 * more. */
uint64_t open_loop_warmup(const struct open_loop *loop, const struct open_loop_pace *pace);
uint64_t open_loop_measured(const struct open_loop *loop, const struct open_loop_pace *pace);

enum { OPEN_LOOP_MOST_BY_TIME = 1 << 24 };

/* ---- the messages of a loop, in the order in which they are created ---- */

struct arrivals;

/* Makes the messages of run `run` of a loop, which must outlive them. FAIL_SYSTEM: no memory. */
enum failure_kind arrivals_make(struct arrivals **arrivals, const struct open_loop *loop,
                                uint32_t run, struct failure *failure);
void arrivals_free(struct arrivals *arrivals);

/* Returns the number of nodes that send anything. */
uint32_t arrivals_senders(const struct arrivals *arrivals);

/* Returns the cycle of the next message; UINT64_MAX: no node sends. */
uint64_t arrivals_cycle(const struct arrivals *arrivals);

/* Takes the next message; its destinations are valid until the next call. At least one node must
 * send (arrivals_senders()). Messages of one cycle come in the order of their sources. */
struct multicast arrivals_take(struct arrivals *arrivals);

/* ---- capacity: the most messages per node and cycle that a network could carry permanently, by
 * any scheme ---- */

/* Sets *capacity to an upper bound of the rate, at most 1: by the messages that nodes inject and
 * consume, and, on a mesh or torus, by those that cross from one half of a dimension to the other.
 * FAIL_SYSTEM: no memory. */
enum failure_kind capacity_of(const struct open_loop *loop, double *capacity,
                              struct failure *failure);

/* Returns an upper bound of the rate, at most 1, by the routing in use: for uniform destinations
 * and `unicast` by x-first, by the capacity of the busiest link and of the busiest node's channels.
 * 0: it is not known. */
double capacity_of_routing(const struct open_loop *loop);

#endif
