/* run.c - runs the suites, several at once, counts on, and ends with "N passed, N failed".
 *
 *     run [--jobs N] [--all | --long-forms] [SUITE ...]
 *
 * Without names every suite is run. Tests are short (test/length.h) unless --all is given, or
 * --long-forms, which leaves out the suites that have no long form.
 *
 * Method: worker processes take the next suite from a counter in shared memory. The output of a
 * suite's tests goes to a file of the worker's and is shown when the suite ends, so lines of two
 * suites never mix. Check forks a process for each test.
 *
 * A test has no time limit that a slow machine could miss. An endless loop ends when its processor
 * time is used up.
 */
#include "test/length.h"
#include "test/skipped.h"
#include "test/temporary.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* made by make: a line SUITE(name, true with a long form) for each suite */
#define SUITE(name, has_long_form) void name##_suite(TCase *tests);
#include "test/suites.inc"
#undef SUITE

#define SUITE(name, has_long_form) {#name, name##_suite, has_long_form},
static const struct {
    const char *name;
    void (*add_tests)(TCase *tests);
    bool has_long_form;
} SUITES[] = {
#include "test/suites.inc"
};

enum {
    COUNT = sizeof SUITES / sizeof SUITES[0],
    MAX_JOBS = 64,
    PROCESSOR_SECONDS = 3600, /* of one test */
    QUIET_SECONDS = 60,       /* after which the suites under way are named */
    SKIPPED_TEXT = 2000       /* bytes of the lines of skipped tests */
};

/* The data that the processes share. */
struct board {
    atomic_int taken, ended;        /* places of the plan */
    atomic_int passed, failed;      /* tests */
    atomic_int under_way[MAX_JOBS]; /* the place + 1 of each worker's suite, 0: none */
    int skipped;                    /* tests; under the lock of printing, as is skipped_text */
    char skipped_text[SKIPPED_TEXT];
};

struct plan {
    struct board *board;
    int printing; /* a file whose lock a worker holds while it prints; its death frees it */
    int suite[COUNT], count; /* indices of SUITES, in the order in which they are taken */
    int jobs;
};

/* Waits for the lock, or gives it back. */
static void set_lock(int file, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
    while (fcntl(file, F_SETLKW, &lock) != 0 && errno == EINTR)
        continue;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double processor_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static Suite *make_suite(int number)
{
    Suite *suite = suite_create(SUITES[number].name);
    TCase *tests = tcase_create(SUITES[number].name);
    suite_add_tcase(suite, tests);
    SUITES[number].add_tests(tests);
    return suite;
}

/* Runs a suite with its output in the file; returns how many of *tests failed. One
 * without tests is one failure. */
static int run_quietly(int number, FILE *output, int *tests)
{
    int kept[] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
    rewind(output);
    if (ftruncate(fileno(output), 0) != 0)
        perror("run: the output of tests");
    dup2(fileno(output), STDOUT_FILENO);
    dup2(fileno(output), STDERR_FILENO);

    SRunner *runner = srunner_create(make_suite(number));
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    *tests = srunner_ntests_run(runner);
    if (*tests == 0) {
        puts("no tests; make calls void NAME_suite(TCase *tests), which adds them");
        *tests = failed = 1;
    }
    srunner_free(runner);

    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        dup2(kept[i], i == 0 ? STDOUT_FILENO : STDERR_FILENO);
        close(kept[i]);
    }
    return failed;
}

/* Shows the output of the suite, except Check's lines about the whole suite, and keeps the lines of
 * skipped tests for the end; returns their number. */
static int show(FILE *output, struct board *board)
{
    char line[4096];
    int skipped = 0;
    rewind(output);
    while (fgets(line, sizeof line, output) != NULL) {
        if (strncmp(line, TEST_SKIPPED, strlen(TEST_SKIPPED)) == 0) {
            size_t used = strlen(board->skipped_text);
            snprintf(board->skipped_text + used, SKIPPED_TEXT - used, "%s", line);
            skipped++;
        }
        if (strncmp(line, "Running suite(s)", 16) != 0 && strstr(line, "%: Checks: ") == NULL)
            printf("    %s", line);
    }
    return skipped;
}

/* Takes suites until none is left. */
static void work(const struct plan *plan, int worker)
{
    struct board *board = plan->board;
    FILE *output = temporary_stream();
    if (output == NULL) {
        perror("run: a temporary file");
        exit(EXIT_FAILURE);
    }
    for (;;) {
        int place = atomic_fetch_add(&board->taken, 1);
        if (place >= plan->count)
            break;
        board->under_way[worker] = place + 1;
        int suite = plan->suite[place], tests = 0;
        double start = now(), used = processor_seconds();
        int failed = run_quietly(suite, output, &tests);
        board->under_way[worker] = 0;

        board->failed += failed;
        set_lock(plan->printing, F_WRLCK);
        printf("suite %d of %d  %-22s %4d tests %6.1f s %6.1f s of processor time%s\n",
               ++board->ended, plan->count, SUITES[suite].name, tests, now() - start,
               processor_seconds() - used, failed > 0 ? "  FAILED" : "");
        int skipped = show(output, board);
        board->skipped += skipped;
        board->passed += tests - failed - skipped;
        fflush(stdout);
        set_lock(plan->printing, F_UNLCK);
    }
    fclose(output);
}

static void name_suites_under_way(const struct plan *plan)
{
    printf("still running:");
    for (int i = 0; i < plan->jobs; i++) {
        int place = plan->board->under_way[i];
        if (place > 0)
            printf(" %s", SUITES[plan->suite[place - 1]].name);
    }
    printf("\n");
    fflush(stdout);
}

/* Waits for the workers; a minute in which no suite ended gets a line. False if one of them
 * died. */
static bool wait_for_workers(const struct plan *plan)
{
    bool good = true;
    double spoke = now();
    for (int left = plan->jobs, ended = 0; left > 0;) {
        int status = 0;
        pid_t child = waitpid(-1, &status, WNOHANG);
        if (child > 0) {
            left--;
            good = good && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
            continue;
        }
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        int seen = plan->board->ended;
        if (seen > ended || now() - spoke > QUIET_SECONDS) {
            if (seen == ended)
                name_suites_under_way(plan);
            ended = seen;
            spoke = now();
        }
    }
    return good;
}

/* Fills the plan from the command line; false, with a message, if a name or an option is
 * unknown. */
static bool read_arguments(struct plan *plan, int count, char **argument)
{
    bool all_forms = true;
    for (int i = 1; i < count; i++) {
        int suite = 0;
        bool is_long_forms = strcmp(argument[i], "--long-forms") == 0;
        if (is_long_forms || strcmp(argument[i], "--all") == 0) {
            all_forms = !is_long_forms;
            setenv(TEST_LENGTH_VARIABLE, "1", 1);
            continue;
        }
        if (strcmp(argument[i], "--jobs") == 0 && i + 1 < count) {
            plan->jobs = atoi(argument[++i]);
            plan->jobs = plan->jobs < 1 ? 1 : plan->jobs > MAX_JOBS ? MAX_JOBS : plan->jobs;
            continue;
        }
        while (suite < COUNT && strcmp(argument[i], SUITES[suite].name) != 0)
            suite++;
        if (suite == COUNT || plan->count == COUNT) {
            fprintf(stderr,
                    "run: '%s' is neither --jobs N, --all, --long-forms nor the name of a suite\n",
                    argument[i]);
            return false;
        }
        plan->suite[plan->count++] = suite;
    }
    if (plan->count == 0)
        for (int i = 0; i < COUNT; i++)
            if (all_forms || SUITES[i].has_long_form)
                plan->suite[plan->count++] = i;
    return true;
}

/* The board, in a file that forked processes share and whose lock is that of printing; false with
 * errno if there is none. The file stays open: to close it would free the lock. */
static bool make_board(struct plan *plan)
{
    FILE *file = temporary_stream();
    if (file == NULL || ftruncate(fileno(file), sizeof(struct board)) != 0)
        return false;
    plan->printing = fileno(file);
    void *board =
        mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE, MAP_SHARED, plan->printing, 0);
    plan->board = board == MAP_FAILED ? NULL : board;
    return plan->board != NULL;
}

int main(int count, char **argument)
{
    struct plan plan = {.jobs = 1};
    const struct rlimit processor = {PROCESSOR_SECONDS, RLIM_INFINITY};
    if (!read_arguments(&plan, count, argument))
        return EXIT_FAILURE;
    if (!make_board(&plan) || setrlimit(RLIMIT_CPU, &processor) != 0) {
        perror("run");
        return EXIT_FAILURE;
    }
    setenv("CK_DEFAULT_TIMEOUT", "0", 0); /* none */
    double start = now();
    for (int worker = 0; worker < plan.jobs; worker++) {
        pid_t child = fork();
        if (child == 0) {
            work(&plan, worker);
            exit(EXIT_SUCCESS);
        }
        if (child < 0) {
            perror("run: a process");
            plan.jobs = worker;
        }
    }
    bool good = plan.jobs > 0 && wait_for_workers(&plan) && plan.board->ended == plan.count;
    if (!good)
        printf("the runner of a suite ended before its suite did\n");
    printf("%d suites in %.0f s\n%s%d passed, %d failed", plan.board->ended, now() - start,
           plan.board->skipped_text, plan.board->passed, plan.board->failed + !good);
    if (plan.board->skipped > 0)
        printf(", %d skipped", plan.board->skipped);
    printf("\n");
    return good && plan.board->failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
