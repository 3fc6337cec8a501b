/* compare_best.h - `meshcast compare --best`: which router is the fastest with each capacity of a node's buffer. */
#ifndef MESHCAST_CLI_COMPARE_BEST_H
#define MESHCAST_CLI_COMPARE_BEST_H

#include "console/run_options.h"
#include "workloads/instance.h"

struct compare_best {
    const struct instance *instance;
    const struct run_options *options;
    const char *title; /* of the picture */
    const char *plot;  /* its file, which can be written; NULL: none */
    uint64_t limit;    /* bytes that the set and a run may take */
    uint32_t routers;
    const struct router *const *router;
    /* Options for this router: those that are for it. */
    struct router_options (*options_for)(const struct run_options *options,
                                         const struct router *router);
};

/* Runs, prints the table or JSON, and draws the picture. FAIL_USAGE: no router runs with the options. */
enum failure_kind compare_best_run(const struct compare_best *best, struct failure *failure);

#endif
