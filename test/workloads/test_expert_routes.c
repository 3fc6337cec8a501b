/* test_expert_routes.c - logs of expert routes with layers: every way to write a log gives the set of its plain one.
 *
 * The oracle is the log of one layer with a line for each token, which test_import_items.c checks by hand.
 */
#include "base/pcg.h"
#include "test/workloads/import_case.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *expert_routes_suite(void);

enum { LAYERS = 4, TOKENS = 9, MOST_EXPERTS = 3, TEXT_SIZE = 1 << 16 };

/* What is logged: the experts of each token in each layer. */
struct log {
    uint32_t layers, tokens, count[LAYERS][TOKENS], expert[LAYERS][TOKENS][MOST_EXPERTS];
};

static struct log draw(struct pcg32 *random)
{
    struct log log = {.layers = 1 + pcg32_below(random, LAYERS),
                      .tokens = 1 + pcg32_below(random, TOKENS)};
    for (uint32_t l = 0; l < log.layers; l++)
        for (uint32_t t = 0; t < log.tokens; t++) {
            log.count[l][t] = pcg32_below(random, MOST_EXPERTS + 1);
            for (uint32_t k = 0; k < log.count[l][t]; k++)
                log.expert[l][t][k] = pcg32_below(random, 7);
        }
    log.count[0][0] = 1; /* so that a first list tells how deep it is nested */
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

static struct message_set import_good(const char *text, struct import_options options)
{
    struct message_set set;
    struct failure failure = {0};
    ck_assert_msg(import_memory(text, strlen(text), "a.jsonl", &options, &set, NULL, &failure) ==
                      FAIL_NONE,
                  "%s\n%s", failure.text, text);
    return set;
}

static void assert_same(const char *plain, const char *text, struct import_options options)
{
    struct import_options without = options;
    without.reading.has_layer = false;
    struct message_set one = import_good(plain, without), other = import_good(text, options);
    ck_assert_uint_eq(one.mesh.rows, other.mesh.rows);
    ck_assert_msg(one.messages == other.messages && one.deliveries == other.deliveries, "%s", text);
    for (uint32_t i = 0; i <= one.messages; i++)
        ck_assert_uint_eq(one.offset[i], other.offset[i]);
    for (uint32_t i = 0; i < one.messages; i++)
        ck_assert_uint_eq(one.source[i], other.source[i]);
    for (uint64_t i = 0; i < one.deliveries; i++)
        ck_assert_uint_eq(one.destination[i], other.destination[i]);
    message_set_free(&one);
    message_set_free(&other);
}

/* All forms of random logs of one to four layers give each layer's tokens. */
START_TEST(all_forms)
{
    struct pcg32 random = pcg32_seed(7, 0x6c6179657273);
    char *plain = malloc(TEXT_SIZE), *text = malloc(TEXT_SIZE);
    for (int round = 0; round < 200; round++) {
        struct log log = draw(&random);
        uint32_t first = pcg32_below(&random, 2) * 60, batch = 1 + pcg32_below(&random, 4);
        for (uint32_t layer = 0; layer < log.layers; layer++) {
            struct import_options options = {.reading = {.has_layer = true, .layer = layer},
                                             .experts = 7};
            put_plain(plain, &log, layer);
            for (int form = 0; form < 3; form++) {
                put_tokens(text, &log, form);
                assert_same(plain, text, options);
            }
            put_requests(text, &log, batch, round % 2 == 0 ? "topk_ids" : "routed_experts");
            assert_same(plain, text, options);
            options.reading.layer += first;
            put_by_line(text, &log, first, round % 2 == 0);
            assert_same(plain, text, options);
            put_batches(text, &log, first, batch);
            assert_same(plain, text, options);
            if (log.layers > 1)
                continue;
            options.reading.has_layer = false; /* the only one */
            assert_same(plain, text, options);
        }
    }
    free(plain);
    free(text);
}
END_TEST

/* Nested lists of which nothing says what they are: tokens, and the summary says so; where a layer is asked for, layers. */
START_TEST(nested_without_a_word)
{
    static const char text[] = "{\"topk_ids\":[[1,2],[0]]}\n{\"topk_ids\":[[3],[]]}\n";
    struct import_options options = {.seed = 0};
    struct message_set set;
    struct import_summary summary;
    ck_assert_int_eq(import_memory(text, strlen(text), "a.jsonl", &options, &set, &summary, NULL),
                     FAIL_NONE);
    ck_assert_uint_eq(summary.notes.count, 1);
    ck_assert_ptr_nonnull(strstr(summary.notes.text[0], "lists of lists were taken for tokens"));
    ck_assert_uint_eq(summary.cols, 4);
    ck_assert_uint_eq(set.messages, 3);
    message_set_free(&set);
    options = (struct import_options){.reading.has_layer = true};
    ck_assert_int_eq(import_memory(text, strlen(text), "a.jsonl", &options, &set, &summary, NULL),
                     FAIL_NONE);
    ck_assert_uint_eq(summary.notes.count, 0);
    ck_assert_uint_eq(summary.cols, 2);
    ck_assert_uint_eq(summary.entries, 3);
    message_set_free(&set);
}
END_TEST

/* A layer that is not there, or must be chosen, is refused with those that there are. */
START_TEST(layers_are_named)
{
    static const struct {
        const char *text, *message;
        bool has_layer;
        uint32_t layer;
    } CASES[] = {
        {"{\"layer\":3,\"topk_ids\":[1]}\n{\"layer\":5,\"topk_ids\":[1]}\n{\"layer\":4,\"topk_"
         "ids\":[1]}\n"
         "{\"layer\":9,\"topk_ids\":[1]}\n",
         "a.jsonl has 4 layers, 3 to 5, 9; choose one with --layer N, since the messages of "
         "several "
         "are not sent at one time",
         false, 0},
        {"{\"layers\":[[1],[2]]}", "a.jsonl has 2 layers, 0 to 1; choose one with --layer N", false,
         0},
        {"{\"topk_ids\":[[[1],[2],[3]]]}", "a.jsonl has 3 layers, 0 to 2;", false, 0},
        {"{\"layer\":3,\"topk_ids\":[1]}\n", "a.jsonl has no layer 2; there is 3", true, 2},
        {"{\"topk_ids\":[[[1],[2],[3]]]}", "a.jsonl has no layer 3; there are 0 to 2", true, 3},
        {"{\"topk_ids\":[1]}\n", "a.jsonl names no layers; leave --layer out", true, 0}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct import_options options = {
            .reading = {.has_layer = CASES[i].has_layer, .layer = CASES[i].layer}};
        struct message_set set;
        struct failure failure = {0};
        ck_assert_int_eq(import_memory(CASES[i].text, strlen(CASES[i].text), "a.jsonl", &options,
                                       &set, NULL, &failure),
                         FAIL_USAGE);
        ck_assert_msg(strstr(failure.text, CASES[i].message) == failure.text, "%s", failure.text);
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
    struct message_set set = import_good(
        text, (struct import_options){
                  .reading = {.has_layer = true, .layer = 1}, .per_node = 50, .experts = 1000});
    ck_assert_uint_eq(set.messages, BATCH);
    ck_assert_uint_eq(set.mesh.rows, 32);
    message_set_free(&set);
    put(at, "{\"layer\":1,\"topk_ids\":[[x]]}");
    struct import_options options = {.seed = 0};
    struct failure failure = {0};
    ck_assert_int_eq(import_memory(text, strlen(text), "a.jsonl", &options, &set, NULL, &failure),
                     FAIL_INPUT);
    ck_assert_str_eq(failure.text, "a.jsonl:4: expected an expert from 0 to 1048575, found 'x]]}'");
    free(text);
}
END_TEST

Suite *expert_routes_suite(void)
{
    Suite *suite = suite_create("expert_routes");
    TCase *tests = tcase_create("layers");
    tcase_add_test(tests, all_forms);
    tcase_add_test(tests, nested_without_a_word);
    tcase_add_test(tests, layers_are_named);
    tcase_add_test(tests, long_lines);
    suite_add_tcase(suite, tests);
    return suite;
}
