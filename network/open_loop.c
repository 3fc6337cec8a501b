/* open_loop.c - latency against load.
 *
 * Method: messages are posted in chunks; the network runs up to the first message after a chunk,
 * and deliveries are taken. A run ends when the last measured message is delivered.
 *
 * Saturation: a load is saturated if on average more than UNSENT_MOST worms per node wait to be
 * sent (for long plans: more than the worms of PLANS_MOST messages), or if more than MADE_MOST
 * times the messages of a run were made before it ended. If little more arrives than is carried
 * neither shows in time; open_loop_total.c decides by all runs together. Such a load has no mean
 * latency: only the quick messages are done, the slow ones are not. A finite run makes no messages
 * after the measured ones, so it ends at any load, and saturation does not stop it.
 */
#include "network/open_loop.h"

#include "base/numbers.h"
#include "network/open_loop_total.h"

#include <math.h>
#include <stdlib.h>

enum {
    UNSENT_MOST = 60,
    PLANS_MOST = 8,
    MADE_MOST = 3,
    LEAST_CHUNK = 64,
    NODES_PER_MESSAGE = 8, /* of a chunk: so that the work between two cycles is negligible */
    FINITE_SLICE = 1024    /* cycles, when no messages arrive any more */
};

struct destination_mix destination_mix_of(uint32_t destinations, double multicasts)
{
    bool is_mixed = multicasts < 1 && destinations != 1;
    return (struct destination_mix){
        is_mixed ? 2 : 1, {{destinations, is_mixed ? multicasts : 1}, {1, 1 - multicasts}}};
}

/* ---- checks ---- */

static enum failure_kind check_counts(const struct open_loop *loop, struct failure *failure)
{
    uint32_t nodes = topology_main_nodes(loop->topology);
    if (!(loop->rate >= OPEN_LOOP_LEAST_RATE) || loop->rate * loop->order > 1)
        return fail(failure, FAIL_USAGE,
                    "rate %g: a node makes at least %g messages per cycle, and at most %g with "
                    "arrivals of order %u",
                    loop->rate, OPEN_LOOP_LEAST_RATE, 1.0 / loop->order, loop->order);
    if (loop->lists == NULL && nodes == 1)
        return fail(failure, FAIL_USAGE,
                    "a network of one node has no destinations; two nodes would do");
    for (uint32_t i = 0; loop->lists == NULL && i < loop->mix.kinds; i++)
        if (loop->mix.kind[i].destinations < 1 || loop->mix.kind[i].destinations >= nodes)
            return fail(failure, FAIL_USAGE,
                        "a message cannot have %u destinations on %u nodes: 1 .. %u would do",
                        loop->mix.kind[i].destinations, nodes, nodes - 1);
    if (loop->measured < OPEN_LOOP_BATCHES)
        return fail(failure, FAIL_USAGE, "%u messages at least are measured, one per batch",
                    OPEN_LOOP_BATCHES);
    if (loop->warmup > OPEN_LOOP_MAX_MESSAGES || loop->measured > OPEN_LOOP_MAX_MESSAGES)
        return fail(failure, FAIL_USAGE, "a run has at most %d messages to warm up and to measure",
                    OPEN_LOOP_MAX_MESSAGES);
    return FAIL_NONE;
}

enum failure_kind open_loop_check(const struct open_loop *loop, struct failure *failure)
{
    if (check_counts(loop, failure) != FAIL_NONE ||
        scheme_check(loop->scheme, loop->topology, &loop->choices, loop->settings.vcs, failure) !=
            FAIL_NONE)
        return failure->kind;
    return network_check_settings(&loop->settings, loop->topology,
                                  loop->scheme->routing(&loop->choices), loop->most_flits, failure);
}

/* ---- a run ---- */

struct run {
    const struct open_loop *loop;
    struct open_loop_result *result;
    struct network *network;
    struct arrivals *arrivals;
    struct plan plan;
    struct open_loop_run own;
    uint64_t made, measured_done;
    uint64_t unsent_checked; /* messages made when worms were counted last */
    uint64_t longest_plan;   /* worms */
};

/* Posts the next message. */
static enum failure_kind post_next(struct run *run, struct failure *failure)
{
    const struct open_loop *loop = run->loop;
    uint64_t cycle = arrivals_cycle(run->arrivals);
    if (run->made == loop->warmup)
        run->own.begin = cycle;
    if (run->made + 1 == loop->warmup + loop->measured)
        run->own.end = cycle;
    struct multicast multicast = arrivals_take(run->arrivals);
    run->made++;
    if (scheme_plan(loop->scheme, loop->topology, &multicast, &loop->choices, &run->plan,
                    failure) != FAIL_NONE)
        return failure->kind;
    if (run->plan.worms > run->longest_plan)
        run->longest_plan = run->plan.worms;
    return network_post(run->network, cycle, &multicast, &run->plan, failure);
}

static void take_done(struct run *run)
{
    const struct open_loop *loop = run->loop;
    size_t count;
    const struct network_delivery *delivery = network_take_done(run->network, &count);
    for (size_t i = 0; i < count; i++) {
        uint64_t message = delivery[i].message,
                 latency = delivery[i].delivered - delivery[i].created;
        run->own.done_before += delivery[i].delivered <= run->own.begin;
        run->own.delivered +=
            delivery[i].delivered > run->own.begin && delivery[i].delivered <= run->own.end;
        if (message < loop->warmup || message >= loop->warmup + loop->measured)
            continue;
        run->own.latency[message - loop->warmup] = latency;
        run->measured_done++;
    }
}

/* True if the run is saturated because too many worms are unsent. */
static bool has_too_many_unsent(struct run *run)
{
    uint32_t nodes = run->loop->topology->nodes;
    if (run->made - run->unsent_checked < nodes)
        return false;
    run->unsent_checked = run->made;
    double most = fmax(UNSENT_MOST, PLANS_MOST * (double)run->longest_plan);
    return (double)network_all_unsent(run->network) > most * nodes;
}

static bool makes_more(const struct run *run)
{
    return !run->loop->is_finite || run->made < run->loop->warmup + run->loop->measured;
}

/* Posts a chunk, and runs up to the message that follows it. */
static enum failure_kind run_chunk(struct run *run, struct failure *failure)
{
    const struct open_loop *loop = run->loop;
    uint64_t chunk = LEAST_CHUNK + loop->topology->nodes / NODES_PER_MESSAGE;
    uint64_t until = network_counts(run->network).cycle + FINITE_SLICE;
    for (uint64_t i = 0; i < chunk && makes_more(run); i++) {
        if (post_next(run, failure) != FAIL_NONE)
            return failure->kind;
        until = arrivals_cycle(run->arrivals);
    }
    network_run(run->network, until, failure);
    take_done(run);
    return failure->kind;
}

static bool watcher_ends(const struct run *run)
{
    const struct open_loop *loop = run->loop;
    uint64_t before = run->result->runs * loop->measured;
    return loop->watcher != NULL &&
           loop->watcher(loop->watcher_context, before + run->measured_done,
                         before + loop->measured,
                         run->result->cycles + network_counts(run->network).cycle);
}

static enum failure_kind carry(struct run *run, struct failure *failure)
{
    const struct open_loop *loop = run->loop;
    struct open_loop_result *result = run->result;
    uint64_t most = MADE_MOST * (loop->warmup + loop->measured);
    while (run->measured_done < loop->measured) {
        if (run_chunk(run, failure) != FAIL_NONE || run->measured_done == loop->measured)
            break;
        if (has_too_many_unsent(run) || run->made > most)
            result->is_saturated = true;
        result->is_partial = watcher_ends(run);
        if (result->is_partial || (result->is_saturated && !loop->is_finite))
            break;
    }
    return failure->kind;
}

/* ---- results ---- */

/* Adds the network's counts, also of a run that failed. */
static enum failure_kind add_counts(struct run *run, struct failure *failure)
{
    struct open_loop_result *result = run->result;
    struct network_counts counts = network_counts(run->network);
    uint64_t end = counts.cycle < run->own.end ? counts.cycle : run->own.end;
    if (run->own.begin < end)
        run->own.accepted = (double)run->own.delivered / (double)(end - run->own.begin) /
                            arrivals_senders(run->arrivals);
    result->cycles += counts.cycle;
    result->crossings += counts.crossings;
    result->startups += counts.startups;
    if (counts.buffer_peak > result->buffer_peak)
        result->buffer_peak = counts.buffer_peak;
    if (counts.unsent_peak > result->unsent_peak)
        result->unsent_peak = counts.unsent_peak;
    return network_keep_deadlock(run->network, &result->deadlock, &result->waits, failure);
}

static void run_free(struct run *run)
{
    plan_free(&run->plan);
    arrivals_free(run->arrivals);
    network_free(run->network);
}

static enum failure_kind run_once(struct run *run, struct failure *failure)
{
    const struct open_loop *loop = run->loop;
    if (arrivals_make(&run->arrivals, loop, run->result->runs, failure) != FAIL_NONE ||
        network_make(&run->network, loop->topology, loop->scheme->routing(&loop->choices),
                     &loop->settings, NULL, failure) != FAIL_NONE) {
        run_free(run);
        return failure->kind;
    }
    if (arrivals_senders(run->arrivals) > 0)
        carry(run, failure);
    network_advise(run->network, loop->scheme, failure);
    if (failure->kind == FAIL_NONE || failure->kind == FAIL_CHECK) {
        struct failure memory = {0};
        if (add_counts(run, &memory) != FAIL_NONE)
            *failure = memory;
    }
    run_free(run);
    return failure->kind;
}

static bool is_known_well(const struct open_loop *loop, const struct open_loop_total *total,
                          const struct open_loop_result *result)
{
    return open_loop_total_is_sure(total) &&
           result->latency.half_width <= loop->precision * result->latency.mean;
}

static bool stops_saturated(const struct open_loop *loop, const struct open_loop_result *result)
{
    return result->is_saturated && !loop->is_finite;
}

static void finish(struct open_loop_total *total, const struct open_loop *loop, double capacity,
                   struct open_loop_result *result)
{
    /* More than the capacity: in a longer run the mean would be larger. */
    if (!result->is_partial && loop->rate > capacity)
        result->is_saturated = true;
    if (stops_saturated(loop, result)) {
        result->latency = (struct latency_interval){0, INFINITY};
        total->count = 0;
    }
    result->is_rising = !result->is_saturated && !result->is_partial && !loop->is_finite &&
                        total->batches > 0 && open_loop_total_is_rising(total, loop);
    result->messages = total->count;
    result->accepted = total->runs > 0 ? total->accepted / total->runs : 0;
    result->summary = latency_summarise(total->latency, total->count);
}

enum failure_kind open_loop_run(const struct open_loop *loop, struct open_loop_result *result,
                                struct failure *failure)
{
    struct open_loop_total total = {0};
    bool is_whole = true;
    double capacity;
    *result = (struct open_loop_result){.latency = {0, INFINITY}};
    if (open_loop_check(loop, failure) != FAIL_NONE ||
        capacity_of(loop, &capacity, failure) != FAIL_NONE)
        return failure->kind;
    do {
        struct run run = {
            .loop = loop, .result = result, .own = {.begin = UINT64_MAX, .end = UINT64_MAX}};
        run.own.latency = open_loop_total_room(&total, loop);
        if (run.own.latency == NULL) {
            fail_memory(failure, "the latencies of messages");
            break;
        }
        run_once(&run, failure);
        is_whole = run.measured_done == loop->measured;
        if (!result->is_partial || total.runs == 0) /* a further run counts if it is complete */
            open_loop_total_add(&total, loop, &run.own);
        result->runs++;
        result->latency = open_loop_total_interval(&total);
        if (is_whole && open_loop_total_has_grown(&total, loop))
            result->is_saturated = true;
    } while (is_whole && failure->kind == FAIL_NONE && result->runs < loop->most_runs &&
             !stops_saturated(loop, result) && !is_known_well(loop, &total, result));
    finish(&total, loop, capacity, result);
    open_loop_total_free(&total);
    return failure->kind;
}

void open_loop_free(struct open_loop_result *result)
{
    free(result->deadlock);
    *result = (struct open_loop_result){0};
}

/* ---- the length of a run ---- */

enum { LEAST_WARMUP = 1000, WARMUP_PER_NODE = 4, LEAST_MEASURED = 10000, MEASURED_PER_NODE = 16 };

/* Sends one message by itself; false: the network failed. If a single message fails, the run will
 * report it. */
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
                       max_u64(LEAST_WARMUP, (uint64_t)WARMUP_PER_NODE * loop->topology->nodes));
}

uint64_t open_loop_measured(const struct open_loop *loop, const struct open_loop_pace *pace)
{
    return messages_in(
        loop, pace, OPEN_LOOP_BATCHES * OPEN_LOOP_BATCH,
        max_u64(LEAST_MEASURED, (uint64_t)MEASURED_PER_NODE * loop->topology->nodes));
}
