/* certificates.h - the parts of a bracket: the graph laid out, the certificates, and the searches.
 * For bracket.c and the files that are named here.
 */
#ifndef MESHCAST_EXPANDERS_CERTIFICATES_H
#define MESHCAST_EXPANDERS_CERTIFICATES_H

#include "expanders/bracket.h"

/* ---- adjacency.c: a graph laid out for all of its edges ---- */

/* Neighbours of input u with multiplicity, ascending: edge[u r .. u r + r - 1]. The distinct ones:
 * distinct[u r .. u r + distinct_count[u] - 1]. The inputs of group v, each once, ascending:
 * member[member_start[v] .. member_start[v + 1] - 1]. */
struct adjacency {
    uint32_t inputs, groups, degree; /* p, c, r */
    uint32_t largest_set;            /* floor(c / r): Definition 1 speaks of k <= c / r inputs */
    uint32_t *edge, *distinct, *distinct_count;
    uint32_t *member_start, *member; /* [c + 1], [distinct edges] */
    uint32_t least_load, most_load;  /* edges of a group, with multiplicity */
    uint32_t multi_edges;            /* edges beyond the first between the same two nodes */
    uint32_t multi_inputs;           /* inputs that have such edges */
    const struct effort *effort;     /* of the caller; NULL until it is set */
};

/* Lays out `graph`, which is only read. FAIL_SYSTEM: no memory. The caller frees. */
enum failure_kind adjacency_make(struct adjacency *adjacency, const struct expander *graph,
                                 struct failure *failure);

/* Frees; a zeroed one is fine. */
void adjacency_free(struct adjacency *adjacency);

/* Counts the distinct neighbours that `count` inputs have together. `mark` is [c], all zero before
 * and after. */
uint32_t adjacency_count_neighbours(const struct adjacency *adjacency, const uint32_t *input,
                                    uint32_t count, uint8_t *mark);

/* ---- weak_set.c: a search for a set of inputs with few neighbours ---- */

/* Allocates a set with room for floor(c / r) inputs. The caller frees with weak_set_free(). */
enum failure_kind weak_set_make(struct weak_set *set, const struct adjacency *adjacency,
                                struct failure *failure);
void weak_set_free(struct weak_set *set);

/* Returns neighbours / (r k); 1 for no set. */
double weak_set_lambda(const struct weak_set *set, const struct adjacency *adjacency);

/* Improves `set` by a search that starts from the `starts` inputs of start[] and from random ones
 * of `seed`, and sorts it. The neighbours are counted afresh at the end. FAIL_SYSTEM: no memory. */
enum failure_kind weak_set_search(struct weak_set *set, const struct adjacency *adjacency,
                                  const uint32_t *start, uint32_t starts, uint64_t seed,
                                  struct failure *failure);

/* ---- exact.c: the expansion of a small graph ---- */

enum { EXACT_MOST_GROUPS = 64 };

/* Enough for every graph that was tried with c <= 32; some ten seconds. */
#define EXACT_WORK ((uint64_t)1 << 31)

/* The bounds that were proven. */
struct exact_proof {
    bool done;     /* lambda is exactly weak_set_lambda() of the set */
    double lambda; /* lambda is at least this; if done, the set's */
};

/* Makes `set` a worst one. `set` may hold a set to begin with, which saves time. If the work,
 * counted in candidates looked at, exceeds `most_work`, the set is the worst one seen, and the
 * proof covers only the sets of inputs with few neighbours. At most EXACT_MOST_GROUPS groups.
 * FAIL_SYSTEM: no memory. */
enum failure_kind exact_minimise(struct weak_set *set, const struct adjacency *adjacency,
                                 uint64_t most_work, struct exact_proof *proof,
                                 struct failure *failure);

/* ---- codegree.c: the bound that shared neighbours certify ---- */

enum { CODEGREE_SUSPECTS = 64 };

struct codegree {
    bool done;         /* false: left out, since it would need too many steps */
    double lambda;     /* the certified bound, rounded down */
    uint32_t largest;  /* the most groups that two inputs share */
    uint32_t suspects; /* inputs that share the most, for the search */
    uint32_t suspect[CODEGREE_SUSPECTS];
};

/* Certifies. FAIL_SYSTEM: no memory. The same result for any number of `threads`. */
enum failure_kind codegree_certify(struct codegree *codegree, const struct adjacency *adjacency,
                                   uint32_t threads, struct failure *failure);

/* Returns the bound that follows for a Reed-Solomon graph from k only, rounded down. */
double codegree_of_polynomials(const struct expander *graph);

/* ---- spectral.c: the expansion that the spectrum of a graph certifies ---- */

enum { SPECTRAL_MOST_GROUPS = 4096 };

/* With N the p x c matrix of the graph: N (I - delta J) N' <= t I, proven by factoring
 * t I + eta J - N'N (spectral.c). For a regular graph t is an upper bound of the square of N's
 * second singular value. */
struct spectral {
    double t, eta;
    double estimate; /* a guess at the square of the second singular value; 0: none */
    double lambda;   /* the certified bound, rounded down; 0 if nothing could be proven */
};

/* Certifies. At most SPECTRAL_MOST_GROUPS groups. FAIL_SYSTEM: no memory. The same result for any
 * number of `threads`. */
enum failure_kind spectral_certify(struct spectral *spectral, const struct adjacency *adjacency,
                                   uint32_t threads, struct failure *failure);

/* ---- eigenvalue.c: the two largest eigenvalues of N'N, estimated by an iteration ---- */

/* The basis of the iteration has 20 vectors, and must not fill the space. Of smaller graphs every
 * proof is cheap (spectral.c), so that no estimate is needed. */
enum { EIGENVALUE_LEAST_GROUPS = 32 };

/* Sets first >= second. *found is false, and nothing is set, if the graph has fewer than
 * EIGENVALUE_LEAST_GROUPS groups or the iteration did not converge. These are estimates, which
 * prove nothing. FAIL_SYSTEM: no memory. Always the same start, so always the same values. */
enum failure_kind eigenvalue_estimate(const struct adjacency *adjacency, double *first,
                                      double *second, bool *found, struct failure *failure);

/* ---- definite.c: a proof that a symmetric matrix has no eigenvalue far below 0 ---- */

/* Factors the symmetric matrix of `order` rows, of which the lower triangle with the diagonal is
 * given in matrix[i * order + j], j <= i, and overwritten. True if the factorisation reached its
 * end; then, for any rounding, no eigenvalue of the given matrix is below minus *allowance.
 * `threads` threads share the work; the result does not depend on their number. `effort` receives
 * the progress. `panel` is scratch of DEFINITE_BLOCK * order numbers. */
bool definite_factor(double *matrix, uint32_t order, double *panel, uint32_t threads,
                     const struct effort *effort, double *allowance);

enum { DEFINITE_BLOCK = 64 };

/* ---- union_bound.c: the likely expansion of a random permutation ---- */

/* Returns an upper bound of the probability that the graph of a random permutation (p, c, r) is not
 * a (p, c, r, lambda)-expander; above 1 it says nothing. It also says nothing about a graph in
 * hand. */
double union_bound(uint32_t inputs, uint32_t groups, uint32_t degree, double lambda);

/* Returns the largest lambda, rounded down, at which union_bound() is below `probability`; 0 if
 * none. */
double union_bound_lambda(uint32_t inputs, uint32_t groups, uint32_t degree, double probability);

#endif
