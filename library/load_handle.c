/* load_handle.c - one point of latency against load as a handle: `meshcast load` for programs. */
#include "library/load_traffic.h"
#include "library/meshcast_load.h"
#include "library/scheme_handle_private.h"
#include "network/best.h"
#include "network/capacity.h"
#include "network/open_loop.h"
#include "network/open_loop_length.h"

#include <math.h>
#include <stdlib.h>

struct meshcast_load {
    struct open_loop_result result;
    struct meshcast_wait *wait;
    uint64_t warmup, measured;
    double capacity, routing_capacity;
    bool has_latency;
};

static bool has_figures(const struct failure *failure)
{
    return failure->kind == FAIL_NONE || failure->kind == FAIL_CHECK ||
           failure->kind == FAIL_INTERRUPTED;
}

static enum failure_kind check(const struct open_loop *loop, struct meshcast_load *load,
                               struct failure *failure)
{
    if (open_loop_check(loop, failure) != FAIL_NONE ||
        capacity_of(loop, &load->capacity, failure) != FAIL_NONE)
        return failure->kind;
    load->routing_capacity = capacity_of_routing(loop);
    if (loop->is_patient && loop->rate > load->capacity)
        return fail(
            failure, FAIL_USAGE,
            "until done with rate %g, which is above the capacity, %g messages per node and "
            "cycle: the run would not end; a lower rate or a finite run would do",
            loop->rate, load->capacity);
    return FAIL_NONE;
}

/* Sets how many messages warm the run up and are measured, where nobody says it, and checks the loop. */
static enum failure_kind prepare(struct open_loop *loop, struct meshcast_load *load,
                                 struct failure *failure)
{
    struct open_loop_pace pace = {.senders = 0};
    bool sets_warmup = loop->warmup == 0, sets_measured = loop->measured == 0;
    for (int pass = 0; pass < 2; pass++) { /* without a pace, for the check; then with it */
        if (sets_warmup)
            loop->warmup = open_loop_warmup(loop, &pace);
        if (sets_measured)
            loop->measured = open_loop_measured(loop, &pace);
        if (pass == 0 && (check(loop, load, failure) != FAIL_NONE ||
                          ((sets_warmup || sets_measured) &&
                           open_loop_pace_of(loop, &pace, failure) != FAIL_NONE)))
            return failure->kind;
    }
    load->warmup = loop->warmup;
    load->measured = loop->measured;
    return FAIL_NONE;
}

static enum failure_kind run_loop(struct open_loop *loop, struct meshcast_load *load,
                                  struct failure *failure)
{
    const struct meshcast_network_options *options = loop->watcher_context;
    const struct open_loop asked = *loop;
    best_stand_in(loop);
    if (interrupt_check(options->interrupt, failure) != FAIL_NONE ||
        prepare(loop, load, failure) != FAIL_NONE)
        return failure->kind;
    if (asked.scheme->plan == NULL)
        load->routing_capacity = 0; /* it is the stand-in's */
    loop->scheme = asked.scheme;
    loop->choices = asked.choices;
    best_run_open_loop(loop, &load->result, failure);
    if (failure->kind == FAIL_NONE && load->result.is_partial)
        fail(failure, FAIL_INTERRUPTED, "interrupted");
    load->has_latency = failure->kind != FAIL_CHECK && load->result.messages > 0 &&
                        isfinite(load->result.latency.half_width);
    struct failure memory = {0};
    load->wait = waits_of(load->result.deadlock, load->result.waits, NULL, &memory);
    if (memory.kind != FAIL_NONE)
        *failure = memory;
    return failure->kind;
}

static struct open_loop loop_of(const struct topology *topology, const struct scheme *scheme,
                                const struct meshcast_network_options *options)
{
    const uint64_t *number = options->number;
    uint32_t runs = (uint32_t)number[MESHCAST_NETWORK_MOST_RUNS];
    uint32_t order = (uint32_t)number[MESHCAST_NETWORK_ORDER];
    return (struct open_loop){
        .topology = topology,
        .scheme = scheme,
        .settings = network_options_settings_of(options, topology),
        .order = order > 0 ? order : 1,
        .warmup = number[MESHCAST_NETWORK_WARMUP],
        .measured = number[MESHCAST_NETWORK_MEASURE],
        .is_finite = number[MESHCAST_NETWORK_FINITE] == 1,
        .is_patient = number[MESHCAST_NETWORK_UNTIL_DONE] == 1,
        .precision = LOAD_PRECISION,
        .most_runs = runs > 0 ? runs : LOAD_DEFAULT_RUNS,
        .seed = number[MESHCAST_NETWORK_SEED],
        .watcher = network_options_watcher,
        .watcher_context = (void *)options, /* the watcher reads it */
    };
}

static enum failure_kind check_traffic(const struct meshcast_traffic *traffic,
                                       const struct meshcast_network_options *options,
                                       struct failure *failure)
{
    if (!(traffic->rate > 0 && traffic->rate <= 1))
        return fail(failure, FAIL_USAGE,
                    "a rate of %g messages per node and cycle; expected above 0 and up to 1",
                    traffic->rate);
    if (traffic->set != NULL && traffic->pattern != NULL)
        return fail(failure, FAIL_USAGE, "a pattern and a set exclude each other");
    if (traffic->multicast_share > 0 && traffic->destinations == 0)
        return fail(
            failure, FAIL_USAGE,
            "a share of multicasts goes with a number of destinations, how many a multicast "
            "has");
    if (options->number[MESHCAST_NETWORK_FINITE] == 1 &&
        options->number[MESHCAST_NETWORK_UNTIL_DONE] == 1)
        return fail(failure, FAIL_USAGE, "finite runs and runs until done exclude each other");
    return FAIL_NONE;
}

static enum failure_kind run(struct meshcast_load *load, const struct topology *topology,
                             const struct scheme *scheme, const struct meshcast_traffic *traffic,
                             const struct meshcast_network_options *options,
                             struct failure *failure)
{
    struct load_traffic lists;
    struct flits_range flits;
    struct open_loop loop = loop_of(topology, scheme, options);
    struct traffic_choice choice = {.pattern = traffic->pattern,
                                    .set =
                                        traffic->set == NULL ? NULL : &traffic->set->instance.set,
                                    .set_name = "the set",
                                    .seed = options->number[MESHCAST_NETWORK_SEED]};
    if (check_traffic(traffic, options, failure) != FAIL_NONE ||
        network_options_flits(options, &flits, failure) != FAIL_NONE ||
        network_options_choose(options, scheme, &loop.choices, failure) != FAIL_NONE ||
        load_traffic_make(&lists, topology, &choice, failure) != FAIL_NONE)
        return failure->kind;
    loop.rate = traffic->rate;
    loop.least_flits = flits.least > 0 ? flits.least : 1;
    loop.most_flits = flits.least > 0 ? flits.most : 1;
    loop.lists = lists.is_uniform ? NULL : &lists.lists;
    loop.destinations = !lists.is_uniform           ? lists.destinations
                        : traffic->destinations > 0 ? traffic->destinations
                                                    : 1;
    loop.multicast_share = traffic->multicast_share;
    if (!lists.is_uniform && traffic->destinations > 0)
        fail(failure, FAIL_USAGE,
             "a number of destinations goes with uniform traffic; the pattern or set says them "
             "already");
    else
        run_loop(&loop, load, failure);
    load_traffic_free(&lists);
    return failure->kind;
}

enum meshcast_status meshcast_load_run(const struct meshcast_topology *topology,
                                       const struct meshcast_scheme *scheme,
                                       const struct meshcast_traffic *traffic,
                                       const struct meshcast_network_options *options,
                                       struct meshcast_load **load, struct meshcast_error *error)
{
    struct failure failure = {0};
    *load = memory_allocate(1, sizeof **load);
    if (*load == NULL)
        fail_memory(&failure, "a load");
    else
        run(*load, &topology->topology, scheme_of(scheme), traffic,
            network_options_or_standard(options), &failure);
    if (!has_figures(&failure)) {
        meshcast_load_free(*load);
        *load = NULL;
    }
    return error_give(error, &failure);
}

void meshcast_load_free(struct meshcast_load *load)
{
    if (load != NULL) {
        open_loop_free(&load->result);
        free(load->wait);
    }
    free(load);
}

uint64_t meshcast_load_figure(const struct meshcast_load *load, enum meshcast_load_figure figure)
{
    const struct open_loop_result *result = &load->result;
    const uint64_t figures[] = {
        [MESHCAST_LOAD_IS_SATURATED] = result->is_saturated,
        [MESHCAST_LOAD_IS_RISING] = result->is_rising,
        [MESHCAST_LOAD_HAS_LATENCY] = load->has_latency,
        [MESHCAST_LOAD_RUNS] = result->runs,
        [MESHCAST_LOAD_CYCLES] = result->cycles,
        [MESHCAST_LOAD_MESSAGES] = result->messages,
        [MESHCAST_LOAD_CROSSINGS] = result->crossings,
        [MESHCAST_LOAD_STARTUPS] = result->startups,
        [MESHCAST_LOAD_BUFFER_PEAK] = result->buffer_peak,
        [MESHCAST_LOAD_UNSENT_PEAK] = result->unsent_peak,
        [MESHCAST_LOAD_LATENCY_MEDIAN] = result->summary.median,
        [MESHCAST_LOAD_LATENCY_P95] = result->summary.p95,
        [MESHCAST_LOAD_LATENCY_P99] = result->summary.p99,
        [MESHCAST_LOAD_LATENCY_MAX] = result->summary.max,
        [MESHCAST_LOAD_WARMUP] = load->warmup,
        [MESHCAST_LOAD_MEASURED] = load->measured,
    };
    return (size_t)figure < sizeof figures / sizeof *figures ? figures[figure] : 0;
}

double meshcast_load_latency(const struct meshcast_load *load, double *half_width)
{
    if (half_width != NULL)
        *half_width = load->has_latency ? load->result.latency.half_width : 0;
    return load->has_latency ? load->result.latency.mean : 0;
}

double meshcast_load_accepted(const struct meshcast_load *load)
{
    return load->result.accepted;
}

double meshcast_load_capacity(const struct meshcast_load *load)
{
    return load->capacity;
}

double meshcast_load_routing_capacity(const struct meshcast_load *load)
{
    return load->routing_capacity;
}

const struct meshcast_wait *meshcast_load_deadlock(const struct meshcast_load *load,
                                                   uint32_t *count)
{
    *count = load->wait == NULL ? 0 : (uint32_t)load->result.waits;
    return load->wait;
}
