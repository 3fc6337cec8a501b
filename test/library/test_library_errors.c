/* test_library_errors.c - the error rule of the public header: mistakes are statuses with a line that
 * names the remedy.
 *
 * Oracle: none but the header's promises, written down here row by row.
 */
#include "library/meshcast.h"

#include <check.h>
#include <string.h>

Suite *library_errors_suite(void);

static struct meshcast_set *make_set(void)
{
    struct meshcast_generate plan = {.pattern = "uniform", .rows = 4, .cols = 4};
    struct meshcast_set *set = meshcast_set_generate(&plan, NULL);
    ck_assert_ptr_nonnull(set);
    return set;
}

static const struct meshcast_router *find(const char *name)
{
    const struct meshcast_router *router = meshcast_router_find(name, NULL);
    ck_assert_ptr_nonnull(router);
    return router;
}

static const uint32_t beyond[] = {4}, within[] = {0};

static bool fail_mesh(struct meshcast_error *error)
{
    return meshcast_set_from_pairs(0, 3, 0, NULL, NULL, error) != NULL;
}

static bool fail_nodes(struct meshcast_error *error)
{
    return meshcast_set_from_pairs(32768, 32768, 0, NULL, NULL, error) != NULL;
}

static bool fail_pair(struct meshcast_error *error)
{
    return meshcast_set_from_pairs(2, 2, 1, within, beyond, error) != NULL;
}

static bool fail_many(struct meshcast_error *error)
{
    return meshcast_set_from_pairs(2, 2, UINT64_MAX, within, within, error) != NULL;
}

static bool fail_read(struct meshcast_error *error)
{
    return meshcast_set_read("/nowhere/at/all", error) != NULL;
}

static bool fail_parse(struct meshcast_error *error)
{
    static const char text[] = "mcast 1 2 2\n0 1\n0 2\n";
    return meshcast_set_parse(text, sizeof text - 1, "text", error) != NULL;
}

static bool fail_pattern(struct meshcast_error *error)
{
    struct meshcast_generate plan = {.pattern = "unifrom", .rows = 2, .cols = 2};
    return meshcast_set_generate(&plan, error) != NULL;
}

static bool fail_no_pattern(struct meshcast_error *error)
{
    struct meshcast_generate plan = {.rows = 2, .cols = 2};
    return meshcast_set_generate(&plan, error) != NULL;
}

static bool fail_groups(struct meshcast_error *error)
{
    struct meshcast_generate plan = {.pattern = "uniform", .rows = 2, .cols = 2, .groups = 2};
    return meshcast_set_generate(&plan, error) != NULL;
}

static bool fail_matrix(struct meshcast_error *error)
{
    return meshcast_set_from_entries(0, 4, 0, NULL, NULL, NULL, 0, NULL, error) != NULL;
}

static bool fail_entry(struct meshcast_error *error)
{
    const uint32_t row[] = {0, 2}, col[] = {0, 1};
    return meshcast_set_from_entries(2, 4, 2, row, col, NULL, 0, NULL, error) != NULL;
}

static bool fail_header(struct meshcast_error *error)
{
    const struct meshcast_import how = {.format = "edges", .header = "maybe"};
    return meshcast_set_import("/dev/null", &how, error) != NULL;
}

static bool fail_place(struct meshcast_error *error)
{
    const struct meshcast_import how = {.format = "routes", .place = "tiles"};
    return meshcast_set_import("/dev/null", &how, error) != NULL;
}

static bool fail_part(struct meshcast_error *error)
{
    return meshcast_set_from_entries(2, 4, 0, NULL, NULL, NULL, 2, "/dev/null", error) != NULL;
}

static bool fail_adversary(struct meshcast_error *error)
{
    struct meshcast_generate plan = {.pattern = "adversary", .rows = 8, .cols = 8};
    return meshcast_set_generate(&plan, error) != NULL;
}

static bool fail_inputs(struct meshcast_error *error)
{
    struct meshcast_generate plan = {.pattern = "uniform", .rows = 8, .cols = 8, .experts = 6};
    return meshcast_set_generate(&plan, error) != NULL;
}

static bool fail_populations(struct meshcast_error *error)
{
    struct meshcast_generate plan = {.pattern = "populations", .rows = 8, .cols = 8};
    return meshcast_set_generate(&plan, error) != NULL;
}

static bool fail_counts(struct meshcast_error *error)
{
    struct meshcast_generate plan = {
        .pattern = "moe", .rows = 8, .cols = 8, .skew = "/nowhere/at/all"};
    return meshcast_set_generate(&plan, error) != NULL;
}

static bool fail_generate_place(struct meshcast_error *error)
{
    struct meshcast_generate plan = {
        .pattern = "moe", .rows = 8, .cols = 8, .experts = 6, .place = "blok"};
    return meshcast_set_generate(&plan, error) != NULL;
}

static bool fail_active(struct meshcast_error *error)
{
    struct meshcast_generate plan = {.pattern = "populations",
                                     .rows = 8,
                                     .cols = 8,
                                     .populations = "doc/microcircuit.txt",
                                     .active = 2};
    return meshcast_set_generate(&plan, error) != NULL;
}

static bool fail_map(struct meshcast_error *error)
{
    return meshcast_set_import("x.mtx", &(struct meshcast_import){.map = "rows"}, error) != NULL;
}

static bool fail_side(struct meshcast_error *error)
{
    return meshcast_set_import("x.mtx", &(struct meshcast_import){.side = 9000}, error) != NULL;
}

static bool fail_format(struct meshcast_error *error)
{
    return meshcast_set_import("x", &(struct meshcast_import){.format = "el"}, error) != NULL;
}

static bool fail_router(struct meshcast_error *error)
{
    return meshcast_router_find("tree", error) != NULL;
}

/* Options and runs: their status, as a bool that must be false. */
static bool option(enum meshcast_number number, uint64_t value, struct meshcast_error *error)
{
    struct meshcast_options *options = meshcast_options_new();
    bool is_good = meshcast_options_set(options, number, value, error) == MESHCAST_OK;
    meshcast_options_free(options);
    return is_good;
}

static bool fail_threads(struct meshcast_error *error)
{
    return option(MESHCAST_MAX_THREADS, 1025, error);
}

static bool fail_choice(struct meshcast_error *error)
{
    return option(MESHCAST_FREE_COPIES, 2, error);
}

static bool fail_number(struct meshcast_error *error)
{
    return option((enum meshcast_number)99, 1, error);
}

static bool run_with(const char *router, const char *name, const char *value,
                     struct meshcast_error *error)
{
    struct meshcast_set *set = make_set();
    struct meshcast_options *options = meshcast_options_new();
    struct meshcast_result *result = NULL;
    enum meshcast_status status = meshcast_options_set_parameter(options, name, value, error);
    if (status == MESHCAST_OK)
        status = meshcast_run(find(router), set, options, &result, error);
    ck_assert(result == NULL || status == MESHCAST_OK);
    meshcast_result_free(result);
    meshcast_options_free(options);
    meshcast_set_free(set);
    return status == MESHCAST_OK;
}

static bool fail_parameter(struct meshcast_error *error)
{
    return run_with("trees", "slot", "1", error);
}

static bool fail_value(struct meshcast_error *error)
{
    return run_with("trees", "slots", "1000", error);
}

static bool fail_long_value(struct meshcast_error *error)
{
    char value[80];
    memset(value, '1', sizeof value);
    value[sizeof value - 1] = '\0';
    return run_with("trees", "slots", value, error);
}

static bool fail_guess(struct meshcast_error *error)
{
    struct meshcast_set *set = make_set();
    struct meshcast_options *options = meshcast_options_new();
    struct meshcast_result *result;
    meshcast_options_set(options, MESHCAST_UNKNOWN_CONGESTION, 1, NULL);
    enum meshcast_status status = meshcast_run(find("trees"), set, options, &result, error);
    ck_assert_ptr_null(result);
    meshcast_options_free(options);
    meshcast_set_free(set);
    return status == MESHCAST_OK;
}

static bool run_file(enum meshcast_file file, const char *path, struct meshcast_error *error)
{
    struct meshcast_set *set = make_set();
    struct meshcast_options *options = meshcast_options_new();
    struct meshcast_result *result = NULL;
    enum meshcast_status status = meshcast_options_set_file(options, file, path, error);
    if (status == MESHCAST_OK)
        status = meshcast_run(find("trees"), set, options, &result, error);
    meshcast_result_free(result);
    meshcast_options_free(options);
    meshcast_set_free(set);
    return status == MESHCAST_OK;
}

static bool fail_folder(struct meshcast_error *error)
{
    return run_file(MESHCAST_TRACE, "/nowhere/trace", error);
}

static bool fail_picture(struct meshcast_error *error)
{
    return run_file(MESHCAST_HEATMAP, "/tmp/heat.jpg", error);
}

static bool fail_file(struct meshcast_error *error)
{
    return run_file((enum meshcast_file)7, "x", error);
}

static bool fail_empty_path(struct meshcast_error *error)
{
    return run_file(MESHCAST_TRACE, "", error);
}

static bool fail_write(struct meshcast_error *error)
{
    struct meshcast_set *set = make_set();
    enum meshcast_status status = meshcast_set_write(set, "/dev/full", NULL, error);
    meshcast_set_free(set);
    return status == MESHCAST_OK;
}

static const struct error_case {
    bool (*run)(struct meshcast_error *error); /* whether it went well */
    enum meshcast_status status;
    const char *expected;
} error_cases[] = {
    {fail_mesh, MESHCAST_USAGE, "a mesh of 0 x 3 nodes; expected sides of 1 to 32768"},
    {fail_nodes, MESHCAST_USAGE, "at most 67108864 nodes"},
    {fail_pair, MESHCAST_USAGE, "pair 0 goes from node 0 to node 4; the nodes are 0 to 3"},
    {fail_many, MESHCAST_USAGE, "18446744073709551615 pairs; the most is 4294967294"},
    {fail_read, MESHCAST_SYSTEM, "/nowhere/at/all"},
    {fail_parse, MESHCAST_INPUT, "text:3: "},
    {fail_pattern, MESHCAST_USAGE, "unknown pattern 'unifrom'; did you mean 'uniform'?"},
    {fail_no_pattern, MESHCAST_USAGE, "missing pattern P; the patterns are: permutation,"},
    {fail_groups, MESHCAST_USAGE, "allgather"},
    {fail_matrix, MESHCAST_USAGE, "a matrix of 0 x 4; expected sides of 1 to"},
    {fail_entry, MESHCAST_USAGE, "entry 1 is in row 2 and column 1 of a matrix of 2 x 4"},
    {fail_header, MESHCAST_USAGE, "unknown value of header 'maybe'; the values of header are: auto, yes, no"},
    {fail_place, MESHCAST_USAGE, "place is spread, block or a file, and: cannot open tiles"},
    {fail_part, MESHCAST_USAGE, "give --part or --per-node"},
    {fail_adversary, MESHCAST_USAGE, "needs against GRAPHFILE"},
    {fail_inputs, MESHCAST_USAGE, "are for pattern moe"},
    {fail_populations, MESHCAST_USAGE, "a table of populations"},
    {fail_counts, MESHCAST_SYSTEM, "/nowhere/at/all"},
    {fail_generate_place, MESHCAST_USAGE, "place is spread, block or a file"},
    {fail_active, MESHCAST_USAGE, "active takes a number above 0, at most 1"},
    {fail_map, MESHCAST_USAGE, "unknown value of map 'rows'; did you mean 'row'?"},
    {fail_side, MESHCAST_USAGE, "side takes a side from 1 to 32768"},
    {fail_format, MESHCAST_USAGE, "unknown value of format 'el'; the values of format are: auto, mtx, edges"},
    {fail_router, MESHCAST_USAGE, "unknown router 'tree'; did you mean 'trees'?"},
    {fail_threads, MESHCAST_USAGE, "a number of threads of 1025; the most is 1024"},
    {fail_choice, MESHCAST_USAGE, "free copies of 2; the most is 1"},
    {fail_number, MESHCAST_USAGE, "no option has the number 99"},
    {fail_parameter, MESHCAST_USAGE,
     "unknown parameter of router trees: 'slot'; did you mean 'slots'?"},
    {fail_value, MESHCAST_USAGE, "parameter slots of router trees is a whole number 0 .. 255"},
    {fail_long_value, MESHCAST_USAGE, "more than 63 bytes"},
    {fail_guess, MESHCAST_USAGE, "trees"},
    {fail_folder, MESHCAST_SYSTEM, "cannot open /nowhere/trace for writing"},
    {fail_picture, MESHCAST_USAGE, "a heatmap is a FILE.png"},
    {fail_file, MESHCAST_USAGE, "no file has the number 7"},
    {fail_empty_path, MESHCAST_USAGE, "a path is empty"},
    {fail_write, MESHCAST_SYSTEM, "/dev/full"},
};

/* a mistake is a status with a line that names the remedy, or a status alone */
START_TEST(errors)
{
    const struct error_case *row = &error_cases[_i];
    struct meshcast_error error = {.status = MESHCAST_OK, .text = "as it was"};
    ck_assert(!row->run(NULL));
    ck_assert(!row->run(&error));
    ck_assert_int_eq(error.status, row->status);
    ck_assert_msg(strstr(error.text, row->expected) != NULL, "%s", error.text);
}
END_TEST

/* success leaves an error as it was */
START_TEST(error_unchanged)
{
    struct meshcast_error error = {.status = MESHCAST_INPUT, .text = "as it was"};
    struct meshcast_set *set = meshcast_set_from_pairs(2, 2, 1, within, within, &error);
    ck_assert_ptr_nonnull(set);
    ck_assert_int_eq(error.status, MESHCAST_INPUT);
    ck_assert_str_eq(error.text, "as it was");
    meshcast_set_free(set);
}
END_TEST

Suite *library_errors_suite(void)
{
    Suite *suite = suite_create("library_errors");
    TCase *tests = tcase_create("errors");
    tcase_add_loop_test(tests, errors, 0, sizeof error_cases / sizeof *error_cases);
    tcase_add_test(tests, error_unchanged);
    suite_add_tcase(suite, tests);
    return suite;
}
