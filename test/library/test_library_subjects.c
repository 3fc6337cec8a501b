/* test_library_subjects.c - what the machine does: kernels, buffers, comparisons, searches, expanders by the
 * public headers, and what a run keeps.
 *
 * Oracle: the program with the same set and options, whose JSON is read; beside it sums that must agree.
 */
#include "library/meshcast_compare.h"
#include "library/meshcast_expander.h"
#include "library/meshcast_kernel.h"
#include "library/meshcast_search.h"
#include "test/library/library_case.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

Suite *library_subjects_suite(void);

static const struct meshcast_router *router(const char *name)
{
    return meshcast_router_find(name, NULL);
}

/* ---- what a run keeps ---- */

/* Each load is what the program's file has of that link. */
static void check_loads(const uint64_t *load, uint32_t rows, uint32_t cols)
{
    static const int row_of[] = {-1, 1, 0, 0}, col_of[] = {0, 0, -1, 1}; /* N, S, W, E */
    uint32_t lines = 0;
    const char *at = program_run("$M route $T/a.mcast --router trees --heatmap $T/l.csv "
                                 "--heatmap-of links -q >$T/log; tail -n +2 $T/l.csv")
                         ->out;
    for (int row, col, to_row, to_col, used; *at != '\0'; at += used, lines++) {
        unsigned packets;
        used = 0;
        ck_assert_int_eq(
            sscanf(at, "%d,%d,%d,%d,%u\n%n", &row, &col, &to_row, &to_col, &packets, &used), 5);
        for (uint32_t d = 0; d < 4; d++)
            if (to_row - row == row_of[d] && to_col - col == col_of[d])
                ck_assert_uint_eq(load[d * rows * cols + (uint32_t)row * cols + (uint32_t)col],
                                  packets);
    }
    ck_assert_uint_eq(lines, 2 * (rows * (cols - 1) + cols * (rows - 1)));
}

/* peaks, loads and the timeline of a run are those of the program's files, and agree with its counts */
START_TEST(kept)
{
    struct meshcast_error error = {0};
    struct meshcast_set *set = case_set("--rows 6 --cols 9 --pattern uniform --degree 5 --seed 3");
    struct meshcast_options *options = meshcast_options_new();
    struct meshcast_result *result;
    uint64_t nodes, loads, rows;
    for (int i = MESHCAST_KEEP_NODE_PEAKS; i <= MESHCAST_KEEP_TIMELINE; i++)
        case_check_ok(meshcast_options_set(options, (enum meshcast_number)i, 1, &error), &error);
    case_check_ok(meshcast_options_set(options, MESHCAST_TIMELINE_EVERY, 4, &error), &error);
    case_check_ok(meshcast_run(router("trees"), set, options, &result, &error), &error);
    const uint32_t *peak = meshcast_result_node_peaks(result, &nodes);
    const uint64_t *load = meshcast_result_link_loads(result, &loads);
    const uint64_t *step = meshcast_result_timeline(result, MESHCAST_ROW_STEP, &rows);
    const uint64_t *delivered = meshcast_result_timeline(result, MESHCAST_ROW_DELIVERED, &rows);
    const uint64_t *hops = meshcast_result_timeline(result, MESHCAST_ROW_PACKET_HOPS, &rows);
    ck_assert_uint_eq(nodes, 54);
    ck_assert_uint_eq(loads, 4 * 54);
    ck_assert_uint_eq(peak[meshcast_result_figure(result, MESHCAST_BUFFER_PEAK_NODE)],
                      meshcast_result_figure(result, MESHCAST_BUFFER_PEAK));
    ck_assert_uint_eq(case_sum(load, loads), meshcast_result_figure(result, MESHCAST_PACKET_HOPS));
    ck_assert_uint_eq(case_sum(hops, rows), meshcast_result_figure(result, MESHCAST_PACKET_HOPS));
    ck_assert_uint_eq(step[rows - 1], meshcast_result_figure(result, MESHCAST_STEPS));
    ck_assert_uint_eq(delivered[rows - 1],
                      meshcast_set_figure(set, MESHCAST_SET_DELIVERIES) -
                          meshcast_set_figure(set, MESHCAST_SET_DELIVERIES_AT_HOME));
    const uint64_t *percent = meshcast_result_delivery_steps(result);
    ck_assert_uint_le(percent[0], percent[50]);
    ck_assert_uint_eq(percent[100], step[rows - 1]);
    program_run("$M route $T/a.mcast --router trees --heatmap $T/h.csv --timeline $T/t.csv "
                "--timeline-every 4 -q >$T/log && cut -d, -f3 $T/h.csv | tail -n +2 | tr '\n' ' '");
    const char *at = program_run("tail -n +2 $T/h.csv | awk -F, '{ print $NF }'")->out;
    for (uint32_t node = 0; node < nodes; node++) {
        char *end;
        ck_assert_uint_eq(strtoul(at, &end, 10), peak[node]);
        at = end;
    }
    ck_assert_uint_eq(strtoul(program_run("tail -n +2 $T/t.csv | wc -l")->out, NULL, 10), rows);
    check_loads(load, 6, 9);
    meshcast_result_free(result);
    case_check_ok(meshcast_run(router("trees"), set, NULL, &result, &error), &error);
    ck_assert_ptr_null(meshcast_result_node_peaks(result, &nodes));
    ck_assert_ptr_null(meshcast_result_link_loads(result, &loads));
    ck_assert_ptr_null(meshcast_result_timeline(result, MESHCAST_ROW_STEP, &rows));
    ck_assert(nodes == 0 && loads == 0 && rows == 0);
    meshcast_result_free(result);
    meshcast_options_free(options);
    meshcast_set_free(set);
}
END_TEST

/* ---- kernels ---- */

/* every kernel counts what the program counts */
START_TEST(kernels)
{
    struct meshcast_error error = {0};
    struct meshcast_options *options = meshcast_options_new();
    case_check_ok(meshcast_options_set(options, MESHCAST_SEED, 7, &error), &error);
    for (uint32_t i = 0; i < meshcast_kernels(); i++) {
        char command[256];
        const struct meshcast_kernel *kernel = meshcast_kernel_at(i);
        struct meshcast_kernel_input input = {.side = 16, .tiles = 4, .pattern = "transpose"};
        struct meshcast_kernel_result *result;
        uint64_t steps = 0;
        ck_assert_ptr_eq(meshcast_kernel_find(meshcast_kernel_name(kernel), NULL), kernel);
        case_check_ok(meshcast_kernel_run(kernel, &input, options, &result, &error), &error);
        snprintf(command, sizeof command,
                 "$M kernel %s --side 16 --tiles 4 --pattern transpose --seed 7 --json",
                 meshcast_kernel_name(kernel));
        json_t *json = case_program(command);
        CHECK_PAIRS(json, {"steps", meshcast_kernel_figure(result, MESHCAST_KERNEL_STEPS)},
                    {"sync_steps", meshcast_kernel_figure(result, MESHCAST_KERNEL_SYNC_STEPS)},
                    {"buffer_peak", meshcast_kernel_figure(result, MESHCAST_KERNEL_BUFFER_PEAK)},
                    {"packet_hops", meshcast_kernel_figure(result, MESHCAST_KERNEL_PACKET_HOPS)},
                    {"word_hops", meshcast_kernel_figure(result, MESHCAST_KERNEL_WORD_HOPS)},
                    {"tiles", meshcast_kernel_figure(result, MESHCAST_KERNEL_TILES)});
        ck_assert_str_eq(program_run_text(json, "method"), meshcast_kernel_used_method(result));
        for (uint32_t p = 0; p < meshcast_kernel_phases(result); p++) {
            uint64_t of_phase;
            ck_assert_str_ne(meshcast_kernel_phase(result, p, &of_phase), "");
            steps += of_phase;
        }
        ck_assert_uint_eq(steps, meshcast_kernel_figure(result, MESHCAST_KERNEL_STEPS));
        json_decref(json);
        meshcast_kernel_result_free(result);
    }
    meshcast_options_free(options);
}
END_TEST

/* ---- buffers ---- */

/* the least buffer, and every run of the search for it, are the program's */
START_TEST(least_buffer)
{
    struct meshcast_error error = {0};
    struct meshcast_set *set = case_set("--side 8 --pattern uniform --degree 4 --seed 1");
    struct meshcast_stress *stress;
    case_check_ok(meshcast_stress_run(router("trees"), set, 5, true, NULL, &stress, &error),
                  &error);
    json_t *json =
        case_program("$M stress $T/a.mcast --router trees --points 5 --exhaustive --json");
    CHECK_PAIRS(json, {"least_capacity", meshcast_stress_figure(stress, MESHCAST_STRESS_LEAST)},
                {"setbacks", meshcast_stress_figure(stress, MESHCAST_STRESS_SETBACKS)},
                {"fewest_steps", meshcast_stress_figure(stress, MESHCAST_STRESS_FEWEST_STEPS)},
                {"fewest_steps_capacity",
                 meshcast_stress_figure(stress, MESHCAST_STRESS_FEWEST_STEPS_CAPACITY)});
    ck_assert_uint_eq(meshcast_stress_figure(stress, MESHCAST_STRESS_IS_EXHAUSTIVE), 1);
    const json_t *runs = json_object_get(json, "runs");
    ck_assert_uint_eq(json_array_size(runs) + 1, meshcast_stress_runs(stress));
    for (uint32_t i = 1; i < meshcast_stress_runs(stress); i++) {
        bool is_refused =
            meshcast_stress_run_figure(stress, i, MESHCAST_STRESS_RUN_OUTCOME) == MESHCAST_REFUSED;
        CHECK_PAIRS(
            json_array_get(runs, i - 1),
            {"capacity", meshcast_stress_run_figure(stress, i, MESHCAST_STRESS_RUN_CAPACITY)});
        ck_assert_int_eq(is_refused, *meshcast_stress_run_reason(stress, i) != '\0');
        if (is_refused)
            continue;
        CHECK_PAIRS(
            json_array_get(runs, i - 1),
            {"steps", meshcast_stress_run_figure(stress, i, MESHCAST_STRESS_RUN_STEPS)},
            {"buffer_peak", meshcast_stress_run_figure(stress, i, MESHCAST_STRESS_RUN_PEAK)});
    }
    ck_assert_uint_eq(meshcast_stress_run_figure(stress, 0, MESHCAST_STRESS_RUN_CAPACITY), 0);
    json_decref(json);
    meshcast_stress_free(stress);
    meshcast_set_free(set);
}
END_TEST

/* a comparison has the program's rows: of the table, and of routers with parameters of their own, one of which refuses */
START_TEST(comparisons)
{
    struct meshcast_error error = {0};
    struct meshcast_set *set = case_set("--side 8 --pattern uniform --degree 4 --seed 1");
    struct meshcast_comparison *comparison;
    const struct meshcast_runner runner[] = {
        {router("trees"), "tree=vh"}, {router("replicate"), NULL}, {router("trees"), ""}};
    struct meshcast_options *options = meshcast_options_new();
    case_check_ok(meshcast_compare(NULL, 0, set, NULL, &comparison, &error), &error);
    json_t *json = case_program("$M compare $T/a.mcast --json");
    uint32_t rows = meshcast_comparison_rows(comparison);
    ck_assert_uint_eq(json_array_size(json_object_get(json, "runs")), rows);
    for (uint32_t i = 0; i < rows; i++) {
        const struct meshcast_result *result = meshcast_comparison_result(comparison, i);
        ck_assert_int_eq(meshcast_comparison_status(comparison, i, NULL), MESHCAST_OK);
        ck_assert_str_eq(
            program_run_text(json_array_get(json_object_get(json, "runs"), i), "router"),
            meshcast_router_name(meshcast_comparison_router(comparison, i)));
        CHECK_PAIRS(json_array_get(json_object_get(json, "runs"), i),
                    {"steps", meshcast_result_figure(result, MESHCAST_STEPS)},
                    {"buffer_peak", meshcast_result_figure(result, MESHCAST_BUFFER_PEAK)});
    }
    meshcast_comparison_free(comparison);
    json_decref(json);
    case_check_ok(meshcast_options_set(options, MESHCAST_BUFFER, 20, &error), &error);
    case_check_ok(meshcast_options_set(options, MESHCAST_KEEP_NODE_PEAKS, 1, &error), &error);
    case_check_ok(meshcast_compare(runner, 3, set, options, &comparison, &error), &error);
    json = case_program(
        "$M compare $T/a.mcast --routers trees:tree=vh,replicate,trees --buffer 20 --json");
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t nodes;
        const struct meshcast_result *result = meshcast_comparison_result(comparison, i);
        if (meshcast_comparison_status(comparison, i, &error) == MESHCAST_USAGE) {
            ck_assert_ptr_null(result);
            ck_assert_str_eq(
                program_run_text(json_array_get(json_object_get(json, "runs"), i), "error"),
                error.text);
            continue;
        }
        CHECK_PAIRS(json_array_get(json_object_get(json, "runs"), i),
                    {"steps", meshcast_result_figure(result, MESHCAST_STEPS)});
        ck_assert_ptr_nonnull(meshcast_result_node_peaks(result, &nodes));
    }
    meshcast_comparison_free(comparison);
    json_decref(json);
    meshcast_options_free(options);
    meshcast_set_free(set);
}
END_TEST

/* a race has the winners of the program's */
START_TEST(races)
{
    struct meshcast_error error = {0};
    struct meshcast_set *set = case_set("--side 8 --pattern uniform --degree 4 --seed 1");
    struct meshcast_race *race;
    const struct meshcast_runner runner[] = {{router("trees"), NULL}, {router("circulate"), NULL}};
    case_check_ok(meshcast_race_run(runner, 2, set, NULL, &race, &error), &error);
    json_t *json = case_program("$M compare $T/a.mcast --routers trees,circulate --best --json");
    const json_t *points = json_object_get(json, "capacities");
    ck_assert_uint_eq(json_array_size(points) + 1, meshcast_race_points(race));
    for (uint32_t i = 1; i < meshcast_race_points(race); i++) {
        const json_t *point = json_array_get(points, i - 1);
        const json_t *winner = json_object_get(point, "fastest");
        uint32_t won = meshcast_race_winner(race, i);
        CHECK_PAIRS(point, {"capacity", meshcast_race_capacity(race, i)});
        ck_assert_int_eq(json_is_null(winner), won == UINT32_MAX);
        if (won != UINT32_MAX)
            ck_assert_str_eq(json_string_value(winner),
                             meshcast_router_name(meshcast_race_router(race, won)));
    }
    json_decref(json);
    meshcast_race_free(race);
    meshcast_set_free(set);
}
END_TEST

/* ---- searches ---- */

/* a search finds the set that the program finds, from nothing and from a set */
START_TEST(searches)
{
    struct meshcast_error error = {0};
    struct meshcast_search_space space = {.rows = 8, .cols = 8, .congestion = 4, .tries = 60};
    struct meshcast_options *options = meshcast_options_new();
    struct meshcast_search *search;
    case_check_ok(meshcast_options_set(options, MESHCAST_SEED, 4, &error), &error);
    for (int objective = 0; objective < 2; objective++) {
        const char *formula, *kind;
        space.objective = (enum meshcast_objective)objective;
        case_check_ok(meshcast_search_run(router("trees"), &space, options, &search, &error),
                      &error);
        program_run("rm -f $T/w.mcast");
        json_t *json =
            case_program(objective == 0 ? "$M search --router trees --side 8 --congestion 4 "
                                          "--tries 60 --seed 4 --json -o $T/w.mcast"
                                        : "$M search --router trees --side 8 --congestion 4 "
                                          "--tries 60 --seed 4 --json -o $T/w.mcast "
                                          "--objective steps");
        const json_t *worst = json_object_get(json, "worst");
        CHECK_PAIRS(json, {"tried", meshcast_search_figure(search, MESHCAST_SEARCH_TRIED)},
                    {"made", meshcast_search_figure(search, MESHCAST_SEARCH_MADE)});
        CHECK_PAIRS(
            worst, {"figure", meshcast_search_figure(search, MESHCAST_SEARCH_WORST)},
            {"moves", meshcast_search_figure(search, MESHCAST_SEARCH_MOVES)},
            {"tried_as", meshcast_search_figure(search, MESHCAST_SEARCH_FOUND_AT)},
            {"steps", meshcast_result_figure(meshcast_search_result(search), MESHCAST_STEPS)},
            {"deliveries",
             meshcast_set_figure(meshcast_search_set(search), MESHCAST_SET_DELIVERIES)});
        ck_assert_str_eq(program_run_text(worst, "from"), meshcast_search_origin(search));
        meshcast_search_promise(search, &formula, &kind);
        ck_assert_str_eq(program_run_text(json_object_get(json, "promise"), "kind"), kind);
        case_check_ok(
            meshcast_set_write(meshcast_search_set(search), case_file("l.mcast"), NULL, &error),
            &error);
        ck_assert_int_eq(program_run("grep -v '#' $T/w.mcast | cmp - $T/l.mcast")->status, 0);
        json_decref(json);
        meshcast_search_free(search);
    }
    space = (struct meshcast_search_space){
        .rows = 6, .cols = 6, .congestion = 4, .tries = 20, .per_node = 2};
    case_check_ok(meshcast_search_run(router("trees"), &space, options, &search, &error), &error);
    json_t *many = case_program("$M search --router trees --side 6 --congestion 4 --per-node 2 "
                                "--tries 20 --seed 4 --json");
    CHECK_PAIRS(json_object_get(many, "worst"),
                {"figure", meshcast_search_figure(search, MESHCAST_SEARCH_WORST)});
    ck_assert_uint_le(
        meshcast_set_figure(meshcast_search_set(search), MESHCAST_SET_MESSAGES_PER_NODE), 2);
    json_decref(many);
    meshcast_search_free(search);
    struct meshcast_set *set = case_set("--side 8 --pattern uniform --congestion 3 --seed 1");
    const struct meshcast_set *given[] = {set};
    space = (struct meshcast_search_space){.tries = 5, .set = given, .sets = 1};
    case_check_ok(meshcast_search_run(router("stream"), &space, options, &search, &error), &error);
    json_t *json = case_program("$M search $T/a.mcast --router stream --tries 5 --seed 4 --json");
    CHECK_PAIRS(json_object_get(json, "worst"),
                {"figure", meshcast_search_figure(search, MESHCAST_SEARCH_WORST)});
    json_decref(json);
    meshcast_search_free(search);
    meshcast_set_free(set);
    meshcast_options_free(options);
}
END_TEST

/* ---- expanders ---- */

static void check_expander(struct meshcast_expander *graph, uint32_t c, const char *command)
{
    struct meshcast_error error = {0};
    struct meshcast_bracket *bracket;
    const uint32_t *input;
    uint32_t inputs;
    ck_assert_ptr_nonnull(graph);
    case_check_ok(meshcast_expander_check(graph, c, NULL, &bracket, &error), &error);
    json_t *json = case_program(command);
    const json_t *one = json_array_get(json_object_get(json, "brackets"), 0);
#define FIGURE(name) meshcast_bracket_figure(bracket, MESHCAST_BRACKET_##name)
    CHECK_PAIRS(json, {"inputs", meshcast_expander_figure(graph, MESHCAST_EXPANDER_P)},
                {"r", meshcast_expander_figure(graph, MESHCAST_EXPANDER_R)});
    CHECK_PAIRS(one, {"c", FIGURE(C)}, {"least_load", FIGURE(LEAST_LOAD)},
                {"most_load", FIGURE(MOST_LOAD)}, {"multi_edges", FIGURE(MULTI_EDGES)},
                {"multi_inputs", FIGURE(MULTI_INPUTS)}, {"largest_set", FIGURE(LARGEST_SET)},
                {"found_neighbours", FIGURE(FOUND_NEIGHBOURS)});
    ck_assert_str_eq(program_run_text(json, "kind"), meshcast_expander_kind(graph));
    ck_assert_double_eq_tol(program_run_number(one, "lambda_certified"),
                            meshcast_bracket_certified(bracket), 2e-9);
    ck_assert_double_eq_tol(program_run_number(one, "lambda_found"),
                            meshcast_bracket_found(bracket, &input, &inputs), 2e-9);
    ck_assert_uint_eq(json_array_size(json_object_get(one, "found_set")), inputs);
    const json_t *certificates = json_object_get(one, "certificates");
    ck_assert_uint_eq(json_array_size(certificates), meshcast_bracket_certificates(bracket));
    for (uint32_t i = 0; i < meshcast_bracket_certificates(bracket); i++) {
        double lambda;
        const char *why, *name = meshcast_bracket_certificate(bracket, i, NULL, &lambda, &why);
        const json_t *shown = json_array_get(certificates, i);
        ck_assert_str_eq(program_run_text(shown, "name"), name);
        ck_assert_int_eq(json_is_null(json_object_get(shown, "lambda")), *why != '\0');
    }
#undef FIGURE
    uint32_t edges = (uint32_t)(meshcast_expander_figure(graph, MESHCAST_EXPANDER_P) *
                                meshcast_expander_figure(graph, MESHCAST_EXPANDER_R));
    uint32_t *neighbour = malloc(edges * sizeof *neighbour);
    meshcast_expander_neighbours(graph, neighbour);
    for (uint32_t i = 0; i < edges; i++)
        ck_assert_uint_lt(neighbour[i], meshcast_expander_figure(graph, MESHCAST_EXPANDER_C));
    free(neighbour);
    json_decref(json);
    meshcast_bracket_free(bracket);
    meshcast_expander_free(graph);
}

/* graphs of each kind expand by what the program says, and are written and read as they are */
START_TEST(expanders)
{
    struct meshcast_error error = {0};
    struct meshcast_expander *graph = meshcast_expander_random(64, 16, 4, 7, &error);
    ck_assert_ptr_nonnull(graph);
    case_check_ok(meshcast_expander_write(graph, case_file("g.expander"), "a graph", &error),
                  &error);
    check_expander(meshcast_expander_read(case_file("g.expander"), &error), 0,
                   "$M expander check $T/g.expander --json");
    check_expander(graph, 8, "$M expander check --inputs 64 --c 8 --r 4 --seed 7 --json");
    check_expander(meshcast_expander_reed_solomon(64, 4, 8, 0, &error), 0,
                   "$M expander check --inputs 64 --r 4 --graph rs --q 8 --json");
}
END_TEST

Suite *library_subjects_suite(void)
{
    Suite *suite = suite_create("library_subjects");
    TCase *tests = tcase_create("library_subjects");
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_test(tests, kept);
    tcase_add_test(tests, kernels);
    tcase_add_test(tests, least_buffer);
    tcase_add_test(tests, comparisons);
    tcase_add_test(tests, races);
    tcase_add_test(tests, searches);
    tcase_add_test(tests, expanders);
    suite_add_tcase(suite, tests);
    return suite;
}
