/* test_printable.c - which characters of a text are shown.
 *
 * Oracle: cases of RFC 3629, written down byte by byte.
 */
#include "base/printable.h"

#include <check.h>
#include <string.h>

Suite *printable_suite(void);

static const struct {
    const char *text, *shown;
} CASES[] = {
    {"plain ~!{}%", "plain ~!{}%"},
    {"a\tb\nc\033[31m\177", "a?b?c?[31m?"},
    {"\303\251\342\202\254\360\220\215\210", "\303\251\342\202\254\360\220\215\210"},
    {"\302\233x\302\240", "??x\302\240"},        /* a control character of two bytes */
    {"\342\200\256evil", "???evil"},             /* turns the line around */
    {"\300\257", "??"},                          /* overlong */
    {"\355\240\200\364\220\200\200", "???????"}, /* a surrogate; beyond the last character */
    {"\377\200z", "??z"},
    {"end\342\202", "end??"}, /* cut off */
};

enum { CASES_COUNT = sizeof CASES / sizeof CASES[0] };

/* Each text is shown as its case says, copied or in place. */
START_TEST(test_cases)
{
    char text[64];
    ck_assert_str_eq(printable_copy(text, sizeof text, CASES[_i].text), CASES[_i].shown);
    strcpy(text, CASES[_i].text);
    printable_make(text);
    ck_assert_str_eq(text, CASES[_i].shown);
}
END_TEST

/* A text is cut after a whole character; a name that is too long keeps its end. */
START_TEST(test_cut)
{
    static char name[PRINTABLE_NAME], path[2 * PRINTABLE_NAME];
    char text[4];
    ck_assert_str_eq(printable_copy(text, sizeof text, "ab\303\251"), "ab");
    ck_assert_str_eq(printable_name("-", name), "standard input");
    ck_assert_str_eq(printable_name("a\n", name), "a?");
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 2] = 'y';
    printable_name(path, name);
    ck_assert_uint_eq(strlen(name), sizeof name - 1);
    ck_assert(strncmp(name, "...x", 4) == 0 && name[sizeof name - 2] == 'y');
}
END_TEST

/* What is UTF-8, whether it is shown or not. */
START_TEST(test_utf8)
{
    ck_assert(text_is_utf8("\033\302\233\360\220\215\210"));
    ck_assert(!text_is_utf8("a\377") && !text_is_utf8("\303") && !text_is_utf8("\300\200"));
}
END_TEST

Suite *printable_suite(void)
{
    Suite *suite = suite_create("printable");
    TCase *tests = tcase_create("printable");
    tcase_add_loop_test(tests, test_cases, 0, CASES_COUNT);
    tcase_add_test(tests, test_cut);
    tcase_add_test(tests, test_utf8);
    suite_add_tcase(suite, tests);
    return suite;
}
