/* runner.c - a router of a comparison: its own parameters, and those of all. */
#include "library/runner.h"

#include <string.h>

/* Parameters with which routers hold packets back, which by themselves they do not. */
static const struct {
    const char *router;
    struct router_parameter parameter;
} HELD[] = {{"trees", {"slots", "auto"}}};

bool runner_of_all(uint32_t index, bool is_race, struct known_runner *runner)
{
    uint32_t held = index - router_count(); /* wraps for earlier ones */
    *runner = (struct known_runner){.router = NULL};
    if (index < router_count()) {
        runner->router = router_at(index);
        snprintf(runner->label, sizeof runner->label, "%s", runner->router->name);
    } else if (is_race && held < sizeof HELD / sizeof *HELD) {
        runner->router = router_find(HELD[held].router);
        runner->own = HELD[held].parameter;
        snprintf(runner->label, sizeof runner->label, "%s:%s=%s", runner->router->name,
                 runner->own.name, runner->own.value);
    }
    return runner->router != NULL;
}

static bool is_own(const struct router_parameter *own, uint32_t owns, const char *name)
{
    for (uint32_t i = 0; i < owns; i++)
        if (strcmp(own[i].name, name) == 0)
            return true;
    return false;
}

unsigned runner_absence(const struct router *router, uint32_t most_sent,
                        const struct router_options *common)
{
    unsigned absence = 0;
    if (common->congestion_is_unknown && !router_guesses_congestion(router))
        absence |= RUNNER_NEEDS_CONGESTION;
    if (most_sent > 1 && !router_takes_many(router))
        absence |= RUNNER_TAKES_ONE;
    if (common->reduces && !router_reduces(router))
        absence |= RUNNER_CANNOT_REDUCE;
    return absence;
}

struct router_options runner_options(const struct router *router,
                                     const struct router_parameter *own, uint32_t owns,
                                     const struct router_options *common)
{
    struct router_options options = *common;
    memcpy(options.parameter, own, owns * sizeof *own);
    options.parameters = owns;
    for (uint32_t i = 0; i < common->parameters && options.parameters < ROUTER_MAX_PARAMETERS; i++)
        if (router_takes_parameter(router, common->parameter[i].name) &&
            !is_own(own, owns, common->parameter[i].name))
            options.parameter[options.parameters++] = common->parameter[i];
    return options;
}
