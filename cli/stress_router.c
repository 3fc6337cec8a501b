/* stress_router.c - a router's run with one capacity, for the search (search/stress.h), with a name in the
 * progress line and a look at the memory before it. How a run ends is judged by library/router_probe.c.
 */
#include "cli/stress_router.h"

#include "library/router_probe.h"
#include "library/run_options.h"

#include <stdio.h>

static void name_run(struct stress_router *own, uint32_t capacity)
{
    own->runs++;
    if (capacity == 0)
        snprintf(own->name, sizeof own->name, "%s, no capacity", own->router->name);
    else
        snprintf(own->name, sizeof own->name, "%s, run %u, B = %u", own->router->name, own->runs,
                 capacity);
    own->progress.what = own->name;
}

static enum failure_kind run_once(struct stress_router *own, struct stress_run *run,
                                  struct failure *failure)
{
    struct router_options options = own->options;
    struct router_result result;
    options.buffer = run->capacity;
    options.progress = progress_update;
    options.progress_context = &own->progress;
    struct memory_need need = {.limit = own->limit};
    if (own->instance != NULL &&
        run_check_memory(own->router, own->instance, &options, &(struct run_outputs){0}, need,
                         failure) != FAIL_NONE)
        return failure->kind;
    router_probe_run(own->router, own->set, &options, run, &result, failure);
    if (run->capacity == 0)
        own->result = result;
    return failure->kind;
}

enum failure_kind stress_run_router(void *context, struct stress_run *run, struct failure *failure)
{
    struct stress_router *own = context;
    name_run(own, run->capacity);
    return run_once(own, run, failure);
}
