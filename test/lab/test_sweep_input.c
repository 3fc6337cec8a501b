/* test_sweep_input.c - the refusals of sweep: databases that are not its own, requests without
 * sense.
 *
 * Oracle: the contract of statuses, written down here row by row, and the bytes of a file that must
 * not be touched.
 */
#include "test/program_run.h"
#include "test/skipped.h"

#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct bad_case {
    const char *prepare, *file, *expected;
    int status;
} bad_cases[] = {
    {"echo no database >$T/bad", "$T/bad", "is not an SQLite database", 3},
    {"cp $T/s.mcast $T/bad", "$T/bad", "is not an SQLite database", 3},
    {"cp $T/foreign $T/bad", "$T/bad", "another program", 3},
    {"cp $T/newer $T/bad", "$T/bad", "version 3, and this program expects version 2", 3},
    {":", "$T/none/bad", "there is no folder", 4},
    {":", "$T", "it is a folder", 4},
    {":", "$T/foreign/bad", "Not a directory", 4},
    {"mkfifo $T/pipe", "$T/pipe", "it is a pipe", 4},
    {":", "/dev/null", "it is a device", 4},
};

enum { BAD_CASES = sizeof bad_cases / sizeof bad_cases[0] };

/* A file that is not ours is told and not touched, neither by sweep nor by report. */
START_TEST(test_bad_database)
{
    const struct bad_case *row = &bad_cases[_i];
    sqlite3 *handle;
    char path[512];
    program_run("$M gen --side 40 --pattern uniform -o $T/s.mcast; "
                "$M sweep --router trees --pattern uniform --side 4 --db $T/newer");
    snprintf(path, sizeof path, "%s/foreign", getenv("T"));
    sqlite3_open(path, &handle);
    sqlite3_exec(handle, "CREATE TABLE mine (x)", NULL, NULL, NULL);
    sqlite3_close(handle);
    snprintf(path, sizeof path, "%s/newer", getenv("T"));
    sqlite3_open(path, &handle);
    sqlite3_exec(handle, "PRAGMA user_version = 3", NULL, NULL, NULL);
    sqlite3_close(handle);

    program_run("%s", row->prepare);
    program_run("cp $T/bad $T/before");
    for (int dry = 0; dry < 2; dry++) {
        program_run_fails(row->status, row->expected,
                          "$M sweep --router trees --pattern uniform --side 4 --db %s %s",
                          row->file, dry ? "-n" : "");
    }
    if (program_run_left("bad"))
        program_run_ends(0, "cmp $T/bad $T/before");
}
END_TEST

/* Returns a command prefix that runs a copy of the program as a user bound by permissions: root
 * becomes another user. NULL if root may not. */
static const char *as_bound_user(void)
{
    const char *other =
        geteuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups $T/m" : "$T/m";
    if (program_run("chmod 755 $T; cp $M $T/m; %s --version", other)->status == 0)
        return other;
    test_skip("permissions of a database: root cannot become another user here");
    return NULL;
}

/* A folder that is missing, gone, or not writable is reported as such. */
START_TEST(test_folders)
{
    const char *sweep = "sweep --router trees --pattern uniform --side 4 -q";
    program_run_fails(4, "cannot make db: its folder was removed",
                      "cp $M $T/m; mkdir $T/gone; cd $T/gone; rmdir ../gone; ../m %s --db db",
                      sweep);
    program_run_fails(4, "none: there is no such file", "$M report $T/none");

    program_run_fails(4, "link: it is a link to nothing",
                      "ln -s none/db $T/link; $M %s --db $T/link", sweep);

    const char *other = as_bound_user();
    if (other == NULL)
        return;
    program_run_fails(4, "f/db: its folder cannot be written: Permission denied",
                      "mkdir $T/f; chmod 555 $T/f; %s %s --db $T/f/db", other, sweep);
    const struct outcome *run =
        program_run_ends(4,
                         "chmod 755 $T/f; $M %s --db $T/f/db; chmod 666 $T/f/db; chmod 555 $T/f; "
                         "%s %s --seeds 2 --db $T/f/db",
                         sweep, other, sweep);
    ck_assert_msg(strstr(run->err, "needs files beside it, and its folder cannot be written") !=
                      NULL,
                  "%s", run->err);
    program_run_ends(0, "%s report $T/f/db >$T/report; s=$?; chmod 755 $T/f; exit $s", other);
}
END_TEST

/* A reader that has no room for SQLite's files reads, and leaves none. (A file that may not grow
 * stands for a disk that is full.) */
START_TEST(test_no_room)
{
    program_run_ends(0, "$M sweep --router trees --pattern uniform --side 4 --db $T/db -q");
    const struct outcome *run = program_run("$M report $T/db >$T/before; ulimit -f 16; "
                                            "$M report $T/db >$T/after; echo $?; ls $T");
    ck_assert_msg(strncmp(run->out, "0\n", 2) == 0, "%s%s", run->out, run->err);
    ck_assert_msg(strstr(run->out, "db-") == NULL, "%s", run->out);
    program_run_ends(0, "cmp $T/before $T/after");
}
END_TEST

/* A database that may not be written is status 4; it can still be read. */
START_TEST(test_read_only)
{
    const char *sweep = "sweep --router trees --pattern uniform --side 4";
    const char *other = as_bound_user();
    if (other == NULL)
        return;
    program_run("$M %s --db $T/db; chmod 444 $T/db", sweep);
    program_run_fails(4, "read-only", "%s %s --db $T/db", other, sweep);
    const struct outcome *run = program_run_ends(0, "%s %s --db $T/db --dry-run", other, sweep);
    ck_assert_ptr_eq(strstr(run->out, "stored  trees"), run->out);
    /* in a folder where the reader could leave files it leaves none */
    run = program_run("chmod 777 $T; %s report $T/db >$T/report && %s %s --db $T/db -n && "
                      "grep -q trees $T/report; s=$?; %s %s --db $T/db; echo $s $?; ls $T/db*",
                      other, other, sweep, other, sweep);
    ck_assert_ptr_nonnull(strstr(run->out, "\n0 4\n"));
    ck_assert_msg(strstr(run->out, "/db\n") != NULL && strstr(run->out, "db-") == NULL, "%s",
                  run->out);
}
END_TEST

/* An empty file becomes a database; a dry run says so, and changes nothing. */
START_TEST(test_empty_file)
{
    const char *sweep = "$M sweep --router trees --pattern uniform --side 4 --db $T/db";
    const struct outcome *run = program_run_ends(0, ": >$T/db; %s -n && test ! -s $T/db", sweep);
    ck_assert_ptr_eq(strstr(run->out, "to do   trees"), run->out);
    program_run_ends(0, "%s", sweep);
    ck_assert_ptr_eq(strstr(program_run("%s -n", sweep)->out, "stored  trees"), run->out);
}
END_TEST

static const struct usage_case {
    const char *options, *expected;
} usage_cases[] = {
    {"--pattern uniform --side 4", "missing --db FILE"},
    {"--db $T/db", "nothing to route"},
    {"--db $T/db --pattern uniform", "missing --side"},
    {"--db $T/db --set $T/s --side 4", "are for --pattern"},
    {"--db $T/db --set -", "a sweep takes files"},
    {"--db $T/db --pattern uniform --side 4,,5", "empty word"},
    {"--db $T/db --pattern uniform --side 4,", "empty word"},
    {"--db $T/db --pattern uniform --side 4,x", "not 'x'"},
    {"--db $T/db --pattern uniform --side 4x", "not '4x'"},
    {"--db $T/db --pattern uniform --side 0", "not '0'"},
    {"--db $T/db --pattern uniform --side 32768x32768", "67108864 nodes"},
    {"--db $T/db --pattern uniform --side 4 --degree 0", "--degree takes a whole number"},
    {"--db $T/db --pattern uniform --side 4 --congestion 99999999999999999999", "--congestion"},
    {"--db $T/db --pattern unifrom --side 4", "did you mean 'uniform'?"},
    {"--db $T/db --pattern uniform --side 4 --router tree", "did you mean 'trees'?"},
    {"--db $T/db --pattern uniform --side 4 --copy unit,fre", "did you mean 'free'?"},
    {"--db $T/db --pattern uniform --side 4 --param r", "NAME=VALUE"},
    {"--db $T/db --pattern uniform --side 4 --param speed=1", "unknown parameter 'speed'"},
    {"--db $T/db --pattern uniform --side 4 --seed 18446744073709551615 --seeds 2", "2^64-1"},
    {"--db $T/db --pattern uniform --side 4 --seeds 0", "--seeds takes"},
    {"--db $T/db --pattern uniform,worst --side 4 --seeds 1000000 --degree 1,2,3", "at most"},
    {"--db $T/db --pattern uniform --side 4 --jobs 0", "--jobs takes"},
    {"--db $T/db --pattern adversary --side 4", "needs --against GRAPHFILE"},
    {"--db $T/db --pattern uniform --side 4 --against $T/g", "are for pattern adversary"},
    {"--db $T/db --pattern uniform --side 4 --against-share 1/3",
     "unknown value of --against-share '1/3'; did you mean '1/8'?"},
    {"--db $T/db --pattern uniform --side 4 --algorithm ring", "is for patterns of collectives"},
    {"--db $T/db --pattern allreduce --side 4 --algorithm rng", "did you mean 'ring'?"},
    {"--db $T/db --pattern allreduce --side 4", "needs --algorithm"},
    {"--db $T/db --router expander --pattern uniform --side 4 --param graph=-", "takes files"},
    {"--db $T/db --pattern uniform --side 4 extra", "unexpected 'extra'"},
};

enum { USAGE_CASES = sizeof usage_cases / sizeof usage_cases[0] };

/* A request that makes no sense is status 2, told in one line, and makes no file. */
START_TEST(test_request)
{
    program_run_fails(2, usage_cases[_i].expected, "$M sweep %s", usage_cases[_i].options);
    ck_assert(!program_run_left("db"));
}
END_TEST

void sweep_input_suite(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tcase, test_bad_database, 0, BAD_CASES);
    tcase_add_test(tcase, test_folders);
    tcase_add_test(tcase, test_no_room);
    tcase_add_test(tcase, test_read_only);
    tcase_add_test(tcase, test_empty_file);
    tcase_add_loop_test(tcase, test_request, 0, USAGE_CASES);
}
