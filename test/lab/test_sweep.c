/* test_sweep.c - sweeps: the contents of rows, resuming, shares, refusals.
 *
 * Oracles: `route --json` for the figures of a row, the product of the lists for the number of
 * rows.
 */
#include "test/lab/sweep_case.h"
#include "test/program_run.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

/* Every combination has its row, and a second sweep finds all of them. */
START_TEST(test_rows)
{
    sweep_case_make_set();
    program_run_ends(0, "$M " SWEEP " --db $T/db -j 2");
    ck_assert_int_eq(sweep_case_count("db", "SELECT count(*) FROM run"), SWEEP_RUNS);
    ck_assert_int_eq(
        sweep_case_count("db", "SELECT count(*) FROM run WHERE outcome = 'done' AND missing = 0"),
        SWEEP_RUNS);
    sweep_case_check("db", "PRAGMA journal_mode", "delete|\n");
    sweep_case_check("db",
                     "SELECT count(*) FROM run WHERE steps <> (SELECT sum(steps) FROM phase "
                     "WHERE run = run.id)",
                     "0|\n");
    sweep_case_check("db", "SELECT DISTINCT asked_parameters FROM run ORDER BY 1",
                     "r=2 variant=paper|\nr=3 variant=paper|\nvariant=paper|\n");
    sweep_case_check("db", "SELECT DISTINCT workload, rows, cols FROM run ORDER BY 1, 2, 3",
                     "s|7|7|\nuniform|5|8|\nuniform|6|6|\nworst|5|8|\nworst|6|6|\n");
    ck_assert(!program_run_left("db-wal"));

    program_run("cp $T/db $T/copy; $M sweep --router replicate --param variant=paper "
                "--set $T/s --db $T/db");
    program_run_ends(0, "cmp $T/db $T/copy");
}
END_TEST

/* The row has three steps of the object. */
static void check_delivery_steps(const json_t *steps)
{
    static const char *const members[] = {"median", "p95", "p99"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        char sql[80], expected[40];
        snprintf(sql, sizeof sql, "SELECT delivery_steps_%s FROM run", members[i]);
        snprintf(expected, sizeof expected, "%d|\n",
                 (int)json_integer_value(json_object_get(steps, members[i])));
        sweep_case_check("db", sql, expected);
    }
}

/* A row has every figure of `route --json`, and its phases and parameters. */
START_TEST(test_figures)
{
    sweep_case_make_set();
    program_run_ends(0, "$M sweep --router stream --set $T/s --seed 5 --copy free "
                        "--db $T/db -q");
    program_run("$M route $T/s --router stream --seed 5 --copy free --threads 1 --json");
    json_t *object = program_run_json(), *value;
    const char *key;
    json_object_foreach(object, key, value)
    {
        char sql[256], *text;
        if (strstr("wall_seconds set foretold proven_steps messages_at_home deliveries_at_home",
                   key))
            continue;
        if (strcmp(key, "delivery_steps") == 0) {
            check_delivery_steps(value);
            continue;
        }
        if (json_is_array(value) || json_is_object(value)) {
            snprintf(sql, sizeof sql, "SELECT count(*) FROM %.*s", (int)strlen(key) - 1, key);
            size_t size = json_is_array(value) ? json_array_size(value) : json_object_size(value);
            ck_assert_msg(sweep_case_count("db", sql) == (int)size, "%s", key);
            continue;
        }
        snprintf(sql, sizeof sql, "SELECT %s FROM run", key);
        text = sweep_case_query("db", sql);
        text[strlen(text) - 2] = '\0';
        if (json_is_string(value))
            ck_assert_str_eq(text, json_string_value(value));
        else if (json_is_number(value))
            ck_assert_double_eq_tol(atof(text), json_number_value(value), 1e-6);
        else
            ck_assert_str_eq(text, "NULL");
        free(text);
    }
    json_decref(object);
}
END_TEST

/* Several messages per node: the sets of `gen`, each l a run of its own, with l and the patterns'
 * inputs in the row. */
START_TEST(test_several)
{
    program_run_ends(0, "$M sweep --pattern moe,uniform --experts 6 --per-node 1,3 --side 8 "
                        "--router trees --seed 2 --db $T/db -q");
    sweep_case_check("db",
                     "SELECT workload, asked_per_node, messages_per_node FROM run ORDER BY 1, 3",
                     "moe:experts=6|NULL|1|\nmoe:experts=6|3|3|\nuniform|NULL|1|\nuniform|3|3|\n");
    program_run("$M gen --side 8 --pattern moe --experts 6 --per-node 3 --seed 2 -o $T/set");
    program_run("$M route $T/set --router trees --seed 2 --json");
    json_t *object = program_run_json();
    char expected[80];
    snprintf(expected, sizeof expected, "%d|%d|\n",
             (int)json_integer_value(json_object_get(object, "steps")),
             (int)json_integer_value(json_object_get(object, "packet_hops")));
    sweep_case_check(
        "db",
        "SELECT steps, packet_hops FROM run WHERE messages_per_node = 3 AND workload LIKE "
        "'moe%'",
        expected);
    json_decref(object);

    /* the file is a set of its own, whose l is known */
    program_run_ends(0, "$M sweep --set $T/set --router trees,random --db $T/db -q");
    sweep_case_check("db",
                     "SELECT router, outcome, messages_per_node FROM run WHERE is_file ORDER BY 1",
                     "random|done|3|\ntrees|done|3|\n");
    ck_assert_ptr_nonnull(strstr(program_run("$M report $T/db")->out, "log (l c)"));

    program_run("printf '5 3 2 1\n' >$T/counts; $M sweep --pattern moe --skew $T/counts --side 8 "
                "--router trees --db $T/db -q; printf '5 3 2 9\n' >$T/counts");
    ck_assert_ptr_nonnull(strstr(program_run("$M sweep --pattern moe --skew $T/counts --side 8 "
                                             "--router trees --db $T/db -n")
                                     ->out,
                                 "to do   trees, copies unit, moe:skew=counts@"));
    program_run_ends(2, "$M sweep --pattern uniform --side 8 --groups 2 --db $T/db");
    program_run_ends(2, "$M sweep --pattern populations --side 8 --db $T/db");
    program_run_ends(2, "$M sweep --set $T/set --per-node 2 --db $T/db");
}
END_TEST

/* A database of an older form is refused by every command that opens it, with the expected form,
 * and not touched. */
START_TEST(test_older_database)
{
    program_run("$M sweep --pattern uniform --side 4 --router trees --db $T/db -q");
    free(sweep_case_query("db", "PRAGMA user_version = 1"));
    program_run("cp $T/db $T/copy");
    static const char *const commands[] = {
        "report $T/db", "sweep --pattern uniform --side 4 --db $T/db",
        "load --topology mesh:4x4 --scheme dual --rate 0.001 --db $T/db", "report $T/copy $T/db"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        program_run_fails(3,
                          " is a database of version 1, and this program expects "
                          "version 2: repeat the runs",
                          "$M %s", commands[i]);
        program_run_ends(0, "cmp $T/db $T/copy");
    }
}
END_TEST

/* Independent jobs, each with its share of the runs and a database of its own: read together, they
 * are the whole sweep, also if one is named twice; each has its even part. Two jobs on one file do
 * the same. */
START_TEST(test_shares)
{
    sweep_case_make_set();
    program_run("$M " SWEEP " --db $T/whole; for k in 1 2 3 4; do $M " SWEEP
                " --share $k/4 --db $T/part$k & done; "
                "for k in 1 2; do $M " SWEEP " --share $k/2 --db $T/both & done; wait");
    for (int k = 1; k <= 4; k++) {
        char name[16];
        snprintf(name, sizeof name, "part%d", k);
        int runs = sweep_case_count(name, "SELECT count(*) FROM run");
        ck_assert(runs == SWEEP_RUNS / 4 || runs == SWEEP_RUNS / 4 + 1);
    }
    sweep_case_check_same("whole", "both");
    program_run_ends(
        0, "r() { $M report \"$@\" --json | grep -v -e wall_seconds -e '\"database\"'; }; "
           "r $T/whole >$T/1; r $T/part4 $T/part2 $T/part1 $T/part3 $T/part2 >$T/2; cmp $T/1 $T/2");
    program_run_ends(0,
                     "$M sweep --pattern uniform --side 4 --router trees --share 2/3 --db $T/none");
    static const char *const wrong[] = {"0/3", "4/3", "3", "1/", "1/3x", "-1/3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        program_run_fails(2, "--share takes K/N",
                          "$M sweep --pattern uniform --side 4 --db $T/x --share %s", wrong[i]);
    }
}
END_TEST

/* Missing runs are done, stored runs are not done again; versions and seeds distinguish runs. */
START_TEST(test_resume)
{
    program_run_ends(0, "$M sweep --router trees --pattern uniform --side 6 --db $T/db -q");
    const struct outcome *run =
        program_run("$M sweep --router trees --pattern uniform --side 6,7 --seeds 3 --db $T/db");
    ck_assert_ptr_nonnull(strstr(run->err, "6 of 6 runs stored: 1 before, 5 now"));
    run = program_run(
        "$M sweep --router trees --pattern uniform --side 6,7,8 --seeds 3 --db $T/db --dry-run");
    ck_assert_ptr_nonnull(strstr(run->err, "9 runs, 6 stored, 3 to do"));
    ck_assert_ptr_nonnull(strstr(run->out, "to do   trees, copies unit, uniform 8 x 8, seed 1\n"));
    ck_assert_ptr_nonnull(strstr(run->out, "stored  trees, copies unit, uniform 7 x 7, seed 2\n"));
    ck_assert_int_eq(sweep_case_count("db", "SELECT count(*) FROM run"), 6);
    program_run("$M sweep --set $T/none,$T/s --db $T/other --dry-run");
    ck_assert(!program_run_left("other"));
}
END_TEST

/* A set whose file has changed is another input; the same set in another folder is not. */
START_TEST(test_input_hash)
{
    sweep_case_make_set();
    program_run("mkdir $T/f; cp $T/s $T/f/s; echo '# a comment' >>$T/f/s; "
                "for s in $T/s $T/f/s; do $M sweep --router trees --set $s --db $T/db; done");
    ck_assert_int_eq(sweep_case_count("db", "SELECT count(*) FROM run"), 1);
    program_run("$M gen --side 7 --pattern uniform --degree 3 --congestion 3 -o $T/s; "
                "$M sweep --router trees --set $T/s --db $T/db");
    ck_assert_int_eq(sweep_case_count("db", "SELECT count(*) FROM run"), 2);
    ck_assert_int_eq(sweep_case_count("db", "SELECT count(DISTINCT input_hash) FROM run"), 2);
    /* the report does not take them for seeds of one workload */
    const struct outcome *run = program_run("$M report $T/db --csv | grep -c trees");
    ck_assert_str_eq(run->out, "2\n");
}
END_TEST

/* Runs that are refused or overflow are rows with their reasons, and not tried again. */
START_TEST(test_failed_runs)
{
    const char *command =
        "$M sweep --router trees,random --param slots=0 --param r=2 --param variant=paper,direct "
        "--pattern uniform --side 8 --congestion 8 --buffer 2,64 --db $T/db";
    const struct outcome *run = program_run_ends(1, "%s", command);
    ck_assert_int_eq(sweep_case_count("db", "SELECT count(*) FROM run"), 6);
    ck_assert_int_eq(
        sweep_case_count("db", "SELECT count(*) FROM run WHERE outcome = 'failed' AND steps > 0 "
                               "AND error LIKE '%overflow%' AND buffer_capacity = 2 "
                               "AND router = 'trees'"),
        1);
    ck_assert_int_ge(
        sweep_case_count("db", "SELECT count(*) FROM run WHERE outcome = 'refused' AND error "
                               "LIKE '%parameter r %' AND steps IS NULL"),
        1);
    ck_assert_int_eq(sweep_case_count("db", "SELECT count(*) FROM run WHERE (error IS NULL) <> "
                                            "(outcome = 'done')"),
                     0);
    run = program_run_ends(1, "%s", command); /* the grid is no better than before */
    ck_assert_ptr_nonnull(strstr(run->err, "6 before, 0 now (1 failed"));
    program_run_ends(1, "%s --seeds 2", command);
    for (int i = 0; i < 2; i++) {
        program_run_ends(2,
                         "$M sweep --router random --param r=5,7 --param variant=direct --pattern "
                         "uniform --side 8 "
                         "--db $T/refused");
    }
    run = program_run_ends(
        0, "$M sweep --router random --param r=5 --param variant=direct,paper --pattern "
           "uniform --side 8 --db $T/refused");
    ck_assert_int_eq(sweep_case_count("refused", "SELECT count(*) FROM run"), 3);
    /* a value that none of the routers has is no run */
    program_run_fails(2, "'dss'; did you mean 'dds'?",
                      "$M sweep --router replicate,trees --param tree=dds,dss --pattern uniform "
                      "--side 8 --db $T/refused");
    ck_assert_int_eq(sweep_case_count("refused", "SELECT count(*) FROM run"), 3);
}
END_TEST

void sweep_suite(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, program_run_setup, program_run_teardown);
    tcase_add_test(tcase, test_rows);
    tcase_add_test(tcase, test_figures);
    tcase_add_test(tcase, test_several);
    tcase_add_test(tcase, test_older_database);
    tcase_add_test(tcase, test_shares);
    tcase_add_test(tcase, test_resume);
    tcase_add_test(tcase, test_input_hash);
    tcase_add_test(tcase, test_failed_runs);
}
