/* test_library.c - the public header: options, runs, results. Sets are in test_library_sets.c.
 *
 * Oracle: the inner functions, called beside the public ones; the observer's events, counted. What
 * goes wrong is in test_library_errors.c, routers of a user's own in test_own_router.c, the installed
 * library in test_install.c.
 */
#include "library/meshcast_own_router.h"
#include "machine/attempt.h"
#include "routers/router.h"
#include "test/temporary.h"
#include "workloads/pattern.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

Suite *library_suite(void);

static struct meshcast_set *make_set(const char *pattern, uint32_t rows, uint32_t cols)
{
    struct meshcast_error error = {0};
    struct meshcast_generate plan = {.pattern = pattern, .rows = rows, .cols = cols, .seed = 5};
    struct meshcast_set *set = meshcast_set_generate(&plan, &error);
    ck_assert_msg(set != NULL, "%s", error.text);
    return set;
}

static const struct meshcast_router *find(const char *name)
{
    const struct meshcast_router *router = meshcast_router_find(name, NULL);
    ck_assert_ptr_nonnull(router);
    return router;
}

/* ---- runs ---- */

static void compare_figures(const struct meshcast_result *result, const struct router_result *inner)
{
    const uint64_t expected[] = {
        inner->steps,       inner->sync_steps,       inner->buffer_capacity,
        inner->buffer_peak, inner->buffer_peak_node, inner->buffer_peak_step,
        inner->packet_hops, inner->word_hops,        inner->copies,
        inner->delivered,   inner->missing,          inner->threads,
        inner->proven_steps};
    for (int figure = 0; figure <= MESHCAST_PROVEN_STEPS; figure++)
        ck_assert_uint_eq(meshcast_result_figure(result, (enum meshcast_figure)figure),
                          expected[figure]);
    ck_assert_str_eq(meshcast_result_peak_phase(result), inner->buffer_peak_phase);
    ck_assert_str_eq(meshcast_result_ran_as(result), inner->ran_as);
    ck_assert_double_gt(meshcast_result_wall_seconds(result), 0);
    ck_assert_uint_eq(meshcast_result_phases(result), inner->phases);
    for (uint32_t i = 0; i < inner->phases; i++) {
        uint64_t steps;
        ck_assert_str_eq(meshcast_result_phase(result, i, &steps), inner->phase[i].name);
        ck_assert_uint_eq(steps, inner->phase[i].steps);
    }
    ck_assert_uint_eq(meshcast_result_foretold(result), inner->figures);
    for (uint32_t i = 0; i < inner->figures; i++) {
        uint64_t value;
        ck_assert_str_eq(meshcast_result_foretold_figure(result, i, &value), inner->figure[i].key);
        ck_assert_uint_eq(value, inner->figure[i].value);
    }
    ck_assert_uint_eq(meshcast_result_parameters(result), inner->parameters);
    for (uint32_t i = 0; i < inner->parameters; i++) {
        const char *value;
        ck_assert_str_eq(meshcast_result_parameter(result, i, &value), inner->parameter[i].name);
        ck_assert_str_eq(value, inner->parameter[i].value);
    }
}

static void compare_attempts(const struct meshcast_result *result,
                             const struct router_result *inner)
{
    ck_assert_uint_eq(meshcast_result_attempts(result), inner->attempts);
    for (uint32_t i = 0; i < inner->attempts; i++) {
        const struct router_attempt *attempt = &inner->attempt[i];
        const uint64_t expected[] = {attempt->congestion,      attempt->budget,
                                     attempt->buffer_capacity, attempt->buffer_peak,
                                     attempt->steps,           attempt->sync_steps,
                                     attempt->discarded,       attempt->stands};
        for (int figure = 0; figure <= MESHCAST_ATTEMPT_STANDS; figure++)
            ck_assert_uint_eq(
                meshcast_result_attempt(result, i, (enum meshcast_attempt_figure)figure),
                expected[figure]);
    }
}

/* every router, with options of every kind, gives what the inner call gives */
START_TEST(runs)
{
    const struct meshcast_router *router = meshcast_router_at((uint32_t)_i);
    const struct router *row = router_at((uint32_t)_i);
    static struct router_result inner;
    struct message_set plain = {0};
    struct meshcast_set *set = make_set("uniform", 12, 16);
    struct pattern_options pattern = {.mesh = {12, 16}, .seed = 5};
    struct router_options wanted = router_options_default();
    struct meshcast_options *options = meshcast_options_new();
    struct meshcast_result *result;
    struct meshcast_error error = {0};
    ck_assert_int_eq(pattern_generate(pattern_find("uniform"), &pattern, &plain, NULL), FAIL_NONE);

    ck_assert_str_eq(meshcast_router_name(router), row->name);
    ck_assert_str_eq(meshcast_router_summary(router), row->summary);
    ck_assert_str_eq(meshcast_router_parameters(router), row->parameters);
    ck_assert_ptr_eq(find(row->name), router);
    wanted.seed = 77;
    wanted.threads = 2;
    wanted.copy_is_free = true;
    wanted.congestion_is_unknown = router_guesses_congestion(row);
    ck_assert(meshcast_router_guesses_congestion(router) == wanted.congestion_is_unknown);
    meshcast_options_set(options, MESHCAST_SEED, 77, &error);
    meshcast_options_set(options, MESHCAST_MAX_THREADS, 2, &error);
    meshcast_options_set(options, MESHCAST_FREE_COPIES, 1, &error);
    meshcast_options_set(options, MESHCAST_UNKNOWN_CONGESTION, wanted.congestion_is_unknown,
                         &error);
    if (strcmp(row->name, "random") == 0) {
        wanted.parameter[wanted.parameters++] = (struct router_parameter){"variant", "paper"};
        wanted.parameter[wanted.parameters++] = (struct router_parameter){"r", "5"};
        meshcast_options_set_parameter(options, "variant", "paper", &error);
        meshcast_options_set_parameter(options, "r", "5", &error);
    }

    ck_assert_int_eq(router_run(row, &plain, &wanted, &inner, NULL), FAIL_NONE);
    ck_assert_int_eq(meshcast_run(router, set, options, &result, &error), MESHCAST_OK);
    ck_assert_int_eq(error.status, MESHCAST_OK);
    compare_figures(result, &inner);
    compare_attempts(result, &inner);
    meshcast_result_free(result);
    meshcast_options_free(options);
    meshcast_set_free(set);
    message_set_free(&plain);
}
END_TEST

/* a run that fails a check tells how far it went */
START_TEST(failed_check)
{
    struct meshcast_set *set = make_set("uniform", 32, 32);
    struct meshcast_options *options = meshcast_options_new();
    struct meshcast_result *result;
    struct meshcast_error error = {0};
    meshcast_options_set(options, MESHCAST_BUFFER, 2, NULL);
    ck_assert_int_eq(meshcast_run(find("random"), set, options, &result, &error), MESHCAST_CHECK);
    ck_assert_msg(strstr(error.text, "buffer overflow: node ") != NULL, "%s", error.text);
    ck_assert_ptr_nonnull(result);
    ck_assert_uint_eq(meshcast_result_figure(result, MESHCAST_BUFFER_CAPACITY), 2);
    ck_assert_uint_gt(meshcast_result_figure(result, MESHCAST_BUFFER_PEAK), 2);
    ck_assert_uint_gt(meshcast_result_figure(result, MESHCAST_MISSING), 0);
    meshcast_result_free(result);
    meshcast_options_free(options);
    meshcast_set_free(set);
}
END_TEST

static char *text_of(const char *folder, const char *name)
{
    static char text[1 << 20];
    char path[TEMPORARY_PATH + 16];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s is not there", path);
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    unlink(path);
    return text;
}

/* a run writes its trace, a heatmap and a timeline, each in its place */
START_TEST(files)
{
    static const char *const name[] = {"trace", "heat.csv", "time.csv"};
    static const char *const begins[] = {"meshcast-trace 1 8 8 copy=unit", "row,col,to_row,to_col",
                                         "step,packets,delivered,"};
    char folder[TEMPORARY_PATH], path[TEMPORARY_PATH + 16];
    struct meshcast_set *set = make_set("uniform", 8, 8);
    struct meshcast_options *options = meshcast_options_new();
    struct meshcast_result *result;
    temporary_folder(folder);
    for (int file = 0; file <= MESHCAST_TIMELINE; file++) {
        snprintf(path, sizeof path, "%s/%s", folder, name[file]);
        meshcast_options_set_file(options, (enum meshcast_file)file, path, NULL);
    }
    meshcast_options_set(options, MESHCAST_HEATMAP_OF_LINKS, 1, NULL);
    meshcast_options_set(options, MESHCAST_TIMELINE_EVERY, 3, NULL);
    ck_assert_int_eq(meshcast_run(find("trees"), set, options, &result, NULL), MESHCAST_OK);
    for (int file = 0; file <= MESHCAST_TIMELINE; file++) {
        const char *text = text_of(folder, name[file]);
        ck_assert_msg(strncmp(text, begins[file], strlen(begins[file])) == 0, "%.40s", text);
        ck_assert_uint_gt(strlen(text), 200);
    }
    ck_assert_int_eq(rmdir(folder), 0); /* nothing else was left */
    meshcast_result_free(result);
    meshcast_options_free(options);
    meshcast_set_free(set);
}
END_TEST

struct tally {
    uint64_t moves, deliveries, last_step;
    uint32_t phases;
    bool is_ordered;
};

static void count_events(void *context, uint64_t step, const struct meshcast_event *event,
                         size_t count)
{
    struct tally *tally = context;
    tally->is_ordered = tally->is_ordered && step >= tally->last_step;
    tally->last_step = step;
    for (size_t i = 0; i < count; i++) {
        tally->moves += event[i].kind == 'M';
        tally->deliveries += event[i].kind == 'D' || event[i].kind == 'E';
    }
}

static void count_phase(void *context, uint64_t step, const char *name)
{
    struct tally *tally = context;
    (void)step;
    tally->phases += *name != '\0';
}

/* an observer is told every hop and delivery, in order */
START_TEST(observer)
{
    struct tally tally = {.is_ordered = true};
    struct meshcast_observer told = {&tally, count_events, count_phase};
    struct meshcast_set *set = make_set("uniform", 24, 24);
    struct meshcast_options *options = meshcast_options_new();
    struct meshcast_result *result;
    meshcast_options_set_observer(options, &told);
    ck_assert_int_eq(meshcast_run(find("replicate"), set, options, &result, NULL), MESHCAST_OK);
    ck_assert(tally.is_ordered);
    ck_assert_uint_eq(tally.moves, meshcast_result_figure(result, MESHCAST_PACKET_HOPS));
    ck_assert_uint_eq(tally.deliveries, meshcast_result_figure(result, MESHCAST_DELIVERED));
    ck_assert_uint_ge(tally.phases, meshcast_result_phases(result));
    meshcast_result_free(result);
    meshcast_options_free(options);
    meshcast_set_free(set);
}
END_TEST

struct job {
    const struct meshcast_set *set;
    uint64_t steps;
};

static int run_job(void *context)
{
    struct job *job = context;
    struct meshcast_result *result;
    if (meshcast_run(find("random"), job->set, NULL, &result, NULL) == MESHCAST_OK)
        job->steps = meshcast_result_figure(result, MESHCAST_STEPS);
    meshcast_result_free(result);
    return 0;
}

/* runs of several threads on one set do not meet */
START_TEST(runs_at_once)
{
    enum { JOBS = 4 };
    struct meshcast_set *set = make_set("uniform", 16, 16);
    struct job alone = {set, 0}, job[JOBS];
    thrd_t thread[JOBS];
    run_job(&alone);
    for (int i = 0; i < JOBS; i++) {
        job[i] = (struct job){set, 0};
        ck_assert_int_eq(thrd_create(&thread[i], run_job, &job[i]), thrd_success);
    }
    for (int i = 0; i < JOBS; i++) {
        thrd_join(thread[i], NULL);
        ck_assert_uint_eq(job[i].steps, alone.steps);
    }
    ck_assert_uint_gt(alone.steps, 0);
    meshcast_set_free(set);
}
END_TEST

/* A run that does not fit into the limit fails with the figures; the library then goes on, also with another limit. */
START_TEST(limited)
{
    struct meshcast_set *set = make_set("uniform", 100, 100);
    const struct meshcast_router *router = meshcast_router_find("stream", NULL);
    struct meshcast_result *result;
    struct meshcast_error error;
    const uint64_t limits[] = {1000000, MESHCAST_AVAILABLE, 2000000, MESHCAST_NO_LIMIT};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        bool is_small = i % 2 == 0;
        meshcast_memory_limit(limits[i]);
        ck_assert_int_eq(meshcast_run(router, set, NULL, &result, &error),
                         is_small ? MESHCAST_SYSTEM : MESHCAST_OK);
        ck_assert(!is_small ||
                  (strstr(error.text, "more asked for") != NULL &&
                   strstr(error.text, i == 0 ? "into 1.0 MB" : "into 2.0 MB") != NULL));
        meshcast_result_free(result);
    }
    meshcast_set_free(set);
}
END_TEST

/* nothing is freed twice where nothing is there, and the version is the header's */
START_TEST(trifles)
{
    meshcast_set_free(NULL);
    meshcast_options_free(NULL);
    meshcast_result_free(NULL);
    meshcast_router_free(NULL);
    ck_assert_str_eq(meshcast_version(), MESHCAST_VERSION);
    ck_assert_uint_eq(meshcast_routers(), router_count());
}
END_TEST

Suite *library_suite(void)
{
    Suite *suite = suite_create("library");
    TCase *tests = tcase_create("library");
    tcase_add_loop_test(tests, runs, 0, (int)router_count());
    tcase_add_test(tests, failed_check);
    tcase_add_test(tests, files);
    tcase_add_test(tests, observer);
    tcase_add_test(tests, runs_at_once);
    tcase_add_test(tests, limited);
    tcase_add_test(tests, trifles);
    suite_add_tcase(suite, tests);
    return suite;
}
