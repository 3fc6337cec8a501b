/* test_progress.c - the line that says how far a long command is.
 *
 * Method: the program is run on a terminal, where the system makes one, until the line has come,
 * however long that takes.
 *
 * Oracle: the text.
 */
#include "test/program_run.h"
#include "test/terminal.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct terminal terminal;

/* Runs the command until the text has come, then ends it by Ctrl-C, twice if it needs two. */
static void check_shown(const char *command, const char *expected)
{
    terminal_start(&terminal, command);
    ck_assert_msg(terminal_wait_for(&terminal, expected), "%s: %s", command, terminal.text);
    kill(-terminal.child, SIGINT);
    kill(-terminal.child, SIGTERM);
    int status = terminal_end(&terminal);
    ck_assert(WIFSIGNALED(status));
}

/* Commands that last longer than a second anywhere say how far they are. */
START_TEST(shown)
{
    static const char *const CASES[][2] = {
        {"$M sweep --router trees --pattern uniform --side 12 --seeds 100000 --db $T/db",
         " of 100000 runs, about "},
        {"$M stress $T/big --router expander --points 500", " step "},
        {"$M search --router trees --side 8 --tries 3000000", " sets, worst "},
        {"$M expander check --inputs 1024 --c 64,128 --r 4 --threads 1",
         "expander check: c = 64: "},
    };
    program_run("$M gen --side 96 --pattern uniform --degree 32 --congestion 32 -o $T/big");
    if (terminal_open(&terminal))
        check_shown(CASES[_i][0], CASES[_i][1]);
}
END_TEST

/* Lines come at most five times per second, are cut so that they do not wrap, and the last one is
 * erased before what follows. */
START_TEST(cut_and_erased)
{
    static const char erase[] = "\r\033[K";
    double start = program_run_clock();
    int lines = 0;
    if (!terminal_open(&terminal))
        return;
    terminal_start(&terminal,
                   "sh -c 'stty cols 40; $M search --router trees --side 4 --seconds 3; echo END'");
    ck_assert(terminal_wait_for(&terminal, "END"));
    ck_assert_int_eq(terminal_end(&terminal), 0);
    double seconds = program_run_clock() - start;
    const char *last = NULL;
    for (const char *at = terminal.text; (at = strstr(at, erase)) != NULL; at += strlen(erase)) {
        last = at + strlen(erase);
        if (*last != '\0' && strncmp(last, "search trees: ", strlen("search trees: ")) == 0) {
            lines++;
            ck_assert_uint_lt(strcspn(last, "\r\033"), 40);
        }
    }
    ck_assert_msg(lines > 0 && lines <= 5 * (seconds - 1) + 1, "%d lines in %.1f s", lines,
                  seconds);
    ck_assert(last != NULL && strncmp(last, "search trees: ", strlen("search trees: ")) != 0);
    /* no terminal, no line */
    ck_assert_ptr_null(
        strstr(program_run("$M search --router trees --side 4 --seconds 2")->err, "\r"));
}
END_TEST

/* A sweep whose only run another process does says so: claims are locks of bytes beyond 2^62. */
START_TEST(shown_waiting)
{
    char path[512];
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)1 << 62};
    if (!terminal_open(&terminal))
        return;
    const char *sweep = "$M sweep --router trees --pattern uniform --side 4 --db $T/db";
    program_run_ends(0, "%s --seed 1", sweep);
    snprintf(path, sizeof path, "%s/db", getenv("T"));
    int file = open(path, O_RDWR);
    ck_assert_int_eq(fcntl(file, F_SETLK, &all), 0);
    check_shown(sweep, "0 of 1 runs; waiting for another process");
    close(file);
}
END_TEST

void progress_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_test(tests, cut_and_erased);
    tcase_add_loop_test(tests, shown, 0, 4);
    tcase_add_test(tests, shown_waiting);
}
