/* set_probe.h - a router's run as what a search for bad sets measures (search/search.h), and what was
 * promised of it. */
#ifndef MESHCAST_LIBRARY_SET_PROBE_H
#define MESHCAST_LIBRARY_SET_PROBE_H

#include "routers/router.h"
#include "search/promise.h"
#include "search/search.h"
#include "search/stress.h"

struct set_probe {
    const struct router *router;
    struct router_options
        options; /* the buffer does not count: the router's own capacity is attacked */
    enum objective objective;

    uint64_t runs, refused; /* runs of the router; those that it refused */
    struct failure refusal; /* the first one */
    struct failure failed;  /* how the first run that failed did so */
};

/* A search_probe; `context` begins with a struct set_probe. A set that the router refuses is worth nothing;
 * failures of the system and interrupts are the search's. */
enum failure_kind set_probe_measure(void *context, const struct message_set *set, bool finely,
                                    struct search_figure *figure, struct failure *failure);

/* What the router does with one set, for a report. */
struct set_probe_run {
    struct stress_run run;
    struct router_result result;
    uint32_t degree, congestion, most_sent;
    const struct promise *promise; /* NULL: none is known */
    double bound;                  /* 0: none for such a run */
    uint64_t figure;
};
enum failure_kind set_probe_run(struct set_probe *probe, const struct message_set *set,
                                struct set_probe_run *run, struct failure *failure);

/* Whether the run of the worst set, found so, takes more than is promised, or fails. */
bool set_probe_is_broken(const struct set_probe_run *run, const struct search_figure *found);

/* FAIL_CHECK: the run of the worst set fails, or breaks what is proven or enforced. */
enum failure_kind set_probe_judge(const struct set_probe *probe, const struct set_probe_run *run,
                                  const struct search_figure *found, struct failure *failure);

#endif
