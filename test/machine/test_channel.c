/* test_channel.c - bounded channels with credits: hand-counted runs.
 *
 * The scenes are those of test/machine/channel_scene.c.
 */
#include "test/machine/channel_scene.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *channel_suite(void);

static void expect_counts(const struct machine_run *run, uint64_t steps, uint64_t hops,
                          uint64_t copies)
{
    const struct machine_counts *counts = machine_counts(run->machine);
    ck_assert_uint_eq(counts->steps, steps);
    ck_assert_uint_eq(counts->packet_hops, hops);
    ck_assert_uint_eq(counts->copies, copies);
}

/* the trace behind its head and the injections */
static void expect_events(struct machine_run *run, const char *events)
{
    char *text = run_text(run), *phase = strstr(text, "# phase channels\n");
    ck_assert_ptr_nonnull(phase);
    ck_assert_str_eq(strchr(phase, '\n') + 1, events);
    free(text);
}

/* the channels, the injected packet, three copies in registers where copies cost a step */
START_TEST(capacity)
{
    ck_assert_uint_eq(machine_channel_capacity(CHANNELS_OF_ONE, 1, true), 5);
    ck_assert_uint_eq(machine_channel_capacity(CHANNELS_SHARED, 1, true), 7);
    ck_assert_uint_eq(machine_channel_capacity(CHANNELS_SHARED, 1, false), 10);
    ck_assert_uint_eq(machine_channel_capacity(CHANNELS_OF_BOTH, 1, true), 9);
    ck_assert_uint_eq(machine_channel_capacity(CHANNELS_OF_BOTH, 2, true), 17);
    ck_assert_uint_eq(machine_channel_capacity(CHANNELS_OF_BOTH, 1, false), 12);
    ck_assert_uint_eq(machine_channel_capacity(CHANNELS_OF_BOTH, 255, false), 2044);
}
END_TEST

/* Starts a run with three packets in a row to its end. */
static void start_row(struct machine_run *run, const struct channel_setting *setting)
{
    static const node_index end = 3;
    channel_start(run, setting);
    for (node_index node = 0; node < 3; node++)
        run_inject(run, node, 1, &end, true, NULL);
}

/* three packets in a row to its end. Two slots: each moves in every step, 3 steps. One slot: the
 * last waits in step 2 for a channel that was full at the end of step 1, and needs 4 */
START_TEST(credits_by_hand)
{
    for (uint32_t slots = 1; slots <= 3; slots++) {
        struct machine_run run;
        struct channel_setting setting = {.rows = 1, .cols = 4, .packet_slots = 3, .slots = slots};
        start_row(&run, &setting);
        channel_finish(&run, &setting);
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
        struct channel_setting setting = {
            .rows = 3, .cols = 3, .packet_slots = 3, .slots = 2, .copy_is_free = is_free};
        channel_start(&run, &setting);
        run_inject(&run, 4, 3, star, true, NULL);
        channel_finish(&run, &setting);
        expect_counts(&run, is_free ? 1 : 3, 3, 2);
        ck_assert_uint_eq(machine_counts(run.machine)->peak, is_free ? 1 : 2);
        run_end(&run);
        setting.rows = 1;
        channel_start(&run, &setting);
        run_inject(&run, 0, 2, row, true, NULL);
        channel_finish(&run, &setting);
        expect_counts(&run, is_free ? 2 : 3, 2, 1);
        run_end(&run);
    }
}
END_TEST

/* the trace of the credits' example, line by line */
START_TEST(trace_by_hand)
{
    struct machine_run run;
    struct channel_setting setting = {
        .rows = 1, .cols = 4, .packet_slots = 3, .slots = 1, .copy_is_free = true};
    start_row(&run, &setting);
    channel_finish(&run, &setting);
    expect_events(&run, "1 M 0 0 1\n"
                        "1 M 1 1 2\n"
                        "1 M 2 2 3\n"
                        "1 E 3 2 2\n"
                        "2 M 1 2 3\n"
                        "2 E 3 1 1\n"
                        "3 M 0 1 2\n"
                        "4 M 0 2 3\n"
                        "4 E 3 0 0\n");
    run_end(&run);
}
END_TEST

/* a packet of class 1 stands in node 1's channel from the west and waits in step 2, as in credits_by_hand;
 * one of class 0, which has turned into that row at node 0, wants to come there in step 3: where channels along
 * rows are shared it waits, else its own is empty */
START_TEST(shared_by_hand)
{
    for (int is_shared = 0; is_shared < 2; is_shared++) {
        static const node_index end = 3;
        struct channel_setting setting = {.rows = 2,
                                          .cols = 4,
                                          .packet_slots = 4,
                                          .slots = 1,
                                          .copy_is_free = true,
                                          .channels = is_shared ? CHANNELS_SHARED : 0};
        struct machine_run run;
        start_row(&run, &setting);
        run_inject(&run, 4, 1, &end, false, NULL);
        channel_finish(&run, &setting);
        char *text = run_text(&run);
        ck_assert_msg((strstr(text, "\n2 M 3 0 1\n") == NULL) == is_shared, "%s", text);
        free(text);
        run_end(&run);
    }
}
END_TEST

/* two packets come to node 12 in step 1 or 2 and want the same link in the next: one goes straight on
 * (class 1), one turns (class 0). Class 1 goes first in step 2, class 0 in step 3 */
START_TEST(classes_by_hand)
{
    for (uint32_t far = 1; far <= 2; far++) {
        static const node_index end = 14;
        struct channel_setting setting = {
            .rows = 3, .cols = 5, .packet_slots = 2, .slots = 2, .copy_is_free = true};
        struct machine_run run;
        channel_start(&run, &setting);
        run_inject(&run, 12 - far, 1, &end, true, NULL);
        run_inject(&run, 12 - 5 * far, 1, &end, false, NULL);
        channel_finish(&run, &setting);
        expect_counts(&run, far + 3, 2 * far + 4, 0);
        char *text = run_text(&run);
        ck_assert_ptr_nonnull(strstr(text, far == 1 ? "\n2 M 0 12 13\n" : "\n3 M 1 12 13\n"));
        free(text);
        run_end(&run);
    }
}
END_TEST

/* three packets each, from the west and from the north, straight on past node 4. Without a spare
 * slot each link into 4 is used in every other step. With one: after steps 1 and 2 the northern link goes
 * before the western one, after step 3 the western one goes first */
START_TEST(spare_by_hand)
{
    static const node_index east = 5, south = 7;
    struct channel_setting setting = {
        .rows = 3, .cols = 3, .packet_slots = 6, .slots = 1, .spare = 1, .copy_is_free = true};
    struct machine_run run;
    channel_start(&run, &setting);
    for (int i = 0; i < 3; i++)
        run_inject(&run, 3, 1, &east, true, NULL);
    for (int i = 0; i < 3; i++)
        run_inject(&run, 1, 1, &south, false, NULL);
    channel_finish(&run, &setting);
    expect_events(&run, "1 M 3 1 4\n"
                        "1 M 0 3 4\n"
                        "2 M 4 1 4\n"
                        "2 M 3 4 7\n"
                        "2 M 0 4 5\n"
                        "2 E 5 0 0\n"
                        "2 E 7 3 3\n"
                        "3 M 5 1 4\n"
                        "3 M 1 3 4\n"
                        "3 M 4 4 7\n"
                        "3 E 7 4 4\n"
                        "4 M 2 3 4\n"
                        "4 M 5 4 7\n"
                        "4 M 1 4 5\n"
                        "4 E 5 1 1\n"
                        "4 E 7 5 5\n"
                        "5 M 2 4 5\n"
                        "5 E 5 2 2\n");
    run_end(&run);
}
END_TEST

/* as in credits_by_hand node 1's channel is full after steps 1 and 2; a second packet of node 0, to
 * the node south of 1, enters its slot in step 2. It waits until step 4, or switches its class after step 2
 * and goes south in step 3 */
START_TEST(switch_by_hand)
{
    for (int switches = 0; switches < 2; switches++) {
        static const node_index below = 5;
        struct channel_setting setting = {.rows = 2,
                                          .cols = 4,
                                          .packet_slots = 4,
                                          .slots = 1,
                                          .copy_is_free = true,
                                          .switches = switches};
        struct machine_run run;
        start_row(&run, &setting);
        run_inject(&run, 0, 1, &below, true, NULL);
        channel_finish(&run, &setting);
        expect_counts(&run, switches ? 4 : 5, 8, 0);
        char *text = run_text(&run);
        ck_assert_ptr_nonnull(strstr(text, switches ? "\n3 M 3 0 4\n" : "\n4 M 3 0 1\n"));
        free(text);
        run_end(&run);
    }
}
END_TEST

/* Three packets in a line to its end as in credits_by_hand, but the last, which waits in step 2 for
 * a channel that was full, has to turn off at the end. Where it may switch its class it leaves the line
 * at once, by a side step: off an even column, or off a row at an odd column; elsewhere it goes on in line */
START_TEST(switch_on_the_way_by_hand)
{
    enum { SIDE = 6 };
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t along_rows = i / 2, first = i % 2;
        const uint32_t step = along_rows ? 1 : SIDE, aside = along_rows ? SIDE : 1;
        const node_index start = first, end = start + 3 * step, beside = end + aside;
        struct channel_setting setting = {.rows = SIDE,
                                          .cols = SIDE,
                                          .packet_slots = 3,
                                          .slots = 1,
                                          .copy_is_free = i % 2,
                                          .switches = true};
        struct machine_run run;
        channel_start(&run, &setting);
        for (uint32_t j = 0; j < 3; j++)
            run_inject(&run, start + j * step, 1, j == 0 ? &beside : &end, along_rows, NULL);
        channel_finish(&run, &setting);
        expect_counts(&run, 5, 7, 0);
        char line[32], *text = run_text(&run);
        /* it waits at the line's second node: in column 1 or 2 of a row, in column 0 or 1 */
        uint32_t next = first == 0 ? aside : step;
        snprintf(line, sizeof line, "\n3 M 0 %u %u\n", start + step, start + step + next);
        ck_assert_msg(strstr(text, line) != NULL, "no %s in %s", line, text);
        free(text);
        run_end(&run);
    }
}
END_TEST

/* nothing rests: no step is made */
START_TEST(no_packets)
{
    struct machine_run run;
    struct channel_setting setting = {
        .rows = 3, .cols = 3, .packet_slots = 1, .slots = 1, .copy_is_free = true};
    channel_start(&run, &setting);
    channel_finish(&run, &setting);
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
    struct channel_rule rule = {.routing = run_plain_rule(&run),
                                .class_of = run_plain_class,
                                .channels = CHANNELS_OF_BOTH,
                                .slots = 4};
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
    tcase_add_test(tests, capacity);
    tcase_add_test(tests, credits_by_hand);
    tcase_add_test(tests, copies_by_hand);
    tcase_add_test(tests, trace_by_hand);
    tcase_add_test(tests, shared_by_hand);
    tcase_add_test(tests, classes_by_hand);
    tcase_add_test(tests, spare_by_hand);
    tcase_add_test(tests, switch_by_hand);
    tcase_add_test(tests, switch_on_the_way_by_hand);
    tcase_add_test(tests, no_packets);
    tcase_add_test(tests, overflow);
    suite_add_tcase(suite, tests);
    return suite;
}
