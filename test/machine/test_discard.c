/* test_discard.c - packets that end without a delivery: in channels, and their names in the trace.
 *
 * Small runs by hand; traces are compared line by line, and audited.
 */
#include "machine/channel.h"
#include "primitives/synchronise.h"
#include "test/machine/machine_run.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *discard_suite(void);

/* What packets do: they go east to node 3 and end there without a delivery; or see below. */
enum stage { GO, DISCARD, COPY, REST };

struct scene {
    struct machine_run run;
    enum stage stage;
};

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    const struct scene *scene = context;
    if (scene->stage == COPY)
        return packet == 1 ? OUT_EAST | OUT_HOLD : OUT_HOLD;
    if (scene->stage == DISCARD)
        return packet == 0 ? OUT_DISCARD : OUT_HOLD;
    return site.col < 3 ? OUT_EAST : OUT_DISCARD;
}

/* The copy gets the name of the packet that was discarded. */
static uint32_t take(void *context, struct site site, uint32_t packet, enum output output)
{
    struct scene *scene = context;
    struct headers *header = machine_headers(scene->run.machine);
    (void)site;
    (void)output;
    scene->stage = REST;
    header->packet[0].first = 0;
    header->destination[0] = header->destination[packet];
    return 0;
}

static unsigned outputs_once(void *context, struct site site, uint32_t packet)
{
    const struct scene *scene = context;
    return scene->stage != REST ? outputs(context, site, packet) : OUT_HOLD;
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct scene *scene = context;
    (void)packet;
    (void)direction;
    return scene->stage == GO ? 3 : site.col + 1;
}

static unsigned class_of(void *context, uint32_t packet)
{
    (void)context;
    (void)packet;
    return 1;
}

static void expect(struct scene *scene, const char *lines)
{
    char *text = run_text(&scene->run), *first = strstr(text, "\n1 ");
    ck_assert_ptr_nonnull(first);
    ck_assert_str_eq(first + 1, lines);
    free(text);
    run_audit(&scene->run);
}

/* a packet that has nothing to deliver at its stop in a channel is gone, with an R in the trace;
 * and while packets wait in channels their nodes are busy, which a synchronisation finds out */
START_TEST(channel_discards)
{
    struct scene scene = {.stage = GO};
    static const node_index end = 3;
    struct failure failure = {0};
    bool busy = false;
    run_start(&scene.run, 1, 4,
              (struct machine_config){.slots = 2, .buffer = 9, .copy_is_free = _i});
    struct machine *machine = scene.run.machine;
    run_inject(&scene.run, 1, 1, &end, true, &failure);
    run_inject(&scene.run, 0, 1, &end, true, &failure);
    struct channel_rule rule = {.routing = {.context = &scene, .outputs = outputs, .stop = stop},
                                .class_of = class_of,
                                .channels = CHANNELS_OF_BOTH,
                                .slots = 1};
    machine_begin_phase(machine, "go");
    ck_assert_int_eq(machine_channel(machine, &rule, true, 2, &failure), FAIL_NONE);
    for (node_index node = 0; node < 4; node++) /* the channel of 2 was full */
        ck_assert(machine_node_is_busy(machine, node) == (node == 1));
    ck_assert_int_eq(synchronise(machine, 0, &busy, &failure), FAIL_NONE);
    ck_assert(busy);
    machine_begin_phase(machine, "go");
    ck_assert_int_eq(machine_channel(machine, &rule, true, 3, &failure), FAIL_NONE);
    ck_assert_int_eq(synchronise(machine, 0, &busy, &failure), FAIL_NONE);
    ck_assert(!busy);
    ck_assert_uint_eq(machine_travelling(machine), 0);
    ck_assert_uint_eq(machine_counts(machine)->delivered, 0);
    char *text = run_text(&scene.run);
    ck_assert_ptr_nonnull(strstr(text, "2 R 3 0\n"));
    ck_assert_ptr_nonnull(strstr(text, " R 3 1\n"));
    free(text);
    run_audit(&scene.run);
    run_end(&scene.run);
}
END_TEST

/* a copy that is named like a packet that was discarded has another number in the trace: the name
 * and the number of names */
START_TEST(names_serve_again)
{
    struct scene scene = {.stage = DISCARD};
    static const node_index end = 1;
    struct failure failure = {0};
    run_start(&scene.run, 1, 2, (struct machine_config){.slots = 2, .copy_is_free = true});
    struct machine *machine = scene.run.machine;
    run_inject(&scene.run, 0, 1, &end, true, &failure);
    run_inject(&scene.run, 0, 1, &end, true, &failure);
    struct routing_rule rule = {
        .context = &scene, .outputs = outputs_once, .take = take, .stop = stop};
    machine_begin_phase(machine, "go");
    ck_assert_int_eq(forward_wave(machine, &rule, 1, &failure), FAIL_NONE);
    scene.stage = COPY;
    ck_assert_int_eq(forward_wave(machine, &rule, 1, &failure), FAIL_NONE);
    expect(&scene, "1 R 0 0\n"
                   "2 C 0 1 2\n"
                   "2 M 2 0 1\n");
    run_end(&scene.run);
}
END_TEST

Suite *discard_suite(void)
{
    Suite *suite = suite_create("discard");
    TCase *tests = tcase_create("discard");
    tcase_add_loop_test(tests, channel_discards, 0, 2);
    tcase_add_test(tests, names_serve_again);
    suite_add_tcase(suite, tests);
    return suite;
}
