/* compare_routers.c - reads the routers of a comparison, each with parameters of its own.
 *
 * Method: the value is cut at commas, and each part at colons, in place, so that words live as long as argv.
 */
#include "cli/compare_routers.h"

#include <string.h>

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

int accept_compared_routers(void *field, char *value, struct failure *failure)
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
