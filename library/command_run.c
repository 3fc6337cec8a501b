/* command_run.c - what commands that run routers share: finding the router, observing a run, progress. */
#include "library/command_run.h"

#include "base/stopwatch.h"
#include "library/handle_private.h"
#include "library/run_options.h"

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

/* Composes a text only as often as a reader could follow. */
static void pass_progress(void *context, uint64_t steps, const char *phase)
{
    static const double interval = 0.1;
    struct command_run *run = context;
    char what[160];
    double now = stopwatch_seconds();
    if (run->command->progress == NULL || now - run->told < interval)
        return;
    run->told = now;
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

static void tell_events(void *context, uint64_t step, const struct machine_event *event,
                        size_t count)
{
    const struct command_run *run = context;
    for (uint32_t i = 0; i < run->observers; i++)
        run->observer[i]->events(run->observer[i]->context, step, event, count);
}

static void tell_phase(void *context, uint64_t step, const char *name)
{
    const struct command_run *run = context;
    for (uint32_t i = 0; i < run->observers; i++)
        run->observer[i]->phase(run->observer[i]->context, step, name);
}

static void tell_beginning(void *context, const struct machine_beginning *beginning)
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
    run->all = (struct machine_observer){run, tell_events, tell_phase, tell_beginning};
    run->options.observer = run->observers == 1 ? observer : &run->all;
}
