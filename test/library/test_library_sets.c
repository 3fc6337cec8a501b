/* test_library_sets.c - the public header: sets from pairs, files, patterns, matrices.
 *
 * Oracle: the inner functions, called beside the public ones, and what a set says message by message.
 */
#include "library/meshcast_own_router.h"
#include "library/meshcast_topology.h"
#include "routers/router.h"
#include "test/temporary.h"
#include "workloads/pattern.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

Suite *library_sets_suite(void);

static struct meshcast_set *make_set(const char *pattern, uint32_t rows, uint32_t cols)
{
    struct meshcast_error error = {0};
    struct meshcast_generate plan = {.pattern = pattern, .rows = rows, .cols = cols, .seed = 5};
    struct meshcast_set *set = meshcast_set_generate(&plan, &error);
    ck_assert_msg(set != NULL, "%s", error.text);
    return set;
}

/* ---- sets ---- */

/* a set from pairs, in any order and with repeats, is what its messages say */
START_TEST(set_from_pairs)
{
    const uint32_t from[] = {5, 0, 5, 5, 0}, to[] = {1, 2, 0, 1, 0};
    struct meshcast_set *set = meshcast_set_from_pairs(2, 3, 5, from, to, NULL);
    uint32_t source;
    uint64_t count;
    ck_assert_ptr_nonnull(set);
    ck_assert_uint_eq(meshcast_set_figure(set, MESHCAST_SET_ROWS), 2);
    ck_assert_uint_eq(meshcast_set_figure(set, MESHCAST_SET_COLS), 3);
    ck_assert_uint_eq(meshcast_set_figure(set, MESHCAST_SET_MESSAGES), 2);
    ck_assert_uint_eq(meshcast_set_figure(set, MESHCAST_SET_DELIVERIES), 4);
    ck_assert_uint_eq(meshcast_set_figure(set, MESHCAST_SET_DEGREE), 2);
    ck_assert_uint_eq(meshcast_set_figure(set, MESHCAST_SET_CONGESTION), 1);
    ck_assert_uint_eq(meshcast_set_figure(set, MESHCAST_SET_MESSAGES_AT_HOME), 0);
    ck_assert_uint_eq(meshcast_set_figure(set, MESHCAST_SET_DELIVERIES_AT_HOME), 1);
    ck_assert_uint_eq(meshcast_set_figure(set, MESHCAST_SET_LOWER_BOUND), 3);
    ck_assert_str_eq(meshcast_set_lower_bound_kind(set), "distance");
    const uint32_t *destination = meshcast_set_message(set, 1, &source, &count);
    ck_assert_uint_eq(source, 5);
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(destination[0], 0);
    ck_assert_uint_eq(destination[1], 1);
    meshcast_set_free(set);
}
END_TEST

/* what is written is read again, from a file and from memory */
START_TEST(set_files)
{
    char path[TEMPORARY_PATH], text[512];
    struct meshcast_set *set = make_set("worst", 9, 9);
    fclose(temporary_file(path));
    ck_assert_int_eq(meshcast_set_write(set, path, "a comment", NULL), MESHCAST_OK);
    struct meshcast_set *read = meshcast_set_read(path, NULL);
    FILE *file = fopen(path, "r");
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    unlink(path);
    ck_assert_uint_lt(length, sizeof text);
    struct meshcast_set *parsed = meshcast_set_parse(text, length, "memory", NULL);
    for (int figure = 0; figure <= MESHCAST_SET_LOWER_BOUND; figure++) {
        uint64_t value = meshcast_set_figure(set, (enum meshcast_set_figure)figure);
        ck_assert_uint_eq(meshcast_set_figure(read, (enum meshcast_set_figure)figure), value);
        ck_assert_uint_eq(meshcast_set_figure(parsed, (enum meshcast_set_figure)figure), value);
    }
    ck_assert_double_eq(meshcast_set_sqrt_cn(read), meshcast_set_sqrt_cn(set));
    meshcast_set_free(set);
    meshcast_set_free(read);
    meshcast_set_free(parsed);
}
END_TEST

static void check_same_sets(const struct meshcast_set *set, const struct meshcast_set *other)
{
    ck_assert_ptr_nonnull(other);
    for (int figure = 0; figure <= MESHCAST_SET_MESSAGES_PER_NODE; figure++)
        ck_assert_uint_eq(meshcast_set_figure(set, (enum meshcast_set_figure)figure),
                          meshcast_set_figure(other, (enum meshcast_set_figure)figure));
    for (uint32_t i = 0; i < meshcast_set_figure(set, MESHCAST_SET_MESSAGES); i++) {
        uint32_t source, other_source;
        uint64_t count, other_count;
        const uint32_t *to = meshcast_set_message(set, i, &source, &count);
        const uint32_t *other_to = meshcast_set_message(other, i, &other_source, &other_count);
        ck_assert_uint_eq(source, other_source);
        ck_assert_uint_eq(count, other_count);
        ck_assert_mem_eq(to, other_to, count * sizeof *to);
    }
}

/* patterns with several messages per node, and those that need inputs, are had here too */
START_TEST(set_many)
{
    const struct {
        struct meshcast_generate plan;
        uint64_t per_node;
    } cases[] = {
        {{.pattern = "uniform", .rows = 8, .cols = 8, .per_node = 4}, 4},
        {{.pattern = "alltoall", .rows = 8, .cols = 8, .groups = 8}, 7},
        {{.pattern = "moe", .rows = 8, .cols = 8, .per_node = 3, .experts = 5, .place = "block"},
         3},
        {{.pattern = "moe",
          .rows = 8,
          .cols = 8,
          .per_node = 2,
          .skew = "test/data/deepseek-v3.counts",
          .layer = 7},
         2},
        {{.pattern = "populations",
          .rows = 32,
          .cols = 32,
          .per_node = 80,
          .populations = "doc/microcircuit.txt",
          .active = 0.01},
         5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct meshcast_error error = {0};
        struct meshcast_set *set = meshcast_set_generate(&cases[i].plan, &error);
        ck_assert_msg(set != NULL, "%zu: %s", i, error.text);
        ck_assert_uint_eq(meshcast_set_figure(set, MESHCAST_SET_MESSAGES_PER_NODE),
                          cases[i].per_node);
        meshcast_set_free(set);
    }
}
END_TEST

/* a matrix is imported as the inner function imports it */
START_TEST(set_import)
{
    char path[TEMPORARY_PATH]; /* its banner tells what it is */
    FILE *file = temporary_file(path);
    fputs("%%MatrixMarket matrix coordinate pattern general\n3 3 4\n1 1\n2 1\n3 1\n3 2\n", file);
    fclose(file);
    struct meshcast_set *whole = meshcast_set_import(path, NULL, NULL);
    struct meshcast_import how = {.side = 4, .map = "snake", .drops_diagonal = true};
    struct meshcast_set *large = meshcast_set_import(path, &how, NULL);
    unlink(path);
    ck_assert_uint_eq(meshcast_set_figure(whole, MESHCAST_SET_DELIVERIES), 4);
    ck_assert_uint_eq(meshcast_set_figure(whole, MESHCAST_SET_ROWS), 2);
    ck_assert_uint_eq(meshcast_set_figure(large, MESHCAST_SET_DELIVERIES), 3);
    ck_assert_uint_eq(meshcast_set_figure(large, MESHCAST_SET_COLS), 4);
    meshcast_set_free(whole);
    meshcast_set_free(large);
}
END_TEST

/* a matrix in memory is imported as its file, in any order and with repeats, with all options and i items a node */
START_TEST(set_from_entries)
{
    static const struct meshcast_import HOW[] = {
        {.side = 3},
        {.side = 4, .map = "hilbert", .drops_diagonal = true},
        {.map = "random", .seed = 3, .format = "no such"},
    };
    const uint32_t row[] = {4, 0, 1, 2, 2, 0, 4}, col[] = {3, 0, 0, 0, 1, 3, 3};
    const char text[] = "%%MatrixMarket matrix coordinate pattern general\n5 4 6\n"
                        "1 1\n2 1\n3 1\n3 2\n1 4\n5 4\n";
    for (uint32_t i = 0; i < sizeof HOW / sizeof *HOW; i++) {
        char path[TEMPORARY_PATH];
        FILE *file = temporary_file(path);
        struct meshcast_import how = HOW[i];
        fputs(text, file);
        fclose(file);
        struct meshcast_set *made =
            meshcast_set_from_entries(5, 4, 7, row, col, &how, i, NULL, NULL);
        how.format = NULL;
        struct meshcast_set *read = meshcast_set_import_many(path, &how, i, NULL, NULL);
        unlink(path);
        ck_assert_ptr_nonnull(made);
        check_same_sets(made, read);
        meshcast_set_free(made);
        meshcast_set_free(read);
    }
}
END_TEST

/* Lengths: of the weights of entries, of bytes, and added where messages become one. A word that is none is refused, and
 * so are bytes without a flit's. */
START_TEST(set_lengths)
{
    const uint32_t row[] = {1, 2, 1}, col[] = {0, 0, 3}, weight[] = {4, 4, 6};
    struct meshcast_error error = {0};
    struct meshcast_volume volume = {.weights = "bytes", .flit_bytes = 4, .entry_weight = weight};
    struct meshcast_volume pairs = {.pack = "pairs"}, wide = {.bytes = 64, .flit_bytes = 32};
    struct meshcast_volume half = {.bytes = 64}, unknown = {.pack = "all"};
    struct meshcast_import how = {.volume = &volume};
    struct meshcast_set *set = meshcast_set_from_entries(4, 4, 3, row, col, &how, 2, NULL, &error);
    ck_assert_msg(set != NULL, "%s", error.text);
    ck_assert_uint_eq(meshcast_set_figure(set, MESHCAST_SET_MESSAGES), 2);
    ck_assert_uint_eq(meshcast_set_flits(set, 0), 2);
    ck_assert_uint_eq(meshcast_set_flits(set, 1), 3);
    ck_assert(!meshcast_set_is_routable(set));
    struct meshcast_set *packed = meshcast_set_with_volume(set, &pairs, &error);
    ck_assert_msg(packed != NULL, "%s", error.text);
    ck_assert_uint_eq(meshcast_set_figure(packed, MESHCAST_SET_MESSAGES), 3);
    struct meshcast_set *sized = meshcast_set_with_volume(packed, &wide, &error);
    ck_assert_uint_eq(meshcast_set_flits(sized, 2), 3);
    ck_assert_ptr_null(meshcast_set_with_volume(set, &half, &error));
    ck_assert_int_eq(error.status, MESHCAST_USAGE);
    ck_assert_ptr_null(meshcast_set_with_volume(set, &unknown, &error));
    ck_assert_ptr_nonnull(
        strstr(error.text, "unknown packing 'all'; the packings are: none, destinations, pairs"));
    volume.entry_weight = NULL;
    ck_assert_ptr_null(meshcast_set_from_entries(4, 4, 3, row, col, &how, 2, NULL, &error));
    ck_assert_int_eq(error.status, MESHCAST_USAGE);
    meshcast_set_free(set);
    meshcast_set_free(packed);
    meshcast_set_free(sized);
}
END_TEST

/* several messages per node are generated, and bounds are those of the set */
START_TEST(set_of_several)
{
    struct meshcast_generate plan = {.pattern = "alltoall", .rows = 4, .cols = 4, .groups = 4};
    struct meshcast_set *set = meshcast_set_generate(&plan, NULL);
    const char *kind;
    ck_assert_ptr_nonnull(set);
    ck_assert_uint_eq(meshcast_set_figure(set, MESHCAST_SET_MESSAGES), 16 * 3);
    ck_assert_uint_eq(meshcast_set_figure(set, MESHCAST_SET_MESSAGES_PER_NODE), 3);
    ck_assert_uint_eq(meshcast_set_bound(set, true, &kind),
                      meshcast_set_figure(set, MESHCAST_SET_LOWER_BOUND));
    ck_assert_str_eq(kind, meshcast_set_lower_bound_kind(set));
    meshcast_set_free(set);

    const uint32_t from[] = {0, 0, 0, 0}, to[] = {1, 2, 0, 3};
    set = meshcast_set_from_pairs(2, 2, 4, from, to, NULL);
    ck_assert_uint_eq(meshcast_set_bound(set, true, NULL), 2);
    ck_assert_uint_eq(meshcast_set_bound(set, false, &kind), 3);
    ck_assert_str_eq(kind, "split");
    meshcast_set_free(set);
}
END_TEST

Suite *library_sets_suite(void)
{
    Suite *suite = suite_create("library_sets");
    TCase *tests = tcase_create("library_sets");
    tcase_add_test(tests, set_from_pairs);
    tcase_add_test(tests, set_files);
    tcase_add_test(tests, set_many);
    tcase_add_test(tests, set_import);
    tcase_add_test(tests, set_from_entries);
    tcase_add_test(tests, set_lengths);
    tcase_add_test(tests, set_of_several);
    suite_add_tcase(suite, tests);
    return suite;
}
