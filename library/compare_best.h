/* compare_best.h - what the two forms of a comparison share: rows of routers, and the fastest router for each buffer. */
#ifndef MESHCAST_LIBRARY_COMPARE_BEST_H
#define MESHCAST_LIBRARY_COMPARE_BEST_H

#include "library/commands.h"
#include "library/run_options.h"
#include "workloads/instance.h"

enum { COMPARE_MOST = 32 };

/* A row of a comparison. The parameters' texts are the option's. */
struct compared_router {
    const struct router *router;
    char label[ROUTER_NAME_SIZE]; /* as it was given, cut to fit */
    struct parameter_list own;
};

/* `count` 0: all of the table, without parameters of their own. */
struct compared_routers {
    uint32_t count;
    struct compared_router row[COMPARE_MOST];
};

struct comparison {
    const struct meshcast_command *command;
    const struct instance *instance; /* with its bounds */
    const struct run_options *run;   /* of all routers */
    bool is_of_all;                  /* no router was asked for by name */
    struct compared_routers list;    /* those that take part */
    int width;                       /* of the column with their labels, at least 10 */
};

/* Returns the options of a row: its own parameters come first; of those of the command it has the ones that its router takes and
 * that are not among its own. */
struct router_options compared_router_options(const struct compared_router *row,
                                              const struct run_options *run);

/* Writes the title of the picture, a line. */
enum { COMPARE_TITLE_SIZE = 320 };
void comparison_title(const struct comparison *comparison, char title[COMPARE_TITLE_SIZE]);

/* Runs all routers with each capacity of interest, fills the report, and writes the picture to `plot`, if that is not NULL.
 * FAIL_USAGE: no router runs with the options. */
enum failure_kind compare_best_run(const struct comparison *comparison, const char *plot,
                                   struct meshcast_report *report, struct failure *failure);

#endif
