/* report_search.h - what `search` prints. */
#ifndef MESHCAST_CLI_REPORT_SEARCH_H
#define MESHCAST_CLI_REPORT_SEARCH_H

#include "cli/search_router.h"
#include "library/report.h"

/* A search that is over. */
struct search_report {
    const struct router *router;
    const struct run_options *options;
    const struct search_plan *plan;
    const struct search *search;
    const struct search_router *runs;
    const struct set_probe_run *worst; /* the run of the worst set */
    double seconds;
    bool is_interrupted;
};

/* The object of `search --json`. NULL: no memory. The caller owns it. */
json_t *report_search_json(const struct search_report *report);

void report_print_search(const struct search_report *report, FILE *out);

/* The lines of the comment in the set's file: how to find it again, and what it is. */
void report_search_comment(const struct search_report *report, FILE *out);

#endif
