/* test_cli_load.c - the points of `load` in a database, and their reports.
 *
 * Method: short loads, run twice: stored points are printed again unchanged.
 */
#include "test/program_run.h"

#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOAD "$M load --topology mesh:6x6 --warmup 50 --measure 400 "

/* Points that are in the database are not run again, and `report` shows them. */
START_TEST(database)
{
    program_run_ends(0, LOAD "--scheme dual --rate 0.001,0.002 --db $T/db --json -q");
    json_t *first = program_run_json();
    const struct outcome *run =
        program_run_ends(0, LOAD "--scheme dual --rate 0.001,0.002,0.003 --db $T/db -q");
    const char *stored = strstr(run->out, "  stored\n");
    ck_assert_ptr_nonnull(stored);
    ck_assert_ptr_nonnull(strstr(stored + 1, "  stored\n"));
    ck_assert_ptr_null(strstr(strstr(stored + 1, "  stored\n") + 1, "  stored\n"));
    program_run(LOAD "--scheme dual --rate 0.001,0.002 --db $T/db --json -q");
    json_t *again = program_run_json();
    ck_assert(json_equal(json_object_get(first, "points"), json_object_get(again, "points")));
    json_decref(first);
    json_decref(again);
    run = program_run_ends(0, "$M report $T/db");
    ck_assert_ptr_nonnull(strstr(run->out, "Latency against load"));
    ck_assert_ptr_nonnull(strstr(run->out, "0.003"));
    program_run_ends(0, "$M sweep --router trees --pattern uniform --side 4 --db $T/db -q");
    run = program_run("$M report $T/db");
    ck_assert_ptr_nonnull(strstr(run->out, "By workload and router"));
    ck_assert_ptr_nonnull(strstr(run->out, "Latency against load"));
    run = program_run("$M report $T/db --table load --csv | wc -l");
    ck_assert_str_eq(run->out, "4\n");
}
END_TEST

/* With --clock and --flit-bytes a point has microseconds and GB/s, also one that is stored without
 * them. */
START_TEST(converted)
{
    program_run(LOAD "--scheme dual --flits 5 --rate 0.002 --db $T/db --json -q");
    json_t *object = program_run_json(),
           *point = json_array_get(json_object_get(object, "points"), 0);
    double latency = program_run_number(point, "latency"),
           accepted = program_run_number(point, "accepted");
    ck_assert_ptr_null(json_object_get(point, "latency_microseconds"));
    ck_assert_ptr_null(json_object_get(point, "accepted_gb_per_second"));
    json_decref(object);
    program_run(LOAD
                "--scheme dual --flits 5 --rate 0.002 --db $T/db --clock 2 --flit-bytes 16 --json");
    object = program_run_json();
    point = json_array_get(json_object_get(object, "points"), 0);
    ck_assert_double_eq_tol(program_run_number(point, "latency_microseconds") * 2000, latency,
                            1e-9);
    ck_assert_double_eq_tol(program_run_number(point, "accepted_bytes_per_cycle"), 80 * accepted,
                            1e-9);
    ck_assert_double_eq_tol(program_run_number(point, "accepted_gb_per_second"), 160 * accepted,
                            1e-9);
    json_decref(object);
    const struct outcome *run = program_run("$M report $T/db --table load --csv | wc -l");
    ck_assert_str_eq(run->out, "2\n");
    run = program_run(LOAD "--scheme dual --rate 0.002 --clock 2 --flit-bytes 16 -q");
    ck_assert_ptr_nonnull(strstr(run->out, "a link carries 32 GB/s at most"));
}
END_TEST

/* A text that is not UTF-8 is bad input, which is told with its table, row and column; that of a
 * file's name is not. */
START_TEST(not_utf8)
{
    static const struct {
        const char *statement, *expected;
    } CASES[] = {
        {"UPDATE result SET specification = CAST(replace(specification, 'uniform', x'61ff') AS "
         "TEXT) WHERE kind = 'run'",
         ""},
        {"UPDATE result SET figures = CAST(replace(figures, 'uniform', x'61ff') AS TEXT)",
         "row 2 of its table load_point has a 'traffic' that is not UTF-8"},
        {"DELETE FROM result WHERE kind = 'load_point'; UPDATE result SET figures = "
         "CAST(replace(figures, 'trees', x'61ff') AS TEXT)",
         "row 1 of its table run has a 'router' that is not UTF-8"},
    };
    char path[4096];
    sqlite3 *handle;
    program_run_ends(0, "$M sweep --router trees --pattern uniform --side 4 --db $T/db -q "
                        "&& " LOAD "--scheme dual --db $T/db -q --rate 0.001");
    snprintf(path, sizeof path, "%s/db", getenv("T"));
    for (int i = 0; i < 3; i++) {
        sqlite3_open(path, &handle);
        ck_assert_int_eq(sqlite3_exec(handle, CASES[i].statement, NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(handle);
        const struct outcome *run = program_run_ends(i == 0 ? 0 : 3, "$M report $T/db");
        ck_assert_msg(strstr(run->err, CASES[i].expected) != NULL, "%s", run->err);
    }
}
END_TEST

/* A point that ends in a deadlock is stored, is printed again, and is in CSV, the picture and
 * `report`. */
START_TEST(stored_deadlock)
{
    static const char load[] =
        "$M load --topology mesh:8x8 --scheme dual --rate 0.02,0.03 --destinations 4 --flits 16 "
        "--consumption 1 --measure 500 --runs 1 --db $T/db -q --plot $T/a.csv --json";
    const struct outcome *run = program_run_ends(1, load);
    ck_assert_ptr_nonnull(strstr(run->err, "2 of 2 points failed; the first, dual, rate 0.02"));
    json_t *first = program_run_json();
    program_run_ends(1, load);
    json_t *again = program_run_json();
    ck_assert(json_equal(json_object_get(first, "points"), json_object_get(again, "points")));
    json_decref(first);
    json_decref(again);
    run = program_run("grep -c ',dual,0.0.,4,16,,,.*,deadlock,' $T/a.csv");
    ck_assert_str_eq(run->out, "2\n");
    run = program_run("$M report $T/db | grep -c deadlock");
    ck_assert_str_eq(run->out, "2\n");
}
END_TEST

/* A deadlock ends the search for the saturation: the row is that of its rate, no rate is called
 * saturated, and the message names the parameter that prevents it. */
START_TEST(saturation_deadlock)
{
    program_run_fails(1, ", or --param classes=sides with ",
                      "$M load --topology mesh:8x8 --flits 4 --vcs 2 --scheme dds --destinations 8 "
                      "--multicast-share 0.1 --saturation --runs 1 --json");
    json_t *json = program_run_json();
    const json_t *point = json_array_get(json_object_get(json, "points"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(point, "outcome")), "deadlock");
    ck_assert(json_is_null(json_object_get(point, "saturation_high")));
    ck_assert(program_run_number(point, "saturation_low") < program_run_number(point, "rate"));
    json_decref(json);
}
END_TEST

/* `report` shows the settings in which points differ, and gives programs the values of `load
 * --json`. */
START_TEST(settings_of_points)
{
    static const char *const few[] = {"sizes", "parameters", "finite",   "saturated",
                                      "seed",  "flits",      "deadlock", NULL};
    json_t *points[2];
    program_run_ends(
        0, LOAD "--scheme unicast --rate 0.002 --db $T/db --startup 3 -q >$T/table && " LOAD
                "--scheme unicast --rate 0.002 --db $T/db --json -q --flits 2:9 --router-delay 1 "
                "--seed 18446744073709551615");
    points[0] = program_run_json();
    const struct outcome *run = program_run("$M report $T/db");
    ck_assert_ptr_nonnull(strstr(run->out, "  startup  delay  "));
    ck_assert_ptr_nonnull(strstr(run->out, "  18446744073709551615  "));
    ck_assert_ptr_null(strstr(run->out, "consumption"));
    program_run("$M report $T/db --json");
    points[1] = program_run_json();
    ck_assert_uint_eq(json_array_size(points[1]), 2);
    const json_t *row = json_array_get(points[1], 0);
    const json_t *own = json_array_get(json_object_get(points[0], "points"), 0);
    for (int i = 0; few[i] != NULL; i++) {
        const json_t *asked = json_object_get(own, few[i]);
        asked = asked != NULL ? asked : json_object_get(points[0], few[i]);
        ck_assert_msg(json_equal(json_object_get(row, few[i]), asked), "%s", few[i]);
    }
    json_decref(points[0]);
    json_decref(points[1]);
    run = program_run("$M report $T/db --csv | head -n 1");
    ck_assert_ptr_nonnull(strstr(run->out, ",startup_mode,router_delay,ports,release,header,"));
    program_run_fails(2, "choose runs of routers", "$M report $T/db --router trees");
    program_run_fails(2, "--table load shows them", "$M report $T/db --table fits");
}
END_TEST

/* Points whose worms name their stops in another way have rows that say so. */
START_TEST(headers_of_points)
{
    static const char *const choice[] = {"", "--header list", "--header bitmap",
                                         "--header list --flit-bits 8"};
    for (size_t i = 0; i < sizeof choice / sizeof *choice; i++)
        program_run_ends(0, LOAD "--scheme dual --rate 0.002 --db $T/db -q %s", choice[i]);
    ck_assert_ptr_nonnull(strstr(program_run("$M report $T/db")->out, "  header  flit bits  "));
    const struct outcome *run = program_run("$M report $T/db --json");
    json_t *rows = program_run_json();
    ck_assert_msg(json_array_size(rows) == 4, "%s", run->out);
    ck_assert(json_is_null(json_object_get(json_array_get(rows, 0), "header")));
    ck_assert_str_eq(program_run_text(json_array_get(rows, 1), "header"), "bitmap");
    ck_assert_int_eq(program_run_integer(json_array_get(rows, 1), "flit_bits"), 64);
    ck_assert_str_eq(program_run_text(json_array_get(rows, 2), "header"), "list");
    ck_assert_int_eq(program_run_integer(json_array_get(rows, 2), "flit_bits"), 8);
    ck_assert_int_eq(program_run_integer(json_array_get(rows, 3), "flit_bits"), 64);
    json_decref(rows);
}
END_TEST

/* A number beyond its range is refused with the option and the range, before it is used. */
START_TEST(numbers_out_of_range)
{
    static const struct {
        const char *options, *text;
    } refused[] = {
        {"--vcs 1000000000", "--vcs takes a whole number from 1 to 64, not '1000000000'"},
        {"--vcs 18446744073709551617", "--vcs takes a whole number from 1 to 64"},
        {"--flits 4e9", "--flits takes a length L or a range A:B of lengths, 1 .. 16777216"},
        {"--flits 1:16777217", "1 .. 16777216, not '1:16777217'"},
        {"--buffer 4294967297", "--buffer takes a whole number from 1 to 1048576"},
        {"--destinations 1000000000", "--destinations takes numbers of nodes from 1 to 67108864"},
        {"--runs 1000000000000", "--runs takes a whole number from 1 to 1000"},
        {"--measure 99999999999", "--measure takes a whole number from 10 to 536870912"},
        {"--warmup 1e9", "--warmup takes a whole number from 1 to 536870912"},
        {"--rate 1e300", "--rate takes messages per node and cycle, above 0 and up to 1"},
        {"--rate nan", "--rate takes messages per node and cycle, above 0 and up to 1"},
        {"--rate -0.1", "--rate takes messages per node and cycle, above 0 and up to 1"},
        {"--rate 1e-300", "at least 1e-09 messages per cycle"},
        {"--like noxim", "the values of --like are: booksim2"},
        {"--saturation", "--rate, --finite and --plot are for given ones"},
        {"--mix unicast", "--mix takes KIND=SHARE,.., such as unicast=0.9,8=0.1"},
        {"--mix unicast=0.9,8=0.2", "the shares of --mix add up to 1.1; expected 1"},
        {"--mix 8=0.5,8=0.5", "--mix has the kind '8' twice"},
        {"--mix 8=1.5", "such as unicast=0.9,8=0.1"},
        {"--mix 64=1", "1 .. 63 would do"},
        {"--mix 8=1 --destinations 3", "--mix says all of --destinations and --multicast-share"},
        {"--mix 8=1 --pattern transpose", "--mix goes with uniform traffic"},
        {"--routing snake", "values of routing are: x-first, label, west-first, odd-even"},
        {"--routing odd-even --topology torus:4x4", "needs meshes of one or two dimensions"},
        {"--topology mesh:1000000x1000000", "at most 67108864 nodes"},
        {"--topology torus:4294967297x1", "at most 67108864 nodes"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const char *topology =
            strstr(refused[i].options, "--topology") != NULL ? "" : "--topology mesh:8x8";
        const char *rate = strncmp(refused[i].options, "--rate", 6) == 0 ? "" : "--rate 0.1";
        program_run_fails(2, refused[i].text, "$M load --scheme unicast %s %s %s", topology, rate,
                          refused[i].options);
    }
}
END_TEST

/* A point of another graph in the same file is another point. */
START_TEST(changed_graph)
{
    static const char load[] = "$M load --topology graph:$T/edges --scheme dual --rate 0.05 "
                               "--measure 100 --warmup 10 --db $T/db -q";
    program_run_file("edges", "0 1\n1 2\n2 3\n3 4\n0 3\n");
    program_run_ends(0, load);
    ck_assert_ptr_nonnull(strstr(program_run(load)->out, "  stored"));
    program_run_file("edges", "# the same\n1 0\n0 1\n1 2\n2 3\n3 4\n0 3 weight\n");
    ck_assert_ptr_nonnull(strstr(program_run(load)->out, "  stored"));
    program_run_file("edges", "0 1\n1 2\n2 3\n3 4\n0 4\n");
    ck_assert_ptr_null(strstr(program_run(load)->out, "  stored"));
    ck_assert_ptr_nonnull(strstr(program_run("$M report $T/db")->out, "sizes  graph  "));
}
END_TEST

/* A point whose mean is not known within 5 % says so. */
START_TEST(wide_point)
{
    static const char load[] = "$M load --topology mesh:6x6 --scheme unicast --rate 0.05 "
                               "--destinations 4 --warmup 10 --runs 1 -q --measure ";
    const struct outcome *run = program_run("%s 20", load);
    ck_assert_msg(strstr(run->out, "  wide\n") != NULL, "%s", run->out);
    run = program_run("%s 4000", load);
    ck_assert_msg(strstr(run->out, "  wide\n") == NULL, "%s", run->out);
}
END_TEST

/* Returns the points of `load` with these options, without the times. */
static json_t *points_of(const char *options)
{
    program_run_ends(0, "$M load %s --json -q", options);
    json_t *object = program_run_json(), *points = json_incref(json_object_get(object, "points"));
    json_decref(object);
    return points;
}

static double figure_of(const json_t *points, const char *key)
{
    const json_t *value = json_object_get(json_array_get(points, 0), key);
    ck_assert_msg(json_is_number(value), "%s", key);
    return json_number_value(value);
}

/* --mix means --destinations and --multicast-share, in any notation; of a mix of three kinds all
 * are sent. */
START_TEST(mixes)
{
    static const char *const same[][2] = {
        {"--mix 4=0.3,unicast=0.7", "--destinations 4 --multicast-share 0.3"},
        {"--mix broadcast=1", "--destinations 35"},
        {"--destinations broadcast", "--destinations 35"},
        {"--mix 1=1.0", ""},
    };
    char options[256];
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        json_t *points[2];
        for (int j = 0; j < 2; j++) {
            snprintf(options, sizeof options,
                     "--topology mesh:6x6 --measure 400 --scheme u-mesh --rate 0.002 %s",
                     same[i][j]);
            points[j] = points_of(options);
        }
        static const char *const keys[] = {"latency", "p99", "startups", "capacity"};
        for (int k = 0; k < 4; k++)
            ck_assert_double_eq(figure_of(points[0], keys[k]), figure_of(points[1], keys[k]));
        json_decref(points[0]);
        json_decref(points[1]);
    }
    json_t *three = points_of("--topology mesh:6x6 --scheme unicast --rate 0.001 --measure 8000 "
                              "--warmup 10 --runs 1 --mix 1=0.5,5=0.3,20=0.2 --finite");
    ck_assert_double_eq_tol(figure_of(three, "startups") / 8010, 0.5 + 0.3 * 5 + 0.2 * 20, 0.4);
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(three, 0), "mix")),
                     "20=0.2,5=0.3,1=0.5");
    json_decref(three);
}
END_TEST

/* --saturation finds two rates, close together, of which the network carries one and not the other,
 * whatever the number of threads. It takes the points that it tries from a database. */
START_TEST(saturation)
{
    static const char options[] = "--topology mesh:6x6 --scheme unicast --flits 3 --measure 3000";
    char line[256];
    snprintf(line, sizeof line, "%s --saturation --threads 3 --db $T/db", options);
    json_t *found = points_of(line);
    snprintf(line, sizeof line, "%s --saturation --threads 1", options);
    json_t *again = points_of(line);
    ck_assert(json_equal(found, again));
    double low = figure_of(found, "saturation_low"), high = figure_of(found, "saturation_high");
    ck_assert(low > 0 && low < high && high <= figure_of(found, "capacity"));
    ck_assert_double_le(high - low, 0.01 * figure_of(found, "capacity"));
    ck_assert_double_eq(figure_of(found, "rate"), low);
    for (int i = 0; i < 2; i++) {
        snprintf(line, sizeof line, "%s --rate %.10g", options, i == 0 ? low : high);
        json_t *point = points_of(line);
        ck_assert_int_eq(json_is_true(json_object_get(json_array_get(point, 0), "saturated")), i);
        json_decref(point);
    }
    const struct outcome *run = program_run("$M load %s --saturation --db $T/db -q", options);
    ck_assert_ptr_nonnull(strstr(run->out, "  saturates  "));
    ck_assert_ptr_nonnull(strstr(run->out, " stored\n"));
    json_decref(found);
    json_decref(again);
}
END_TEST

/* --like sets the options that are not given. */
START_TEST(like_booksim2)
{
    json_t *like = points_of("--vcs 2 --measure 500 --runs 1 --like booksim2 --release entered");
    json_t *own = points_of("--topology mesh:8x8 --schemes unicast --pattern transpose --flits 20 "
                            "--rate 0.005 --vcs 2 --buffer 8 --injection 1 --consumption 1 "
                            "--router-delay 3 --measure 500 --runs 1");
    ck_assert(json_equal(like, own));
    json_decref(like);
    json_decref(own);
    like = points_of("--like booksim2 --destinations 3 --measure 500 --runs 1 --rate 0.0001");
    ck_assert_double_eq(figure_of(like, "destinations"), 3);
    json_decref(like);
}
END_TEST

/* A rate above the capacity is told before it runs; the table gives rates in flits, shares of the
 * capacity, percentiles. */
START_TEST(above_capacity)
{
    const struct outcome *run = program_run_ends(
        0, "$M load --topology mesh:4x4 --scheme unicast --flits 4 --rate 0.1,0.4");
    ck_assert_ptr_nonnull(strstr(run->err, "1 of 2 points have a rate above the capacity"));
    ck_assert_ptr_nonnull(strstr(run->out, "  flit rate   load  "));
    ck_assert_ptr_nonnull(strstr(run->out, "  median    p95    p99  "));
    ck_assert_ptr_nonnull(strstr(run->out, "  0.1        0.4  0.427  "));
    run = program_run("$M load --topology mesh:4x4 --scheme unicast --rate 0.1 2>&1");
    ck_assert_ptr_null(strstr(run->out, "above the capacity"));
}
END_TEST

void cli_load_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_test(tests, database);
    tcase_add_test(tests, converted);
    tcase_add_test(tests, not_utf8);
    tcase_add_test(tests, stored_deadlock);
    tcase_add_test(tests, saturation_deadlock);
    tcase_add_test(tests, settings_of_points);
    tcase_add_test(tests, headers_of_points);
    tcase_add_test(tests, numbers_out_of_range);
    tcase_add_test(tests, changed_graph);
    tcase_add_test(tests, wide_point);
    tcase_add_test(tests, mixes);
    tcase_add_test(tests, saturation);
    tcase_add_test(tests, like_booksim2);
    tcase_add_test(tests, above_capacity);
}
