/* test_determinism.c - the same bytes for every number of threads, and without threads.
 *
 * Compared are the whole trace, byte for byte, and the whole result except the number of threads
 * and the seconds, with and without a trace. MESHCAST_SERIAL_PROGRAM may name a program that was
 * built without threads; it is run on the same sets, and its traces are also compared.
 */
#include "test/length.h"
#include "test/routers/router_case.h"
#include "test/temporary.h"

#include <check.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct grid MESHES[] = {{32, 32}, {17, 23}, {9, 70}};

static void make_set(struct plain_set *set, size_t index)
{
    ck_assert(plain_set_gen(set, "uniform", MESHES[index], 8, 8, 3 + index, NULL));
}

static void check_threads(struct router_case run, const struct plain_set *set)
{
    static const uint32_t threads[] = {3, 2, 7};
    size_t counts = TEST_IS_SHORT ? 1 : sizeof threads / sizeof *threads;
    struct case_result result, other;
    size_t length, other_length;
    char text[ROUTER_CASE_TEXT];
    run.threads = 1;
    char *trace = router_case_trace(&run, set, &result, &length);
    for (size_t i = 0; i < counts; i++) {
        run.threads = threads[i];
        char *other_trace = router_case_trace(&run, set, &other, &other_length);
        ck_assert_uint_le(other.threads, threads[i]);
        router_case_text(&run, set, text);
        ck_assert_msg(router_case_same(&result, &other), "%s: another result with %u threads", text,
                      threads[i]);
        ck_assert_msg(length == other_length && memcmp(trace, other_trace, length) == 0,
                      "%s: another trace with %u threads", text, threads[i]);
        ck_assert_int_eq(router_case_run(&run, set, NULL, &other, NULL), MESHCAST_OK);
        ck_assert_msg(router_case_same(&result, &other),
                      "%s: another result with %u threads and no trace", text, threads[i]);
        free(other_trace);
    }
    free(trace);
}

/* Every router: 1, 2, 3 and 7 threads give the same bytes on 32 x 32 and 9 x 70. */
START_TEST(test_threads)
{
    for (size_t i = 0; i < 3; i += 2) {
        struct router_case run = {.router = case_router_at((uint32_t)_i), .seed = 5};
        struct plain_set set;
        make_set(&set, i);
        check_threads(run, &set);
        plain_set_free(&set);
    }
}
END_TEST

/* With every known parameter and both costs of copies on 17 x 23; in short tests with one of
 * both. */
START_TEST(test_threads_with_parameters)
{
    struct router_case run = router_case_at((uint32_t)_i);
    struct plain_set set;
    make_set(&set, 1);
    run.seed = 5;
    for (int copy = 0; copy < 2; copy++) {
        run.copy_is_free = copy;
        if (!TEST_IS_SHORT || _i % 2 == copy)
            check_threads(run, &set);
    }
    plain_set_free(&set);
}
END_TEST

/* More threads than rows, than nodes, and than messages. */
START_TEST(test_more_threads_than_work)
{
    static const char *const sets[] = {"mcast 1 1 1\n0 0\n", "mcast 1 2 2\n0 1 2 3\n3 0 3\n",
                                       "mcast 1 1 5\n4 0\n", "mcast 1 6 1\n2 0 5\n",
                                       "mcast 1 3 3\n"};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct plain_set set;
        plain_set_parse(&set, sets[i]);
        check_threads(router_case_at((uint32_t)_i), &set);
        plain_set_free(&set);
    }
}
END_TEST

/* The same run again gives the same bytes: nothing is left over from the run before. */
START_TEST(test_again)
{
    struct router_case run = router_case_at((uint32_t)_i);
    struct case_result result, other;
    struct plain_set set;
    make_set(&set, 1);
    char *trace = router_case_trace(&run, &set, &result, NULL);
    char *again = router_case_trace(&run, &set, &other, NULL);
    ck_assert(strcmp(trace, again) == 0);
    ck_assert(router_case_same(&result, &other));
    free(trace);
    free(again);
    plain_set_free(&set);
}
END_TEST

/* ---- the serial build ---- */

/* Folder of the files that pass between this program and the serial one. */
static char folder[TEMPORARY_PATH], set_path[300], trace_path[300], json_path[300];

static void make_folder(void)
{
    temporary_folder(folder);
    snprintf(set_path, sizeof set_path, "%s/set", folder);
    snprintf(trace_path, sizeof trace_path, "%s/trace", folder);
    snprintf(json_path, sizeof json_path, "%s/json", folder);
}

static void remove_folder(void)
{
    unlink(set_path);
    unlink(trace_path);
    unlink(json_path);
    rmdir(folder);
}

/* Replaces this process by `program route ...`, its output in the file of that name. */
static void become_program(const char *program, const struct router_case *run)
{
    char list[128],
        *argument[32] = {(char *)program, "route",  set_path, "--router", (char *)run->router,
                         "--seed",        "5",      "--json", "--quiet",  "--trace",
                         trace_path,      "--copy", "unit"};
    int count = 13, output = open(json_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (run->copy_is_free)
        argument[12] = "free";
    if (run->congestion_is_unknown)
        argument[count++] = "--unknown-congestion";
    snprintf(list, sizeof list, "%s", run->parameters == NULL ? "" : run->parameters);
    for (char *rest, *word = strtok_r(list, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        argument[count++] = "--param";
        argument[count++] = word;
    }
    if (output >= 0 && dup2(output, STDOUT_FILENO) >= 0)
        execv(program, argument);
    _exit(127);
}

/* Runs the serial program; returns its exit status. */
static int run_program(const char *program, const struct router_case *run)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        become_program(program, run);
    ck_assert_int_gt(child, 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* True if the file holds these bytes and no others. */
static bool file_equals(const char *path, const char *bytes, size_t length)
{
    char *found = malloc(length + 1);
    FILE *file = fopen(path, "r");
    ck_assert(found != NULL && file != NULL);
    bool equals = fread(found, 1, length + 1, file) == length && memcmp(found, bytes, length) == 0;
    fclose(file);
    free(found);
    return equals;
}

static void check_serial(const char *program, const struct router_case *run,
                         const struct plain_set *set)
{
    struct case_result result;
    size_t length;
    char text[ROUTER_CASE_TEXT];
    char *trace = router_case_trace(run, set, &result, &length);
    router_case_text(run, set, text);
    int status = run_program(program, run);
    ck_assert_msg(status == 0, "%s: %s ends with status %d", text, program, status);
    ck_assert_msg(file_equals(trace_path, trace, length), "%s: another trace from %s", text,
                  program);
    json_t *json = json_load_file(json_path, 0, NULL);
    ck_assert_ptr_nonnull(json);
    ck_assert_uint_eq((uint64_t)json_integer_value(json_object_get(json, "steps")), result.steps);
    ck_assert_uint_eq((uint64_t)json_integer_value(json_object_get(json, "sync_steps")),
                      result.sync_steps);
    json_decref(json);
    free(trace);
}

/* Every router with every known parameter: the serial build, which `make check-long` makes, writes
 * the bytes of two threads. */
START_TEST(test_serial_build)
{
    const char *program = TEST_SERIAL_PROGRAM;
    ck_assert_msg(program != NULL, "MESHCAST_SERIAL_PROGRAM is not set");
    for (size_t i = 0; i < 2; i++) {
        struct plain_set set;
        make_set(&set, i);
        ck_assert_int_eq(meshcast_set_write(set.handle, set_path, NULL, NULL), MESHCAST_OK);
        for (uint32_t j = 0; j < router_case_count(); j++) {
            struct router_case run = router_case_at(j);
            run.seed = 5;
            run.threads = 2;
            run.copy_is_free = (i + j) % 2;
            check_serial(program, &run, &set);
        }
        plain_set_free(&set);
    }
}
END_TEST

void determinism_suite(TCase *tests)
{
    int cases = (int)router_case_count();
    tcase_add_loop_test(tests, test_threads, 0, (int)case_router_count());
    tcase_add_loop_test(tests, test_threads_with_parameters, 0, cases);
    tcase_add_loop_test(tests, test_more_threads_than_work, 0, cases);
    tcase_add_loop_test(tests, test_again, 0, cases);
    if (TEST_IS_SHORT)
        return;
    tcase_add_unchecked_fixture(tests, make_folder, remove_folder);
    tcase_add_test(tests, test_serial_build);
}
