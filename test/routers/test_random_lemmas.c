/* test_random_lemmas.c - the r that Lemmas 2 and 3 need: binomial tails, bounds of failing, the
 * least r.
 *
 * Tails are held against whole numbers where these fit into 64 bits, and against the distribution
 * built up trial by trial, which sums other terms in another order. The bounds of failing are held
 * against all ways to draw groups, and the least r against a search through all r.
 */
#include "routers/random_lemmas.h"

#include <check.h>
#include <stdlib.h>

/* ---- tails ---- */

/* True if two logarithms are those of one number, but for a millionth. */
static bool is_near(long double a, long double b)
{
    return a == b || fabsl(a - b) < 1e-6L * (1 + expl(fminl(fabsl(a), 1)));
}

/* Returns the number of of^n outcomes with more than `above` successes. */
static uint64_t outcomes(uint64_t n, uint64_t hits, uint64_t of, uint64_t above)
{
    uint64_t sum = 0;
    for (uint64_t k = above + 1; k <= n; k++) {
        uint64_t term = 1;
        for (uint64_t i = 1; i <= k; i++)
            term = term * (n + 1 - i) / i;
        for (uint64_t i = 0; i < n; i++)
            term *= i < k ? hits : of - hits;
        sum += term;
    }
    return sum;
}

/* tails of up to 12 trials with chances in eighths and less are quotients of whole numbers */
START_TEST(tails_of_few)
{
    for (uint64_t of = 1; of <= 8; of++)
        for (uint64_t hits = 0; hits <= of; hits++)
            for (uint64_t n = 1; n <= 12; n++)
                for (uint64_t above = 0; above <= n; above++) {
                    long double all = powl((long double)of, (long double)n);
                    long double exact = logl((long double)outcomes(n, hits, of, above) / all);
                    ck_assert_msg(is_near(binomial_log_tail(n, hits, of, above), exact),
                                  "%lu of %lu, n = %lu, above %lu", (unsigned long)hits,
                                  (unsigned long)of, (unsigned long)n, (unsigned long)above);
                }
}
END_TEST

/* and those of many agree with the distribution built up trial by trial */
START_TEST(tails_of_many)
{
    static const struct {
        uint64_t n, hits, of;
    } cases[] = {{60, 1, 4}, {64, 3, 4}, {65, 1, 64}, {700, 1, 16}, {1000, 1, 2}, {1500, 1, 1000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t n = cases[i].n;
        long double chance = (long double)cases[i].hits / cases[i].of, tail = 0;
        long double *part = calloc(n + 1, sizeof *part); /* the chance of k successes */
        part[0] = 1;
        for (uint64_t trial = 0; trial < n; trial++)
            for (uint64_t k = trial + 2; k-- > 0;)
                part[k] = part[k] * (1 - chance) + (k > 0 ? part[k - 1] * chance : 0);
        for (uint64_t above = n; above-- > 0;) {
            tail += part[above + 1];
            if (tail > 1e-4000L)
                ck_assert(
                    is_near(binomial_log_tail(n, cases[i].hits, cases[i].of, above), logl(tail)));
        }
        free(part);
    }
}
END_TEST

/* n over k, small and large */
START_TEST(choices)
{
    ck_assert(is_near(binomial_log_choose(10, 3), logl(120)));
    ck_assert(is_near(binomial_log_choose(64, 32), logl(1832624140942590534.0L)));
    ck_assert(is_near(binomial_log_choose(1000000, 2), logl(499999500000.0L)));
    for (uint64_t n = 1; n < 300; n++)
        for (uint64_t k = 1; k < n; k++)
            ck_assert(is_near(binomial_log_choose(n, k),
                              binomial_log_choose(n - 1, k) +
                                  log1pl((long double)k / (long double)(n - k))));
}
END_TEST

/* ---- bounds ---- */

enum { GROUPS = 4, WANTED = 8 };

/* Returns the most packets that are not selected if the groups are pairs of tentative groups, in
 * any of the three ways to pair four. */
static uint64_t most_left(const uint64_t drew[GROUPS], uint64_t room)
{
    uint64_t most = 0;
    for (int other = 1; other < GROUPS; other++) {
        uint64_t first = drew[0] + drew[other];
        uint64_t left =
            (first > room ? first - room : 0) + (WANTED - first > room ? WANTED - first - room : 0);
        most = left > most ? left : most;
    }
    return most;
}

/* of all ways in which packets can draw their groups, no more are bad than the bounds say */
START_TEST(bounds_hold)
{
    for (uint64_t area = 1; area <= 2; area++)
        for (uint32_t r = 1; r <= WANTED; r++)
            for (uint64_t allowed = 0; allowed < WANTED; allowed++) {
                struct lemma_phase phase = {1, area, WANTED, allowed, GROUPS, 1};
                uint64_t bad[2] = {0, 0}, all = 1 << 2 * WANTED;
                for (uint64_t way = 0; way < all; way++) {
                    uint64_t drew[GROUPS] = {0};
                    for (int packet = 0; packet < WANTED; packet++)
                        drew[way >> 2 * packet & 3]++;
                    uint64_t left = most_left(drew, r * area);
                    bad[0] += left > allowed;
                    bad[1] += left > 0;
                }
                long double slack = 1 + 1e-6L, share = 1.0L / (long double)all;
                ck_assert(bad[0] * share <= expl(lemma_2_failure(&phase, r)) * slack);
                ck_assert(bad[1] * share <= expl(lemma_3_failure(&phase, r)) * slack);
            }
}
END_TEST

/* the paper's own r is enough for its Lemma 2 where only its proof's count is used: b = 4, c = n /
 * 16 */
START_TEST(the_papers_r)
{
    struct lemma_phase phase = lemma_phase_of((struct mesh){1 << 13, 1 << 13}, 1 << 22, 1, 0, 0);
    ck_assert_uint_eq(phase.area, 4);
    ck_assert_uint_eq(phase.wanted, 16 * phase.allowed);
    ck_assert_uint_eq(phase.groups, 1 << 22);
    ck_assert(lemma_2_failure(&phase, 150) < -1e5L);
    phase.blocks = UINT64_MAX; /* so many that a tail summed over groups says nothing with r = 9 */
    ck_assert(lemma_2_failure(&phase, 9) == 0);
    ck_assert(lemma_2_failure(&phase, 150) < -1e5L);
}
END_TEST

/* ---- the least r ---- */

/* True if r makes both lemmas, or one, hold with probability 1 - 1/n. */
static bool holds(struct mesh mesh, uint32_t c, uint32_t classes, uint32_t r, bool of_2, bool of_3)
{
    uint32_t last = random_last_phase(mesh, c);
    long double sum = 0;
    for (uint32_t phase = 0; phase <= last; phase++) {
        long double worst = 0;
        for (uint32_t size = 0; size < LEMMA_SIZES; size++) {
            struct lemma_phase sizes = lemma_phase_of(mesh, c, classes, phase, size);
            long double of_phase =
                expl(phase < last ? lemma_2_failure(&sizes, r) : lemma_3_failure(&sizes, r));
            worst = of_phase > worst ? of_phase : worst;
        }
        sum += (phase < last ? of_2 : of_3) ? worst : 0;
    }
    return sum * mesh_nodes(mesh) <= 1;
}

/* every r from the least one on makes the lemmas hold, and none below it does */
START_TEST(least_r)
{
    static const struct mesh meshes[] = {{8, 8},  {16, 16}, {32, 32},   {64, 64}, {13, 21},
                                         {1, 60}, {40, 9},  {128, 128}, {37, 129}};
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
        for (uint32_t c = 1; 16 * c <= mesh_nodes(meshes[i]); c = c < 5 ? c + 1 : c * 7 / 4)
            for (uint32_t classes = 1; classes <= 2; classes++) {
                struct lemma_least least = lemma_least_r(meshes[i], c, classes);
                for (uint32_t r = 1; r <= c; r++) {
                    ck_assert(holds(meshes[i], c, classes, r, true, false) == (r >= least.lemma_2));
                    ck_assert(holds(meshes[i], c, classes, r, false, true) == (r >= least.lemma_3));
                    ck_assert(holds(meshes[i], c, classes, r, true, true) == (r >= least.both));
                }
                ck_assert_uint_le(least.both, c);
            }
}
END_TEST

/* no mesh needs the paper's 150 */
START_TEST(never_150)
{
    for (uint32_t side = 4; side <= MESH_MAX_SIDE; side *= 2)
        for (uint64_t c = 1; 16 * c <= (uint64_t)side * side; c *= 2)
            ck_assert_uint_le(lemma_least_r((struct mesh){side, side}, (uint32_t)c, 2).both, 24);
}
END_TEST

void random_lemmas_suite(TCase *tests)
{
    tcase_add_test(tests, tails_of_few);
    tcase_add_test(tests, tails_of_many);
    tcase_add_test(tests, choices);
    tcase_add_test(tests, bounds_hold);
    tcase_add_test(tests, the_papers_r);
    tcase_add_test(tests, least_r);
    tcase_add_test(tests, never_150);
}
