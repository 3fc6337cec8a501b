/* test_volume.c - weights, bytes and packing: the lengths of imported messages.
 *
 * The oracle keeps the weight of each column and row in a table, and the messages of a set in a
 * list that is searched from its beginning for each new one. It counts flits one by one. It shares
 * neither sort nor arithmetic with the tested code.
 */
#include "base/pcg.h"
#include "test/workloads/import_case.h"

#include <check.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 1 << 16, MOST_ITEMS = 12, MOST_WEIGHT = 5, MOST_NODES = 16, MOST_SENT = 2048 };
enum kind { EDGES, MATRIX, SYMMETRIC, GRAPH_EDGES, GRAPH_SIZES, HYPERGRAPH, MEMORY, KINDS };

static const char *const names[KINDS] = {"a.txt",   "a.mtx", "a.mtx", "a.graph",
                                         "a.graph", "a.hgr", ""};

/* A file, and its entries once more: weight[column][row], 0 where there is none. */
struct file {
    enum kind kind;
    char text[TEXT_SIZE];
    size_t length;
    uint32_t items, cols, sender[MOST_ITEMS];
    uint32_t weight[MOST_ITEMS][MOST_ITEMS];
    uint32_t entries, row[512], col[512], entry_weight[512];
};

static void append(struct file *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    file->length +=
        (size_t)vsnprintf(file->text + file->length, TEXT_SIZE - file->length, format, arguments);
    va_end(arguments);
    ck_assert_uint_lt(file->length, TEXT_SIZE);
}

static void add_entry(struct file *file, uint32_t col, uint32_t row, uint32_t weight)
{
    file->weight[col][row] += weight;
    file->col[file->entries] = col;
    file->row[file->entries] = row;
    file->entry_weight[file->entries++] = weight;
}

static uint32_t draw_weight(struct pcg32 *random)
{
    return 1 + pcg32_below(random, MOST_WEIGHT);
}

/* Edges, and a loop at the last vertex, so that ids are 0 .. items - 1; some come again. */
static void make_edges(struct file *file, struct pcg32 *random)
{
    uint32_t last = file->items - 1;
    for (uint32_t v = 0; v < file->items; v++) {
        uint32_t weight = draw_weight(random);
        add_entry(file, v, last, weight);
        append(file, "%" PRIu32 " %" PRIu32 " %" PRIu32 " more\n", v, last, weight);
    }
    for (uint32_t i = 0; i < 3 * file->items; i++) {
        uint32_t from = pcg32_below(random, file->items), to = pcg32_below(random, file->items);
        uint32_t weight = draw_weight(random);
        add_entry(file, from, to, weight);
        append(file, "%" PRIu32 " %" PRIu32 " %" PRIu32 "\n", from, to, weight);
    }
}

static void make_matrix(struct file *file, struct pcg32 *random)
{
    bool is_symmetric = file->kind == SYMMETRIC;
    append(file, "%%%%MatrixMarket matrix coordinate %s %s\n", is_symmetric ? "real" : "integer",
           is_symmetric ? "symmetric" : "general");
    append(file, "%" PRIu32 " %" PRIu32 " %" PRIu32 "\n", file->items, file->items,
           4 * file->items);
    for (uint32_t i = 0; i < 4 * file->items; i++) {
        uint32_t row = pcg32_below(random, file->items), col = pcg32_below(random, file->items);
        uint32_t weight = draw_weight(random);
        append(file, "%" PRIu32 " %" PRIu32 " %" PRIu32 "\n", row + 1, col + 1, weight);
        add_entry(file, col, row, weight);
        if (is_symmetric && row != col)
            add_entry(file, row, col, weight);
    }
}

static void make_graph(struct file *file, struct pcg32 *random)
{
    uint32_t between[MOST_ITEMS][MOST_ITEMS] = {{0}}, edges = 0;
    for (uint32_t u = 0; u < file->items; u++)
        for (uint32_t v = 0; v < u; v++)
            if (pcg32_below(random, 2) == 0) {
                between[u][v] = between[v][u] = draw_weight(random);
                edges++;
            }
    append(file, "%" PRIu32 " %" PRIu32 " %s\n", file->items, edges,
           file->kind == GRAPH_SIZES ? "111" : "011");
    for (uint32_t u = 0; u < file->items; u++) {
        uint32_t size = draw_weight(random);
        if (file->kind == GRAPH_SIZES)
            append(file, "%" PRIu32 " ", size);
        append(file, "9");
        for (uint32_t v = 0; v < file->items; v++)
            if (between[u][v] > 0) {
                append(file, " %" PRIu32 " %" PRIu32, v + 1, between[u][v]);
                add_entry(file, u, v, file->kind == GRAPH_SIZES ? size : between[u][v]);
            }
        append(file, "\n");
    }
}

static void make_hypergraph(struct file *file, struct pcg32 *random)
{
    file->cols = 1 + pcg32_below(random, MOST_ITEMS);
    append(file, "%" PRIu32 " %" PRIu32 " 11\n", file->cols, file->items);
    for (uint32_t net = 0; net < file->cols; net++) {
        uint32_t weight = draw_weight(random);
        file->sender[net] = pcg32_below(random, file->items);
        append(file, "%" PRIu32 " %" PRIu32, weight, file->sender[net] + 1);
        for (uint32_t v = 0; v < file->items; v++)
            if (pcg32_below(random, 3) == 0) {
                append(file, " %" PRIu32, v + 1);
                add_entry(file, net, v, weight);
            }
        append(file, "\n");
    }
    for (uint32_t v = 0; v < file->items; v++)
        append(file, "7\n");
}

static void make_file(struct file *file, enum kind kind, struct pcg32 *random)
{
    memset(file, 0, sizeof *file);
    file->kind = kind;
    file->items = file->cols = 2 + pcg32_below(random, MOST_ITEMS - 1);
    for (uint32_t i = 0; i < MOST_ITEMS; i++)
        file->sender[i] = i;
    if (kind == EDGES)
        make_edges(file, random);
    else if (kind == MATRIX || kind == SYMMETRIC || kind == MEMORY)
        make_matrix(file, random);
    else if (kind == HYPERGRAPH)
        make_hypergraph(file, random);
    else
        make_graph(file, random);
}

/* ---- the oracle ---- */

struct sent {
    uint32_t source;
    uint64_t volume;
    bool to[MOST_NODES];
};

static struct sent sent[MOST_SENT];
static uint32_t sent_count;

/* Adds a message; one that is packed with another one adds its volume. */
static void send(const struct sent *message, enum volume_pack pack)
{
    for (uint32_t i = 0; pack != PACK_NONE && i < sent_count; i++)
        if (sent[i].source == message->source &&
            memcmp(sent[i].to, message->to, sizeof message->to) == 0) {
            sent[i].volume += message->volume;
            return;
        }
    ck_assert_uint_lt(sent_count, MOST_SENT);
    sent[sent_count++] = *message;
}

/* Sends one message, or with PACK_PAIRS one to each of its destinations. */
static void send_packed(const struct sent *message, enum volume_pack pack)
{
    struct sent one = {message->source, message->volume, {false}};
    if (pack != PACK_PAIRS)
        send(message, pack);
    for (uint32_t v = 0; pack == PACK_PAIRS && v < MOST_NODES; v++)
        if (message->to[v]) {
            memset(one.to, 0, sizeof one.to);
            one.to[v] = true;
            send(&one, pack);
        }
}

/* The messages of a column: one of each weight, or all if they are of `bytes` bytes, or of a
 * flit. */
static void send_column(const struct file *file, uint32_t col, const struct import_options *options,
                        uint32_t per_node)
{
    bool is_weighted = options->volume.weights != WEIGHTS_IGNORED;
    uint32_t most = is_weighted ? MOST_WEIGHT * 512 : 1;
    for (uint32_t weight = 1; weight <= most; weight++) {
        struct sent message = {file->sender[col] / per_node, weight, {false}};
        bool is_sent = false;
        for (uint32_t row = 0; row < file->items; row++) {
            if (file->weight[col][row] == 0 || (is_weighted && file->weight[col][row] != weight) ||
                (options->drop_diagonal && row == file->sender[col]))
                continue;
            message.to[row / per_node] = is_sent = true;
        }
        if (options->volume.bytes > 0)
            message.volume = options->volume.bytes;
        if (is_sent)
            send_packed(&message, options->volume.pack);
    }
}

static uint64_t count_flits(uint64_t bytes, uint32_t flit_bytes)
{
    uint64_t flits = 1;
    for (uint64_t carried = 0; carried < bytes; carried += flit_bytes)
        flits++;
    return flits;
}

/* Every message of the set is one of the oracle, which has no other ones. With PACK_PAIRS they
 * ascend. */
static void compare(const struct message_set *set, const struct import_options *options)
{
    static bool is_found[MOST_SENT];
    memset(is_found, 0, sizeof is_found);
    ck_assert_uint_eq(set->messages, sent_count);
    for (uint32_t i = 0; i < set->messages; i++) {
        bool to[MOST_NODES] = {false};
        uint32_t m = 0;
        for (uint64_t d = set->offset[i]; d < set->offset[i + 1]; d++)
            to[set->destination[d]] = true;
        for (; m < sent_count; m++) {
            uint64_t flits = sent[m].volume;
            if (options->volume.flit_bytes > 0)
                flits = count_flits(flits, options->volume.flit_bytes);
            if (!is_found[m] && sent[m].source == set->source[i] &&
                memcmp(sent[m].to, to, sizeof to) == 0 &&
                flits == (set->length != NULL ? set->length[i] : 1))
                break;
        }
        ck_assert_uint_lt(m, sent_count);
        is_found[m] = true;
        if (i > 0)
            ck_assert_uint_le(set->source[i - 1], set->source[i]);
    }
}

static enum failure_kind import_file(const struct file *file, const struct import_options *options,
                                     struct message_set *set, struct failure *failure)
{
    struct import_entries entries = {file->items, file->items, file->entries,
                                     file->row,   file->col,   file->entry_weight};
    if (file->kind == MEMORY)
        return import_entries(&entries, options, set, failure);
    return import_memory(file->text, file->length, names[file->kind], options, set, NULL, failure);
}

/* ---- the tests ---- */

/* Random files of each format: messages and their lengths are those of the oracle, with any
 * packing. */
START_TEST(random_files)
{
    static struct file file;
    for (uint32_t number = 0; number < 360; number++) {
        struct pcg32 random = pcg32_seed(number, (uint64_t)_i);
        struct import_options options = {.shape = shape_of_mesh((struct mesh){4, 4})};
        struct message_set set;
        struct failure failure = {0};
        uint32_t per_node = 1 + pcg32_below(&random, 4), unit = number % 4;
        make_file(&file, (enum kind)_i, &random);
        options.per_node = per_node;
        options.drop_diagonal = number / 12 % 2 == 1;
        options.volume.pack = number / 4 % 3;
        options.volume.weights = unit == 0   ? WEIGHTS_FLITS
                                 : unit == 1 ? WEIGHTS_BYTES
                                             : WEIGHTS_IGNORED;
        if (unit == 2)
            options.volume.bytes = 1 + pcg32_below(&random, 200);
        if (unit == 1 || unit == 2)
            options.volume.flit_bytes = 1 + pcg32_below(&random, 16);
        sent_count = 0;
        for (uint32_t col = 0; col < file.cols; col++)
            send_column(&file, col, &options, per_node);
        ck_assert_msg(import_file(&file, &options, &set, &failure) == FAIL_NONE, "%s in\n%s",
                      failure.text, file.text);
        compare(&set, &options);
        message_set_free(&set);
    }
}
END_TEST

/* A weight that is no positive integer, or none where one is asked for, is refused with its
 * line. */
START_TEST(wrong_weights)
{
    static const struct {
        const char *text, *name, *expected;
    } cases[] = {
        {"0 1 3\n0 2\n", "a.txt", "a.txt:2: expected a weight, an integer from 1 to 16777216"},
        {"0 1 0\n", "a.txt", "a.txt:1: expected a weight"},
        {"0 1 -2\n", "a.txt", "found '-2'"},
        {"0 1 1.5\n", "a.txt", "found '1.5'"},
        {"0 1 16777217\n", "a.txt", "to 16777216, found '16777217'"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 0.25\n", "a.mtx",
         "a.mtx:3: expected a weight"},
        {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", "a.mtx",
         "a.mtx:3: expected a weight"},
        {"1 2 1\n0 1 2\n", "a.hgr", "a.hgr:2: expected a weight from 1"},
        {"1 2\n1 2\n", "a.hgr", "a.hgr: expected weights, as --weights says, found none"},
        {"1 2 10\n1 2\n5\n5\n", "a.hgr", "expected weights"},
        {"2 1\n2\n1\n", "a.graph", "expected weights"},
        {"2 1 1\n2 0\n1 0\n", "a.graph", "a.graph:2: expected a weight from 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct import_options options = {.volume = {.weights = WEIGHTS_FLITS}};
        struct message_set set;
        struct failure failure = {0};
        ck_assert_msg(import_memory(cases[i].text, strlen(cases[i].text), cases[i].name, &options,
                                    &set, NULL, &failure) == FAIL_INPUT,
                      "case %zu", i);
        ck_assert_msg(strstr(failure.text, cases[i].expected) != NULL, "%s", failure.text);
    }
}
END_TEST

/* Lengths above the most, and sums above it, are refused. */
START_TEST(limits)
{
    static const struct {
        struct volume_options volume;
        const char *text;
        enum failure_kind kind;
    } cases[] = {
        {{.bytes = 4294967295, .flit_bytes = 256}, "0 1\n", FAIL_USAGE},
        {{.bytes = 4294967041, .flit_bytes = 256}, "0 1\n", FAIL_USAGE},
        {{.bytes = 4294967040, .flit_bytes = 256}, "0 1\n", FAIL_NONE},
        {{.weights = WEIGHTS_FLITS}, "0 1 16777216\n", FAIL_NONE},
        {{.weights = WEIGHTS_FLITS}, "0 1 7\n1 0 1\n0 1 16777215\n", FAIL_USAGE},
        {{.weights = WEIGHTS_BYTES, .flit_bytes = 4096},
         "0 1 7\n1 0 1\n0 1 4294967295\n",
         FAIL_INPUT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct import_options options = {.volume = cases[i].volume};
        struct message_set set;
        struct failure failure = {0};
        enum failure_kind kind = import_memory(cases[i].text, strlen(cases[i].text), "a.txt",
                                               &options, &set, NULL, &failure);
        ck_assert_msg(kind == cases[i].kind, "case %zu: %d, %s", i, kind, failure.text);
        message_set_free(&set);
    }
}
END_TEST

void volume_suite(TCase *tests)
{
    tcase_add_loop_test(tests, random_files, 0, KINDS);
    tcase_add_test(tests, wrong_weights);
    tcase_add_test(tests, limits);
}
