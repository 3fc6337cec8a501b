/* router_list.c - routers as an option names them: A,B,... */
#include "cli/router_list.h"

#include "console/run_options.h"

#include <string.h>

enum failure_kind router_list_accept(void *field, char *value, struct failure *failure)
{
    struct router_list *list = field;
    list->count = 0;
    for (char *name = value; name != NULL;) {
        char *comma = strchr(name, ',');
        if (comma != NULL)
            *comma = '\0';
        const struct router *router;
        if (run_find_router(name, &router, failure) != FAIL_NONE)
            return failure->kind;
        if (list->count == ROUTER_LIST_MAX)
            return fail(failure, FAIL_USAGE, "--routers takes %d names at most", ROUTER_LIST_MAX);
        list->router[list->count++] = router;
        name = comma == NULL ? NULL : comma + 1;
    }
    return FAIL_NONE;
}
