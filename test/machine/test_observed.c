/* test_observed.c - a run that somebody observes and one that nobody observes are the same run, on meshes
 * larger than those which suite `engines` draws.
 *
 * An observed run does one step of all rows at a time. Where nobody observes, a row goes through several
 * steps while it is in cache, and threads meet at the borders of their rows. After each call both runs must
 * have the same counts, peaks, deliveries and packets; so also where a buffer overflows within these steps.
 */
#include "base/pcg.h"
#include "machine/channel.h"
#include "machine/expected.h"
#include "machine/forward.h"
#include "test/length.h"
#include "test/machine/machine_run.h"

#include <check.h>
#include <stdlib.h>

Suite *observed_suite(void);

static const struct mesh MESHES[] = {{40, 70}, {70, 9}, {33, 64}, {5, 130}, {18, 18}};
enum { MESH_COUNT = sizeof MESHES / sizeof *MESHES };

static void note_events(void *context, uint64_t step, const struct machine_event *event,
                        size_t count)
{
    (void)context, (void)step, (void)event, (void)count;
}

static void note_phase(void *context, uint64_t step, const char *name)
{
    (void)context, (void)step, (void)name;
}

/* The same packets in an observed machine and in one that is not. */
struct pair {
    struct mesh mesh;
    struct expected_messages expected[2];
    struct machine_run run[2];
};

/* Draws a tree to three nodes that lie near each other. Returns whether it goes along rows first. */
static bool draw_tree(const struct pair *pair, struct pcg32 *random, node_index to[3])
{
    uint32_t nodes = mesh_nodes(pair->mesh), from = pcg32_below(random, nodes);
    to[0] = from;
    to[1] = (from + 1) % nodes;
    to[2] = (from + pair->mesh.cols) % nodes;
    return pcg32_below(random, 2);
}

/* Lists what inject() will draw. */
static void list_messages(const struct pair *pair, struct expected_messages *expected,
                          uint32_t slots, const struct pcg32 *random)
{
    ck_assert(expected_begin(expected, 0, mesh_nodes(pair->mesh)));
    for (int pass = 0; pass < 2; pass++) {
        struct pcg32 own = *random;
        for (uint32_t packet = 2; packet < slots; packet += 3) {
            node_index to[3];
            draw_tree(pair, &own, to);
            for (int i = 0; i < 3; i++)
                if (pass == 0)
                    expected_count(expected, to[i]);
                else
                    expected_add(expected, to[i], packet);
        }
        ck_assert(pass == 1 || expected_make_room(expected));
    }
}

static void start(struct pair *pair, struct machine_config config, const struct pcg32 *random)
{
    static const struct machine_observer observer = {.events = note_events, .phase = note_phase};
    *pair = (struct pair){.mesh = config.mesh};
    config.kernel = "test";
    for (int i = 0; i < 2; i++) {
        struct failure failure = {0};
        config.observer = i == 0 ? &observer : NULL;
        config.expected = &pair->expected[i];
        list_messages(pair, config.expected, config.slots, random);
        pair->run[i].machine = machine_create(&config, &failure);
        ck_assert_msg(pair->run[i].machine != NULL, "%s", failure.text);
    }
}

/* `trees` at each node. */
static void inject(struct pair *pair, uint32_t trees, struct pcg32 *random)
{
    uint32_t nodes = mesh_nodes(pair->mesh);
    for (uint32_t i = 0; i < nodes * trees; i++) {
        node_index to[3];
        bool rows_first = draw_tree(pair, random, to);
        for (int j = 0; j < 2; j++)
            run_inject(&pair->run[j], i / trees, 3, to, rows_first, NULL);
    }
    for (int j = 0; j < 2; j++)
        machine_begin_phase(pair->run[j].machine, "crowd");
}

/* Where packets are is not compared if the run has failed. */
static void check_same(const struct pair *pair, enum failure_kind kind)
{
    const struct machine *one = pair->run[0].machine, *other = pair->run[1].machine;
    uint32_t different = 0;
    run_check_same(one, other);
    ck_assert_uint_eq(machine_travelling(one), machine_travelling(other));
    ck_assert_uint_eq(machine_counts(one)->copies, machine_counts(other)->copies);
    ck_assert_uint_eq(machine_counts(one)->delivered, machine_counts(other)->delivered);
    for (node_index node = 0; kind == FAIL_NONE && node < mesh_nodes(pair->mesh); node++)
        different += machine_node_is_busy(one, node) != machine_node_is_busy(other, node);
    ck_assert_uint_eq(different, 0);
    ck_assert_uint_eq(pair->expected[0].wrong + pair->expected[1].wrong, 0);
    ck_assert_mem_eq(pair->expected[0].came, pair->expected[1].came, pair->run[0].slots);
}

static void end(struct pair *pair)
{
    for (int i = 0; i < 2; i++) {
        machine_free(pair->run[i].machine);
        expected_free(&pair->expected[i]);
        free(pair->run[i].asked.delivery);
    }
}

static struct machine_config config_of(struct mesh mesh, uint32_t trees, uint32_t i)
{
    return (struct machine_config){.mesh = mesh,
                                   .slots = 3 * trees * mesh_nodes(mesh),
                                   .threads = 1 + i % 3,
                                   .copy_is_free = i / 3 % 2};
}

/* ---- queues ---- */

static uint32_t some_urgency(void *context, struct site site, uint32_t packet, enum direction d)
{
    (void)context, (void)site;
    return pcg32_at(5, d, packet) % 4;
}

/* Returns what both machines return. */
static enum failure_kind forward(struct pair *pair, bool is_urgent, bool wake, uint64_t limit)
{
    enum failure_kind kind[2];
    for (int i = 0; i < 2; i++) {
        struct routing_rule rule = run_plain_rule(&pair->run[i]);
        rule.urgency = is_urgent ? some_urgency : NULL;
        kind[i] = machine_forward(pair->run[i].machine, &rule, wake, limit, NULL);
    }
    ck_assert_int_eq(kind[0], kind[1]);
    check_same(pair, kind[0]);
    return kind[0];
}

/* calls of any length, with urgencies and without, while packets of both are under way */
START_TEST(queues)
{
    for (uint32_t i = 0; i < (TEST_IS_SHORT ? 3 : 18); i++) {
        struct pair pair;
        struct pcg32 random = pcg32_seed(i, 80 + (uint64_t)_i);
        uint32_t trees = 1 + i % 4;
        bool has_urgencies = i % 3 == 1;
        start(&pair, config_of(MESHES[_i], trees, i), &random);
        inject(&pair, trees, &random);
        for (bool wake = true; wake || machine_travelling(pair.run[0].machine) > 0; wake = false)
            forward(&pair, has_urgencies && pcg32_below(&random, 3) == 0, wake,
                    i % 3 == 2 ? UINT64_MAX : 8 + pcg32_below(&random, 20));
        ck_assert_uint_eq(machine_counts(pair.run[1].machine)->delivered, pair.run[1].slots);
        end(&pair);
    }
}
END_TEST

/* a run ends with the step in which a buffer overflows, and nothing is delivered after it */
START_TEST(queues_overflow)
{
    uint32_t overflows = 0;
    for (uint32_t buffer = 2; buffer < 40; buffer += TEST_IS_SHORT ? 12 : 3) {
        struct pair pair;
        struct pcg32 random = pcg32_seed(buffer, 90 + (uint64_t)_i);
        struct machine_config config = config_of(MESHES[_i], 2, buffer);
        config.buffer = buffer;
        start(&pair, config, &random);
        inject(&pair, 2, &random);
        overflows += forward(&pair, false, true, UINT64_MAX) == FAIL_CHECK;
        end(&pair);
    }
    ck_assert_uint_gt(overflows, 0);
}
END_TEST

/* ---- channels ---- */

static void switch_class(void *context, struct site site, uint32_t packet)
{
    struct headers *header = context;
    (void)site;
    header->packet[packet].state ^= 1; /* bit 0: rows first */
}

static enum failure_kind channel(struct pair *pair, uint32_t i, uint64_t limit)
{
    enum failure_kind kind[2];
    for (int j = 0; j < 2; j++) {
        struct channel_rule rule = {.routing = run_plain_rule(&pair->run[j]),
                                    .class_of = run_plain_class,
                                    .channels = i / 5 % 2 ? CHANNELS_SHARED : CHANNELS_OF_BOTH,
                                    .slots = 1 + i / 4 % 3,
                                    .switch_class = i / 3 % 2 ? switch_class : NULL};
        kind[j] = machine_channel(pair->run[j].machine, &rule, true, limit, NULL);
    }
    ck_assert_int_eq(kind[0], kind[1]);
    check_same(pair, kind[0]);
    return kind[0];
}

/* channels of one slot and more, classes that are switched */
START_TEST(channels)
{
    for (uint32_t i = (uint32_t)_i; i < (TEST_IS_SHORT ? 10u : 40u); i += MESH_COUNT) {
        struct pair pair;
        struct pcg32 random = pcg32_seed(i, 62);
        start(&pair, config_of(MESHES[_i], 1 + i % 2, i), &random);
        inject(&pair, 1 + i % 2, &random);
        const struct machine *one = pair.run[0].machine;
        while (machine_travelling(one) + machine_resting(one) > 0)
            channel(&pair, i, 8 + pcg32_below(&random, 30));
        ck_assert_uint_eq(machine_counts(one)->delivered, pair.run[0].slots);
        end(&pair);
    }
}
END_TEST

/* as queues_overflow */
START_TEST(channels_overflow)
{
    uint32_t overflows = 0;
    for (uint32_t i = 0; i < (TEST_IS_SHORT ? 6 : 24); i++) {
        struct pair pair;
        struct pcg32 random = pcg32_seed(i, 63);
        struct machine_config config = config_of(MESHES[0], 1, i);
        config.buffer = 3 + i / 3;
        start(&pair, config, &random);
        inject(&pair, 1, &random);
        overflows += channel(&pair, i % 4, UINT64_MAX) == FAIL_CHECK;
        end(&pair);
    }
    ck_assert_uint_gt(overflows, 0);
}
END_TEST

Suite *observed_suite(void)
{
    Suite *suite = suite_create("observed");
    TCase *tests = tcase_create("observed");
    tcase_add_loop_test(tests, queues, 0, MESH_COUNT);
    tcase_add_loop_test(tests, queues_overflow, 0, MESH_COUNT);
    tcase_add_loop_test(tests, channels, 0, MESH_COUNT);
    tcase_add_test(tests, channels_overflow);
    suite_add_tcase(suite, tests);
    return suite;
}
