/* router_handle.c - the table of routers as handles. */
#include "base/suggestion.h"
#include "library/handle_private.h"

#include <stddef.h>

const struct meshcast_router *meshcast_router_find(const char *name, struct meshcast_error *error)
{
    struct failure failure = {0};
    const struct router *router = router_find(name);
    if (router == NULL)
        fail_unknown_name(&failure, &router_names, name);
    error_give(error, &failure);
    return router_handle(router);
}

const char *meshcast_router_name(const struct meshcast_router *router)
{
    return router_of(router)->name;
}

const char *meshcast_router_summary(const struct meshcast_router *router)
{
    return router_of(router)->summary;
}

const char *meshcast_router_parameters(const struct meshcast_router *router)
{
    return router_of(router)->parameters;
}

bool meshcast_router_guesses_congestion(const struct meshcast_router *router)
{
    return router_guesses_congestion(router_of(router));
}
