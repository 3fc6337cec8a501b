/* test_attempts.c - runs with an unknown congestion: attempts, their budgets and their room.
 *
 * What a machine does in an attempt is counted by hand on small meshes. Runs of routers are audited;
 * sets in which one node is wanted by all force guesses that are far too small. Goals are computed
 * here from their formulas. What all runs must keep (patterns, meshes, locality, threads) is tested
 * with all routers: router_case_at() has a row for each router that guesses.
 */
#include "test/router_case.h"
#include "workloads/pattern.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Suite *attempts_suite(void);

/* ---- the machine ---- */

/* Packets go along a row to header.target, and rest there or are delivered. */
struct scene {
    struct machine *machine;
    bool delivers;
    char *text;
    size_t length;
    FILE *trace;
};

static unsigned parts(void *context, struct site site, uint32_t packet)
{
    const struct scene *scene = context;
    uint32_t target = machine_headers(scene->machine)->target[packet];
    if (target == site.col)
        return scene->delivers ? PART_HERE : PART_PARK;
    return target > site.col ? PART_EAST : PART_WEST;
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct scene *scene = context;
    (void)site;
    (void)direction;
    return machine_headers(scene->machine)->target[packet];
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
                                    .attempt = attempt};
    scene->machine = machine_create(&config, NULL);
    ck_assert_ptr_nonnull(scene->machine);
}

static void start_trace(struct scene *scene)
{
    scene->trace = open_memstream(&scene->text, &scene->length);
    ck_assert_ptr_nonnull(scene->trace);
}

static void end_scene(struct scene *scene)
{
    machine_free(scene->machine);
    fclose(scene->trace);
    free(scene->text);
}

/* Packet `packet`, of one slot, at `source`. */
static void inject(struct scene *scene, uint32_t packet, node_index source, uint32_t target)
{
    struct headers *header = machine_headers(scene->machine);
    header->first[packet] = packet;
    header->destination[packet] = place_of(0, 3);
    header->message[packet] = source;
    header->target[packet] = target;
    ck_assert_int_eq(machine_inject(scene->machine, source, packet, NULL), FAIL_NONE);
}

static enum failure_kind run_for(struct scene *scene, bool in_channels, uint64_t limit)
{
    struct channel_rule rule = {.routing = {.context = scene, .parts = parts, .stop = stop},
                                .class_of = class_of,
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

static bool is_held(void *context, uint32_t message, node_index node)
{
    (void)context;
    return message == 0 && node == 3;
}

/* a node with no room for the third packet discards all three and remembers it; others do not know
 */
START_TEST(no_room)
{
    static const struct machine_attempt attempt = {.name = "first", .budget = 9};
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

/* what is discarded leaves its input channel: two packets behind it pass where channels hold one */
START_TEST(no_room_in_channels)
{
    static const struct machine_attempt attempt = {.name = "first", .budget = 99};
    struct scene scene = {.delivers = false};
    start_trace(&scene);
    open_scene(&scene, &attempt, 6, 3);
    for (uint32_t packet = 0; packet < 3; packet++) {
        inject(&scene, packet, 1, 1);
        inject(&scene, 3 + packet, 0, 2);
    }
    struct routing_rule rule = {.context = &scene, .parts = parts, .stop = stop, .slots = 1};
    machine_begin_phase(scene.machine, "go");
    ck_assert_int_eq(machine_forward(scene.machine, &rule, true, 20, NULL), FAIL_NONE);
    ck_assert_uint_eq(machine_discarded(scene.machine), 4);
    ck_assert_uint_eq(machine_resting(scene.machine), 2);
    ck_assert_uint_le(machine_counts(scene.machine)->steps, 5);
    end_scene(&scene);
}
END_TEST

/* without a budget there is no room to be had: an overflow is an overflow */
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
    struct machine_attempt second = {
        .before = before, .name = "second", .budget = 4, .is_held = is_held};
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
    ck_assert_uint_eq(machine_phases(scene.machine), 3);
    ck_assert_uint_eq(machine_steps_left(scene.machine), 0);
    end_scene(&scene);
}
END_TEST

/* ---- runs ---- */

static struct router_case guesser(const char *router)
{
    struct router_case run = router_case_make(router, NULL);
    run.congestion_is_unknown = true;
    return run;
}

/* Every node sends to node 0, and to another that nobody else sends to. */
static void make_hot(struct message_set *set, struct mesh mesh)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    uint32_t nodes = mesh_nodes(mesh);
    fprintf(stream, "mcast 1 %" PRIu32 " %" PRIu32 "\n", mesh.rows, mesh.cols);
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t other = (7 * i + 5) % nodes;
        fprintf(stream, other == 0 ? "%" PRIu32 " 0\n" : "%" PRIu32 " 0 %" PRIu32 "\n", i, other);
    }
    fclose(stream);
    router_case_set(set, text);
    free(text);
}

static double goal_of(const char *router, double c, double n)
{
    double root = sqrt(c * n), side = sqrt(n);
    if (strcmp(router, "replicate") == 0)
        return 1.5 * root + 8 * side;
    if (strcmp(router, "random") == 0)
        return (n < 64 * c ? 12 : 9) * root + 10 * side;
    if (strcmp(router, "stream") == 0)
        return 1.6 * root + 4 * side;
    return 0.4 * root * log2(n) * log2(n);
}

/* Guesses grow by four from the average, all but the last are void, each keeps its budget and its
 * room, and their steps and those of the average are all steps. */
static void check_attempts(const struct router_case *run, const struct message_set *set,
                           const struct router_result *result)
{
    uint32_t nodes = mesh_nodes(set->mesh), last = result->attempts - 1;
    uint64_t guess = (set->deliveries + nodes - 1) / nodes, steps = result->phase[0].steps;
    uint64_t sync_steps = 0, spent = 3ull * (set->mesh.rows + set->mesh.cols); /* words go on */
    ck_assert_uint_ge(result->attempts, 1);
    ck_assert_str_eq(result->phase[0].name, "average congestion");
    for (uint32_t i = 0; i <= last; i++, guess *= 4) {
        const struct router_attempt *attempt = &result->attempt[i];
        ck_assert_uint_eq(attempt->congestion, guess < nodes ? guess : nodes);
        ck_assert(attempt->stands == (i == last));
        if (attempt->budget > 0)
            ck_assert_uint_le(attempt->steps - attempt->sync_steps, attempt->budget + spent);
        if (attempt->budget > 0) /* all wait for its end, and for the OR */
            ck_assert_uint_ge(attempt->steps,
                              attempt->budget + set->mesh.rows / 2 * 2 + set->mesh.cols / 2 * 2);
        if (attempt->buffer_capacity > 0)
            ck_assert_uint_le(attempt->buffer_peak, attempt->buffer_capacity);
        ck_assert_uint_le(attempt->buffer_peak, result->buffer_peak);
        steps += attempt->steps;
        sync_steps += attempt->sync_steps;
    }
    ck_assert_uint_eq(steps, result->steps);
    ck_assert_uint_eq(sync_steps, result->sync_steps);
    double m = sqrt(nodes), most = 4 * goal_of(run->router->name, result->congestion, nodes);
    if (set->mesh.rows == set->mesh.cols && run->copy_is_free &&
        16 * result->congestion <= nodes) /* what goals are for */
        ck_assert_msg(
            (double)(result->steps - result->sync_steps) <= most + 4 * m * result->attempts,
            "%s: %" PRIu64 " steps", run->router->name, result->steps - result->sync_steps);
}

static const char *const ROUTERS[] = {"replicate", "random", "stream", "expander"};

enum { ROUTERS_COUNT = sizeof ROUTERS / sizeof *ROUTERS };

/* all patterns with congestions above their average: the goal of all attempts together */
START_TEST(every_pattern)
{
    struct router_case run = guesser(ROUTERS[_i / 2]);
    struct mesh mesh = _i % 2 == 0 ? (struct mesh){32, 32} : (struct mesh){31, 31};
    for (uint32_t pattern = 0; pattern < pattern_count(); pattern++) {
        struct message_set set;
        struct router_result result;
        if (ROUTER_CASE_SHORT && pattern / 2 % 2 == (uint32_t)_i % 2)
            continue;
        if (!router_case_pattern(&set, pattern, mesh, 0, pattern % 2 == 0 ? 16 : 60, 1))
            continue;
        run.copy_is_free = pattern % 3 > 0;
        router_case_check(&run, &set, &result);
        check_attempts(&run, &set, &result);
        message_set_free(&set);
    }
}
END_TEST

/* one node is wanted by all: several attempts are void, replicate's for lack of room too; what they
 * delivered is not delivered again */
START_TEST(far_too_small_guesses)
{
    struct router_case run = guesser(ROUTERS[_i / 4]);
    struct mesh mesh = _i / 2 % 2 == 0 ? (struct mesh){32, 32} : (struct mesh){17, 31};
    struct message_set set;
    struct router_result result;
    bool is_replicate = strcmp(run.router->name, "replicate") == 0;
    run.copy_is_free = _i % 2;
    run.seed = 3;
    make_hot(&set, mesh);
    router_case_check(&run, &set, &result);
    check_attempts(&run, &set, &result);
    if (strcmp(run.router->name, "expander") !=
        0) /* its first guess runs as unicast and may stand */
        ck_assert_uint_ge(result.attempts, 2);
    ck_assert((result.attempt[0].discarded > 0) == is_replicate);
    char *trace = router_case_trace(&run, &set, &result, NULL);
    char *second = strstr(trace, "# phase attempt 2");
    if (second != NULL) {
        *second = '\0';
        ck_assert_ptr_nonnull(strstr(trace, " E "));
    }
    free(trace);
    message_set_free(&set);
}
END_TEST

/* the capacity that a user gives is in force in every attempt; when it is too small for all, the
 * last one says so */
START_TEST(capacity_that_cannot_work)
{
    struct router_case run = guesser("replicate");
    struct message_set set;
    struct router_result result;
    struct failure failure = {0};
    make_hot(&set, (struct mesh){8, 8});
    run.buffer = 3;
    ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &failure), FAIL_CHECK);
    ck_assert_ptr_nonnull(strstr(failure.text, "buffer overflow"));
    ck_assert_uint_ge(result.attempts, 3);
    ck_assert_uint_eq(result.attempt[0].buffer_capacity, 3);
    ck_assert(!result.attempt[result.attempts - 1].stands);
    message_set_free(&set);
}
END_TEST

/* sets without a message, and of messages to their own sources alone */
START_TEST(nothing_to_do)
{
    static const char *const TEXTS[] = {"mcast 1 3 3\n", "mcast 1 3 3\n0 0\n4 4\n"};
    for (int i = 0; i < ROUTERS_COUNT; i++) {
        struct router_case run = guesser(ROUTERS[i]);
        struct message_set set;
        struct router_result result;
        router_case_set(&set, TEXTS[_i]);
        router_case_check(&run, &set, &result);
        ck_assert_uint_eq(result.attempts, 1);
        message_set_free(&set);
    }
}
END_TEST

/* routers without attempts say which have them */
START_TEST(who_cannot_guess)
{
    struct message_set set;
    struct router_result result;
    router_case_set(&set, "mcast 1 3 3\n0 1\n");
    for (uint32_t i = 0; i < router_count(); i++) {
        struct failure failure = {0};
        struct router_case run = guesser(router_at(i)->name);
        enum failure_kind kind = router_case_run(&run, &set, NULL, &result, &failure);
        ck_assert_int_eq(kind, router_guesses_congestion(router_at(i)) ? FAIL_NONE : FAIL_USAGE);
        if (kind == FAIL_USAGE)
            ck_assert_ptr_nonnull(strstr(failure.text, "replicate, random, stream and expander"));
    }
    message_set_free(&set);
}
END_TEST

Suite *attempts_suite(void)
{
    Suite *suite = suite_create("attempts");
    TCase *tests = tcase_create("attempts");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, no_room);
    tcase_add_test(tests, no_room_in_channels);
    tcase_add_test(tests, last_attempt_overflows);
    tcase_add_loop_test(tests, steps_are_spent, 0, 2);
    tcase_add_loop_test(tests, every_pattern, 0, 2 * ROUTERS_COUNT);
    tcase_add_loop_test(tests, far_too_small_guesses, 0, 4 * ROUTERS_COUNT);
    tcase_add_test(tests, capacity_that_cannot_work);
    tcase_add_loop_test(tests, nothing_to_do, 0, 2);
    tcase_add_test(tests, who_cannot_guess);
    suite_add_tcase(suite, tests);
    return suite;
}
