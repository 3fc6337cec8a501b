/* run_options.h - the options that `route`, `compare` and `kernel` share. */
#ifndef MESHCAST_LIBRARY_RUN_OPTIONS_H
#define MESHCAST_LIBRARY_RUN_OPTIONS_H

#include "library/option_table.h"
#include "routers/router.h"
#include "workloads/instance.h"

struct run_options {
    uint64_t seed;
    uint32_t threads, buffer, copy; /* copy: an index of run_copy_name() */
    bool congestion_is_unknown, reduces;
    const char *without; /* a file of the missing parts of the mesh; NULL: none */
    struct parameter_list {
        uint32_t count;
        struct router_parameter parameter[ROUTER_MAX_PARAMETERS];
    } parameters;
};

enum {
    RUN_OPTION_ROWS = 5,
    RUN_BUFFER_ROW = 1 /* --buffer */,
    RUN_COPIES = 2 /* "unit" and "free" */
};

/* The row of --router, for the name `field` of struct `of`. */
#define RUN_ROUTER_ROW(of, field)                                                                  \
    OPTION_NAME("router", "routers", "NAME", COMMON, of, field, &router_names,                     \
                "which router, or a plugin, ./FILE.so (a router of your own)")

/* The rows of a struct run_options, for an option_table whose base is its offset. */
extern const struct meshcast_option run_option_row[RUN_OPTION_ROWS];

/* Another row of it, for commands that run routers, .. */
extern const struct meshcast_option run_congestion_row[1];

/* .. and one for those that may run them the other way round. */
extern const struct meshcast_option run_reduce_row[1];

/* Returns the options of a router's run on a mesh, which is `broken`, or whole if that is NULL;
 * trace and progress are left to the caller. */
struct router_options run_options_for_router(const struct run_options *options,
                                             const struct topology *broken);

/* FAIL_USAGE: a parameter names the file, which would be overwritten. `path` NULL: no file. */
enum failure_kind run_options_check_output(const struct run_options *options, const char *path,
                                           struct failure *failure);

/* Offers the parameters: the offer_parameters() of commands that run routers. */
void run_offer_parameters(const struct meshcast_offers *offers);

/* True if copies are free. Reductions make no copies, and their lower bounds are those with free
 * copies. */
bool run_copy_is_free(const struct run_options *options);

/* The names of the costs, up to a NULL. */
extern const char *const run_copy_names[RUN_COPIES + 1];

/* Returns "copies cost a step", "copies are free", or with --reduce that there are none. */
const char *run_copies_text(const struct run_options *options);

/* Returns "unit" or "free". */
const char *run_copy_name(const struct run_options *options);

/* Finds the router of --router, or loads it if its name has a slash (library/plugin.c); FAIL_USAGE,
 * with all names: there is none, or `name` is NULL. */
enum failure_kind run_find_router(const char *name, const struct router **router,
                                  struct failure *failure);

/* Returns the router of the plugin `path`, which has a slash; NULL: it cannot be loaded, or the
 * router of another plugin has the same name. It is loaded once, and lives as long as the
 * program. */
const struct router *plugin_router(const char *path, struct failure *failure);

/* Returns the path of a plugin's router; NULL: it is of the table. */
const char *plugin_path(const struct router *router);

/* FAIL_USAGE if none of `routers` (count 0: of all routers) has a parameter of that name. */
enum failure_kind run_check_parameter(const struct router *const *routers, uint32_t count,
                                      const char *name, struct failure *failure);

/* Writes the description of router `index`, with its constants, for `meshcast help`. */
void run_print_router(uint32_t index, FILE *out);

/* Prints the help of the plugin in this file. */
int run_print_plugin(const char *path, FILE *out, struct failure *failure);

#endif
