/* test_import_files.c - import of files: known matrices, and malformed ones by table.
 *
 * test/bad_matrix/table.txt has the refusal of each malformed file, test/data/SOURCES.md the origin
 * of the known ones.
 */
#include "test/library_case.h"
#include "test/workloads/import_report.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Imports a file, or a path of three vertices by the partition that the file is (.part), or two
 * tokens on 2 x 2 nodes by the nodes of experts that it has (.experts). */
static void import_named(struct import_report *report, const char *path)
{
    static const char graph[] = "3 2\n2\n1 3\n2\n";
    static const char routes[] = "{\"topk_ids\":[1]}\n{\"topk_ids\":[0]}\n";
    char options[300];
    const char *end = strrchr(path, '.');
    if (end != NULL && strcmp(end, ".experts") == 0) {
        snprintf(options, sizeof options, "side=2 place=%s", path);
        import_bytes(report, routes, strlen(routes), "a.jsonl", options);
    } else if (end != NULL && strcmp(end, ".part") == 0) {
        snprintf(options, sizeof options, "part=%s", path);
        import_bytes(report, graph, strlen(graph), "a.graph", options);
    } else {
        import_file(report, path, "");
    }
}

/* Imports a file that must be refused: "PATH:LINE: ... FRAGMENT ...", one printable line. */
static void assert_refused(const char *path, unsigned line, const char *fragment)
{
    struct import_report report;
    char begin[320];
    snprintf(begin, sizeof begin, "%s:%u: expected ", path, line);
    import_named(&report, path);
    const char *text = report.error.text;
    ck_assert_msg(report.status == MESHCAST_INPUT, "%s: %d", path, (int)report.status);
    ck_assert_msg(strncmp(text, begin, strlen(begin)) == 0, "%s: want %s", text, begin);
    ck_assert_msg(strstr(text, fragment) != NULL, "%s: want %s", text, fragment);
    for (const char *c = text; *c != '\0'; c++)
        ck_assert(*c >= ' ' && *c <= '~');
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
    {"crlf.mtx", 3, 3, 8, 2, 1, 0},
};

/* Each known matrix, under each map, has the sizes of its description, and degree and congestion
 * without the diagonal. */
START_TEST(test_known)
{
    const struct known *known = &KNOWN[_i];
    char path[128];
    snprintf(path, sizeof path, "test/data/%s", known->name);
    const char *map;
    for (uint32_t m = 0; (map = meshcast_command_value_at("import", "map", m)) != NULL; m++) {
        struct import_report report;
        char options[64];
        snprintf(options, sizeof options, "seed=5 map=%s", map);
        import_file(&report, path, options);
        ck_assert_msg(report.status == MESHCAST_OK, "%s", report.error.text);
        ck_assert_uint_eq(report.rows, known->rows);
        ck_assert_uint_eq(report.cols, known->cols);
        ck_assert_uint_eq(report.nonzeros, known->nonzeros);
        ck_assert_uint_eq(report.set.deliveries, known->nonzeros);
        ck_assert_uint_eq(report.set.messages, known->cols - known->empty_columns);
        ck_assert_uint_eq(report.set.degree, known->degree);
        ck_assert_uint_eq(report.set.congestion, known->congestion);
        import_report_free(&report);
    }
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
    struct import_report report;
    import_bytes(&report, text, strlen(text), "a.mtx", "");
    ck_assert_int_eq(report.status, MESHCAST_INPUT);
    ck_assert_ptr_nonnull(strstr(report.error.text,
                                 "a.mtx:3: expected the 9223372036854775807 entries declared, "
                                 "found the end of the file after 1 entries"));
}
END_TEST

/* "-" reads standard input, here a pipe. */
START_TEST(test_standard_input)
{
    const char *text = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n";
    struct import_report report;
    int pipe_end[2], kept = dup(STDIN_FILENO);
    ck_assert_int_eq(pipe(pipe_end), 0);
    ck_assert_int_eq(write(pipe_end[1], text, strlen(text)), (int)strlen(text));
    close(pipe_end[1]);
    ck_assert_int_eq(dup2(pipe_end[0], STDIN_FILENO), STDIN_FILENO);
    import_file(&report, "-", "");
    ck_assert_int_eq(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    close(pipe_end[0]);
    close(kept);
    ck_assert_str_eq(import_messages(&report.set), "0 1;");
    import_report_free(&report);
}
END_TEST

/* A file that cannot be opened or read is the system's failure, which names the path. */
START_TEST(test_system_failures)
{
    static const char *const PATH[] = {"/nonexistent/a.mtx", "/tmp"};
    for (size_t i = 0; i < 2; i++) {
        struct import_report report;
        import_file(&report, PATH[i], "");
        ck_assert_int_eq(report.status, MESHCAST_SYSTEM);
        ck_assert_ptr_nonnull(strstr(report.error.text, PATH[i]));
    }
}
END_TEST

void import_files_suite(TCase *test)
{
    tcase_add_loop_test(test, test_known, 0, (int)(sizeof KNOWN / sizeof *KNOWN));
    tcase_add_test(test, test_bad_table);
    tcase_add_test(test, test_declared_size);
    tcase_add_test(test, test_standard_input);
    tcase_add_test(test, test_system_failures);
}
