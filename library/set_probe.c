/* set_probe.c - what a router makes of a set, for the search (search/search.h).
 *
 * The figure is the buffer's peak, or the steps without synchronisation. Two sets of one figure are
 * told apart by an observed run, which takes a few times as long and so is made only where it can
 * decide: a buffer's `finer` is the sum of the fourth powers of all nodes' peaks, so that nodes that
 * come near the peak count and others hardly do; that of steps is the same of the steps at which
 * deliveries are made. Both rise before the figure does.
 *   Runs are those of `stress` without a capacity: a node that overflows the router's own capacity,
 * or a delivery that is missing, makes the run fail, and a set the worst.
 */
#include "library/set_probe.h"

#include "library/router_probe.h"
#include "library/view.h"

#include <inttypes.h>

static double fourth_power(double value)
{
    return value * value * value * value;
}

/* ---- observed runs ---- */

struct fine {
    struct view view;
    uint64_t delivered; /* up to the row before */
    double sum;         /* of deliveries */
};

static void take_row(void *context, const struct view_row *row)
{
    struct fine *fine = context;
    fine->sum += (double)(row->delivered - fine->delivered) * fourth_power((double)row->step);
    fine->delivered = row->delivered;
}

static double sum_of_peaks(const struct view *view)
{
    double sum = 0;
    for (uint32_t i = 0; i < mesh_nodes(view->mesh); i++)
        sum += fourth_power(view->peak[i]);
    return sum;
}

/* ---- runs ---- */

/* Runs the router once. What the run's end means goes into `failed`; the system's failures are the
 * search's. */
static enum failure_kind run_once(struct set_probe *probe, const struct message_set *set,
                                  struct stress_run *run, struct router_result *result,
                                  struct failure *failed, struct failure *failure)
{
    probe->runs++;
    router_probe_run(probe->router, set, &probe->options, run, result, failed);
    if (failed->kind == FAIL_NONE && run->outcome == STRESS_OVERFLOWS)
        fail(failed, FAIL_CHECK, "a node held %" PRIu32 " packets, which can hold %" PRIu32,
             run->peak, run->in_force);
    bool is_ours = failed->kind == FAIL_SYSTEM || failed->kind == FAIL_INTERRUPTED;
    return is_ours ? fail_as(failure, failed) : FAIL_NONE;
}

static enum failure_kind run_finely(struct set_probe *probe, const struct message_set *set,
                                    struct stress_run *run, double *finer, struct failure *failed,
                                    struct failure *failure)
{
    struct fine fine = {.sum = 0};
    struct router_result result;
    struct view_plan plan = {
        .every = probe->objective == OBJECTIVE_STEPS, .take = take_row, .take_context = &fine};
    if (view_make(&fine.view, set->mesh, &plan, failure) != FAIL_NONE)
        return failure->kind;
    probe->options.observer = &fine.view.observer;
    enum failure_kind kind = run_once(probe, set, run, &result, failed, failure);
    probe->options.observer = NULL;
    if (kind == FAIL_NONE && failed->kind == FAIL_NONE)
        view_finish(&fine.view, run->steps);
    *finer = probe->objective == OBJECTIVE_STEPS ? fine.sum : sum_of_peaks(&fine.view);
    view_free(&fine.view);
    return kind;
}

static uint64_t figure_of(const struct set_probe *probe, const struct stress_run *run)
{
    return probe->objective == OBJECTIVE_BUFFER ? run->peak : run->steps - run->sync_steps;
}

enum failure_kind set_probe_measure(void *context, const struct message_set *set, bool finely,
                                    struct search_figure *figure, struct failure *failure)
{
    struct set_probe *probe = context;
    struct stress_run run = {.capacity = 0};
    struct router_result result;
    struct failure failed = {0};
    enum failure_kind kind = finely ? run_finely(probe, set, &run, &figure->finer, &failed, failure)
                                    : run_once(probe, set, &run, &result, &failed, failure);
    if (kind != FAIL_NONE)
        return kind;
    if (failed.kind == FAIL_USAGE) { /* worth nothing */
        probe->refused++;
        fail(&probe->refusal, FAIL_USAGE, "%s", failed.text);
        return FAIL_NONE;
    }
    if (failed.kind != FAIL_NONE)
        fail(&probe->failed, failed.kind, "%s", failed.text);
    figure->fails = failed.kind != FAIL_NONE;
    figure->figure = figure_of(probe, &run);
    figure->peak = run.peak_node;
    return FAIL_NONE;
}

enum failure_kind set_probe_run(struct set_probe *probe, const struct message_set *set,
                                struct set_probe_run *run, struct failure *failure)
{
    struct failure failed = {0};
    *run = (struct set_probe_run){.degree = message_set_degree(set),
                                  .congestion = message_set_congestion(set),
                                  .most_sent = message_set_most_sent(set)};
    if (run->congestion == UINT32_MAX || run->most_sent == UINT32_MAX)
        return fail_memory(failure, "the messages of the nodes");
    if (run_once(probe, set, &run->run, &run->result, &failed, failure) != FAIL_NONE)
        return failure->kind;
    run->figure = figure_of(probe, &run->run);
    /* What follows void attempts is part of the router's promise, and the first one's capacity is its own. */
    const char *ran_as = run->result.ran_as;
    uint32_t capacity = run->result.buffer_capacity;
    bool is_other = ran_as[0] != '\0' && run->result.attempts < 2;
    run->promise = promise_find(is_other ? ran_as : probe->router->name, probe->objective);
    struct promise_case one = {.mesh = set->mesh,
                               .congestion = run->congestion,
                               .capacity = capacity > 0 ? capacity : run->run.in_force,
                               .most_sent = run->most_sent,
                               .copy_is_free = probe->options.copy_is_free};
    run->bound = probe->options.parameters == 0 ? promise_bound(run->promise, &one) : 0;
    return FAIL_NONE;
}

bool set_probe_is_broken(const struct set_probe_run *run, const struct search_figure *found)
{
    return found->fails || (run->bound > 0 && (double)run->figure > run->bound);
}

enum failure_kind set_probe_judge(const struct set_probe *probe, const struct set_probe_run *run,
                                  const struct search_figure *found, struct failure *failure)
{
    if (found->fails)
        return fail(failure, FAIL_CHECK, "%.400s", probe->failed.text);
    if (set_probe_is_broken(run, found) && run->promise->kind >= PROMISE_ENFORCED)
        return fail(failure, FAIL_CHECK, "%" PRIu64 " found, %.0f promised (%s)", run->figure,
                    run->bound, promise_kind_name(run->promise->kind));
    return FAIL_NONE;
}
