/* test_channel.c - bounded channels with credits: hand-counted runs, hot spots, no deadlock.
 *
 * The packets are plain trees of test/machine_run.c, class 1 along rows first, class 0 along
 * columns first. The capacity that the machine states for its channels is set as the buffer of
 * every run, so it is enforced at the end of each step; the audit sees it once more.
 */
#include "machine/machine.h"

#include "machine/pcg.h"
#include "test/machine_run.h"

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

Suite *channel_suite(void);

struct setting {
    uint32_t rows, cols, packet_slots, slots, threads;
    bool copy_is_free;
};

static void start(struct machine_run *run, const struct setting *setting)
{
    run_start(run, setting->rows, setting->cols,
              (struct machine_config){
                  .slots = setting->packet_slots,
                  .threads = setting->threads,
                  .copy_is_free = setting->copy_is_free,
                  .buffer = machine_channel_capacity(setting->slots, setting->copy_is_free)});
}

/* Runs all packets to their ends and checks deliveries, capacity and rules. */
static void finish(struct machine_run *run, const struct setting *setting)
{
    struct failure failure = {0};
    struct channel_rule rule = {
        .routing = run_plain_rule(run), .class_of = run_plain_class, .slots = setting->slots};
    machine_begin_phase(run->machine, "channels");
    enum failure_kind kind = machine_channel(run->machine, &rule, true, UINT64_MAX, &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
    const struct headers *header = machine_headers(run->machine);
    uint32_t wrong = 0;
    for (uint32_t slot = 0; slot < run->slots; slot++)
        wrong += machine_delivered_at(run->machine, slot) != header->destination[slot];
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_eq(machine_doubled(run->machine), 0);
    ck_assert_uint_eq(machine_counts(run->machine)->delivered, run->slots);
    ck_assert_uint_eq(machine_travelling(run->machine) + machine_resting(run->machine), 0);
    ck_assert_uint_le(machine_counts(run->machine)->peak,
                      machine_channel_capacity(setting->slots, setting->copy_is_free));
    run_audit(run);
}

static void expect_counts(const struct machine_run *run, uint64_t steps, uint64_t hops,
                          uint64_t copies)
{
    const struct machine_counts *counts = machine_counts(run->machine);
    ck_assert_uint_eq(counts->steps, steps);
    ck_assert_uint_eq(counts->packet_hops, hops);
    ck_assert_uint_eq(counts->copies, copies);
}

/* eight channels, the injected packet, three copies in registers where copies cost a step */
START_TEST(capacity)
{
    ck_assert_uint_eq(machine_channel_capacity(1, true), 9);
    ck_assert_uint_eq(machine_channel_capacity(2, true), 17);
    ck_assert_uint_eq(machine_channel_capacity(1, false), 12);
    ck_assert_uint_eq(machine_channel_capacity(255, false), 2044);
}
END_TEST

/* three packets in a row to its end. Two slots: each moves in every step, 3 steps. One slot: the
 * last waits in step 2 for a channel that was full at the end of step 1, and needs 4 */
START_TEST(credits_by_hand)
{
    for (uint32_t slots = 1; slots <= 3; slots++) {
        struct machine_run run;
        struct setting setting = {1, 4, 3, slots, 1, false};
        static const node_index end = 3;
        start(&run, &setting);
        for (node_index node = 0; node < 3; node++)
            run_inject(&run, node, 1, &end, true, NULL);
        finish(&run, &setting);
        expect_counts(&run, slots == 1 ? 4 : 3, 6, 0);
        ck_assert_uint_eq(machine_counts(run.machine)->peak, 1);
        run_end(&run);
    }
}
END_TEST

/* the centre of 3 x 3 to three neighbours: free, 1 step; unit, copies in steps 1 and 2, which leave
 * in 2 and 3, the original in 3. A row 0 -> 1, 2: free, 2 steps; unit, 3 with the delivery's */
START_TEST(copies_by_hand)
{
    static const node_index star[] = {1, 3, 5}, row[] = {1, 2};
    for (int is_free = 0; is_free < 2; is_free++) {
        struct machine_run run;
        struct setting setting = {3, 3, 3, 2, 1, is_free};
        start(&run, &setting);
        run_inject(&run, 4, 3, star, true, NULL);
        finish(&run, &setting);
        expect_counts(&run, is_free ? 1 : 3, 3, 2);
        ck_assert_uint_eq(machine_counts(run.machine)->peak, is_free ? 1 : 2);
        run_end(&run);
        setting.rows = 1;
        start(&run, &setting);
        run_inject(&run, 0, 2, row, true, NULL);
        finish(&run, &setting);
        expect_counts(&run, is_free ? 2 : 3, 2, 1);
        run_end(&run);
    }
}
END_TEST

/* the trace of the credits' example, line by line */
START_TEST(trace_by_hand)
{
    struct machine_run run;
    struct setting setting = {1, 4, 3, 1, 1, true};
    static const node_index end = 3;
    start(&run, &setting);
    for (node_index node = 0; node < 3; node++)
        run_inject(&run, node, 1, &end, true, NULL);
    finish(&run, &setting);
    char *text = run_text(&run);
    ck_assert_str_eq(text, "meshcast-trace 1 1 4 copy=free buffer=9 kernel=test\n"
                           "0 I 0 0 0\n"
                           "0 I 1 1 1\n"
                           "0 I 2 2 2\n"
                           "# phase channels\n"
                           "1 M 0 0 1\n"
                           "1 M 1 1 2\n"
                           "1 M 2 2 3\n"
                           "1 E 3 2 2\n"
                           "2 M 1 2 3\n"
                           "2 E 3 1 1\n"
                           "3 M 0 1 2\n"
                           "4 M 0 2 3\n"
                           "4 E 3 0 0\n");
    free(text);
    run_end(&run);
}
END_TEST

/* all nodes to one: within the capacity, and no faster than the links into the node allow */
START_TEST(hot_spot)
{
    static const struct {
        uint32_t rows, cols;
        node_index spot;
        uint32_t links;
    } spots[] = {{7, 7, 24, 4}, {7, 7, 0, 2}, {5, 9, 4, 3}, {1, 12, 11, 1}, {12, 1, 5, 2}};
    for (int i = 0; i < 5 * 2 * 2 * 2; i++) {
        uint32_t nodes = spots[i % 5].rows * spots[i % 5].cols;
        struct setting setting = {spots[i % 5].rows, spots[i % 5].cols, nodes, 1 + i / 5 % 2, 1,
                                  i / 10 % 2};
        struct machine_run run;
        start(&run, &setting);
        for (node_index node = 0; node < nodes; node++)
            run_inject(&run, node, 1, &spots[i % 5].spot, i / 20 == 0 || node % 2, NULL);
        finish(&run, &setting);
        uint32_t links = spots[i % 5].links;
        ck_assert_uint_ge(machine_counts(run.machine)->steps, (nodes - 1 + links - 1) / links);
        run_end(&run);
    }
}
END_TEST

/* Gives each node with a chance of one in `sparse` a tree to random nodes. */
static void inject_random(struct machine_run *run, uint32_t sparse, struct pcg32 *random)
{
    uint32_t nodes = mesh_nodes(machine_config(run->machine)->mesh);
    node_index *to = calloc(nodes, sizeof *to);
    for (node_index source = 0; source < nodes; source++) {
        if (pcg32_below(random, sparse) != 0)
            continue;
        uint32_t count = 0, one_in = 1 + pcg32_below(random, 6);
        for (node_index node = 0; node < nodes; node++)
            if (pcg32_below(random, one_in) == 0)
                to[count++] = node;
        if (count == 0)
            to[count++] = pcg32_below(random, nodes);
        run_inject(run, source, count, to, pcg32_below(random, 2), NULL);
    }
    free(to);
}

static char *run_random(const struct setting *setting, uint64_t seed)
{
    struct machine_run run;
    struct pcg32 random = pcg32_seed(seed, 60);
    start(&run, setting);
    inject_random(&run, 1 + pcg32_below(&random, 3), &random);
    finish(&run, setting);
    char *text = run_text(&run);
    run_end(&run);
    return text;
}

/* random trees of both classes from all nodes, one slot a channel, end: no deadlock */
START_TEST(random_trees)
{
    struct pcg32 random = pcg32_seed(9, 61);
    for (uint64_t i = 0; i < 500; i++) {
        uint32_t rows = 1 + pcg32_below(&random, 7), cols = 1 + pcg32_below(&random, 7);
        struct setting setting = {rows, cols, rows * cols * rows * cols, i % 4 < 3 ? 1 : 3,
                                  1,    i % 2};
        free(run_random(&setting, i));
    }
}
END_TEST

/* everybody to everybody, all nodes in both orders, one slot: the fullest load of all */
START_TEST(all_to_all)
{
    for (int i = 0; i < 8; i++) {
        struct setting setting = {i < 4 ? 6 : 5, i < 4 ? 6 : 8, 1600, 1, 1, i % 2};
        struct machine_run run;
        node_index to[40];
        start(&run, &setting);
        uint32_t nodes = setting.rows * setting.cols;
        for (node_index node = 0; node < nodes; node++)
            to[node] = node;
        for (node_index node = 0; node < nodes; node++)
            run_inject(&run, node, nodes, to, i / 2 % 2 == 0 || node % 2, NULL);
        finish(&run, &setting);
        /* each node gets nodes - 1 packets; the corners over two links */
        ck_assert_uint_ge(machine_counts(run.machine)->steps, nodes / 2);
        run_end(&run);
    }
}
END_TEST

/* the same bytes for every number of threads */
START_TEST(any_threads)
{
    static const uint32_t threads[] = {2, 3, 7};
    for (uint64_t i = 0; i < 4; i++) {
        struct setting setting = {6, 5, 900, 1 + (uint32_t)i / 2, 1, i % 2};
        char *text = run_random(&setting, i);
        for (int t = 0; t < 3; t++) {
            setting.threads = threads[t];
            char *other = run_random(&setting, i);
            ck_assert_str_eq(text, other);
            free(other);
        }
        free(text);
    }
}
END_TEST

/* nothing rests: no step is made */
START_TEST(no_packets)
{
    struct machine_run run;
    struct setting setting = {3, 3, 1, 1, 1, true};
    start(&run, &setting);
    finish(&run, &setting);
    expect_counts(&run, 0, 0, 0);
    run_end(&run);
}
END_TEST

/* a capacity below the channels' overflows in the run, which names node, step and phase */
START_TEST(overflow)
{
    struct machine_run run;
    struct failure failure = {0};
    run_start(&run, 5, 5, (struct machine_config){.slots = 25, .buffer = 2, .copy_is_free = true});
    static const node_index spot = 12;
    for (node_index node = 0; node < 25; node++)
        run_inject(&run, node, 1, &spot, node % 2, NULL);
    struct channel_rule rule = {
        .routing = run_plain_rule(&run), .class_of = run_plain_class, .slots = 4};
    machine_begin_phase(run.machine, "crowd");
    ck_assert_int_eq(machine_channel(run.machine, &rule, true, UINT64_MAX, &failure), FAIL_CHECK);
    ck_assert_ptr_nonnull(strstr(failure.text, "capacity 2"));
    ck_assert_ptr_nonnull(strstr(failure.text, "phase \"crowd\""));
    run_end(&run);
}
END_TEST

Suite *channel_suite(void)
{
    Suite *suite = suite_create("channel");
    TCase *tests = tcase_create("channel");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, capacity);
    tcase_add_test(tests, credits_by_hand);
    tcase_add_test(tests, copies_by_hand);
    tcase_add_test(tests, trace_by_hand);
    tcase_add_test(tests, hot_spot);
    tcase_add_test(tests, random_trees);
    tcase_add_test(tests, all_to_all);
    tcase_add_test(tests, any_threads);
    tcase_add_test(tests, no_packets);
    tcase_add_test(tests, overflow);
    suite_add_tcase(suite, tests);
    return suite;
}
