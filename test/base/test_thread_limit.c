/* test_thread_limit.c - the program where the system gives it no thread.
 *
 * Oracle: a real limit of the system's on a user's processes.
 */
#define _GNU_SOURCE /* fexecve */

#include "base/parallel.h"
#include "test/program_run.h"

#include <check.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *thread_limit_suite(void);

#ifndef MESHCAST_SERIAL

/* Runs the program with arguments in a process that may make no thread: as nobody, if a superuser, whom
 * the limit does not hold. Returns its status, or -1 if nobody cannot be become. */
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

/* the program goes on with one thread and says so, but to --quiet */
START_TEST(program_without_threads)
{
    static const char *const loud[] = {"meshcast", "route",     "-", "--router",
                                       "trees",    "--threads", "2", NULL};
    static const char *const quiet[] = {"meshcast",  "route", "-",       "--router", "trees",
                                        "--threads", "2",     "--quiet", NULL};
    static const char text[] = "the system gave 1 of 2 threads; the run went on with one";
    ck_assert_int_eq(program_run("\"$M\" gen --side 16 --pattern uniform -o \"$T/set\"")->status,
                     0);
    int status = run_limited(loud);
    if (status == -1)
        return; /* a superuser who cannot become another */
    ck_assert_int_eq(status, 0);
    ck_assert(is_said(text) == (parallel_cores() > 1));
    ck_assert(is_said("wall time"));
    ck_assert_int_eq(run_limited(quiet), 0);
    ck_assert(!is_said(text));
}
END_TEST

#endif

Suite *thread_limit_suite(void)
{
    Suite *suite = suite_create("thread_limit");
#ifndef MESHCAST_SERIAL
    TCase *tcase = tcase_create("program");
    tcase_add_checked_fixture(tcase, program_run_setup, program_run_teardown);
    tcase_add_test(tcase, program_without_threads);
    suite_add_tcase(suite, tcase);
#endif
    return suite;
}
