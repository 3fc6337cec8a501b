/* test_channel_unwatched.c - bounded channels, many packets at once: where nobody watches, packets
 * that go straight on glide; where somebody does, they are handed from node to node. The same scenes
 * run both ways must end in the same way.
 */
#include "base/pcg.h"
#include "test/machine/channel_scene.h"

#include <check.h>
#include <stdlib.h>

Suite *channel_unwatched_suite(void);

static void look_away(void *context, uint64_t step, const struct machine_event *event, size_t count)
{
    (void)context, (void)step, (void)event, (void)count;
}

static void no_phase(void *context, uint64_t step, const char *name)
{
    (void)context, (void)step, (void)name;
}

static void turn(void *context, struct site site, uint32_t packet)
{
    struct headers *header = context;
    (void)site;
    header->packet[packet].state ^= 1; /* bit 0: rows first */
}

/* Each node has a tree to up to `most` different nodes, 4 at most. */
static void inject_all(struct machine_run *run, uint32_t most, struct pcg32 *random)
{
    uint32_t nodes = mesh_nodes(machine_config(run->machine)->mesh);
    for (node_index source = 0; source < nodes; source++) {
        node_index to[4];
        uint32_t count = 1 + pcg32_below(random, most), start = pcg32_below(random, nodes);
        for (uint32_t i = 0; i < count; i++)
            to[i] = (start + i * (nodes / 4 + 1)) % nodes;
        run_inject(run, source, count, to, pcg32_below(random, 2), NULL);
    }
}

/* A crowd of packets that rest, and the rule for them. */
static struct machine_run start_crowd(const struct channel_setting *setting, uint32_t buffer,
                                      uint64_t seed, bool watched, struct channel_rule *rule)
{
    static const struct machine_observer observer = {.events = look_away, .phase = no_phase};
    struct failure failure = {0};
    struct pcg32 random = pcg32_seed(seed, 62);
    struct machine_config config = {.mesh = {setting->rows, setting->cols},
                                    .slots = setting->packet_slots,
                                    .threads = setting->threads,
                                    .buffer = buffer,
                                    .copy_is_free = setting->copy_is_free,
                                    .observer = watched ? &observer : NULL,
                                    .kernel = "test"};
    struct machine_run run = {.machine = machine_create(&config, &failure)};
    ck_assert_msg(run.machine != NULL, "%s", failure.text);
    inject_all(&run, seed % 3 == 0 ? 1 : 4, &random);
    *rule = (struct channel_rule){.routing = run_plain_rule(&run),
                                  .class_of = run_plain_class,
                                  .channels = channel_count(setting),
                                  .slots = setting->slots,
                                  .spare = setting->spare,
                                  .switch_class = setting->turns ? turn : NULL};
    machine_begin_phase(run.machine, "channels");
    return run;
}

/* Runs a crowd in instructions of a few steps each, `buffer` packets at a node at most; 0: any number.
 * A buffer that overflows ends the run. */
static struct machine *run_crowd(const struct channel_setting *setting, uint32_t buffer,
                                 uint64_t seed, bool watched)
{
    struct failure failure = {0};
    struct channel_rule rule;
    struct machine_run run = start_crowd(setting, buffer, seed, watched, &rule);
    enum failure_kind kind = FAIL_NONE;
    for (uint64_t limit = 1;
         kind == FAIL_NONE && machine_resting(run.machine) + machine_travelling(run.machine) > 0;
         limit = limit % 5 + 1)
        kind = machine_channel(run.machine, &rule, true, 7 * limit, &failure);
    ck_assert(kind == FAIL_NONE || (buffer > 0 && kind == FAIL_CHECK));
    if (kind == FAIL_NONE)
        ck_assert_uint_eq(machine_counts(run.machine)->delivered, run.slots);
    return run.machine;
}

/* Frees both machines. */
static void check_same(struct machine *slow, struct machine *fast)
{
    run_check_same(slow, fast);
    ck_assert_uint_eq(machine_counts(slow)->copies, machine_counts(fast)->copies);
    for (uint32_t slot = 0; slot < machine_config(slow)->slots; slot++)
        ck_assert_uint_eq(machine_delivered_at(slow, slot), machine_delivered_at(fast, slot));
    machine_free(slow);
    machine_free(fast);
}

/* the same steps, hops, copies, peaks and places, with many packets a block and with few, for one
 * slot and more, spare ones, turns, and any number of threads */
START_TEST(as_if_watched)
{
    static const uint32_t cols[] = {64, 100, 17, 130};
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t rows = 2 + i % 7, nodes = rows * cols[i % 4];
        struct channel_setting setting = {.rows = i % 8 < 6 ? rows : cols[i % 4],
                                          .cols = i % 8 < 6 ? cols[i % 4] : rows,
                                          .packet_slots = 4 * nodes,
                                          .slots = 1 + i / 4 % 3,
                                          .threads = 1 + i % 3,
                                          .copy_is_free = i / 2 % 2,
                                          .spare = i / 8 % 3,
                                          .turns = i / 3 % 2,
                                          .channels = i / 5 % 2 ? CHANNELS_SHARED : 0};
        check_same(run_crowd(&setting, 0, i, true), run_crowd(&setting, 0, i, false));
    }
}
END_TEST

/* Runs a crowd for `steps` steps, and lets it rest. */
static struct machine *run_halted(const struct channel_setting *setting, uint64_t steps,
                                  uint64_t seed, bool watched)
{
    struct channel_rule rule;
    struct machine_run run = start_crowd(setting, 0, seed, watched, &rule);
    struct machine *machine = run.machine;
    ck_assert_int_eq(machine_channel(machine, &rule, true, steps, NULL), FAIL_NONE);
    uint64_t held = machine_travelling(machine) + machine_resting(machine), found = 0;
    machine_channel_halt(machine);
    ck_assert_uint_eq(machine_travelling(machine), 0);
    ck_assert_uint_eq(machine_resting(machine), held);
    for (node_index node = 0; node < mesh_nodes(machine_config(machine)->mesh); node++) {
        uint32_t packet = machine_first_resting(machine, node);
        for (; packet != MACHINE_NONE; packet = machine_next_resting(machine, packet))
            found++;
        ck_assert(!machine_node_is_busy(machine, node));
    }
    ck_assert_uint_eq(found, held);
    return machine;
}

/* what is under way comes to rest at the same nodes in the same order whoever watches; and from there
 * everything is delivered once */
START_TEST(halted_as_if_watched)
{
    static const uint32_t cols[] = {64, 17, 130};
    for (uint32_t i = 0; i < 36; i++) {
        struct channel_setting setting = {.rows = 2 + i % 7,
                                          .cols = cols[i % 3],
                                          .packet_slots = 4 * (2 + i % 7) * cols[i % 3],
                                          .slots = 1 + i / 4 % 3,
                                          .threads = 1 + i % 3,
                                          .copy_is_free = i / 2 % 2,
                                          .spare = i / 8 % 3,
                                          .turns = i / 3 % 2,
                                          .channels = i / 5 % 2 ? CHANNELS_SHARED : 0};
        struct machine *slow = run_halted(&setting, 1 + i % 13, i, true);
        struct machine *fast = run_halted(&setting, 1 + i % 13, i, false);
        run_check_same(slow, fast);
        for (int is_fast = 0; is_fast < 2; is_fast++) {
            struct machine_run run = {.machine = is_fast ? fast : slow};
            struct channel_rule rule = {.routing = run_plain_rule(&run),
                                        .class_of = run_plain_class,
                                        .channels = channel_count(&setting),
                                        .slots = setting.slots,
                                        .spare = setting.spare,
                                        .switch_class = setting.turns ? turn : NULL};
            ck_assert_int_eq(machine_channel(run.machine, &rule, true, UINT64_MAX, NULL),
                             FAIL_NONE);
            ck_assert_uint_eq(machine_resting(run.machine), 0);
        }
        check_same(slow, fast);
    }
}
END_TEST

/* a run stops at the step in which a buffer overflows, and nothing is delivered after it, also where
 * rows have gone through some steps more; one thread and several */
START_TEST(overflow)
{
    uint32_t overflows = 0;
    for (uint32_t i = 0; i < 24; i++) {
        struct channel_setting setting = {.rows = 40,
                                          .cols = 70,
                                          .packet_slots = 4 * 40 * 70,
                                          .slots = 1 + i % 2,
                                          .threads = 1 + i % 3,
                                          .copy_is_free = i / 2 % 2,
                                          .spare = i % 2};
        struct machine *slow = run_crowd(&setting, 3 + i / 3, i, true);
        overflows += machine_resting(slow) + machine_travelling(slow) > 0;
        check_same(slow, run_crowd(&setting, 3 + i / 3, i, false));
    }
    ck_assert_uint_gt(overflows, 8);
}
END_TEST

Suite *channel_unwatched_suite(void)
{
    Suite *suite = suite_create("channel_unwatched");
    TCase *tests = tcase_create("channel_unwatched");
    tcase_add_test(tests, as_if_watched);
    tcase_add_test(tests, halted_as_if_watched);
    tcase_add_test(tests, overflow);
    suite_add_tcase(suite, tests);
    return suite;
}
