/* open_loop_length.c - how many messages warm a run up and are measured, where nobody says it. */
#include "network/open_loop_length.h"

#include "base/numbers.h"
#include "network/arrivals.h"

enum { LEAST_WARMUP = 1000, WARMUP_A_NODE = 4, LEAST_MEASURED = 10000, MEASURED_A_NODE = 16 };

/* A message alone; false: the network failed. A message can fail alone, too: the run will say so. */
static bool send_alone(const struct open_loop *loop, struct network *network,
                       struct arrivals *arrivals, struct plan *plan, struct failure *failure)
{
    struct multicast multicast = arrivals_take(arrivals);
    return scheme_plan(loop->scheme, loop->topology, &multicast, &loop->choices, plan, failure) ==
               FAIL_NONE &&
           network_post(network, network_counts(network).cycle, &multicast, plan, failure) ==
               FAIL_NONE &&
           network_run(network, UINT64_MAX, failure) == FAIL_NONE;
}

static double mean_alone(const struct open_loop *loop, struct network *network,
                         struct arrivals *arrivals, struct failure *failure)
{
    struct plan plan = {0};
    uint32_t sent = 0;
    double sum = 0;
    while (sent < OPEN_LOOP_SAMPLE && send_alone(loop, network, arrivals, &plan, failure)) {
        size_t count;
        const struct network_delivery *done = network_take_done(network, &count);
        sum += count == 1 ? (double)(done->delivered - done->created) : 0;
        sent++;
    }
    if (failure->kind == FAIL_CHECK)
        *failure = (struct failure){0};
    plan_free(&plan);
    return sent > 0 ? sum / sent : 0;
}

enum failure_kind open_loop_pace_of(const struct open_loop *loop, struct open_loop_pace *pace,
                                    struct failure *failure)
{
    struct arrivals *arrivals = NULL;
    struct network *network = NULL;
    struct open_loop sample = *loop;
    sample.rate = OPEN_LOOP_SAMPLE_RATE;
    *pace = (struct open_loop_pace){0};
    if (arrivals_make(&arrivals, &sample, 0, failure) == FAIL_NONE &&
        network_make(&network, loop->topology, loop->scheme->routing(&loop->choices),
                     &sample.settings, NULL, failure) == FAIL_NONE) {
        pace->senders = arrivals_senders(arrivals);
        if (pace->senders > 0)
            pace->latency = mean_alone(&sample, network, arrivals, failure);
    }
    arrivals_free(arrivals);
    network_free(network);
    return failure->kind;
}

static uint64_t messages_in(const struct open_loop *loop, const struct open_loop_pace *pace,
                            double latencies, uint64_t least)
{
    double messages = loop->rate * pace->senders * pace->latency * latencies;
    if (messages > OPEN_LOOP_MOST_BY_TIME)
        messages = OPEN_LOOP_MOST_BY_TIME;
    return messages > (double)least ? (uint64_t)messages : least;
}

uint64_t open_loop_warmup(const struct open_loop *loop, const struct open_loop_pace *pace)
{
    return messages_in(loop, pace, OPEN_LOOP_WARMUP,
                       max_u64(LEAST_WARMUP, (uint64_t)WARMUP_A_NODE * loop->topology->nodes));
}

uint64_t open_loop_measured(const struct open_loop *loop, const struct open_loop_pace *pace)
{
    return messages_in(loop, pace, OPEN_LOOP_BATCHES * OPEN_LOOP_BATCH,
                       max_u64(LEAST_MEASURED, (uint64_t)MEASURED_A_NODE * loop->topology->nodes));
}
