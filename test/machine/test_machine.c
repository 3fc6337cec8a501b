/* test_machine.c - the machine: clock, copies, capacity, phases, trace.
 *
 * Small runs are counted by hand; the comment of a test says how.
 */
#include "machine/forward.h"
#include "machine/machine.h"

#include "test/machine/inject_one.h"
#include "test/machine/machine_run.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *machine_suite(void);

static const uint64_t NO_LIMIT = UINT64_MAX;

static enum failure_kind forward(struct machine_run *run, uint64_t limit, struct failure *failure)
{
    struct routing_rule rule = run_plain_rule(run);
    return machine_forward(run->machine, &rule, true, limit, failure);
}

/* Makes one packet from `source` to the nodes of a list that ends with MESH_NO_NODE. */
static uint32_t inject_list(struct machine_run *run, node_index source, const node_index *to)
{
    uint32_t count = 0;
    while (to[count] != MESH_NO_NODE)
        count++;
    return run_inject(run, source, count, to, true, NULL);
}

#define TO(...) ((const node_index[]){__VA_ARGS__, MESH_NO_NODE})

static void expect_counts(const struct machine_run *run, uint64_t steps, uint64_t hops,
                          uint64_t copies, uint64_t delivered)
{
    const struct machine_counts *counts = machine_counts(run->machine);
    ck_assert_uint_eq(counts->steps, steps);
    ck_assert_uint_eq(counts->packet_hops, hops);
    ck_assert_uint_eq(counts->copies, copies);
    ck_assert_uint_eq(counts->delivered, delivered);
}

static void expect_peak(const struct machine_run *run, uint32_t peak, node_index node,
                        uint64_t step, const char *phase)
{
    const struct machine_counts *counts = machine_counts(run->machine);
    ck_assert_uint_eq(counts->peak, peak);
    ck_assert_uint_eq(counts->peak_node, node);
    ck_assert_uint_eq(counts->peak_step, step);
    ck_assert_str_eq(counts->peak_phase, phase);
}

/* ---- runs counted by hand ---- */

/* three packets at one end of a row of four, to the other end: one leaves a step, 2 + 3 steps */
START_TEST(queue_at_a_link)
{
    struct machine_run run;
    run_start(&run, 1, 4, (struct machine_config){.slots = 3});
    for (int i = 0; i < 3; i++)
        inject_list(&run, 0, TO(3));
    machine_begin_phase(run.machine, "walk");
    ck_assert_int_eq(forward(&run, NO_LIMIT, NULL), FAIL_NONE);
    expect_counts(&run, 5, 9, 0, 3);
    expect_peak(&run, 3, 0, 0, "start");
    run_check_deliveries(&run);
    ck_assert_uint_eq(machine_travelling(run.machine), 0);
    run_audit(&run);
    run_end(&run);
}
END_TEST

/* the trace of that meeting, line by line: departures by row, arrivals after them, links in the
 * order south, west, east */
static const char MEETING[] = "meshcast-trace 1 3 3 copy=unit buffer=3 kernel=test\n"
                              "0 I 1 0 0\n"
                              "0 I 3 1 1\n"
                              "0 I 5 2 2\n"
                              "# phase meet\n"
                              "1 M 0 1 4\n"
                              "1 M 1 3 4\n"
                              "1 M 2 5 4\n"
                              "2 M 0 4 7\n"
                              "2 E 7 0 0\n"
                              "3 M 2 4 7\n"
                              "3 E 7 2 2\n"
                              "4 M 1 4 7\n"
                              "4 E 7 1 1\n";

static void make_meeting(struct machine_run *run, uint32_t buffer)
{
    run_start(run, 3, 3, (struct machine_config){.slots = 3, .buffer = buffer});
    inject_list(run, 1, TO(7));
    inject_list(run, 3, TO(7));
    inject_list(run, 5, TO(7));
    machine_begin_phase(run->machine, "meet");
}

/* three packets meet at the centre of a 3 x 3 mesh in step 1 and leave over one link */
START_TEST(trace_of_a_meeting)
{
    struct machine_run run;
    make_meeting(&run, 3);
    ck_assert_int_eq(forward(&run, NO_LIMIT, NULL), FAIL_NONE);
    expect_counts(&run, 4, 6, 0, 3);
    expect_peak(&run, 3, 4, 1, "meet");
    char *text = run_text(&run);
    ck_assert_str_eq(text, MEETING);
    free(text);
    run_audit(&run);
    run_end(&run);
}
END_TEST

/* one place less than the meeting needs: an overflow that names node, step and phase */
START_TEST(overflow_in_a_run)
{
    struct machine_run run;
    struct failure failure = {0};
    make_meeting(&run, 2);
    ck_assert_int_eq(forward(&run, NO_LIMIT, &failure), FAIL_CHECK);
    ck_assert_ptr_nonnull(strstr(failure.text, "node 4 (row 1, col 1) holds 3 packets"));
    ck_assert_ptr_nonnull(strstr(failure.text, "capacity 2"));
    ck_assert_ptr_nonnull(strstr(failure.text, "step 1, phase \"meet\""));
    ck_assert_uint_eq(machine_counts(run.machine)->steps, 1);
    run_end(&run);
}
END_TEST

/* step 0 counts: a second packet at a node of capacity 1 overflows before the first step */
START_TEST(overflow_at_the_start)
{
    struct machine_run run;
    struct failure failure = {0};
    run_start(&run, 2, 2, (struct machine_config){.slots = 3, .buffer = 1});
    ck_assert_uint_ne(run_inject(&run, 3, 1, TO(3), true, &failure), MACHINE_NONE);
    ck_assert_uint_ne(run_inject(&run, 3, 1, TO(0), true, &failure), MACHINE_NONE);
    ck_assert_uint_eq(run_inject(&run, 3, 1, TO(1), true, &failure), MACHINE_NONE);
    ck_assert_int_eq(failure.kind, FAIL_CHECK);
    ck_assert_ptr_nonnull(strstr(failure.text, "node 3"));
    ck_assert_ptr_nonnull(strstr(failure.text, "step 0"));
    run_end(&run);
}
END_TEST

/* a packet to its own node alone is delivered at step 0 and never takes buffer space */
START_TEST(delivered_at_the_start)
{
    struct machine_run run;
    run_start(&run, 2, 2, (struct machine_config){.slots = 1});
    inject_list(&run, 2, TO(2));
    machine_begin_phase(run.machine, "none");
    ck_assert_int_eq(forward(&run, NO_LIMIT, NULL), FAIL_NONE);
    expect_counts(&run, 0, 0, 0, 1);
    ck_assert_uint_eq(machine_counts(run.machine)->peak, 0);
    ck_assert_uint_eq(machine_resting(run.machine), 0);
    run_audit(&run);
    run_end(&run);
}
END_TEST

struct copy_example {
    uint32_t rows, cols;
    node_index source, to[5];
    uint32_t hops, copies;
    uint32_t steps[2], peak[2]; /* unit copies, free copies */
};

/* What the trees cost, by hand. The centre of 3 x 3 to three neighbours: free, all leave in step 1;
 * unit, copies in steps 1 and 2, the first leaves in 2, the second and the original in 3. To the
 * centre itself and one neighbour: unit, a delivery in step 1 and the move in 2. A row 0 -> 1, 2:
 * unit, the delivery on the way takes a step. To itself, its two neighbours and what lies behind
 * one: unit, D, C, then the branch behind needs no copy but a delivery on its way. */
static const struct copy_example COPIES[] = {
    {3, 3, 4, {1, 3, 5, MESH_NO_NODE}, 3, 2, {3, 1}, {2, 1}},
    {3, 3, 4, {4, 1, MESH_NO_NODE}, 1, 1, {2, 1}, {1, 1}},
    {1, 3, 0, {1, 2, MESH_NO_NODE}, 2, 1, {3, 2}, {1, 1}},
    {1, 4, 1, {1, 0, 2, 3, MESH_NO_NODE}, 3, 3, {5, 2}, {2, 1}},
};

/* copies cost a step each, one a node a step, with unit copies, and nothing with free ones */
START_TEST(cost_of_copies)
{
    const struct copy_example *example = &COPIES[_i / 2];
    int is_free = _i % 2;
    struct machine_run run;
    run_start(&run, example->rows, example->cols,
              (struct machine_config){.slots = 5, .copy_is_free = is_free});
    inject_list(&run, example->source, example->to);
    machine_begin_phase(run.machine, "copy");
    ck_assert_int_eq(forward(&run, NO_LIMIT, NULL), FAIL_NONE);
    uint32_t count = 0;
    while (example->to[count] != MESH_NO_NODE)
        count++;
    expect_counts(&run, example->steps[is_free], example->hops, example->copies, count);
    ck_assert_uint_eq(machine_counts(run.machine)->peak, example->peak[is_free]);
    run_audit(&run);
    run_end(&run);
}
END_TEST

/* ---- phases ---- */

/* steps belong to the phase that was begun last; phases without a step vanish; idle and sync */
START_TEST(phases)
{
    struct machine_run run;
    run_start(&run, 1, 4, (struct machine_config){.slots = 1});
    inject_list(&run, 0, TO(3));
    machine_begin_phase(run.machine, "unused");
    machine_begin_phase(run.machine, "walk");
    ck_assert_int_eq(forward(&run, 2, NULL), FAIL_NONE);
    machine_begin_phase(run.machine, "sync");
    machine_idle(run.machine, 10);
    machine_begin_phase(run.machine, "walk");
    struct routing_rule rule = run_plain_rule(&run);
    ck_assert_int_eq(machine_forward(run.machine, &rule, false, NO_LIMIT, NULL), FAIL_NONE);
    ck_assert_uint_eq(machine_phases(run.machine), 3);
    static const char *const names[] = {"walk", "sync", "walk"};
    static const uint64_t steps[] = {2, 10, 1};
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_str_eq(machine_phase(run.machine, i)->name, names[i]);
        ck_assert_uint_eq(machine_phase(run.machine, i)->steps, steps[i]);
    }
    expect_counts(&run, 13, 3, 0, 1);
    ck_assert_uint_eq(machine_counts(run.machine)->sync_steps, 10);
    run_audit(&run);
    run_end(&run);
}
END_TEST

/* more phases than fit: the last two count the rest, so that steps still add up, and those of
 * synchronisation too */
START_TEST(too_many_phases)
{
    struct machine_run run;
    run_start(&run, 1, 1, (struct machine_config){.slots = 1});
    char longest[200];
    memset(longest, 'p', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    for (uint64_t i = 0; i < MACHINE_MAX_PHASES + 40; i++) {
        machine_begin_phase(run.machine, i % 2 == 0 ? longest : "sync");
        machine_idle(run.machine, i + 1);
    }
    ck_assert_uint_eq(machine_phases(run.machine), MACHINE_MAX_PHASES);
    ck_assert_uint_eq(strlen(machine_phase(run.machine, 0)->name), MACHINE_NAME_SIZE - 1);
    uint64_t sum = 0, sync = 0, n = MACHINE_MAX_PHASES + 40;
    for (uint32_t i = 0; i < machine_phases(run.machine); i++) {
        const struct machine_phase *phase = machine_phase(run.machine, i);
        sum += phase->steps;
        sync += strcmp(phase->name, "sync") == 0 ? phase->steps : 0;
    }
    ck_assert_uint_eq(sync, n / 2 * (n / 2 + 1));
    ck_assert_uint_eq(sum, n * (n + 1) / 2);
    ck_assert_uint_eq(machine_counts(run.machine)->steps, sum);
    ck_assert_uint_eq(machine_counts(run.machine)->sync_steps, n / 2 * (n / 2 + 1));
    run_end(&run);
}
END_TEST

/* ---- ties of peaks ---- */

/* Packets of both ends of a row meet at its middle and rest there. */
static unsigned meet_outputs(void *context, struct site site, uint32_t packet)
{
    (void)context, (void)packet;
    return site.col == 1 ? OUT_HOLD : site.col == 0 ? OUT_EAST : OUT_WEST;
}

static uint32_t meet_stop(void *context, struct site site, uint32_t packet, enum direction to)
{
    (void)context, (void)site, (void)packet, (void)to;
    return 1;
}

/* Injections are one step, whatever their order. */
START_TEST(first_of_equal_injections)
{
    struct machine_run run;
    run_start(&run, 2, 3, (struct machine_config){.slots = 3});
    inject_list(&run, 5, TO(0));
    inject_list(&run, 2, TO(0));
    inject_list(&run, 4, TO(0));
    expect_peak(&run, 1, 2, 0, "start");
    run_end(&run);
}
END_TEST

/* Two packets meet in every row in the first step: of nodes that are as full the first is named, on
 * any number of threads, in short calls and in long ones. */
START_TEST(first_of_equal_peaks)
{
    for (uint32_t variant = 0; variant < 8; variant++) {
        struct machine_config config = {
            .mesh = {4, 3}, .slots = 12, .threads = 1 + variant / 2, .copy_is_free = true};
        struct machine *machine = machine_create(&config, NULL);
        struct headers *header = machine_headers(machine);
        struct routing_rule rule = {.outputs = meet_outputs, .stop = meet_stop};
        for (node_index node = 0; node < 12; node++) {
            header->packet[node].first = node;
            header->destination[node] = MACHINE_NO_PLACE;
            if (node % 3 != 1)
                ck_assert_int_eq(inject_one(machine, node, node, NULL), FAIL_NONE);
        }
        machine_begin_phase(machine, "meet");
        uint64_t limit = variant % 2 == 0 ? 1 : NO_LIMIT;
        ck_assert_int_eq(machine_forward(machine, &rule, true, limit, NULL), FAIL_NONE);
        const struct machine_counts *counts = machine_counts(machine);
        ck_assert_uint_eq(counts->peak, 2);
        ck_assert_uint_eq(counts->peak_node, 1);
        ck_assert_uint_eq(counts->peak_step, 1);
        machine_free(machine);
    }
}
END_TEST

Suite *machine_suite(void)
{
    Suite *suite = suite_create("machine");
    TCase *tests = tcase_create("machine");
    tcase_add_test(tests, queue_at_a_link);
    tcase_add_test(tests, trace_of_a_meeting);
    tcase_add_test(tests, overflow_in_a_run);
    tcase_add_test(tests, overflow_at_the_start);
    tcase_add_test(tests, delivered_at_the_start);
    tcase_add_loop_test(tests, cost_of_copies, 0, 2 * sizeof COPIES / sizeof COPIES[0]);
    tcase_add_test(tests, phases);
    tcase_add_test(tests, too_many_phases);
    tcase_add_test(tests, first_of_equal_injections);
    tcase_add_test(tests, first_of_equal_peaks);
    suite_add_tcase(suite, tests);
    return suite;
}
