/* search_router.h - a search for bad sets as a command runs it: its progress, and when it ends. */
#ifndef MESHCAST_CLI_SEARCH_ROUTER_H
#define MESHCAST_CLI_SEARCH_ROUTER_H

#include "console/progress.h"
#include "library/set_probe.h"

/* The context of the search. The caller fills the first part and begins the progress. */
struct search_router {
    struct set_probe probe; /* the first field: set_probe_measure() takes the context */
    double seconds;         /* the search ends after so many; 0: no limit */
    double (*clock)(void);
    double started; /* by that clock */

    struct progress progress; /* of all runs together */
    char name[128];           /* of the run under way */
};

/* The is_over of a search. */
bool search_router_is_over(void *context, uint64_t tried, const struct search_find *worst);

#endif
