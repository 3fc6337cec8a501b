/* plugin_routers.c - the plugins that a command line names, each loaded once.
 *
 * Option rows know nothing of one another, so what they load is kept here, until the process ends. The list grows while
 * options are read, which one thread does at a time; a program with more gives routers instead (meshcast_router_load()).
 */
#include "library/plugin_routers.h"

#include "library/plugin.h"

#include <string.h>

enum { MOST_PLUGINS = 32 };

static struct {
    char *path;
    const struct router *router;
} plugins[MOST_PLUGINS];
static uint32_t plugin_count;

const struct router *plugin_router(const char *path, struct failure *failure)
{
    for (uint32_t i = 0; i < plugin_count; i++)
        if (strcmp(plugins[i].path, path) == 0)
            return plugins[i].router;
    const struct router *router = plugin_load(path, failure);
    if (router == NULL)
        return NULL;
    for (uint32_t i = 0; i < plugin_count; i++)
        if (strcmp(plugins[i].router->name, router->name) == 0)
            fail(failure, FAIL_USAGE, "the routers of %.120s and %.120s are both named '%s'",
                 plugins[i].path, path, router->name);
    if (plugin_count == MOST_PLUGINS)
        fail(failure, FAIL_USAGE, "%d plugins are the most", MOST_PLUGINS);
    char *copy = failure->kind == FAIL_NONE ? strdup(path) : NULL;
    if (failure->kind == FAIL_NONE && copy == NULL)
        fail_memory(failure, "a plugin's path");
    if (failure->kind != FAIL_NONE) {
        plugin_free(router);
        return NULL;
    }
    plugins[plugin_count].path = copy;
    plugins[plugin_count++].router = router;
    return router;
}

const char *plugin_path(const struct router *router)
{
    for (uint32_t i = 0; i < plugin_count; i++)
        if (plugins[i].router == router)
            return plugins[i].path;
    return NULL;
}
