/* test_cli_plan.c - `plan` from outside: JSON, tables, the file of --each, refusals.
 *
 * Method: small sets; the JSON, the tables and the file agree with each other, and with the
 * network's counts when it runs the plans with messages of one flit.
 */
#include "test/program_run.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GEN "$M gen --side 6 --pattern uniform --degree 4 --congestion 4 -o $T/s && "

static const char *const costs[] = {"traffic",      "additional_traffic", "startups",
                                    "longest_path", "all_port",           "one_port",
                                    "steps",        "link_worms",         "shared_links"};
enum { COSTS = sizeof costs / sizeof costs[0] };

static json_int_t cost_of(const json_t *object, int cost)
{
    const json_t *value = json_object_get(object, costs[cost]);
    ck_assert_ptr_nonnull(value);
    return json_is_null(value) ? -1 : json_integer_value(value);
}

/* ---- results ---- */

/* An object per scheme; a mean is a total by the messages. */
START_TEST(objects)
{
    program_run_ends(0, GEN "$M plan $T/s --scheme u-mesh,dual --param routing=label --json");
    json_t *array = program_run_json();
    ck_assert_uint_eq(json_array_size(array), 2);
    for (size_t i = 0; i < 2; i++) {
        const json_t *object = json_array_get(array, i), *mean = json_object_get(object, "mean");
        double messages = program_run_number(object, "messages");
        for (int c = 0; c < COSTS; c++) {
            bool is_null = cost_of(object, c) < 0;
            ck_assert_int_eq(is_null, json_is_null(json_object_get(mean, costs[c])));
            if (!is_null && (c < 3 || c == 8))
                ck_assert_double_eq_tol(program_run_number(mean, costs[c]) * messages,
                                        (double)cost_of(object, c), 1e-6);
            if (!is_null && c >= 3 && c < 8)
                ck_assert_double_le(program_run_number(mean, costs[c]), (double)cost_of(object, c));
        }
        ck_assert_int_eq(json_object_size(mean), COSTS + 1);
        ck_assert_str_eq(program_run_text(object, "scheme"), i == 0 ? "u-mesh" : "dual");
        ck_assert_uint_eq(json_object_size(json_object_get(object, "parameters")), i == 0);
        ck_assert_int_eq(cost_of(object, 6) >= 0, i == 0);
        ck_assert(json_is_false(json_object_get(object, "partial")));
    }
    ck_assert_int_eq(cost_of(json_array_get(array, 0), 6), 3); /* steps of 4 destinations */
    json_decref(array);
}
END_TEST

/* Returns the figure in a table's row for a scheme, in the block of that name. */
static double figure(const char *out, const char *block, const char *scheme, int column)
{
    char begin[32];
    const char *at = strstr(out, block);
    ck_assert_ptr_nonnull(at);
    snprintf(begin, sizeof begin, "\n%s ", scheme);
    at = strstr(at, begin);
    ck_assert_ptr_nonnull(at);
    for (at += 1 + strlen(scheme); column > 0; column--) {
        at += strspn(at, " ");
        at += strcspn(at, " \n");
    }
    return atof(at);
}

/* The tables have the figures of the JSON; a cost that a scheme does not have is a dash, one that
 * none has no column. */
START_TEST(tables)
{
    program_run(GEN "$M plan $T/s --scheme two-port,ocms --json");
    json_t *array = program_run_json();
    char title[80];
    snprintf(title, sizeof title, "/s: mesh:6x6, 36 messages, %d deliveries\n",
             (int)program_run_integer(json_array_get(array, 0), "deliveries"));
    const struct outcome *run = program_run("$M plan $T/s --scheme two-port,ocms");
    ck_assert_ptr_nonnull(strstr(run->out, title));
    for (size_t i = 0; i < 2; i++) {
        const json_t *object = json_array_get(array, i), *mean = json_object_get(object, "mean");
        const char *scheme = program_run_text(object, "scheme");
        for (int c = 0; c < 3; c++)
            ck_assert_double_eq(figure(run->out, "in all", scheme, c), (double)cost_of(object, c));
        ck_assert_double_eq(figure(run->out, "largest", scheme, 0),
                            (double)program_run_integer(object, "startups_max"));
        ck_assert_double_eq(figure(run->out, "largest", scheme, 1), (double)cost_of(object, 3));
        ck_assert_double_eq_tol(figure(run->out, "mean", scheme, 3),
                                program_run_number(mean, "longest_path"), 0.005001);
    }
    ck_assert_double_eq(figure(run->out, "largest", "two-port", 2), 2);
    ck_assert_ptr_nonnull(strstr(run->out, "   -  "));
    ck_assert_ptr_null(strstr(run->out, "all-port"));
    run = program_run("$M plan $T/s --scheme ocms");
    ck_assert_ptr_null(strstr(run->out, "steps"));
    json_decref(array);
}
END_TEST

/* On meshes of two dimensions every star of otms is proven; where it keeps too few states its bound
 * stays below. Other schemes know no bound. */
START_TEST(proofs)
{
    program_run(GEN "$M plan $T/s --scheme otms,ocms --json");
    json_t *array = program_run_json();
    const json_t *otms = json_array_get(array, 0), *mean = json_object_get(otms, "mean");
    ck_assert_int_eq(program_run_integer(otms, "longest_path_proven"), 36);
    ck_assert_double_eq(program_run_number(mean, "longest_path_bound"),
                        program_run_number(mean, "longest_path"));
    mean = json_object_get(json_array_get(array, 1), "mean");
    ck_assert(json_is_null(json_object_get(json_array_get(array, 1), "longest_path_proven")));
    ck_assert(json_is_null(json_object_get(mean, "longest_path_bound")));
    json_decref(array);
    const struct outcome *run = program_run("$M plan $T/s --scheme otms");
    ck_assert_ptr_nonnull(
        strstr(run->out, "otms: of 36 of 36 messages no star has a shorter longest path; "));
    program_run(
        "$M gen --topology mesh:6x6x6 --pattern uniform --degree 80 --congestion 80 -o $T/c;"
        "$M plan $T/c --scheme otms --sources 3 --json");
    array = program_run_json();
    otms = json_array_get(array, 0);
    mean = json_object_get(otms, "mean");
    ck_assert_int_le(program_run_integer(otms, "longest_path_proven"), 3);
    ck_assert_double_le(program_run_number(mean, "longest_path_bound"),
                        program_run_number(mean, "longest_path"));
    json_decref(array);
}
END_TEST

/* --bound in JSON, the table and the file of --each: a message whose least tree two worms do not
 * reach, and one of a straight way. */
START_TEST(least_traffic)
{
    program_run("printf 'mcast 1 3 3\\n0 4 5\\n8 2\\n' >$T/set; "
                "$M plan $T/set --scheme min,unicast --bound --json");
    json_t *array = program_run_json();
    const json_t *object = json_array_get(array, 1);
    ck_assert_int_eq(program_run_integer(object, "traffic_bound"), 2 + 3);
    ck_assert_int_eq(program_run_integer(object, "traffic_bound_exact"), 2);
    ck_assert_int_eq(program_run_integer(object, "traffic_least"), 1); /* two worms take 5 links */
    ck_assert_int_eq(program_run_integer(json_array_get(array, 0), "traffic_least"), 2);
    ck_assert_double_eq(program_run_number(json_object_get(object, "mean"), "traffic_bound"), 2.5);
    json_decref(array);
    const struct outcome *run = program_run("$M plan $T/set --scheme min,unicast --bound");
    ck_assert_ptr_nonnull(strstr(run->out, "at least 5 in all, mean 2.50; exactly known of 2 of 2 "
                                           "messages\nmessages with no more: min 2, unicast 1\n"));
    run = program_run("$M plan $T/set --scheme unicast --bound --each - -q");
    ck_assert_str_eq(run->out, "message,source,destinations,traffic,additional_traffic,startups,"
                               "longest_path,all_port,one_port,steps,link_worms,shared_links,"
                               "traffic_bound\n0,0,2,5,3,2,3,,,2,2,1,3\n1,8,1,2,1,1,2,,,1,1,0,2\n");
}
END_TEST

/* ---- the network ---- */

static const char *const schemes[] = {"unicast",  "u-mesh", "dual", "lin",     "multi",
                                      "ocms",     "otms",   "pure", "minimal", "column",
                                      "two-port", "d-port", "schl"};
enum { SCHEMES = sizeof schemes / sizeof schemes[0] };

/* Messages of one flit cross as many links as their plans have, and have as many startups. */
START_TEST(network)
{
    program_run_ends(0, GEN "$M network $T/s --scheme %s --sources 20 --seed 3 --json",
                     schemes[_i]);
    json_t *burst = program_run_json();
    program_run("$M plan $T/s --scheme %s --sources 20 --seed 3 --json", schemes[_i]);
    json_t *array = program_run_json();
    const json_t *object = json_array_get(array, 0);
    ck_assert_int_eq(program_run_integer(object, "messages"), 20);
    ck_assert_int_eq(cost_of(object, 0), program_run_integer(burst, "channel_crossings"));
    ck_assert_int_eq(cost_of(object, 2), program_run_integer(burst, "startups"));
    ck_assert_int_eq(program_run_integer(object, "deliveries"),
                     program_run_integer(burst, "deliveries"));
    json_decref(burst);
    json_decref(array);
}
END_TEST

/* best has no plan, and is told apart in the report of the network by the scheme that it took. */
START_TEST(best)
{
    program_run_fails(2, "scheme best has no plans of its own", GEN "$M plan $T/s --scheme best");
    const struct outcome *run = program_run_ends(0, "$M network $T/s --scheme best --sources 20");
    ck_assert_ptr_nonnull(strstr(run->out, "\nscheme best: "));
    run =
        program_run_ends(0, "$M load --topology mesh:4x4 --scheme best --rate 0.01 --measure 100");
    ck_assert_ptr_nonnull(strstr(run->out, "\nbest: "));
    ck_assert_ptr_null(strstr(run->out, "\nbest: best"));
}
END_TEST

/* ---- messages ---- */

/* A source that is among its own destinations, which stays at home and leaves others their numbers,
 * several messages per source, messages to nobody else; a torus, a graph. */
START_TEST(messages)
{
    program_run_file("set", "mcast 2 torus 1 5\n0:7 0 1 4\n3 3\n0 2\nend 3\n");
    program_run_file("graph", "mcast 2 graph 5\n0 2 4\n3 1\nend 2\n");
    program_run_file("edges", "0 1\n1 2\n2 3\n3 4\n0 3\n");
    program_run_file("none", "mcast 2 mesh 4 4 4\nend 0\n");
    program_run_ends(0, "$M plan $T/set --scheme unicast --json");
    json_t *array = program_run_json();
    const json_t *object = json_array_get(array, 0);
    ck_assert_int_eq(program_run_integer(object, "messages"), 2);
    ck_assert_int_eq(program_run_integer(object, "deliveries"), 3);
    ck_assert_int_eq(cost_of(object, 0), 4);
    ck_assert_int_eq(cost_of(object, 1), 1);
    ck_assert_int_eq(cost_of(object, 2), 3);
    ck_assert_int_eq(program_run_integer(object, "startups_max"), 2);
    ck_assert_double_eq(program_run_number(json_object_get(object, "mean"), "startups"), 1.5);
    json_decref(array);
    const struct outcome *run = program_run("$M plan $T/set --scheme unicast --each - -q");
    ck_assert_str_eq(run->out, "message,source,destinations,traffic,additional_traffic,startups,"
                               "longest_path,all_port,one_port,steps,link_worms,shared_links\n"
                               "0,0,2,2,0,2,1,,,2,1,0\n2,0,1,2,1,1,2,,,1,1,0\n");
    ck_assert_str_eq(run->err, "");
    program_run("$M plan $T/graph --topology graph:$T/edges --scheme dual --json");
    array = program_run_json();
    object = json_array_get(array, 0);
    ck_assert_str_eq(program_run_text(object, "topology"), "graph");
    ck_assert_int_eq(cost_of(object, 0), 4 + 2); /* by labels from 0 to 2: 1 and 2 */
    json_decref(array);
    program_run("$M plan $T/none --scheme dual,u-mesh --json");
    array = program_run_json();
    object = json_array_get(array, 1);
    ck_assert_int_eq(cost_of(object, 0), 0);
    ck_assert_int_eq(cost_of(object, 6), 0);
    ck_assert(json_is_null(json_object_get(json_object_get(object, "mean"), "traffic")));
    json_decref(array);
}
END_TEST

/* The rows of --each add up to the totals; with several schemes each row names its own. */
START_TEST(each)
{
    program_run_ends(0, GEN "$M plan $T/s --scheme schl,pure --each $T/c.csv --json");
    json_t *array = program_run_json();
    for (size_t i = 0; i < 2; i++) {
        const json_t *object = json_array_get(array, i);
        const struct outcome *run =
            program_run("awk -F, '$1 == \"%s\" { t += $5; a += $6; s += $7; l = l < $8 ? $8 : l; "
                        "if ($2 != n++) exit 1 } END { print t, a, s, l, n }' $T/c.csv",
                        program_run_text(object, "scheme"));
        char expected[96];
        snprintf(expected, sizeof expected, "%lld %lld %lld %lld 36\n",
                 (long long)cost_of(object, 0), (long long)cost_of(object, 1),
                 (long long)cost_of(object, 2), (long long)cost_of(object, 3));
        ck_assert_str_eq(run->out, expected);
    }
    program_run_ends(0, "head -n 1 $T/c.csv | grep -q '^scheme,message,source,'");
    const struct outcome *run =
        program_run_ends(0, "$M plan $T/s --scheme schl,pure --each - | cmp - $T/c.csv");
    ck_assert_ptr_nonnull(strstr(run->err, "\nschl "));
    json_decref(array);
}
END_TEST

/* ---- errors ---- */

static const struct {
    const char *arguments;
    int status;
    const char *part;
} refused[] = {
    {"plan $T/s", 2, "missing --schemes A,B,...; the schemes are: unicast, u-mesh"},
    {"plan $T/s --scheme duel", 2, "did you mean 'dual'?"},
    {"plan $T/s --scheme dual,", 2, "a list has an empty word"},
    {"plan $T/s --scheme dual,dual", 2, "has 'dual' twice"},
    {"plan $T/s --scheme dual,lin --param routing=label", 2, "scheme dual has no parameters"},
    {"plan $T/s --scheme u-mesh,dual --param routing=lable", 2, "did you mean 'label'?"},
    {"plan $T/torus --scheme dual,pure", 2, "scheme pure cannot run on torus:4x4"},
    {"plan $T/graph --scheme dual", 2, "give its edges as topology graph:FILE"},
    {"plan $T/graph --topology graph:$T/edges --scheme u-mesh", 2,
     "parameter routing=label would do"},
    {"plan $T/s --topology torus:6x6 --scheme dual", 2, "but the set is of mesh:6x6"},
    {"plan $T/s --scheme dual --each - --json", 2, "both want standard output"},
    {"plan $T/s --scheme dual --each $T/./s", 2, "would overwrite"},
    {"plan $T/graph --topology graph:$T/edges --scheme dual --each $T/edges", 2, "would overwrite"},
    {"plan $T/s --scheme dual --each $T/no/c.csv", 4, "c.csv"},
    {"plan $T/s --scheme dual --sources 0", 2, "--sources"},
    {"plan $T/off --scheme dual", 3, "off:2"},
    {"plan $T/none --scheme dual", 4, "cannot open"},
    {"plan $T/s $T/s --scheme dual", 2, "expected SET, the message set to plan"},
};

START_TEST(refusals)
{
    program_run(GEN "true");
    program_run_file("torus", "mcast 2 torus 4 4\n0 5\nend 1\n");
    program_run_file("graph", "mcast 2 graph 3\n0 2\nend 1\n");
    program_run_file("edges", "0 1\n1 2\n");
    program_run_file("off", "mcast 1 2 2\n0 4\n");
    program_run_fails(refused[_i].status, refused[_i].part, "$M %s", refused[_i].arguments);
}
END_TEST

/* A torus needs no virtual channels to be planned for, though unicast needs two to run there. */
START_TEST(datelines)
{
    program_run_file("torus", "mcast 2 torus 4 4\n0 5 15\nend 1\n");
    program_run_ends(0, "$M plan $T/torus --scheme unicast,u-mesh --json");
    json_t *array = program_run_json();
    ck_assert_int_eq(cost_of(json_array_get(array, 0), 0), 4);
    json_decref(array);
}
END_TEST

/* A full disk and a closed output are reported, and the old file stays. */
START_TEST(lost_output)
{
    program_run_fails(
        4, "cannot write to standard output: ", GEN "$M plan $T/s --scheme dual --json >&-");
    if (program_run("test -w /dev/full")->status != 0)
        return;
    program_run_ends(4, "$M plan $T/s --scheme dual >/dev/full");
    program_run_fails(4, "/dev/full", "$M plan $T/s --scheme dual,unicast --each /dev/full");
}
END_TEST

void cli_plan_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_test(tests, objects);
    tcase_add_test(tests, tables);
    tcase_add_test(tests, proofs);
    tcase_add_test(tests, least_traffic);
    tcase_add_loop_test(tests, network, 0, SCHEMES);
    tcase_add_test(tests, best);
    tcase_add_test(tests, messages);
    tcase_add_test(tests, each);
    tcase_add_loop_test(tests, refusals, 0, sizeof refused / sizeof refused[0]);
    tcase_add_test(tests, datelines);
    tcase_add_test(tests, lost_output);
}
