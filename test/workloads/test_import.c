/* test_import.c - the message set of a matrix, from text made here.
 * The oracle reads it with sscanf into a dense matrix and walks that.
 */
#include "test/random.h"
#include "test/temporary.h"
#include "test/workloads/import_report.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { TEXT_SIZE = 1 << 16, MOST_INDICES = 24 };

static const char *const FIELD[] = {"real", "integer", "complex", "pattern"};
static const char *const SYMMETRY[] = {"general", "symmetric", "skew-symmetric", "hermitian"};

struct text {
    char bytes[TEXT_SIZE];
    size_t length;
};

static void append(struct text *text, const char *more)
{
    size_t length = strlen(more);
    ck_assert_uint_lt(text->length + length, TEXT_SIZE);
    memcpy(text->bytes + text->length, more, length + 1);
    text->length += length;
}

static void import_ok(struct import_report *report, const void *bytes, size_t length,
                      const char *name, const char *options)
{
    import_bytes(report, bytes, length, name, options);
    ck_assert_msg(report->status == MESHCAST_OK, "%s", report->error.text);
}

static void assert_same_set(const struct plain_set *a, const struct plain_set *b)
{
    ck_assert_uint_eq(a->mesh.rows, b->mesh.rows);
    ck_assert_uint_eq(a->mesh.cols, b->mesh.cols);
    ck_assert_uint_eq(a->messages, b->messages);
    ck_assert_uint_eq(a->deliveries, b->deliveries);
    ck_assert(memcmp(a->source, b->source, a->messages * sizeof *a->source) == 0);
    ck_assert(memcmp(a->offset, b->offset, (a->messages + 1) * sizeof *a->offset) == 0);
    ck_assert(memcmp(a->destination, b->destination, a->deliveries * sizeof *a->destination) == 0);
}

/* Imports a text, which must give these messages, entries and nonzeros. */
static void assert_import(const char *text, const char *name, const char *options,
                          const char *messages, uint64_t entries, uint64_t nonzeros)
{
    struct import_report report;
    import_ok(&report, text, strlen(text), name, options);
    ck_assert_str_eq(import_messages(&report.set), messages);
    ck_assert_uint_eq(report.entries, entries);
    ck_assert_uint_eq(report.nonzeros, nonzeros);
    import_report_free(&report);
}

/* Returns a random value in one of the forms that the field allows. */
static const char *random_value(uint64_t *random, unsigned field)
{
    static const char *const REAL[] = {" 1", " -2.5", " .5", " 7.", " +1e-300", " 0", " 3D+02"};
    static const char *const INTEGER[] = {" 1", " -2", " +33333333333333333333333", " 0"};
    static const char *const COMPLEX[] = {" 1 2", "\t-2.5 0", " .5   1e9", " 0 0"};
    switch (field) {
    case 0:
        return REAL[test_random_below(random, 7)];
    case 1:
        return INTEGER[test_random_below(random, 4)];
    case 2:
        return COMPLEX[test_random_below(random, 4)];
    default:
        return "";
    }
}

static void append_entry(struct text *text, uint64_t *random, uint32_t row, uint32_t col,
                         unsigned field)
{
    static const char *const BETWEEN[] = {"", "\n", "% 1 1 comment\n", "  \t\n", "", "", "", ""};
    static const char *const END[] = {"\n", "\r\n", " \n", "\t \r\n"};
    char indices[64];
    append(text, BETWEEN[test_random_below(random, 8)]);
    snprintf(indices, sizeof indices, "%s%u %s%u", test_random_below(random, 4) == 0 ? "  " : "",
             row, test_random_below(random, 4) == 0 ? "00" : "", col);
    append(text, indices);
    append(text, random_value(random, field));
    append(text, END[test_random_below(random, 4)]);
}

/* Makes a random matrix file: entries in any order, some twice. */
static void make_matrix(struct text *text, uint64_t *random, unsigned field, unsigned symmetry)
{
    uint32_t rows = 1 + test_random_below(random, MOST_INDICES);
    uint32_t cols = symmetry == 0 ? 1 + test_random_below(random, MOST_INDICES) : rows;
    uint32_t entries = symmetry == 2 && rows == 1 ? 0 : test_random_below(random, 2 * rows + 1);
    char line[128];
    snprintf(line, sizeof line, "%%%%MatrixMarket Matrix COORDINATE %s %s\n%% c\n\n%u %u %u\n",
             FIELD[field], SYMMETRY[symmetry], rows, cols, entries);
    text->length = 0;
    append(text, line);
    for (uint32_t i = 0; i < entries; i++) {
        uint32_t row, col;
        do {
            row = 1 + test_random_below(random, rows);
            col = 1 + test_random_below(random, cols);
        } while (symmetry == 2 && row == col);
        append_entry(text, random, row, col, field);
    }
}

struct dense {
    unsigned rows, cols, indices;
    bool mirrored;
    bool at[MOST_INDICES][MOST_INDICES]; /* [row][column] */
};

/* Reads a matrix naively. */
static void read_dense(struct dense *dense, const struct text *text)
{
    *dense = (struct dense){.mirrored = strstr(text->bytes, "general\n") == NULL};
    bool sized = false;
    for (const char *line = text->bytes; *line != '\0'; line = strchr(line, '\n') + 1) {
        unsigned a, b;
        if (*line == '%' || sscanf(line, "%u %u", &a, &b) != 2 || line[0] == '\n')
            continue;
        if (strspn(line, " \t\r") == strcspn(line, "\n"))
            continue; /* blank: sscanf went on to the next line */
        if (!sized) {
            dense->rows = a;
            dense->cols = b;
            sized = true;
            continue;
        }
        dense->at[a - 1][b - 1] = true;
        dense->at[b - 1][a - 1] |= dense->mirrored;
    }
    dense->indices = dense->rows > dense->cols ? dense->rows : dense->cols;
}

/* Checks a set in row order against a dense matrix, entry by entry. */
static void assert_dense(const struct plain_set *set, const struct dense *dense, bool drop_diagonal)
{
    uint32_t side = set->mesh.cols, message = 0;
    ck_assert_uint_eq(set->mesh.rows, side);
    ck_assert(side * side >= dense->indices && (side - 1) * (side - 1) < dense->indices);
    uint64_t delivery = 0;
    for (unsigned col = 0; col < dense->cols; col++) {
        uint64_t first = delivery;
        for (unsigned row = 0; row < dense->rows; row++) {
            if (!dense->at[row][col] || (drop_diagonal && row == col))
                continue;
            ck_assert_uint_lt(delivery, set->deliveries);
            ck_assert_uint_eq(set->destination[delivery], row);
            delivery++;
        }
        if (delivery == first)
            continue;
        ck_assert_uint_lt(message, set->messages);
        ck_assert_uint_eq(set->source[message], col);
        ck_assert_uint_eq(set->offset[message], first);
        message++;
    }
    ck_assert_uint_eq(message, set->messages);
    ck_assert_uint_eq(delivery, set->deliveries);
    ck_assert_uint_eq(set->offset[message], delivery);
}

/* Random small matrices of every field and symmetry give the oracle's messages. */
START_TEST(test_oracle)
{
    uint64_t random = 7 + ((uint64_t)_i << 32);
    unsigned field = (unsigned)_i % 4, symmetry = (unsigned)_i / 4;
    struct text *text = malloc(sizeof *text);
    struct dense dense;
    for (int round = 0; round < 60; round++) {
        make_matrix(text, &random, field, symmetry);
        read_dense(&dense, text);
        bool drops = round % 3 == 0;
        struct import_report report;
        import_ok(&report, text->bytes, text->length, "oracle.mtx", drops ? "no-diagonal" : "");
        assert_dense(&report.set, &dense, drops);
        ck_assert_uint_eq(report.rows, dense.rows);
        ck_assert_uint_eq(report.cols, dense.cols);
        ck_assert_uint_eq(report.nonzeros, report.set.deliveries);
        import_report_free(&report);
    }
    free(text);
}
END_TEST

/* Symmetric entries are mirrored, the diagonal is there once, repeats and mirror images count once;
 * of edge lists ids are compacted in increasing order, here 0, 7, 40 and 2^63 - 1; matrices without
 * entries, and of which only the diagonal is dropped, are empty. */
START_TEST(test_by_hand)
{
    const char *symmetric = "%%MatrixMarket matrix coordinate pattern symmetric\n"
                            "3 3 5\n1 1\n2 1\n1 2\n2 1\n3 2\n";
    const char *edges = "# c\n9223372036854775807 40 x y\r\n40\t7 0.5\n% 1 1\n\n 7 7\n40 7\n0 40";
    assert_import(symmetric, "a.mtx", "", "0 0 1;1 0 2;2 1;", 5, 5);
    assert_import(symmetric, "a.mtx", "no-diagonal", "0 1;1 0 2;2 1;", 5, 4);
    assert_import(edges, "a.el", "", "0 2;1 1;2 1;3 2;", 5, 4);
    assert_import("%%MatrixMarket matrix coordinate real general\n5 2 0\n", "a.mtx", "", "", 0, 0);
    assert_import("%%MatrixMarket matrix coordinate real general\n5 5 1\n3 3 1", "a.mtx",
                  "no-diagonal", "", 1, 0);
    assert_import("%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 0", "a.mtx", "", "", 0,
                  0);
}
END_TEST

/* Many ids, in any order, are ranked: edge (id, id + step) becomes (rank, rank + 1). */
START_TEST(test_edge_list_ranks)
{
    enum { IDS = 5000 };
    const uint64_t step = UINT64_C(1844674407370955);
    char *bytes = malloc((size_t)IDS * 48);
    size_t length = 0;
    ck_assert_ptr_nonnull(bytes);
    for (unsigned i = 0; i < IDS - 1; i++) {
        uint64_t id = (uint64_t)(i * 1237u % (IDS - 1)) * step; /* 1237 is prime to IDS - 1 */
        length += (size_t)sprintf(bytes + length, "%llu %llu\n", (unsigned long long)id,
                                  (unsigned long long)(id + step));
    }
    struct import_report report;
    import_ok(&report, bytes, length, "a.txt", "");
    ck_assert_uint_eq(report.set.messages, IDS - 1);
    for (uint32_t i = 0; i < IDS - 1; i++) {
        ck_assert_uint_eq(report.set.source[i], i);
        ck_assert_uint_eq(report.set.destination[i], i + 1);
    }
    import_report_free(&report);
    free(bytes);
}
END_TEST

/* The banner decides the format for any name; without it the name does, gzip or not. */
START_TEST(test_format)
{
    const char *matrix = "%%matrixMARKET MATRIX Coordinate Pattern GENERAL\n2 2 1\n2 1\n";
    static const char *const NAME[] = {"a.mtx", "a.txt", "a.el", "a", "a.mtx.gz"};
    for (size_t i = 0; i < sizeof NAME / sizeof *NAME; i++)
        assert_import(matrix, NAME[i], "", "0 1;", 1, 1);
    static const char *const EDGES[] = {"a.txt", "b.el", "c.EL", "d.txt.gz", "e.el.gz"};
    for (size_t i = 0; i < sizeof EDGES / sizeof *EDGES; i++)
        assert_import("%%MatrixMarkets\n5 6\n", EDGES[i], "", "0 1;", 1, 1);
}
END_TEST

/* LF, CRLF and a missing last line end give the same set; so do lines across block borders. */
START_TEST(test_line_ends)
{
    enum { ENTRIES = 60000 };
    char *text[3];
    size_t length[3] = {0};
    for (int i = 0; i < 3; i++) {
        const char *end = i == 1 ? "\r\n" : "\n";
        text[i] = malloc(2000000);
        length[i] = (size_t)sprintf(
            text[i], "%%%%MatrixMarket matrix coordinate real general%s%%%065000d%s9000 9000 %d%s",
            end, 0, end, ENTRIES, end);
        for (unsigned e = 0; e < ENTRIES; e++)
            length[i] += (size_t)sprintf(text[i] + length[i], "%u %u %.*f%s", e * 7919u % 9000 + 1,
                                         e * 104729u % 8999 + 1, (int)(e % 13), e / 7.0, end);
    }
    length[2]--; /* no last line end */
    struct import_report report[3];
    for (int i = 0; i < 3; i++)
        import_ok(&report[i], text[i], length[i], "a.mtx", "");
    assert_same_set(&report[0].set, &report[1].set);
    assert_same_set(&report[0].set, &report[2].set);
    for (int i = 0; i < 3; i++) {
        import_report_free(&report[i]);
        free(text[i]);
    }
}
END_TEST

/* A gzip file of two members, padded with zeros, under any name, gives the plain file's set. */
START_TEST(test_gzip_file)
{
    const char *text =
        "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 3 1\n3 3 2\n";
    struct import_report plain, zipped;
    import_ok(&plain, text, strlen(text), "a.mtx", "");
    char folder[TEMPORARY_PATH], path[TEMPORARY_PATH + 8];
    temporary_folder(folder);
    snprintf(path, sizeof path, "%s/matrix", folder);
    for (int member = 0; member < 2; member++) {
        gzFile file = gzopen(path, member == 0 ? "wb" : "ab");
        unsigned length = member == 0 ? 50 : (unsigned)strlen(text) - 50;
        ck_assert_int_eq(gzwrite(file, text + 50 * member, length), (int)length);
        gzclose(file);
    }
    FILE *padded = fopen(path, "ab");
    for (int i = 0; i < 512; i++)
        putc(0, padded);
    fclose(padded);
    import_file(&zipped, path, "");
    ck_assert_msg(zipped.status == MESHCAST_OK, "%s", zipped.error.text);
    unlink(path);
    rmdir(folder);
    assert_same_set(&plain.set, &zipped.set);
    import_report_free(&plain);
    import_report_free(&zipped);
}
END_TEST

void import_suite(TCase *test)
{
    tcase_add_loop_test(test, test_oracle, 0, 16);
    tcase_add_test(test, test_by_hand);
    tcase_add_test(test, test_edge_list_ranks);
    tcase_add_test(test, test_format);
    tcase_add_test(test, test_line_ends);
    tcase_add_test(test, test_gzip_file);
}
