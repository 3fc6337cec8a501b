/* test_star_longest.c - the shortest longest worm over three ports and more, against all ways to share out few
 * destinations.
 *
 * Method: random costs, which need not be those of any network, so that many stars are nearly as good as the best one:
 * short and long legs, first legs that are not allowed.
 */
#include "network/schemes/matching.h"
#include "network/schemes/star.h"

#include "base/pcg.h"
#include "test/length.h"

#include <check.h>

Suite *star_longest_suite(void);

enum { LEAST_PORTS = 3, MOST_PORTS = 5, MOST = 7, SIZE = MOST + MOST_PORTS, NO_STAR = UINT32_MAX };

struct star_case {
    struct star_side side;
    struct star_costs costs;
    uint32_t cost[SIZE * SIZE];
};

/* Legs of 1 .. `longest` hops; every port but the first one may have to wait for a later destination. */
static void draw(struct star_case *c, uint32_t ports, uint32_t count, uint32_t longest,
                 struct pcg32 *random)
{
    uint32_t size = count + ports;
    *c = (struct star_case){.side = {.count = count, .ports = ports}, .costs = {.size = size}};
    for (uint32_t row = 0; row < size; row++) {
        uint32_t from = row >= ports ? row - ports + 1 : row == 0 ? 0 : pcg32_below(random, 3);
        for (uint32_t i = 0; i < size; i++)
            c->cost[row * size + i] = i >= count  ? 0
                                      : i >= from ? 1 + pcg32_below(random, longest)
                                                  : MATCHING_FORBIDDEN;
    }
    c->costs.cost = c->cost;
}

/* What counts of a star: its longest worm, then its sum. */
struct merit {
    uint32_t longest, sum;
};

static struct merit merit_of(const struct star_case *c, const uint32_t *port)
{
    uint32_t end[MOST_PORTS], length[MOST_PORTS] = {0};
    struct merit merit = {0, 0};
    for (uint32_t a = 0; a < c->side.ports; a++)
        end[a] = a;
    for (uint32_t i = 0; i < c->side.count; i++) {
        uint32_t leg = c->cost[end[port[i]] * c->costs.size + i];
        if (leg == MATCHING_FORBIDDEN)
            return (struct merit){NO_STAR, NO_STAR};
        length[port[i]] += leg;
        end[port[i]] = c->side.ports + i;
        merit.sum += leg;
        if (length[port[i]] > merit.longest)
            merit.longest = length[port[i]];
    }
    return merit;
}

static bool is_better(struct merit one, struct merit other)
{
    return one.longest < other.longest || (one.longest == other.longest && one.sum < other.sum);
}

static struct merit best_of_all(const struct star_case *c)
{
    struct merit best = {NO_STAR, NO_STAR};
    uint32_t port[MOST] = {0}, i;
    do {
        struct merit merit = merit_of(c, port);
        best = is_better(merit, best) ? merit : best;
        for (i = 0; i < c->side.count && ++port[i] == c->side.ports; i++)
            port[i] = 0;
    } while (i < c->side.count);
    return best;
}

/* The longest worm is the shortest that any star has, and the bound says so; of such stars it is one with the least sum. */
START_TEST(optimum)
{
    static struct star_case c;
    for (uint32_t number = 0; number < (TEST_IS_SHORT ? 3000 : 30000); number++) {
        struct pcg32 random = pcg32_seed(29, number);
        uint32_t ports = LEAST_PORTS + pcg32_below(&random, MOST_PORTS - LEAST_PORTS + 1);
        uint32_t count = 1 + pcg32_below(&random, MOST - (ports == MOST_PORTS)), port[MOST];
        uint32_t bound = 0;
        struct failure failure = {0};
        draw(&c, ports, count, 1 + pcg32_below(&random, 12), &random);
        struct merit best = best_of_all(&c);
        ck_assert_int_eq(star_least_longest(&c.side, &c.costs, port, &bound, &failure), FAIL_NONE);
        struct merit found = merit_of(&c, port);
        ck_assert_msg(found.longest == best.longest && found.sum == best.sum &&
                          bound == best.longest,
                      "case %u, %u ports: longest %u, sum %u, bound %u, and not %u and %u", number,
                      ports, found.longest, found.sum, bound, best.longest, best.sum);
    }
}
END_TEST

/* With so many states that some are dropped the bound is no higher than a star that is known, the best one is not always
 * proven, and the star found is not longer than the one of the least sum. */
START_TEST(many_states)
{
    enum { PORTS = 8, COUNT = 40, ALL = COUNT + PORTS, CASES = 6 };
    static uint32_t cost[ALL * ALL];
    uint32_t unproven = 0;
    for (uint32_t number = 0; number < CASES; number++) {
        struct pcg32 random = pcg32_seed(30, number);
        struct star_side side = {.count = COUNT, .ports = PORTS};
        struct star_costs costs = {ALL, cost};
        uint32_t end[PORTS], port[COUNT], bound = 0, known[COUNT];
        struct failure failure = {0};
        for (uint32_t row = 0; row < ALL; row++)
            for (uint32_t i = 0; i < ALL; i++)
                cost[row * ALL + i] = i >= COUNT ? 0
                                      : row < PORTS || row - PORTS < i
                                          ? 1 + pcg32_below(&random, 100)
                                          : MATCHING_FORBIDDEN;
        for (uint32_t a = 0; a < PORTS; a++)
            end[a] = a;
        /* The star that is known: a port has every eighth destination, in an order of its own, by legs of 8 */
        for (uint32_t i = 0; i < COUNT; i++) {
            known[i] = i % PORTS == 0 ? pcg32_below(&random, PORTS) : (known[i - 1] + 1) % PORTS;
            cost[end[known[i]] * ALL + i] = 8;
            end[known[i]] = PORTS + i;
        }
        ck_assert_int_eq(star_least_longest(&side, &costs, port, &bound, &failure), FAIL_NONE);
        ck_assert_uint_le(bound, star_longest_worm(&side, &costs, known));
        ck_assert_uint_le(bound, star_longest_worm(&side, &costs, port));
        unproven += bound < star_longest_worm(&side, &costs, port);
        ck_assert_int_eq(star_least_sum(&side, &costs, known, NULL, &failure), FAIL_NONE);
        ck_assert_uint_le(star_longest_worm(&side, &costs, port),
                          star_longest_worm(&side, &costs, known));
    }
    ck_assert_uint_gt(unproven, 0);
}
END_TEST

Suite *star_longest_suite(void)
{
    Suite *suite = suite_create("star_longest");
    TCase *tests = tcase_create("star_longest");
    tcase_add_test(tests, optimum);
    tcase_add_test(tests, many_states);
    suite_add_tcase(suite, tests);
    return suite;
}
