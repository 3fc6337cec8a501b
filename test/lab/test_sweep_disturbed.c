/* test_sweep_disturbed.c - sweeps that are killed, interrupted, share a database, or run out of
 * disk.
 *
 * Oracle: a sweep that nobody disturbed. All views must be the same but for the seconds and the
 * order of rows.
 */
#include "test/lab/sweep_case.h"
#include "test/length.h"
#include "test/program_run.h"
#include "test/random.h"
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

/* Kills a sweep, in turn all of it and only its first process; true if it had not ended before. */
static bool kill_sweep(pid_t sweep, bool whole)
{
    int status;
    kill(whole ? -sweep : sweep, SIGKILL);
    ck_assert_int_eq(waitpid(sweep, &status, 0), sweep);
    return WIFSIGNALED(status);
}

/* Returns the number of stored runs; 0 while there is no table. */
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

/* Two sweeps write to one database, and are killed at random moments, twenty times (a thousand in
 * the long form), and begun anew. No kill loses a row; when all runs are there, the database is
 * what it is undisturbed. */
START_TEST(test_kill)
{
    const int kills = TEST_IS_SHORT ? 20 : 1000;
    uint64_t random = 7;
    sweep_case_make_set();
    double start = program_run_clock();
    program_run_ends(0, "$M " SWEEP " --db $T/whole -j 2");
    double whole = program_run_clock() - start;
    int killed = 0, before = 0;
    for (int round = 0; killed < kills; round++) {
        pid_t sweep[] = {start_sweep(), start_sweep()};
        for (int i = 0; i < 2; i++) {
            sleep_for(whole / 6 * test_random_below(&random, 1000) / 1000);
            killed += kill_sweep(sweep[i], (round + i) % 2 == 0);
        }
        int stored = count_killed();
        ck_assert_int_ge(stored, before);
        before = stored;
        if (stored == SWEEP_RUNS && killed < kills) {
            program_run_ends(0, "$M " SWEEP " --db $T/killed");
            sweep_case_check_same("whole", "killed");
            program_run("rm $T/killed*");
            before = 0;
        }
    }
    program_run_ends(0, "$M " SWEEP " --db $T/killed -j 2");
    sweep_case_check_same("whole", "killed");
}
END_TEST

/* Two sweeps on one database that neither found there: together they do every run once. */
START_TEST(test_two_sweeps)
{
    sweep_case_make_set();
    program_run_ends(0, "$M " SWEEP " --db $T/whole");
    const struct outcome *run = program_run_ends(0, "for i in 1 2; do $M " SWEEP_ALOUD
                                                    " --db $T/shared -j 2 & done; wait $!; "
                                                    "status=$?; wait; exit $status");
    int done = 0, now;
    for (const char *at = run->err; (at = strstr(at, " before, ")) != NULL; done += now)
        ck_assert_int_eq(sscanf(at += strlen(" before, "), "%d now", &now), 1);
    ck_assert_int_eq(done, SWEEP_RUNS);
    sweep_case_check_same("whole", "shared");
}
END_TEST

/* Three sweeps that make one database at the same moment: none takes it for a stranger's. */
START_TEST(test_made_at_once)
{
    const struct outcome *run =
        program_run("for n in 1 2 3 4 5 6 7 8; do for i in 1 2 3; do $M sweep --router trees "
                    "--pattern uniform --side 4 --seeds 3 --db $T/db$n -q & done; wait; done");
    ck_assert_str_eq(run->err, "");
    ck_assert_int_eq(sweep_case_count("db1", "SELECT count(*) FROM run"), 3);
    ck_assert_int_eq(sweep_case_count("db8", "SELECT count(*) FROM run"), 3);
}
END_TEST

/* SIGINT lets runs end, tells how to go on, and the sweep ends by the signal; so do SIGTERM and
 * SIGHUP. (A shell's background commands ignore SIGINT, nohup's SIGHUP; env's do not.) */
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
    int done = sweep_case_count("db", "SELECT count(*) FROM run");
    ck_assert_int_lt(done, 3000);
    sweep_case_check("db", "PRAGMA integrity_check", "ok|\n");
}
END_TEST

/* A disk with room for the rows is enough: none is needed for a WAL of its full size. */
START_TEST(test_small_disk)
{
    const char *sweep = "sweep --router trees --pattern uniform --side 2 --seeds 80 -q";
    program_run("mkdir $T/d; $M %s --db $T/whole", sweep);
    program_run_ends(0, "(ulimit -f 300; $M %s --db $T/file)", sweep);
    sweep_case_check_same("whole", "file");
    const struct outcome *run =
        program_run("unshare -m sh -c 'mount -t tmpfs -o size=400k none $T/d || exit; "
                    "touch $T/mounted; $M %s --db $T/d/db && cp $T/d/db $T/disk'",
                    sweep);
    if (!program_run_left("mounted")) {
        test_skip("a sweep on a disk of 400 kB: it cannot be mounted here");
        return;
    }
    ck_assert_msg(run->status == 0, "%s", run->err);
    sweep_case_check_same("whole", "disk");
}
END_TEST

/* A disk that fills up: status 4, stored runs are there, and the next sweep completes it. */
START_TEST(test_full_disk)
{
    sweep_case_make_set();
    program_run_ends(0, "$M " SWEEP " --db $T/whole");
    program_run_fails(4, "disk", "(ulimit -f 70; $M " SWEEP " --db $T/full)");
    program_run_ends(0, "$M " SWEEP " --db $T/full");
    sweep_case_check_same("whole", "full");

    /* no room for the tables, and none for WAL's index: a whole database is left, or none */
    for (int blocks = 4; blocks <= 24; blocks += 4) {
        program_run_ends(4, "(ulimit -f %d; $M " SWEEP " --db $T/small)", blocks);
        const struct outcome *run =
            program_run("find $T -name 'small*' -size 0; find $T -name 'small-*'");
        ck_assert_str_eq(run->out, "");
    }
}
END_TEST

void sweep_disturbed_suite(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, program_run_setup, program_run_teardown);
    tcase_add_test(tcase, test_kill);
    tcase_add_test(tcase, test_two_sweeps);
    tcase_add_test(tcase, test_made_at_once);
    tcase_add_loop_test(tcase, test_interrupt, 0, 3);
    tcase_add_test(tcase, test_small_disk);
    tcase_add_test(tcase, test_full_disk);
}
