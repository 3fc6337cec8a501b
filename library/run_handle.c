/* run_handle.c - one run of a router on a set, with its options and its observer.
 */
#include "library/handle_private.h"
#include "library/run_files.h"

#include <stdlib.h>

/* ---- the observer ---- */

/* The inner events are told as public ones. */
static void tell_events(void *context, uint64_t step, const struct machine_event *event,
                        size_t count)
{
    const struct meshcast_observer *observer = context;
    enum { AT_A_TIME = 256 };
    struct meshcast_event told[AT_A_TIME];
    for (size_t done = 0; observer->events != NULL && done < count;) {
        size_t now = count - done < AT_A_TIME ? count - done : AT_A_TIME;
        for (size_t i = 0; i < now; i++) {
            const uint32_t *field = event[done + i].field;
            told[i] = (struct meshcast_event){{field[0], field[1], field[2]}, event[done + i].kind};
        }
        observer->events(observer->context, step, told, now);
        done += now;
    }
}

static void tell_phase(void *context, uint64_t step, const char *name)
{
    const struct meshcast_observer *observer = context;
    if (observer->phase != NULL)
        observer->phase(observer->context, step, name);
}

/* ---- the run ---- */

static struct run_outputs outputs_of(const struct meshcast_options *options)
{
    return (struct run_outputs){.trace = options->file[MESHCAST_TRACE],
                                .view = {options->file[MESHCAST_HEATMAP],
                                         options->file[MESHCAST_TIMELINE],
                                         options->heatmap_is_of_links, options->timeline_every}};
}

static void run(const struct meshcast_router *router, const struct meshcast_set *set,
                const struct meshcast_options *options, struct router_result *result,
                struct failure *failure)
{
    struct router_options inner = options->router;
    struct meshcast_observer told = options->observer;
    struct machine_observer observer = {&told, tell_events, tell_phase};
    struct run_outputs outputs = outputs_of(options);
    if (options->is_observed)
        inner.observer = &observer;
    if (view_request_check(&outputs.view, failure) == FAIL_NONE)
        run_with_files(router_of(router), &set->instance.set, &inner, &outputs, result, failure);
}

uint64_t meshcast_run_memory(const struct meshcast_router *router, const struct meshcast_set *set,
                             const struct meshcast_options *options)
{
    static const struct meshcast_options standard;
    static const struct machine_observer any_observer;
    const struct meshcast_options *given = options == NULL ? &standard : options;
    struct router_options inner = given->router;
    struct run_outputs outputs = outputs_of(given);
    if (given->is_observed)
        inner.observer = &any_observer; /* it is never called here */
    return run_footprint(router_of(router), &set->instance, &inner, &outputs);
}

enum meshcast_status meshcast_run(const struct meshcast_router *router,
                                  const struct meshcast_set *set,
                                  const struct meshcast_options *options,
                                  struct meshcast_result **result, struct meshcast_error *error)
{
    static const struct meshcast_options standard;
    struct failure failure = {0};
    *result = memory_allocate(1, sizeof **result);
    if (*result == NULL)
        fail_memory(&failure, "a result");
    else
        run(router, set, options == NULL ? &standard : options, &(*result)->result, &failure);
    if (!run_has_figures(&failure)) {
        meshcast_result_free(*result);
        *result = NULL;
    }
    return error_give(error, &failure);
}
