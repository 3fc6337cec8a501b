/* test_progress.c - the line that says how far a long command is.
 *
 * Method: the line writes to memory, by a clock of the test's own; then the program is run on a
 * terminal, where the system makes one, until the line has come, however long that takes.
 *
 * Oracle: the text.
 */
#include "console/progress.h"
#include "lab/claim.h"
#include "lab/sweep_hash.h"
#include "lab/sweep_progress.h"
#include "test/program_run.h"
#include "test/terminal.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

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

/* ---- a sweep's ---- */

static void make_plan(struct sweep_plan *plan, uint32_t seeds)
{
    static struct sweep_request request;
    struct failure failure = {0};
    char router[] = "trees", pattern[] = "uniform", side[] = "4";
    accept_list_routers(&request.routers, router, &failure);
    accept_list_patterns(&request.patterns, pattern, &failure);
    accept_list_meshes(&request.meshes, side, &failure);
    request.seeds = seeds;
    ck_assert_int_eq(sweep_plan_make(plan, &request, &failure), FAIL_NONE);
}

/* The line of a sweep: what is stored, the time that is left as the runs went so far, the oldest run;
 * that it waits for others is told when all its jobs do, and not before. */
START_TEST(line_of_sweep)
{
    struct sweep_plan plan;
    struct sweep_progress progress;
    struct failure failure = {0};
    bool is_there[100] = {true};
    make_plan(&plan, 100);
    ck_assert_int_eq(sweep_progress_open(&progress, &plan, is_there, 2, true, &failure), FAIL_NONE);
    progress.line = line_to_memory();
    sweep_progress_begin_run(&progress, 0, 1);
    now = 2;
    sweep_progress_show(&progress);
    ck_assert_str_eq(written(&progress.line),
                     "\r\033[Ksweep: 1 of 100 runs; trees, copies unit, uniform 4 x 4, seed 1");
    sweep_progress_end_run(&progress, 0, 1, 2, true);
    sweep_progress_begin_run(&progress, 1, 2);
    now = 3;
    sweep_progress_show(&progress); /* 98 runs of 2 s are left, one of them for 1 s, on 2 jobs */
    ck_assert_str_eq(written(&progress.line), "\r\033[Ksweep: 2 of 100 runs, about 98 s left; "
                                              "trees, copies unit, uniform 4 x 4, seed ");
    sweep_progress_end_run(&progress, 1, 2, 2, true);
    sweep_progress_wait(&progress, 0);
    now = 4;
    sweep_progress_show(&progress);
    ck_assert_str_eq(written(&progress.line), "\r\033[Ksweep: 3 of 100 runs, about 97 s left");
    sweep_progress_wait(&progress, 1);
    now = 5;
    sweep_progress_show(&progress);
    ck_assert_ptr_nonnull(strstr(written(&progress.line), "; waiting for another process"));
    FILE *out = progress.line.out;
    sweep_progress_close(&progress);
    sweep_plan_free(&plan);
    fclose(out);
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

/* A sweep whose only run another process does says so. */
START_TEST(shown_waiting)
{
    struct sweep_plan plan;
    struct claim_file claims;
    struct failure failure = {0};
    char path[512], identity[SWEEP_IDENTITY_SIZE];
    bool claimed = false;
    if (!terminal_open(&terminal))
        return;
    snprintf(path, sizeof path, "%s/db", getenv("T"));
    const char *sweep = "$M sweep --router trees --pattern uniform --side 4 --db $T/db";
    ck_assert_int_eq(program_run("%s --seed 1", sweep)->status, 0);
    make_plan(&plan, 1); /* seed 0 */
    struct sweep_case only = sweep_plan_case(&plan, 0);
    sweep_case_identity(&only, identity);
    ck_assert_int_eq(claim_open(&claims, path, &failure), FAIL_NONE);
    ck_assert_int_eq(claim_try(&claims, sweep_hash_text(identity), &claimed, &failure), FAIL_NONE);
    ck_assert(claimed);
    check_shown(sweep, "0 of 1 runs; waiting for another process");
    claim_close(&claims);
    sweep_plan_free(&plan);
}
END_TEST

Suite *progress_suite(void)
{
    Suite *suite = suite_create("progress");
    TCase *tests = tcase_create("progress");
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_test(tests, one_line);
    tcase_add_test(tests, line_of_run);
    tcase_add_test(tests, line_of_sweep);
    tcase_add_loop_test(tests, shown, 0, 4);
    tcase_add_test(tests, shown_waiting);
    suite_add_tcase(suite, tests);
    return suite;
}
