/* runner.c - a router of a comparison: its own parameters, and those of all.
 *
 * A list of routers is cut at commas, and each part at colons, in place, so that words live as long as the value.
 */
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

/* ---- those of a command ---- */

/* Cuts the text at the next `mark`; returns what is behind it, NULL if there is none. */
static char *cut(char *text, char mark)
{
    char *at = strchr(text, mark);
    if (at == NULL)
        return NULL;
    *at = '\0';
    return at + 1;
}

static enum failure_kind accept_own(struct compared_router *row, char *text,
                                    struct failure *failure)
{
    char *value = strchr(text, '=');
    if (value == NULL || value == text || value[1] == '\0')
        return fail(failure, FAIL_USAGE, "--routers takes ROUTER:NAME=VALUE, not '%.40s'",
                    row->label);
    if (row->own.count == ROUTER_MAX_PARAMETERS)
        return fail(failure, FAIL_USAGE, "a router takes %d parameters at most",
                    ROUTER_MAX_PARAMETERS);
    *value++ = '\0';
    if (run_check_parameter(&row->router, 1, text, failure) != FAIL_NONE)
        return failure->kind;
    row->own.parameter[row->own.count++] = (struct router_parameter){text, value};
    return FAIL_NONE;
}

int compared_routers_accept(void *field, char *value, struct failure *failure)
{
    struct compared_routers *list = field;
    list->count = 0;
    for (char *next, *word = value; word != NULL; word = next) {
        struct compared_router *row = &list->row[list->count];
        next = cut(word, ',');
        if (list->count == COMPARE_MOST)
            return fail(failure, FAIL_USAGE, "--routers takes %d names at most", COMPARE_MOST);
        *row = (struct compared_router){0};
        snprintf(row->label, sizeof row->label, "%s", word);
        char *own = cut(word, ':');
        if (run_find_router(word, &row->router, failure) != FAIL_NONE)
            return failure->kind;
        list->count++;
        for (char *behind; own != NULL; own = behind) {
            behind = cut(own, ':');
            if (accept_own(row, own, failure) != FAIL_NONE)
                return failure->kind;
        }
    }
    return FAIL_NONE;
}

void compare_all_routers(struct compared_routers *list, bool has_buffers)
{
    struct known_runner runner;
    for (list->count = 0; runner_of_all(list->count, has_buffers, &runner); list->count++) {
        struct compared_router *row = &list->row[list->count];
        *row = (struct compared_router){
            .router = runner.router,
            .own = {.count = runner.own.name != NULL, .parameter = {runner.own}}};
        snprintf(row->label, sizeof row->label, "%s", runner.label);
    }
}

struct router_options compared_router_options(const struct compared_router *row,
                                              const struct run_options *run)
{
    struct router_options common = run_options_for_router(run);
    return runner_options(row->router, row->own.parameter, row->own.count, &common);
}
