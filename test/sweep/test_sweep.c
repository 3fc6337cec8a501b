/* test_sweep.c - sweeps: what a row holds, what is resumed, who shares, what is refused.
 *
 * Oracles: `route --json` for the figures of a row, the product of the lists for the number of
 * rows, and a sweep that nobody disturbed for all that were killed, shared or ran out of disk: all
 * tables must be the same but for the seconds and the order of rows.
 */
#include "base/pcg.h"
#include "base/stopwatch.h"
#include "test/length.h"
#include "test/program_run.h"
#include "test/skipped.h"

#include <check.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

Suite *sweep_suite(void);

/* 2 routers, one of them with 2 values of a parameter; 2 patterns, 2 meshes, 2 seeds, 1 file with 2 seeds. */
#define SWEEP_ALOUD                                                                                \
    "sweep --router random,replicate --param r=2,3 --pattern uniform,worst           "             \
    "--side 6,5x8 --congestion 3 --seeds 2 --set $T/s"
#define SWEEP SWEEP_ALOUD " -q"

enum { SWEEP_RUNS = 3 * (2 * 2 * 2 + 2) };

static void make_set(void)
{
    ck_assert_int_eq(
        program_run("$M gen --side 7 --pattern uniform --degree 3 --congestion 2 -o $T/s")->status,
        0);
}

/* ---- looking into a database ---- */

static sqlite3 *open_database(const char *file)
{
    char path[512];
    sqlite3 *handle;
    snprintf(path, sizeof path, "%s/%s", getenv("T"), file);
    ck_assert_int_eq(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    return handle;
}

static int append_row(void *context, int columns, char **value, char **name)
{
    (void)name;
    for (int i = 0; i < columns; i++)
        fprintf(context, "%s|", value[i] == NULL ? "NULL" : value[i]);
    fputc('\n', context);
    return 0;
}

/* What a query yields, a line a row; the caller frees it. */
static char *query(const char *file, const char *sql)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    sqlite3 *handle = open_database(file);
    ck_assert_msg(sqlite3_exec(handle, sql, append_row, out, NULL) == SQLITE_OK, "%s: %s", sql,
                  sqlite3_errmsg(handle));
    sqlite3_close(handle);
    fclose(out);
    return text;
}

static void check_query(const char *file, const char *sql, const char *expected)
{
    char *text = query(file, sql);
    ck_assert_msg(strcmp(text, expected) == 0, "%s: %s: %.500s", file, sql, text);
    free(text);
}

static int count(const char *file, const char *sql)
{
    char *text = query(file, sql);
    int number = atoi(text);
    free(text);
    return number;
}

/* All tables of the two databases are the same but for seconds and the order of rows. */
static void check_same(const char *one, const char *other)
{
    static const char *const queries[] = {
        "SELECT identity, workload, input_hash, asked_parameters, asked_buffer, asked_congestion, "
        "outcome, error, router, copy, rows, cols, messages, degree, congestion, deliveries, seed, "
        "steps, sync_steps, lower_bound, lower_bound_kind, buffer_peak, buffer_peak_node, "
        "buffer_peak_phase, packet_hops, word_hops, copies, delivered FROM run ORDER BY identity",
        "SELECT identity, position, name, phase.steps FROM phase JOIN run ON run = run.id "
        "ORDER BY identity, position",
        "SELECT identity, name, value FROM parameter JOIN run ON run = run.id "
        "ORDER BY identity, name",
        "SELECT count(*) FROM run",
        "SELECT count(*) FROM phase",
        "SELECT count(*) FROM parameter",
        "PRAGMA integrity_check",
    };
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        char *expected = query(one, queries[i]);
        check_query(other, queries[i], expected);
        free(expected);
    }
}

/* ---- rows ---- */

/* Every combination has its row, and a second sweep finds all of them. */
START_TEST(test_rows)
{
    make_set();
    ck_assert_int_eq(program_run("$M " SWEEP " --db $T/db -j 2")->status, 0);
    ck_assert_int_eq(count("db", "SELECT count(*) FROM run"), SWEEP_RUNS);
    ck_assert_int_eq(count("db", "SELECT count(*) FROM run WHERE outcome = 'done' AND missing = 0"),
                     SWEEP_RUNS);
    check_query("db", "PRAGMA journal_mode", "wal|\n");
    check_query("db",
                "SELECT count(*) FROM run WHERE steps <> (SELECT sum(steps) FROM phase "
                "WHERE run = run.id)",
                "0|\n");
    check_query("db", "SELECT DISTINCT asked_parameters FROM run ORDER BY 1", "|\nr=2|\nr=3|\n");
    check_query("db", "SELECT DISTINCT workload, rows, cols FROM run ORDER BY 1, 2, 3",
                "s|7|7|\nuniform|5|8|\nuniform|6|6|\nworst|5|8|\nworst|6|6|\n");
    ck_assert(!program_run_left("db-wal"));

    program_run("cp $T/db $T/copy; $M sweep --router replicate --set $T/s --db $T/db");
    ck_assert_int_eq(program_run("cmp $T/db $T/copy")->status, 0);
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
        check_query("db", sql, expected);
    }
}

/* A row has every figure of `route --json`, and its phases and parameters. */
START_TEST(test_figures)
{
    make_set();
    ck_assert_int_eq(program_run("$M sweep --router stream --set $T/s --seed 5 --copy free "
                                 "--db $T/db -q")
                         ->status,
                     0);
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
            ck_assert_msg(count("db", sql) == (int)size, "%s", key);
            continue;
        }
        snprintf(sql, sizeof sql, "SELECT %s FROM run", key);
        text = query("db", sql);
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

/* Several messages a node: the sets of `gen`, each l a run of its own, with l and the patterns' inputs in the row. */
START_TEST(test_several)
{
    ck_assert_int_eq(
        program_run("$M sweep --pattern moe,uniform --experts 6 --per-node 1,3 --side 8 "
                    "--router trees --seed 2 --db $T/db -q")
            ->status,
        0);
    check_query("db", "SELECT workload, asked_per_node, messages_per_node FROM run ORDER BY 1, 3",
                "moe:experts=6|NULL|1|\nmoe:experts=6|3|3|\nuniform|NULL|1|\nuniform|3|3|\n");
    program_run("$M gen --side 8 --pattern moe --experts 6 --per-node 3 --seed 2 -o $T/set");
    program_run("$M route $T/set --router trees --seed 2 --json");
    json_t *object = program_run_json();
    char expected[80];
    snprintf(expected, sizeof expected, "%d|%d|\n",
             (int)json_integer_value(json_object_get(object, "steps")),
             (int)json_integer_value(json_object_get(object, "packet_hops")));
    check_query("db",
                "SELECT steps, packet_hops FROM run WHERE messages_per_node = 3 AND workload LIKE "
                "'moe%'",
                expected);
    json_decref(object);

    /* the file is a set of its own, whose l is known */
    ck_assert_int_eq(
        program_run("$M sweep --set $T/set --router trees,random --db $T/db -q")->status, 0);
    check_query("db", "SELECT router, outcome, messages_per_node FROM run WHERE is_file ORDER BY 1",
                "random|done|3|\ntrees|done|3|\n");
    ck_assert_ptr_nonnull(strstr(program_run("$M report $T/db")->out, "log (l c)"));

    program_run("printf '5 3 2 1\n' >$T/counts; $M sweep --pattern moe --skew $T/counts --side 8 "
                "--router trees --db $T/db -q; printf '5 3 2 9\n' >$T/counts");
    ck_assert_ptr_nonnull(strstr(program_run("$M sweep --pattern moe --skew $T/counts --side 8 "
                                             "--router trees --db $T/db -n")
                                     ->out,
                                 "to do   trees, copies unit, moe:skew=counts@"));
    ck_assert_int_eq(
        program_run("$M sweep --pattern uniform --side 8 --groups 2 --db $T/db")->status, 2);
    ck_assert_int_eq(program_run("$M sweep --pattern populations --side 8 --db $T/db")->status, 2);
    ck_assert_int_eq(program_run("$M sweep --set $T/set --per-node 2 --db $T/db")->status, 2);
}
END_TEST

/* A database of an older form is refused by all who open it, with what was expected, and not touched. */
START_TEST(test_older_database)
{
    program_run("$M sweep --pattern uniform --side 4 --router trees --db $T/db -q");
    free(query("db", "PRAGMA user_version = 1"));
    program_run("cp $T/db $T/copy");
    static const char *const commands[] = {
        "report $T/db", "sweep --pattern uniform --side 4 --db $T/db",
        "load --topology mesh:4x4 --scheme dual --rate 0.001 --db $T/db", "report $T/copy $T/db"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const struct outcome *run = program_run("$M %s", commands[i]);
        ck_assert_int_eq(run->status, 3);
        ck_assert_msg(strstr(run->err, " is a database of version 1, and this program expects "
                                       "version 2: repeat the runs") != NULL,
                      "%s", run->err);
        ck_assert_int_eq(program_run("cmp $T/db $T/copy")->status, 0);
    }
}
END_TEST

/* Independent jobs, each with its share of the runs and a database of its own: read together, they are the whole sweep,
 * also if one is named twice; each has its even part. Two jobs on one file do the same. */
START_TEST(test_shares)
{
    make_set();
    program_run("$M " SWEEP " --db $T/whole; for k in 1 2 3 4; do $M " SWEEP
                " --share $k/4 --db $T/part$k & done; "
                "for k in 1 2; do $M " SWEEP " --share $k/2 --db $T/both & done; wait");
    for (int k = 1; k <= 4; k++) {
        char name[16];
        snprintf(name, sizeof name, "part%d", k);
        int runs = count(name, "SELECT count(*) FROM run");
        ck_assert(runs == SWEEP_RUNS / 4 || runs == SWEEP_RUNS / 4 + 1);
    }
    check_same("whole", "both");
    const struct outcome *run = program_run(
        "r() { $M report \"$@\" --json | grep -v -e wall_seconds -e '\"database\"'; }; "
        "r $T/whole >$T/1; r $T/part4 $T/part2 $T/part1 $T/part3 $T/part2 >$T/2; cmp $T/1 $T/2");
    ck_assert_msg(run->status == 0, "%s%s", run->out, run->err);
    run =
        program_run("$M sweep --pattern uniform --side 4 --router trees --share 2/3 --db $T/none");
    ck_assert_int_eq(run->status, 0);
    static const char *const wrong[] = {"0/3", "4/3", "3", "1/", "1/3x", "-1/3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        run = program_run("$M sweep --pattern uniform --side 4 --db $T/x --share %s", wrong[i]);
        ck_assert_int_eq(run->status, 2);
        ck_assert_ptr_nonnull(strstr(run->err, "--share takes K/N"));
    }
}
END_TEST

/* What was not there is done, what was there is not done again; versions and seeds tell apart. */
START_TEST(test_resume)
{
    ck_assert_int_eq(
        program_run("$M sweep --router trees --pattern uniform --side 6 --db $T/db -q")->status, 0);
    const struct outcome *run =
        program_run("$M sweep --router trees --pattern uniform --side 6,7 --seeds 3 --db $T/db");
    ck_assert_ptr_nonnull(strstr(run->err, "6 of 6 runs stored: 1 before, 5 now"));
    run = program_run(
        "$M sweep --router trees --pattern uniform --side 6,7,8 --seeds 3 --db $T/db --dry-run");
    ck_assert_ptr_nonnull(strstr(run->err, "9 runs, 6 stored, 3 to do"));
    ck_assert_ptr_nonnull(strstr(run->out, "to do   trees, copies unit, uniform 8 x 8, seed 1\n"));
    ck_assert_ptr_nonnull(strstr(run->out, "stored  trees, copies unit, uniform 7 x 7, seed 2\n"));
    ck_assert_int_eq(count("db", "SELECT count(*) FROM run"), 6);
    program_run("$M sweep --set $T/none,$T/s --db $T/other --dry-run");
    ck_assert(!program_run_left("other"));
}
END_TEST

/* A set whose file has changed is another input; the same set in another folder is not. */
START_TEST(test_input_hash)
{
    make_set();
    program_run("mkdir $T/f; cp $T/s $T/f/s; echo '# a comment' >>$T/f/s; "
                "for s in $T/s $T/f/s; do $M sweep --router trees --set $s --db $T/db; done");
    ck_assert_int_eq(count("db", "SELECT count(*) FROM run"), 1);
    program_run("$M gen --side 7 --pattern uniform --degree 3 --congestion 3 -o $T/s; "
                "$M sweep --router trees --set $T/s --db $T/db");
    ck_assert_int_eq(count("db", "SELECT count(*) FROM run"), 2);
    ck_assert_int_eq(count("db", "SELECT count(DISTINCT input_hash) FROM run"), 2);
    /* the report does not take them for seeds of one workload */
    const struct outcome *run = program_run("$M report $T/db --csv | grep -c trees");
    ck_assert_str_eq(run->out, "2\n");
}
END_TEST

/* Runs that are refused or overflow are rows with their reasons, and not tried again. */
START_TEST(test_failed_runs)
{
    const char *command = "$M sweep --router trees,random --param slots=0 --param r=2,0 "
                          "--pattern uniform --side 8 --congestion 8 --buffer 2,64 --db $T/db";
    const struct outcome *run = program_run("%s", command);
    ck_assert_int_eq(run->status, 1);
    ck_assert_int_eq(count("db", "SELECT count(*) FROM run"), 6);
    ck_assert_int_eq(count("db", "SELECT count(*) FROM run WHERE outcome = 'failed' AND steps > 0 "
                                 "AND error LIKE '%overflow%' AND buffer_capacity = 2 "
                                 "AND router = 'trees'"),
                     1);
    ck_assert_int_ge(count("db", "SELECT count(*) FROM run WHERE outcome = 'refused' AND error "
                                 "LIKE '%parameter r %' AND steps IS NULL"),
                     1);
    ck_assert_int_eq(count("db", "SELECT count(*) FROM run WHERE (error IS NULL) <> "
                                 "(outcome = 'done')"),
                     0);
    run = program_run("%s", command);
    ck_assert_int_eq(run->status, 1); /* the grid is no better than before */
    ck_assert_ptr_nonnull(strstr(run->err, "6 before, 0 now (1 failed"));
    ck_assert_int_eq(program_run("%s --seeds 2", command)->status, 1);
    for (int i = 0; i < 2; i++) {
        run = program_run("$M sweep --router random --param r=-1,0 --pattern uniform --side 8 "
                          "--db $T/refused");
        ck_assert_int_eq(run->status, 2);
    }
    run = program_run("$M sweep --router random --param r=0,3 --pattern uniform --side 8 "
                      "--db $T/refused");
    ck_assert_int_eq(run->status, 0);
    ck_assert_int_eq(count("refused", "SELECT count(*) FROM run"), 3);
}
END_TEST

/* ---- what disturbs ---- */

/* Starts the sweep in a group of processes of its own. */
static pid_t start_sweep(void)
{
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        execl("/bin/sh", "sh", "-c", "exec \"$M\" " SWEEP " --db $T/killed -j 2 2>/dev/null",
              (char *)NULL);
        _exit(127);
    }
    ck_assert_int_gt(child, 0);
    setpgid(child, child);
    return child;
}

static void sleep_for(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds};
    time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
    nanosleep(&time, NULL);
}

/* Kills a sweep, in turn all of it and its first process alone; true if it had not ended before. */
static bool kill_sweep(pid_t sweep, bool whole)
{
    int status;
    kill(whole ? -sweep : sweep, SIGKILL);
    ck_assert_int_eq(waitpid(sweep, &status, 0), sweep);
    return WIFSIGNALED(status);
}

/* How many runs are stored; 0 while there is no table. */
static int count_killed(void)
{
    char path[512];
    sqlite3_stmt *statement = NULL;
    sqlite3 *handle;
    int runs = 0;
    snprintf(path, sizeof path, "%s/killed", getenv("T"));
    ck_assert_int_eq(sqlite3_open(path, &handle), SQLITE_OK);
    sqlite3_busy_timeout(handle, 10000);
    if (sqlite3_prepare_v2(handle, "SELECT count(*) FROM result", -1, &statement, NULL) ==
            SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        runs = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(handle);
    return runs;
}

/* Two sweeps write to one database, and are killed at random moments, twenty times (a thousand in the long form), and
 * begun anew. No kill loses a row; when all runs are there, the database is what it is undisturbed. */
START_TEST(test_kill)
{
    const int kills = TEST_IS_SHORT ? 20 : 1000;
    struct pcg32 random = pcg32_seed(7, 0);
    make_set();
    double start = stopwatch_seconds();
    ck_assert_int_eq(program_run("$M " SWEEP " --db $T/whole -j 2")->status, 0);
    double whole = stopwatch_seconds() - start;
    int killed = 0, before = 0;
    for (int round = 0; killed < kills; round++) {
        pid_t sweep[] = {start_sweep(), start_sweep()};
        for (int i = 0; i < 2; i++) {
            sleep_for(whole / 6 * pcg32_next(&random) / UINT32_MAX);
            killed += kill_sweep(sweep[i], (round + i) % 2 == 0);
        }
        int stored = count_killed();
        ck_assert_int_ge(stored, before);
        before = stored;
        if (stored == SWEEP_RUNS && killed < kills) {
            ck_assert_int_eq(program_run("$M " SWEEP " --db $T/killed")->status, 0);
            check_same("whole", "killed");
            program_run("rm $T/killed*");
            before = 0;
        }
    }
    ck_assert_int_eq(program_run("$M " SWEEP " --db $T/killed -j 2")->status, 0);
    check_same("whole", "killed");
}
END_TEST

/* Two sweeps on one database that neither found there: together they do every run once. */
START_TEST(test_two_sweeps)
{
    make_set();
    ck_assert_int_eq(program_run("$M " SWEEP " --db $T/whole")->status, 0);
    const struct outcome *run =
        program_run("for i in 1 2; do $M " SWEEP_ALOUD " --db $T/shared -j 2 & done; wait $!; "
                    "status=$?; wait; exit $status");
    ck_assert_int_eq(run->status, 0);
    int done = 0, now;
    for (const char *at = run->err; (at = strstr(at, " before, ")) != NULL; done += now)
        ck_assert_int_eq(sscanf(at += strlen(" before, "), "%d now", &now), 1);
    ck_assert_int_eq(done, SWEEP_RUNS);
    check_same("whole", "shared");
}
END_TEST

/* Three sweeps that make one database at the same moment: none takes it for a stranger's. */
START_TEST(test_made_at_once)
{
    const struct outcome *run =
        program_run("for n in 1 2 3 4 5 6 7 8; do for i in 1 2 3; do $M sweep --router trees "
                    "--pattern uniform --side 4 --seeds 3 --db $T/db$n -q & done; wait; done");
    ck_assert_str_eq(run->err, "");
    ck_assert_int_eq(count("db1", "SELECT count(*) FROM run"), 3);
    ck_assert_int_eq(count("db8", "SELECT count(*) FROM run"), 3);
}
END_TEST

/* SIGINT lets runs end, tells how to go on, and the sweep ends by the signal; so do SIGTERM and
 * SIGHUP. (What a shell starts in the background ignores SIGINT, nohup SIGHUP; env does not.) */
START_TEST(test_interrupt)
{
    static const int NUMBERS[] = {SIGINT, SIGTERM, SIGHUP};
    const struct outcome *run = program_run(
        "env --default-signal=INT,TERM,HUP $M sweep --router trees --pattern uniform --side 40 "
        "--seeds 3000 "
        "--db $T/db 2>$T/told & "
        "p=$!; while ! test -s $T/db-wal; do sleep 0.02; done; kill -%d $p; wait $p; echo $?; "
        "cat $T/told",
        NUMBERS[_i]);
    ck_assert_int_eq(atoi(run->out), 128 + NUMBERS[_i]);
    ck_assert_ptr_nonnull(strstr(run->out, "the same command goes on from here"));
    int done = count("db", "SELECT count(*) FROM run");
    ck_assert_int_lt(done, 3000);
    check_query("db", "PRAGMA integrity_check", "ok|\n");
}
END_TEST

/* A disk with room for the rows is enough: none is needed for a WAL of its full size. */
START_TEST(test_small_disk)
{
    const char *sweep = "sweep --router trees --pattern uniform --side 2 --seeds 80 -q";
    program_run("mkdir $T/d; $M %s --db $T/whole", sweep);
    const struct outcome *run = program_run("(ulimit -f 300; $M %s --db $T/file)", sweep);
    ck_assert_msg(run->status == 0, "%s", run->err);
    check_same("whole", "file");
    run = program_run("unshare -m sh -c 'mount -t tmpfs -o size=400k none $T/d || exit; "
                      "touch $T/mounted; $M %s --db $T/d/db && cp $T/d/db $T/disk'",
                      sweep);
    if (!program_run_left("mounted")) {
        test_skip("a sweep on a disk of 400 kB: it cannot be mounted here");
        return;
    }
    ck_assert_msg(run->status == 0, "%s", run->err);
    check_same("whole", "disk");
}
END_TEST

/* A disk that fills up: status 4, what was stored is there, and the next sweep completes it. */
START_TEST(test_full_disk)
{
    make_set();
    ck_assert_int_eq(program_run("$M " SWEEP " --db $T/whole")->status, 0);
    const struct outcome *run = program_run("(ulimit -f 70; $M " SWEEP " --db $T/full)");
    ck_assert_int_eq(run->status, 4);
    ck_assert_ptr_nonnull(strstr(run->err, "disk"));
    ck_assert_int_eq(program_run("$M " SWEEP " --db $T/full")->status, 0);
    check_same("whole", "full");

    /* no room for the tables, and none for WAL's index: a whole database is left, or none */
    for (int blocks = 4; blocks <= 24; blocks += 4) {
        run = program_run("(ulimit -f %d; $M " SWEEP " --db $T/small)", blocks);
        ck_assert_msg(run->status == 4, "%d: status %d", blocks, run->status);
        run = program_run("find $T -name 'small*' -size 0; find $T -name 'small-*'");
        ck_assert_str_eq(run->out, "");
    }
}
END_TEST

Suite *sweep_suite(void)
{
    Suite *suite = suite_create("sweep");
    TCase *tcase = tcase_create("sweep");
    tcase_add_checked_fixture(tcase, program_run_setup, program_run_teardown);
    tcase_add_test(tcase, test_rows);
    tcase_add_test(tcase, test_figures);
    tcase_add_test(tcase, test_several);
    tcase_add_test(tcase, test_older_database);
    tcase_add_test(tcase, test_shares);
    tcase_add_test(tcase, test_resume);
    tcase_add_test(tcase, test_input_hash);
    tcase_add_test(tcase, test_failed_runs);
    tcase_add_test(tcase, test_kill);
    tcase_add_test(tcase, test_two_sweeps);
    tcase_add_test(tcase, test_made_at_once);
    tcase_add_loop_test(tcase, test_interrupt, 0, 3);
    tcase_add_test(tcase, test_small_disk);
    tcase_add_test(tcase, test_full_disk);
    suite_add_tcase(suite, tcase);
    return suite;
}
