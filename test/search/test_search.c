/* test_search.c - the search for bad sets through the public headers.
 *
 * The router is the test's: it sees every set that is measured, checks it, and takes as long, or
 * fails, as the test wants.
 */
#include "test/length.h"
#include "test/library/own_router_case.h"
#include "test/library_case.h"

#include <check.h>
#include <string.h>

enum { SCALE = 1000 /* steps of a unit of the figure, more than routing takes */ };

/* The properties of the router's sets, and their badness. */
struct toy {
    uint32_t congestion, per_node, rows, cols;
    uint64_t runs;
    bool breaks; /* a set of one message makes the run fail */
};

/* Returns the number of deliveries from a node to its mirror image in the middle of the mesh, and
 * checks the set. Messages that stay at home are not among *messages. */
static uint32_t count_mirrored(struct meshcast_routing *routing, const struct toy *toy,
                               uint32_t *messages)
{
    const struct meshcast_known known = meshcast_known(routing);
    uint32_t nodes = toy->rows * toy->cols, mirrored = 0;
    ck_assert_uint_eq(known.rows, toy->rows);
    ck_assert_uint_eq(known.cols, toy->cols);
    ck_assert_uint_le(known.congestion, toy->congestion);
    ck_assert_uint_le(known.messages_per_node, toy->per_node);
    *messages = 0;
    for (uint32_t node = 0; node < nodes; node++)
        for (uint32_t packet = meshcast_first_resting(routing, node); packet != MESHCAST_NONE;
             packet = meshcast_next_resting(routing, packet)) {
            *messages += 1;
            for (uint32_t slot = meshcast_packet_first(routing, packet); slot <= packet; slot++)
                mirrored += node + meshcast_slot_destination(routing, slot).node == nodes - 1;
        }
    return mirrored;
}

static unsigned parts_at_rest(void *context, struct meshcast_routing *routing,
                              struct meshcast_site site, uint32_t packet)
{
    (void)context, (void)routing, (void)site, (void)packet;
    return MESHCAST_PARK;
}

static enum meshcast_status route_toy(void *context, struct meshcast_routing *routing)
{
    struct toy *toy = context;
    struct meshcast_rule rests = {NULL, parts_at_rest, NULL, right_stop, NULL};
    uint32_t messages, figure;
    toy->runs++;
    meshcast_start(routing, 0);
    figure = count_mirrored(routing, toy, &messages);
    if (toy->breaks && messages == 1)
        return meshcast_refuse(routing, MESHCAST_CHECK, "made up");
    meshcast_forward_for(routing, &rests, "toy", SCALE * (uint64_t)figure);
    return meshcast_forward_last(routing, &right_rule, "last", UINT64_MAX);
}

/* Runs a search for steps on the toy's mesh; `error` may be NULL: it must end well. */
static struct meshcast_report *search_with(struct toy *toy, const struct meshcast_set *set,
                                           const char *options, struct meshcast_error *error)
{
    char text[200];
    struct meshcast_router_plan plan = {
        .name = "toy", .route = route_toy, .context = toy, .takes_many = true};
    struct meshcast_router *router = meshcast_router_new(&plan, NULL);
    snprintf(text, sizeof text, "objective=steps copy=free side=%ux%u congestion=%u per-node=%u %s",
             toy->rows, toy->cols, toy->congestion, toy->per_node, options);
    struct meshcast_command *command = case_command("search", set, text);
    meshcast_command_give_router(command, router);
    struct meshcast_report *report = case_run(command, error);
    meshcast_router_free(router);
    return report;
}

static uint64_t unit_figure(const struct meshcast_report *report, const char *path)
{
    return case_figure(report, path) / SCALE;
}

/* For any mesh, congestion and messages per node, no set that is tried exceeds them. */
START_TEST(sets_are_valid)
{
    static const uint32_t meshes[][2] = {{1, 1}, {1, 9}, {2, 2}, {5, 3}, {8, 8}, {3, 7}};
    struct toy toy = {.rows = meshes[_i / 4][0], .cols = meshes[_i / 4][1]};
    toy.per_node = _i % 2 == 0 ? 1 : 3;
    toy.congestion = toy.per_node * (_i % 4 < 2 ? 1 : 4);
    struct meshcast_report *report =
        search_with(&toy, NULL, TEST_IS_SHORT ? "tries=400" : "tries=4000", NULL);
    struct meshcast_set *worst = meshcast_report_take_set(report);
    ck_assert_uint_eq(case_figure(report, "tried"), TEST_IS_SHORT ? 400 : 4000);
    ck_assert_uint_ge(toy.runs, case_figure(report, "tried"));
    ck_assert_uint_eq(meshcast_set_messages(worst), case_figure(report, "worst.messages"));
    meshcast_set_free(worst);
    meshcast_report_free(report);
}
END_TEST

/* The local search finds a set that is worse than all made ones, counts its trials, and finds it
 * again. */
START_TEST(finds_the_worst)
{
    struct toy toy = {.rows = 6, .cols = 6, .congestion = 2, .per_node = 1}, again = toy;
    struct meshcast_report *report = search_with(&toy, NULL, "tries=6000 seed=1", NULL);
    struct meshcast_report *second = search_with(&again, NULL, "tries=6000 seed=1", NULL);
    ck_assert_uint_eq(case_figure(report, "tried"), 6000);
    ck_assert_uint_gt(case_figure(report, "made"), 20);
    ck_assert_uint_ge(unit_figure(report, "worst.figure"),
                      30); /* of 36; a made set has 18 at most */
    ck_assert_uint_gt(case_figure(report, "worst.moves"), 0);
    ck_assert_ptr_nonnull(meshcast_report_word(report, "worst.last_move"));
    uint64_t moves = 0, most = 0, last = UINT64_MAX;
    for (size_t i = 0; i < meshcast_report_size(report, "moves"); i++) {
        char path[48];
        snprintf(path, sizeof path, "moves.%zu.tried", i);
        ck_assert_uint_gt(case_figure(report, path), 40); /* none is left out */
        moves += case_figure(report, path);
    }
    ck_assert_uint_eq(moves + case_figure(report, "made"), 6000);
    ck_assert_uint_eq(meshcast_report_size(report, "starts"), 8);
    for (size_t i = 0; i < 8; i++) {
        char first[48], path[48];
        snprintf(first, sizeof first, "starts.%zu.first", i);
        snprintf(path, sizeof path, "starts.%zu.figure", i);
        uint64_t figure = case_figure(report, path);
        ck_assert_uint_ge(figure, case_figure(report, first));
        ck_assert_uint_ge(last, figure);
        last = figure;
        most = figure > most ? figure : most;
    }
    ck_assert_uint_eq(most, case_figure(report, "worst.figure"));
    ck_assert_uint_eq(toy.runs, again.runs);
    ck_assert_uint_eq(case_figure(report, "worst.tried_as"), case_figure(second, "worst.tried_as"));
    ck_assert_uint_eq(most, case_figure(second, "worst.figure"));
    meshcast_report_free(report);
    meshcast_report_free(second);
}
END_TEST

/* A set with later deliveries, or fuller nodes, than another of one figure is worse: a search by
 * steps has runs that only tell such sets apart, and counts them. */
START_TEST(runs_are_counted)
{
    struct toy toy = {.rows = 6, .cols = 6, .congestion = 2, .per_node = 1};
    struct meshcast_report *report = search_with(&toy, NULL, "tries=900", NULL);
    char runs[48];
    snprintf(runs, sizeof runs, "\n%llu runs in ", (unsigned long long)toy.runs);
    ck_assert_ptr_nonnull(strstr(meshcast_report_text(report), runs));
    ck_assert_uint_gt(toy.runs, 900 + case_figure(report, "made"));
    meshcast_report_free(report);
}
END_TEST

/* It ends after so many sets, among the made ones and after them. */
START_TEST(ends)
{
    static const char *const tries[] = {"tries=1", "tries=7", "tries=300"};
    static const uint64_t times[] = {1, 7, 300};
    for (int i = 0; i < 3; i++) {
        struct toy toy = {.rows = 6, .cols = 6, .congestion = 2, .per_node = 1};
        struct meshcast_report *report = search_with(&toy, NULL, tries[i], NULL);
        ck_assert_uint_eq(case_figure(report, "tried"), times[i]);
        ck_assert_uint_gt(case_figure(report, "worst.messages"), 0);
        meshcast_report_free(report);
    }
}
END_TEST

/* A set that makes the run fail is the worst, whatever its figures are; sets of the caller's come
 * first. */
START_TEST(failing_is_worst)
{
    static const char text[] = "mcast 1 6 6\n3 5\n";
    struct toy toy = {.rows = 6, .cols = 6, .congestion = 2, .per_node = 1, .breaks = true};
    struct meshcast_error error = {0};
    struct meshcast_set *set = meshcast_set_parse(text, sizeof text - 1, "one", NULL);
    struct meshcast_report *report = search_with(&toy, set, "tries=200", &error);
    ck_assert_int_eq(error.status, MESHCAST_CHECK);
    ck_assert_ptr_nonnull(strstr(error.text, "made up"));
    ck_assert_ptr_nonnull(meshcast_report_word(report, "worst.error"));
    ck_assert_uint_eq(case_figure(report, "worst.messages"), 1);
    ck_assert_str_eq(meshcast_report_word(report, "worst.from"), "given 0");
    ck_assert_uint_eq(case_figure(report, "is_broken"), 1);
    meshcast_report_free(report);
    meshcast_set_free(set);
}
END_TEST

void search_suite(TCase *tests)
{
    tcase_add_loop_test(tests, sets_are_valid, 0, 24);
    tcase_add_test(tests, finds_the_worst);
    tcase_add_test(tests, runs_are_counted);
    tcase_add_test(tests, ends);
    tcase_add_test(tests, failing_is_worst);
}
