/* run_handle.c - one run of a router on a set, with its options and its observer.
 */
#include "library/handle_private.h"

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

static bool has_figures(const struct failure *failure)
{
    return failure->kind == FAIL_NONE || failure->kind == FAIL_CHECK;
}

enum meshcast_status meshcast_run(const struct meshcast_router *router,
                                  const struct meshcast_set *set,
                                  const struct meshcast_options *options,
                                  struct meshcast_result **result, struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_options standard = {.router = router_options_default()};
    if (options == NULL)
        options = &standard;
    struct router_options inner = options->router;
    struct meshcast_observer told = options->observer;
    struct machine_observer observer = {&told, tell_events, tell_phase};
    if (options->is_observed)
        inner.observer = &observer;

    *result = memory_allocate(1, sizeof **result);
    if (*result == NULL)
        fail_memory(&failure, "a result");
    else
        router_run(router_of(router), &set->instance.set, &inner, &(*result)->result, &failure);
    if (!has_figures(&failure)) {
        meshcast_result_free(*result);
        *result = NULL;
    }
    return error_give(error, &failure);
}
