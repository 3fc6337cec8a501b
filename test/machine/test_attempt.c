/* test_attempt.c - a machine in an attempt: its budget of steps, its room, what goes on after it.
 *
 * Counted by hand on a line of four nodes; traces are compared line by line.
 */
#include "machine/attempt.h"
#include "machine/channel.h"
#include "machine/expected.h"
#include "machine/forward.h"
#include "test/machine/inject_one.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *attempt_suite(void);

/* Packets go along a row to header.target, and rest there or are delivered. */
struct scene {
    struct machine *machine;
    bool delivers;
    char *text;
    size_t length;
    FILE *trace;
    struct expected_messages expected; /* what node 3 held before the second attempt */
};

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    const struct scene *scene = context;
    uint32_t target = machine_headers(scene->machine)->packet[packet].target;
    if (target == site.col)
        return scene->delivers ? OUT_EJECT : OUT_HOLD;
    return target > site.col ? OUT_EAST : OUT_WEST;
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct scene *scene = context;
    (void)site;
    (void)direction;
    return machine_headers(scene->machine)->packet[packet].target;
}

static unsigned class_of(void *context, uint32_t packet)
{
    (void)context;
    (void)packet;
    return 1;
}

static void open_scene(struct scene *scene, const struct machine_attempt *attempt, uint32_t slots,
                       uint32_t buffer)
{
    struct machine_config config = {.mesh = {1, 4},
                                    .slots = slots,
                                    .buffer = buffer,
                                    .threads = 1,
                                    .copy_is_free = true,
                                    .trace = scene->trace,
                                    .expected = &scene->expected,
                                    .attempt = attempt};
    scene->machine = machine_create(&config, NULL);
    ck_assert_ptr_nonnull(scene->machine);
}

/* Node 3 expects message 0. */
static void start_trace(struct scene *scene)
{
    ck_assert(expected_begin(&scene->expected, 0, 4));
    expected_count(&scene->expected, 3);
    ck_assert(expected_make_room(&scene->expected));
    expected_add(&scene->expected, 3, 0);
    scene->trace = open_memstream(&scene->text, &scene->length);
    ck_assert_ptr_nonnull(scene->trace);
}

static void end_scene(struct scene *scene)
{
    machine_free(scene->machine);
    fclose(scene->trace);
    expected_free(&scene->expected);
    free(scene->text);
}

/* Packet `packet`, of one slot, at `source`. */
static void inject(struct scene *scene, uint32_t packet, node_index source, uint32_t target)
{
    struct headers *header = machine_headers(scene->machine);
    header->packet[packet].first = packet;
    header->destination[packet] = place_of(0, 3);
    header->packet[packet].message = source;
    header->packet[packet].target = target;
    ck_assert_int_eq(inject_one(scene->machine, source, packet, NULL), FAIL_NONE);
}

static enum failure_kind run_for(struct scene *scene, bool in_channels, uint64_t limit)
{
    struct channel_rule rule = {.routing = {.context = scene, .outputs = outputs, .stop = stop},
                                .class_of = class_of,
                                .channels = CHANNELS_OF_BOTH,
                                .slots = 1};
    machine_begin_phase(scene->machine, "go");
    return in_channels ? machine_channel(scene->machine, &rule, true, limit, NULL)
                       : machine_forward(scene->machine, &rule.routing, true, limit, NULL);
}

static void expect_trace(struct scene *scene, const char *lines)
{
    fflush(scene->trace);
    const char *first = strstr(scene->text, "# phase");
    ck_assert_ptr_nonnull(first);
    ck_assert_str_eq(first, lines);
}

/* a node with no room for the third packet discards all three and remembers it; others do not know
 */
START_TEST(no_room)
{
    static const struct machine_attempt attempt = {.name = "first", .budget = 9, .discards = true};
    struct scene scene = {.delivers = false};
    start_trace(&scene);
    open_scene(&scene, &attempt, 3, 2);
    inject(&scene, 0, 0, 1);
    inject(&scene, 1, 1, 1);
    inject(&scene, 2, 2, 1);
    ck_assert_int_eq(run_for(&scene, false, 5), FAIL_NONE);
    expect_trace(&scene, "# phase first go\n"
                         "1 M 0 0 1\n1 M 2 2 1\n"
                         "1 R 1 1\n1 R 1 2\n1 R 1 0\n");
    for (node_index node = 0; node < 4; node++)
        ck_assert(machine_node_is_void(scene.machine, node) == (node == 1));
    ck_assert_uint_eq(machine_discarded(scene.machine), 3);
    ck_assert_uint_eq(machine_resting(scene.machine), 0);
    ck_assert_uint_eq(machine_counts(scene.machine)->peak, 1);
    end_scene(&scene);
}
END_TEST

/* in an attempt that does not discard an overflow is an overflow */
START_TEST(last_attempt_overflows)
{
    static const struct machine_attempt attempt = {.name = "last"};
    struct scene scene = {.delivers = false};
    start_trace(&scene);
    open_scene(&scene, &attempt, 2, 1);
    inject(&scene, 0, 0, 1);
    inject(&scene, 1, 1, 1);
    ck_assert_int_eq(run_for(&scene, false, 5), FAIL_CHECK);
    end_scene(&scene);
}
END_TEST

/* the steps of a budget are taken to the last and no further, in queues and in channels; what is
 * left is given up; the next attempt goes on with clock, phases and numbers, and does not deliver
 * what a node holds */
START_TEST(steps_are_spent)
{
    static const struct machine_attempt first = {.name = "first", .budget = 2};
    struct scene scene = {.delivers = true};
    start_trace(&scene);
    open_scene(&scene, &first, 1, 9);
    inject(&scene, 0, 0, 3);
    ck_assert_int_eq(run_for(&scene, _i, 7), FAIL_VOID);
    ck_assert_int_eq(run_for(&scene, _i, 7), FAIL_VOID);
    ck_assert_uint_eq(machine_counts(scene.machine)->steps, 2);
    ck_assert(machine_node_is_void(scene.machine, 2));
    machine_give_up(scene.machine);

    struct machine *before = scene.machine;
    struct machine_attempt second = {.before = before, .name = "second", .budget = 5};
    scene.expected.came[0] = 1;
    open_scene(&scene, &second, 1, 9);
    machine_free(before);
    machine_begin_phase(scene.machine, "inject");
    machine_idle(scene.machine, 1);
    inject(&scene, 0, 0, 3);
    ck_assert_int_eq(run_for(&scene, _i, 7), FAIL_NONE);
    expect_trace(&scene, "# phase first go\n"
                         "1 M 0 0 1\n2 M 0 1 2\n"
                         "# phase first go\n"
                         "2 R 2 0\n"
                         "# phase second inject\n"
                         "3 I 0 2 0\n"
                         "# phase second go\n"
                         "4 M 2 0 1\n5 M 2 1 2\n6 M 2 2 3\n6 R 3 2\n");
    ck_assert_uint_eq(machine_counts(scene.machine)->delivered, 0);
    ck_assert_uint_eq(scene.expected.wrong, 0);
    ck_assert_uint_eq(machine_phases(scene.machine), 3);
    ck_assert_uint_eq(machine_steps_left(scene.machine), 1);
    end_scene(&scene);
}
END_TEST

Suite *attempt_suite(void)
{
    Suite *suite = suite_create("attempt");
    TCase *tests = tcase_create("attempt");
    tcase_add_test(tests, no_room);
    tcase_add_test(tests, last_attempt_overflows);
    tcase_add_loop_test(tests, steps_are_spent, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}
