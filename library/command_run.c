/* command_run.c - common parts of commands that run routers: finding the router, observing a run,
 * progress, runs with a capacity. */
#include "library/command_run.h"

#include "base/stopwatch.h"
#include "library/handle_private.h"
#include "library/run_options.h"

#include <stdio.h>
#include <string.h>

enum failure_kind command_find_router(const struct meshcast_command *command, const char *name,
                                      const struct router **router, struct failure *failure)
{
    if (command->routers == 0)
        return run_find_router(name, router, failure);
    if (name != NULL || command->routers > 1)
        return fail(failure, FAIL_USAGE, "a router is given; leave --router and others out");
    *router = router_of(command->router[0]);
    return FAIL_NONE;
}

/* ---- the observer ---- */

static void pass_events(void *context, uint64_t step, const struct machine_event *event,
                        size_t count)
{
    const struct meshcast_observer *observer = context;
    enum { AT_A_TIME = 256 };
    struct meshcast_event passed[AT_A_TIME];
    for (size_t done = 0; observer->events != NULL && done < count;) {
        size_t now = count - done < AT_A_TIME ? count - done : AT_A_TIME;
        for (size_t i = 0; i < now; i++) {
            const uint32_t *field = event[done + i].field;
            passed[i] =
                (struct meshcast_event){{field[0], field[1], field[2]}, (char)event[done + i].kind};
        }
        observer->events(observer->context, step, passed, now);
        done += now;
    }
}

static void pass_phase(void *context, uint64_t step, const char *name)
{
    const struct meshcast_observer *observer = context;
    if (observer->phase != NULL)
        observer->phase(observer->context, step, name);
}

/* ---- progress ---- */

/* Passes progress on, composing a text only as often as a reader could follow. */
static void pass_progress(void *context, uint64_t steps, const char *phase)
{
    static const double interval = 0.1;
    struct command_run *run = context;
    char what[160];
    double now = stopwatch_seconds();
    if (run->command->progress == NULL || now - run->reported < interval)
        return;
    run->reported = now;
    snprintf(what, sizeof what, "%s%s%s", run->label, phase == NULL ? "" : ", ",
             phase == NULL ? "" : phase);
    command_progress(run->command, steps, 0, what);
}

void command_run_begin(struct command_run *run, const struct meshcast_command *command,
                       const char *label, const struct router_options *options)
{
    *run = (struct command_run){.command = command, .label = label, .options = *options};
    run->options.progress = pass_progress;
    run->options.progress_context = run;
    run->options.interrupt = command->interrupt;
    if (command->observer == NULL)
        return;
    run->own = (struct machine_observer){(void *)command->observer, pass_events, pass_phase, NULL};
    command_run_observe(run, &run->own);
}

/* ---- several observers ---- */

static void pass_events_to_each(void *context, uint64_t step, const struct machine_event *event,
                                size_t count)
{
    const struct command_run *run = context;
    for (uint32_t i = 0; i < run->observers; i++)
        run->observer[i]->events(run->observer[i]->context, step, event, count);
}

static void pass_phase_to_each(void *context, uint64_t step, const char *name)
{
    const struct command_run *run = context;
    for (uint32_t i = 0; i < run->observers; i++)
        run->observer[i]->phase(run->observer[i]->context, step, name);
}

static void pass_beginning_to_each(void *context, const struct machine_beginning *beginning)
{
    const struct command_run *run = context;
    for (uint32_t i = 0; i < run->observers; i++)
        if (run->observer[i]->begin != NULL)
            run->observer[i]->begin(run->observer[i]->context, beginning);
}

void command_run_observe(struct command_run *run, const struct machine_observer *observer)
{
    if (observer == NULL)
        return;
    run->observer[run->observers++] = observer;
    run->all = (struct machine_observer){run, pass_events_to_each, pass_phase_to_each,
                                         pass_beginning_to_each};
    run->options.observer = run->observers == 1 ? observer : &run->all;
}

/* ---- runs with a capacity ---- */

const char *const stress_outcome_names[STRESS_REFUSED + 1] = {
    [STRESS_DELIVERS] = "delivers", [STRESS_OVERFLOWS] = "overflow", [STRESS_REFUSED] = "refused"};

uint32_t command_run_capacity(const struct router_result *result)
{
    return result->attempts > 0 ? result->attempt[result->attempts - 1].buffer_capacity
                                : result->buffer_capacity;
}

bool command_run_overflowed(const struct router_result *result, const struct failure *ended)
{
    uint32_t capacity = command_run_capacity(result);
    uint32_t peak = result->attempts > 0 ? result->attempt[result->attempts - 1].buffer_peak
                                         : result->buffer_peak;
    return ended->kind == FAIL_CHECK && capacity > 0 && peak > capacity;
}

static void take_figures(struct stress_run *run, const struct router_result *result)
{
    run->in_force = command_run_capacity(result);
    run->steps = result->steps;
    run->sync_steps = result->sync_steps;
    run->peak = result->buffer_peak;
    run->peak_node = result->buffer_peak_node;
    run->peak_step = result->buffer_peak_step;
    memcpy(run->peak_phase, result->buffer_peak_phase, sizeof run->peak_phase);
    run->missing = result->missing;
    run->attempts = result->attempts;
    /* the last one counts, or is where it overflows */
    run->void_attempts = result->attempts > 0 ? result->attempts - 1 : 0;
}

/* Returns the outcome of a run: it delivers; a node overflows, even the router's own bound; the
 * router refuses the capacity; or it fails for a reason that no capacity mends. Without a capacity
 * a refusal is about another option. */
static enum failure_kind judge(struct stress_run *run, const struct router_result *result,
                               const struct failure *ended, struct failure *failure)
{
    bool refused = ended->kind == FAIL_USAGE && run->capacity > 0;
    bool overflows = command_run_overflowed(result, ended);
    if (ended->kind != FAIL_NONE && !refused && !overflows) {
        if (run->capacity == 0)
            return fail_as(failure, ended);
        failure->is_memory_limit = ended->is_memory_limit;
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

enum failure_kind router_probe(void *context, uint32_t router, struct stress_run *run,
                               struct failure *failure)
{
    struct router_probe *probe = (struct router_probe *)context + router;
    struct router_result result;
    struct command_run own;
    struct failure ended = {0};
    char label[96];
    probe->runs++;
    if (run->capacity == 0)
        snprintf(label, sizeof label, "%s, no capacity", probe->label);
    else
        snprintf(label, sizeof label, "%s, run %u, B = %u", probe->label, probe->runs,
                 run->capacity);
    command_run_begin(&own, probe->command, label, &probe->options);
    own.options.buffer = run->capacity;
    router_run(probe->router, probe->set, &own.options, &result, &ended);
    if (run->capacity == 0)
        probe->result = result;
    return judge(run, &result, &ended, failure);
}
