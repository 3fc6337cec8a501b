/* test_decimal.c - decimal numbers as text, against printf.
 */
#include "base/decimal.h"

#include <check.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

Suite *decimal_suite(void);

static struct decimals decimals;

static void fill(void)
{
    decimals_fill(&decimals);
}

/* Whether the number is written as printf does, and nothing behind its room; one assertion would cost more than all
 * else here. */
static bool is_right(uint64_t number)
{
    char expected[DECIMAL_ROOM], text[DECIMAL_ROOM + 1];
    size_t length = (size_t)snprintf(expected, sizeof expected, " %" PRIu64, number);
    text[DECIMAL_ROOM] = '#';
    char *end = decimal_write(&decimals, text, number);
    bool is_right = end == text + length && memcmp(text, expected, length) == 0;
    if (number < DECIMAL_ENTRIES) {
        end = decimal_write_short(&decimals, text, (uint32_t)number);
        is_right &= end == text + length && memcmp(text, expected, length) == 0;
    }
    return is_right && text[DECIMAL_ROOM] == '#';
}

static void check_number(uint64_t number)
{
    if (!is_right(number))
        ck_abort_msg("%" PRIu64, number);
}

/* All numbers of one to five digits */
START_TEST(short_numbers)
{
    for (uint32_t number = 0; number < 100000; number++)
        check_number(number);
}
END_TEST

/* Numbers on both sides of each power of ten and of two, up to the largest */
START_TEST(long_numbers)
{
    for (uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10)
        for (uint64_t digit = 1; digit < 10; digit++)
            for (uint64_t i = 0; i < 3; i++)
                check_number(digit * power - 1 + i);
    for (unsigned bit = 0; bit < 64; bit++)
        for (uint64_t i = 0; i < 3; i++)
            check_number((UINT64_C(1) << bit) - 1 + i);
    check_number(UINT64_MAX);
}
END_TEST

Suite *decimal_suite(void)
{
    Suite *suite = suite_create("decimal");
    TCase *numbers = tcase_create("numbers");
    tcase_add_unchecked_fixture(numbers, fill, NULL);
    tcase_add_test(numbers, short_numbers);
    tcase_add_test(numbers, long_numbers);
    suite_add_tcase(suite, numbers);
    return suite;
}
