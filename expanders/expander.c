/* expander.c - the graph value: random permutations, Reed-Solomon graphs, their neighbours.
 *
 * Random graphs (Section 5): entry i r + j of a permutation pi of r p numbers is for neighbour j of
 * input i, the group floor(c pi / (r p)). If c divides r p every group gets r p / c entries;
 * otherwise the numbers differ by one at most. Within a group the entries order its replicas. The
 * permutation does not depend on c: one of them represents a whole family of graphs, as at the end
 * of Section 5.
 *
 * Reed-Solomon graphs: two different polynomials of degree < k agree at k - 1 points at most, so
 * two inputs share at most k - 1 groups. That is an explicit expander (doc/expanders.md), and a
 * node computes its neighbours from its own number.
 *
 * The shuffle is Fisher and Yates' and runs in the host: the graph is a table that the mesh is
 * given (entry k at node k mod n), not one that it computes.
 *
 * Cost: O(r p) time, 4 r p bytes for a permutation, O(q) for a Reed-Solomon graph.
 */
#include "expanders/expander.h"

#include "base/pcg.h"

#include <assert.h>
#include <stdlib.h>

/* These numbers never change, so that old graphs can be made again. */
enum { STREAM_GRAPH = 0x65787001 };

const char *expander_kind_name(enum expander_kind kind)
{
    static const char *const names[EXPANDER_KINDS] = {"permutation", "rs", "list"};
    assert(kind < EXPANDER_KINDS);
    return names[kind];
}

static enum failure_kind check_sizes(uint32_t inputs, uint32_t groups, uint32_t degree,
                                     struct failure *failure)
{
    if (degree < 1 || degree > EXPANDER_MOST_DEGREE || groups < degree || inputs < groups ||
        inputs > EXPANDER_MOST_INPUTS || groups > EXPANDER_MOST_GROUPS ||
        (uint64_t)inputs * degree > EXPANDER_MOST_EDGES)
        return fail(failure, FAIL_USAGE,
                    "p = %lu, c = %lu, r = %lu: an expander needs 1 <= r <= c <= p, r <= %d, "
                    "c <= %d, p <= %d and r p <= %d",
                    (unsigned long)inputs, (unsigned long)groups, (unsigned long)degree,
                    EXPANDER_MOST_DEGREE, EXPANDER_MOST_GROUPS, EXPANDER_MOST_INPUTS,
                    EXPANDER_MOST_EDGES);
    return FAIL_NONE;
}

enum failure_kind expander_random(struct expander *graph, uint32_t inputs, uint32_t groups,
                                  uint32_t degree, uint64_t seed, struct failure *failure)
{
    *graph = (struct expander){0};
    enum failure_kind kind = check_sizes(inputs, groups, degree, failure);
    if (kind != FAIL_NONE)
        return kind;
    uint32_t entries = inputs * degree;
    uint32_t *entry = memory_allocate(entries, sizeof *entry);
    if (entry == NULL)
        return fail_memory(failure, "the permutation of an expander");
    struct pcg32 random = pcg32_seed(seed, STREAM_GRAPH);
    for (uint32_t i = 0; i < entries; i++) {
        uint32_t other = pcg32_below(&random, i + 1);
        entry[i] = entry[other];
        entry[other] = i;
    }
    *graph = (struct expander){.inputs = inputs,
                               .groups = groups,
                               .degree = degree,
                               .kind = EXPANDER_PERMUTATION,
                               .entry = entry};
    return FAIL_NONE;
}

uint32_t expander_dimension(uint32_t inputs, uint32_t q)
{
    uint32_t k = 1;
    for (uint64_t power = q; power < inputs && q > 1; power *= q)
        k++;
    return k;
}

enum failure_kind expander_reed_solomon(struct expander *graph, uint32_t inputs, uint32_t degree,
                                        uint32_t q, uint32_t k, struct failure *failure)
{
    struct galois field;
    *graph = (struct expander){0};
    enum failure_kind kind = galois_make(&field, q, failure);
    if (kind != FAIL_NONE)
        return kind;
    if (degree < 1 || degree > q || degree > EXPANDER_MOST_DEGREE)
        kind = fail(failure, FAIL_USAGE,
                    "r = %lu points of a field of %lu elements: r must be 1 .. %lu",
                    (unsigned long)degree, (unsigned long)q,
                    (unsigned long)(q < EXPANDER_MOST_DEGREE ? q : EXPANDER_MOST_DEGREE));
    else if (k < 1 || expander_dimension(inputs, q) > k)
        kind = fail(failure, FAIL_USAGE,
                    "p = %lu is more than the q^k polynomials of degree < k = %lu over F_%lu; k "
                    "must be at least %lu",
                    (unsigned long)inputs, (unsigned long)k, (unsigned long)q,
                    (unsigned long)expander_dimension(inputs, q));
    else if (inputs % q != 0)
        kind =
            fail(failure, FAIL_USAGE, "q = %lu must divide p = %lu, or the groups differ in size",
                 (unsigned long)q, (unsigned long)inputs);
    else
        kind = check_sizes(inputs, degree * q, degree, failure);
    if (kind != FAIL_NONE) {
        galois_free(&field);
        return kind;
    }
    *graph = (struct expander){.inputs = inputs,
                               .groups = degree * q,
                               .degree = degree,
                               .kind = EXPANDER_REED_SOLOMON,
                               .field = field,
                               .dimension = k};
    return FAIL_NONE;
}

enum failure_kind expander_set_groups(struct expander *graph, uint32_t groups,
                                      struct failure *failure)
{
    if (graph->kind != EXPANDER_PERMUTATION && groups != graph->groups)
        return fail(failure, FAIL_USAGE,
                    "c = %lu: this graph has %lu groups; only a permutation represents graphs of "
                    "other sizes",
                    (unsigned long)groups, (unsigned long)graph->groups);
    enum failure_kind kind = check_sizes(graph->inputs, groups, graph->degree, failure);
    if (kind == FAIL_NONE)
        graph->groups = groups;
    return kind;
}

/* Evaluates by Horner's rule from the leading coefficient; the coefficients are the digits of
 * `input`. */
uint32_t expander_polynomial(const struct expander *graph, uint32_t input, uint32_t j)
{
    const struct galois *field = &graph->field;
    uint32_t value = 0, digits = expander_dimension(graph->inputs, field->q);
    uint64_t place = 1;
    for (uint32_t i = 1; i < digits; i++)
        place *= field->q;
    for (uint32_t i = 0; i < digits; i++, place /= field->q)
        value = galois_add(field, galois_multiply(field, value, j),
                           (uint32_t)(input / place % field->q));
    return value;
}

void expander_free(struct expander *graph)
{
    free(graph->entry);
    galois_free(&graph->field);
    *graph = (struct expander){0};
}
