/* search.h - looks for a message set that is as bad as possible by a given measure.
 *
 * First the made sets (search/seed_sets.h) and the caller's, then local search from the best of
 * them (search/mutation.c). A probe rates each set; the search knows neither routers nor clocks.
 * The same plan and the same probe find the same set.
 */
#ifndef MESHCAST_SEARCH_SEARCH_H
#define MESHCAST_SEARCH_SEARCH_H

#include "search/seed_sets.h"

#include <stdbool.h>
#include <stdint.h>

/* The badness of a set: one that makes a run fail is the worst, then the larger figure, then
 * `finer`. */
struct search_figure {
    bool fails;
    uint64_t figure;
    double finer;    /* distinguishes sets of one figure; may be always 0 */
    node_index peak; /* where the set crowds most, or MESH_NO_NODE */
};

/* Measures a set. Without `finely` .finer may be left 0: it is asked for only if it could decide. A
 * failure ends the search. */
typedef enum failure_kind search_probe(void *context, const struct message_set *set, bool finely,
                                       struct search_figure *figure, struct failure *failure);

/* A set that was found, and its origin. */
struct search_find {
    struct message_set set;
    struct search_figure figure;
    struct search_figure first; /* of that set */
    char name[SEED_NAME_SIZE];  /* the set from which the search came to it */
    uint32_t moves;             /* number of changes to that set that were kept */
    const char *last;           /* the last of them; NULL: none */
    uint64_t at;                /* its number among the tried sets, from 1 */
};

/* The counts of one kind of move. */
struct search_move_count {
    uint64_t tried, kept, best; /* best: made the worst set so far */
};

enum { SEARCH_MOVES_MOST = 32, SEARCH_STARTS = 8 };

struct search_plan {
    struct seed_plan seeds;
    const struct message_set
        *given; /* of that mesh, with no more congestion and messages per node */
    const char *const *given_name;
    uint32_t givens;
    uint64_t tries; /* at most so many sets; 0: no limit */
    uint64_t seed;  /* of the moves */
    search_probe *probe;
    /* True if the search is to stop; called after each set, with the worst so far. */
    bool (*is_over)(void *context, uint64_t tried, const struct search_find *worst);
    void *context; /* of both */
};

struct search {
    struct search_find worst;
    /* From the worst on: the starts of the local search, or their results. */
    struct search_find start[SEARCH_STARTS];
    uint32_t starts;
    uint64_t tried, made; /* sets; `made` of them were made or given */
    struct search_move_count move[SEARCH_MOVES_MOST];
};

/* Searches until the plan ends it; at least one set is tried. FAIL_USAGE: no set can be made.
 * search_free() in any case. */
enum failure_kind search_run(struct search *search, const struct search_plan *plan,
                             struct failure *failure);
void search_free(struct search *search);

#endif
