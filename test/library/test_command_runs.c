/* test_command_runs.c - commands that run routers, by the public header: sets and routers that are
 * given, arrays, observers.
 *
 * Oracle: the same figures are in a report twice, counted by different layers. Output is tested
 * through the program.
 */
#include "test/library_case.h"

#include <check.h>
#include <string.h>

static struct meshcast_set *make_set(void)
{
    return case_gen("pattern=uniform rows=6 cols=5 seed=5");
}

static void count_moves(void *context, uint64_t step, const struct meshcast_event *event,
                        size_t count)
{
    uint64_t *moves = context;
    (void)step;
    for (size_t i = 0; i < count; i++)
        *moves += event[i].kind == 'M';
}

static uint64_t last_of(const struct meshcast_report *report, const char *name)
{
    size_t count;
    const uint64_t *column = meshcast_report_array64(report, name, &count);
    ck_assert_uint_gt(count, 0);
    return column[count - 1];
}

/* The arrays and the observer show the run whose figures are in the report. */
START_TEST(kept)
{
    size_t nodes, links;
    uint64_t moves = 0, hops = 0;
    uint32_t peak = 0;
    struct meshcast_observer observer = {.context = &moves, .events = count_moves};
    struct meshcast_set *set = make_set();
    struct meshcast_command *command =
        case_command("route", set,
                     "router=trees keep-node-peaks keep-link-loads keep-timeline timeline-every=3");
    meshcast_command_set_observer(command, &observer);
    struct meshcast_report *report = case_run(command, NULL);
    const uint32_t *peaks = meshcast_report_array32(report, "node-peaks", &nodes);
    const uint64_t *loads = meshcast_report_array64(report, "link-loads", &links);
    ck_assert_uint_eq(nodes, 30);
    ck_assert_uint_eq(links, 4 * 30);
    for (size_t i = 0; i < nodes; i++)
        peak = peaks[i] > peak ? peaks[i] : peak;
    for (size_t i = 0; i < links; i++)
        hops += loads[i];
    ck_assert_uint_eq(peak, (uint32_t)meshcast_report_figure(report, "buffer_peak"));
    ck_assert_uint_eq(hops, (uint64_t)meshcast_report_figure(report, "packet_hops"));
    ck_assert_uint_eq(moves, hops);
    ck_assert_uint_eq(last_of(report, "timeline.step"),
                      (uint64_t)meshcast_report_figure(report, "steps"));
    ck_assert_uint_eq(last_of(report, "timeline.delivered"),
                      (uint64_t)meshcast_report_figure(report, "deliveries"));
    meshcast_report_free(report);
    meshcast_set_free(set);
}
END_TEST

/* A router that is given is as good as its name. */
START_TEST(given_router)
{
    struct meshcast_set *set = make_set();
    struct meshcast_command *given = case_command("route", set, "");
    struct meshcast_command *named = case_command("route", set, "");
    meshcast_command_give_router(given, meshcast_router_find("stream", NULL));
    case_set_options(named, "router=stream", NULL);
    struct meshcast_report *by_pointer = case_run(given, NULL), *by_name = case_run(named, NULL);
    ck_assert_str_eq(meshcast_report_word(by_pointer, "router"), "stream");
    ck_assert_double_eq(meshcast_report_figure(by_pointer, "steps"),
                        meshcast_report_figure(by_name, "steps"));
    meshcast_report_free(by_pointer);
    meshcast_report_free(by_name);
    meshcast_set_free(set);
}
END_TEST

/* A router that is given to a comparison is a row after the named ones; a search for its buffer
 * finds what --best finds. */
START_TEST(given_routers)
{
    char path[64];
    struct meshcast_set *set = make_set();
    struct meshcast_command *compare = case_command("compare", set, "routers=trees:tree=dds");
    meshcast_command_give_router(compare, meshcast_router_find("unicast", NULL));
    struct meshcast_report *rows = case_run(compare, NULL);
    ck_assert_uint_eq(meshcast_report_size(rows, "runs"), 2);
    ck_assert_str_eq(meshcast_report_word(rows, "runs.0.parameters.tree"), "dds");
    ck_assert_str_eq(meshcast_report_word(rows, "runs.1.router"), "unicast");
    meshcast_report_free(rows);

    struct meshcast_command *stress = case_command("stress", set, "");
    struct meshcast_command *best = case_command("compare", set, "");
    meshcast_command_give_router(stress, meshcast_router_find("unicast", NULL));
    meshcast_command_give_router(best, meshcast_router_find("unicast", NULL));
    case_set_options(stress, "exhaustive", NULL);
    case_set_options(best, "best", NULL);
    struct meshcast_report *least = case_run(stress, NULL), *race = case_run(best, NULL);
    size_t i = 0;
    do {
        snprintf(path, sizeof path, "capacities.%zu.fastest", i++);
        ck_assert_uint_le(i, meshcast_report_size(race, "capacities"));
    } while (meshcast_report_word(race, path) == NULL);
    snprintf(path, sizeof path, "capacities.%zu.capacity", i - 1);
    ck_assert_double_eq(meshcast_report_figure(race, path),
                        meshcast_report_figure(least, "least_capacity"));
    ck_assert_ptr_nonnull(strstr(meshcast_report_csv(race), "\r\n1,unicast,0,refused"));
    meshcast_report_free(race);
    meshcast_report_free(least);
    meshcast_set_free(set);
}
END_TEST

/* Messages name options as a program does. */
START_TEST(refused)
{
    struct meshcast_report *report;
    struct meshcast_error error = {0};
    struct meshcast_set *set = make_set();
    struct meshcast_command *command = case_command("route", set, "router=trees table-limit=3");
    ck_assert_int_eq(meshcast_command_run(command, &report, &error), MESHCAST_USAGE);
    ck_assert_ptr_null(report);
    ck_assert_str_eq(error.text, "table-limit goes with tables");
    meshcast_command_free(command);
    meshcast_set_free(set);
}
END_TEST

/* Runs and frees a command whose text of refusal is `text`. */
static void check_refusal(struct meshcast_command *command, const char *text)
{
    struct meshcast_report *report;
    struct meshcast_error error = {0};
    ck_assert_int_eq(meshcast_command_run(command, &report, &error), MESHCAST_USAGE);
    ck_assert_str_eq(error.text, text);
    meshcast_command_free(command);
}

/* Given inputs are used or refused: more than a command accepts, a kind that it does not accept, or
 * beside an option of the same. */
START_TEST(given_in_vain)
{
    struct meshcast_error error = {0};
    struct meshcast_set *set = make_set();
    struct meshcast_topology *mesh = case_topology("mesh:6x5");
    const struct meshcast_router *trees = meshcast_router_find("trees", NULL);
    struct meshcast_command *command = case_command("search", set, "router=trees side=8");
    for (int i = 1; i < 64; i++)
        ck_assert_int_eq(meshcast_command_give_set(command, set, NULL), MESHCAST_OK);
    ck_assert_int_eq(meshcast_command_give_set(command, set, &error), MESHCAST_USAGE);
    meshcast_command_give_topology(command, mesh);
    check_refusal(command, "search takes no topology");
    command = case_command("network", set, "scheme=unicast topology=mesh:8x8");
    meshcast_command_give_topology(command, mesh);
    check_refusal(command, "a topology is given; leave topology out");
    command = case_command("load", set, "scheme=unicast rate=0.01 topology=mesh:8x8 set=x.mcast");
    check_refusal(command, "a set is given; leave set out");
    command = case_command("info", set, "");
    meshcast_command_give_router(command, trees);
    check_refusal(command, "info takes no router");
    command = case_command("route", set, "router=stream");
    meshcast_command_give_router(command, trees);
    check_refusal(command, "a router is given; leave router and others out");
    command = case_command("compare", set, "");
    for (int i = 0; i < 33; i++)
        meshcast_command_give_router(command, trees);
    check_refusal(command, "routers takes 32 at most");
    meshcast_topology_free(mesh);
    meshcast_set_free(set);
}
END_TEST

/* info takes a topology that is given, for the bounds, and refuses one that is not the set's. */
START_TEST(given_topology)
{
    struct meshcast_set *set = make_set();
    struct meshcast_topology *torus = case_topology("torus:8x8");
    struct meshcast_command *command = case_command("info", set, "");
    meshcast_command_give_topology(command, torus);
    check_refusal(command, "the topology is torus:8x8, but the set is of mesh:6x5");
    meshcast_topology_free(torus);
    meshcast_set_free(set);
}
END_TEST

void command_runs_suite(TCase *tcase)
{
    tcase_add_test(tcase, kept);
    tcase_add_test(tcase, given_router);
    tcase_add_test(tcase, given_routers);
    tcase_add_test(tcase, refused);
    tcase_add_test(tcase, given_in_vain);
    tcase_add_test(tcase, given_topology);
}
