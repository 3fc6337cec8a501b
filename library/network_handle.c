/* network_handle.c - one burst on the network as a handle: `meshcast network` for programs.
 *
 * What the network counts is asked figure by figure; arrays are kept for the caller: 8 bytes per message, and
 * 8 a link where it wants them.
 */
#include "base/output_file.h"
#include "base/stopwatch.h"
#include "library/scheme_handle_private.h"
#include "network/best.h"
#include "network/burst.h"
#include "network/network_trace.h"

#include <stdlib.h>
#include <string.h>

struct meshcast_network {
    struct burst_result result;
    uint32_t messages, threads;
    uint64_t at_home;     /* deliveries of the set */
    uint32_t *message;    /* [messages]: numbers in the set */
    uint64_t *delivered;  /* [messages] */
    uint64_t *link_flits; /* [links]; NULL: not kept */
    uint64_t links;
    struct flits_range flits;
    struct meshcast_wait *wait;
    double seconds;
};

static struct multicast message_at(void *context, uint32_t index)
{
    return chosen_messages_at(context, index);
}

static bool has_figures(const struct failure *failure)
{
    return failure->kind == FAIL_NONE || failure->kind == FAIL_CHECK ||
           failure->kind == FAIL_INTERRUPTED;
}

/* Runs with its trace, which is kept if the run has figures. */
static enum failure_kind run_traced(struct burst *burst, const char *path,
                                    struct meshcast_network *network, struct failure *failure)
{
    struct output_file trace;
    struct network_observer observer;
    struct failure unwritten = {0};
    if (output_file_open(&trace, path, failure) != FAIL_NONE)
        return failure->kind;
    if (trace.file != NULL) {
        network_trace_begin(trace.file, burst->topology, burst->scheme->routing(&burst->choices),
                            &burst->settings);
        observer = network_trace_observer(trace.file);
        burst->observer = &observer;
    }
    double start = stopwatch_seconds();
    burst_run(burst, &network->result, failure);
    network->seconds = stopwatch_seconds() - start;
    if (failure->kind == FAIL_NONE && network->result.is_partial)
        fail(failure, FAIL_INTERRUPTED, "interrupted");
    if (output_file_close(&trace, has_figures(failure), &unwritten) != FAIL_NONE)
        *failure = unwritten;
    return failure->kind;
}

/* `chosen` hands the numbers of its messages over. */
static enum failure_kind run_chosen(struct burst *burst, struct chosen_messages *chosen,
                                    const struct meshcast_network_options *options,
                                    const char *trace, struct meshcast_network *network,
                                    struct failure *failure)
{
    bool keeps_links = options->number[MESHCAST_NETWORK_KEEP_LINKS] == 1;
    network->at_home = chosen->set->home.deliveries;
    network->messages = burst->messages = chosen->count;
    network->flits = chosen->flits;
    network->threads = burst->settings.threads;
    network->links = burst->topology->links;
    network->delivered = memory_allocate(chosen->count, sizeof *network->delivered);
    if (keeps_links)
        network->link_flits = memory_allocate(network->links, sizeof *network->link_flits);
    if (network->delivered == NULL || (keeps_links && network->link_flits == NULL))
        return fail_memory(failure, "the messages of a network");
    memset(network->delivered, 0xff, chosen->count * sizeof *network->delivered);
    burst->message = message_at;
    burst->message_context = chosen;
    burst->watcher = network_options_watcher;
    burst->watcher_context = (void *)options; /* the watcher reads it */
    burst->delivered = network->delivered;
    burst->link_flits = network->link_flits;
    if (best_choose_for_burst(burst, failure) != FAIL_NONE ||
        burst_check(burst, failure) != FAIL_NONE)
        return failure->kind;
    if (interrupt_check(options->interrupt, failure) == FAIL_NONE)
        run_traced(burst, trace, network, failure);
    for (uint32_t i = 0; i < chosen->count; i++)
        chosen->message[i] = chosen_messages_number(chosen, i);
    struct failure memory = {0};
    network->wait =
        waits_of(network->result.deadlock, network->result.waits, chosen->message, &memory);
    if (memory.kind != FAIL_NONE)
        *failure = memory;
    network->message = chosen->message;
    chosen->message = NULL;
    return failure->kind;
}

static enum failure_kind run(struct meshcast_network *network, const struct scheme *scheme,
                             const struct meshcast_set *set, const struct meshcast_topology *given,
                             const struct meshcast_network_options *options, const char *trace,
                             struct failure *failure)
{
    struct topology own;
    struct chosen_messages chosen;
    struct burst burst = {.scheme = scheme};
    if (topology_for(given, set, &own, &burst.topology, failure) != FAIL_NONE ||
        network_options_choose(options, scheme, &burst.choices, failure) != FAIL_NONE ||
        network_options_messages(options, set, &chosen, failure) != FAIL_NONE)
        return failure->kind;
    burst.settings = network_options_settings_of(options, burst.topology);
    run_chosen(&burst, &chosen, options, trace, network, failure);
    chosen_messages_free(&chosen);
    return failure->kind;
}

enum meshcast_status meshcast_network_run(const struct meshcast_scheme *scheme,
                                          const struct meshcast_set *set,
                                          const struct meshcast_topology *topology,
                                          const struct meshcast_network_options *options,
                                          const char *trace, struct meshcast_network **network,
                                          struct meshcast_error *error)
{
    struct failure failure = {0};
    *network = memory_allocate(1, sizeof **network);
    if (*network == NULL)
        fail_memory(&failure, "a network");
    else
        run(*network, scheme_of(scheme), set, topology, network_options_or_standard(options), trace,
            &failure);
    if (!has_figures(&failure)) {
        meshcast_network_free(*network);
        *network = NULL;
    }
    return error_give(error, &failure);
}

void meshcast_network_free(struct meshcast_network *network)
{
    if (network == NULL)
        return;
    burst_free(&network->result);
    free(network->message);
    free(network->delivered);
    free(network->link_flits);
    free(network->wait);
    free(network);
}

uint64_t meshcast_network_figure(const struct meshcast_network *network,
                                 enum meshcast_network_figure figure)
{
    const struct burst_result *result = &network->result;
    const uint64_t figures[] = {
        [MESHCAST_NETWORK_CYCLES] = result->counts.last_delivery,
        [MESHCAST_NETWORK_MESSAGES] = network->messages,
        [MESHCAST_NETWORK_DONE] = result->counts.done,
        [MESHCAST_NETWORK_DELIVERIES] = result->expected,
        [MESHCAST_NETWORK_DELIVERED] = result->counts.deliveries,
        [MESHCAST_NETWORK_MISSING] = result->expected - result->counts.deliveries,
        [MESHCAST_NETWORK_DELIVERIES_AT_HOME] = network->at_home,
        [MESHCAST_NETWORK_STARTUPS] = result->counts.startups,
        [MESHCAST_NETWORK_CROSSINGS] = result->counts.crossings,
        [MESHCAST_NETWORK_BUFFER_PEAK] = result->counts.buffer_peak,
        [MESHCAST_NETWORK_UNSENT_PEAK] = result->counts.unsent_peak,
        [MESHCAST_NETWORK_LOWER_BOUND] = result->bounds.lower_bound,
        [MESHCAST_NETWORK_BUSIEST_FROM] = result->busiest_from,
        [MESHCAST_NETWORK_BUSIEST_TO] = result->busiest_to,
        [MESHCAST_NETWORK_BUSIEST_FLITS] = result->busiest_flits,
        [MESHCAST_NETWORK_LATENCY_MEDIAN] = result->latency.median,
        [MESHCAST_NETWORK_LATENCY_P95] = result->latency.p95,
        [MESHCAST_NETWORK_LATENCY_P99] = result->latency.p99,
        [MESHCAST_NETWORK_LATENCY_MAX] = result->latency.max,
        [MESHCAST_NETWORK_SHORTEST] = network->flits.least,
        [MESHCAST_NETWORK_LONGEST] = network->flits.most,
        [MESHCAST_NETWORK_THREADS] = network->threads,
    };
    return (size_t)figure < sizeof figures / sizeof *figures ? figures[figure] : 0;
}

double meshcast_network_latency_mean(const struct meshcast_network *network)
{
    return network->result.latency.mean;
}

double meshcast_network_wall_seconds(const struct meshcast_network *network)
{
    return network->seconds;
}

const char *meshcast_network_lower_bound_kind(const struct meshcast_network *network)
{
    return network_bound_names[network->result.bounds.largest];
}

const uint64_t *meshcast_network_delivered(const struct meshcast_network *network)
{
    return network->delivered;
}

const uint32_t *meshcast_network_messages(const struct meshcast_network *network)
{
    return network->message;
}

const uint64_t *meshcast_network_link_flits(const struct meshcast_network *network, uint64_t *links)
{
    *links = network->link_flits == NULL ? 0 : network->links;
    return network->link_flits;
}

const struct meshcast_wait *meshcast_network_deadlock(const struct meshcast_network *network,
                                                      uint32_t *count)
{
    *count = network->wait == NULL ? 0 : (uint32_t)network->result.waits;
    return network->wait;
}
