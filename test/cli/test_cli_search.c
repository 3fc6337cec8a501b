/* test_cli_search.c - `search` through the program: its output and files, their repetition, its
 * refusals.
 */
#include "test/program_run.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static const char *const routers[] = {"replicate", "random",   "stream", "circulate",
                                      "unicast",   "expander", "trees"};

enum { ROUTERS = sizeof routers / sizeof routers[0] };

/* For every router the set that is written needs in `route` the steps of the report, within the
 * promises. */
START_TEST(test_json)
{
    bool is_steps = _i % 2 == 1;
    const char *router = routers[_i / 2], *copy = _i % 4 < 2 ? "unit" : "free";
    const struct outcome *run =
        program_run_ends(0,
                         "$M search --router %s --side 6x8 --congestion 3 --objective %s --copy %s "
                         "--seed 4 --tries 120 -o $T/worst --json",
                         router, is_steps ? "steps" : "buffer", copy);
    ck_assert_str_eq(run->err, "");
    json_t *object = program_run_json(), *worst = json_object_get(object, "worst");
    ck_assert_int_eq(program_run_integer(object, "tried"), 120);
    ck_assert_int_lt(program_run_integer(object, "made"), 120);
    ck_assert(json_is_false(json_object_get(object, "is_broken")));
    ck_assert(json_is_false(json_object_get(object, "is_interrupted")));
    ck_assert_uint_gt(json_array_size(json_object_get(object, "starts")), 0);
    json_int_t figure = program_run_integer(worst, "figure");
    json_int_t steps = program_run_integer(worst, "steps");
    program_run_ends(0, "$M route $T/worst --router %s --copy %s --seed 4 --json", router, copy);
    json_t *route = program_run_json();
    ck_assert_int_eq(program_run_integer(route, "steps"), steps);
    ck_assert_int_eq(is_steps ? steps - program_run_integer(route, "sync_steps")
                              : program_run_integer(route, "buffer_peak"),
                     figure);
    ck_assert_int_eq(program_run_integer(route, "congestion"),
                     program_run_integer(worst, "congestion"));
    ck_assert_int_le(program_run_integer(route, "congestion"), 3);
    json_decref(object);
    json_decref(route);
}
END_TEST

/* The first line of the file's comment is the command that makes it again, with any number of
 * threads. */
START_TEST(test_again)
{
    program_run_ends(0, "$M search --router replicate --side 8 --congestion 4 --seed 3 "
                        "--param variant=paper --tries 200 -o $T/one >$T/report");
    program_run_ends(0,
                     "again=$(sed -n '2s/^# meshcast/$M/p' $T/one) && "
                     "eval \"$again --threads 3 -o $T/other\" >/dev/null && cmp $T/one $T/other");
    program_run_ends(0,
                     "$M search $T/one --router random --unknown-congestion --tries 90 -o $T/two "
                     ">$T/report && again=$(sed -n '2s/^# meshcast/$M/p' $T/two) && "
                     "eval \"$again -o $T/other\" >/dev/null && cmp $T/two $T/other");
    program_run("cat $T/one >/dev/null; $M search --router replicate --side 8 --congestion 4 "
                "--seed 3 --param variant=paper --tries 200 >$T/report");
    const struct outcome *run = program_run("cat $T/report");
    ck_assert_ptr_nonnull(strstr(run->out, "worst found"));
    ck_assert_ptr_nonnull(strstr(run->out, "200 sets"));
}
END_TEST

/* Several messages per node: the set keeps to its bounds, its run has the report's figures, and the
 * comment's command makes it again. */
START_TEST(test_several)
{
    program_run_ends(0,
                     "$M search --router stream --side 6 --congestion 8 --per-node 4 --objective "
                     "steps --copy free --tries 300 -o $T/one --json");
    json_t *object = program_run_json(), *worst = json_object_get(object, "worst");
    int figure = program_run_integer(worst, "figure");
    ck_assert_int_eq(program_run_integer(worst, "messages_per_node"), 4);
    ck_assert_int_le(program_run_integer(worst, "congestion"), 8);
    json_decref(object);
    program_run("$M route $T/one --router stream --copy free --json");
    object = program_run_json();
    ck_assert_int_eq(program_run_integer(object, "messages_per_node"), 4);
    ck_assert_int_eq(
        program_run_integer(object, "steps") - program_run_integer(object, "sync_steps"), figure);
    json_decref(object);
    program_run_ends(0, "again=$(sed -n '2s/^# meshcast/$M/p' $T/one) && "
                        "eval \"$again -o $T/other\" >/dev/null && cmp $T/one $T/other");
    const struct outcome *run = program_run_ends(0, "$M search $T/one --router trees --tries 1");
    ck_assert_ptr_nonnull(strstr(run->out, "congestion 8 and 4 messages from a node at most"));
    ck_assert_ptr_nonnull(strstr(run->out, "l = 4 messages per node"));
    program_run_fails(2, "has nodes that send 4 messages; the search has 3",
                      "$M search $T/one --router trees --per-node 3 --tries 1");
    program_run_ends(2, "$M search --router trees --side 8000 --per-node 67108864 --tries 1");
    /* A congestion below the messages of a node is refused, and none is chosen by itself. */
    program_run_fails(2, "a congestion of 2 is less than the 3 messages",
                      "$M search --router trees --side 4 --congestion 2 --per-node 3 --tries 1");
    run = program_run("$M search --router trees --side 4 --per-node 20 --tries 1");
    ck_assert_ptr_nonnull(strstr(run->out, "congestion 20 and 20 messages from a node at most"));
}
END_TEST

/* Returns the figure of a set's run with another seed. */
static double figure_with(const char *options, int seed)
{
    program_run("$M search $T/set %s --seed %d --tries 1 --json -q", options, seed);
    json_t *object = program_run_json();
    double figure = program_run_number(json_object_get(object, "worst"), "figure");
    json_decref(object);
    return figure;
}

static const struct {
    const char *options;
    double ratio; /* to the figure with other seeds; at least 1 where the seed decides nothing */
} families[] = {
    {"--router stream --side 12 --congestion 4", 1.4},
    {"--router stream --side 12 --congestion 8 --objective steps", 1.08},
    {"--router replicate --side 6 --congestion 4 --objective steps", 1},
    {"--router expander --side 16 --congestion 8", 1},
};

/* The worst made sets are made against what a router chooses, and where the seed decides that they
 * are worse with that seed. */
START_TEST(test_families)
{
    program_run_ends(0, "$M search %s --seed 3 --tries 125 --json -q -o $T/set",
                     families[_i].options);
    json_t *object = program_run_json(), *worst = json_object_get(object, "worst");
    ck_assert_ptr_nonnull(strstr(program_run_text(worst, "from"), "family: "));
    for (int seed = 4; seed < 7; seed++)
        ck_assert_double_ge(program_run_number(worst, "figure"),
                            families[_i].ratio * figure_with(families[_i].options, seed));
    json_decref(object);
}
END_TEST

/* It begins with the sets of the operands, whose mesh and congestion are its own, and finds nothing
 * that is less bad. */
START_TEST(test_given)
{
    program_run("$M gen --side 5x9 --pattern uniform --congestion 6 -o $T/a && "
                "$M gen --side 5x9 --pattern column --congestion 7 -o $T/b");
    program_run_ends(0, "$M search $T/a $T/b --router trees --tries 2 --json && "
                        "$M search $T/a - --router trees --tries 3 <$T/b >$T/said");
    json_t *object = program_run_json(), *worst = json_object_get(object, "worst");
    ck_assert_int_eq(program_run_integer(object, "rows"), 5);
    ck_assert_int_eq(program_run_integer(object, "cols"), 9);
    ck_assert_int_eq(program_run_integer(object, "congestion"), 7);
    ck_assert_int_eq(program_run_integer(object, "made"), 2);
    const char *from = program_run_text(worst, "from");
    ck_assert(strcmp(from, "a") == 0 || strcmp(from, "b") == 0);
    ck_assert(json_is_null(json_object_get(worst, "last_move")));
    json_decref(object);
}
END_TEST

/* Returns the bound of `what` that the search reports for the set that it is given; 0: none. */
static double bound_of(const char *options)
{
    program_run_ends(0, "$M search $T/a --tries 1 --json %s", options);
    json_t *object = program_run_json();
    json_t *bound = json_object_get(json_object_get(object, "promise"), "bound");
    double value = json_is_null(bound) ? 0 : json_number_value(bound);
    json_decref(object);
    return value;
}

/* The help has two promises of every router; bounds follow their formulas, and none is given for
 * other constants. */
START_TEST(test_promises)
{
    for (size_t i = 0; i < ROUTERS; i++)
        for (int j = 0; j < 2; j++)
            program_run_ends(0,
                             "$M search --help | grep -q '^  %s  *%s  *\\(proven\\|"
                             "enforced\\|measured\\|none\\) '",
                             routers[i], j == 0 ? "buffer" : "steps");
    program_run("$M gen --side 32 --pattern uniform --degree 16 --congestion 16 -o $T/a");
    program_run("$M info $T/a --json");
    json_t *info = program_run_json();
    double c = (double)program_run_integer(info, "congestion"), s = sqrt(c * 1024);
    json_decref(info);
    ck_assert_double_eq_tol(bound_of("--router stream --objective steps --copy free"),
                            4 * s + 4 * 32, 1e-6);
    ck_assert_double_eq_tol(bound_of("--router stream --objective steps"), 1.6 * (4 * s + 4 * 32),
                            1e-6);
    ck_assert_double_eq_tol(bound_of("--router expander --objective steps --copy free"),
                            12 * s + 12 * 32, 1e-6);
    ck_assert_double_eq_tol(bound_of("--router replicate --objective steps --copy free"),
                            s + 2 * 32, 1e-6);
    ck_assert_double_eq_tol(
        bound_of("--router random --objective steps --copy free"),
        4 * (8 * s + 14 * 32) + bound_of("--router circulate --objective steps --copy free"), 1e-6);
    ck_assert_double_eq(bound_of("--router circulate --objective buffer"), 2);
    ck_assert_double_eq(bound_of("--router unicast --objective buffer"), 10);
    ck_assert_double_eq(bound_of("--router trees --objective buffer"), 0);
    ck_assert_double_eq(bound_of("--router stream --objective steps --param slots=2"), 0);
}
END_TEST

static const struct {
    const char *command, *told;
    int status;
} refusals[] = {
    {"$M search --side 8 --tries 1", "missing --router NAME", 2},
    {"$M search --router trees --tries 1", "missing --side M", 2},
    {"$M search --router tree --side 8", "did you mean 'trees'?", 2},
    {"$M search --router trees --side 8 --objective time", "buffer", 2},
    {"$M search --router trees --side 8 --param alpha=2 --tries 1", "alpha", 2},
    {"$M search --router trees --side 8 --param slots=999 --tries 5", "slots", 2},
    {"$M search --router trees --side 8 --unknown-congestion --tries 1", "congestion", 2},
    {"$M search --router trees --side 8 --tries 0", "--tries", 2},
    {"$M search $T/set --router trees --side 9 --tries 1", "is for 6 x 6 nodes", 2},
    {"$M search $T/set --router trees --congestion 1 --tries 1", "has congestion 2", 2},
    {"$M search $T/set --router trees --tries 1 -o $T/set", "--output would overwrite", 2},
    {"$M search $T/none --router trees --tries 1", "none", 4},
    {"$M search $T/bad --router trees --tries 1", "bad:1", 3},
    {"$M search --router trees --side 8 --tries 1 -o $T/no/file", "cannot open", 4},
};

/* Impossible searches are refused before anything is searched, and nothing is written. */
START_TEST(test_refused)
{
    program_run_file("set", "mcast 1 6 6\n0 3\n1 3\n");
    program_run_file("bad", "mcast\n");
    program_run_fails(refusals[_i].status, refusals[_i].told, "%s", refusals[_i].command);
    ck_assert_str_eq(program_run("cat $T/set")->out, "mcast 1 6 6\n0 3\n1 3\n");
}
END_TEST

/* --seconds also ends it: at least one set is tried, whatever the clock shows. */
START_TEST(test_seconds)
{
    program_run_ends(0, "$M search --router trees --side 4 --congestion 2 --seconds 1 --json");
    json_t *object = program_run_json();
    ck_assert_int_gt(program_run_integer(object, "tried"), 0);
    json_decref(object);
}
END_TEST

void cli_search_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, test_json, 0, 2 * ROUTERS);
    tcase_add_test(tests, test_again);
    tcase_add_test(tests, test_several);
    tcase_add_loop_test(tests, test_families, 0, sizeof families / sizeof families[0]);
    tcase_add_test(tests, test_given);
    tcase_add_test(tests, test_promises);
    tcase_add_loop_test(tests, test_refused, 0, sizeof refusals / sizeof refusals[0]);
    tcase_add_test(tests, test_seconds);
}
