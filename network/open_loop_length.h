/* open_loop_length.h - how many messages warm a run up and are measured, where nobody says it.
 *
 * What a message meets depends on those of some latencies before it, so lengths follow from cycles: a warm-up lasts
 * OPEN_LOOP_WARMUP times the latency of a message that is alone in the network, a batch OPEN_LOOP_BATCH times.
 */
#ifndef MESHCAST_NETWORK_OPEN_LOOP_LENGTH_H
#define MESHCAST_NETWORK_OPEN_LOOP_LENGTH_H

#include "network/open_loop.h"

enum { OPEN_LOOP_WARMUP = 50, OPEN_LOOP_BATCH = 40 };

/* Messages whose mean latency is taken: it is wanted within some 10 % only. */
enum { OPEN_LOOP_SAMPLE = 64 };

/* They come so seldom that which nodes send is chance. */
#define OPEN_LOOP_SAMPLE_RATE 1e-6

struct open_loop_pace {
    double latency;   /* the mean of OPEN_LOOP_SAMPLE messages that nobody blocks, cycles */
    uint32_t senders; /* nodes that make messages */
};

/* Sends OPEN_LOOP_SAMPLE messages, one after the other, through an empty network. The pace does not depend on rate, warmup and
 * measured. open_loop_check() comes first. FAIL_SYSTEM: no memory. */
enum failure_kind open_loop_pace_of(const struct open_loop *loop, struct open_loop_pace *pace,
                                    struct failure *failure);

/* The messages of a warm-up, and those that are measured: what such a time brings, at least 1000 and 4 a node, and 10000
 * and 16 a node; at most OPEN_LOOP_MOST_BY_TIME if the least is not more. */
uint64_t open_loop_warmup(const struct open_loop *loop, const struct open_loop_pace *pace);
uint64_t open_loop_measured(const struct open_loop *loop, const struct open_loop_pace *pace);

enum { OPEN_LOOP_MOST_BY_TIME = 1 << 24 };

#endif
