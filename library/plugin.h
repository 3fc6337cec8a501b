/* plugin.h - routers of a user's own in shared objects: the plugins that a command line names, each loaded once. */
#ifndef MESHCAST_LIBRARY_PLUGIN_H
#define MESHCAST_LIBRARY_PLUGIN_H

#include "routers/router.h"

/* The router of the plugin `path`, in which there is a slash; NULL: it cannot be loaded, or the router of
 * another plugin has the same name. It lives as long as the program. */
const struct router *plugin_router(const char *path, struct failure *failure);

/* The path of a router that plugin_router() gave; NULL: it is of the table. */
const char *plugin_path(const struct router *router);

#endif
