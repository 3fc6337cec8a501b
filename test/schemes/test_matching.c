/* test_matching.c - perfect matchings of least weight.
 *
 * Method: all permutations where there are few; for more rows another method, which begins with any matching and
 * exchanges columns along negative cycles until there are none.
 */
#include "network/schemes/matching.h"

#include "base/pcg.h"

#include <check.h>
#include <stdbool.h>
#include <stdint.h>

Suite *matching_suite(void);

enum { FEW = 7, MOST = 40 };

struct costs {
    uint32_t size;
    uint32_t at[MOST * MOST];
};

/* Random costs below `range`, of which one in `holes` is forbidden, but not those of one random matching. */
static struct costs random_costs(uint64_t number, uint32_t size, uint32_t range, uint32_t holes)
{
    struct pcg32 random = pcg32_seed(number, size);
    struct costs costs = {.size = size};
    uint32_t column[MOST];
    for (uint32_t i = 0; i < size * size; i++)
        costs.at[i] =
            pcg32_below(&random, holes) == 0 ? MATCHING_FORBIDDEN : pcg32_below(&random, range);
    for (uint32_t i = 0; i < size; i++) {
        uint32_t other = pcg32_below(&random, i + 1);
        column[i] = column[other];
        column[other] = i;
    }
    for (uint32_t i = 0; i < size; i++)
        costs.at[i * size + column[i]] = pcg32_below(&random, range);
    return costs;
}

/* The weight of the matching that is found; the test fails if it is none. */
static uint64_t weight_found(const struct costs *costs, uint32_t *column)
{
    struct failure failure = {0};
    bool is_taken[MOST] = {false};
    uint64_t weight = 0;
    ck_assert_int_eq(matching_find(costs->at, costs->size, column, NULL, &failure), FAIL_NONE);
    for (uint32_t row = 0; row < costs->size; row++) {
        ck_assert_uint_lt(column[row], costs->size);
        ck_assert(!is_taken[column[row]]);
        is_taken[column[row]] = true;
        ck_assert_uint_ne(costs->at[row * costs->size + column[row]], MATCHING_FORBIDDEN);
        weight += costs->at[row * costs->size + column[row]];
    }
    return weight;
}

/* The least weight of all matchings of rows `row` .. with columns that are not in `taken`. */
static uint64_t least_weight(const struct costs *costs, uint32_t row, uint32_t taken)
{
    uint64_t least = UINT64_MAX;
    if (row == costs->size)
        return 0;
    for (uint32_t column = 0; column < costs->size; column++) {
        uint32_t cost = costs->at[row * costs->size + column];
        if (taken >> column & 1 || cost == MATCHING_FORBIDDEN)
            continue;
        uint64_t rest = least_weight(costs, row + 1, taken | UINT32_C(1) << column);
        if (rest != UINT64_MAX && rest + cost < least)
            least = rest + cost;
    }
    return least;
}

/* ---- the other method ---- */

/* Forbidden entries cost more than any matching of others. */
static int64_t cost_at(const struct costs *costs, uint32_t row, uint32_t column)
{
    uint32_t cost = costs->at[row * costs->size + column];
    return cost == MATCHING_FORBIDDEN ? INT64_C(1) << 40 : (int64_t)cost;
}

/* Exchanges columns along one cycle of rows by which the weight falls. False: there is none. */
static bool exchange(const struct costs *costs, uint32_t *column)
{
    int64_t distance[MOST] = {0};
    uint32_t before[MOST] = {0}, at = UINT32_MAX;
    for (uint32_t round = 0; round <= costs->size; round++) {
        at = UINT32_MAX;
        for (uint32_t from = 0; from < costs->size; from++)
            for (uint32_t to = 0; to < costs->size; to++) {
                /* `from` takes the column of `to` */
                int64_t change =
                    cost_at(costs, from, column[to]) - cost_at(costs, from, column[from]);
                if (distance[from] + change < distance[to]) {
                    distance[to] = distance[from] + change;
                    before[to] = from;
                    at = to;
                }
            }
        if (at == UINT32_MAX)
            return false;
    }
    for (uint32_t i = 0; i < costs->size; i++)
        at = before[at]; /* now on the cycle */
    uint32_t old[MOST], row = at;
    for (uint32_t i = 0; i < costs->size; i++)
        old[i] = column[i];
    do {
        column[before[row]] = old[row];
        row = before[row];
    } while (row != at);
    return true;
}

static uint64_t weight_by_exchange(const struct costs *costs)
{
    uint32_t column[MOST];
    int64_t weight = 0;
    for (uint32_t row = 0; row < costs->size; row++)
        column[row] = row;
    while (exchange(costs, column))
        ;
    for (uint32_t row = 0; row < costs->size; row++)
        weight += cost_at(costs, row, column[row]);
    return (uint64_t)weight;
}

/* ---- the tests ---- */

/* With few rows the weight is the least one of all permutations; zeros, ties and forbidden entries included. */
START_TEST(least_of_all)
{
    uint32_t column[MOST];
    for (uint32_t size = 0; size <= FEW; size++)
        for (uint32_t number = 0; number < 60; number++) {
            struct costs costs =
                random_costs(number, size, number % 3 == 0 ? 3 : 100, 2 + number % 5);
            ck_assert_uint_eq(weight_found(&costs, column), least_weight(&costs, 0, 0));
        }
}
END_TEST

/* With more rows it is what exchanges along negative cycles end with. */
START_TEST(as_by_exchange)
{
    uint32_t column[MOST];
    for (uint32_t number = 0; number < 24; number++) {
        struct costs costs = random_costs(number, 8 + number * (MOST - 8) / 23,
                                          number % 2 == 0 ? 10 : 100000, 2 + number % 7);
        ck_assert_uint_eq(weight_found(&costs, column), weight_by_exchange(&costs));
    }
}
END_TEST

/* Sums have 64 bits; of equal columns each row takes the smallest one that is left. */
START_TEST(large_and_equal)
{
    struct costs costs = {.size = MOST};
    uint32_t column[MOST];
    for (uint32_t i = 0; i < MOST * MOST; i++)
        costs.at[i] = MATCHING_FORBIDDEN - 1;
    ck_assert_uint_eq(weight_found(&costs, column), (uint64_t)MOST * (MATCHING_FORBIDDEN - 1));
    for (uint32_t row = 0; row < MOST; row++)
        ck_assert_uint_eq(column[row], row);
}
END_TEST

Suite *matching_suite(void)
{
    Suite *suite = suite_create("matching");
    TCase *tests = tcase_create("matching");
    tcase_add_test(tests, least_of_all);
    tcase_add_test(tests, as_by_exchange);
    tcase_add_test(tests, large_and_equal);
    suite_add_tcase(suite, tests);
    return suite;
}
