/* test_expert_routes.c - logs of expert routes with layers: every way to write a log gives the set
 * of its plain one.
 *
 * The oracle is the log of one layer with a line for each token, which test_import_items.c checks
 * by hand.
 */
#include "test/random.h"
#include "test/workloads/import_report.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS = 4, TOKENS = 9, MOST_EXPERTS = 3, TEXT_SIZE = 1 << 16 };

/* The contents of a log: the experts of each token in each layer. */
struct log {
    uint32_t layers, tokens, count[LAYERS][TOKENS], expert[LAYERS][TOKENS][MOST_EXPERTS];
};

static struct log draw(uint64_t *random)
{
    struct log log = {.layers = 1 + test_random_below(random, LAYERS),
                      .tokens = 1 + test_random_below(random, TOKENS)};
    for (uint32_t l = 0; l < log.layers; l++)
        for (uint32_t t = 0; t < log.tokens; t++) {
            log.count[l][t] = test_random_below(random, MOST_EXPERTS + 1);
            for (uint32_t k = 0; k < log.count[l][t]; k++)
                log.expert[l][t][k] = test_random_below(random, 7);
        }
    log.count[0][0] = 1; /* so that a first list shows the depth of its nesting */
    return log;
}

static char *put(char *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    at += vsprintf(at, format, arguments);
    va_end(arguments);
    return at;
}

static char *put_experts(char *at, const struct log *log, uint32_t layer, uint32_t token)
{
    at = put(at, "[");
    for (uint32_t k = 0; k < log->count[layer][token]; k++)
        at = put(at, "%s%u", k > 0 ? ", " : "", log->expert[layer][token][k]);
    return put(at, "]");
}

static char *put_layers(char *at, const struct log *log, uint32_t token)
{
    at = put(at, "[");
    for (uint32_t l = 0; l < log->layers; l++)
        at = put_experts(put(at, l > 0 ? "," : ""), log, l, token);
    return put(at, "]");
}

/* A line for each token of a layer and no word of layers. */
static void put_plain(char *at, const struct log *log, uint32_t layer)
{
    for (uint32_t t = 0; t < log->tokens; t++)
        at = put(put_experts(put(at, "{\"topk_ids\":"), log, layer, t), "}\n");
}

/* A line for each token of each layer; the layers take turns, or come one after the other. */
static void put_by_line(char *at, const struct log *log, uint32_t first, bool takes_turns)
{
    for (uint32_t i = 0; i < log->layers * log->tokens; i++) {
        uint32_t l = takes_turns ? i % log->layers : i / log->tokens;
        uint32_t t = takes_turns ? i / log->layers : i % log->tokens;
        at = put(at, i % 2 == 0 ? "{\"layer\":%u,\"topk_ids\":" : "{\"x\":[%u],\"topk_ids\":",
                 first + l);
        at = put_experts(at, log, l, t);
        at = i % 2 == 0 ? put(at, "}\n") : put(at, ",\"layer_id\":%u}\r\n", first + l);
    }
}

/* A line for each layer and some tokens of it. */
static void put_batches(char *at, const struct log *log, uint32_t first, uint32_t batch)
{
    for (uint32_t t = 0; t < log->tokens; t += batch)
        for (uint32_t l = 0; l < log->layers; l++) {
            at = put(at, "{\"topk_ids\":[");
            for (uint32_t i = t; i < t + batch && i < log->tokens; i++)
                at = put_experts(put(at, i > t ? "," : " "), log, l, i);
            at = put(at, " ],\"layer_idx\":%u}\n\n", first + l);
        }
}

/* A line for each token with all its layers. */
static void put_tokens(char *at, const struct log *log, int form)
{
    static const char *const FORMS[] = {
        "{\"token\":%u,\"topk_ids\":", "{\"n\":%u,\"layers\":", "{\"n\":%u,\"topk_ids\":"};
    for (uint32_t t = 0; t < log->tokens; t++)
        at = put(put_layers(put(at, FORMS[form], t), log, t), "}\n");
}

/* A line for some tokens with all their layers. */
static void put_requests(char *at, const struct log *log, uint32_t batch, const char *key)
{
    for (uint32_t t = 0; t < log->tokens; t += batch) {
        at = put(at, "{\"%s\":[", key);
        for (uint32_t i = t; i < t + batch && i < log->tokens; i++)
            at = put_layers(put(at, i > t ? "," : ""), log, i);
        at = put(at, "]}\n");
    }
}

static void import_good(struct import_report *report, const char *text, const char *options)
{
    import_bytes(report, text, strlen(text), "a.jsonl", options);
    ck_assert_msg(report->status == MESHCAST_OK, "%s\n%s", report->error.text, text);
}

/* Checks that the log is that of the plain text; layer UINT32_MAX: it has one, which is not
 * named. */
static void assert_same(const char *plain, const char *text, uint32_t layer)
{
    struct import_report one, other;
    char options[64] = "experts=7";
    import_good(&one, plain, options);
    if (layer != UINT32_MAX)
        snprintf(options, sizeof options, "experts=7 layer=%u", layer);
    import_good(&other, text, options);
    char *expected = strdup(import_messages(&one.set));
    ck_assert_uint_eq(one.set.mesh.rows, other.set.mesh.rows);
    ck_assert_msg(strcmp(expected, import_messages(&other.set)) == 0, "%s", text);
    free(expected);
    import_report_free(&one);
    import_report_free(&other);
}

/* All forms of random logs of one to four layers give each layer's tokens. */
START_TEST(all_forms)
{
    uint64_t random = 7;
    char *plain = malloc(TEXT_SIZE), *text = malloc(TEXT_SIZE);
    for (int round = 0; round < 60; round++) {
        struct log log = draw(&random);
        uint32_t first = test_random_below(&random, 2) * 60,
                 batch = 1 + test_random_below(&random, 4);
        for (uint32_t layer = 0; layer < log.layers; layer++) {
            put_plain(plain, &log, layer);
            for (int form = 0; form < 3; form++) {
                put_tokens(text, &log, form);
                assert_same(plain, text, layer);
            }
            put_requests(text, &log, batch, round % 2 == 0 ? "topk_ids" : "routed_experts");
            assert_same(plain, text, layer);
            put_by_line(text, &log, first, round % 2 == 0);
            assert_same(plain, text, first + layer);
            put_batches(text, &log, first, batch);
            assert_same(plain, text, first + layer);
            if (log.layers == 1)
                assert_same(plain, text, UINT32_MAX);
        }
    }
    free(plain);
    free(text);
}
END_TEST

/* Nested lists without a sign of their kind: tokens, and the summary says so; if a layer is asked
 * for, layers. */
START_TEST(nested_without_a_word)
{
    static const char text[] = "{\"topk_ids\":[[1,2],[0]]}\n{\"topk_ids\":[[3],[]]}\n";
    struct import_report report;
    import_good(&report, text, "");
    ck_assert_ptr_nonnull(strstr(report.notes, "lists of lists were taken for tokens"));
    ck_assert_uint_eq(report.cols, 4);
    ck_assert_uint_eq(report.set.messages, 3);
    import_report_free(&report);
    import_good(&report, text, "layer=0");
    ck_assert_str_eq(report.notes, "");
    ck_assert_uint_eq(report.cols, 2);
    ck_assert_uint_eq(report.entries, 3);
    import_report_free(&report);
}
END_TEST

/* A layer that is not there, or must be chosen, is refused with those that there are. */
START_TEST(layers_are_named)
{
    static const struct {
        const char *text, *message, *options;
    } CASES[] = {
        {"{\"layer\":3,\"topk_ids\":[1]}\n{\"layer\":5,\"topk_ids\":[1]}\n{\"layer\":4,\"topk_"
         "ids\":[1]}\n"
         "{\"layer\":9,\"topk_ids\":[1]}\n",
         "a.jsonl has 4 layers, 3 to 5, 9; choose one with layer N, since the messages of "
         "several "
         "are not sent at one time",
         ""},
        {"{\"layers\":[[1],[2]]}", "a.jsonl has 2 layers, 0 to 1; choose one with layer N", ""},
        {"{\"topk_ids\":[[[1],[2],[3]]]}", "a.jsonl has 3 layers, 0 to 2;", ""},
        {"{\"layer\":3,\"topk_ids\":[1]}\n", "a.jsonl has no layer 2; there is 3", "layer=2"},
        {"{\"topk_ids\":[[[1],[2],[3]]]}", "a.jsonl has no layer 3; there are 0 to 2", "layer=3"},
        {"{\"topk_ids\":[1]}\n", "a.jsonl names no layers; leave layer out", "layer=0"}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct import_report report;
        import_bytes(&report, CASES[i].text, strlen(CASES[i].text), "a.jsonl", CASES[i].options);
        ck_assert_int_eq(report.status, MESHCAST_USAGE);
        ck_assert_msg(strstr(report.error.text, CASES[i].message) != NULL, "%s", report.error.text);
    }
}
END_TEST

/* A line of a batch may have any length; what follows it is on the next line still. */
START_TEST(long_lines)
{
    enum { BATCH = 50000, LINES = 3 };
    char *text = malloc((size_t)LINES * BATCH * 16 + 100), *at = text;
    for (int line = 0; line < LINES; line++) {
        at = put(at, "{\"layer\":%d,\"topk_ids\":[", line);
        for (int t = 0; t < BATCH; t++)
            at = put(at, "%s[%d,%d]", t > 0 ? "," : "", line, (t + line) % 900);
        at = put(at, "]}\n");
    }
    struct import_report report;
    import_good(&report, text, "layer=1 per-node=50 experts=1000");
    ck_assert_uint_eq(report.set.messages, BATCH);
    ck_assert_uint_eq(report.set.mesh.rows, 32);
    import_report_free(&report);
    put(at, "{\"layer\":1,\"topk_ids\":[[x]]}");
    import_bytes(&report, text, strlen(text), "a.jsonl", "");
    ck_assert_int_eq(report.status, MESHCAST_INPUT);
    ck_assert_ptr_nonnull(
        strstr(report.error.text, "a.jsonl:4: expected an expert from 0 to 1048575, found 'x'"));
    free(text);
}
END_TEST

void expert_routes_suite(TCase *tests)
{
    tcase_add_test(tests, all_forms);
    tcase_add_test(tests, nested_without_a_word);
    tcase_add_test(tests, layers_are_named);
    tcase_add_test(tests, long_lines);
}
