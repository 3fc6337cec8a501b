/* test_expander_bounds.c - certified <= exact <= search, on every graph small enough to know.
 *
 * Oracle of the exact value: all subsets of the groups, and how many inputs have all neighbours
 * inside; it shares nothing with the branch and bound. Of the second singular value: the power
 * method in long double. Of the union bound: binomials as products.
 */
#include "base/parallel.h"
#include "base/pcg.h"
#include "expanders/bracket.h"
#include "expanders/certificates.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef MESHCAST_SERIAL
enum { MOST_RANKS = 1 };
#else
enum { MOST_RANKS = 5 };
#endif

/* lambda by its definition, over all sets of groups; c <= 16 */
static double exact_oracle(const struct expander *g)
{
    uint32_t *inside = calloc((size_t)1 << g->groups, sizeof *inside);
    uint32_t most = g->groups / g->degree;
    double least = 1;
    for (uint32_t u = 0; u < g->inputs; u++) {
        uint32_t groups = 0;
        for (uint32_t j = 0; j < g->degree; j++)
            groups |= 1u << expander_neighbour(g, u, j);
        inside[groups]++;
    }
    for (uint32_t v = 0; v < g->groups; v++) /* sums over subsets */
        for (uint32_t set = 0; set < 1u << g->groups; set++)
            if ((set >> v & 1) != 0)
                inside[set] += inside[set & ~(1u << v)];
    for (uint32_t set = 1; set < 1u << g->groups; set++) {
        uint32_t k = inside[set] < most ? inside[set] : most;
        if (k > 0 && __builtin_popcount(set) / ((double)g->degree * k) < least)
            least = __builtin_popcount(set) / ((double)g->degree * k);
    }
    free(inside);
    return least;
}

/* Recounts the set that was found. */
static void check_found(const struct expander *g, const struct bracket *b)
{
    uint8_t *seen = calloc(g->groups, 1);
    uint32_t neighbours = 0;
    ck_assert(b->found.count >= 1 && b->found.count <= g->groups / g->degree);
    for (uint32_t i = 0; i < b->found.count; i++) {
        ck_assert(b->found.input[i] < g->inputs);
        ck_assert(i == 0 || b->found.input[i - 1] < b->found.input[i]);
        for (uint32_t j = 0; j < g->degree; j++)
            seen[expander_neighbour(g, b->found.input[i], j)] = 1;
    }
    for (uint32_t v = 0; v < g->groups; v++)
        neighbours += seen[v];
    ck_assert_uint_eq(neighbours, b->found.neighbours);
    ck_assert(b->upper == neighbours / ((double)g->degree * b->found.count));
    free(seen);
}

/* The order that must always hold; returns the bracket's upper end. */
static double check_bracket(const struct expander *g)
{
    struct bracket b;
    struct failure failure = {0};
    ck_assert_int_eq(bracket_make(&b, g, parallel_begin(1 + g->inputs % 2), NULL, &failure),
                     FAIL_NONE);
    check_found(g, &b);
    for (int i = 0; i < CERTIFICATES; i++)
        if (b.certificate[i].holds)
            ck_assert_msg(b.certificate[i].lambda <= b.upper && b.certificate[i].lambda >= 0,
                          "%s %.9f above %.9f: m %u c %u r %u",
                          certificate_name((enum certificate_kind)i), b.certificate[i].lambda,
                          b.upper, g->inputs, g->groups, g->degree);
    if (g->groups <= 16) {
        ck_assert(b.certificate[CERTIFICATE_EXACT].holds);
        ck_assert_double_eq_tol(b.upper, exact_oracle(g), 1e-12);
    }
    ck_assert(b.any && bracket_certified(&b) > 0);
    double upper = b.upper;
    bracket_free(&b);
    return upper;
}

/* random graphs of all small sizes, regular or nearly */
START_TEST(random_graphs)
{
    struct pcg32 random = pcg32_seed((uint64_t)_i, 1);
    for (int i = 0; i < 40; i++) {
        struct expander g;
        struct failure failure = {0};
        uint32_t c = 2 + pcg32_below(&random, 15), r = 1 + pcg32_below(&random, c < 8 ? c : 8);
        uint32_t m = c + pcg32_below(&random, 60);
        ck_assert_int_eq(expander_random(&g, m, c, r, (uint64_t)i, &failure), FAIL_NONE);
        check_bracket(&g);
        expander_free(&g);
    }
}
END_TEST

/* lists of neighbours of any shape: few groups used, repeated inputs, loads far apart */
START_TEST(lists)
{
    struct pcg32 random = pcg32_seed((uint64_t)_i, 2);
    for (int i = 0; i < 40; i++) {
        uint32_t entry[64 * 8], c = 3 + pcg32_below(&random, 14), used;
        struct expander g = {.groups = c, .kind = EXPANDER_LIST, .entry = entry};
        g.degree = 1 + pcg32_below(&random, c < 8 ? c : 8);
        g.inputs = c + pcg32_below(&random, 48);
        used = 1 + pcg32_below(&random, c);
        for (uint32_t e = 0; e < g.inputs * g.degree; e++)
            entry[e] = e >= g.degree && pcg32_below(&random, 8) == 0 ? entry[e - g.degree]
                                                                     : pcg32_below(&random, used);
        check_bracket(&g);
    }
}
END_TEST

/* Reed-Solomon graphs, with the bound that their definition gives */
START_TEST(reed_solomon)
{
    static const uint32_t sizes[][4] = {{16, 4, 4, 2},  {64, 4, 4, 3}, {25, 3, 5, 2},
                                        {125, 3, 5, 3}, {49, 2, 7, 2}, {64, 2, 8, 2},
                                        {81, 3, 9, 2},  {512, 4, 8, 3}};
    struct expander g;
    struct failure failure = {0};
    const uint32_t *size = sizes[_i];
    ck_assert_int_eq(expander_reed_solomon(&g, size[0], size[1], size[2], size[3], &failure),
                     FAIL_NONE);
    double r = size[1], bound = r / (r + (size[3] - 1.0) * (size[2] - 1.0));
    struct bracket b;
    ck_assert_int_eq(bracket_make(&b, &g, 1, NULL, &failure), FAIL_NONE);
    ck_assert(b.certificate[CERTIFICATE_POLYNOMIALS].holds);
    ck_assert_double_eq_tol(b.certificate[CERTIFICATE_POLYNOMIALS].lambda, bound, 1e-9);
    ck_assert_uint_eq(b.least_load, b.most_load);
    bracket_free(&b);
    check_bracket(&g);
    expander_free(&g);
}
END_TEST

/* Returns the bound of the search itself, without the exact computation. */
static double search_alone(const struct expander *g)
{
    struct adjacency a;
    struct weak_set set;
    struct failure failure = {0};
    ck_assert_int_eq(adjacency_make(&a, g, &failure), FAIL_NONE);
    ck_assert_int_eq(weak_set_make(&set, &a, &failure), FAIL_NONE);
    ck_assert_int_eq(weak_set_search(&set, &a, NULL, 0, 1, &failure), FAIL_NONE);
    double lambda = weak_set_lambda(&set, &a);
    weak_set_free(&set);
    adjacency_free(&a);
    return lambda;
}

/* the goal's sizes, larger than the oracle reaches: exact is there, nothing contradicts it, and the
 * search by itself is close to it */
START_TEST(exact_at_the_goal)
{
    static const uint32_t inputs[] = {32, 64, 200, 1024};
    for (uint32_t r = 3; r <= 8; r++)
        for (size_t i = 0; i < 4; i++) {
            struct expander g;
            struct bracket b;
            struct failure failure = {0};
            ck_assert_int_eq(expander_random(&g, inputs[i], 32, r, 3, &failure), FAIL_NONE);
            ck_assert_int_eq(bracket_make(&b, &g, 1, NULL, &failure), FAIL_NONE);
            check_found(&g, &b);
            ck_assert(b.certificate[CERTIFICATE_EXACT].holds);
            ck_assert(b.certificate[CERTIFICATE_EXACT].lambda == b.upper);
            for (int j = 0; j < CERTIFICATES; j++)
                ck_assert(!b.certificate[j].holds || b.certificate[j].lambda <= b.upper);
            ck_assert(search_alone(&g) <= 1.1 * b.upper);
            bracket_free(&b);
            expander_free(&g);
        }
}
END_TEST

/* given up at any point, the branch and bound proves nothing that is not so */
START_TEST(given_up)
{
    for (uint64_t work = 1; work < 2000000; work = work * 3 / 2 + 1) {
        struct expander g;
        struct adjacency a;
        struct weak_set set;
        struct exact_proof proof;
        struct failure failure = {0};
        ck_assert_int_eq(expander_random(&g, 60, 16, 3, work, &failure), FAIL_NONE);
        ck_assert_int_eq(adjacency_make(&a, &g, &failure), FAIL_NONE);
        ck_assert_int_eq(weak_set_make(&set, &a, &failure), FAIL_NONE);
        ck_assert_int_eq(exact_minimise(&set, &a, work, &proof, &failure), FAIL_NONE);
        double lambda = exact_oracle(&g);
        ck_assert(proof.lambda <= lambda + 1e-12 && weak_set_lambda(&set, &a) >= lambda - 1e-12);
        ck_assert(!proof.done || proof.lambda >= lambda - 1e-12);
        ck_assert(proof.done || work < 1000000);
        weak_set_free(&set);
        adjacency_free(&a);
        expander_free(&g);
    }
}
END_TEST

/* Steiner's triple system of 31 groups, on which nothing can be told from the sizes: any two groups
 * have one input in common; seven inputs make a plane of seven groups */
START_TEST(triples)
{
    uint32_t entry[155 * 3], count = 0;
    for (uint32_t a = 1; a < 32; a++)
        for (uint32_t b = a + 1; b < 32; b++)
            if ((a ^ b) > b) {
                entry[count++] = a - 1;
                entry[count++] = b - 1;
                entry[count++] = (a ^ b) - 1;
            }
    struct expander g = {.inputs = 155, .groups = 31, .degree = 3, .kind = EXPANDER_LIST};
    g.entry = entry;
    ck_assert_uint_eq(count, 155 * 3);
    ck_assert_double_eq_tol(check_bracket(&g), 7.0 / 21, 1e-12);
}
END_TEST

/* bad graphs are found out: all edges into few groups, three inputs with the same neighbours */
START_TEST(bad_graphs)
{
    struct expander g;
    struct failure failure = {0};
    ck_assert_int_eq(expander_random(&g, 2048, 512, 8, 5, &failure), FAIL_NONE);
    double good = check_bracket(&g);
    g.kind = EXPANDER_LIST;
    for (uint32_t e = 0; e < 2048 * 8; e++)
        g.entry[e] = (uint32_t)((uint64_t)g.entry[e] * 512 / (2048 * 8));
    for (uint32_t j = 0; j < 8; j++) /* three inputs with two groups */
        g.entry[8 * 1500 + j] = g.entry[8 * 77 + j] = g.entry[8 * 900 + j] = j % 2;
    double planted = check_bracket(&g);
    ck_assert(good > 0.2 && planted <= 2.0 / 24 + 1e-9);
    for (uint32_t e = 0; e < 2048 * 8; e++)
        g.entry[e] %= 5;
    ck_assert(check_bracket(&g) <= 5.0 / 512 + 1e-9);
    expander_free(&g);
}
END_TEST

/* a matrix that is not definite is never proven to be; one that is far from it always is */
START_TEST(definite_matrices)
{
    struct pcg32 random = pcg32_seed(3, (uint64_t)_i);
    uint32_t order = 1 + (uint32_t)_i * 37;
    double *matrix = calloc((size_t)order * order, sizeof *matrix), allowance;
    double *again = calloc((size_t)order * order, sizeof *again);
    double *panel = calloc((size_t)order * DEFINITE_BLOCK, sizeof *panel);
    for (uint32_t i = 0; i < order; i++)
        for (uint32_t j = 0; j <= i; j++)
            matrix[(size_t)i * order + j] = i == j ? 2.0 * order : pcg32_next(&random) * 0x1p-32;
    memcpy(again, matrix, (size_t)order * order * sizeof *again);
    ck_assert(definite_factor(matrix, order, panel, 1, NULL, &allowance));
    ck_assert(allowance < 1e-7);
    ck_assert(definite_factor(again, order, panel, 3, NULL, &allowance));
    ck_assert_mem_eq(matrix, again, (size_t)order * order * sizeof *again);
    /* I - 2 x x' for a unit vector x has the eigenvalue -1 */
    for (uint32_t i = 0; i < order; i++)
        for (uint32_t j = 0; j <= i; j++)
            matrix[(size_t)i * order + j] = (i == j) - 2.0 / order;
    ck_assert(!definite_factor(matrix, order, panel, 3, NULL, &allowance));
    free(matrix);
    free(again);
    free(panel);
}
END_TEST

/* The square of the second singular value of a regular graph, from below. */
static long double second_square(const struct adjacency *a)
{
    long double *x = calloc(a->groups, sizeof *x), *y = calloc(a->groups, sizeof *y), value = 0;
    struct pcg32 random = pcg32_seed(9, 9);
    for (uint32_t v = 0; v < a->groups; v++)
        x[v] = pcg32_next(&random) * 0x1p-32L;
    for (int round = 0; round < 3000; round++) {
        long double mean = 0, norm = 0;
        for (uint32_t v = 0; v < a->groups; v++)
            mean += x[v] / a->groups;
        for (uint32_t v = 0; v < a->groups; v++)
            norm += (x[v] - mean) * (x[v] - mean);
        norm = sqrtl(norm);
        for (uint32_t v = 0; v < a->groups; v++) {
            x[v] = (x[v] - mean) / norm;
            y[v] = 0;
        }
        for (uint32_t u = 0; u < a->inputs; u++) {
            long double sum = 0;
            for (uint32_t j = 0; j < a->degree; j++)
                sum += x[a->edge[(size_t)u * a->degree + j]];
            for (uint32_t j = 0; j < a->degree; j++)
                y[a->edge[(size_t)u * a->degree + j]] += sum;
        }
        value = 0;
        for (uint32_t v = 0; v < a->groups; v++)
            value += x[v] * y[v];
        memcpy(x, y, a->groups * sizeof *x);
    }
    free(x);
    free(y);
    return value;
}

/* the certified value of the spectrum is above the second singular value, and close to it; with a
 * guess and without */
START_TEST(spectrum)
{
    static const uint32_t groups[] = {8, 16, 32, 64, 128};
    struct expander g;
    struct adjacency a;
    struct spectral spectral;
    struct failure failure = {0};
    ck_assert_int_eq(expander_random(&g, 512, groups[_i], 4, 2, &failure), FAIL_NONE);
    ck_assert_int_eq(adjacency_make(&a, &g, &failure), FAIL_NONE);
    ck_assert_int_eq(spectral_certify(&spectral, &a, 2, &failure), FAIL_NONE);
    double t = (double)second_square(&a), D = 4.0 * 512 / groups[_i], k = groups[_i] / 4;
    ck_assert(spectral.t >= t * (1 - 1e-12) && spectral.t <= t * 1.001 + 1e-3);
    ck_assert_double_eq_tol(spectral.lambda, 4 / (t + (4 * D - t) * k / 512), 1e-3);
    ck_assert((spectral.estimate > 0) == (groups[_i] >= 32));
    adjacency_free(&a);
    expander_free(&g);
}
END_TEST

static double product_binomial(uint32_t n, uint32_t k)
{
    double product = 1;
    for (uint32_t i = 0; i < k; i++)
        product *= (double)(n - i) / (k - i);
    return product;
}

/* the union bound is its sum, rounded up, and its lambda is the largest that is safe */
START_TEST(union_bounds)
{
    for (uint32_t c = 4; c <= 24; c += 4)
        for (uint32_t r = 2; r <= 4; r++)
            for (int step = 1; step < 20; step++) {
                uint32_t m = 2 * c, load = r * 2;
                double lambda = step / 20.0 + 0.003, sum = 0;
                for (uint32_t k = 1; k <= c / r; k++) {
                    uint32_t t = (uint32_t)ceil(lambda * r * k) - 1;
                    if (t * load >= r * k)
                        sum += product_binomial(m, k) * product_binomial(c, t) *
                               product_binomial(t * load, r * k) / product_binomial(r * m, r * k);
                }
                double bound = union_bound(m, c, r, lambda);
                ck_assert(bound >= sum * (1 - 1e-12) && bound <= sum * (1 + 1e-6));
            }
    double lambda = union_bound_lambda(4096, 256, 16, 1e-6);
    ck_assert(union_bound(4096, 256, 16, lambda) < 1e-6);
    ck_assert(union_bound(4096, 256, 16, lambda + 1e-9) >= 1e-6);
}
END_TEST

void expander_bounds_suite(TCase *tests)
{
    tcase_add_loop_test(tests, random_graphs, 0, 4);
    tcase_add_loop_test(tests, lists, 0, 4);
    tcase_add_loop_test(tests, reed_solomon, 0, 8);
    tcase_add_test(tests, exact_at_the_goal);
    tcase_add_test(tests, given_up);
    tcase_add_test(tests, triples);
    tcase_add_test(tests, bad_graphs);
    tcase_add_loop_test(tests, definite_matrices, 0, 10);
    tcase_add_loop_test(tests, spectrum, 0, 5);
    tcase_add_test(tests, union_bounds);
}
