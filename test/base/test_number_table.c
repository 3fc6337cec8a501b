/* test_number_table.c - values by keys, held against an array over all keys. */
#include "base/number_table.h"
#include "base/pcg.h"
#include "test/length.h"

#include <check.h>

Suite *number_table_suite(void);

enum { KEYS = 3000 };

static void check_all(const struct number_table *table, const uint32_t *value)
{
    size_t count = 0;
    for (uint32_t key = 0; key < KEYS; key++) {
        const uint32_t *found = number_table_find(table, key);
        ck_assert((found != NULL) == (value[key] != 0));
        if (found != NULL)
            ck_assert_uint_eq(*found, value[key]);
        count += found != NULL;
    }
    ck_assert_uint_eq(table->count, count);
}

/* Keys are added, changed and removed, now more of them, now fewer; in the end they are sorted. */
START_TEST(random_changes)
{
    struct pcg32 random = pcg32_seed((uint64_t)_i, 91);
    struct number_table table = {0};
    uint32_t value[KEYS] = {0};
    for (uint32_t i = 0; i < (TEST_IS_SHORT ? 20000u : 400000u); i++) {
        uint32_t key = pcg32_below(&random, 1 + pcg32_below(&random, KEYS));
        if (pcg32_below(&random, 100) < (i / 5000 % 2 == 0 ? 70u : 20u)) {
            uint32_t *at = number_table_add(&table, key);
            ck_assert_ptr_nonnull(at);
            ck_assert_uint_eq(*at, value[key]);
            *at = value[key] = i + 1;
        } else {
            number_table_remove(&table, key);
            value[key] = 0;
        }
        if (i % 1000 == 0)
            check_all(&table, value);
    }
    check_all(&table, value);
    number_table_sort(&table);
    size_t at = 0;
    for (uint32_t key = 0; key < KEYS; key++)
        if (value[key] != 0) {
            ck_assert_uint_eq(table.entry[at].key, key);
            ck_assert_uint_eq(table.entry[at++].value, value[key]);
        }
    ck_assert_uint_eq(at, table.count);
    number_table_free(&table);
}
END_TEST

/* An empty table has nothing, and can be sorted. */
START_TEST(empty)
{
    struct number_table table = {0};
    ck_assert_ptr_null(number_table_find(&table, 7));
    number_table_remove(&table, 7);
    number_table_sort(&table);
    ck_assert_uint_eq(table.count, 0);
    number_table_free(&table);
}
END_TEST

Suite *number_table_suite(void)
{
    Suite *suite = suite_create("number_table");
    TCase *tests = tcase_create("number_table");
    tcase_add_loop_test(tests, random_changes, 0, 4);
    tcase_add_test(tests, empty);
    suite_add_tcase(suite, tests);
    return suite;
}
