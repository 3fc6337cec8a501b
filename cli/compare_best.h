/* compare_best.h - `meshcast compare --best`: which router is the fastest with each capacity of a node's buffer. */
#ifndef MESHCAST_CLI_COMPARE_BEST_H
#define MESHCAST_CLI_COMPARE_BEST_H

#include "cli/compare_routers.h"
#include "library/run_options.h"
#include "workloads/instance.h"

struct compare_best {
    const struct instance *instance;
    const struct run_options *options;
    const char *title; /* of the picture */
    const char *plot;  /* its file, which can be written; NULL: none */
    uint64_t limit;    /* bytes that the set and a run may take */
    const struct compared_routers *rows;
};

/* Runs, prints the table or JSON, and draws the picture. FAIL_USAGE: no router runs with the options. */
enum failure_kind compare_best_run(const struct compare_best *best, struct failure *failure);

#endif
