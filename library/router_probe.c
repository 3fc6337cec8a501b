/* router_probe.c - a router's run with one capacity, as searches for buffers probe it (search/stress.h).
 *
 * A run ends in one of four ways: it delivers; a node overflows; the router refuses the capacity;
 * or it fails for a reason that no capacity mends, which ends the search. Without a capacity a
 * refusal is of the last kind: it is about another option. A router with a bound of its own may
 * overflow that, which is an outcome like others.
 *   With an unknown congestion an overflow within an attempt is no failure of the run: packets are
 * discarded and the attempt is void. The capacity in force is then that of the last attempt.
 */
#include "library/router_probe.h"

#include <stdio.h>
#include <string.h>

const char *const stress_outcome_names[STRESS_REFUSED + 1] = {
    [STRESS_DELIVERS] = "delivers", [STRESS_OVERFLOWS] = "overflow", [STRESS_REFUSED] = "refused"};

static uint32_t capacity_in_force(const struct router_result *result)
{
    if (result->attempts > 0)
        return result->attempt[result->attempts - 1].buffer_capacity;
    return result->buffer_capacity;
}

static uint32_t last_peak(const struct router_result *result)
{
    if (result->attempts > 0)
        return result->attempt[result->attempts - 1].buffer_peak;
    return result->buffer_peak;
}

static bool has_overflowed(const struct router_result *result)
{
    uint32_t capacity = capacity_in_force(result);
    return capacity > 0 && last_peak(result) > capacity;
}

static void take_figures(struct stress_run *run, const struct router_result *result)
{
    run->in_force = capacity_in_force(result);
    run->steps = result->steps;
    run->sync_steps = result->sync_steps;
    run->peak = result->buffer_peak;
    run->peak_node = result->buffer_peak_node;
    run->peak_step = result->buffer_peak_step;
    memcpy(run->peak_phase, result->buffer_peak_phase, sizeof run->peak_phase);
    run->missing = result->missing;
    run->attempts = result->attempts;
    /* the last one stands, or is where it overflows */
    run->void_attempts = result->attempts > 0 ? result->attempts - 1 : 0;
}

static enum failure_kind judge(struct stress_run *run, const struct router_result *result,
                               const struct failure *ended, struct failure *failure)
{
    bool refused = ended->kind == FAIL_USAGE && run->capacity > 0;
    bool overflows = ended->kind == FAIL_CHECK && has_overflowed(result);
    if (ended->kind != FAIL_NONE && !refused && !overflows) {
        if (run->capacity == 0)
            return fail_as(failure, ended);
        return fail(failure, ended->kind, "with a capacity of %u: %.400s", run->capacity,
                    ended->text);
    }
    run->outcome = refused ? STRESS_REFUSED : overflows ? STRESS_OVERFLOWS : STRESS_DELIVERS;
    if (refused)
        snprintf(run->reason, sizeof run->reason, "%.255s", ended->text);
    else
        take_figures(run, result);
    return FAIL_NONE;
}

enum failure_kind router_probe_run(const struct router *router, const struct message_set *set,
                                   const struct router_options *options, struct stress_run *run,
                                   struct router_result *result, struct failure *failure)
{
    struct router_options inner = *options;
    struct failure ended = {0};
    inner.buffer = run->capacity;
    router_run(router, set, &inner, result, &ended);
    return judge(run, result, &ended, failure);
}

enum failure_kind router_probe(void *context, struct stress_run *run, struct failure *failure)
{
    struct router_probe *probe = context;
    struct router_result result;
    struct command_run own;
    const struct router_options *options = &probe->options;
    char label[96];
    probe->runs++;
    if (run->capacity == 0)
        snprintf(label, sizeof label, "%s, no capacity", probe->label);
    else
        snprintf(label, sizeof label, "%s, run %u, B = %u", probe->label, probe->runs,
                 run->capacity);
    if (probe->command != NULL) {
        command_run_begin(&own, probe->command, label, options);
        options = &own.options;
    }
    router_probe_run(probe->router, probe->set, options, run, &result, failure);
    if (run->capacity == 0)
        probe->result = result;
    return failure->kind;
}
