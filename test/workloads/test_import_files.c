/* test_import_files.c - import of files: known matrices, and malformed ones by table.
 *
 * test/bad_matrix/table.txt says what each malformed file must get, test/data/SOURCES.md where the
 * known ones come from.
 */
#include "test/workloads/import_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Suite *import_files_suite(void);

/* Imports a file that must be good. */
static struct message_set import_good(const char *path, const struct import_options *options,
                                      struct import_summary *summary)
{
    struct message_set set;
    struct failure failure = {0};
    enum failure_kind kind = import_matrix(path, options, &set, summary, &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
    return set;
}

/* Imports a file, or a path of three vertices by the partition that the file is (.part), or two tokens on 2 x 2 nodes by
 * the nodes of experts that it has (.experts). */
static enum failure_kind import_named(const char *path, struct message_set *set,
                                      struct failure *failure)
{
    static const char graph[] = "3 2\n2\n1 3\n2\n";
    static const char routes[] = "{\"topk_ids\":[1]}\n{\"topk_ids\":[0]}\n";
    struct import_options options = {.seed = 0};
    const char *end = strrchr(path, '.');
    if (end != NULL && strcmp(end, ".experts") == 0) {
        options.place = path;
        options.shape = shape_of_mesh((struct mesh){2, 2});
        return import_memory(routes, strlen(routes), "a.jsonl", &options, set, NULL, failure);
    }
    if (end == NULL || strcmp(end, ".part") != 0)
        return import_matrix(path, &options, set, NULL, failure);
    options.part = path;
    return import_memory(graph, strlen(graph), "a.graph", &options, set, NULL, failure);
}

/* Imports a file that must be refused: "PATH:LINE: ... FRAGMENT ...", one printable line. */
static void assert_refused(const char *path, unsigned line, const char *fragment)
{
    struct message_set set;
    struct failure failure = {0};
    char begin[320];
    snprintf(begin, sizeof begin, "%s:%u: expected ", path, line);
    enum failure_kind kind = import_named(path, &set, &failure);
    ck_assert_msg(kind == FAIL_INPUT, "%s: %d", path, (int)kind);
    ck_assert_msg(strncmp(failure.text, begin, strlen(begin)) == 0, "%s: want %s", failure.text,
                  begin);
    ck_assert_msg(strstr(failure.text, fragment) != NULL, "%s: want %s", failure.text, fragment);
    for (const char *c = failure.text; *c != '\0'; c++)
        ck_assert(*c >= ' ' && *c <= '~');
    ck_assert(set.source == NULL && set.offset == NULL && set.destination == NULL);
}

static const struct known {
    const char *name;
    uint64_t rows, cols, nonzeros;
    uint32_t degree, congestion, empty_columns;
} KNOWN[] = {
    {"west0479.mtx", 479, 479, 1910, 35, 12, 0},
    {"1138_bus.mtx", 1138, 1138, 4054, 17, 17, 0},
    {"bcsstk09.mtx", 1083, 1083, 18437, 22, 22, 0},
    {"delaunay_n10.mtx", 1024, 1024, 6112, 12, 12, 0},
    {"G8.mtx", 800, 800, 38352, 69, 69, 0},
    {"lp_e226.mtx", 223, 472, 2768, 21, 110, 0},
    {"plskz362.mtx", 362, 362, 1760, 6, 6, 0},
    {"adder_dcop_05.mtx", 1813, 1813, 11097, 1331, 1309, 0},
    {"p2p-Gnutella08.txt", 6301, 6301, 20777, 48, 91, 3836},
    {"matrix_in.rb", 5, 5, 12, 3, 3, 0},
    {"tiny_05.rb", 5, 5, 11, 2, 2, 0},
    {"hamming6-4.edgelist", 64, 64, 1408, 22, 22, 0},
    {"spaceseparated_weighted.edgelist", 3, 3, 3, 2, 2, 1},
    {"foodweb-baydry.konect", 128, 128, 2137, 63, 110, 2},
    {"jazz2double.graph", 5, 5, 12, 4, 4, 0},
    {"graph_empty_lines.graph", 15, 15, 6, 2, 2, 12},
    {"alphabet.edgelist", 5, 5, 4, 2, 1, 2},
    {"matrix_coordinate_real_general.mtx.bz2", 3, 3, 3, 0, 0, 0},
    {"comments_west0067.mtx", 67, 67, 295, 10, 6, 0},
    {"matrix_coordinate_real_skew-symmetric.mtx", 3, 3, 5, 2, 2, 0},
    {"permissive_banner_leading_spaces_eye3.mtx", 3, 3, 3, 0, 0, 0},
    {"permissive_banner_one_percent_eye3.mtx", 3, 3, 3, 0, 0, 0},
    {"umlaut.zip", 2, 2, 1, 1, 1, 1},
};

/* Each known matrix, under each map, has the sizes of its description, and degree and congestion
 * without the diagonal. */
START_TEST(test_known)
{
    const struct known *known = &KNOWN[_i];
    char path[128];
    snprintf(path, sizeof path, "test/data/%s", known->name);
    for (int map = IMPORT_ROW; map <= IMPORT_RANDOM; map++) {
        struct import_options options = {.map = (enum import_map)map, .seed = 5};
        struct import_summary summary;
        struct message_set set = import_good(path, &options, &summary);
        ck_assert_uint_eq(summary.rows, known->rows);
        ck_assert_uint_eq(summary.cols, known->cols);
        ck_assert_uint_eq(summary.nonzeros, known->nonzeros);
        ck_assert_uint_eq(set.deliveries, known->nonzeros);
        ck_assert_uint_eq(set.messages, known->cols - known->empty_columns);
        ck_assert_uint_eq(message_set_degree(&set), known->degree);
        ck_assert_uint_eq(message_set_congestion(&set), known->congestion);
        message_set_free(&set);
    }
}
END_TEST

/* A file with CRLF line ends is good. */
START_TEST(test_crlf_is_valid)
{
    struct import_options options = {.seed = 0};
    struct message_set set = import_good("test/data/crlf.mtx", &options, NULL);
    ck_assert_uint_eq(set.deliveries, 8);
    ck_assert_uint_eq(message_set_degree(&set), 2);
    ck_assert_uint_eq(message_set_congestion(&set), 1);
    message_set_free(&set);
}
END_TEST

/* Every file of test/bad_matrix/table.txt is refused at its line with its message. */
START_TEST(test_bad_table)
{
    FILE *table = fopen("test/bad_matrix/table.txt", "r");
    ck_assert_ptr_nonnull(table);
    char row[512], name[128], path[256];
    unsigned line, cases = 0;
    while (fgets(row, sizeof row, table) != NULL) {
        int fragment = 0;
        row[strcspn(row, "\n")] = '\0';
        if (row[0] == '#')
            continue;
        ck_assert_int_eq(sscanf(row, "%127s %u %n", name, &line, &fragment), 2);
        snprintf(path, sizeof path, "test/bad_matrix/%s", name);
        assert_refused(path, line, row + fragment);
        cases++;
    }
    fclose(table);
    ck_assert_uint_ge(cases, 190);
}
END_TEST

/* A declared size allocates nothing: the largest matrix that a mesh can own, refused for its
 * entries, costs no more than its own few bytes. */
START_TEST(test_declared_size)
{
    const char *text = "%%MatrixMarket matrix coordinate real general\n"
                       "67108864 67108864 9223372036854775807\n1 1 1\n";
    struct import_options options = {.seed = 0};
    struct message_set set;
    struct failure failure = {0};
    ck_assert_int_eq(import_memory(text, strlen(text), "a.mtx", &options, &set, NULL, &failure),
                     FAIL_INPUT);
    ck_assert_str_eq(failure.text, "a.mtx:3: expected the 9223372036854775807 entries declared, "
                                   "found the end of the file after 1 entries");
}
END_TEST

/* A path too long for the message keeps its end, the line and what was expected. */
START_TEST(test_long_name)
{
    char name[1000];
    memset(name, 'x', sizeof name);
    memcpy(name + sizeof name - 7, "/a.mtx", 7);
    struct import_options options = {.seed = 0};
    struct message_set set;
    struct failure failure = {0};
    ck_assert_int_eq(import_memory("junk", 4, name, &options, &set, NULL, &failure), FAIL_INPUT);
    ck_assert(strncmp(failure.text, "...x", 4) == 0);
    ck_assert_ptr_nonnull(
        strstr(failure.text, "x/a.mtx:1: expected the banner %%MatrixMarket, found 'junk'"));
}
END_TEST

/* "-" reads standard input, here a pipe. */
START_TEST(test_standard_input)
{
    const char *text = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n";
    int pipe_end[2], kept = dup(STDIN_FILENO);
    ck_assert_int_eq(pipe(pipe_end), 0);
    ck_assert_int_eq(write(pipe_end[1], text, strlen(text)), (int)strlen(text));
    close(pipe_end[1]);
    ck_assert_int_eq(dup2(pipe_end[0], STDIN_FILENO), STDIN_FILENO);
    struct import_options options = {.seed = 0};
    struct message_set set = import_good("-", &options, NULL);
    ck_assert_int_eq(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    close(pipe_end[0]);
    close(kept);
    ck_assert_uint_eq(set.messages, 1);
    ck_assert_uint_eq(set.destination[0], 1);
    message_set_free(&set);
}
END_TEST

/* What cannot be opened or read is the system's failure and names the path. */
START_TEST(test_system_failures)
{
    static const char *const PATH[] = {"/nonexistent/a.mtx", "/tmp"};
    for (size_t i = 0; i < 2; i++) {
        struct import_options options = {.seed = 0};
        struct message_set set;
        struct failure failure = {0};
        ck_assert_int_eq(import_matrix(PATH[i], &options, &set, NULL, &failure), FAIL_SYSTEM);
        ck_assert_ptr_nonnull(strstr(failure.text, PATH[i]));
        ck_assert_ptr_null(set.source);
    }
}
END_TEST

Suite *import_files_suite(void)
{
    Suite *suite = suite_create("import_files");
    TCase *test = tcase_create("files");
    tcase_add_loop_test(test, test_known, 0, (int)(sizeof KNOWN / sizeof *KNOWN));
    tcase_add_test(test, test_crlf_is_valid);
    tcase_add_test(test, test_bad_table);
    tcase_add_test(test, test_declared_size);
    tcase_add_test(test, test_long_name);
    tcase_add_test(test, test_standard_input);
    tcase_add_test(test, test_system_failures);
    suite_add_tcase(suite, test);
    return suite;
}
