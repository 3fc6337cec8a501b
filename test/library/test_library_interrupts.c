/* test_library_interrupts.c - interrupts, and calls of several threads at once.
 *
 * No test waits for a time: an interrupt is sent before a call, or by what the call calls.
 */
#include "library/meshcast_compare.h"
#include "library/meshcast_expander.h"
#include "library/meshcast_kernel.h"
#include "library/meshcast_load.h"
#include "library/meshcast_own_router.h"
#include "library/meshcast_search.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

Suite *library_interrupts_suite(void);

static struct meshcast_interrupt *interrupt; /* what the handler of a signal sends */

static void handle(int number)
{
    (void)number;
    meshcast_interrupt_send(interrupt);
}

static void progress(void *context, uint64_t steps, const char *phase)
{
    (void)steps;
    (void)phase;
    ++*(int *)context;
    raise(SIGUSR1);
}

static void network_progress(void *context, uint64_t done, uint64_t all, uint64_t cycle)
{
    ck_assert_uint_le(done, all);
    (void)cycle;
    ++*(int *)context;
    raise(SIGUSR1);
}

/* Everything that can be called. */
struct subject {
    struct meshcast_set *set;
    struct meshcast_topology *mesh;
    struct meshcast_options *options;
    struct meshcast_network_options *network;
};

static struct subject subject_make(uint32_t side)
{
    struct meshcast_error error = {0};
    struct meshcast_generate plan = {
        .pattern = "uniform", .rows = side, .cols = side, .degree = 8, .seed = 5};
    struct subject subject = {.mesh = meshcast_topology_parse("mesh:32x32", &error),
                              .options = meshcast_options_new(),
                              .network = meshcast_network_options_new()};
    subject.set = meshcast_set_generate(&plan, &error);
    ck_assert(subject.set != NULL && subject.mesh != NULL);
    return subject;
}

static void subject_free(struct subject *subject)
{
    meshcast_set_free(subject->set);
    meshcast_topology_free(subject->mesh);
    meshcast_options_free(subject->options);
    meshcast_network_options_free(subject->network);
}

typedef enum meshcast_status call(const struct subject *subject, struct meshcast_error *error);

static enum meshcast_status call_run(const struct subject *subject, struct meshcast_error *error)
{
    struct meshcast_result *result;
    enum meshcast_status status = meshcast_run(meshcast_router_find("replicate", NULL),
                                               subject->set, subject->options, &result, error);
    ck_assert(status == MESHCAST_OK || result == NULL);
    meshcast_result_free(result);
    return status;
}

static enum meshcast_status call_circulate(const struct subject *subject,
                                           struct meshcast_error *error)
{
    struct meshcast_result *result;
    enum meshcast_status status = meshcast_run(meshcast_router_find("circulate", NULL),
                                               subject->set, subject->options, &result, error);
    meshcast_result_free(result);
    return status;
}

static enum meshcast_status call_kernel(const struct subject *subject, struct meshcast_error *error)
{
    struct meshcast_kernel_input input = {.side = 64};
    struct meshcast_kernel_result *result;
    enum meshcast_status status = meshcast_kernel_run(meshcast_kernel_find("sort", NULL), &input,
                                                      subject->options, &result, error);
    meshcast_kernel_result_free(result);
    return status;
}

static enum meshcast_status call_stress(const struct subject *subject, struct meshcast_error *error)
{
    struct meshcast_stress *stress;
    enum meshcast_status status =
        meshcast_stress_run(meshcast_router_find("stream", NULL), subject->set, 0, false,
                            subject->options, &stress, error);
    meshcast_stress_free(stress);
    return status;
}

static enum meshcast_status call_compare(const struct subject *subject,
                                         struct meshcast_error *error)
{
    const struct meshcast_runner runner[] = {{meshcast_router_find("stream", NULL), NULL},
                                             {meshcast_router_find("replicate", NULL), NULL}};
    struct meshcast_comparison *comparison;
    enum meshcast_status status =
        meshcast_compare(runner, 2, subject->set, subject->options, &comparison, error);
    meshcast_comparison_free(comparison);
    return status;
}

static enum meshcast_status call_race(const struct subject *subject, struct meshcast_error *error)
{
    const struct meshcast_runner runner[] = {{meshcast_router_find("stream", NULL), NULL},
                                             {meshcast_router_find("circulate", NULL), NULL}};
    struct meshcast_race *race;
    enum meshcast_status status =
        meshcast_race_run(runner, 2, subject->set, subject->options, &race, error);
    meshcast_race_free(race);
    return status;
}

static enum meshcast_status call_search(const struct subject *subject, struct meshcast_error *error)
{
    struct meshcast_search_space space = {.rows = 16, .cols = 16, .congestion = 4, .tries = 3};
    struct meshcast_search *search;
    enum meshcast_status status = meshcast_search_run(meshcast_router_find("circulate", NULL),
                                                      &space, subject->options, &search, error);
    if (search != NULL)
        ck_assert_uint_gt(meshcast_search_figure(search, MESHCAST_SEARCH_WORST), 0);
    meshcast_search_free(search);
    return status;
}

static enum meshcast_status call_expander(const struct subject *subject,
                                          struct meshcast_error *error)
{
    struct meshcast_bracket *bracket;
    struct meshcast_expander *graph = meshcast_expander_random(256, 16, 4, 1, NULL);
    enum meshcast_status status =
        meshcast_expander_check(graph, 0, subject->options, &bracket, error);
    meshcast_bracket_free(bracket);
    meshcast_expander_free(graph);
    return status;
}

static enum meshcast_status call_plan(const struct subject *subject, struct meshcast_error *error)
{
    struct meshcast_plans *plans;
    enum meshcast_status status = meshcast_plan(meshcast_scheme_find("dual", NULL), subject->set,
                                                NULL, subject->network, &plans, error);
    ck_assert_ptr_nonnull(plans);
    ck_assert(status == MESHCAST_OK || meshcast_plans_messages(plans, NULL) < 1024);
    meshcast_plans_free(plans);
    return status;
}

static enum meshcast_status call_network(const struct subject *subject,
                                         struct meshcast_error *error)
{
    struct meshcast_network *network;
    enum meshcast_status status =
        meshcast_network_run(meshcast_scheme_find("dual", NULL), subject->set, NULL,
                             subject->network, NULL, &network, error);
    ck_assert_ptr_nonnull(network);
    meshcast_network_free(network);
    return status;
}

static enum meshcast_status call_load(const struct subject *subject, struct meshcast_error *error)
{
    struct meshcast_traffic traffic = {.rate = 0.001};
    struct meshcast_load *load;
    enum meshcast_status status =
        meshcast_load_run(subject->mesh, meshcast_scheme_find("dual", NULL), &traffic,
                          subject->network, &load, error);
    ck_assert_ptr_nonnull(load);
    meshcast_load_free(load);
    return status;
}

static call *const calls[] = {call_run,     call_circulate, call_kernel, call_stress,
                              call_compare, call_race,      call_search, call_expander,
                              call_plan,    call_network,   call_load};
enum { CALLS = sizeof calls / sizeof *calls };

/* every call ends at once if an interrupt was sent before, and runs when it is cleared */
START_TEST(sent_before)
{
    struct subject subject = subject_make(8);
    struct meshcast_interrupt *sent = meshcast_interrupt_new();
    struct meshcast_error error = {0};
    meshcast_options_set_interrupt(subject.options, sent);
    meshcast_network_options_set_interrupt(subject.network, sent);
    meshcast_interrupt_send(sent);
    ck_assert(meshcast_interrupt_is_sent(sent));
    ck_assert_msg(calls[_i](&subject, &error) == MESHCAST_INTERRUPTED, "%d: %s", error.status,
                  error.text);
    ck_assert_ptr_nonnull(strstr(error.text, "interrupted"));
    meshcast_interrupt_clear(sent);
    ck_assert(!meshcast_interrupt_is_sent(sent));
    ck_assert_msg(calls[_i](&subject, &error) == MESHCAST_OK, "%s", error.text);
    subject_free(&subject);
    meshcast_interrupt_free(sent);
}
END_TEST

/* a signal during a call ends it: the handler sends, and what is told of the progress raises the signal */
START_TEST(sent_by_handler)
{
    struct subject subject = subject_make(32);
    struct meshcast_error error = {0};
    int told = 0;
    interrupt = meshcast_interrupt_new();
    signal(SIGUSR1, handle);
    meshcast_options_set_interrupt(subject.options, interrupt);
    meshcast_network_options_set_interrupt(subject.network, interrupt);
    meshcast_options_set_progress(subject.options, progress, &told);
    meshcast_network_options_set_progress(subject.network, network_progress, &told);
    ck_assert_int_eq(meshcast_options_set(subject.options, MESHCAST_MAX_THREADS, 2, NULL),
                     MESHCAST_OK);
    enum meshcast_status status = calls[_i](&subject, &error);
    /* a call may be over when it is told */
    ck_assert_msg(status == MESHCAST_INTERRUPTED || status == MESHCAST_OK, "%s", error.text);
    ck_assert_int_eq(told > 0, meshcast_interrupt_is_sent(interrupt));
    if (calls[_i] != call_network && calls[_i] != call_load)
        ck_assert_msg(status == MESHCAST_INTERRUPTED, "call %d was not interrupted", _i);
    subject_free(&subject);
    meshcast_interrupt_free(interrupt);
}
END_TEST

static int run_calls(void *context)
{
    struct subject subject = subject_make(8);
    struct meshcast_error error = {0};
    int failed = 0;
    (void)context;
    for (int i = 0; i < CALLS; i++)
        failed += calls[i](&subject, &error) != MESHCAST_OK;
    subject_free(&subject);
    return failed;
}

/* calls of several threads at once do not meet */
START_TEST(threads_at_once)
{
    thrd_t thread[3];
    int failed;
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(thrd_create(&thread[i], run_calls, NULL), thrd_success);
    for (int i = 0; i < 3; i++) {
        thrd_join(thread[i], &failed);
        ck_assert_int_eq(failed, 0);
    }
}
END_TEST

/* what is not there is freed as well as what is */
START_TEST(frees)
{
    meshcast_interrupt_free(NULL);
    meshcast_kernel_result_free(NULL);
    meshcast_stress_free(NULL);
    meshcast_comparison_free(NULL);
    meshcast_race_free(NULL);
    meshcast_search_free(NULL);
    meshcast_expander_free(NULL);
    meshcast_bracket_free(NULL);
    meshcast_topology_free(NULL);
    meshcast_network_options_free(NULL);
    meshcast_plans_free(NULL);
    meshcast_network_free(NULL);
    meshcast_load_free(NULL);
    ck_assert_uint_eq(meshcast_abi(), MESHCAST_ABI);
}
END_TEST

Suite *library_interrupts_suite(void)
{
    Suite *suite = suite_create("library_interrupts");
    TCase *tests = tcase_create("library_interrupts");
    tcase_add_loop_test(tests, sent_before, 0, CALLS);
    tcase_add_loop_test(tests, sent_by_handler, 0, CALLS);
    tcase_add_test(tests, threads_at_once);
    tcase_add_test(tests, frees);
    suite_add_tcase(suite, tests);
    return suite;
}
