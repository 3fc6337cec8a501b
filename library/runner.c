/* runner.c - the routers of a comparison, each with parameters of its own and those of all.
 *
 * A list of routers is cut at commas, and each part at colons, in place, so that words live as long as the option's value.
 */
#include "library/runner.h"

#include <string.h>

/* Parameters with which routers hold packets back, which by themselves they do not. */
static const struct {
    const char *router;
    struct router_parameter parameter;
} HELD[] = {{"trees", {"slots", "auto"}}};

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

/* Adds a router to the list, with a parameter unless its name is NULL. */
static void add_router(struct compared_routers *list, const struct router *router,
                       struct router_parameter own)
{
    struct compared_router *row = &list->row[list->count++];
    *row = (struct compared_router){.router = router,
                                    .own = {.count = own.name != NULL, .parameter = {own}}};
    if (own.name == NULL)
        snprintf(row->label, sizeof row->label, "%s", router->name);
    else
        snprintf(row->label, sizeof row->label, "%s:%s=%s", router->name, own.name, own.value);
}

void compared_routers_all(struct compared_routers *list, bool is_race)
{
    list->count = 0;
    for (uint32_t i = 0; i < router_count(); i++)
        add_router(list, router_at(i), (struct router_parameter){.name = NULL});
    for (size_t i = 0; is_race && i < sizeof HELD / sizeof *HELD; i++)
        add_router(list, router_find(HELD[i].router), HELD[i].parameter);
}

unsigned compared_router_absence(const struct router *router, uint32_t most_sent,
                                 const struct run_options *run)
{
    unsigned absence = 0;
    if (run->congestion_is_unknown && !router_guesses_congestion(router))
        absence |= ABSENCE_NEEDS_CONGESTION;
    if (most_sent > 1 && !router_takes_many(router))
        absence |= ABSENCE_TAKES_ONE;
    if (run->reduces && !router_reduces(router))
        absence |= ABSENCE_CANNOT_REDUCE;
    return absence;
}

static bool has_parameter(const struct parameter_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->parameter[i].name, name) == 0)
            return true;
    return false;
}

struct router_options compared_router_options(const struct compared_router *row,
                                              const struct run_options *run)
{
    struct router_options options = run_options_for_router(run);
    memcpy(options.parameter, row->own.parameter, sizeof options.parameter);
    options.parameters = row->own.count;
    for (uint32_t i = 0; i < run->parameters.count && options.parameters < ROUTER_MAX_PARAMETERS;
         i++) {
        const struct router_parameter *common = &run->parameters.parameter[i];
        if (router_takes_parameter(row->router, common->name) &&
            !has_parameter(&row->own, common->name))
            options.parameter[options.parameters++] = *common;
    }
    return options;
}
