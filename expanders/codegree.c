/* codegree.c - de Caen's bound (1998) on the neighbours of a set, by counting shared neighbours.
 *
 * Let d_u be the number of distinct neighbours of input u, and (u, v) the number of those that u
 * and v share. For a set S, a group y that is in n_y neighbourhoods of S contributes 1 = n_y / n_y,
 * and by the inequality of the harmonic and the arithmetic mean
 *
 *     |Gamma(S)| = sum over u in S, y in N(u) of 1 / n_y
 *               >= sum over u in S of d_u^2 / (sum over y in N(u) of n_y)
 *                = sum over u in S of d_u^2 / (d_u + sum over v in S, v != u, of (u, v)).
 *
 * For |S| = k the inner sum is at most the sum of u's k - 1 largest codegrees; with L_u(k) for the
 * term that results, lambda >= min over k <= c / r of (the k least L_u(k)) / (r k). All k count:
 * fewer inputs share less, but can be the worst ones.
 *
 * Only a histogram of u's codegrees, which are at most r, must be kept. The L_u(k) are rounded down
 * into bins, whose floors are summed.
 *
 * For polynomials of degree < k over F_q every codegree is at most k - 1 and d_u = r, so lambda >=
 * r / (r + (k - 1) (floor(c / r) - 1)).
 *
 * Cost: the sum over all groups of the square of their members, at most MOST_PAIRS of them (beyond,
 * and if r > 255, the bound is left out), shared by the threads; p c / r for the minimum; 4 p (r +
 * 1) bytes.
 */
#include "expanders/certificates.h"

#include "base/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 1 << 14, TELL_INPUTS = 256 };

static const uint64_t MOST_PAIRS = (uint64_t)3 << 33;
static const double SAFE = 1 - 0x1p-40;

struct count {
    const struct adjacency *adjacency;
    uint32_t *histogram; /* [p (r + 1)]: of codegrees, 1 .. r */
    uint8_t *shared;     /* [threads p]: all zero between inputs */
};

/* ---- codegrees ---- */

/* Counts the numbers from 1 on into the histogram. Four tables in turn: most numbers are equal, and
 * a processor waits for the last sum of the same one. */
static void count_values(const uint8_t *restrict number, uint32_t count,
                         uint32_t *restrict histogram, uint32_t most)
{
    uint32_t table[4][UINT8_MAX + 1] = {{0}}, i = 0;
    for (; i + 4 <= count; i += 4) {
        table[0][number[i]]++;
        table[1][number[i + 1]]++;
        table[2][number[i + 2]]++;
        table[3][number[i + 3]]++;
    }
    for (; i < count; i++)
        table[0][number[i]]++;
    for (uint32_t value = 1; value <= most; value++)
        histogram[value] = table[0][value] + table[1][value] + table[2][value] + table[3][value];
}

/* Bytes may alias anything: the loops keep what they need in variables of their own. */
static void raise_members(const uint32_t *restrict member, uint32_t members,
                          uint8_t *restrict shared)
{
    for (uint32_t i = 0; i < members; i++)
        shared[member[i]]++;
}

static void count_input(const struct count *count, uint32_t u, uint8_t *shared)
{
    const struct adjacency *a = count->adjacency;
    const uint32_t *group = a->distinct + (size_t)u * a->degree;
    uint32_t *histogram = count->histogram + (size_t)u * (a->degree + 1);
    uint64_t touched = 0;
    for (uint32_t j = 0; j < a->distinct_count[u]; j++) {
        uint32_t from = a->member_start[group[j]], members = a->member_start[group[j] + 1] - from;
        raise_members(a->member + from, members, shared);
        touched += members;
    }
    shared[u] = 0;
    if (touched > a->inputs / 2) {
        count_values(shared, a->inputs, histogram, a->degree);
        memset(shared, 0, a->inputs);
        return;
    }
    for (uint32_t j = 0; j < a->distinct_count[u]; j++)
        for (uint32_t i = a->member_start[group[j]]; i < a->member_start[group[j] + 1]; i++) {
            histogram[shared[a->member[i]]]++;
            shared[a->member[i]] = 0;
        }
}

static void count_share(void *context, const struct team *team)
{
    const struct count *count = context;
    uint32_t inputs = count->adjacency->inputs;
    uint8_t *shared = count->shared + (size_t)team->rank * inputs;
    for (uint32_t i = parallel_band_start(inputs, team->rank, team->size);
         i < parallel_band_start(inputs, team->rank + 1, team->size); i++) {
        count_input(count, i, shared);
        const struct effort *effort = count->adjacency->effort;
        if (team->rank == 0 && i % TELL_INPUTS == 0)
            effort_tell(effort, "codegrees", (double)i / (double)inputs * team->size);
        if (effort != NULL && interrupt_is_sent(effort->interrupt))
            return;
    }
}

static uint64_t pairs_to_count(const struct adjacency *a)
{
    uint64_t pairs = 0;
    for (uint32_t v = 0; v < a->groups; v++) {
        uint64_t members = a->member_start[v + 1] - a->member_start[v];
        pairs += members * members;
    }
    return pairs;
}

/* ---- the bound ---- */

/* The sum of an input's largest codegrees so far. */
struct walk {
    uint32_t sum, value, left; /* `left` more have codegree `value` */
};

struct minimum {
    const struct count *count;
    struct walk *walk;      /* [p] */
    uint32_t bin[BINS + 1]; /* number of L_u(k) in each bin */
};

static void walk_on(const struct minimum *minimum, uint32_t u)
{
    struct walk *walk = &minimum->walk[u];
    uint32_t degree = minimum->count->adjacency->degree;
    while (walk->left == 0 && walk->value > 0) {
        walk->value--;
        if (walk->value > 0)
            walk->left = minimum->count->histogram[(size_t)u * (degree + 1) + walk->value];
    }
    if (walk->value > 0) {
        walk->sum += walk->value;
        walk->left--;
    }
}

/* Fills the bins with L_u(k) for all u; returns the input with the least. */
static uint32_t fill_bins(struct minimum *minimum, uint32_t k)
{
    const struct adjacency *a = minimum->count->adjacency;
    uint32_t worst = 0;
    double least = INFINITY;
    memset(minimum->bin, 0, sizeof minimum->bin);
    for (uint32_t u = 0; u < a->inputs; u++) {
        if (k > 1)
            walk_on(minimum, u);
        double d = a->distinct_count[u], term = d * d / (d + minimum->walk[u].sum) * SAFE;
        minimum->bin[(uint32_t)(term / a->degree * BINS)]++;
        if (term < least) {
            least = term;
            worst = u;
        }
    }
    return worst;
}

/* Returns the sum of the k least terms, rounded down, over r k. */
static double sum_of_least(const struct minimum *minimum, uint32_t k)
{
    double sum = 0;
    uint32_t left = k;
    for (uint32_t b = 0; left > 0; b++) {
        uint32_t taken = minimum->bin[b] < left ? minimum->bin[b] : left;
        sum += (double)taken * b;
        left -= taken;
    }
    return sum / BINS / k * SAFE;
}

static void minimise(struct codegree *codegree, struct minimum *minimum)
{
    const struct adjacency *a = minimum->count->adjacency;
    codegree->lambda = 1;
    for (uint32_t u = 0; u < a->inputs; u++) {
        const uint32_t *histogram = minimum->count->histogram + (size_t)u * (a->degree + 1);
        minimum->walk[u] = (struct walk){.value = a->degree, .left = histogram[a->degree]};
        for (uint32_t value = codegree->largest + 1; value <= a->degree; value++)
            if (histogram[value] > 0)
                codegree->largest = value;
    }
    for (uint32_t k = 1; k <= a->largest_set; k++) {
        uint32_t worst = fill_bins(minimum, k);
        double lambda = sum_of_least(minimum, k);
        codegree->lambda = lambda < codegree->lambda ? lambda : codegree->lambda;
        if (codegree->suspects < CODEGREE_SUSPECTS &&
            (codegree->suspects == 0 || codegree->suspect[codegree->suspects - 1] != worst))
            codegree->suspect[codegree->suspects++] = worst;
    }
}

enum failure_kind codegree_certify(struct codegree *codegree, const struct adjacency *adjacency,
                                   uint32_t threads, struct failure *failure)
{
    size_t inputs = adjacency->inputs;
    *codegree = (struct codegree){0};
    if (pairs_to_count(adjacency) > MOST_PAIRS || adjacency->degree > UINT8_MAX)
        return FAIL_NONE;
    struct count count = {.adjacency = adjacency,
                          .histogram =
                              memory_allocate(inputs * (adjacency->degree + 1), sizeof(uint32_t)),
                          .shared = memory_allocate(inputs * threads, sizeof(uint8_t))};
    struct minimum *minimum = memory_allocate(1, sizeof *minimum);
    struct walk *walk = memory_allocate(inputs, sizeof *walk);
    enum failure_kind kind = FAIL_NONE;
    if (count.histogram == NULL || count.shared == NULL || minimum == NULL || walk == NULL) {
        kind = fail_memory(failure, "the codegrees of a graph");
    } else {
        minimum->count = &count;
        minimum->walk = walk;
        parallel_run(threads, count_share, &count);
        minimise(codegree, minimum);
        codegree->done = true;
    }
    free(count.histogram);
    free(count.shared);
    free(minimum);
    free(walk);
    return kind;
}

double codegree_of_polynomials(const struct expander *graph)
{
    double r = graph->degree, others = graph->groups / graph->degree - 1;
    return r / (r + (graph->dimension - 1) * others) * SAFE;
}
