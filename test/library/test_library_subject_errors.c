/* test_library_subject_errors.c - the error rule of the headers beside meshcast.h: mistakes are statuses with a line that
 * names the remedy, and leave NULL.
 *
 * Oracle: none but the headers' promises, written down here row by row.
 */
#include "library/meshcast_compare.h"
#include "library/meshcast_expander.h"
#include "library/meshcast_kernel.h"
#include "library/meshcast_load.h"
#include "library/meshcast_own_router.h"
#include "library/meshcast_search.h"

#include <check.h>
#include <string.h>

Suite *library_subject_errors_suite(void);

/* What the calls need; all of it is right. */
static struct scene {
    struct meshcast_topology *mesh, *torus;
    struct meshcast_set *set, *on_torus;
    struct meshcast_options *options;
    struct meshcast_network_options *network;
    const struct meshcast_router *trees;
    const struct meshcast_scheme *dual;
    struct meshcast_expander *graph;
} scene;

static void setup(void)
{
    struct meshcast_generate plan = {.pattern = "uniform", .degree = 3};
    scene.mesh = meshcast_topology_parse("mesh:4x4", NULL);
    scene.torus = meshcast_topology_parse("torus:4x4", NULL);
    scene.set = meshcast_set_generate_on(scene.mesh, &plan, NULL);
    scene.on_torus = meshcast_set_generate_on(scene.torus, &plan, NULL);
    scene.options = meshcast_options_new();
    scene.network = meshcast_network_options_new();
    scene.trees = meshcast_router_find("trees", NULL);
    scene.dual = meshcast_scheme_find("dual", NULL);
    scene.graph = meshcast_expander_reed_solomon(64, 4, 8, 0, NULL);
    ck_assert(scene.set != NULL && scene.on_torus != NULL && scene.graph != NULL);
}

static void teardown(void)
{
    meshcast_topology_free(scene.mesh);
    meshcast_topology_free(scene.torus);
    meshcast_set_free(scene.set);
    meshcast_set_free(scene.on_torus);
    meshcast_options_free(scene.options);
    meshcast_network_options_free(scene.network);
    meshcast_expander_free(scene.graph);
}

/* Each is wrong in one way; true: something was given all the same. */
typedef bool wrong(struct meshcast_error *error);

/* ---- topologies and sets ---- */

static bool topology_text(struct meshcast_error *error)
{
    return meshcast_topology_parse("ring:5", error) != NULL;
}

static bool topology_edge(struct meshcast_error *error)
{
    const uint32_t from[] = {0, 1}, to[] = {1, 1};
    return meshcast_topology_from_edges(2, from, to, error) != NULL;
}

static bool from_messages(uint32_t source, uint64_t end, uint32_t one, uint32_t other,
                          uint32_t flits, struct meshcast_error *error)
{
    const uint64_t offset[] = {0, end};
    const uint32_t destination[] = {one, other};
    return meshcast_set_from_messages(scene.mesh, 1, &source, offset, destination, &flits, error) !=
           NULL;
}

static bool message_source(struct meshcast_error *error)
{
    return from_messages(16, 2, 1, 2, 0, error);
}

static bool message_empty(struct meshcast_error *error)
{
    return from_messages(0, 0, 1, 2, 0, error);
}

static bool message_destination(struct meshcast_error *error)
{
    return from_messages(0, 2, 1, 16, 0, error);
}

static bool message_twice(struct meshcast_error *error)
{
    return from_messages(0, 2, 7, 7, 0, error);
}

static bool message_flits(struct meshcast_error *error)
{
    return from_messages(0, 2, 1, 2, UINT32_MAX, error);
}

static bool generate_groups(struct meshcast_error *error)
{
    struct meshcast_generate plan = {.pattern = "uniform", .groups = 4};
    return meshcast_set_generate_on(scene.torus, &plan, error) != NULL;
}

static bool generate_domain(struct meshcast_error *error)
{
    struct meshcast_generate plan = {.pattern = "worst"};
    struct meshcast_topology *cube = meshcast_topology_parse("mesh:3x3x3", NULL);
    bool is_given = meshcast_set_generate_on(cube, &plan, error) != NULL;
    meshcast_topology_free(cube);
    return is_given;
}

static bool run_on_torus(struct meshcast_error *error)
{
    struct meshcast_result *result;
    meshcast_run(scene.trees, scene.on_torus, NULL, &result, error);
    return result != NULL;
}

/* ---- the machine ---- */

static bool kernel_name(struct meshcast_error *error)
{
    return meshcast_kernel_find("srot", error) != NULL;
}

static bool run_kernel(struct meshcast_kernel_input input, struct meshcast_error *error)
{
    struct meshcast_kernel_result *result;
    meshcast_kernel_run(meshcast_kernel_find("sort", NULL), &input, NULL, &result, error);
    return result != NULL;
}

static bool kernel_side(struct meshcast_error *error)
{
    return run_kernel((struct meshcast_kernel_input){.k = 1}, error);
}

static bool kernel_pattern(struct meshcast_error *error)
{
    return run_kernel((struct meshcast_kernel_input){.side = 8, .pattern = "tranpose"}, error);
}

static bool kernel_method(struct meshcast_error *error)
{
    return run_kernel((struct meshcast_kernel_input){.side = 8, .method = "quick"}, error);
}

static bool kernel_load(struct meshcast_error *error)
{
    return run_kernel((struct meshcast_kernel_input){.side = 8, .load = 101}, error);
}

static bool stress_points(struct meshcast_error *error)
{
    struct meshcast_stress *stress;
    meshcast_stress_run(scene.trees, scene.set, 1, false, NULL, &stress, error);
    return stress != NULL;
}

static bool stress_refusal(struct meshcast_error *error)
{
    struct meshcast_stress *stress;
    meshcast_options_set_parameter(scene.options, "treee", "vh", NULL);
    meshcast_stress_run(scene.trees, scene.set, 0, false, scene.options, &stress, error);
    return stress != NULL;
}

static bool compare(const char *parameters, struct meshcast_error *error)
{
    const struct meshcast_runner runner = {scene.trees, parameters};
    struct meshcast_comparison *comparison;
    meshcast_compare(&runner, 1, scene.set, scene.options, &comparison, error);
    return comparison != NULL;
}

static bool compare_own(struct meshcast_error *error)
{
    return compare("tree:slots=1", error);
}

static bool compare_none(struct meshcast_error *error)
{
    return compare("tree=oak", error);
}

static bool compare_common(struct meshcast_error *error)
{
    meshcast_options_set_parameter(scene.options, "rr", "2", NULL);
    return compare(NULL, error);
}

static bool race_buffer(struct meshcast_error *error)
{
    struct meshcast_race *race;
    meshcast_options_set(scene.options, MESHCAST_BUFFER, 3, NULL);
    meshcast_race_run(NULL, 0, scene.set, scene.options, &race, error);
    return race != NULL;
}

static bool search(struct meshcast_search_space space, struct meshcast_error *error)
{
    struct meshcast_search *found;
    space.tries = 2;
    meshcast_search_run(scene.trees, &space, scene.options, &found, error);
    return found != NULL;
}

static bool search_nowhere(struct meshcast_error *error)
{
    return search((struct meshcast_search_space){.congestion = 4}, error);
}

static bool stress_reduction(struct meshcast_error *error)
{
    struct meshcast_stress *stress;
    meshcast_options_set(scene.options, MESHCAST_REDUCES, 1, NULL);
    meshcast_stress_run(scene.trees, scene.set, 0, false, scene.options, &stress, error);
    return stress != NULL;
}

static bool race_reduction(struct meshcast_error *error)
{
    struct meshcast_race *race;
    meshcast_options_set(scene.options, MESHCAST_REDUCES, 1, NULL);
    meshcast_race_run(NULL, 0, scene.set, scene.options, &race, error);
    return race != NULL;
}

static bool search_reduction(struct meshcast_error *error)
{
    meshcast_options_set(scene.options, MESHCAST_REDUCES, 1, NULL);
    return search((struct meshcast_search_space){.rows = 4, .cols = 4}, error);
}

static bool search_mesh(struct meshcast_error *error)
{
    return search((struct meshcast_search_space){.rows = 4}, error);
}

static bool search_less_congestion(struct meshcast_error *error)
{
    return search(
        (struct meshcast_search_space){.rows = 4, .cols = 4, .congestion = 2, .per_node = 3},
        error);
}

static bool search_other_mesh(struct meshcast_error *error)
{
    const struct meshcast_set *given = scene.set;
    return search((struct meshcast_search_space){.rows = 5, .cols = 5, .set = &given, .sets = 1},
                  error);
}

static bool search_congestion(struct meshcast_error *error)
{
    const struct meshcast_set *given = scene.set;
    return search((struct meshcast_search_space){.congestion = 1, .set = &given, .sets = 1}, error);
}

static bool expander_sizes(struct meshcast_error *error)
{
    return meshcast_expander_random(4, 8, 2, 1, error) != NULL;
}

static bool expander_field(struct meshcast_error *error)
{
    return meshcast_expander_reed_solomon(64, 4, 1, 0, error) != NULL;
}

static bool expander_file(struct meshcast_error *error)
{
    return meshcast_expander_read("/nowhere/g.expander", error) != NULL;
}

static bool expander_groups(struct meshcast_error *error)
{
    struct meshcast_bracket *bracket;
    meshcast_expander_check(scene.graph, 16, NULL, &bracket, error);
    return bracket != NULL;
}

/* ---- the network ---- */

static bool scheme_name(struct meshcast_error *error)
{
    return meshcast_scheme_find("duel", error) != NULL;
}

static bool network_number(struct meshcast_error *error)
{
    return meshcast_network_options_set(scene.network, (enum meshcast_network_number)99, 0,
                                        error) == MESHCAST_OK;
}

static bool network_value(struct meshcast_error *error)
{
    return meshcast_network_options_set(scene.network, MESHCAST_NETWORK_VCS, 65, error) ==
           MESHCAST_OK;
}

static bool network_empty_parameter(struct meshcast_error *error)
{
    return meshcast_network_options_set_parameter(scene.network, "", "x", error) == MESHCAST_OK;
}

static bool plan(const struct meshcast_topology *topology, struct meshcast_error *error)
{
    struct meshcast_plans *plans;
    meshcast_plan(scene.dual, scene.set, topology, scene.network, &plans, error);
    return plans != NULL;
}

static bool plan_topology(struct meshcast_error *error)
{
    return plan(scene.torus, error);
}

static bool plan_parameter(struct meshcast_error *error)
{
    meshcast_network_options_set_parameter(scene.network, "colour", "red", NULL);
    return plan(NULL, error);
}

static bool plan_sources(struct meshcast_error *error)
{
    meshcast_network_options_set(scene.network, MESHCAST_NETWORK_SOURCES, 17, NULL);
    return plan(NULL, error);
}

static bool plan_flits(struct meshcast_error *error)
{
    meshcast_network_options_set(scene.network, MESHCAST_NETWORK_FLITS, 9, NULL);
    meshcast_network_options_set(scene.network, MESHCAST_NETWORK_MOST_FLITS, 3, NULL);
    return plan(NULL, error);
}

static bool network(const char *trace, struct meshcast_error *error)
{
    struct meshcast_network *run;
    meshcast_network_run(scene.dual, scene.set, NULL, scene.network, trace, &run, error);
    return run != NULL;
}

static bool network_settings(struct meshcast_error *error)
{
    meshcast_network_options_set(scene.network, MESHCAST_NETWORK_FLITS, 9, NULL);
    meshcast_network_options_set(scene.network, MESHCAST_NETWORK_SWITCHING, MESHCAST_CUT_THROUGH,
                                 NULL);
    return network(NULL, error);
}

static bool network_trace(struct meshcast_error *error)
{
    return network("/nowhere/trace", error);
}

static bool load(struct meshcast_traffic traffic, struct meshcast_error *error)
{
    struct meshcast_load *point;
    meshcast_load_run(scene.mesh, scene.dual, &traffic, scene.network, &point, error);
    return point != NULL;
}

static bool load_rate(struct meshcast_error *error)
{
    return load((struct meshcast_traffic){.rate = 0}, error);
}

static bool load_both(struct meshcast_error *error)
{
    return load((struct meshcast_traffic){.rate = 0.1, .pattern = "random", .set = scene.set},
                error);
}

static bool load_destinations(struct meshcast_error *error)
{
    return load((struct meshcast_traffic){.rate = 0.1, .pattern = "random", .destinations = 2},
                error);
}

static bool load_share(struct meshcast_error *error)
{
    return load((struct meshcast_traffic){.rate = 0.1, .multicast_share = 1.5}, error);
}

static bool load_pattern(struct meshcast_error *error)
{
    return load((struct meshcast_traffic){.rate = 0.1, .pattern = "randon"}, error);
}

static bool load_ends(struct meshcast_error *error)
{
    meshcast_network_options_set(scene.network, MESHCAST_NETWORK_FINITE, 1, NULL);
    meshcast_network_options_set(scene.network, MESHCAST_NETWORK_UNTIL_DONE, 1, NULL);
    return load((struct meshcast_traffic){.rate = 0.1}, error);
}

static bool load_endless(struct meshcast_error *error)
{
    meshcast_network_options_set(scene.network, MESHCAST_NETWORK_UNTIL_DONE, 1, NULL);
    meshcast_network_options_set(scene.network, MESHCAST_NETWORK_FLITS, 100, NULL);
    return load((struct meshcast_traffic){.rate = 1}, error);
}

/* ---- rows ---- */

static const struct row {
    wrong *call;
    enum meshcast_status status;
    const char *text;
} ROWS[] = {
    {topology_text, MESHCAST_USAGE, "unknown topology 'ring'"},
    {topology_edge, MESHCAST_INPUT, "edges:2"},
    {message_source, MESHCAST_USAGE, "message 0 is from node 16; the nodes are 0 to 15"},
    {message_empty, MESHCAST_USAGE, "message 0 has no destination"},
    {message_destination, MESHCAST_USAGE, "message 0 goes to node 16"},
    {message_twice, MESHCAST_USAGE, "message 0 goes to node 7 twice"},
    {message_flits, MESHCAST_USAGE, "the most is 16777216"},
    {generate_groups, MESHCAST_USAGE, "allgather"},
    {generate_domain, MESHCAST_USAGE, "worst"},
    {run_on_torus, MESHCAST_USAGE, "the set is on torus:4x4"},
    {kernel_name, MESHCAST_USAGE, "sort"},
    {kernel_side, MESHCAST_USAGE, "expected 1 to 8192"},
    {kernel_pattern, MESHCAST_USAGE, "transpose"},
    {kernel_method, MESHCAST_USAGE, "quick"},
    {kernel_load, MESHCAST_USAGE, "percentage"},
    {stress_points, MESHCAST_USAGE, "2 to 1000"},
    {stress_refusal, MESHCAST_USAGE, "tree"},
    {compare_own, MESHCAST_USAGE, "NAME=VALUE"},
    {compare_none, MESHCAST_USAGE, "no router runs with these options"},
    {compare_common, MESHCAST_USAGE, "none of the routers has a parameter 'rr'"},
    {race_buffer, MESHCAST_USAGE, "leave the buffer out"},
    {stress_reduction, MESHCAST_USAGE, "the least buffer has no reductions"},
    {race_reduction, MESHCAST_USAGE, "a race has no reductions"},
    {search_reduction, MESHCAST_USAGE, "bad sets has no reductions"},
    {search_nowhere, MESHCAST_USAGE, "the search wants a mesh"},
    {search_mesh, MESHCAST_USAGE, "a mesh of 4 x 0 nodes"},
    {search_other_mesh, MESHCAST_USAGE, "set 0 is for 4 x 4 nodes"},
    {search_congestion, MESHCAST_USAGE, "the search has 1"},
    {search_less_congestion, MESHCAST_USAGE, "a congestion of 2 is less than the 3 messages"},
    {expander_sizes, MESHCAST_USAGE, ""},
    {expander_field, MESHCAST_USAGE, "prime power"},
    {expander_file, MESHCAST_SYSTEM, "/nowhere/g.expander"},
    {expander_groups, MESHCAST_USAGE, ""},
    {scheme_name, MESHCAST_USAGE, "dual"},
    {network_number, MESHCAST_USAGE, "99"},
    {network_value, MESHCAST_USAGE, "the most is 64"},
    {network_empty_parameter, MESHCAST_USAGE, "a name and a value"},
    {plan_topology, MESHCAST_USAGE, "the topology is torus:4x4, but the set is of mesh:4x4"},
    {plan_parameter, MESHCAST_USAGE, "colour"},
    {plan_sources, MESHCAST_USAGE, "--sources 17"},
    {plan_flits, MESHCAST_USAGE, "9 to 3 flits"},
    {network_settings, MESHCAST_USAGE, "buffer"},
    {network_trace, MESHCAST_SYSTEM, "/nowhere/trace"},
    {load_rate, MESHCAST_USAGE, "above 0"},
    {load_both, MESHCAST_USAGE, "exclude each other"},
    {load_share, MESHCAST_USAGE, "how many a multicast has"},
    {load_destinations, MESHCAST_USAGE, "uniform"},
    {load_pattern, MESHCAST_USAGE, "random"},
    {load_ends, MESHCAST_USAGE, "exclude each other"},
    {load_endless, MESHCAST_USAGE, "the run would not end"},
};

/* a mistake is a status with a line that names the remedy, and gives nothing */
START_TEST(errors)
{
    const struct row *row = &ROWS[_i];
    struct meshcast_error error = {.status = MESHCAST_OK, .text = ""};
    ck_assert_msg(!row->call(&error), "row %d gives something", _i);
    ck_assert_msg(error.status == row->status, "row %d: status %d: %s", _i, error.status,
                  error.text);
    ck_assert_msg(strstr(error.text, row->text) != NULL && *error.text != '\0', "row %d: %s", _i,
                  error.text);
    ck_assert(!row->call(NULL));
}
END_TEST

Suite *library_subject_errors_suite(void)
{
    Suite *suite = suite_create("library_subject_errors");
    TCase *tests = tcase_create("library_subject_errors");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, errors, 0, sizeof ROWS / sizeof *ROWS);
    suite_add_tcase(suite, tests);
    return suite;
}
