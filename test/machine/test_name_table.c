/* test_name_table.c - numbers by names, held against an array over all names. */
#include "base/pcg.h"
#include "machine/header.h"
#include "machine/name_table.h"
#include "test/length.h"

#include <check.h>

Suite *name_table_suite(void);

enum { NAMES = 3000 };

static void check_all(const struct name_table *table, const uint32_t *value)
{
    size_t count = 0;
    for (uint32_t name = 0; name < NAMES; name++) {
        const uint32_t *found = name_table_find(table, name);
        ck_assert((found != NULL) == (value[name] != 0));
        if (found != NULL)
            ck_assert_uint_eq(*found, value[name]);
        count += found != NULL;
    }
    ck_assert_uint_eq(table->count, count);
}

/* Names are added, changed and removed, now more of them, now fewer; in the end they are sorted. */
START_TEST(random_changes)
{
    struct pcg32 random = pcg32_seed((uint64_t)_i, 91);
    struct name_table table = {0};
    uint32_t value[NAMES] = {0};
    for (uint32_t i = 0; i < (TEST_IS_SHORT ? 20000u : 400000u); i++) {
        uint32_t name = pcg32_below(&random, 1 + pcg32_below(&random, NAMES));
        if (pcg32_below(&random, 100) < (i / 5000 % 2 == 0 ? 70u : 20u)) {
            uint32_t *at = name_table_add(&table, name);
            ck_assert_ptr_nonnull(at);
            ck_assert_uint_eq(*at, value[name]);
            *at = value[name] = i + 1;
        } else {
            name_table_remove(&table, name);
            value[name] = 0;
        }
        if (i % 1000 == 0)
            check_all(&table, value);
    }
    check_all(&table, value);
    name_table_sort(&table);
    size_t at = 0;
    for (uint32_t name = 0; name < NAMES; name++)
        if (value[name] != 0) {
            ck_assert_uint_eq(table.entry[at].name, name);
            ck_assert_uint_eq(table.entry[at++].value, value[name]);
        }
    ck_assert_uint_eq(at, table.count);
    name_table_free(&table);
}
END_TEST

/* An empty table has nothing, and can be sorted. */
START_TEST(empty)
{
    struct name_table table = {0};
    ck_assert_ptr_null(name_table_find(&table, 7));
    name_table_remove(&table, 7);
    name_table_sort(&table);
    ck_assert_uint_eq(table.count, 0);
    name_table_free(&table);
}
END_TEST

Suite *name_table_suite(void)
{
    Suite *suite = suite_create("name_table");
    TCase *tests = tcase_create("name_table");
    tcase_add_loop_test(tests, random_changes, 0, 4);
    tcase_add_test(tests, empty);
    suite_add_tcase(suite, tests);
    return suite;
}
