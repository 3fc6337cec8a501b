/* test_library_networks.c - topologies, sets on them, plans, networks and loads by the public headers.
 *
 * Oracle: the program with the same set and options, whose JSON is read; beside it sums that must agree.
 */
#include "library/meshcast_load.h"
#include "test/library/library_case.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

Suite *library_networks_suite(void);

/* ---- schemes ---- */

static const char *const cost_keys[] = {"traffic",      "additional_traffic", "startups",
                                        "longest_path", "all_port",           "one_port",
                                        "steps",        "link_worms",         "shared_links"};

/* every scheme's plans cost what the program says, message by message together */
START_TEST(costs_of_plans)
{
    struct meshcast_error error = {0};
    struct meshcast_set *set = case_set("--rows 6 --cols 8 --pattern uniform --degree 6 --seed 2");
    for (uint32_t i = 0; i < meshcast_schemes(); i++) {
        char command[256];
        const struct meshcast_scheme *scheme = meshcast_scheme_at(i);
        struct meshcast_plans *plans;
        const uint32_t *message;
        enum meshcast_status status = meshcast_plan(scheme, set, NULL, NULL, &plans, &error);
        snprintf(command, sizeof command, "$M plan $T/a.mcast --scheme %s --json",
                 meshcast_scheme_name(scheme));
        if (status == MESHCAST_USAGE) { /* so does the program */
            const struct outcome *outcome = program_run("%s", command);
            ck_assert_int_eq(outcome->status, 2);
            ck_assert_msg(strstr(outcome->err, error.text) != NULL, "%s", error.text);
            continue;
        }
        case_check_ok(status, &error);
        json_t *array = case_program(command), *json = json_array_get(array, 0);
        uint32_t messages = meshcast_plans_messages(plans, &message);
        ck_assert_uint_eq(messages, meshcast_set_figure(set, MESHCAST_SET_MESSAGES));
        CHECK_PAIRS(json, {"messages", messages}, {"deliveries", meshcast_plans_deliveries(plans)});
        for (int c = 0; c < 7; c++) {
            enum meshcast_cost cost = (enum meshcast_cost)c;
            const uint64_t *costs = meshcast_plans_costs(plans, cost);
            ck_assert_int_eq(costs == NULL, json_is_null(json_object_get(json, cost_keys[c])));
            if (costs == NULL)
                continue;
            bool is_total = cost <= MESHCAST_COST_STARTUPS;
            CHECK_PAIRS(json, {cost_keys[c], is_total ? meshcast_plans_total(plans, cost)
                                                      : meshcast_plans_largest(plans, cost)});
            ck_assert_uint_eq(case_sum(costs, messages), meshcast_plans_total(plans, cost));
        }
        json_decref(array);
        meshcast_plans_free(plans);
    }
    meshcast_set_free(set);
}
END_TEST

static struct meshcast_network_options *network_options(const uint64_t (*number)[2], size_t count)
{
    struct meshcast_error error = {0};
    struct meshcast_network_options *options = meshcast_network_options_new();
    for (size_t i = 0; i < count; i++)
        case_check_ok(meshcast_network_options_set(options,
                                                   (enum meshcast_network_number)number[i][0],
                                                   number[i][1], &error),
                      &error);
    return options;
}

static void check_network(const struct meshcast_network *network, const json_t *json)
{
#define FIGURE(name) meshcast_network_figure(network, MESHCAST_NETWORK_##name)
    CHECK_PAIRS(json, {"cycles", FIGURE(CYCLES)}, {"messages", FIGURE(MESSAGES)},
                {"deliveries", FIGURE(DELIVERIES)}, {"delivered", FIGURE(DELIVERED)},
                {"missing", FIGURE(MISSING)}, {"startups", FIGURE(STARTUPS)},
                {"channel_crossings", FIGURE(CROSSINGS)}, {"buffer_peak", FIGURE(BUFFER_PEAK)},
                {"unsent_peak", FIGURE(UNSENT_PEAK)}, {"lower_bound", FIGURE(LOWER_BOUND)},
                {"deliveries_at_home", FIGURE(DELIVERIES_AT_HOME)});
    CHECK_PAIRS(json_object_get(json, "latency"), {"median", FIGURE(LATENCY_MEDIAN)},
                {"p95", FIGURE(LATENCY_P95)}, {"p99", FIGURE(LATENCY_P99)},
                {"max", FIGURE(LATENCY_MAX)});
    CHECK_PAIRS(json_object_get(json, "busiest_link"), {"from", FIGURE(BUSIEST_FROM)},
                {"to", FIGURE(BUSIEST_TO)}, {"flits", FIGURE(BUSIEST_FLITS)});
    case_check_number(json_object_get(json, "latency"), "mean",
                      meshcast_network_latency_mean(network));
    ck_assert_str_eq(program_run_text(json, "lower_bound_kind"),
                     meshcast_network_lower_bound_kind(network));
#undef FIGURE
}

/* a burst on a torus of three dimensions is the program's, its links and messages agree with its counts */
START_TEST(networks)
{
    struct meshcast_error error = {0};
    const uint64_t number[][2] = {{MESHCAST_NETWORK_FLITS, 4},   {MESHCAST_NETWORK_MOST_FLITS, 9},
                                  {MESHCAST_NETWORK_VCS, 2},     {MESHCAST_NETWORK_BUFFER, 2},
                                  {MESHCAST_NETWORK_STARTUP, 5}, {MESHCAST_NETWORK_SOURCES, 20},
                                  {MESHCAST_NETWORK_SEED, 3},    {MESHCAST_NETWORK_KEEP_LINKS, 1}};
    struct meshcast_set *set =
        case_set("--topology torus:3x4x5 --pattern uniform --degree 4 --seed 2");
    struct meshcast_topology *torus = meshcast_topology_parse("torus:3x4x5", &error);
    struct meshcast_network_options *options = network_options(number, 8);
    struct meshcast_network *network;
    uint64_t links, most = 0;
    ck_assert(!meshcast_set_is_routable(set) && meshcast_set_nodes(set) == 60);
    ck_assert_str_eq(meshcast_set_topology(set), "torus:3x4x5");
    case_check_ok(meshcast_network_run(meshcast_scheme_find("unicast", NULL), set, torus, options,
                                       case_file("a.trace"), &network, &error),
                  &error);
    json_t *json =
        case_program("$M network $T/a.mcast --scheme unicast --flits 4:9 --vcs 2 --buffer 2 "
                     "--startup 5 --sources 20 --seed 3 --trace $T/b.trace --json");
    check_network(network, json);
    ck_assert_int_eq(program_run("cmp $T/a.trace $T/b.trace")->status, 0);
    const uint64_t *flits = meshcast_network_link_flits(network, &links);
    ck_assert_uint_eq(links, meshcast_topology_links(torus));
    ck_assert_uint_eq(case_sum(flits, links),
                      meshcast_network_figure(network, MESHCAST_NETWORK_CROSSINGS));
    for (uint64_t link = 0; link < links; link++) {
        uint32_t from = UINT32_MAX, to = UINT32_MAX;
        bool is_link = meshcast_topology_link(torus, link, &from, &to);
        ck_assert(is_link ? from < 60 && to < 60 && from != to : flits[link] == 0);
        most = flits[link] > most ? flits[link] : most;
    }
    ck_assert_uint_eq(most, meshcast_network_figure(network, MESHCAST_NETWORK_BUSIEST_FLITS));
    const uint64_t *delivered = meshcast_network_delivered(network);
    uint64_t last = 0, count = meshcast_network_figure(network, MESHCAST_NETWORK_MESSAGES);
    for (uint64_t i = 0; i < count; i++)
        last = delivered[i] > last ? delivered[i] : last;
    ck_assert_uint_eq(count, 20);
    ck_assert_uint_eq(last, meshcast_network_figure(network, MESHCAST_NETWORK_CYCLES));
    ck_assert_uint_eq(last, meshcast_network_figure(network, MESHCAST_NETWORK_LATENCY_MAX));
    json_decref(json);
    meshcast_network_free(network);
    meshcast_network_options_free(options);
    meshcast_topology_free(torus);
    meshcast_set_free(set);
}
END_TEST

/* a deadlock is a check that fails, with a cycle of headers, which is the program's */
START_TEST(deadlock)
{
    struct meshcast_error error = {0};
    const uint64_t number[][2] = {{MESHCAST_NETWORK_FLITS, 40}, {MESHCAST_NETWORK_CONSUMPTION, 1}};
    struct meshcast_set *set = case_set("--side 8 --pattern uniform --degree 8 --seed 1");
    struct meshcast_network_options *options = network_options(number, 2);
    struct meshcast_network *network;
    uint32_t waits;
    const struct meshcast_scheme *scheme = meshcast_scheme_find("dual", &error);
    enum meshcast_status status =
        meshcast_network_run(scheme, set, NULL, options, NULL, &network, &error);
    const struct outcome *outcome =
        program_run("$M network $T/a.mcast --scheme %s --flits 40 --consumption 1 --json",
                    meshcast_scheme_name(scheme));
    ck_assert_int_eq(outcome->status, (int)status);
    ck_assert_int_eq(status, MESHCAST_CHECK);
    ck_assert_msg(strstr(outcome->err, error.text) != NULL, "%s", error.text);
    json_t *json = program_run_json();
    const struct meshcast_wait *wait = meshcast_network_deadlock(network, &waits);
    const json_t *array = json_object_get(json, "deadlock");
    ck_assert_uint_gt(waits, 1);
    ck_assert_uint_eq(json_array_size(array), waits);
    for (uint32_t i = 0; i < waits; i++) {
        CHECK_PAIRS(json_array_get(array, i), {"message", wait[i].message}, {"worm", wait[i].worm},
                    {"node", wait[i].node}, {"waits_for", wait[i].waits_for},
                    {"source", wait[i].source}, {"to", wait[i].to});
        ck_assert_str_eq(program_run_text(json_array_get(array, i), "needs"), wait[i].needs);
    }
    json_decref(json);
    meshcast_network_free(network);
    meshcast_network_options_free(options);
    meshcast_set_free(set);
}
END_TEST

static void check_load(const struct meshcast_traffic *traffic, const char *command)
{
    struct meshcast_error error = {0};
    const uint64_t number[][2] = {{MESHCAST_NETWORK_FLITS, 4},
                                  {MESHCAST_NETWORK_SEED, 5},
                                  {MESHCAST_NETWORK_WARMUP, 200},
                                  {MESHCAST_NETWORK_MEASURE, 1000}};
    struct meshcast_topology *mesh = meshcast_topology_parse("mesh:6x6", &error);
    struct meshcast_network_options *options = network_options(number, 4);
    struct meshcast_load *load;
    double half_width;
    case_check_ok(meshcast_load_run(mesh, meshcast_scheme_find("dual", NULL), traffic, options,
                                    &load, &error),
                  &error);
    json_t *json = case_program(command);
    const json_t *point = json_array_get(json_object_get(json, "points"), 0);
#define FIGURE(name) meshcast_load_figure(load, MESHCAST_LOAD_##name)
    CHECK_PAIRS(point, {"runs", FIGURE(RUNS)}, {"cycles", FIGURE(CYCLES)},
                {"messages", FIGURE(MESSAGES)}, {"startups", FIGURE(STARTUPS)},
                {"channel_crossings", FIGURE(CROSSINGS)}, {"buffer_peak", FIGURE(BUFFER_PEAK)},
                {"median", FIGURE(LATENCY_MEDIAN)}, {"p95", FIGURE(LATENCY_P95)},
                {"p99", FIGURE(LATENCY_P99)}, {"max", FIGURE(LATENCY_MAX)},
                {"warmup", FIGURE(WARMUP)}, {"measure", FIGURE(MEASURED)});
    ck_assert_int_eq(json_is_true(json_object_get(point, "saturated")), FIGURE(IS_SATURATED));
    case_check_number(point, "latency", meshcast_load_latency(load, &half_width));
    case_check_number(point, "half_width", half_width);
    case_check_number(point, "accepted", meshcast_load_accepted(load));
    case_check_number(point, "capacity", meshcast_load_capacity(load));
    ck_assert_double_eq(json_number_value(json_object_get(point, "routing_capacity")),
                        meshcast_load_routing_capacity(load));
#undef FIGURE
    json_decref(json);
    meshcast_load_free(load);
    meshcast_network_options_free(options);
    meshcast_topology_free(mesh);
}

/* points of load are the program's: uniform, a mix, a permutation, the messages of a set */
START_TEST(loads)
{
    struct meshcast_set *set = case_set("--side 6 --pattern uniform --degree 3 --seed 1");
#define LOAD                                                                                       \
    "$M load --topology mesh:6x6 --scheme dual --flits 4 --seed 5 --warmup 200 --measure 1000 "    \
    "--json --rate 0.01 "
    check_load(&(struct meshcast_traffic){.rate = 0.01, .destinations = 3},
               LOAD "--destinations 3");
    check_load(&(struct meshcast_traffic){.rate = 0.01, .destinations = 5, .multicast_share = 0.25},
               LOAD "--destinations 5 --multicast-share 0.25");
    check_load(&(struct meshcast_traffic){.rate = 0.01, .pattern = "transpose"},
               LOAD "--pattern transpose");
    check_load(&(struct meshcast_traffic){.rate = 0.01, .set = set}, LOAD "--set $T/a.mcast");
    meshcast_set_free(set);
}
END_TEST

/* without lengths of its own a point has those that the program gives it */
START_TEST(load_lengths)
{
    struct meshcast_error error = {0};
    struct meshcast_topology *mesh = meshcast_topology_parse("mesh:4x4", &error);
    struct meshcast_traffic traffic = {.rate = 0.02};
    struct meshcast_load *load;
    case_check_ok(meshcast_load_run(mesh, meshcast_scheme_find("unicast", NULL), &traffic, NULL,
                                    &load, &error),
                  &error);
    json_t *json = case_program("$M load --topology mesh:4x4 --scheme unicast --rate 0.02 --json");
    CHECK_PAIRS(json_array_get(json_object_get(json, "points"), 0),
                {"warmup", meshcast_load_figure(load, MESHCAST_LOAD_WARMUP)},
                {"measure", meshcast_load_figure(load, MESHCAST_LOAD_MEASURED)},
                {"cycles", meshcast_load_figure(load, MESHCAST_LOAD_CYCLES)});
    json_decref(json);
    meshcast_load_free(load);
    meshcast_topology_free(mesh);
}
END_TEST

/* ---- sets ---- */

/* sets from arrays, patterns and matrices on any topology are the program's files */
START_TEST(sets)
{
    struct meshcast_error error = {0};
    struct meshcast_generate plan = {.pattern = "uniform", .degree = 3, .seed = 9, .per_node = 2};
    struct meshcast_topology *mesh = meshcast_topology_parse("mesh:4x5", &error);
    struct meshcast_set *set = meshcast_set_generate_on(mesh, &plan, &error);
    ck_assert_msg(set != NULL, "%s", error.text);
    ck_assert(meshcast_set_is_routable(set));
    ck_assert_uint_eq(meshcast_set_figure(set, MESHCAST_SET_MESSAGES_PER_NODE), 2);
    case_check_ok(meshcast_set_write(set, case_file("l.mcast"), NULL, &error), &error);
    program_run("$M gen --rows 4 --cols 5 --pattern uniform --degree 3 --seed 9 --per-node 2 -o "
                "$T/p.mcast");
    ck_assert_int_eq(program_run("grep -v '#' $T/p.mcast | cmp - $T/l.mcast")->status, 0);
    meshcast_set_free(set);

    const uint32_t source[] = {3, 3, 0}, destination[] = {7, 1, 0, 5, 9, 8}, flits[] = {0, 12, 1};
    const uint64_t offset[] = {0, 3, 4, 6};
    uint32_t from;
    uint64_t count;
    set = meshcast_set_from_messages(mesh, 3, source, offset, destination, flits, &error);
    ck_assert_msg(set != NULL, "%s", error.text);
    ck_assert_uint_eq(meshcast_set_flits(set, 1), 12);
    ck_assert(!meshcast_set_is_routable(set));
    const uint32_t *to = meshcast_set_message(set, 0, &from, &count);
    ck_assert(from == 3 && count == 3 && to[0] == 0 && to[1] == 1 && to[2] == 7);
    struct meshcast_result *result;
    ck_assert_int_eq(meshcast_run(meshcast_router_find("trees", NULL), set, NULL, &result, &error),
                     MESHCAST_USAGE);
    ck_assert_ptr_null(result);
    meshcast_set_free(set);
    set = meshcast_set_from_messages(mesh, 3, source, offset, destination, NULL, &error);
    ck_assert(set != NULL && meshcast_set_is_routable(set) && meshcast_set_flits(set, 0) == 0);
    case_check_ok(meshcast_run(meshcast_router_find("trees", NULL), set, NULL, &result, &error),
                  &error);
    meshcast_result_free(result);
    meshcast_set_free(set);
    meshcast_topology_free(mesh);

    program_run_file("e.el", "0 1\n1 2\n2 3\n3 0\n0 2\n");
    set = meshcast_set_import_many(case_file("e.el"), NULL, 2, NULL, &error);
    ck_assert_msg(set != NULL, "%s", error.text);
    case_check_ok(meshcast_set_write(set, case_file("l.mcast"), NULL, &error), &error);
    program_run("$M import $T/e.el --per-node 2 -o $T/p.mcast");
    ck_assert_int_eq(program_run("grep -v '#' $T/p.mcast | cmp - $T/l.mcast")->status, 0);
    meshcast_set_free(set);
}
END_TEST

/* a graph from edges is that of their list, and plans on it are those of the file */
START_TEST(graphs)
{
    struct meshcast_error error = {0};
    const uint32_t from[] = {0, 1, 2, 3, 4}, to[] = {1, 2, 3, 4, 0};
    struct meshcast_topology *graph = meshcast_topology_from_edges(5, from, to, &error);
    struct meshcast_plans *plans;
    uint32_t one, other;
    ck_assert_msg(graph != NULL, "%s", error.text);
    ck_assert_str_eq(meshcast_topology_text(graph), "graph:5");
    ck_assert_uint_eq(meshcast_topology_nodes(graph), 5);
    ck_assert_uint_eq(meshcast_topology_links(graph), 10);
    ck_assert(meshcast_topology_link(graph, 1, &one, &other) && one == 0 && other == 4);
    ck_assert(!meshcast_topology_link(graph, 10, &one, &other));
    const uint32_t source[] = {1}, destination[] = {4, 3};
    const uint64_t offset[] = {0, 2};
    struct meshcast_set *set =
        meshcast_set_from_messages(graph, 1, source, offset, destination, NULL, &error);
    ck_assert_ptr_nonnull(set);
    case_check_ok(meshcast_set_write(set, case_file("g.mcast"), NULL, &error), &error);
    program_run_file("g.el", "0 1\n1 2\n2 3\n3 4\n4 0\n");
    const struct meshcast_scheme *scheme = meshcast_scheme_find("dual", NULL);
    ck_assert_int_eq(meshcast_plan(scheme, set, NULL, NULL, &plans, &error), MESHCAST_USAGE);
    case_check_ok(meshcast_plan(scheme, set, graph, NULL, &plans, &error), &error);
    json_t *json = case_program("$M plan $T/g.mcast --scheme dual --topology graph:$T/g.el --json");
    CHECK_PAIRS(json_array_get(json, 0),
                {"traffic", meshcast_plans_total(plans, MESHCAST_COST_TRAFFIC)});
    json_decref(json);
    meshcast_plans_free(plans);
    meshcast_set_free(set);
    meshcast_topology_free(graph);
}
END_TEST

Suite *library_networks_suite(void)
{
    Suite *suite = suite_create("library_networks");
    TCase *tests = tcase_create("library_networks");
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_test(tests, costs_of_plans);
    tcase_add_test(tests, networks);
    tcase_add_test(tests, deadlock);
    tcase_add_test(tests, loads);
    tcase_add_test(tests, load_lengths);
    tcase_add_test(tests, sets);
    tcase_add_test(tests, graphs);
    suite_add_tcase(suite, tests);
    return suite;
}
