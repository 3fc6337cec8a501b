/* test_pattern_workloads.c - patterns of experts and of populations, and the files that they are
 * made from.
 *
 * The right set is counted from the contract, node by node, without the code that makes sets;
 * chances are compared with the shares that they lead to, within five times their deviation.
 */
#include "workloads/pattern_inputs.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the source of a file, or of a text. */
static struct byte_source *source_of(const char *path, const char *text)
{
    struct byte_source *source;
    struct failure failure = {0};
    enum failure_kind kind =
        path != NULL ? byte_source_open(&source, path, &failure)
                     : byte_source_open_memory(&source, text, strlen(text), "a", &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
    return source;
}

static struct message_set make(const char *name, const struct pattern_options *options)
{
    struct message_set set;
    struct failure failure = {0};
    ck_assert_msg(pattern_generate(pattern_find(name), options, &set, &failure) == FAIL_NONE,
                  "%s: %s", name, failure.text);
    return set;
}

/* Returns the set's text, in which version and end are seen. */
static char *text_of(const struct message_set *set)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ck_assert(message_set_write(set, NULL, out, NULL));
    fclose(out);
    return text;
}

static void assert_text(const char *name, const struct pattern_options *options,
                        const char *expected)
{
    struct message_set set = make(name, options);
    char *text = text_of(&set);
    ck_assert_str_eq(text, expected);
    free(text);
    message_set_free(&set);
}

/* ---- experts ---- */

/* Counts the tokens for each of the experts, which are on nodes 0, 1, .. */
static void count_tokens(const struct pattern_options *options, uint32_t *tokens, uint32_t experts)
{
    struct message_set set = make("moe", options);
    memset(tokens, 0, experts * sizeof *tokens);
    for (uint64_t d = 0; d < set.deliveries; d++) {
        ck_assert_uint_lt(set.destination[d], experts);
        tokens[set.destination[d]]++;
    }
    ck_assert_uint_eq(message_set_most_sent(&set), options->per_node);
    message_set_free(&set);
}

/* With one expert per token the shares are those of the counts, 0 among them; within five
 * deviations. */
START_TEST(experts_by_counts)
{
    uint64_t count[] = {0, 1, 5, 94};
    uint32_t tokens[4];
    struct expert_load load = {.experts = 4, .place = EXPERTS_BLOCK, .count = count};
    struct pattern_options options = {
        .mesh = {32, 32}, .degree = 1, .per_node = 20, .seed = 3, .experts = &load};
    count_tokens(&options, tokens, 4);
    double all = 32 * 32 * 20;
    ck_assert_uint_eq(tokens[0], 0);
    for (int e = 1; e < 4; e++) {
        double share = (double)count[e] / 100;
        ck_assert_double_le(fabs(tokens[e] - all * share), 5 * sqrt(all * share * (1 - share)));
    }
}
END_TEST

/* The shares of a Zipf distribution, in the order of size. */
START_TEST(experts_by_rank)
{
    enum { EXPERTS = 8 };
    double exponent = _i == 0 ? 0 : _i == 1 ? 1 : 2.5, sum = 0, all = 32 * 32 * 20;
    uint32_t tokens[EXPERTS];
    struct expert_load load = {.experts = EXPERTS, .place = EXPERTS_BLOCK, .exponent = exponent};
    struct pattern_options options = {
        .mesh = {32, 32}, .degree = 1, .per_node = 20, .seed = 5, .experts = &load};
    count_tokens(&options, tokens, EXPERTS);
    for (int i = 1; i < EXPERTS; i++)
        for (int j = i; j > 0 && tokens[j] > tokens[j - 1]; j--) {
            uint32_t moved = tokens[j];
            tokens[j] = tokens[j - 1];
            tokens[j - 1] = moved;
        }
    for (int rank = 1; rank <= EXPERTS; rank++)
        sum += pow(rank, -exponent);
    for (int rank = 1; rank <= EXPERTS; rank++) {
        double share = pow(rank, -exponent) / sum;
        ck_assert_double_le(fabs(tokens[rank - 1] - all * share),
                            5 * sqrt(all * share * (1 - share)) + 2);
    }
}
END_TEST

/* Experts that share a node are one destination; all experts are asked for if d is as large. */
START_TEST(experts_share_nodes)
{
    struct expert_load load = {.experts = 8};
    struct pattern_options options = {.mesh = {2, 2}, .degree = 8, .per_node = 2, .experts = &load};
    options.degree = 4; /* of 8, on 4 nodes */
    struct message_set set = make("moe", &options);
    ck_assert_uint_eq(set.messages, 8);
    ck_assert_uint_lt(set.deliveries, 32);
    for (uint32_t i = 0; i < set.messages; i++)
        for (uint64_t d = set.offset[i] + 1; d < set.offset[i + 1]; d++)
            ck_assert_uint_lt(set.destination[d - 1], set.destination[d]);
    message_set_free(&set);
}
END_TEST

/* The congestion of l tokens per node may be above the nodes, and is kept. */
START_TEST(experts_keep_congestion)
{
    struct pattern_options options = {
        .mesh = {16, 16}, .degree = 2, .congestion = 300, .per_node = 4, .seed = 1};
    struct message_set set = make("moe", &options);
    ck_assert_uint_eq(message_set_congestion(&set), 300);
    message_set_free(&set);
}
END_TEST

/* ---- populations ---- */

/* Chances of 0 and 1: senders and destinations are certain. Three neurons of A and three of B, two
 * per node; A sends to all of B, B to nobody in B and to all of A. */
START_TEST(populations_certain)
{
    uint32_t size[] = {3, 3};
    double chance[] = {0, 1, 1, 0};
    struct population_table table = {.count = 2, .neurons = 6, .size = size, .chance = chance};
    struct pattern_options options = {.mesh = {2, 2}, .per_node = 2, .populations = &table};
    assert_text("populations", &options,
                "mcast 2 mesh 2 2\n0 1 2\n0 1 2\n1 1 2\n1 0 1\n2 0 1\n2 0 1\nend 6\n");
    options.per_node = 6;
    assert_text("populations", &options, "mcast 2 mesh 2 2\n0 0\n0 0\n0 0\n0 0\n0 0\n0 0\nend 6\n");
    chance[1] = chance[2] = 0;
    assert_text("populations", &options, "mcast 1 2 2\n");
    options.per_node = 1;
    struct message_set set;
    struct failure failure = {0};
    ck_assert_int_eq(pattern_generate(pattern_find("populations"), &options, &set, &failure),
                     FAIL_USAGE);
    ck_assert_str_eq(failure.text, "6 neurons, 1 per node, need 6 nodes, not 4: take a larger mesh "
                                   "or --per-node");
}
END_TEST

/* The share of neurons and nodes that are connected is 1 - (1 - p)^k; half of the neurons are
 * silent. */
START_TEST(populations_by_chance)
{
    uint32_t size[] = {800, 400};
    double chance[] = {0.01, 0.1, 0.002, 0.3}; /* [to][from] */
    struct population_table table = {.count = 2, .neurons = 1200, .size = size, .chance = chance};
    struct pattern_options options = {
        .mesh = {11, 11}, .per_node = 10, .active = 0.5, .seed = 4, .populations = &table};
    struct message_set set = make("populations", &options);
    double found[2][2] = {{0, 0}, {0, 0}}; /* [to][from] */
    for (uint32_t i = 0; i < set.messages; i++)
        for (uint64_t d = set.offset[i]; d < set.offset[i + 1]; d++) {
            ck_assert_uint_lt(set.destination[d], 120);
            found[set.destination[d] >= 80][set.source[i] >= 80]++;
        }
    for (int to = 0; to < 2; to++)
        for (int from = 0; from < 2; from++) {
            double hit = 1 - pow(1 - chance[2 * to + from], 10);
            double pairs = (double)size[from] * size[to] / 10, share = hit / 2;
            /* the draws of one neuron hang together by its being active */
            double deviation = sqrt(pairs * share * (1 - share)) +
                               (double)size[to] / 10 * hit * sqrt(size[from] / 4.0);
            ck_assert_double_le(fabs(found[to][from] - pairs * share), 5 * deviation);
        }
    message_set_free(&set);
}
END_TEST

/* The microcircuit of doc/ is the paper's: 77169 neurons, eight populations. */
START_TEST(microcircuit)
{
    struct population_table table;
    struct failure failure = {0};
    ck_assert_msg(population_table_read(&table, source_of("doc/microcircuit.txt", NULL),
                                        &failure) == FAIL_NONE,
                  "%s", failure.text);
    ck_assert_uint_eq(table.count, 8);
    ck_assert_uint_eq(table.neurons, 77169);
    ck_assert_uint_eq(table.size[5], 1065);
    ck_assert_double_eq(table.chance[4 * 8 + 5], 0.3726);
    ck_assert_double_eq(table.chance[6 * 8 + 7], 0.2252);
    population_table_free(&table);
}
END_TEST

/* ---- files ---- */

/* Every file of test/bad_gen/table.txt is refused at its line with its message. */
START_TEST(bad_files)
{
    FILE *table = fopen("test/bad_gen/table.txt", "r");
    ck_assert_ptr_nonnull(table);
    char row[512], name[128], path[256], begin[320];
    unsigned line, cases = 0;
    while (fgets(row, sizeof row, table) != NULL) {
        int fragment = 0;
        row[strcspn(row, "\n")] = '\0';
        if (row[0] == '#')
            continue;
        ck_assert_int_eq(sscanf(row, "%127s %u %n", name, &line, &fragment), 2);
        snprintf(path, sizeof path, "test/bad_gen/%s", name);
        snprintf(begin, sizeof begin, "%s:%u: expected ", path, line);
        struct population_table populations;
        struct expert_load load = {0};
        struct failure failure = {0};
        enum failure_kind kind =
            strstr(name, ".counts") != NULL
                ? expert_counts_read(&load, source_of(path, NULL), 2, &failure)
                : population_table_read(&populations, source_of(path, NULL), &failure);
        ck_assert_msg(kind == FAIL_INPUT, "%s: %d", path, (int)kind);
        ck_assert_msg(strncmp(failure.text, begin, strlen(begin)) == 0, "%s: want %s", failure.text,
                      begin);
        ck_assert_msg(strstr(failure.text, row + fragment) != NULL, "%s: want %s", failure.text,
                      row + fragment);
        ck_assert_ptr_null(load.count);
        cases++;
    }
    fclose(table);
    ck_assert_uint_ge(cases, 20);
}
END_TEST

/* The counts of DeepSeek-V3: 58 layers of 256 experts. */
START_TEST(known_counts)
{
    struct expert_load load = {0};
    struct failure failure = {0};
    ck_assert_int_eq(
        expert_counts_read(&load, source_of("test/data/deepseek-v3.counts", NULL), 1, &failure),
        FAIL_NONE);
    ck_assert_uint_eq(load.experts, 256);
    ck_assert_uint_eq(load.count[0], 11137);
    free(load.count);
    ck_assert_int_eq(
        expert_counts_read(&load, source_of("test/data/deepseek-v3.counts", NULL), 58, &failure),
        FAIL_NONE);
    ck_assert_uint_eq(load.experts, 256);
    free(load.count);
    ck_assert_int_eq(
        expert_counts_read(&load, source_of("test/data/deepseek-v3.counts", NULL), 59, &failure),
        FAIL_INPUT);
}
END_TEST

/* Good ones: comments, blank lines, a line chosen. */
START_TEST(good_files)
{
    static const char text[] = "# a b\nA 2 .5\t1\n\n% c\nb/e-1 1 0 0.25\r\n",
                      counts[] = "# c\n1 2 3\n\n4\t5 0 4294967295\n6\n";
    struct population_table table;
    struct expert_load load = {0};
    struct failure failure = {0};
    ck_assert_int_eq(population_table_read(&table, source_of(NULL, text), &failure), FAIL_NONE);
    ck_assert_uint_eq(table.neurons, 3);
    ck_assert_double_eq(table.chance[0], 0.5);
    ck_assert_double_eq(table.chance[1], 1);
    ck_assert_double_eq(table.chance[3], 0.25);
    population_table_free(&table);
    ck_assert_int_eq(expert_counts_read(&load, source_of(NULL, counts), 2, &failure), FAIL_NONE);
    ck_assert_uint_eq(load.experts, 4);
    ck_assert_uint_eq(load.count[3], UINT32_MAX);
    free(load.count);
}
END_TEST

void pattern_workloads_suite(TCase *tests)
{
    tcase_add_test(tests, experts_by_counts);
    tcase_add_loop_test(tests, experts_by_rank, 0, 3);
    tcase_add_test(tests, experts_share_nodes);
    tcase_add_test(tests, experts_keep_congestion);
    tcase_add_test(tests, populations_certain);
    tcase_add_test(tests, populations_by_chance);
    tcase_add_test(tests, microcircuit);
    tcase_add_test(tests, bad_files);
    tcase_add_test(tests, known_counts);
    tcase_add_test(tests, good_files);
}
