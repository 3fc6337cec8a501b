/* plugin.h - a router of a user's own in a shared object, for the program. */
#ifndef MESHCAST_LIBRARY_PLUGIN_H
#define MESHCAST_LIBRARY_PLUGIN_H

#include "routers/router.h"

/* Loads it as meshcast_router_load() does; NULL: it failed. The caller frees with plugin_free(), which
 * takes NULL. */
const struct router *plugin_load(const char *path, struct failure *failure);
void plugin_free(const struct router *router);

#endif
