/* test_endless.c - runs that would go on forever end as failures.
 *
 * A packet goes to and fro on a mesh of 1 x 4 (or round a ring of 2 x 2) and never comes to rest. Each
 * instruction in which that can happen must end with FAIL_CHECK when the steps are spent that no run
 * may take; so must the frames of routers and of kernels, which set that number. Copies without end
 * within a step are an assertion. No clock but the machine's ends anything here.
 */
#include "machine/channel.h"
#include "machine/forward.h"
#include "machine/word.h"
#include "primitives/kernel_row.h"
#include "primitives/synchronise.h"
#include "routers/routing.h"
#include "test/machine/inject_one.h"
#include "test/router_case.h"
#include "test/tests_fork.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>

Suite *endless_suite(void);

enum { COLS = 4, MOST_STEPS = 200 };

/* ---- a packet that never rests ---- */

static unsigned swing_outputs(void *context, struct site site, uint32_t packet)
{
    struct headers *header = context;
    uint8_t *is_back = &header->packet[packet].state;
    *is_back = site.col == 0 ? 0 : site.col == COLS - 1 ? 1 : *is_back;
    return *is_back ? OUT_WEST : OUT_EAST;
}

static uint32_t swing_stop(void *context, struct site site, uint32_t packet, enum direction to)
{
    (void)context, (void)site, (void)packet;
    return to == EAST ? COLS - 1 : 0;
}

static unsigned one_class(void *context, uint32_t packet)
{
    (void)context, (void)packet;
    return 1;
}

static struct routing_rule swing(struct machine *machine)
{
    return (struct routing_rule){
        .context = machine_headers(machine), .outputs = swing_outputs, .stop = swing_stop};
}

/* The first packet of all; where it is to go matters to nobody. */
static void inject(struct machine *machine)
{
    struct headers *header = machine_headers(machine);
    header->packet[0].first = 0;
    header->destination[0] = MACHINE_NO_PLACE;
    ck_assert_int_eq(inject_one(machine, 0, 0, NULL), FAIL_NONE);
    machine_begin_phase(machine, "to and fro");
}

/* ---- instructions ---- */

static enum failure_kind forward(struct machine *machine, struct failure *failure)
{
    struct routing_rule rule = swing(machine);
    return machine_forward(machine, &rule, true, UINT64_MAX, failure);
}

static enum failure_kind channel(struct machine *machine, struct failure *failure)
{
    struct channel_rule rule = {
        .routing = swing(machine), .class_of = one_class, .channels = CHANNELS_OF_BOTH, .slots = 2};
    return machine_channel(machine, &rule, false, UINT64_MAX, failure);
}

static enum failure_kind rounds(struct machine *machine, struct failure *failure)
{
    struct routing_rule rule = swing(machine);
    return forward_in_rounds(machine, &rule, "to and fro", (struct rounds){7, 3}, failure);
}

/* Far behind the end, where loops here end, too. */
static bool is_late(struct machine *machine)
{
    return machine_counts(machine)->steps > 2 * MOST_STEPS;
}

/* Phases of known lengths, one behind the other: no packet sets out, and none ends. */
static enum failure_kind waves(struct machine *machine, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    struct routing_rule rule = swing(machine);
    while (kind == FAIL_NONE && !is_late(machine)) {
        machine_idle(machine, 5);
        kind = machine_forward(machine, &rule, false, 5, failure);
    }
    return kind;
}

static enum failure_kind synchronisations(struct machine *machine, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    bool busy;
    while (kind == FAIL_NONE && !is_late(machine))
        kind = synchronise(machine, 1, &busy, failure);
    return kind;
}

static enum failure_kind (*const CALLS[])(struct machine *machine, struct failure *failure) = {
    forward, channel, rounds, waves, synchronisations};
enum { CALL_COUNT = sizeof CALLS / sizeof *CALLS };

static void see_nothing(void *context, uint64_t step, const struct machine_event *event,
                        size_t count)
{
    (void)context, (void)step, (void)event, (void)count;
}

static void see_no_phase(void *context, uint64_t step, const char *name)
{
    (void)context, (void)step, (void)name;
}

/* What an instruction does that is asked once more behind the end. */
static void expect_spent(struct machine *machine)
{
    for (int i = 0; i < CALL_COUNT; i++) {
        struct failure again = {0};
        uint64_t steps = machine_counts(machine)->steps;
        if (CALLS[i] != forward && CALLS[i] != channel)
            continue;
        ck_assert_int_eq(CALLS[i](machine, &again), FAIL_CHECK);
        ck_assert_uint_eq(machine_counts(machine)->steps, steps);
    }
    ck_assert_int_eq(machine_prepare_words(machine, NULL), FAIL_CHECK);
}

/* Every instruction, observed and not, on one thread and on two, ends with the status and the text; on
 * the step behind the last one that is allowed where it looks at each. */
START_TEST(instructions)
{
    const struct machine_observer observer = {NULL, see_nothing, see_no_phase, NULL};
    for (uint32_t variant = 0; variant < 8; variant++) {
        struct failure failure = {0};
        struct machine_config config = {.mesh = {2, COLS},
                                        .slots = 2,
                                        .copy_is_free = variant & 1,
                                        .threads = variant & 2 ? 2 : 1,
                                        .most_steps = MOST_STEPS,
                                        .observer = variant & 4 ? &observer : NULL};
        struct machine *machine = machine_create(&config, NULL);
        inject(machine);
        ck_assert_int_eq(CALLS[_i](machine, &failure), FAIL_CHECK);
        ck_assert_ptr_nonnull(strstr(failure.text, "no end after 20"));
        ck_assert_ptr_nonnull(strstr(failure.text, "takes more than 200"));
        if (CALLS[_i] == forward || CALLS[_i] == channel)
            ck_assert_uint_eq(machine_counts(machine)->steps, MOST_STEPS + 1);
        ck_assert_uint_le(machine_counts(machine)->steps, MOST_STEPS + 20);
        expect_spent(machine);
        machine_free(machine);
    }
}
END_TEST

/* A run that takes just as many steps as it may is none of these. */
START_TEST(last_step)
{
    for (uint64_t steps = 3; steps <= 4; steps++) {
        struct machine_config config = {
            .mesh = {1, COLS}, .slots = 1, .threads = 1, .most_steps = steps - 1};
        struct machine *machine = machine_create(&config, NULL);
        struct routing_rule rule = swing(machine);
        inject(machine);
        enum failure_kind kind = machine_forward(machine, &rule, true, 3, NULL);
        ck_assert_int_eq(kind, steps == 3 ? FAIL_CHECK : FAIL_NONE);
        ck_assert_uint_eq(machine_counts(machine)->steps, 3);
        machine_free(machine);
    }
}
END_TEST

/* ---- copies without end ---- */

static unsigned copied_outputs(void *context, struct site site, uint32_t packet)
{
    (void)context, (void)site, (void)packet;
    return OUT_EJECT | OUT_EAST;
}

static uint32_t copied_take(void *context, struct site site, uint32_t packet, enum output output)
{
    (void)context, (void)site, (void)output;
    return packet - 1;
}

/* A packet of which parts are split off in one step without end stops the program. */
START_TEST(copies_in_a_step)
{
    struct machine_config config = {
        .mesh = {1, COLS}, .slots = 2, .threads = 1, .copy_is_free = true};
    struct machine *machine = machine_create(&config, NULL);
    struct headers *header = machine_headers(machine);
    struct routing_rule rule = {
        .context = header, .outputs = copied_outputs, .take = copied_take, .stop = swing_stop};
    header->destination[0] = header->destination[1] = 1;
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
    inject_one(machine, 0, 1, NULL);
    machine_begin_phase(machine, "copies");
    machine_forward(machine, &rule, true, UINT64_MAX, NULL);
}
END_TEST

/* ---- frames ---- */

static enum failure_kind endless_route(struct routing *routing, struct failure *failure)
{
    enum failure_kind kind = routing_start(routing, 0, NULL, failure);
    if (kind != FAIL_NONE)
        return kind;
    machine_begin_phase(routing->machine, "to and fro");
    return forward(routing->machine, failure);
}

/* A router of the table's kind, with a known congestion and in the last of its attempts. */
START_TEST(routers)
{
    static const struct parameter_spec NO_SPECS[] = {{.name = NULL}};
    static const struct router_method method = {
        {"endless", "goes to and fro", ""}, NO_SPECS, endless_route, NULL, false, NULL, NULL};
    struct router_case run = {.router = &method.shown};
    struct message_set set;
    struct router_result result;
    struct failure failure = {0};
    router_case_set(&set, "mcast 1 1 4\n0 3\n");
    ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &failure), FAIL_CHECK);
    ck_assert_ptr_nonnull(strstr(failure.text, "no end after "));
    ck_assert_uint_lt(result.steps, 200000);
    message_set_free(&set);
}
END_TEST

static struct attempt_limits no_limits(const struct routing *routing)
{
    (void)routing;
    return (struct attempt_limits){0};
}

/* The same in the last of attempts, which has no budget. */
START_TEST(attempts)
{
    static const struct parameter_spec NO_SPECS[] = {{.name = NULL}};
    static const struct router_method method = {
        {"endless", "goes to and fro", ""}, NO_SPECS, endless_route, no_limits, false, NULL, NULL};
    struct router_case run = {.router = &method.shown, .congestion_is_unknown = true};
    struct message_set set;
    struct router_result result;
    struct failure failure = {0};
    router_case_set(&set, "mcast 1 1 4\n0 3\n");
    ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &failure), FAIL_CHECK);
    ck_assert_ptr_nonnull(strstr(failure.text, "no end after "));
    message_set_free(&set);
}
END_TEST

static enum failure_kind endless_kernel(struct kernel_case *run, struct failure *failure)
{
    machine_begin_phase(run->machine, "to and fro");
    return forward(run->machine, failure);
}

/* A kernel of the table's kind. */
START_TEST(kernels)
{
    struct kernel_row row = kernel_route_row;
    struct kernel_options options = kernel_options_default();
    struct kernel_result result;
    struct failure failure = {0};
    options.mesh = (struct mesh){1, COLS};
    row.run = endless_kernel;
    ck_assert_int_eq(kernel_run_row(&row, &options, &result, &failure), FAIL_CHECK);
    ck_assert_ptr_nonnull(strstr(failure.text, "no end after "));
    ck_assert_uint_lt(result.counts.steps, 200000);
}
END_TEST

Suite *endless_suite(void)
{
    Suite *suite = suite_create("endless");
    TCase *tests = tcase_create("endless");
    tcase_add_loop_test(tests, instructions, 0, CALL_COUNT);
    tcase_add_test(tests, last_step);
    tcase_add_test(tests, routers);
    tcase_add_test(tests, attempts);
    tcase_add_test(tests, kernels);
    if (tests_fork())
        tcase_add_test_raise_signal(tests, copies_in_a_step, SIGABRT);
    suite_add_tcase(suite, tests);
    return suite;
}
