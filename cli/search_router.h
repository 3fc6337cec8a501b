/* search_router.h - a router's run as what a search for bad sets measures, and when the search ends. */
#ifndef MESHCAST_CLI_SEARCH_ROUTER_H
#define MESHCAST_CLI_SEARCH_ROUTER_H

#include "cli/stress_router.h"
#include "search/promise.h"
#include "search/search.h"

/* The probe's context. The caller fills the first part and begins own.progress. */
struct search_router {
    struct stress_router own; /* without set and instance */
    enum objective objective;
    double seconds; /* the search ends after so many; 0: no limit */
    double (*clock)(void);
    double started; /* by that clock */

    char name[128];         /* of the run under way */
    uint64_t runs, refused; /* runs of the router; those that it refused */
    struct failure refusal; /* the first one */
    struct failure failed;  /* how the first run that failed did so */
};

/* The search_probe and the is_over of a search. A set that the router refuses is worth nothing. */
enum failure_kind search_router_probe(void *context, const struct message_set *set, bool finely,
                                      struct search_figure *figure, struct failure *failure);
bool search_router_is_over(void *context, uint64_t tried, const struct search_find *worst);

/* FAIL_SYSTEM, with the figures: there is not as much memory as runs could need. */
enum failure_kind search_router_check_memory(const struct search_router *router,
                                             const struct making *making, struct failure *failure);

/* What the router does with one set, for a report. */
struct search_router_run {
    struct stress_run run;
    struct router_result result;
    uint32_t degree, congestion, most_sent;
    const struct promise *promise; /* NULL: none is known */
    double bound;                  /* 0: none for such a run */
    uint64_t figure;
};
enum failure_kind search_router_run(struct search_router *router, const struct message_set *set,
                                    struct search_router_run *run, struct failure *failure);

#endif
