/* test_forward_turns.c - machine_forward where nobody watches: rows that take several steps in cache,
 * and calls whose queues are of different kinds; beside the plain way, after each call.
 */
#include "base/pcg.h"
#include "machine/forward.h"
#include "test/length.h"
#include "test/machine/machine_run.h"

#include <check.h>

Suite *forward_turns_suite(void);

static void look_away(void *context, uint64_t step, const struct machine_event *event, size_t count)
{
    (void)context, (void)step, (void)event, (void)count;
}

static void no_phase(void *context, uint64_t step, const char *name)
{
    (void)context, (void)step, (void)name;
}

/* The same packets watched, which is the plain way, and not. */
struct pair {
    struct machine_run plain, fast;
    struct mesh mesh;
};

static void start_one(struct machine_run *run, struct machine_config config)
{
    struct failure failure = {0};
    *run = (struct machine_run){.machine = machine_create(&config, &failure)};
    ck_assert_msg(run->machine != NULL, "%s", failure.text);
}

static void start(struct pair *pair, struct machine_config config)
{
    static const struct machine_observer observer = {.events = look_away, .phase = no_phase};
    config.kernel = "test";
    pair->mesh = config.mesh;
    start_one(&pair->fast, config);
    config.observer = &observer;
    start_one(&pair->plain, config);
}

static void begin_phase(struct pair *pair)
{
    machine_begin_phase(pair->plain.machine, "forward");
    machine_begin_phase(pair->fast.machine, "forward");
}

/* `trees` at each node, each to three others, which lie near each other. */
static void inject(struct pair *pair, uint32_t trees, struct pcg32 *random)
{
    uint32_t nodes = mesh_nodes(pair->mesh);
    for (uint32_t i = 0; i < nodes * trees; i++) {
        uint32_t from = pcg32_below(random, nodes);
        node_index to[3] = {from, (from + 1) % nodes, (from + pair->mesh.cols) % nodes};
        bool rows_first = pcg32_below(random, 2);
        run_inject(&pair->plain, i / trees, 3, to, rows_first, NULL);
        run_inject(&pair->fast, i / trees, 3, to, rows_first, NULL);
    }
}

/* Also where packets are, unless the run has failed. */
static void check_same(const struct pair *pair, enum failure_kind kind)
{
    const struct machine *plain = pair->plain.machine, *fast = pair->fast.machine;
    run_check_same(plain, fast);
    ck_assert_uint_eq(machine_travelling(plain), machine_travelling(fast));
    ck_assert_uint_eq(machine_counts(plain)->copies, machine_counts(fast)->copies);
    for (node_index node = 0; kind == FAIL_NONE && node < mesh_nodes(pair->mesh); node++)
        ck_assert(machine_node_is_busy(plain, node) == machine_node_is_busy(fast, node));
    for (uint32_t slot = 0; slot < pair->plain.slots; slot++)
        ck_assert_uint_eq(machine_delivered_at(plain, slot), machine_delivered_at(fast, slot));
}

static uint32_t some_urgency(void *context, struct site site, uint32_t packet, enum direction d)
{
    (void)context, (void)site;
    return pcg32_at(5, d, packet) % 4;
}

static enum failure_kind forward_one(struct machine_run *run, bool is_urgent, bool wake,
                                     uint64_t limit)
{
    struct routing_rule rule = run_plain_rule(run);
    rule.urgency = is_urgent ? some_urgency : NULL;
    return machine_forward(run->machine, &rule, wake, limit, NULL);
}

/* Returns what both machines return. */
static enum failure_kind forward(struct pair *pair, bool is_urgent, bool wake, uint64_t limit)
{
    enum failure_kind kind = forward_one(&pair->plain, is_urgent, wake, limit);
    ck_assert_int_eq(kind, forward_one(&pair->fast, is_urgent, wake, limit));
    check_same(pair, kind);
    return kind;
}

static void end(struct pair *pair)
{
    machine_free(pair->plain.machine);
    machine_free(pair->fast.machine);
}

static const struct mesh MESHES[] = {{40, 70}, {70, 9}, {33, 64}, {5, 130}, {18, 18}};
enum { MESH_COUNT = sizeof MESHES / sizeof *MESHES };

static struct machine_config config_of(struct mesh mesh, uint32_t trees, uint32_t i)
{
    return (struct machine_config){.mesh = mesh,
                                   .slots = 3 * trees * mesh_nodes(mesh),
                                   .threads = 1 + i % 3,
                                   .copy_is_free = i / 3 % 2};
}

/* whole runs and calls of any length, with one thread and with several, whose rows meet at borders */
START_TEST(rows_of_several_steps)
{
    for (uint32_t i = 0; i < 6; i++) {
        struct pair pair;
        struct pcg32 random = pcg32_seed(i, 70 + (uint64_t)_i);
        uint32_t trees = 1 + i % 4;
        start(&pair, config_of(MESHES[_i], trees, i));
        inject(&pair, trees, &random);
        begin_phase(&pair);
        for (bool wake = true; wake || machine_travelling(pair.plain.machine) > 0; wake = false)
            forward(&pair, false, wake, i % 2 ? UINT64_MAX : 8 + pcg32_below(&random, 20));
        ck_assert_uint_eq(machine_counts(pair.fast.machine)->delivered, pair.fast.slots);
        end(&pair);
    }
}
END_TEST

/* calls with urgencies and without, while packets of both are under way */
START_TEST(urgent_of_several_steps)
{
    for (uint32_t i = 0; i < (TEST_IS_SHORT ? 4 : 12); i++) {
        struct pair pair;
        struct pcg32 random = pcg32_seed(i, 80 + (uint64_t)_i);
        uint32_t trees = 1 + i % 4;
        start(&pair, config_of(MESHES[_i], trees, i));
        inject(&pair, trees, &random);
        begin_phase(&pair);
        for (bool wake = true; wake || machine_travelling(pair.plain.machine) > 0; wake = false)
            forward(&pair, pcg32_below(&random, 3) == 0, wake, 8 + pcg32_below(&random, 9));
        end(&pair);
    }
}
END_TEST

/* a run stops at the step in which a buffer overflows, and nothing is delivered after it */
START_TEST(overflow)
{
    enum { MOST = 40 };
    uint32_t overflows = 0;
    for (uint32_t buffer = 2; buffer < MOST; buffer += 3) {
        struct pair pair;
        struct pcg32 random = pcg32_seed(buffer, 90 + (uint64_t)_i);
        struct machine_config config = config_of(MESHES[_i], 2, buffer);
        config.buffer = buffer;
        start(&pair, config);
        inject(&pair, 2, &random);
        begin_phase(&pair);
        overflows += forward(&pair, false, true, UINT64_MAX) == FAIL_CHECK;
        end(&pair);
    }
    ck_assert_uint_gt(overflows, 0);
}
END_TEST

Suite *forward_turns_suite(void)
{
    Suite *suite = suite_create("forward_turns");
    TCase *tests = tcase_create("forward_turns");
    tcase_add_loop_test(tests, rows_of_several_steps, 0, MESH_COUNT);
    tcase_add_loop_test(tests, urgent_of_several_steps, 0, MESH_COUNT);
    tcase_add_loop_test(tests, overflow, 0, MESH_COUNT);
    suite_add_tcase(suite, tests);
    return suite;
}
