/* test_cli_network.c - `network` and `load` from outside: JSON, tables, files, refusals, deadlocks.
 *
 * Method: small sets and short loads; figures fit together.
 */
#include "test/program_run.h"

#include <check.h>
#include <stdbool.h>
#include <string.h>

/* A list of schemes has the figures of each, in rows; `compare` runs the same, and both spellings
 * do. */
START_TEST(lists)
{
    program_run_ends(0, "$M gen --side 8 --pattern uniform --degree 4 --congestion 4 -o $T/u"
                        " && $M network $T/u --schemes dual,best --flits 3 --json >$T/both");
    program_run("cat $T/both");
    json_t *both = program_run_json();
    ck_assert_uint_eq(json_array_size(both), 2);
    for (size_t i = 0; i < 2; i++) {
        json_t *row = json_array_get(both, i);
        program_run("$M network $T/u --scheme %s --flits 3 --json", i == 0 ? "dual" : "best");
        json_t *one = program_run_json();
        json_object_del(row, "wall_seconds");
        json_object_del(one, "wall_seconds");
        ck_assert(json_equal(row, one));
        json_decref(one);
    }
    json_decref(both);
    const struct outcome *run = program_run_ends(
        0, "F='unicast,dual --buffer 9 --param routing=label --seed 3 --vcs 2 --flits 3:5 "
           "--switching cut-through --router-delay 2 --json' && "
           "$M network $T/u --schemes $F | grep -v seconds >$T/1 && "
           "$M compare $T/u --scheme $F | grep -v seconds | cmp - $T/1 && "
           "$M network $T/u --schemes unicast,best");
    ck_assert_ptr_nonnull(strstr(run->out, "\nunicast  "));
    ck_assert_ptr_nonnull(strstr(run->out, "  as "));
    program_run_ends(0, "$M route $T/u --routers trees -q && $M compare $T/u --router trees");
}
END_TEST

/* A refused one of several schemes has a row with the reason, and one that fails a check a row of
 * its figures. */
START_TEST(lists_that_fail)
{
    program_run_file("torus", "mcast 2 torus 4 4\n0 5 15\nend 1\n");
    const struct outcome *run = program_run_ends(0, "$M network $T/torus --schemes pure,dual");
    ck_assert_ptr_nonnull(strstr(run->out, "pure       did not run: scheme pure cannot run"));
    ck_assert_ptr_nonnull(strstr(run->out, "\ndual  "));
    program_run_fails(2, "no scheme runs with these options; pure: ",
                      "$M network $T/torus --schemes pure,minimal --json");
    program_run_ends(0, "$M gen --side 8 --pattern uniform --degree 4 --congestion 4 -o $T/u");
    program_run_fails(1, "network: dual failed a check; its row says why",
                      "$M network $T/u --schemes column,dual,unicast --flits 20 --consumption 1");
    ck_assert_ptr_nonnull(strstr(run->out, "  check failed: deadlock"));
    ck_assert_ptr_nonnull(strstr(run->out, "\nunicast  "));
}
END_TEST

#define GEN "$M gen --side 6 --pattern uniform --degree 4 --congestion 4 -o $T/s && "
#define LOAD "$M load --topology mesh:6x6 --warmup 50 --measure 400 "

/* The figures of `network --json` fit together. */
START_TEST(network_json)
{
    program_run_ends(0, GEN "$M network $T/s --scheme u-mesh --flits 3 --startup 10 --json");
    json_t *object = program_run_json();
    const json_t *latency = json_object_get(object, "latency");
    ck_assert_str_eq(program_run_text(object, "scheme"), "u-mesh");
    ck_assert_str_eq(program_run_text(object, "topology"), "mesh");
    ck_assert_uint_eq(json_array_size(json_object_get(object, "sizes")), 2);
    ck_assert_int_eq(program_run_integer(object, "flits"), 3);
    ck_assert_int_eq(program_run_integer(object, "missing"), 0);
    ck_assert_int_eq(program_run_integer(object, "delivered"),
                     program_run_integer(object, "deliveries"));
    ck_assert_int_eq(program_run_integer(object, "cycles"), program_run_integer(latency, "max"));
    ck_assert_int_ge(program_run_integer(object, "cycles"),
                     program_run_integer(object, "lower_bound"));
    ck_assert(json_is_null(json_object_get(object, "deadlock")));
    json_decref(object);
}
END_TEST

/* --routing is --param routing; the audit knows the routings of unicasts, and reports a hop of
 * another routing. */
START_TEST(routings_of_unicasts)
{
    static const char *const names[] = {"west-first", "odd-even"};
    for (int i = 0; i < 2; i++) {
        program_run_ends(
            0,
            GEN "$M network $T/s --scheme u-mesh --flits 7 --param routing=%s --json |"
                " grep -v seconds >$T/param && "
                "$M network $T/s --scheme u-mesh --flits 7 --routing %s --trace $T/t --json |"
                " grep -v seconds | cmp - $T/param && $M audit $T/s $T/t",
            names[i], names[i]);
        program_run_fails(1, "rule routing",
                          "sed '1s/routing=%s/routing=x-first/' $T/t >$T/x && $M audit $T/s $T/x",
                          names[i]);
    }
}
END_TEST

/* The table has the same figures. */
START_TEST(network_table)
{
    program_run(GEN "$M network $T/s --scheme dual --flits 2:9 --seed 5 --json");
    json_t *object = program_run_json();
    ck_assert_str_eq(program_run_text(object, "flits"), "2:9");
    ck_assert_str_eq(program_run_text(object, "flits_asked"), "2:9");
    const struct outcome *run =
        program_run_ends(0, "$M network $T/s --scheme dual --flits 2:9 --seed 5");
    ck_assert_double_eq(program_run_figure(run->out, "cycles"),
                        (double)program_run_integer(object, "cycles"));
    ck_assert_double_eq(program_run_figure(run->out, "channel crossings"),
                        (double)program_run_integer(object, "channel_crossings"));
    ck_assert_double_eq(program_run_figure(run->out, "delivered"),
                        (double)program_run_integer(object, "delivered"));
    ck_assert_ptr_nonnull(strstr(run->out, "scheme dual"));
    json_decref(object);
}
END_TEST

/* A message of 998 flits over one link takes 1000 cycles, 500 ns at 2 GHz. Without --clock there
 * are no times. */
START_TEST(microseconds)
{
    program_run_file("one", "mcast 2 mesh 2 2\n0:998 1\nend 1\n");
    program_run("$M network $T/one --scheme dual --clock 2 --json");
    json_t *object = program_run_json();
    ck_assert_double_eq(program_run_number(object, "clock_ghz"), 2);
    ck_assert_double_eq_tol(program_run_number(object, "microseconds"), 0.5, 1e-9);
    ck_assert_double_eq_tol(program_run_number(object, "lower_bound_microseconds"), 0.5, 1e-9);
    json_decref(object);
    const struct outcome *run = program_run("$M network $T/one --scheme dual --clock 0.5");
    ck_assert_double_eq(program_run_figure(run->out, "microseconds"), 2);
    program_run("$M network $T/one --scheme dual --json");
    object = program_run_json();
    ck_assert(json_is_null(json_object_get(object, "clock_ghz")));
    ck_assert(json_is_null(json_object_get(object, "microseconds")));
    json_decref(object);
    run = program_run("$M network $T/one --scheme dual --clock 2 --flit-bytes 16");
    ck_assert_double_eq_tol(program_run_figure(run->out, "GB/s"), 2 * 16 * 998 / 1000.0, 0.01);
    ck_assert_ptr_nonnull(strstr(run->out, "a link carries 32 at most"));
}
END_TEST

/* --sources sends the messages of so many sources; a set's own lengths go before --flits; a source
 * that is its own destination is counted by itself. */
START_TEST(chosen_messages)
{
    program_run(GEN "$M network $T/s --scheme unicast --sources 5 --json");
    json_t *object = program_run_json();
    ck_assert_int_eq(program_run_integer(object, "messages"), 5);
    ck_assert_int_eq(program_run_integer(object, "missing"), 0);
    json_decref(object);
    program_run_file("set", "mcast 2 mesh 1 4\n0:7 1 2\n0 0 3\nend 2\n");
    program_run("$M network $T/set --scheme dual --flits 4 --json");
    object = program_run_json();
    ck_assert_str_eq(program_run_text(object, "flits"), "4:7");
    ck_assert_int_eq(program_run_integer(object, "messages"), 2);
    ck_assert_int_eq(program_run_integer(object, "delivered"), 3);
    ck_assert_int_eq(program_run_integer(object, "channel_crossings"), 2 * 7 + 3 * 4);
    ck_assert_int_eq(program_run_integer(object, "deliveries_at_home"), 1);
    ck_assert_int_eq(program_run_integer(object, "flits_asked"), 4);
    json_decref(object);
    const struct outcome *run = program_run("$M network $T/set --scheme dual --flits 1:100");
    ck_assert_ptr_nonnull(strstr(
        run->out, " flits (--flits 1:100), 3 deliveries\n1 of 4 deliveries stay on their node\n"));
    ck_assert_ptr_nonnull(strstr(run->out, "0 missing\n"));
    ck_assert_ptr_null(strstr(program_run("$M network $T/set --scheme dual")->out, "(--flits"));
}
END_TEST

/* Results are those of any number of threads. */
START_TEST(threads)
{
    static char one[65536];
    const struct outcome *run = program_run(
        GEN "$M network $T/s --scheme dual --threads 1 --json | grep -v 'threads\\|wall'");
    memcpy(one, run->out, sizeof one);
    run =
        program_run("$M network $T/s --scheme dual --threads 3 --json | grep -v 'threads\\|wall'");
    ck_assert_str_eq(one, run->out);
}
END_TEST

/* Under cut-through trees stop in a deadlock with one class of virtual channels, and end with a
 * class for the sides of each. */
START_TEST(classes_of_trees)
{
    static const char *const trees[] = {"diag", "dds"};
    program_run("$M gen --topology mesh:4x4x4 --pattern uniform --degree 16 --congestion 16 --seed "
                "1 -o $T/s");
    for (int i = 0; i < 2; i++) {
        static const char *const usual = "--switching cut-through --flits 4 --buffer 4";
        program_run_fails(1, "deadlock in cycle ", "$M network $T/s --scheme %s %s", trees[i],
                          usual);
        const struct outcome *run = program_run_ends(
            0,
            "$M network $T/s --scheme %s %s --param classes=sides --vcs 4 --trace $T/trace && "
            "$M audit $T/s $T/trace",
            trees[i], usual);
        ck_assert_ptr_nonnull(strstr(run->out, "routing sides\n"));
        program_run_fails(2, "needs 4 virtual channels on mesh:4x4x4",
                          "$M network $T/s --scheme %s %s --param classes=sides --vcs 3", trees[i],
                          usual);
    }
}
END_TEST

/* A deadlock has status 1; table and JSON name its cycle, and the trace is kept. */
START_TEST(deadlock)
{
    const struct outcome *run = program_run_ends(
        1, "$M gen --side 8 --pattern uniform --degree 4 --congestion 4 --seed 1 -o $T/s && "
           "$M network $T/s --scheme dual --flits 40 --consumption 1 --trace $T/trace");
    ck_assert_ptr_nonnull(strstr(run->out, "  deadlock: a cycle of "));
    ck_assert_ptr_nonnull(strstr(run->out, "  stopped in cycle "));
    ck_assert_ptr_null(strstr(run->out, "  cycles / lower bound"));
    ck_assert_ptr_nonnull(strstr(run->out, " waits for worm "));
    ck_assert_ptr_nonnull(strstr(run->err, "deadlock"));
    ck_assert(program_run_left("trace"));
    program_run_ends(1, "$M network $T/s --scheme dual --flits 40 --consumption 1 --json");
    json_t *object = program_run_json();
    const json_t *wait = json_object_get(object, "deadlock");
    ck_assert_uint_ge(json_array_size(wait), 2);
    ck_assert_int_gt(program_run_integer(object, "missing"), 0);
    ck_assert_int_gt(program_run_integer(object, "stopped_in"), 0);
    json_decref(object);
    program_run_ends(1, "$M network $T/s --scheme dual --flits 400 --consumption 1 --json");
    object = program_run_json();
    ck_assert(json_is_null(json_object_get(json_object_get(object, "latency"), "mean")));
    json_decref(object);
    program_run_ends(0, "$M network $T/s --scheme dual --flits 40 --consumption 4");
    run = program_run_ends(1,
                           "$M load --topology mesh:8x8 --scheme dual --rate 0.02 --destinations 4 "
                           "--flits 16 --consumption 1 --measure 500");
    ck_assert_ptr_nonnull(strstr(run->out, "\ndeadlock: worms wait for one another"));
}
END_TEST

/* --trace writes a trace; with - the report goes to standard error. */
START_TEST(traces)
{
    const struct outcome *run = program_run_ends(
        0, GEN "$M network $T/s --scheme dual --trace $T/trace -q && head -n 1 $T/trace");
    ck_assert_ptr_nonnull(strstr(run->out, "meshcast-network 1 mesh:6x6 switching=wormhole"));
    run = program_run_ends(0, "$M network $T/s --scheme dual --trace - | cmp - $T/trace");
    ck_assert_ptr_nonnull(strstr(run->err, "scheme dual"));
}
END_TEST

/* The points of `load --json` are the cross product. */
START_TEST(load_json)
{
    program_run_ends(0, LOAD "--scheme dual,u-mesh --rate 0.002,0.9 "
                             "--destinations 2,3 --flits 2,1:4 --json -q");
    json_t *object = program_run_json();
    const json_t *points = json_object_get(object, "points");
    ck_assert_uint_eq(json_array_size(points), 16);
    for (size_t i = 0; i < 16; i++) {
        const json_t *point = json_array_get(points, i);
        bool is_saturated = json_is_true(json_object_get(point, "saturated"));
        ck_assert_int_eq(is_saturated, program_run_number(point, "rate") > 0.5);
        ck_assert_int_eq(json_is_null(json_object_get(point, "latency")), is_saturated);
        ck_assert_str_eq(program_run_text(point, "scheme"), i < 8 ? "dual" : "u-mesh");
    }
    json_decref(object);
}
END_TEST

/* --plot writes the numbers, or a program that gnuplot draws. */
START_TEST(pictures)
{
    const struct outcome *run = program_run_ends(
        0, LOAD "--scheme dual,unicast --rate 0.002,0.9 --destinations 3 --plot $T/a.csv "
                "-q --csv >$T/b.csv && cmp $T/b.csv $T/a.csv && cat $T/a.csv");
    ck_assert_ptr_nonnull(strstr(run->out, "scheme,rate,destinations,flits,latency,half_width,"));
    ck_assert_ptr_nonnull(strstr(run->out, ",dual,0.9,3,1,,,"));
    program_run_ends(0, LOAD "--scheme dual,unicast --rate 0.002,0.9 --plot $T/a.svg -q && "
                             "grep -c '<svg' $T/a.svg");
}
END_TEST

/* Traffic by a permutation, and by the lists of a set. */
START_TEST(traffics)
{
    program_run_ends(0, LOAD "--scheme unicast --pattern transpose --rate 0.05 --json -q");
    json_t *object = program_run_json();
    ck_assert_str_eq(program_run_text(object, "traffic"), "transpose");
    json_decref(object);
    program_run_ends(0, GEN LOAD "--scheme dual --set $T/s --rate 0.002 --json -q");
    object = program_run_json();
    const json_t *point = json_array_get(json_object_get(object, "points"), 0);
    ck_assert(json_is_null(json_object_get(point, "destinations")));
    ck_assert_int_eq(program_run_integer(point, "messages"), 400);
    json_decref(object);
}
END_TEST

/* Errors are reported before anything runs, with the remedy. */
static const struct {
    const char *arguments;
    int status;
    const char *part;
} refused[] = {
    {"network $T/s", 2, "missing --schemes A,B,...; the schemes are: unicast, u-mesh, dual"},
    {"network $T/s --scheme duel", 2, "did you mean 'dual'?"},
    {"network $T/s --scheme dual --param routing=label", 2, "scheme dual has no parameters"},
    {"network $T/torus --scheme dual,multi --trace $T/t", 2, "are of one scheme"},
    {"network $T/torus --schemes dual,", 2, "a list has an empty word"},
    {"network $T/torus --schemes dual multi", 2, "commas between them, not blanks: --schemes A,B"},
    {"network $T/torus --schemes 'dual multi'", 2, "commas between them, not blanks"},
    {"network $T/torus --schemes dual,trees", 2,
     "'trees' is a router: meshcast route --router trees"},
    {"route $T/s --routers dual", 2, "'dual' is a scheme: meshcast network --scheme dual"},
    {"compare $T/s --schemes dual --routers trees", 2, "give one"},
    {"compare $T/s --schemes dual --best", 2, "are for routers"},
    {"compare $T/s --vcs 2", 2, "--vcs is for --schemes"},
    {"compare $T/s --routers trees --flits 2", 2, "--flits is for --schemes"},
    {"compare $T/s --schemes dual --flit-bits 9", 2, "--flit-bits goes with --header"},
    {"compare $T/s --schemes dual --buffer 1048577", 2, "--buffer takes a whole number from 1 to"},
    {"network $T/torus --scheme unicast", 2, "--vcs 2 would do"},
    {"network $T/graph --scheme dual", 2, "give its edges as topology graph:FILE"},
    {"network $T/graph --topology graph:$T/edges --scheme unicast", 2,
     "parameter routing=label would do"},
    {"network $T/s --without $T/link --scheme vh", 2,
     "whole mesh or torus; parameter paths=up-down would do"},
    {"network $T/s --without $T/link --scheme dds", 2,
     "whole mesh or torus; scheme unicast with routing=up-down would do"},
    {"network $T/s --topology torus:6x6 --scheme dual", 2, "but the set is of mesh:6x6"},
    {"network $T/s --scheme dual --switching cut-through --flits 9", 2, "9"},
    {"network $T/s --scheme dual --vcs 65", 2, "--vcs"},
    {"network $T/s --scheme dual --buffer 0", 2, "--buffer"},
    {"network $T/s --scheme dual --flits 5:2", 2, "--flits takes a length L or a range A:B"},
    {"network $T/s --scheme dual --flits 0", 2, "--flits takes"},
    {"network $T/s --scheme dual --trace - --json", 2, "both want standard output"},
    {"network $T/s --scheme dual --trace $T/s", 2, "would overwrite"},
    {"network $T/graph --topology graph:$T/edges --scheme dual --trace $T/edges", 2,
     "would overwrite"},
    {"network $T/s --scheme dual --sources 37", 2, "the set has messages of 36 nodes"},
    {"network $T/off --scheme dual", 3, "off:2"},
    {"network $T/none --scheme dual", 4, "cannot open"},
    {"load --scheme dual --rate 0.1", 2, "missing --topology"},
    {"load --topology mesh:4x4 --rate 0.1", 2, "missing --scheme"},
    {"load --topology mesh:4x4 --scheme dual", 2, "missing --rate"},
    {"network $T/s --scheme dual --clock 0", 2, "--clock takes a number of GHz above 0"},
    {"network $T/s --scheme dual --clock 1e9x", 2, "not '1e9x'"},
    {"load --topology mash:4x4 --scheme dual --rate 0.1", 2, "mash"},
    {"load --topology graph:$T/none --scheme dual --rate 0.1", 4, "cannot open"},
    {"load --topology mesh:4x4 --scheme dual --rate 0.1,0.2,0.10", 2, "has '0.10' twice"},
    {"load --topology mesh:4x4 --scheme dual,dual --rate 0.1", 2, "has 'dual' twice"},
    {"load --topology mesh:4x4 --scheme dual --rate 0", 2,
     "--rate takes messages per node and cycle"},
    {"load --topology mesh:4x4 --scheme dual --rate 2", 2, "--rate takes"},
    {"load --topology mesh:4x4 --scheme dual --rate 1e-15", 2, "at least 1e-09"},
    {"load --topology mesh:1 --scheme dual --rate 0.1", 2, "two nodes would do"},
    {"load --topology torus:4x4 --scheme dual --rate 0.1 --set $T/lengths", 2, "--flits, would do"},
    {"load --topology mesh:4x4 --scheme dual --rate 0x1", 2, "--rate takes"},
    {"load --topology mesh:4x4 --scheme dual --rate 0.1,", 2, "--rate takes"},
    {"load --topology mesh:4x4 --scheme dual --rate 0.1 --destinations 16", 2, "1 .. 15 would do"},
    {"load --topology mesh:4x4 --scheme dual --rate 0.1 --destinations 0", 2,
     "--destinations takes"},
    {"load --topology mesh:4x4 --scheme dual --rate 0.1 --destinations 4 --multicast-share 10", 2,
     "above 0 and up to 1, such as 0.1, not '10'"},
    {"load --topology mesh:4x4 --scheme dual --rate 0.1 --multicast-share 0.1", 2,
     "goes with --destinations"},
    {"load --topology torus:4x4 --scheme dual,unicast --rate 0.1", 2, "--vcs 2 would do"},
    {"load --topology mesh:4x4 --scheme unicast --rate 0.9 --arrivals negative-binomial", 2,
     "at most 0.5"},
    {"load --topology mesh:4x4 --scheme unicast --rate 0.9 --order 3", 2, "--order goes with"},
    {"load --topology mesh:4x4 --scheme unicast --rate 0.9 --flit-bits 8", 2,
     "--flit-bits goes with --header"},
    {"load --topology mesh:4x4 --scheme unicast --rate 0.1 --set $T/s", 2, "set on mesh:6x6"},
    {"load --topology 4x4 --scheme unicast --rate 0.1", 2, "such as mesh:4x4, found '4x4'"},
    {"load --topology mesh:4x4 --scheme unicast --rate 0.1 --pattern identity", 2,
     "identity has no messages that leave their node"},
    {"load --topology mesh:3x3x3 --scheme unicast --rate 0.1 --pattern transpose", 2,
     "one or two dimensions"},
    {"load --topology mesh:6x6 --scheme dual --rate 0.1 --set $T/s --destinations 2", 2,
     "goes with uniform traffic"},
    {"load --topology mesh:4x4 --scheme dual --rate 0.1 --plot $T/a.txt", 2, "a.txt"},
    {"load --topology mesh:4x4 --scheme dual --rate 0.1 --db $T/s", 3, "not an SQLite database"},
    {"load --topology graph:$T/g.csv --scheme dual --rate 0.1 --plot $T/g.csv", 2,
     "would overwrite"},
    {"load --topology mesh:4x4 --scheme dual --rate 0.1 --db $T/x.csv --plot $T/x.csv", 2,
     "would overwrite"},
    {"load --topology mesh:4x4 --scheme dual --rate 0.1 --db $T/x.csv --plot $T/../$(basename "
     "$T)/x.csv",
     2, "would overwrite"},
    {"report $T/s.db --table load", 4, "cannot"},
};

START_TEST(refusals)
{
    program_run(GEN "true");
    program_run_file("torus", "mcast 2 torus 4 4\n0 5\nend 1\n");
    program_run_file("lengths", "mcast 2 torus 4 4\n0:5 3\nend 1\n");
    program_run_file("graph", "mcast 2 graph 3\n0 2\nend 1\n");
    program_run_file("edges", "0 1\n1 2\n");
    program_run_file("link", "link 0 1\n");
    program_run_file("g.csv", "0 1\n1 2\n");
    program_run_file("off", "mcast 1 2 2\n0 4\n");
    program_run_fails(refused[_i].status, refused[_i].part, "$M %s", refused[_i].arguments);
}
END_TEST

/* A graph's edges come from a file, for both commands. */
START_TEST(graphs)
{
    program_run_file("graph", "mcast 2 graph 5\n0 2 4\n3 1\nend 2\n");
    program_run_file("edges", "0 1\n1 2\n2 3\n3 4\n0 3\n");
    program_run_ends(0, "$M network $T/graph --topology graph:$T/edges --scheme dual --json");
    json_t *object = program_run_json();
    ck_assert_str_eq(program_run_text(object, "topology"), "graph");
    ck_assert_int_eq(program_run_integer(object, "delivered"), 3);
    json_decref(object);
    program_run_ends(0, "$M load --topology graph:$T/edges --scheme unicast --param routing=label "
                        "--rate 0.05 --measure 100 -q");
}
END_TEST

void cli_network_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_test(tests, network_json);
    tcase_add_test(tests, routings_of_unicasts);
    tcase_add_test(tests, network_table);
    tcase_add_test(tests, microseconds);
    tcase_add_test(tests, chosen_messages);
    tcase_add_test(tests, threads);
    tcase_add_test(tests, deadlock);
    tcase_add_test(tests, classes_of_trees);
    tcase_add_test(tests, traces);
    tcase_add_test(tests, load_json);
    tcase_add_test(tests, pictures);
    tcase_add_test(tests, traffics);
    tcase_add_loop_test(tests, refusals, 0, sizeof refused / sizeof refused[0]);
    tcase_add_test(tests, lists);
    tcase_add_test(tests, lists_that_fail);
    tcase_add_test(tests, graphs);
}
