/* test_expander.c - graphs and fields against their definitions.
 *
 * Oracles: the laws of a field, checked on all elements; polynomials evaluated by sums of powers;
 * degrees and codegrees counted pair by pair; Section 5's formula for permutations.
 */
#include "expanders/expander.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* An assertion for inner loops. */
#define REQUIRE(holds)                                                                             \
    do {                                                                                           \
        if (!(holds))                                                                              \
            ck_abort_msg("%s", #holds);                                                            \
    } while (0)

static const uint32_t ORDERS[] = {2, 3, 4, 5, 7, 8, 9, 16, 25, 27, 32, 49, 64};

/* sums and products are those of a field of q elements, of characteristic p */
START_TEST(field_laws)
{
    struct galois f;
    struct failure failure = {0};
    ck_assert_int_eq(galois_make(&f, ORDERS[_i], &failure), FAIL_NONE);
    for (uint32_t a = 0; a < f.q; a++) {
        uint32_t inverses = 0, opposites = 0, sum = 0;
        for (uint32_t i = 0; i < f.p; i++)
            sum = galois_add(&f, sum, a);
        REQUIRE(sum == 0 && galois_add(&f, a, 0) == a && galois_multiply(&f, a, 1) == a);
        for (uint32_t b = 0; b < f.q; b++) {
            uint32_t ab = galois_multiply(&f, a, b);
            REQUIRE(ab < f.q && ab == galois_multiply(&f, b, a) && (ab == 0) == (a == 0 || b == 0));
            REQUIRE(galois_add(&f, a, b) == galois_add(&f, b, a) && galois_add(&f, a, b) < f.q);
            inverses += ab == 1;
            opposites += galois_add(&f, a, b) == 0;
            for (uint32_t c = 0; c < f.q; c += 1 + f.q / 16) {
                REQUIRE(galois_multiply(&f, ab, c) ==
                        galois_multiply(&f, a, galois_multiply(&f, b, c)));
                REQUIRE(galois_multiply(&f, a, galois_add(&f, b, c)) ==
                        galois_add(&f, ab, galois_multiply(&f, a, c)));
            }
        }
        REQUIRE(opposites == 1 && inverses == (a != 0));
    }
    galois_free(&f);
}
END_TEST

/* x^e by the least primitive polynomial, from tables: x^2 + x + 2 over F_3, x^3 + 2 x + 1 over F_3,
 * x^2 + x + 2 over F_5, x^3 + x + 1 and x^4 + x + 1 over F_2 */
START_TEST(least_polynomials)
{
    static const uint32_t known[][4] = {
        {9, 3, 3, 7}, {27, 9, 3, 5}, {25, 5, 5, 23}, {8, 4, 2, 3}, {16, 8, 2, 3}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct galois field;
        struct failure failure = {0};
        ck_assert_int_eq(galois_make(&field, known[i][0], &failure), FAIL_NONE);
        ck_assert_uint_eq(galois_multiply(&field, known[i][1], known[i][2]), known[i][3]);
        galois_free(&field);
    }
}
END_TEST

/* numbers that are no powers of a prime have no field, and are refused */
START_TEST(no_field)
{
    static const uint32_t wrong[] = {0, 1, 6, 10, 12, 15, 36, 100, 65537, 4294967295u};
    uint32_t p, e;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct galois field;
        struct failure failure = {0};
        ck_assert(!galois_is_order(wrong[i], &p, &e));
        ck_assert_int_eq(galois_make(&field, wrong[i], &failure), FAIL_USAGE);
        ck_assert_ptr_nonnull(strstr(failure.text, "power of a prime"));
    }
    ck_assert(galois_is_order(65536, &p, &e) && p == 2 && e == 16);
    ck_assert(galois_is_order(65521, &p, &e) && p == 65521 && e == 1);
}
END_TEST

static const struct {
    uint32_t inputs, degree, q, k;
} CODES[] = {{16, 4, 4, 2},    {64, 3, 4, 3},   {25, 5, 5, 2}, {50, 4, 5, 3},
             {81, 9, 9, 2},    {128, 8, 8, 3},  {27, 2, 3, 3}, {512, 8, 8, 4},
             {256, 16, 16, 2}, {162, 5, 27, 2}, {32, 1, 2, 5}};

/* f(x) by the definition: the sum of a_i x^i */
static uint32_t value_at(const struct galois *f, uint32_t number, uint32_t x)
{
    uint32_t sum = 0, power = 1;
    for (; number > 0; number /= f->q) {
        sum = galois_add(f, sum, galois_multiply(f, number % f->q, power));
        power = galois_multiply(f, power, x);
    }
    return sum;
}

/* Reed-Solomon graphs: neighbours (x, f(x)), every group r m / c edges, two inputs share fewer than
 * k groups, and some share k - 1 */
START_TEST(reed_solomon)
{
    struct expander g;
    struct failure failure = {0};
    uint32_t m = CODES[_i].inputs, r = CODES[_i].degree, q = CODES[_i].q, most = 0;
    ck_assert_int_eq(expander_reed_solomon(&g, m, r, q, CODES[_i].k, &failure), FAIL_NONE);
    ck_assert_uint_eq(g.groups, r * q);
    uint32_t *load = calloc(g.groups, sizeof *load);
    for (uint32_t u = 0; u < m; u++)
        for (uint32_t j = 0; j < r; j++) {
            REQUIRE(expander_neighbour(&g, u, j) == j * q + value_at(&g.field, u, j));
            load[expander_neighbour(&g, u, j)]++;
        }
    for (uint32_t v = 0; v < g.groups; v++)
        REQUIRE(load[v] == r * m / g.groups);
    for (uint32_t u = 0; u < m; u++)
        for (uint32_t w = 0; w < u; w++) {
            uint32_t shared = 0;
            for (uint32_t j = 0; j < r; j++)
                shared += expander_neighbour(&g, u, j) == expander_neighbour(&g, w, j);
            REQUIRE(shared < CODES[_i].k);
            most = shared > most ? shared : most;
        }
    uint32_t possible = CODES[_i].k - 1 < r ? CODES[_i].k - 1 : r;
    bool is_whole = expander_dimension(m, q) == CODES[_i].k; /* leading coefficients occur */
    ck_assert(!is_whole || most == possible || m < q * q);
    free(load);
    expander_free(&g);
}
END_TEST

/* parameters without a Reed-Solomon graph are refused, and the text names fitting ones */
START_TEST(reed_solomon_refused)
{
    struct expander g;
    static const struct {
        uint32_t m, r, q, k;
        const char *words;
    } wrong[] = {{16, 5, 4, 2, "r must be 1 .. 4"},
                 {18, 2, 4, 3, "must divide"},
                 {64, 2, 4, 2, "at least 3"},
                 {36, 2, 6, 2, "power of a prime"},
                 {4, 4, 4, 1, "1 <= r <= c <= p"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct failure failure = {0};
        ck_assert_int_eq(
            expander_reed_solomon(&g, wrong[i].m, wrong[i].r, wrong[i].q, wrong[i].k, &failure),
            FAIL_USAGE);
        ck_assert_msg(strstr(failure.text, wrong[i].words) != NULL, "%s", failure.text);
    }
}
END_TEST

/* a random graph: a permutation, the same for a seed and every c, groups that differ by one edge */
START_TEST(random_graphs)
{
    static const uint32_t groups[] = {4, 5, 16, 60, 61, 128};
    struct expander g, again, other;
    struct failure failure = {0};
    ck_assert_int_eq(expander_random(&g, 128, 4, 4, 7, &failure), FAIL_NONE);
    ck_assert_int_eq(expander_random(&again, 128, 61, 4, 7, &failure), FAIL_NONE);
    ck_assert_int_eq(expander_random(&other, 128, 4, 4, 8, &failure), FAIL_NONE);
    ck_assert_mem_eq(g.entry, again.entry, 512 * sizeof *g.entry);
    ck_assert(memcmp(g.entry, other.entry, 512 * sizeof *g.entry) != 0);
    uint8_t seen[512] = {0};
    for (uint32_t i = 0; i < 512; i++) {
        REQUIRE(g.entry[i] < 512 && !seen[g.entry[i]]);
        seen[g.entry[i]] = 1;
    }
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        uint32_t load[128] = {0}, c = groups[i];
        ck_assert_int_eq(expander_set_groups(&g, c, &failure), FAIL_NONE);
        for (uint32_t u = 0; u < 128; u++)
            for (uint32_t j = 0; j < 4; j++) {
                REQUIRE(expander_neighbour(&g, u, j) == c * g.entry[4 * u + j] / 512);
                load[expander_neighbour(&g, u, j)]++;
            }
        for (uint32_t v = 0; v < c; v++)
            REQUIRE(load[v] == 512 / c || load[v] == (512 + c - 1) / c);
    }
    ck_assert_int_eq(expander_set_groups(&g, 3, &failure), FAIL_USAGE);
    expander_free(&g);
    expander_free(&again);
    expander_free(&other);
}
END_TEST

static uint32_t edges_into_best(const struct expander *g, const uint32_t *order, uint32_t wanted,
                                uint32_t chosen)
{
    uint32_t *load = calloc(g->groups, sizeof *load), edges = 0;
    for (uint32_t i = 0; i < wanted; i++)
        for (uint32_t j = 0; j < g->degree; j++)
            load[expander_neighbour(g, order[i], j)]++;
    for (uint32_t i = 0; i < chosen; i++) {
        uint32_t best = 0;
        for (uint32_t v = 1; v < g->groups; v++)
            best = load[v] > load[best] ? v : best;
        edges += load[best];
        load[best] = 0;
    }
    free(load);
    return edges;
}

/* the adversary's order holds every input once, and its first ones crowd into few groups */
START_TEST(crowds)
{
    struct expander g;
    struct failure failure = {0};
    uint32_t order[256];
    if (_i == 0)
        ck_assert_int_eq(expander_random(&g, 256, 64, 4, 1, &failure), FAIL_NONE);
    else
        ck_assert_int_eq(expander_reed_solomon(&g, 256, 4, 16, 2, &failure), FAIL_NONE);
    for (uint32_t number = 0; number < 6; number++) {
        uint8_t seen[256] = {0};
        ck_assert_int_eq(crowd_order(&g, 0.25, number, 32, order, &failure), FAIL_NONE);
        for (uint32_t i = 0; i < 256; i++) {
            REQUIRE(order[i] < 256 && !seen[order[i]]);
            seen[order[i]] = 1;
        }
        /* 16 inputs have 64 edges; at random about 30 would lie in the best quarter of the
         * groups */
        ck_assert_uint_ge(edges_into_best(&g, order, 16, 16), 44);
    }
    expander_free(&g);
}
END_TEST

void expander_suite(TCase *tests)
{
    tcase_add_loop_test(tests, field_laws, 0, sizeof ORDERS / sizeof *ORDERS);
    tcase_add_test(tests, least_polynomials);
    tcase_add_test(tests, no_field);
    tcase_add_loop_test(tests, reed_solomon, 0, sizeof CODES / sizeof *CODES);
    tcase_add_test(tests, reed_solomon_refused);
    tcase_add_test(tests, random_graphs);
    tcase_add_loop_test(tests, crowds, 0, 2);
}
