/* test_plane.c - compare-exchange and rotation of planes of packets.
 *
 * Random cases: meshes, cuts with empty segments, flags, parities, loads. Each runs step by
 * step with a trace, which the audit replays, and without a trace by one to four threads: same
 * packets at the same nodes, same counts, same peak. What comes out is also compared with arrays
 * that the test moves itself: pair by pair for comparisons, by the residue for rotations.
 */
#include "base/pcg.h"
#include "machine/plane.h"
#include "test/machine/machine_run.h"

#include <check.h>
#include <string.h>

Suite *plane_suite(void);

enum { MOST_SIDE = 40, MOST_NODES = MOST_SIDE * MOST_SIDE, MOST_THREADS = 4 };

/* An instruction on a mesh, and where packets start. */
struct example {
    struct mesh mesh;
    uint32_t cut[MOST_SIDE + 4], length; /* of a line */
    uint8_t line_flag[MOST_SIDE], segment_flag[MOST_SIDE + 4], odd[MOST_SIDE + 4];
    uint32_t shift[MOST_SIDE][MOST_SIDE + 4];
    struct compare compare;
    struct rotate rotate;
    bool rotates;
    uint32_t key[MOST_NODES]; /* of the packet that starts at a node */
    bool is_there[MOST_NODES];
};

static uint32_t shift_of(void *context, uint32_t line, uint32_t segment)
{
    return ((struct example *)context)->shift[line][segment];
}

static void draw_lines(struct example *example, struct pcg32 *random)
{
    struct lines lines = {.are_columns = pcg32_below(random, 2)};
    uint32_t pieces = 1 + pcg32_below(random, 4);
    example->length = lines.are_columns ? example->mesh.rows : example->mesh.cols;
    example->cut[0] = 0;
    while (example->cut[lines.segments] < example->length) {
        uint32_t most = example->length / pieces + 2, at = example->cut[lines.segments];
        if (pcg32_below(random, 6) != 0 || lines.segments >= 3)
            at += 1 + pcg32_below(random, most);
        example->cut[++lines.segments] = at < example->length ? at : example->length;
    }
    lines.cut = example->cut;
    example->compare.lines = example->rotate.lines = lines;
}

static uint32_t lines_of(const struct example *example)
{
    return example->compare.lines.are_columns ? example->mesh.cols : example->mesh.rows;
}

static void draw_flags(struct example *example, struct pcg32 *random)
{
    struct compare *compare = &example->compare;
    for (uint32_t i = 0; i < MOST_SIDE; i++)
        example->line_flag[i] = (uint8_t)pcg32_below(random, 2);
    for (uint32_t i = 0; i < compare->lines.segments; i++) {
        example->segment_flag[i] = (uint8_t)pcg32_below(random, 2);
        example->odd[i] = (uint8_t)pcg32_below(random, 2);
    }
    compare->line_flag = pcg32_below(random, 3) > 0 ? example->line_flag : NULL;
    compare->segment_flag = pcg32_below(random, 3) > 0 ? example->segment_flag : NULL;
    compare->odd = pcg32_below(random, 2) > 0 ? example->odd : NULL;
    compare->steps = pcg32_below(random, 30);
    for (uint32_t line = 0; line < lines_of(example); line++)
        for (uint32_t s = 0; s < compare->lines.segments; s++) {
            uint32_t length = example->cut[s + 1] - example->cut[s];
            example->shift[line][s] = length == 0 ? 0 : pcg32_below(random, length);
        }
    example->rotate.context = example;
    example->rotate.shift = shift_of;
}

static void draw(struct example *example, uint32_t load, bool rotates, struct pcg32 *random)
{
    memset(example, 0, sizeof *example);
    example->mesh =
        (struct mesh){1 + pcg32_below(random, MOST_SIDE), 1 + pcg32_below(random, MOST_SIDE)};
    example->rotates = rotates;
    draw_lines(example, random);
    draw_flags(example, random);
    uint32_t keys = 1 + pcg32_below(random, 50);
    for (node_index node = 0; node < mesh_nodes(example->mesh); node++) {
        example->key[node] = pcg32_below(random, 40) == 0 ? UINT32_MAX : pcg32_below(random, keys);
        example->is_there[node] = pcg32_below(random, 100) < load;
    }
}

/* ---- runs ---- */

static enum failure_kind instruct(struct machine *machine, const struct example *example,
                                  struct failure *failure)
{
    machine_begin_phase(machine, "one");
    ck_assert_int_eq(machine_open_plane(machine, NULL, NULL, failure), FAIL_NONE);
    enum failure_kind kind = example->rotates
                                 ? machine_rotate(machine, &example->rotate, failure)
                                 : machine_compare(machine, &example->compare, failure);
    if (kind == FAIL_NONE) { /* once more, so that the second sees what the first has left */
        machine_begin_phase(machine, "two");
        kind = example->rotates ? machine_rotate(machine, &example->rotate, failure)
                                : machine_compare(machine, &example->compare, failure);
    }
    machine_close_plane(machine, NULL);
    return kind;
}

static void act(struct machine *machine, const void *of_test)
{
    const struct example *example = of_test;
    run_inject_keys(machine, example->key, example->is_there);
    ck_assert_int_eq(instruct(machine, example, NULL), FAIL_NONE);
}

static void run_traced(struct machine_run *run, const struct example *example)
{
    struct machine_config config = {.slots = mesh_nodes(example->mesh)};
    run_start(run, example->mesh.rows, example->mesh.cols, config);
    act(run->machine, example);
    run_audit(run);
}

/* Without a trace, by one to four threads, it goes as in `run`. */
static void check_untraced(const struct machine_run *run, const struct example *example)
{
    struct machine_config config = {.mesh = example->mesh, .slots = mesh_nodes(example->mesh)};
    run_check_threads(run->machine, config, act, example);
}

/* ---- the oracle ---- */

/* The node at position `at` of a line. */
static node_index node_of(const struct example *example, uint32_t line, uint32_t at)
{
    return example->compare.lines.are_columns ? at * example->mesh.cols + line
                                              : line * example->mesh.cols + at;
}

/* Packets by node, MACHINE_NONE for none: whether `a` must stand before `b`. */
static bool comes_before(const struct example *example, uint32_t a, uint32_t b)
{
    if (a == MACHINE_NONE || b == MACHINE_NONE)
        return a != MACHINE_NONE;
    return example->key[a] != example->key[b] ? example->key[a] < example->key[b] : a < b;
}

static void expect_compared(const struct example *example, uint32_t *packet)
{
    const struct compare *compare = &example->compare;
    for (uint32_t step = 0; step < compare->steps; step++)
        for (uint32_t line = 0; line < lines_of(example); line++)
            for (uint32_t s = 0; s < compare->lines.segments; s++) {
                bool descends = compare->line_flag != NULL && compare->line_flag[line];
                descends ^= compare->segment_flag != NULL && compare->segment_flag[s];
                uint32_t odd = compare->odd != NULL ? compare->odd[s] : 0;
                for (uint32_t x = example->cut[s]; x + 1 < example->cut[s + 1]; x++) {
                    uint32_t *a = &packet[node_of(example, line, x)];
                    uint32_t *b = &packet[node_of(example, line, x + 1)], c = *a;
                    bool wrong = *a != *b && comes_before(example, *a, *b) == descends;
                    if ((x - example->cut[s] + step + odd) % 2 != 0 || !wrong)
                        continue;
                    *a = *b;
                    *b = c;
                }
            }
}

static void expect_rotated(const struct example *example, uint32_t *packet)
{
    uint32_t before[MOST_NODES];
    memcpy(before, packet, sizeof before);
    for (uint32_t line = 0; line < lines_of(example); line++)
        for (uint32_t s = 0; s < example->rotate.lines.segments; s++) {
            uint32_t start = example->cut[s], length = example->cut[s + 1] - start;
            for (uint32_t x = 0; x < length; x++) {
                uint32_t to = (x + example->shift[line][s]) % length;
                packet[node_of(example, line, start + to)] =
                    before[node_of(example, line, start + x)];
            }
        }
}

static uint32_t longest_walk(const struct example *example)
{
    uint32_t most = 0;
    for (uint32_t line = 0; line < lines_of(example); line++)
        for (uint32_t s = 0; s < example->rotate.lines.segments; s++) {
            uint32_t shift = example->shift[line][s];
            uint32_t back = example->cut[s + 1] - example->cut[s] - shift;
            if (shift > 0 && (shift > most || back > most))
                most = shift > back ? shift : back;
        }
    return most;
}

static void check_result(const struct machine_run *run, const struct example *example)
{
    static uint32_t packet[MOST_NODES];
    for (node_index node = 0; node < MOST_NODES; node++)
        packet[node] = example->is_there[node] ? node : MACHINE_NONE;
    for (int times = 0; times < 2; times++)
        (example->rotates ? expect_rotated : expect_compared)(example, packet);
    for (node_index node = 0; node < mesh_nodes(example->mesh); node++)
        ck_assert_uint_eq(machine_first_resting(run->machine, node), packet[node]);
    uint32_t steps = example->rotates ? longest_walk(example) : example->compare.steps;
    ck_assert_uint_eq(machine_counts(run->machine)->steps, 2 * (uint64_t)steps);
}

static void check_example(const struct example *example)
{
    struct machine_run run;
    run_traced(&run, example);
    check_result(&run, example);
    check_untraced(&run, example);
    run_end(&run);
}

static void check_random_cases(bool rotates, uint32_t cases, uint64_t seed)
{
    static const uint32_t loads[] = {100, 100, 60, 5, 0};
    static struct example example;
    struct pcg32 random = pcg32_seed(seed, 31);
    for (uint32_t i = 0; i < cases; i++) {
        draw(&example, loads[i % (sizeof loads / sizeof *loads)], rotates, &random);
        check_example(&example);
    }
}

/* comparisons: right pairs and directions, each link of a pair used, the same by any number of threads */
START_TEST(comparisons)
{
    check_random_cases(false, 150, 1);
}
END_TEST

/* rotations: each packet at its residue, all walks at once, peaks alike, the same by any number of threads */
START_TEST(rotations)
{
    check_random_cases(true, 150, 2);
}
END_TEST

/* lines longer than a sweep is deep, more of them than lanes, by one and two threads */
START_TEST(long_lines)
{
    static struct example example;
    struct pcg32 random = pcg32_seed(3, 31);
    for (uint32_t i = 0; i < 12; i++) {
        draw(&example, i % 2 == 0 ? 100 : 70, i % 3 == 2, &random);
        example.cut[1] = example.length;
        example.compare.lines.segments = example.rotate.lines.segments = 1;
        example.compare.steps = example.length;
        for (uint32_t line = 0; line < MOST_SIDE; line++)
            example.shift[line][0] = pcg32_below(&random, example.length);
        check_example(&example);
    }
}
END_TEST

/* every pair of a comparison uses both links in each step: hops depend on the sizes alone */
START_TEST(links_of_pairs)
{
    static struct example example;
    struct pcg32 random = pcg32_seed(4, 31);
    uint64_t hops[2];
    for (uint32_t i = 0; i < 40; i++) {
        for (uint32_t again = 0; again < 2; again++) {
            struct machine_run run;
            draw(&example, 50, false, &(struct pcg32){i, 1});
            for (node_index node = 0; node < MOST_NODES; node++)
                example.is_there[node] = pcg32_below(&random, 3) == again;
            run_traced(&run, &example);
            hops[again] = machine_counts(run.machine)->packet_hops;
            hops[again] += machine_counts(run.machine)->word_hops;
            run_end(&run);
        }
        ck_assert_uint_eq(hops[0], hops[1]);
    }
}
END_TEST

/* two streams need two packets per node: a capacity of 1 overflows in the first step in which two
 * meet, with or without a trace; all packets rest when the plane is closed */
START_TEST(capacity)
{
    static struct example example;
    struct pcg32 random = pcg32_seed(5, 31);
    draw(&example, 100, true, &random);
    example.mesh = (struct mesh){3, 8};
    example.rotate.lines = (struct lines){false, 1, example.cut};
    example.cut[1] = 8;
    memset(example.shift, 0, sizeof example.shift);
    example.shift[1][0] = 3;
    for (uint32_t buffer = 1; buffer <= 2; buffer++) {
        struct machine_config config = {
            .mesh = example.mesh, .slots = 24, .threads = 2, .buffer = buffer};
        struct failure failure = {0};
        struct machine *machine = machine_create(&config, &failure);
        ck_assert_ptr_nonnull(machine);
        memset(example.is_there, true, 24);
        run_inject_keys(machine, example.key, example.is_there);
        enum failure_kind kind = instruct(machine, &example, &failure);
        ck_assert_int_eq(kind, buffer == 1 ? FAIL_CHECK : FAIL_NONE);
        uint32_t resting = 0;
        for (node_index node = 0; node < 24; node++)
            for (uint32_t p = machine_first_resting(machine, node); p != MACHINE_NONE;
                 p = machine_next_resting(machine, p))
                resting++;
        ck_assert_uint_eq(resting, 24);
        ck_assert_uint_eq(machine_counts(machine)->peak, 2);
        ck_assert_uint_eq(machine_counts(machine)->peak_step, 1);
        /* packets 5, 6, 7 walk back and 0 .. 4 forward: they meet at distance 4 first */
        ck_assert_uint_eq(machine_counts(machine)->peak_node, 8 + 4);
        machine_free(machine);
    }
}
END_TEST

static uint32_t negated(void *context, uint32_t packet)
{
    const struct example *example = context;
    return UINT32_MAX - example->key[packet];
}

/* opening and closing moves nothing and takes no step; the key may be the caller's */
START_TEST(opening)
{
    static struct example example;
    struct pcg32 random = pcg32_seed(6, 31);
    struct machine_run run;
    draw(&example, 80, false, &random);
    struct machine_config config = {.slots = mesh_nodes(example.mesh)};
    run_start(&run, example.mesh.rows, example.mesh.cols, config);
    run_inject_keys(run.machine, example.key, example.is_there);
    for (int times = 0; times < 3; times++) {
        ck_assert_int_eq(machine_open_plane(run.machine, negated, &example, NULL), FAIL_NONE);
        for (node_index node = 0; node < mesh_nodes(example.mesh); node++)
            ck_assert_uint_eq(machine_first_resting(run.machine, node), MACHINE_NONE);
        machine_close_plane(run.machine, NULL);
        for (node_index node = 0; node < mesh_nodes(example.mesh); node++)
            ck_assert_uint_eq(machine_first_resting(run.machine, node),
                              example.is_there[node] ? node : MACHINE_NONE);
    }
    ck_assert_uint_eq(machine_counts(run.machine)->steps, 0);
    run_end(&run);
}
END_TEST

Suite *plane_suite(void)
{
    Suite *suite = suite_create("plane");
    TCase *tests = tcase_create("plane");
    tcase_add_test(tests, comparisons);
    tcase_add_test(tests, rotations);
    tcase_add_test(tests, long_lines);
    tcase_add_test(tests, links_of_pairs);
    tcase_add_test(tests, capacity);
    tcase_add_test(tests, opening);
    suite_add_tcase(suite, tests);
    return suite;
}
