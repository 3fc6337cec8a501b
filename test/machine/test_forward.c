/* test_forward.c - machine_forward on random trees, cut into pieces, on threads, on long ways and queues,
 * and rules that it must refuse.
 *
 * Every run's trace goes through the audit; where a slot was delivered is compared with what was
 * asked for.
 */
#include "machine/forward.h"

#include "base/pcg.h"
#include "machine/expected.h"
#include "test/machine/machine_run.h"
#include "test/tests_fork.h"

#include <check.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Suite *forward_suite(void);

/* ---- random trees ---- */

/* Packets with random destinations from random nodes, in the order of the nodes; several may start
 * at a node. */
static void inject_random(struct machine_run *run, uint32_t packets, struct pcg32 *random,
                          struct failure *failure)
{
    uint32_t nodes = mesh_nodes(machine_config(run->machine)->mesh);
    node_index *to = calloc(nodes, sizeof *to), source = 0;
    for (uint32_t i = 0; i < packets; i++) {
        uint32_t count = 0, one_in = 1 + pcg32_below(random, 8);
        for (node_index node = 0; node < nodes; node++)
            if (pcg32_below(random, one_in) == 0)
                to[count++] = node;
        if (count == 0)
            to[count++] = pcg32_below(random, nodes);
        while (source + 1 < nodes && pcg32_below(random, 3) == 0)
            source++;
        run_inject(run, source, count, to, pcg32_below(random, 2), failure);
    }
    free(to);
}

/* All was delivered once, where it was to go. */
static void check_deliveries(struct machine_run *run)
{
    run_check_deliveries(run);
    ck_assert_uint_eq(machine_counts(run->machine)->delivered, run->slots);
    ck_assert_uint_eq(machine_travelling(run->machine) + machine_resting(run->machine), 0);
}

struct shape {
    uint32_t rows, cols, threads, buffer;
    uint64_t piece, wait; /* steps of an instruction; idle steps between, in a phase "sync" */
    bool copy_is_free;
    struct failure *overflow; /* filled when the buffers overflow; NULL: they must not */
};

/* Runs random trees of `seed` in that shape to the end; gives the trace, NULL on an overflow. */
static char *run_random(struct shape shape, uint64_t seed, struct machine_counts *counts)
{
    struct machine_run run;
    struct pcg32 random = pcg32_seed(seed, 50);
    uint32_t nodes = shape.rows * shape.cols, packets = 1 + pcg32_below(&random, 2 * nodes);
    run_start(&run, shape.rows, shape.cols,
              (struct machine_config){.slots = packets * nodes,
                                      .threads = shape.threads,
                                      .buffer = shape.buffer,
                                      .copy_is_free = shape.copy_is_free});
    inject_random(&run, packets, &random, shape.overflow);
    machine_begin_phase(run.machine, "trees");
    struct routing_rule rule = run_plain_rule(&run);
    for (bool wake = true; wake || machine_travelling(run.machine) > 0; wake = false) {
        enum failure_kind kind =
            machine_forward(run.machine, &rule, wake, shape.piece, shape.overflow);
        if (shape.overflow != NULL && (kind == FAIL_CHECK || shape.overflow->kind == FAIL_CHECK)) {
            run_end(&run);
            return NULL;
        }
        ck_assert_int_eq(kind, FAIL_NONE);
        if (shape.wait > 0) {
            machine_begin_phase(run.machine, "sync");
            machine_idle(run.machine, shape.wait);
            machine_begin_phase(run.machine, "trees");
        }
    }
    check_deliveries(&run);
    run_audit(&run);
    *counts = *machine_counts(run.machine);
    char *text = run_text(&run);
    run_end(&run);
    return text;
}

static bool counts_are_equal(const struct machine_counts *a, const struct machine_counts *b)
{
    return a->steps == b->steps && a->packet_hops == b->packet_hops && a->copies == b->copies &&
           a->delivered == b->delivered && a->peak == b->peak && a->peak_node == b->peak_node &&
           a->peak_step == b->peak_step && strcmp(a->peak_phase, b->peak_phase) == 0;
}

/* random trees on small meshes and in long rows, both copy costs: all delivered, no rule broken, counts
 * agree */
START_TEST(random_trees)
{
    static const uint32_t lines[][2] = {{1, 64}, {1, 65}, {2, 63}, {3, 128}, {2, 130}, {130, 2}};
    struct pcg32 random = pcg32_seed(8, 51);
    for (uint64_t i = 0; i < 300; i++) {
        uint32_t rows = 1 + pcg32_below(&random, 8), cols = 1 + pcg32_below(&random, 8);
        struct shape shape = {rows, cols, 1, 0, UINT64_MAX, 0, i % 2, NULL};
        if (i < 12) {
            shape.rows = lines[i / 2][0];
            shape.cols = lines[i / 2][1];
        }
        struct machine_counts counts;
        free(run_random(shape, i, &counts));
    }
}
END_TEST

/* a run in pieces of 1, 2, 3 .. steps is the same run: counts and trace to the byte */
START_TEST(run_in_pieces)
{
    for (uint64_t i = 0; i < 24; i++) {
        struct shape shape = {5, 7, 1, 0, UINT64_MAX, 0, i % 2, NULL};
        struct machine_counts whole, cut;
        char *text = run_random(shape, i, &whole);
        shape.piece = 1 + i / 2 % 4;
        char *other = run_random(shape, i, &cut);
        ck_assert(counts_are_equal(&whole, &cut));
        ck_assert_str_eq(text, other);
        free(other);
        shape.wait = 3;
        free(run_random(shape, i, &cut));
        uint64_t pieces = (whole.steps + shape.piece - 1) / shape.piece;
        ck_assert_uint_eq(cut.sync_steps, 3 * pieces);
        ck_assert_uint_eq(cut.steps, whole.steps + 3 * pieces);
        ck_assert_uint_eq(cut.packet_hops, whole.packet_hops);
        ck_assert_uint_eq(cut.peak, whole.peak);
        free(text);
    }
}
END_TEST

/* 1, 2, 3 and 7 threads write the same trace and count the same, more threads than rows included */
START_TEST(any_threads)
{
    static const uint32_t threads[] = {2, 3, 7};
    for (uint64_t i = 0; i < 6; i++) {
        struct shape shape = {i < 4 ? 9 : 3, 6, 1, 0, UINT64_MAX, 0, i % 2, NULL};
        struct machine_counts one, many;
        char *text = run_random(shape, i, &one);
        for (int t = 0; t < 3; t++) {
            shape.threads = threads[t];
            char *other = run_random(shape, i, &many);
            ck_assert(counts_are_equal(&one, &many));
            ck_assert_str_eq(text, other);
            free(other);
        }
        free(text);
    }
}
END_TEST

/* a capacity equal to the peak is enough, one below it overflows at the peak's own step */
START_TEST(capacity_at_the_peak)
{
    for (uint64_t i = 0; i < 20; i++) {
        struct shape shape = {4, 6, 1, 0, UINT64_MAX, 0, i % 2, NULL};
        struct machine_counts counts;
        free(run_random(shape, i, &counts));
        shape.buffer = counts.peak;
        free(run_random(shape, i, &counts));
        ck_assert_uint_eq(counts.peak, shape.buffer);
        if (counts.peak == 1)
            continue; /* a buffer of 0 is an unbounded one */
        char expected[64];
        struct failure failure = {0};
        shape.buffer--;
        shape.overflow = &failure;
        ck_assert_ptr_null(run_random(shape, i, &counts));
        snprintf(expected, sizeof expected, "holds %u packets", counts.peak);
        ck_assert_ptr_nonnull(strstr(failure.text, expected));
        snprintf(expected, sizeof expected, "step %u, phase", (unsigned)counts.peak_step);
        ck_assert_ptr_nonnull(strstr(failure.text, expected));
    }
}
END_TEST

/* ---- long ways and long queues, counted by hand ---- */

static void forward(struct machine_run *run, bool wake, uint64_t limit)
{
    struct routing_rule rule = run_plain_rule(run);
    ck_assert_int_eq(machine_forward(run->machine, &rule, wake, limit, NULL), FAIL_NONE);
}

/* legs as long as a side can be, beside a short one, which ends in the second call */
START_TEST(longest_leg)
{
    enum { LAST = MESH_MAX_SIDE - 1, MIDDLE = LAST / 2, PACKETS = 5 };
    static const node_index from[PACKETS] = {0, 1, 2, MIDDLE, LAST};
    static const node_index to[PACKETS] = {LAST, LAST, 10, LAST, 0};
    struct machine_run run;
    run_start(&run, 1 + (uint32_t)_i, MESH_MAX_SIDE,
              (struct machine_config){
                  .slots = PACKETS, .threads = 1 + (uint32_t)_i, .copy_is_free = true});
    for (int i = 0; i < PACKETS; i++)
        run_inject(&run, from[i], 1, &to[i], true, NULL);
    machine_begin_phase(run.machine, "long legs");
    forward(&run, true, 4);
    forward(&run, false, UINT64_MAX);
    const struct machine_counts *counts = machine_counts(run.machine);
    ck_assert_uint_eq(counts->steps, LAST);
    ck_assert_uint_eq(counts->packet_hops, 4 * LAST - 1 - MIDDLE + 8);
    check_deliveries(&run);
    /* the packet from the middle meets the one from the end before the others do */
    ck_assert_uint_eq(counts->peak, 2);
    ck_assert_uint_eq(counts->peak_step, (LAST - MIDDLE) / 2);
    ck_assert_uint_eq(counts->peak_node, (LAST + MIDDLE) / 2);
    run_end(&run);
}
END_TEST

/* more packets in a queue than 16 bits count: one link brings all of them, and some of them turn off */
START_TEST(longest_queue)
{
    enum { PACKETS = 66000 };
    struct machine_run run;
    run_start(&run, 2, 3, (struct machine_config){.slots = PACKETS, .copy_is_free = true});
    for (uint32_t i = 0; i < PACKETS; i++)
        run_inject(&run, 0, 1, (node_index[]){i % 1000 == 7 ? 4 : 2}, true, NULL);
    machine_begin_phase(run.machine, "long queue");
    forward(&run, true, PACKETS - 2);
    ck_assert_uint_eq(machine_travelling(run.machine), 3);
    forward(&run, false, UINT64_MAX);
    ck_assert_uint_eq(machine_counts(run.machine)->steps, PACKETS + 1);
    ck_assert_uint_eq(machine_counts(run.machine)->packet_hops, 2 * PACKETS);
    ck_assert_uint_eq(machine_counts(run.machine)->peak, PACKETS);
    check_deliveries(&run);
    run_end(&run);
}
END_TEST

/* ---- progress ---- */

struct progress {
    uint64_t calls, last;
    char phase[MACHINE_NAME_SIZE];
};

static void see_progress(void *context, uint64_t steps, const char *phase)
{
    struct progress *progress = context;
    ck_assert_uint_gt(steps, progress->last);
    progress->calls++;
    progress->last = steps;
    snprintf(progress->phase, sizeof progress->phase, "%s", phase);
}

/* progress is called with ascending steps and the phase's name */
START_TEST(progress_calls)
{
    struct machine_run run;
    struct progress progress = {0};
    run_start(&run, 1, 500,
              (struct machine_config){
                  .slots = 1, .progress = see_progress, .progress_context = &progress});
    static const node_index end = 499;
    run_inject(&run, 0, 1, &end, true, NULL);
    machine_begin_phase(run.machine, "long walk");
    forward(&run, true, UINT64_MAX);
    ck_assert_uint_ge(progress.calls, 5);
    ck_assert_uint_le(progress.last, 499);
    ck_assert_str_eq(progress.phase, "long walk");
    run_end(&run);
}
END_TEST

/* ---- rules of one row, and rules that must be refused ---- */

/* A packet walks east along a row of four; what it does is in `context`. */
enum habit { DOUBLES, DISCARDS, LEAVES_THE_MESH, STOPS_BEHIND, STOPS_OUTSIDE };

static struct headers *row_header;

static unsigned row_outputs(void *context, struct site site, uint32_t packet)
{
    enum habit habit = *(enum habit *)context;
    bool has_delivered = row_header->packet[packet].state == site.col + 1;
    if (habit == DOUBLES && site.col < 2)
        return has_delivered ? (unsigned)OUT_EAST : OUT_EJECT | OUT_EAST;
    if (habit == DISCARDS && site.col == 2)
        return OUT_DISCARD;
    return site.col == 3 && habit != LEAVES_THE_MESH ? OUT_HOLD : OUT_EAST;
}

static uint32_t row_take(void *context, struct site site, uint32_t packet, enum output output)
{
    (void)context;
    ck_assert_int_eq(output, OUT_EJECT);
    row_header->packet[packet].state = (uint8_t)(site.col + 1);
    return 0;
}

static uint32_t row_stop(void *context, struct site site, uint32_t packet, enum direction to)
{
    enum habit habit = *(enum habit *)context;
    (void)packet;
    (void)to;
    return habit == STOPS_BEHIND ? site.col : habit == STOPS_OUTSIDE ? 4 : site.col + 1;
}

static void start_row(struct machine_run *run, struct expected_messages *expected)
{
    run_start(run, 1, 4,
              (struct machine_config){.slots = 2, .copy_is_free = true, .expected = expected});
    row_header = machine_headers(run->machine);
    static const node_index to[] = {1, 2};
    run_inject(run, 0, 2, to, false, NULL);
}

static void run_row(struct machine_run *run, enum habit habit)
{
    machine_begin_phase(run->machine, "row");
    struct routing_rule rule = {
        .context = &habit, .outputs = row_outputs, .take = row_take, .stop = row_stop};
    ck_assert_int_eq(machine_forward(run->machine, &rule, true, UINT64_MAX, NULL), FAIL_NONE);
}

/* a slot that is delivered twice is once delivered where it does not belong, or belongs no more */
START_TEST(wrong_deliveries)
{
    struct machine_run run;
    struct expected_messages expected;
    const node_index to[2] = {1, _i};
    ck_assert(expected_begin(&expected, 0, 4));
    for (int i = 0; i < 2; i++)
        expected_count(&expected, to[i]);
    ck_assert(expected_make_room(&expected));
    for (int i = 0; i < 2; i++)
        expected_add(&expected, to[i], 1);
    start_row(&run, &expected);
    run_row(&run, DOUBLES);
    uint32_t least = UINT32_MAX;
    ck_assert_uint_eq(expected.wrong, _i == 0 ? 0 : 1);
    ck_assert(_i == 0 || expected.first_wrong == 1);
    ck_assert_uint_eq(expected_missing(&expected, 0, 4, &least), _i == 0 ? 0 : 1);
    ck_assert_uint_eq(least, _i == 0 ? UINT32_MAX : 1);
    ck_assert_uint_eq(machine_counts(run.machine)->delivered, 2);
    ck_assert_uint_eq(machine_resting(run.machine), 1);
    ck_assert_uint_eq(machine_first_resting(run.machine, 3), 1);
    ck_assert_uint_eq(machine_next_resting(run.machine, 1), MACHINE_NONE);
    expected_free(&expected);
    run_end(&run);
}
END_TEST

/* a discarded packet leaves the buffer, the run ends, the trace has its R */
START_TEST(discarded)
{
    struct machine_run run;
    start_row(&run, NULL);
    run_row(&run, DISCARDS);
    ck_assert_uint_eq(machine_counts(run.machine)->steps, 2);
    ck_assert_uint_eq(machine_travelling(run.machine) + machine_resting(run.machine), 0);
    char *text = run_text(&run);
    ck_assert_ptr_nonnull(strstr(text, "2 R 2 1\n"));
    free(text);
    run_audit(&run);
    run_end(&run);
}
END_TEST

/* a rule that sends a packet off the mesh, or to a stop that does not lie ahead, stops the program;
 * so do packets that move in a phase "sync" and steps outside of any phase */
START_TEST(refused)
{
    struct machine_run run;
    start_row(&run, NULL);
    unlink(run.path);
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
    if (_i < 3)
        run_row(&run, (enum habit)(LEAVES_THE_MESH + _i));
    if (_i == 3)
        machine_begin_phase(run.machine, "sync");
    forward(&run, true, UINT64_MAX);
}
END_TEST

Suite *forward_suite(void)
{
    Suite *suite = suite_create("forward");
    TCase *tests = tcase_create("forward");
    tcase_add_test(tests, random_trees);
    tcase_add_test(tests, run_in_pieces);
    tcase_add_test(tests, any_threads);
    tcase_add_test(tests, capacity_at_the_peak);
    tcase_add_loop_test(tests, longest_leg, 0, 2);
    tcase_add_test(tests, longest_queue);
    tcase_add_test(tests, progress_calls);
    tcase_add_loop_test(tests, wrong_deliveries, 0, 4);
    tcase_add_test(tests, discarded);
    if (tests_fork())
        tcase_add_loop_test_raise_signal(tests, refused, SIGABRT, 0, 5);
    suite_add_tcase(suite, tests);
    return suite;
}
