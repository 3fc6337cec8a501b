/* burst.c - all messages at once.
 *
 * Method: every message is planned and posted at cycle 0; the network then runs in slices of cycles, between which
 * the watcher is asked. A slice is shorter on larger networks, so that it takes a second at most; results do not
 * depend on it.
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

static enum failure_kind measure_bounds(const struct burst *burst, struct network_bounds *bounds,
                                        struct failure *failure)
{
    struct network_bound *bound;
    if (network_bound_make(&bound, burst->topology, &burst->settings, failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t i = 0; i < burst->messages; i++) {
        struct multicast multicast = burst->message(burst->message_context, i);
        network_bound_add(bound, i, &multicast);
    }
    *bounds = network_bound_read(bound);
    network_bound_free(bound);
    return FAIL_NONE;
}

/* ---- the run ---- */

struct burst_run {
    const struct burst *burst;
    struct burst_result *result;
    struct network *network;
    uint64_t *latency; /* [done]: of messages that are done */
    uint64_t done;
};

static enum failure_kind post(struct burst_run *run, struct failure *failure)
{
    const struct burst *burst = run->burst;
    struct plan plan = {0};
    for (uint32_t i = 0; i < burst->messages && failure->kind == FAIL_NONE; i++) {
        struct multicast multicast = burst->message(burst->message_context, i);
        run->result->expected += multicast.destinations;
        if (scheme_plan(burst->scheme, burst->topology, &multicast, &burst->choices, &plan,
                        failure) == FAIL_NONE)
            network_post(run->network, 0, &multicast, &plan, failure);
    }
    plan_free(&plan);
    return failure->kind;
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

static enum failure_kind carry(struct burst_run *run, struct failure *failure)
{
    const struct burst *burst = run->burst;
    uint64_t slice = SLICE_NODE_CYCLES / burst->topology->nodes;
    slice = slice < LEAST_SLICE ? LEAST_SLICE : slice;
    for (uint64_t until = slice, done = 0; done < burst->messages; until += slice) {
        uint64_t end = burst->watcher == NULL ? UINT64_MAX : until;
        enum failure_kind kind = network_run(run->network, end, failure);
        take_done(run);
        if (kind != FAIL_NONE)
            return kind;
        done = network_counts(run->network).done;
        run->result->is_partial = done < burst->messages && burst->watcher != NULL &&
                                  burst->watcher(burst->watcher_context, done, burst->messages,
                                                 network_counts(run->network).cycle);
        if (run->result->is_partial)
            break;
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

/* Reads what the network counted, also where a check ended the run; then only a lack of memory replaces the failure. */
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
    if (burst_check(burst, failure) != FAIL_NONE ||
        measure_bounds(burst, &result->bounds, failure) != FAIL_NONE ||
        network_make(&run.network, burst->topology, burst->scheme->routing(&burst->choices),
                     &burst->settings, burst->observer, failure) != FAIL_NONE)
        return failure->kind;
    run.latency = memory_allocate(burst->messages, sizeof *run.latency);
    for (uint32_t i = 0; burst->delivered != NULL && i < burst->messages; i++)
        burst->delivered[i] = UINT64_MAX;
    if (run.latency == NULL)
        fail_memory(failure, "the latencies of messages");
    if (failure->kind == FAIL_NONE && post(&run, failure) == FAIL_NONE) {
        carry(&run, failure);
        if (failure->kind == FAIL_NONE || failure->kind == FAIL_CHECK)
            read_result(&run, failure);
    }
    free(run.latency);
    network_free(run.network);
    return failure->kind;
}

void burst_free(struct burst_result *result)
{
    free(result->deadlock);
    *result = (struct burst_result){0};
}
