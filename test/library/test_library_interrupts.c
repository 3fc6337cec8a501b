/* test_library_interrupts.c - interrupts, and commands of several threads at once.
 *
 * No test waits for a time: an interrupt is sent before a run, or by what the run calls.
 */
#include "test/library_case.h"

#include <check.h>
#include <signal.h>
#include <string.h>
#include <threads.h>

static struct meshcast_interrupt *interrupt; /* sent by the handler of a signal */

static void handle(int number)
{
    signal(number, handle); /* the signal has removed it */
    meshcast_interrupt_send(interrupt);
}

static void progress(void *context, uint64_t done, uint64_t all, const char *what)
{
    (void)what;
    ck_assert(all == 0 || done <= all);
    ++*(int *)context;
    raise(SIGUSR1);
}

/* Everything that takes long; on a set of so many rows, or none. */
static const struct call {
    const char *name, *options, *operand; /* NULL: none */
    bool takes_set;
    bool ends_early;  /* it reports what it has */
    bool may_be_over; /* when it is told */
} CALLS[] = {
    {"route", "router=replicate", NULL, true, false, false},
    {"route", "router=circulate", NULL, true, false, false},
    {"kernel", "side=64", "sort", false, false, false},
    {"stress", "router=stream", NULL, true, false, false},
    {"compare", "routers=stream,replicate", NULL, true, true, false},
    {"compare", "routers=stream,circulate best", NULL, true, false, false},
    {"search", "router=circulate tries=3 congestion=16", NULL, true, true, false},
    {"expander", "inputs=256 c=16 r=4", "check", false, false, false},
    {"plan", "scheme=dual", NULL, true, true, false},
    {"network", "scheme=dual", NULL, true, true, true},
    {"load", "topology=mesh:32x32 scheme=dual rate=0.001", NULL, false, true, true},
};
enum { CALL_COUNT = sizeof CALLS / sizeof *CALLS };

static struct meshcast_command *make(const struct call *call, const struct meshcast_set *set)
{
    struct meshcast_command *command =
        case_command(call->name, call->takes_set ? set : NULL, call->options);
    if (call->operand != NULL)
        ck_assert_int_eq(meshcast_command_add_operand(command, call->operand, NULL), MESHCAST_OK);
    return command;
}

/* every command ends at once if an interrupt was sent before, and runs when it is cleared */
START_TEST(sent_before)
{
    const struct call *call = &CALLS[_i];
    struct meshcast_set *set = case_gen("pattern=uniform side=8 degree=8 seed=5");
    struct meshcast_interrupt *sent = meshcast_interrupt_new();
    struct meshcast_error error = {0};
    struct meshcast_command *command = make(call, set);
    meshcast_command_set_interrupt(command, sent);
    meshcast_interrupt_send(sent);
    ck_assert(meshcast_interrupt_is_sent(sent));
    meshcast_report_free(case_run(command, &error));
    ck_assert_msg(error.status == MESHCAST_INTERRUPTED, "%d: %s", error.status, error.text);
    ck_assert_ptr_nonnull(strstr(error.text, "interrupted"));
    meshcast_interrupt_clear(sent);
    ck_assert(!meshcast_interrupt_is_sent(sent));
    command = make(call, set);
    meshcast_command_set_interrupt(command, sent);
    meshcast_report_free(case_run(command, NULL));
    meshcast_set_free(set);
    meshcast_interrupt_free(sent);
}
END_TEST

/* a signal during a run ends it: the handler sends, and the progress function raises the signal */
START_TEST(sent_by_handler)
{
    const struct call *call = &CALLS[_i];
    struct meshcast_set *set = case_gen("pattern=uniform side=32 degree=8 seed=5");
    struct meshcast_error error = {.text = ""};
    struct meshcast_command *command = make(call, set);
    int told = 0;
    interrupt = meshcast_interrupt_new();
    signal(SIGUSR1, handle);
    meshcast_command_set_interrupt(command, interrupt);
    meshcast_command_set_progress(command, progress, &told);
    if (meshcast_command_takes(command, "threads"))
        case_set_options(command, "threads=2", NULL);
    struct meshcast_report *report = case_run(command, &error);
    ck_assert_int_eq(told > 0, meshcast_interrupt_is_sent(interrupt));
    ck_assert_msg(call->may_be_over || told > 0, "it was told of nothing");
    if (!call->may_be_over)
        ck_assert_msg(error.status == MESHCAST_INTERRUPTED, "%d: %s", error.status, error.text);
    ck_assert(report == NULL || call->ends_early);
    meshcast_report_free(report);
    meshcast_set_free(set);
    meshcast_interrupt_free(interrupt);
}
END_TEST

/* Sends the interrupt when router `replicate` runs for the second time. */
static void send_at_second(void *context, uint64_t done, uint64_t all, const char *what)
{
    int *runs = context; /* of stream and replicate in turn, odd within one of replicate */
    (void)done, (void)all;
    if (what != NULL && strncmp(what, *runs % 2 == 0 ? "replicate" : "stream", 6) == 0 &&
        ++*runs == 3)
        meshcast_interrupt_send(interrupt);
}

/* a comparison of several sets reports all runs that were over */
START_TEST(compared_so_far)
{
    struct meshcast_set *set = case_gen("pattern=uniform side=32 degree=8 seed=5");
    struct meshcast_error error = {.text = ""};
    struct meshcast_command *command = case_command("compare", set, "routers=stream,replicate");
    int runs = 0;
    interrupt = meshcast_interrupt_new();
    ck_assert_int_eq(meshcast_command_give_set(command, set, NULL), MESHCAST_OK);
    meshcast_command_set_interrupt(command, interrupt);
    meshcast_command_set_progress(command, send_at_second, &runs);
    struct meshcast_report *report = case_run(command, &error);
    ck_assert_int_eq(error.status, MESHCAST_INTERRUPTED);
    ck_assert_ptr_nonnull(report);
    json_t *json = json_loads(meshcast_report_json(report), 0, NULL);
    ck_assert_uint_eq(json_array_size(json), 2);
    for (int i = 0; i < 2; i++)
        ck_assert_uint_eq(json_array_size(json_object_get(json_array_get(json, i), "runs")), 2 - i);
    ck_assert_ptr_nonnull(strstr(meshcast_report_text(report), "\nset 2  stream "));
    ck_assert_ptr_null(strstr(meshcast_report_text(report), "\nset 2  replicate "));
    json_decref(json);
    meshcast_report_free(report);
    meshcast_set_free(set);
    meshcast_interrupt_free(interrupt);
}
END_TEST

static int run_calls(void *context)
{
    struct meshcast_set *set = case_gen("pattern=uniform side=8 degree=8 seed=5");
    (void)context;
    for (int i = 0; i < CALL_COUNT; i++)
        meshcast_report_free(case_run(make(&CALLS[i], set), NULL));
    meshcast_set_free(set);
    return 0;
}

/* commands of several threads at once do not meet */
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

void library_interrupts_suite(TCase *tests)
{
    tcase_add_loop_test(tests, sent_before, 0, CALL_COUNT);
    tcase_add_loop_test(tests, sent_by_handler, 0, CALL_COUNT);
    tcase_add_test(tests, compared_so_far);
    tcase_add_test(tests, threads_at_once);
}
