/* test_thread_limit.c - the program where the system gives it no thread.
 *
 * Oracle: a real limit of the system's on a user's processes, and a system that refuses one thread.
 */
#define _GNU_SOURCE /* fexecve */

#include "test/program_run.h"
#include "test/sanitized.h"

#include <check.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MESHCAST_SERIAL

/* Runs the program with arguments in a process that may make no thread: as nobody, if a superuser,
 * whom the limit does not hold. Returns its status, or -1 if nobody cannot be become. */
static int run_limited(const char *const *arguments)
{
    char path[512];
    int program = open(getenv("M"), O_RDONLY), status;
    snprintf(path, sizeof path, "%s/set", getenv("T"));
    int set = open(path, O_RDONLY);
    snprintf(path, sizeof path, "%s/said", getenv("T"));
    int said = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    ck_assert(program >= 0 && set >= 0 && said >= 0);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {1, 1};
        dup2(set, 0);
        dup2(said, 1);
        dup2(said, 2);
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(99);
        setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* that check makes a thread */
        if (setrlimit(RLIMIT_NPROC, &none) == 0)
            fexecve(program, (char *const *)arguments, environ);
        _exit(99);
    }
    ck_assert(waitpid(child, &status, 0) == child && WIFEXITED(status));
    close(program);
    close(set);
    close(said);
    return WEXITSTATUS(status) == 99 ? -1 : WEXITSTATUS(status);
}

static bool is_said(const char *text)
{
    return program_run("grep -q '%s' \"$T/said\"", text)->status == 0;
}

/* the program goes on with one thread and says so, except with --quiet */
START_TEST(program_without_threads)
{
    static const char *const loud[] = {"meshcast", "route",     "-", "--router",
                                       "trees",    "--threads", "2", NULL};
    static const char *const quiet[] = {"meshcast",  "route", "-",       "--router", "trees",
                                        "--threads", "2",     "--quiet", NULL};
    static const char text[] = "the system gave 1 of 2 threads; the run went on with one";
    program_run_ends(0, "\"$M\" gen --side 16 --pattern uniform -o \"$T/set\"");
    int status = run_limited(loud);
    if (status == -1)
        return; /* a superuser who cannot become another user */
    ck_assert_int_eq(status, 0);
    ck_assert(is_said(text));
    ck_assert(is_said("wall time"));
    ck_assert_int_eq(run_limited(quiet), 0);
    ck_assert(!is_said(text));
}
END_TEST

/* a thread that is refused at once is missed and no more; one that is refused after the program has
 * asked for it ends the run with status 4, and no file stays */
START_TEST(refused_thread)
{
    static const int statuses[] = {0, 0, 0, 4, 4};
    /* a memory checker's runtime must be loaded first */
    const char *checker = SANITIZED ? "$(${CC:-cc} -print-file-name=libasan.so) " : "";
    program_run_ends(0, "${CC:-cc} -shared -fPIC -o $T/preload.so "
                        "test/preload/refused_thread.c && "
                        "$M gen --side 16 --pattern uniform -o $T/set && mkdir $T/new");
    for (int refused = 0; refused < 5; refused++) {
        const struct outcome *run = program_run_ends(
            statuses[refused],
            "rm -f $T/new/*; LD_PRELOAD=\"%s$T/preload.so\" REFUSE=%d $M route $T/set "
            "--router trees --threads 3 --trace $T/new/trace",
            checker, refused);
        ck_assert((strstr(run->err, "the system gave 1 of 3 threads") != NULL) ==
                  (refused == 1 || refused == 2));
        program_run_ends(1, "ls $T/new | grep -vx trace");
        ck_assert_int_eq(program_run("[ -f $T/new/trace ]")->status != 0, statuses[refused] != 0);
    }
}
END_TEST

/* the limits of OpenMP's variables: the most threads without --threads, and with it; the same
 * bytes */
START_TEST(environment)
{
    static const struct {
        const char *command;
        int least, most;
    } cases[] = {{"OMP_NUM_THREADS=1 $M", 1, 1},
                 {"OMP_NUM_THREADS=2 OMP_WAIT_POLICY=active $M", 1, 2},
                 {"OMP_NUM_THREADS=1 $M --threads 3", 3, 3},
                 {"OMP_DYNAMIC=true $M --threads 1", 1, 1},
                 {"OMP_THREAD_LIMIT=2 $M --threads 4", 2, 2}};
    program_run_ends(0, "$M gen --side 128 --pattern uniform --degree 4 -o $T/set && "
                        "$M route $T/set --router trees --threads 1 --trace $T/one -q");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        program_run_ends(0, "M=\"$M route $T/set --router trees --trace $T/two --json\"; %s",
                         cases[i].command);
        json_t *report = program_run_json();
        json_int_t threads = program_run_integer(report, "threads");
        ck_assert(threads >= cases[i].least && threads <= cases[i].most);
        json_decref(report);
        program_run_ends(0, "cmp $T/one $T/two");
    }
}
END_TEST

#else

/* a program without threads runs with one, whatever is asked for */
START_TEST(serial)
{
    program_run_ends(0, "$M gen --side 16 --pattern uniform -o $T/set");
    program_run_ends(0, "$M route $T/set --router trees --threads 3 --json");
    json_t *report = program_run_json();
    ck_assert_int_eq(program_run_integer(report, "threads"), 1);
    json_decref(report);
}
END_TEST

#endif

void thread_limit_suite(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, program_run_setup, program_run_teardown);
#ifdef MESHCAST_SERIAL
    tcase_add_test(tcase, serial);
#else
    tcase_add_test(tcase, program_without_threads);
    tcase_add_test(tcase, refused_thread);
    tcase_add_test(tcase, environment);
#endif
}
