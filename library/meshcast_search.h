/* meshcast_search.h - message sets that are as bad as possible for a router, for programs.
 *
 * First come the sets that are given, then some that are made to be bad, then a local search from the worst
 * of them: doc/worst.md. `meshcast search` prints the same figures. The error rule, ownership and threads
 * are those of meshcast.h.
 */
#ifndef MESHCAST_SEARCH_H
#define MESHCAST_SEARCH_H

#include "meshcast.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* What is to be large. */
enum meshcast_objective {
    MESHCAST_OBJECTIVE_BUFFER, /* the most packets at a node */
    MESHCAST_OBJECTIVE_STEPS,  /* steps without synchronisation */
};

/* Where to search. A field of 0 takes the standard. */
struct meshcast_search_space {
    uint32_t rows, cols; /* the mesh; that of the given sets */
    /* Of each set at most; that of the given sets, or 16, and no less than per_node. */
    uint32_t congestion;
    enum meshcast_objective objective;     /* the buffer */
    uint64_t tries;                        /* the search ends after so many sets, .. */
    double seconds;                        /* .. or so many seconds; 60, unless there are tries */
    const struct meshcast_set *const *set; /* [sets]: to begin with, of that mesh and congestion */
    uint32_t sets;                         /* at most 64 */
    uint32_t per_node; /* messages that a node sends at most; those of the given sets, or 1 */
};

struct meshcast_search;

/* Searches. Of the options all count but MESHCAST_BUFFER, the files, the observer and what is kept; the
 * seed is that of the runs and of the search, so that the same options and tries find the same set.
 * `options` may be NULL. With MESHCAST_OK, with MESHCAST_CHECK (the worst set makes the router fail, or
 * breaks what is proven or enforced) and with MESHCAST_INTERRUPTED (the worst set so far) *search is the
 * caller's, else NULL. MESHCAST_USAGE: no mesh, the router refuses the options, a reduction, a congestion
 * below the messages of a node, or a given set is of another mesh, or has more congestion or messages per node. */
enum meshcast_status meshcast_search_run(const struct meshcast_router *router,
                                         const struct meshcast_search_space *space,
                                         const struct meshcast_options *options,
                                         struct meshcast_search **search,
                                         struct meshcast_error *error);
void meshcast_search_free(struct meshcast_search *search);

/* The worst set that was found; the search's. */
const struct meshcast_set *meshcast_search_set(const struct meshcast_search *search);

/* Its run, the search's. A run that fails has figures as far as it went. */
const struct meshcast_result *meshcast_search_result(const struct meshcast_search *search);

enum meshcast_search_figure {
    MESHCAST_SEARCH_WORST,     /* packets or steps, by the objective */
    MESHCAST_SEARCH_TRIED,     /* sets, .. */
    MESHCAST_SEARCH_MADE,      /* .. of which so many were given or made */
    MESHCAST_SEARCH_MOVES,     /* changes of the set it came from that were kept */
    MESHCAST_SEARCH_FOUND_AT,  /* which of the sets that were tried it is, from 1 */
    MESHCAST_SEARCH_FAILS,     /* 1: its run fails */
    MESHCAST_SEARCH_IS_BROKEN, /* 1: it fails, or is worse than what is promised */
    MESHCAST_SEARCH_RUNS,      /* of the router */
};
uint64_t meshcast_search_figure(const struct meshcast_search *search,
                                enum meshcast_search_figure figure);

/* The set that was given ("given 0", ..) or made from which the search came to it, and the last change; "":
 * none. */
const char *meshcast_search_origin(const struct meshcast_search *search);
const char *meshcast_search_last_move(const struct meshcast_search *search);

/* What the router promises of such a run: the bound, 0 if it promises nothing; the formula, "" or "-" if
 * none; how sure it is: "none", "measured", "enforced", "proven". */
double meshcast_search_promise(const struct meshcast_search *search, const char **formula,
                               const char **kind);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
