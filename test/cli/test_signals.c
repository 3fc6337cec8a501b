/* test_signals.c - how the program ends when it is ended from without.
 *
 * Method: the program is started by fork and exec, so that the test chooses the signals that it
 * finds ignored. It is held still while its files are unfinished by a pipe among them that nobody
 * reads yet: opening it needs a reader. All waiting is for a condition, and a program that ends
 * before it is met fails the test.
 *
 * Oracle: the status, what is left in the folder, standard error.
 */
#define _GNU_SOURCE /* pipe2, F_SETPIPE_SZ */
#include "test/program_run.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int NUMBERS[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};
/* A search takes the first three for a wish to end. */
enum { NUMBERS_COUNT = sizeof NUMBERS / sizeof *NUMBERS, WISHES = 3 };

/* Starts the command by a shell that becomes it, in a group of processes of its own. `ignored` is a
 * signal that it finds ignored, or 0; `output` becomes standard output, or stays if -1. */
static pid_t start(const char *command, int ignored, int output)
{
    char line[1024];
    snprintf(line, sizeof line, "exec %s 2>\"$T/told\"", command);
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves no program behind */
        signal(SIGPIPE, SIGPIPE == ignored ? SIG_IGN : SIG_DFL);
        for (int i = 0; i < NUMBERS_COUNT; i++)
            signal(NUMBERS[i], NUMBERS[i] == ignored ? SIG_IGN : SIG_DFL);
        if (output >= 0)
            dup2(output, STDOUT_FILENO);
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    ck_assert_int_gt(child, 0);
    setpgid(child, child);
    return child;
}

/* Returns the number of the program's temporary files in the folder. */
static int unfinished(void)
{
    glob_t found;
    char pattern[512];
    snprintf(pattern, sizeof pattern, "%s/*.tmp", getenv("T"));
    int count = glob(pattern, 0, NULL, &found) == 0 ? (int)found.gl_pathc : 0;
    globfree(&found);
    return count;
}

static void pause_shortly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

/* True if the child has not ended; if it has, *status is its status. */
static bool runs(pid_t child, int *status)
{
    pid_t ended = waitpid(child, status, WNOHANG);
    ck_assert_int_ge(ended, 0);
    return ended == 0;
}

static void wait_for_unfinished(pid_t child, int count)
{
    int status;
    while (unfinished() < count) {
        ck_assert(runs(child, &status));
        pause_shortly();
    }
}

/* Returns the processor time that the child has used, in ticks. */
static unsigned long used(pid_t child)
{
    char command[64];
    snprintf(command, sizeof command, "cut -d' ' -f14 /proc/%d/stat", (int)child);
    return strtoul(program_run("%s", command)->out, NULL, 10);
}

/* Waits until the child has computed for some ticks of processor time, however busy the machine
 * is. */
static void wait_for_work(pid_t child)
{
    enum { TICKS = 5 };
    int status;
    unsigned long before = used(child);
    while (used(child) < before + TICKS) {
        ck_assert(runs(child, &status));
        pause_shortly();
    }
}

static int wait_for_end(pid_t child)
{
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

static const char *read_told(void)
{
    return program_run("cat $T/told")->out;
}

/* ---- Ctrl-C ---- */

/* A signal during a run: the old trace and the old numbers stay, nothing unfinished stays, nothing
 * is told, and the program ends as killed by the signal. */
START_TEST(test_run)
{
    program_run_ends(0, "$M gen --side 4 --pattern uniform -o $T/s && mkfifo $T/pipe.csv && "
                        "echo old >$T/trace && echo old >$T/old.csv");
    pid_t child = start("$M route $T/s --router trees --trace $T/trace --heatmap $T/old.csv "
                        "--timeline $T/pipe.csv",
                        0, -1);
    wait_for_unfinished(child, 2);
    kill(child, NUMBERS[_i]);
    int status = wait_for_end(child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == NUMBERS[_i]);
    ck_assert_int_eq(unfinished(), 0);
    ck_assert_str_eq(program_run("cat $T/told $T/trace $T/old.csv")->out, "old\nold\n");
}
END_TEST

/* A signal that the program was started to ignore stays ignored, and the files become whole. */
START_TEST(test_ignored)
{
    program_run_ends(0, "$M gen --side 4 --pattern uniform -o $T/s && mkfifo $T/pipe.csv");
    pid_t child =
        start("$M route $T/s --router trees --trace $T/trace --timeline $T/pipe.csv >$T/report",
              NUMBERS[_i], -1);
    wait_for_unfinished(child, 1);
    kill(child, NUMBERS[_i]);
    program_run_ends(0, "cat $T/pipe.csv | grep -q ^step");
    ck_assert_int_eq(wait_for_end(child), 0);
    ck_assert_int_eq(unfinished(), 0);
    program_run_ends(0, "$M audit $T/s $T/trace");
}
END_TEST

/* A search ends at the first signal with the worst set so far in its file and in its report, and
 * then as killed by the signal; one that was started to ignore it goes on. */
START_TEST(test_search)
{
    pid_t child = start("$M search --router trees --side 8 --congestion 4 --tries 3000000 "
                        "-o $T/worst >$T/report",
                        0, -1);
    wait_for_unfinished(child, 1);
    kill(child, NUMBERS[_i]);
    int status = wait_for_end(child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == NUMBERS[_i]);
    ck_assert_int_eq(unfinished(), 0);
    ck_assert_str_eq(read_told(), "");
    program_run_ends(
        0, "grep -q ', interrupted$' $T/report && $M route $T/worst --router trees >/dev/null");

    program_run_ends(0, "rm $T/report && mkfifo $T/pipe");
    child = start("$M search --router trees --side 4 --tries 300 -o $T/pipe >$T/report",
                  NUMBERS[_i], -1);
    while (program_run("test -e $T/report")->status != 0) /* the shell has begun, nobody reads */
        pause_shortly();
    kill(child, NUMBERS[_i]);
    program_run_ends(0, "cat $T/pipe >$T/worst");
    ck_assert_int_eq(wait_for_end(child), 0);
    program_run_ends(0, "grep -q ': 300 sets' $T/report && $M info $T/worst >/dev/null");
}
END_TEST

/* 'timeout' sends a signal to the program and to its group: twice within a second is once. Another
 * one ends the program at once. */
START_TEST(test_doubled)
{
    const int second = _i == 0 ? SIGINT : SIGTERM;
    double between = 1;
    while (between > 0.5) { /* a slow machine may let a second pass */
        pid_t child = start("$M search --router expander --side 64 --congestion 16 --tries 100000 "
                            "-o $T/worst >$T/report",
                            0, -1);
        wait_for_unfinished(child, 1);
        double first = program_run_clock();
        kill(child, SIGINT);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        kill(child, second);
        between = program_run_clock() - first;
        int status = wait_for_end(child);
        ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == second);
    }
    ck_assert_int_eq(unfinished(), 0);
    if (_i == 0)
        program_run_ends(0, "grep -q ', interrupted$' $T/report && $M info $T/worst >$T/info");
}
END_TEST

/* A burst and an open loop end at the first signal with a report of what there is, marked as
 * partial, and then as killed by the signal. */
START_TEST(test_network)
{
    program_run_ends(0, "$M gen --side 32 --pattern uniform --degree 8 --congestion 8 -o $T/s");
    pid_t child = start("$M network $T/s --scheme unicast --flits 1000000 --trace $T/trace --json "
                        ">$T/report",
                        0, -1);
    wait_for_unfinished(child, 1);
    kill(child, NUMBERS[_i]);
    int status = wait_for_end(child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == NUMBERS[_i]);
    ck_assert_int_eq(unfinished(), 0);
    ck_assert_str_eq(read_told(), "");
    program_run_ends(0, "grep -q '\"partial\": true' $T/report && head -n 1 $T/trace");

    child = start("$M load --topology mesh:4x4 --scheme unicast --measure 2000000 --rate "
                  "0.1,0.11,0.12,0.13,0.14,0.15,0.16,0.17,0.18,0.19,0.2,0.21,0.22,0.23,0.24,0.25 "
                  ">$T/table",
                  0, -1);
    while (program_run("test -s $T/table")->status != 0) {
        ck_assert(runs(child, &status));
        pause_shortly();
    }
    wait_for_work(child); /* the head is printed before the run proper */
    kill(child, NUMBERS[_i]);
    status = wait_for_end(child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == NUMBERS[_i]);
    program_run_ends(0, "grep 'The run was interrupted' $T/table");
}
END_TEST

/* Plans end at the first signal with a report of what there is, and without the file of their
 * costs, which is not whole. */
START_TEST(test_plan)
{
    static const char *const forms[][2] = {
        {" --json", "grep -q '\"partial\": true' $T/report && cat $T/c.csv"},
        {"", "grep -q '^The run was interrupted: these are the plans that were made' $T/report && "
             "grep -q '^dual  *-  *-  *-' $T/report && cat $T/c.csv"}};
    program_run_ends(
        0, "$M gen --side 32 --pattern broadcast --congestion 1024 -o $T/s && echo old >$T/c.csv");
    char command[100];
    snprintf(command, sizeof command,
             "$M plan $T/s --scheme ocms,dual --each $T/c.csv%s >$T/report", forms[_i % 2][0]);
    pid_t child = start(command, 0, -1);
    wait_for_unfinished(child, 1);
    wait_for_work(
        child); /* a signal just after the file was opened ends the program without a report */
    kill(child, NUMBERS[_i]);
    int status = wait_for_end(child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == NUMBERS[_i]);
    ck_assert_int_eq(unfinished(), 0);
    ck_assert_str_eq(read_told(), "");
    ck_assert_str_eq(program_run("%s", forms[_i % 2][1])->out, "old\n");
}
END_TEST

/* Commands that wait until somebody reads from $T/pipe: those that defer signals, and a few that do
 * not. */
static const char *const WAITERS[] = {
    "$M network $T/s --scheme unicast --trace $T/pipe",
    "$M network $T/s --scheme unicast --view $T/pipe",
    "$M plan $T/s --scheme unicast --each $T/pipe",
    "$M search --router trees --side 4 --tries 2 -o $T/pipe",
    "$M load --topology mesh:2x2 --scheme unicast --rate 0.01 --measure 10 --plot $T/pipe.csv",
    "$M compare $T/s --routers trees --plot $T/pipe.csv",
    "$M stress $T/s --router trees --plot $T/pipe.csv",
    "$M gen --side 4 --pattern uniform -o $T/pipe",
    "$M import $T/e.el -o $T/pipe",
    "$M route $T/s --router trees --view $T/pipe",
    "$M kernel sort --side 4 --trace $T/pipe",
    "$M expander make --inputs 64 --c 16 --r 4 -o $T/pipe",
};

static void make_waiters_files(void)
{
    program_run_file("e.el", "1 2\n2 3\n1 3\n");
    program_run_ends(0, "mkfifo $T/pipe && ln -s pipe $T/pipe.csv && "
                        "$M gen --side 16 --pattern broadcast --congestion 256 -o $T/s");
}

/* One SIGTERM ends a command that waits for somebody to open a pipe. Nothing shows when a program
 * begins to wait; one that does not wait yet passes as well. */
START_TEST(test_waits_for_opening)
{
    enum { PAUSES = 100 };
    make_waiters_files();
    pid_t child = start(WAITERS[_i], 0, open("/dev/null", O_WRONLY | O_CLOEXEC));
    for (int i = 0; i < PAUSES; i++)
        pause_shortly();
    kill(child, SIGTERM);
    int status = wait_for_end(child);
    ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "%s", WAITERS[_i]);
    ck_assert_str_eq(read_told(), "");
    ck_assert_int_eq(unfinished(), 0);
}
END_TEST

/* One SIGTERM ends a command that writes to a pipe that is open and never read: a file, or standard
 * output. */
START_TEST(test_waits_for_reader)
{
    static const char *const COMMANDS[] = {
        "$M network $T/s --scheme unicast --trace $T/pipe",
        "$M plan $T/s --scheme unicast,dual --each $T/pipe",
        "$M network $T/s --scheme unicast --trace -",
        "$M gen --side 64 --pattern permutation",
    };
    make_waiters_files();
    for (int i = 0; i < 4; i++) {
        int status, bytes = 0, ends[2], room;
        bool is_file = strstr(COMMANDS[i], "$T/pipe") != NULL;
        const char *path = program_run("printf %%s $T/pipe")->out;
        ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
        int reader = is_file ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : ends[0];
        room = fcntl(reader, F_SETPIPE_SZ, 4096);
        pid_t child = start(COMMANDS[i], 0, ends[1]);
        while (bytes < room) {
            ck_assert(runs(child, &status));
            pause_shortly();
            ck_assert_int_eq(ioctl(reader, FIONREAD, &bytes), 0);
        }
        kill(child, SIGTERM);
        status = wait_for_end(child);
        ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "%s", COMMANDS[i]);
        close(ends[0]);
        close(ends[1]);
        if (is_file)
            close(reader);
    }
}
END_TEST

/* Commands that write a file at their end: $T/whole is its content without a signal. */
static const char *const WRITERS[] = {
    "$M gen --side 300 --pattern permutation -o $T/file",
    "$M import $T/e.el -q -o $T/file",
    "$M expander make --inputs 65536 --c 64 --r 4 -o $T/file",
};

/* A signal at any moment leaves the old file or the whole new one, and nothing unfinished. */
START_TEST(test_writers)
{
    enum { TIMES = 6 };
    FILE *edges = fopen(program_run("printf %%s $T/e.el")->out, "w");
    ck_assert_ptr_nonnull(edges);
    for (int i = 0; i < 20000; i++)
        fprintf(edges, "%d %d\n", i, i * 7 % 20000);
    ck_assert_int_eq(fclose(edges), 0);
    program_run_ends(0, "%s && mv $T/file $T/whole", WRITERS[_i]);
    for (int i = 0; i < TIMES; i++) {
        int status;
        program_run("echo old >$T/file");
        pid_t child = start(WRITERS[_i], 0, -1);
        bool is_there = true;
        while ((is_there = runs(child, &status)) && unfinished() == 0)
            continue; /* the program writes for a few milliseconds */
        if (is_there) {
            kill(child, NUMBERS[i % NUMBERS_COUNT]);
            status = wait_for_end(child);
        }
        ck_assert_int_eq(unfinished(), 0);
        bool killed = WIFSIGNALED(status) && WTERMSIG(status) == NUMBERS[i % NUMBERS_COUNT];
        bool is_old = program_run("test \"$(cat $T/file)\" = old")->status == 0;
        ck_assert(killed || status == 0);
        ck_assert(is_old ? killed : program_run("cmp $T/file $T/whole")->status == 0);
    }
}
END_TEST

/* ---- databases ---- */

/* A signal at any time leaves nothing beside a database, whether it is the first or the second. */
START_TEST(test_database_is_closed)
{
    int status;
    pid_t child = start("$M load --topology mesh:8x8 --scheme unicast --measure 2000000 --rate "
                        "0.1,0.11,0.12,0.13,0.14 --db $T/db >$T/table",
                        0, -1);
    while (!program_run_left("table")) {
        ck_assert(runs(child, &status));
        pause_shortly();
    }
    while (program_run("test -s $T/table")->status != 0 && runs(child, &status))
        pause_shortly();
    kill(child, NUMBERS[_i]);
    status = wait_for_end(child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == NUMBERS[_i]);
    ck_assert_str_eq(program_run("ls $T | grep ^db")->out, "db\n");
}
END_TEST

/* A sweep that was started to ignore a signal is not ended by it. */
START_TEST(test_sweep_ignores)
{
    int status;
    pid_t child = start(
        "$M sweep --router unicast --pattern uniform --side 16 --seeds 300 --db $T/db", SIGHUP, -1);
    while (!program_run_left("db-wal")) {
        ck_assert(runs(child, &status));
        pause_shortly();
    }
    kill(child, SIGHUP);
    ck_assert_int_eq(wait_for_end(child), 0);
    ck_assert_ptr_nonnull(strstr(read_told(), "300 of 300 runs stored"));
}
END_TEST

/* True if the sweep took the signal in its own way and said so; if not, its end is in *status. */
static bool says_once_more(pid_t child, int *status)
{
    while (strstr(read_told(), "once more gives them up") == NULL) {
        if (!runs(child, status))
            return false;
        pause_shortly();
    }
    return true;
}

/* The first Ctrl-C lets the runs of a sweep go on, the second ends it with all its processes. One
 * that comes before the first run has begun ends the sweep at once: then the test tries again. */
START_TEST(test_second_interrupt)
{
    const struct timespec more_than_second = {.tv_sec = 1, .tv_nsec = 100000000};
    int status;
    pid_t child;
    bool goes_on = false;
    for (int tries = 0; !goes_on; tries++) {
        ck_assert_int_lt(tries, 50);
        program_run("rm -f $T/db*"); /* its log tells that the program has begun */
        child = start("$M sweep --router expander --pattern uniform --side 256 --congestion 64 "
                      "--seeds 2 --jobs 2 --db $T/db",
                      0, -1);
        while (!program_run_left("db-wal")) {
            ck_assert(runs(child, &status));
            pause_shortly();
        }
        kill(-child, SIGINT);
        goes_on = says_once_more(child, &status);
        if (goes_on) {
            nanosleep(&more_than_second, NULL); /* twice at once is once */
            goes_on = runs(child, &status);
        }
        ck_assert(goes_on || (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT));
    }
    kill(-child, SIGINT);
    status = wait_for_end(child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    ck_assert(kill(-child, 0) != 0 && errno == ESRCH);
    ck_assert_ptr_nonnull(strstr(read_told(), "the same command goes on from here"));
    ck_assert_ptr_nonnull(strstr(read_told(), " 0 of 2 runs stored")); /* they were given up */
    ck_assert_str_eq(program_run("ls $T | grep ^db")->out, "db\n");
}
END_TEST

/* ---- a reader that goes away ---- */

static const char *const PRINTERS[] = {
    "$M --help",
    "$M --version",
    "$M gen --help",
    "$M gen --side 6 --pattern uniform",
    "$M gen --side 100 --pattern uniform -o -",
    "$M import $T/e.el",
    "$M info $T/s",
    "$M info $T/s --json",
    "$M route $T/s --router trees",
    "$M route $T/s --router trees --json",
    "$M route $T/s --router trees --trace -",
    "$M route $T/s --router trees --trace - --timeline $T/t.csv",
    "$M route $T/s --router trees --trace $T/t",
    "$M compare $T/s --routers trees,unicast",
    "$M stress $T/s --router trees",
    "$M search $T/s --router trees --tries 1",
    "$M kernel sort --side 8",
    "$M kernel sort --side 8 --trace -",
    "$M audit $T/s $T/trace",
    "$M expander make --inputs 64 --c 16 --r 4",
    "$M expander check --inputs 64 --c 16 --r 4",
    "$M sweep --router trees --pattern uniform --side 4 --db $T/none --dry-run -q",
    "$M report $T/db",
    "$M report $T/db --csv",
};

enum { PRINTERS_COUNT = sizeof PRINTERS / sizeof *PRINTERS };

/* Without a reader every command ends without a word and without an unfinished file: by SIGPIPE or,
 * where that is ignored, with status 4. */
START_TEST(test_no_reader)
{
    program_run_file("e.el", "1 2\n2 3\n1 3\n");
    program_run_ends(0, "$M gen --side 6 --pattern uniform -o $T/s && "
                        "$M route $T/s --router trees --trace $T/trace && "
                        "$M sweep --router trees --pattern uniform --side 4 --db $T/db");
    for (int i = 0; i < 2 * PRINTERS_COUNT; i++) {
        int ends[2];
        const char *command = PRINTERS[i / 2];
        bool ignores = i % 2 == 1;
        ck_assert_int_eq(pipe(ends), 0);
        close(ends[0]);
        pid_t child = start(command, ignores ? SIGPIPE : 0, ends[1]);
        close(ends[1]);
        int status = wait_for_end(child);
        if (ignores)
            ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 4, "%s", command);
        else
            ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE, "%s", command);
        ck_assert_msg(unfinished() == 0 && *read_told() == '\0', "%s: %s", command, read_told());
    }
}
END_TEST

void signals_suite(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tcase, test_run, 0, NUMBERS_COUNT);
    tcase_add_loop_test(tcase, test_ignored, 0, NUMBERS_COUNT);
    tcase_add_loop_test(tcase, test_search, 0, WISHES);
    tcase_add_loop_test(tcase, test_doubled, 0, 2);
    tcase_add_loop_test(tcase, test_network, 0, WISHES);
    tcase_add_loop_test(tcase, test_plan, 0, WISHES);
    tcase_add_loop_test(tcase, test_writers, 0, sizeof WRITERS / sizeof *WRITERS);
    tcase_add_loop_test(tcase, test_waits_for_opening, 0, sizeof WAITERS / sizeof *WAITERS);
    tcase_add_test(tcase, test_waits_for_reader);
    tcase_add_loop_test(tcase, test_database_is_closed, 0, NUMBERS_COUNT);
    tcase_add_test(tcase, test_sweep_ignores);
    tcase_add_test(tcase, test_second_interrupt);
    tcase_add_test(tcase, test_no_reader);
}
