/* expander.h - the bipartite graphs of Section 5: p inputs, each with r neighbours among c groups.
 *
 * A graph is regular if each group has exactly r p / c neighbours, counted with multiplicity. It is
 * a (p, c, r, lambda)-expander (Definition 1) if moreover any k <= c / r inputs have at least
 * lambda r k distinct neighbours together; expanders/bracket.h says what lambda can be.
 *
 * Three kinds of graph have one type: those that a permutation pi of r p entries represents, where
 * neighbour j of input i is floor(c pi[i r + j] / (r p)); Reed-Solomon graphs, where it is (point
 * j, f(point j)) with f the i-th polynomial, computed and not stored; and lists of neighbours.
 */
#ifndef MESHCAST_EXPANDERS_EXPANDER_H
#define MESHCAST_EXPANDERS_EXPANDER_H

#include "base/failure.h"
#include "expanders/galois.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    EXPANDER_MOST_INPUTS = 1 << 26,
    EXPANDER_MOST_GROUPS = 1 << 24,
    EXPANDER_MOST_DEGREE = 1 << 10,
    EXPANDER_MOST_EDGES = 1 << 28, /* r p */
};

enum expander_kind { EXPANDER_PERMUTATION, EXPANDER_REED_SOLOMON, EXPANDER_LIST, EXPANDER_KINDS };

struct expander {
    uint32_t inputs, groups, degree; /* p, c, r; 1 <= r <= c <= p */
    enum expander_kind kind;
    uint32_t *entry;     /* [p r]: the permutation, or the neighbours of EXPANDER_LIST; or NULL */
    struct galois field; /* only EXPANDER_REED_SOLOMON: F_q with c = r q, */
    uint32_t dimension;  /* and k: the polynomials have degree < k, p <= q^k */
};

/* Returns the name of a kind in files and reports: "permutation", "rs", "list". */
const char *expander_kind_name(enum expander_kind kind);

/* Makes the graph of a random permutation: entries 0 .. r p - 1 shuffled by pcg32 from `seed`, the
 * same for every c. FAIL_USAGE: p, c, r do not fit together (the text says what must hold);
 * FAIL_SYSTEM: no memory. The caller frees. */
enum failure_kind expander_random(struct expander *graph, uint32_t inputs, uint32_t groups,
                                  uint32_t degree, uint64_t seed, struct failure *failure);

/* Makes the Reed-Solomon graph of the first p polynomials of degree < k over F_q, at the points 0
 * .. r-1; c = r q. Polynomial i has the digits of i to the base q as its coefficients, the constant
 * one lowest; group j q + y is (point j, value y). FAIL_USAGE unless q is a prime power, r <= q, p
 * <= q^k and q divides p (which makes the graph regular: of q polynomials that differ only in the
 * constant, one has each value). The caller frees. */
enum failure_kind expander_reed_solomon(struct expander *graph, uint32_t inputs, uint32_t degree,
                                        uint32_t q, uint32_t k, struct failure *failure);

/* Returns the least k with q^k >= inputs. */
uint32_t expander_dimension(uint32_t inputs, uint32_t q);

/* Makes a permutation's graph one of `groups` groups. FAIL_USAGE: another kind of graph, for which
 * c is fixed, or not r <= c <= p; the graph is then unchanged. */
enum failure_kind expander_set_groups(struct expander *graph, uint32_t groups,
                                      struct failure *failure);

/* Frees the graph's arrays and clears it; a zeroed graph is fine. */
void expander_free(struct expander *graph);

/* Returns polynomial `input` at point j, 0 .. q-1 (only EXPANDER_REED_SOLOMON). */
uint32_t expander_polynomial(const struct expander *graph, uint32_t input, uint32_t j);

/* Returns the group of neighbour j, 0 .. r-1, of `input`, 0 .. p-1: 0 .. c-1. O(1), for
 * Reed-Solomon graphs O(k). */
static inline uint32_t expander_neighbour(const struct expander *graph, uint32_t input, uint32_t j)
{
    if (graph->kind == EXPANDER_REED_SOLOMON)
        return j * graph->field.q + expander_polynomial(graph, input, j);
    uint32_t entry = graph->entry[(uint64_t)input * graph->degree + j];
    if (graph->kind == EXPANDER_LIST)
        return entry;
    return (uint32_t)((uint64_t)graph->groups * entry / ((uint64_t)graph->degree * graph->inputs));
}

/* Reads a graph file (doc/expanders.md); "-" is standard input. FAIL_INPUT names the file, the line
 * and what was expected; FAIL_SYSTEM: it cannot be read, no memory. The caller frees. */
enum failure_kind expander_read(struct expander *graph, const char *path, struct failure *failure);

/* Reads the same from `length` bytes in memory; `name` is the file's name in messages. */
enum failure_kind expander_read_memory(struct expander *graph, const void *bytes, size_t length,
                                       const char *name, struct failure *failure);

/* Writes the graph as a file that expander_read() accepts; `comment` (may be NULL) becomes a `#`
 * line under the header. Returns false, with errno set, if a write fails. */
bool expander_write(const struct expander *graph, const char *comment, FILE *out);

/* ---- crowd.c: an adversary's knowledge of a graph ---- */

/* Chooses about share * c groups, 0 < share < 1, another choice for each `number`, and writes all p
 * inputs into order[], those with the most edges into the chosen groups first. The choice suits the
 * first `wanted` of them. The same for the same arguments. FAIL_SYSTEM: no memory. */
enum failure_kind crowd_order(const struct expander *graph, double share, uint32_t number,
                              uint32_t wanted, uint32_t *order, struct failure *failure);

#endif
