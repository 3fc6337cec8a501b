/* test_json_scan.c - the scanner of JSON against jansson, on texts that are nearly JSON.
 *
 * Texts are made by a random walk over the grammar, then one byte is changed, put in or taken out. What jansson
 * refuses for other reasons is left out: numbers that no double holds, deep nesting, bytes that are no UTF-8 (there are
 * none), \u escapes of surrogates and of NUL.
 */
#include "base/json_scan.h"
#include "base/pcg.h"

#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

Suite *json_scan_suite(void);

enum { TEXT_SIZE = 4096 };

struct text {
    char bytes[TEXT_SIZE];
    size_t length;
};

static void append(struct text *text, const char *more)
{
    size_t length = strlen(more);
    if (text->length + length < TEXT_SIZE) {
        memcpy(text->bytes + text->length, more, length + 1);
        text->length += length;
    }
}

static void append_one(struct text *text, struct pcg32 *random, const char *const *list,
                       uint32_t count)
{
    append(text, list[pcg32_below(random, count)]);
}

static void append_value(struct text *text, struct pcg32 *random, unsigned depth)
{
    static const char *const SCALARS[] = {"true",
                                          "false",
                                          "null",
                                          "0",
                                          "-0",
                                          "17",
                                          "-3.25",
                                          "1e5",
                                          "2E-07",
                                          "1.0e+2",
                                          "\"\"",
                                          "\"topk\"",
                                          "\"a\\n\\u00e9\\\"\"",
                                          "9",
                                          "1234567",
                                          "0.5"};
    static const char *const BLANKS[] = {"", "", "", " ", "\t", " \r\n "};
    uint32_t kind = depth == 0 ? 0 : pcg32_below(random, 3), members = pcg32_below(random, 4);
    append_one(text, random, BLANKS, 6);
    if (kind == 0) {
        append_one(text, random, SCALARS, 16);
    } else {
        append(text, kind == 1 ? "[" : "{");
        for (uint32_t i = 0; i < members; i++) {
            append(text, i > 0 ? "," : "");
            if (kind == 2) {
                append_one(text, random, BLANKS, 6);
                append(text, i == 0 ? "\"a\"" : i == 1 ? "\"b\"" : "\"\\\\c\"");
                append_one(text, random, BLANKS, 6);
                append(text, ":");
            }
            append_value(text, random, depth - 1);
        }
        append_one(text, random, BLANKS, 6);
        append(text, kind == 1 ? "]" : "}");
    }
    append_one(text, random, BLANKS, 6);
}

/* Changes, puts in or takes out a byte. */
static void spoil(struct text *text, struct pcg32 *random)
{
    static const char BYTES[] = "{}[],:\"\\0123456789.eE+-tfnu aA\n\t/x";
    size_t at = pcg32_below(random, (uint32_t)text->length);
    char byte = BYTES[pcg32_below(random, sizeof BYTES - 1)];
    switch (pcg32_below(random, 3)) {
    case 0:
        text->bytes[at] = byte;
        break;
    case 1:
        memmove(text->bytes + at + 1, text->bytes + at, text->length - at + 1);
        text->bytes[at] = byte;
        text->length++;
        break;
    default:
        memmove(text->bytes + at, text->bytes + at + 1, text->length - at);
        text->length--;
    }
}

static bool ours(const struct text *text)
{
    const char *at = text->bytes, *end = at + text->length;
    return json_scan_value(&at, end) && json_scan_blanks(at, end) == end;
}

/* Whether jansson takes the text; *is_other: it refuses it for something that we do not look at. */
static bool theirs(const struct text *text, bool *is_other)
{
    json_error_t error;
    json_t *value = json_loadb(text->bytes, text->length, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    *is_other = value == NULL && (json_error_code(&error) == json_error_numeric_overflow ||
                                  strstr(error.text, "Unicode") != NULL);
    json_decref(value);
    return value != NULL;
}

/* Both take the same texts, spoilt or not. */
START_TEST(as_jansson)
{
    struct pcg32 random = pcg32_seed(11, 0x6a736f6e);
    struct text text;
    int taken = 0, refused = 0;
    for (int i = 0; i < 20000; i++) {
        bool is_other;
        text.length = 0;
        append_value(&text, &random, 3);
        for (int spoils = i % 3; spoils > 0 && text.length > 1 && text.length < TEXT_SIZE - 4;
             spoils--)
            spoil(&text, &random);
        bool is_theirs = theirs(&text, &is_other);
        if (is_other)
            continue;
        if (ours(&text) != is_theirs)
            ck_abort_msg("jansson %s: %s", is_theirs ? "takes" : "refuses", text.bytes);
        taken += is_theirs;
        refused += !is_theirs;
    }
    ck_assert_int_gt(taken, 5000);
    ck_assert_int_gt(refused, 5000);
}
END_TEST

/* Every beginning of a text is scanned without a look behind its end (a sanitizer sees one). */
START_TEST(stays_within)
{
    static const char text[] =
        " {\"a\\u00e9\": [1, -2.5e+3, true, \"\\\"\"], \"b\": {\"c\": null}} ";
    for (size_t length = 0; length < sizeof text; length++) {
        char *copy = memcpy(malloc(length + 1), text, length);
        copy[length] = '7';
        const char *at = copy;
        bool is_whole = json_scan_value(&at, copy + length);
        ck_assert_int_eq(is_whole, length >= sizeof text - 2);
        ck_assert(at <= copy + length);
        free(copy);
    }
}
END_TEST

/* Nesting has a bound, and natural numbers are neither signed nor fractions. */
START_TEST(bounds)
{
    char deep[2 * JSON_SCAN_DEPTH + 3] = "";
    for (int depth = JSON_SCAN_DEPTH; depth <= JSON_SCAN_DEPTH + 1; depth++) {
        memset(deep, '[', (size_t)depth);
        memset(deep + depth, ']', (size_t)depth);
        const char *at = deep;
        ck_assert_int_eq(json_scan_value(&at, deep + 2 * depth), depth == JSON_SCAN_DEPTH);
    }
    static const struct {
        const char *text;
        bool is_natural;
        uint64_t value;
    } CASES[] = {{"0", true, 0},
                 {"00", false, 0},
                 {"17,", true, 17},
                 {"-1", false, 0},
                 {"1.5", false, 0},
                 {"1e3", false, 0},
                 {"18446744073709551615", true, UINT64_MAX},
                 {"99999999999999999999", true, UINT64_MAX},
                 {"", false, 0},
                 {"x", false, 0}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const char *at = CASES[i].text;
        uint64_t value = 0;
        ck_assert_int_eq(json_scan_natural(&at, at + strlen(at), &value), CASES[i].is_natural);
        ck_assert_uint_eq(value, CASES[i].value);
    }
}
END_TEST

Suite *json_scan_suite(void)
{
    Suite *suite = suite_create("json_scan");
    TCase *tests = tcase_create("json");
    tcase_add_test(tests, as_jansson);
    tcase_add_test(tests, stays_within);
    tcase_add_test(tests, bounds);
    suite_add_tcase(suite, tests);
    return suite;
}
