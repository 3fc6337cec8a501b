/* promise.h - the promises of the routers: one table, which `search` prints and the documents
 * quote.
 *
 * S = sqrt(l c n), l the most messages that a node sends, m the longer side, s = m / sqrt(c / l), c
 * the congestion of the set. Steps are counted without synchronisation. A promise holds for the
 * router's own constants (no --param).
 */
#ifndef MESHCAST_SEARCH_PROMISE_H
#define MESHCAST_SEARCH_PROMISE_H

#include "base/suggestion.h"
#include "machine/mesh.h"

#include <stdbool.h>
#include <stdint.h>

enum objective { OBJECTIVE_BUFFER, OBJECTIVE_STEPS, OBJECTIVES };

/* "buffer" and "steps", ended by NULL. */
extern const char *const objective_names[OBJECTIVES + 1];

enum promise_kind {
    PROMISE_NONE,     /* nothing is promised */
    PROMISE_MEASURED, /* on all sets that were run; no set is known that needs more */
    PROMISE_ENFORCED, /* the run ends with a failure if it is broken */
    PROMISE_PROVEN,   /* for every set; a capacity is enforced besides */
};

/* Returns "none", "measured", "enforced", "proven". */
const char *promise_kind_name(enum promise_kind kind);

/* A run: its set, and the capacity that the router gave itself (0: none). */
struct promise_case {
    struct mesh mesh;
    uint32_t congestion, capacity;
    bool copy_is_free;
    uint32_t most_sent; /* l; 0 counts as 1 */
};

struct promise {
    const char *router;
    enum objective objective;
    enum promise_kind kind;
    const char *formula; /* for people; "-" if nothing is promised */
    /* Returns the bound; 0: none for such a run. NULL: never one. */
    double (*bound)(const struct promise_case *run);
};

uint32_t promise_count(void);
const struct promise *promise_at(uint32_t index);

/* Returns the promise of the router of that name; NULL for a router that is not in the table. */
const struct promise *promise_find(const char *router, enum objective objective);

/* Returns its bound of such a run; 0: none. */
double promise_bound(const struct promise *promise, const struct promise_case *run);

#endif
