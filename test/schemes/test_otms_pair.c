/* test_otms_pair.c - the shortest longest of two worms, against all ways to share out few destinations.
 *
 * Method: random costs, which need not be those of any network: long and short legs, ways that are not allowed.
 */
#include "network/schemes/matching.h"
#include "network/schemes/star.h"

#include "base/pcg.h"
#include "test/length.h"

#include <check.h>

Suite *otms_pair_suite(void);

enum { MOST = 11, SIZE = MOST + 2, NO_STAR = UINT32_MAX };

struct pair_case {
    struct star_side side;
    struct star_costs costs;
    uint32_t cost[SIZE * SIZE];
};

/* Legs of 1 .. `longest` hops; one port may have to wait for a later destination. */
static void draw(struct pair_case *c, uint32_t count, uint32_t longest, struct pcg32 *random)
{
    uint32_t size = count + 2, late = pcg32_below(random, 3) == 0 ? pcg32_below(random, count) : 0;
    uint32_t port = pcg32_below(random, 2);
    *c = (struct pair_case){.side = {.count = count, .ports = 2}, .costs = {.size = size}};
    for (uint32_t row = 0; row < size; row++)
        for (uint32_t i = 0; i < size; i++)
            c->cost[row * size + i] =
                i < count && row < i + 2 ? 1 + pcg32_below(random, longest) : MATCHING_FORBIDDEN;
    for (uint32_t i = 0; i < late; i++)
        c->cost[port * size + i] = MATCHING_FORBIDDEN;
    c->costs.cost = c->cost;
}

/* What counts of a star, the most important first: its longest worm, its sum, where its worms end. */
struct merit {
    uint32_t of[4];
};

/* The merit of a star, in which bit i is the port of destination i; NO_STAR in its longest worm if it is none. */
static struct merit merit_of(const struct pair_case *c, uint32_t ports)
{
    uint32_t end[2] = {0, 1}, length[2] = {0, 0};
    for (uint32_t i = 0; i < c->side.count; i++) {
        uint32_t port = ports >> i & 1, leg = c->cost[end[port] * c->costs.size + i];
        if (leg == MATCHING_FORBIDDEN)
            return (struct merit){{NO_STAR}};
        length[port] += leg;
        end[port] = i + 2;
    }
    uint32_t longest = length[0] > length[1] ? length[0] : length[1];
    return (struct merit){{longest, length[0] + length[1], end[0], end[1]}};
}

static int compare(const struct merit *one, const struct merit *other)
{
    for (int i = 0; i < 4; i++)
        if (one->of[i] != other->of[i])
            return one->of[i] < other->of[i] ? -1 : 1;
    return 0;
}

static uint32_t bits_of(const uint32_t *port, uint32_t count)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i++)
        bits |= port[i] << i;
    return bits;
}

/* The search finds the star with the least merit, whatever star it has been given. */
START_TEST(optimum)
{
    static struct pair_case c;
    for (uint32_t number = 0; number < (TEST_IS_SHORT ? 60 : 2000); number++) {
        struct pcg32 random = pcg32_seed(29, number);
        uint32_t count = 1 + pcg32_below(&random, MOST), given = 0, port[MOST];
        struct failure failure = {0};
        struct merit best = {{NO_STAR}};
        bool is_found = false;
        draw(&c, count, 1 + pcg32_below(&random, 30), &random);
        for (uint32_t ports = 0; ports < UINT32_C(1) << count; ports++) {
            struct merit merit = merit_of(&c, ports);
            best = compare(&merit, &best) < 0 ? merit : best;
            /* Some star, each with the same probability */
            if (merit.of[0] != NO_STAR && pcg32_below(&random, ++given) == 0)
                for (uint32_t i = 0; i < count; i++)
                    port[i] = ports >> i & 1;
        }
        uint32_t longest = merit_of(&c, bits_of(port, count)).of[0];
        ck_assert_int_eq(
            star_shortest_pair(&c.side, &c.costs, longest, UINT32_MAX, port, &is_found, &failure),
            FAIL_NONE);
        ck_assert(is_found);
        struct merit found = merit_of(&c, bits_of(port, count));
        ck_assert_msg(compare(&found, &best) == 0, "case %u: %u %u %u %u, and not %u %u %u %u",
                      number, found.of[0], found.of[1], found.of[2], found.of[3], best.of[0],
                      best.of[1], best.of[2], best.of[3]);
    }
}
END_TEST

/* With no room for the points the given star stays. */
START_TEST(no_room)
{
    static struct pair_case c;
    struct pcg32 random = pcg32_seed(29, 0);
    struct failure failure = {0};
    uint32_t port[MOST] = {0};
    bool is_found = true;
    draw(&c, MOST, 9, &random);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        c.cost[i] = 1;
    for (uint32_t most = 0; most < 4; most++) {
        ck_assert_int_eq(
            star_shortest_pair(&c.side, &c.costs, MOST, most, port, &is_found, &failure),
            FAIL_NONE);
        ck_assert_uint_eq(bits_of(port, MOST), 0);
        ck_assert(!is_found);
    }
    ck_assert_int_eq(star_shortest_pair(&c.side, &c.costs, MOST, 1000, port, &is_found, &failure),
                     FAIL_NONE);
    ck_assert(is_found);
    ck_assert_uint_eq(merit_of(&c, bits_of(port, MOST)).of[0], (MOST + 1) / 2);
}
END_TEST

Suite *otms_pair_suite(void)
{
    Suite *suite = suite_create("otms_pair");
    TCase *tests = tcase_create("otms_pair");
    tcase_add_test(tests, optimum);
    tcase_add_test(tests, no_room);
    suite_add_tcase(suite, tests);
    return suite;
}
