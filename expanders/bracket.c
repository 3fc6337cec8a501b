/* bracket.c - every bound on one graph, a row of a table each, and the search.
 *
 * The order matters only for speed: counting codegrees names inputs that the search starts from,
 * and the set that the search finds shortens the exact computation, which may replace it by a worse
 * one. The certificates do not depend on the search.
 *
 * Cost: stated with each bound; with p <= 2^17 and c <= 2^12 under a minute.
 */
#include "expanders/bracket.h"

#include "expanders/certificates.h"

#include <assert.h>
#include <math.h>

enum { SEARCH_SEED = 1, BRIEF_WORK = 1 << 24 };

static const double RARE = 1e-6;

struct measurement {
    const struct expander *graph;
    const struct adjacency *adjacency;
    struct bracket *bracket;
    struct codegree codegree;
    uint32_t threads;
    bool is_brief; /* little exact work, and no search */
    const struct interrupt *interrupt;
    struct failure *failure;
};

typedef enum failure_kind measure(struct measurement *measurement, struct certificate *own);

static enum failure_kind measure_codegree(struct measurement *m, struct certificate *own)
{
    enum failure_kind kind = codegree_certify(&m->codegree, m->adjacency, m->threads, m->failure);
    own->holds = m->codegree.done;
    own->lambda = m->codegree.lambda;
    if (!own->holds)
        snprintf(own->why, sizeof own->why, "too many pairs of inputs share a group, or r > 255");
    return kind;
}

static enum failure_kind measure_polynomials(struct measurement *m, struct certificate *own)
{
    own->holds = m->graph->kind == EXPANDER_REED_SOLOMON;
    if (own->holds)
        own->lambda = codegree_of_polynomials(m->graph);
    else
        snprintf(own->why, sizeof own->why, "not a Reed-Solomon graph");
    return FAIL_NONE;
}

/* Also stores the bounds that are proven when the computation was given up. */
static enum failure_kind measure_exact(struct measurement *m, struct certificate *own)
{
    struct certificate *counted = &m->bracket->certificate[CERTIFICATE_COUNTED];
    struct exact_proof proof = {0};
    snprintf(counted->why, sizeof counted->why, "only where exact is given up");
    if (m->adjacency->groups > EXACT_MOST_GROUPS) {
        snprintf(own->why, sizeof own->why, "more than %d groups", EXACT_MOST_GROUPS);
        return FAIL_NONE;
    }
    enum failure_kind kind =
        exact_minimise(&m->bracket->found, m->adjacency, m->is_brief ? BRIEF_WORK : EXACT_WORK,
                       &proof, m->failure);
    own->holds = proof.done;
    counted->holds = !proof.done;
    own->lambda = counted->lambda = proof.lambda;
    if (!proof.done)
        snprintf(own->why, sizeof own->why, "given up: too many sets");
    return kind;
}

static enum failure_kind measure_spectral(struct measurement *m, struct certificate *own)
{
    struct spectral spectral;
    if (m->adjacency->groups > SPECTRAL_MOST_GROUPS) {
        snprintf(own->why, sizeof own->why, "more than %d groups", SPECTRAL_MOST_GROUPS);
        return FAIL_NONE;
    }
    enum failure_kind kind = spectral_certify(&spectral, m->adjacency, m->threads, m->failure);
    own->holds = spectral.lambda > 0;
    own->lambda = spectral.lambda;
    if (!own->holds)
        snprintf(own->why, sizeof own->why, "no factorisation came to its end");
    else if (m->adjacency->least_load == m->adjacency->most_load)
        m->bracket->second_value = sqrt(spectral.t) * (1 + 0x1p-40);
    return kind;
}

static const struct certificate_row {
    const char *name, *theorem;
    measure *measure;
} TABLE[CERTIFICATES] = {
    [CERTIFICATE_EXACT] = {"exact", "all sets that matter, by branch and bound", measure_exact},
    [CERTIFICATE_COUNTED] = {"counted", "no set has so few neighbours, by branch and bound",
                             measure_exact},
    [CERTIFICATE_SPECTRAL] = {"spectral", "Tanner 1984, eigenvalues by a factorisation",
                              measure_spectral},
    [CERTIFICATE_CODEGREE] = {"codegree", "de Caen 1998, shared groups counted", measure_codegree},
    [CERTIFICATE_POLYNOMIALS] = {"polynomials", "two of degree < k agree at k - 1 points at most",
                                 measure_polynomials},
};

const char *certificate_name(enum certificate_kind name)
{
    assert(name < CERTIFICATES);
    return TABLE[name].name;
}

const char *certificate_theorem(enum certificate_kind name)
{
    assert(name < CERTIFICATES);
    return TABLE[name].theorem;
}

double bracket_certified(const struct bracket *bracket)
{
    return bracket->any ? bracket->certificate[bracket->best].lambda : 0;
}

bool bracket_is_regular(const struct bracket *bracket)
{
    return bracket->most_load - bracket->least_load <= 1;
}

static enum failure_kind measure_all(struct measurement *m)
{
    static const enum certificate_kind before[] = {CERTIFICATE_CODEGREE, CERTIFICATE_POLYNOMIALS,
                                                   CERTIFICATE_SPECTRAL};
    struct bracket *bracket = m->bracket;
    enum failure_kind kind = FAIL_NONE;
    for (size_t i = 0; i < sizeof before / sizeof *before && kind == FAIL_NONE; i++)
        if ((kind = TABLE[before[i]].measure(m, &bracket->certificate[before[i]])) == FAIL_NONE)
            kind = interrupt_check(m->interrupt, m->failure);
    if (kind == FAIL_NONE && !m->is_brief)
        kind = weak_set_search(&bracket->found, m->adjacency, m->codegree.suspect,
                               m->codegree.suspects, SEARCH_SEED, m->failure);
    if (kind == FAIL_NONE)
        kind = measure_exact(m, &bracket->certificate[CERTIFICATE_EXACT]);
    if (kind == FAIL_NONE)
        kind = interrupt_check(m->interrupt, m->failure);
    if (kind != FAIL_NONE)
        return kind;

    bracket->upper = weak_set_lambda(&bracket->found, m->adjacency);
    bracket->random_lambda =
        union_bound_lambda(bracket->inputs, bracket->groups, bracket->degree, RARE);
    for (int i = 0; i < CERTIFICATES; i++)
        if (bracket->certificate[i].holds &&
            (!bracket->any ||
             bracket->certificate[i].lambda > bracket->certificate[bracket->best].lambda)) {
            bracket->best = (enum certificate_kind)i;
            bracket->any = true;
        }
    return FAIL_NONE;
}

static enum failure_kind make(struct bracket *bracket, const struct expander *graph,
                              uint32_t threads, const struct effort *effort, bool is_brief,
                              struct failure *failure)
{
    struct adjacency adjacency;
    *bracket = (struct bracket){0};
    enum failure_kind kind = adjacency_make(&adjacency, graph, failure);
    if (kind != FAIL_NONE)
        return kind;
    adjacency.effort = effort;
    *bracket = (struct bracket){.inputs = graph->inputs,
                                .groups = graph->groups,
                                .degree = graph->degree,
                                .largest_set = adjacency.largest_set,
                                .least_load = adjacency.least_load,
                                .most_load = adjacency.most_load,
                                .multi_edges = adjacency.multi_edges,
                                .multi_inputs = adjacency.multi_inputs};
    kind = weak_set_make(&bracket->found, &adjacency, failure);
    if (kind == FAIL_NONE) {
        struct measurement measurement = {.graph = graph,
                                          .adjacency = &adjacency,
                                          .bracket = bracket,
                                          .threads = threads,
                                          .is_brief = is_brief,
                                          .interrupt = effort == NULL ? NULL : effort->interrupt,
                                          .failure = failure};
        kind = measure_all(&measurement);
    }
    if (kind != FAIL_NONE)
        bracket_free(bracket);
    adjacency_free(&adjacency);
    return kind;
}

enum failure_kind bracket_make(struct bracket *bracket, const struct expander *graph,
                               uint32_t threads, const struct effort *effort,
                               struct failure *failure)
{
    return make(bracket, graph, threads, effort, false, failure);
}

enum failure_kind bracket_certify(struct bracket *bracket, const struct expander *graph,
                                  uint32_t threads, struct failure *failure)
{
    return make(bracket, graph, threads, NULL, true, failure);
}

void bracket_free(struct bracket *bracket)
{
    weak_set_free(&bracket->found);
    *bracket = (struct bracket){0};
}
