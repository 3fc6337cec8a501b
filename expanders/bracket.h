/* bracket.h - bounds on the expansion of a graph: certificates from below, a set that was found
 * from above.
 *
 * lambda is the least of |Gamma(S)| / (r |S|) over all sets S of 1 .. floor(c / r) inputs
 * (Definition 1). A certificate is a theorem about this very graph, for any rounding;
 * doc/expanders.md names the theorem. The union bound is none: it is about a random graph.
 */
#ifndef MESHCAST_EXPANDERS_BRACKET_H
#define MESHCAST_EXPANDERS_BRACKET_H

#include "base/failure.h"
#include "expanders/expander.h"

/* `tell` is called by one thread, some hundred times per second or more often, with the current
 * activity `what` and the finished `share` of its longest duration, 0 to 1. */
struct effort {
    void (*tell)(void *context, const char *what, double share); /* NULL: no progress */
    void *context;
    const struct interrupt *interrupt; /* NULL: none */
};

/* Reports progress, if `effort` is not NULL. False: an interrupt was sent, so the computation must
 * end, with any result. */
static inline bool effort_tell(const struct effort *effort, const char *what, double share)
{
    if (effort == NULL)
        return true;
    if (effort->tell != NULL)
        effort->tell(effort->context, what, share);
    return !interrupt_is_sent(effort->interrupt);
}

/* k inputs that have `neighbours` distinct neighbours together: lambda <= neighbours / (r k). */
struct weak_set {
    uint32_t count, neighbours; /* count 0: none found yet */
    uint32_t *input;            /* [floor(c / r)], the first `count` in ascending order */
};

enum certificate_kind {
    CERTIFICATE_EXACT,
    CERTIFICATE_COUNTED,
    CERTIFICATE_SPECTRAL,
    CERTIFICATE_CODEGREE,
    CERTIFICATE_POLYNOMIALS,
    CERTIFICATES
};

struct certificate {
    bool holds;    /* false: left out */
    double lambda; /* lambda is at least this; rounded down */
    char why[80];  /* a short reason if it was left out */
};

struct bracket {
    uint32_t inputs, groups, degree, largest_set; /* p, c, r, floor(c / r) */
    uint32_t least_load, most_load;               /* edges of a group */
    uint32_t multi_edges, multi_inputs;           /* as in struct adjacency */
    struct certificate certificate[CERTIFICATES];
    bool any;                   /* one of them holds */
    enum certificate_kind best; /* the largest of those that hold */
    struct weak_set found;      /* lambda is at most `upper`, by this set */
    double upper;
    double second_value;  /* upper bound of a regular graph's second singular value; 0: unknown */
    double random_lambda; /* union bound: a random graph has this with probability 1 - 1e-6 */
};

/* Return the name of a certificate, and the theorem that it follows from, in one line. */
const char *certificate_name(enum certificate_kind kind);
const char *certificate_theorem(enum certificate_kind kind);

/* Returns the largest certified bound; 0 if there is none. */
double bracket_certified(const struct bracket *bracket);

/* True if the loads of any two groups differ by one at most: as regular as r p / c allows. */
bool bracket_is_regular(const struct bracket *bracket);

/* Computes everything; `effort`, which may be NULL, receives the progress and may end it:
 * FAIL_INTERRUPTED. FAIL_SYSTEM: no memory. The same result for any number of `threads`. The caller
 * frees. */
enum failure_kind bracket_make(struct bracket *bracket, const struct expander *graph,
                               uint32_t threads, const struct effort *effort,
                               struct failure *failure);

/* Computes only the certificates, for runs that wait for them: without the search, so that `upper`
 * says little, and with so little exact work that graphs of some 16 groups are done. */
enum failure_kind bracket_certify(struct bracket *bracket, const struct expander *graph,
                                  uint32_t threads, struct failure *failure);

/* Frees; a zeroed bracket is fine. */
void bracket_free(struct bracket *bracket);

#endif
