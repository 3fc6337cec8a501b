/* test_progress.c - the line that says how far a long command is.
 *
 * Method: the line writes to memory, by a clock of the test's own; then the program is run on a
 * terminal, where the system makes one, until the line has come, however long that takes.
 *
 * Oracle: the text.
 */
#include "cli/progress.h"
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

Suite *progress_suite(void);

static double now; /* Check runs each test in a process of its own */

static double read_clock(void)
{
    return now;
}

/* What a line wrote. */
static char *text;
static size_t length;

static struct progress_line line_to_memory(void)
{
    FILE *out = open_memstream(&text, &length);
    ck_assert_ptr_nonnull(out);
    return (struct progress_line){.out = out, .clock = read_clock, .patience = 1, .interval = 0.5};
}

/* What was written since the last call. */
static const char *written(struct progress_line *line)
{
    static size_t seen;
    fflush(line->out);
    const char *fresh = text + seen;
    seen = length;
    return fresh;
}

/* ---- the line ---- */

/* A line comes after the patience and then once an interval, is cut so that it does not wrap, and is
 * erased; without a stream there is none. */
START_TEST(one_line)
{
    struct progress_line line = line_to_memory(), none = {0};
    char longer[200];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    now = 0.9;
    ck_assert(!progress_line_is_due(&line) && !progress_line_is_due(&none));
    now = 1.1;
    ck_assert(progress_line_is_due(&line) && !progress_line_is_due(&none));
    progress_line_show(&line, "so far");
    progress_line_show(&none, "so far");
    ck_assert_str_eq(written(&line), "\r\033[Kso far");
    now = 1.5;
    ck_assert(!progress_line_is_due(&line));
    now = 1.7;
    ck_assert(progress_line_is_due(&line));
    progress_line_show(&line, longer);
    ck_assert_uint_eq(strlen(written(&line)), strlen("\r\033[K") + 79);
    line.columns = 40;
    progress_line_show(&line, longer);
    ck_assert_uint_eq(strlen(written(&line)), strlen("\r\033[K") + 39);
    progress_line_clear(&line);
    ck_assert_str_eq(written(&line), "\r\033[K");
    progress_line_clear(&line);
    ck_assert_str_eq(written(&line), "");
    fclose(line.out);
}
END_TEST

/* A run tells its step, phase and time; a list how much of it is done. */
START_TEST(line_of_run)
{
    struct progress progress = {.what = "trees", .line = line_to_memory()};
    progress_update(&progress, 7, "climb");
    now = 12.4;
    progress_update(&progress, 1234, "climb");
    ck_assert_str_eq(written(&progress.line), "\r\033[Ktrees: step 1234, climb, 12 s");
    now = 13;
    progress_count(&progress, 5, 10);
    ck_assert_str_eq(written(&progress.line), "\r\033[Ktrees: 5 of 10");
    progress_end(&progress);
    fclose(progress.line.out);
}
END_TEST

/* ---- the program on a terminal ---- */

static struct terminal terminal;

/* Runs the command until the text has come, then ends it by Ctrl-C, twice if it takes twice. */
static void check_shown(const char *command, const char *expected)
{
    terminal_start(&terminal, command);
    ck_assert_msg(terminal_wait_for(&terminal, expected), "%s: %s", command, terminal.text);
    kill(-terminal.child, SIGINT);
    kill(-terminal.child, SIGTERM);
    int status = terminal_end(&terminal);
    ck_assert(WIFSIGNALED(status));
}

/* Commands that take longer than a second anywhere say how far they are. */
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

/* A sweep whose only run another process does says so: claims are locks of bytes beyond 2^62. */
START_TEST(shown_waiting)
{
    char path[512];
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)1 << 62};
    if (!terminal_open(&terminal))
        return;
    const char *sweep = "$M sweep --router trees --pattern uniform --side 4 --db $T/db";
    ck_assert_int_eq(program_run("%s --seed 1", sweep)->status, 0);
    snprintf(path, sizeof path, "%s/db", getenv("T"));
    int file = open(path, O_RDWR);
    ck_assert_int_eq(fcntl(file, F_SETLK, &all), 0);
    check_shown(sweep, "0 of 1 runs; waiting for another process");
    close(file);
}
END_TEST

Suite *progress_suite(void)
{
    Suite *suite = suite_create("progress");
    TCase *tests = tcase_create("progress");
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_test(tests, one_line);
    tcase_add_test(tests, line_of_run);
    tcase_add_loop_test(tests, shown, 0, 4);
    tcase_add_test(tests, shown_waiting);
    suite_add_tcase(suite, tests);
    return suite;
}
