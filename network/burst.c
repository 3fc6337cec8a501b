/* burst.c - all messages of a set, most of them at once.
 *
 * Method: a message is planned and posted when it starts, so memory grows with the messages that
 * are under way. The network runs in slices of cycles, which end where messages start, and between
 * which the watcher is asked. A slice is shorter on larger networks, so that it lasts at most a
 * second; results do not depend on it.
 */
#include "network/burst.h"

#include "base/numbers.h"

#include <stdlib.h>
#include <string.h>

enum { SLICE_NODE_CYCLES = 1 << 22, LEAST_SLICE = 4 };

/* ---- before the run ---- */

/* Returns the flits of the longest message, at least 1. */
static uint32_t longest_message(const struct burst *burst)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < burst->messages; i++)
        most = max_u32(most, burst->message(burst->message_context, i).flits);
    return most;
}

enum failure_kind burst_check(const struct burst *burst, struct failure *failure)
{
    const struct routing *routing = burst->scheme->routing(&burst->choices);
    if (scheme_check(burst->scheme, burst->topology, &burst->choices, burst->settings.vcs,
                     failure) != FAIL_NONE)
        return failure->kind;
    return network_check_settings(&burst->settings, burst->topology, routing,
                                  longest_message(burst), failure);
}

/* ---- the run ---- */

struct burst_run {
    const struct burst *burst;
    struct burst_result *result;
    struct network *network;
    struct starts starts;
    struct plan plan;  /* of the message that is posted */
    uint64_t *latency; /* [done]: of messages that are done */
    uint64_t done, posted;
};

static enum failure_kind post(struct burst_run *run, uint32_t number, uint64_t cycle,
                              const struct multicast *multicast, struct failure *failure)
{
    const struct burst *burst = run->burst;
    const struct network_posting posting = {number, cycle, starts_await(&run->starts, number)};
    run->posted++;
    if (scheme_plan(burst->scheme, burst->topology, multicast, &burst->choices, &run->plan,
                    failure) == FAIL_NONE)
        network_post_as(run->network, &posting, multicast, &run->plan, failure);
    return failure->kind;
}

/* Counts deliveries, and posts messages without timing. */
static enum failure_kind post_first(struct burst_run *run, struct failure *failure)
{
    const struct burst *burst = run->burst;
    for (uint32_t i = 0; i < burst->messages && failure->kind == FAIL_NONE; i++) {
        struct multicast multicast = burst->message(burst->message_context, i);
        run->result->expected += multicast.destinations;
        if (burst->timing == NULL)
            post(run, i, 0, &multicast, failure);
    }
    return failure->kind;
}

/* Posts the messages that start in the coming cycle, or next if the network is empty; returns that
 * cycle. */
static uint64_t post_next(struct burst_run *run, struct failure *failure)
{
    const struct burst *burst = run->burst;
    struct network_counts counts = network_counts(run->network);
    uint64_t cycle = counts.cycle, next = starts_next(&run->starts);
    if (run->posted == counts.done && next != UINT64_MAX)
        cycle = max_u64(cycle, next);
    for (; failure->kind == FAIL_NONE && next <= cycle; next = starts_next(&run->starts)) {
        uint32_t number = starts_take(&run->starts);
        struct multicast multicast = burst->message(burst->message_context, number);
        post(run, number, next, &multicast, failure);
    }
    return cycle;
}

static void take_done(struct burst_run *run)
{
    size_t count;
    const struct network_delivery *delivery = network_take_done(run->network, &count);
    for (size_t i = 0; i < count; i++) {
        run->latency[run->done++] = delivery[i].delivered - delivery[i].created;
        if (run->burst->delivered != NULL)
            run->burst->delivered[delivery[i].message] = delivery[i].delivered;
    }
}

static void take_receipts(struct burst_run *run)
{
    size_t count;
    const struct network_receipt *receipt = network_take_receipts(run->network, &count);
    for (size_t i = 0; i < count; i++)
        starts_receive(&run->starts, receipt[i].message, receipt[i].node, receipt[i].cycle);
}

/* Runs until the watcher is to be asked, or messages start. */
static enum failure_kind run_slice(struct burst_run *run, uint64_t until, struct failure *failure)
{
    uint64_t cycle = post_next(run, failure);
    until = min_u64(max_u64(until, cycle), starts_next(&run->starts));
    if (failure->kind != FAIL_NONE)
        return failure->kind;
    enum failure_kind kind = network_run(run->network, until, failure);
    take_done(run);
    take_receipts(run);
    return kind;
}

static enum failure_kind carry(struct burst_run *run, struct failure *failure)
{
    const struct burst *burst = run->burst;
    uint64_t slice = SLICE_NODE_CYCLES / burst->topology->nodes;
    slice = slice < LEAST_SLICE ? LEAST_SLICE : slice;
    uint64_t until = burst->watcher == NULL ? UINT64_MAX : slice;
    while (run->done < burst->messages) {
        if (run_slice(run, until, failure) != FAIL_NONE)
            return failure->kind;
        uint64_t cycle = network_counts(run->network).cycle;
        if (cycle < until || run->done == burst->messages)
            continue;
        run->result->is_partial =
            burst->watcher(burst->watcher_context, run->done, burst->messages, cycle);
        if (run->result->is_partial)
            break;
        until = cycle + slice;
    }
    return FAIL_NONE;
}

static void read_links(const struct burst_run *run)
{
    const struct topology *topology = run->burst->topology;
    memset(run->burst->link_flits, 0, topology->links * sizeof *run->burst->link_flits);
    for (uint32_t node = 0; node < topology->nodes; node++)
        for (uint32_t port = 0; port < topology_node_ports(topology, node); port++) {
            uint64_t link = topology_link(topology, node, port);
            if (topology_neighbour(topology, node, port) != TOPOLOGY_NO_NODE)
                run->burst->link_flits[link] = network_link_flits(run->network, link);
        }
}

/* Reads the network's counts, even if a check ended the run; then only a lack of memory replaces
 * the failure. */
static enum failure_kind read_result(struct burst_run *run, struct failure *failure)
{
    run->result->counts = network_counts(run->network);
    run->result->latency = latency_summarise(run->latency, run->done);
    run->result->busiest_flits =
        network_busiest_link(run->network, &run->result->busiest_from, &run->result->busiest_to);
    if (run->burst->link_flits != NULL)
        read_links(run);
    struct failure memory = {0};
    if (network_keep_deadlock(run->network, &run->result->deadlock, &run->result->waits, &memory) !=
        FAIL_NONE)
        *failure = memory;
    return failure->kind;
}

enum failure_kind burst_run(const struct burst *burst, struct burst_result *result,
                            struct failure *failure)
{
    *result = (struct burst_result){0};
    struct burst_run run = {.burst = burst, .result = result};
    const struct burst_messages messages = {burst->messages, burst->message, burst->timing,
                                            burst->message_context};
    const struct timings timings = burst_timings(&messages);
    if (burst_check(burst, failure) == FAIL_NONE &&
        network_bound_burst(&result->bounds, burst->topology, &burst->settings, &messages,
                            failure) == FAIL_NONE &&
        starts_make(&run.starts, &timings, failure) == FAIL_NONE &&
        network_make(&run.network, burst->topology, burst->scheme->routing(&burst->choices),
                     &burst->settings, burst->observer, failure) == FAIL_NONE) {
        run.latency = memory_allocate(burst->messages, sizeof *run.latency);
        if (run.latency == NULL)
            fail_memory(failure, "the latencies of messages");
    }
    for (uint32_t i = 0; burst->delivered != NULL && i < burst->messages; i++)
        burst->delivered[i] = UINT64_MAX;
    if (failure->kind == FAIL_NONE && post_first(&run, failure) == FAIL_NONE) {
        carry(&run, failure);
        network_advise(run.network, burst->scheme, failure);
        if (failure->kind == FAIL_NONE || failure->kind == FAIL_CHECK)
            read_result(&run, failure);
    }
    free(run.latency);
    plan_free(&run.plan);
    starts_free(&run.starts);
    network_free(run.network);
    return failure->kind;
}

void burst_free(struct burst_result *result)
{
    free(result->deadlock);
    *result = (struct burst_result){0};
}
