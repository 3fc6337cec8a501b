/* test_forward_unwatched.c - queues where nobody watches, beside the plain way through the same calls, which
 * is taken where somebody does: after each call both must stand alike.
 */
#include "base/pcg.h"
#include "machine/forward.h"
#include "primitives/unicast_route.h"
#include "test/length.h"
#include "test/machine/machine_run.h"

#include <check.h>
#include <stdlib.h>

Suite *forward_unwatched_suite(void);

static void look_away(void *context, uint64_t step, const struct machine_event *event, size_t count)
{
    (void)context, (void)step, (void)event, (void)count;
}

static void no_phase(void *context, uint64_t step, const char *name)
{
    (void)context, (void)step, (void)name;
}

/* The same packets twice: watched, and not. */
struct both {
    struct machine_run run[2];
    struct routing_rule rule[2];
};

static void start(struct both *both, struct mesh mesh, uint32_t slots, uint32_t threads,
                  bool copy_is_free)
{
    static const struct machine_observer observer = {.events = look_away, .phase = no_phase};
    for (int i = 0; i < 2; i++) {
        struct failure failure = {0};
        struct machine_config config = {.mesh = mesh,
                                        .slots = slots,
                                        .threads = threads,
                                        .copy_is_free = copy_is_free,
                                        .observer = i == 0 ? &observer : NULL,
                                        .kernel = "test"};
        both->run[i] = (struct machine_run){.machine = machine_create(&config, &failure)};
        ck_assert_msg(both->run[i].machine != NULL, "%s", failure.text);
        both->rule[i] = run_plain_rule(&both->run[i]);
    }
}

static void forward(struct both *both, bool wake, uint64_t limit)
{
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(machine_forward(both->run[i].machine, &both->rule[i], wake, limit, NULL),
                         FAIL_NONE);
    struct machine *plain = both->run[0].machine, *fast = both->run[1].machine;
    run_check_same(plain, fast);
    ck_assert_uint_eq(machine_travelling(plain), machine_travelling(fast));
    ck_assert_uint_eq(machine_counts(plain)->copies, machine_counts(fast)->copies);
    ck_assert_uint_eq(machine_counts(plain)->delivered, machine_counts(fast)->delivered);
    for (node_index node = 0; node < mesh_nodes(machine_config(plain)->mesh); node++)
        ck_assert(machine_node_is_busy(plain, node) == machine_node_is_busy(fast, node));
}

static void end(struct both *both)
{
    for (uint32_t slot = 0; slot < both->run[0].slots; slot++)
        ck_assert_uint_eq(machine_delivered_at(both->run[0].machine, slot),
                          machine_delivered_at(both->run[1].machine, slot));
    machine_free(both->run[0].machine);
    machine_free(both->run[1].machine);
}

static void begin_phase(struct both *both)
{
    machine_begin_phase(both->run[0].machine, "forward");
    machine_begin_phase(both->run[1].machine, "forward");
}

/* Up to `most` trees a node, each to up to 4 different nodes, of which many lie near `crowd`. */
static void inject_trees(struct both *both, struct mesh mesh, uint32_t most, struct pcg32 *random)
{
    uint32_t nodes = mesh_nodes(mesh), crowd = pcg32_below(random, nodes);
    for (node_index source = 0; source < nodes; source++) {
        for (uint32_t trees = pcg32_below(random, most + 1); trees > 0; trees--) {
            node_index to[4];
            uint32_t count = 1 + pcg32_below(random, nodes < 4 ? nodes : 4);
            bool crowds = pcg32_below(random, 3) == 0, rows_first = pcg32_below(random, 2);
            uint32_t from = crowds ? crowd : pcg32_below(random, nodes);
            for (uint32_t i = 0; i < count; i++)
                to[i] = (from + i * (nodes / 4 + 1)) % nodes;
            for (uint32_t i = 1; i < count && nodes >= 4; i++)
                ck_assert_uint_ne(to[i], to[0]);
            for (int i = 0; i < 2; i++)
                run_inject(&both->run[i], source, nodes < 4 ? 1 : count, to, rows_first, NULL);
        }
    }
}

/* An urgency for each packet and direction: the same at all nodes between two stops. */
static uint32_t few_urgencies(void *context, struct site site, uint32_t packet,
                              enum direction direction)
{
    (void)context, (void)site;
    return pcg32_at(7, direction, packet) % 3;
}

static uint32_t all_urgencies(void *context, struct site site, uint32_t packet,
                              enum direction direction)
{
    (void)context, (void)site;
    return pcg32_at(7, direction, packet) % (MACHINE_MAX_URGENCY + 1);
}

/* trees on meshes of less than a block, a block and more, with and without urgencies, both costs of
 * copies, any number of threads, in calls of one step and more */
START_TEST(as_if_watched)
{
    static const struct mesh meshes[] = {{5, 7},  {1, 70}, {70, 1}, {3, 64},  {6, 65},
                                         {40, 3}, {1, 1},  {2, 1},  {9, 130}, {17, 128}};
    static uint32_t (*const urgencies[])(void *, struct site, uint32_t,
                                         enum direction) = {NULL, few_urgencies, all_urgencies};
    struct mesh mesh = meshes[_i];
    for (uint32_t i = 0; i < (TEST_IS_SHORT ? 6 : 18); i++) {
        struct both both = {0};
        struct pcg32 random = pcg32_seed(i, 90 + (uint64_t)_i);
        uint32_t most = 1 + i % 5;
        start(&both, mesh, 4 * most * mesh_nodes(mesh), 1 + i % 3, i / 3 % 2);
        both.rule[0].urgency = both.rule[1].urgency = urgencies[i % 3];
        inject_trees(&both, mesh, most, &random);
        begin_phase(&both);
        uint64_t limit = i / 2 % 2 ? 1 + i % 4 : 8 + i % 4;
        for (bool wake = true; wake || machine_travelling(both.run[0].machine) > 0; wake = false) {
            forward(&both, wake, limit);
            limit = limit * 3 % 40 + 1;
        }
        ck_assert_uint_eq(machine_counts(both.run[1].machine)->delivered, both.run[1].slots);
        end(&both);
    }
}
END_TEST

/* Packets that rest after so many legs; header.state counts them above bit 0. */
struct resting {
    struct routing_rule plain;
    const struct headers *header;
    uint32_t legs;
};

static unsigned rest_or_go(void *context, struct site site, uint32_t packet)
{
    const struct resting *resting = context;
    unsigned parts = resting->plain.parts(resting->plain.context, site, packet);
    bool is_tired = (uint32_t)resting->header->packet[packet].state >> 1 >= resting->legs;
    return is_tired && parts != PART_HERE ? (unsigned)PART_PARK : parts;
}

static uint32_t take_plain(void *context, struct site site, uint32_t packet, enum part part)
{
    const struct resting *resting = context;
    return resting->plain.take(resting->plain.context, site, packet, part);
}

static uint32_t count_leg(void *context, struct site site, uint32_t packet, enum direction d)
{
    const struct resting *resting = context;
    resting->header->packet[packet].state += 2;
    return resting->plain.stop(resting->plain.context, site, packet, d);
}

/* packets that rest and are woken again, now in short calls, now in longer ones */
START_TEST(short_and_long_calls)
{
    struct mesh mesh = {6, 70};
    struct both both = {0};
    struct resting resting[2];
    struct pcg32 random = pcg32_seed(1, 89);
    start(&both, mesh, 4 * 3 * mesh_nodes(mesh), 2, _i);
    for (int i = 0; i < 2; i++) {
        resting[i] = (struct resting){both.rule[i], machine_headers(both.run[i].machine), 0};
        both.rule[i] = (struct routing_rule){
            .context = &resting[i], .parts = rest_or_go, .take = take_plain, .stop = count_leg};
    }
    begin_phase(&both);
    inject_trees(&both, mesh, 3, &random);
    for (uint32_t round = 1; machine_resting(both.run[0].machine) > 0; round++) {
        resting[0].legs = resting[1].legs = round;
        forward(&both, true, round % 2 ? 1 : 50);
        while (machine_travelling(both.run[0].machine) > 0)
            forward(&both, false, round / 2 % 2 ? 3 : 30);
    }
    ck_assert_uint_eq(machine_counts(both.run[1].machine)->delivered, both.run[1].slots);
    end(&both);
}
END_TEST

/* a leg as long as a side can be, and packets that rest and are woken again on their way */
START_TEST(longest_leg)
{
    struct both both = {0};
    node_index last = MESH_MAX_SIDE - 1, middle = last / 2;
    start(&both, (struct mesh){1 + (uint32_t)_i, MESH_MAX_SIDE}, 8, 1 + (uint32_t)_i, true);
    for (int i = 0; i < 2; i++) {
        run_inject(&both.run[i], 0, 1, &last, true, NULL);
        run_inject(&both.run[i], 1, 1, &last, true, NULL);
        run_inject(&both.run[i], last, 1, (node_index[]){0}, false, NULL);
        run_inject(&both.run[i], middle, 1, &last, true, NULL);
    }
    begin_phase(&both);
    forward(&both, true, middle);
    forward(&both, false, UINT64_MAX);
    ck_assert_uint_eq(machine_counts(both.run[1].machine)->steps, last);
    end(&both);
}
END_TEST

/* more steps than 16 bits count: one link brings all packets, some of which turn off */
START_TEST(longer_than_counters)
{
    enum { PACKETS = 66000 };
    struct both both = {0};
    start(&both, (struct mesh){2, 3}, PACKETS, 1, true);
    for (uint32_t i = 0; i < PACKETS; i++)
        for (int j = 0; j < 2; j++)
            run_inject(&both.run[j], 0, 1, (node_index[]){i % 1000 == 7 ? 4 : 2}, true, NULL);
    begin_phase(&both);
    forward(&both, true, PACKETS - 2);
    forward(&both, false, UINT64_MAX);
    ck_assert_uint_gt(machine_counts(both.run[1].machine)->steps, UINT16_MAX);
    end(&both);
}
END_TEST

/* ---- packets that rest and go on ---- */

/* A node to go to: anywhere, in a crowded column, or in the same row. */
static node_index choose_target(struct mesh mesh, node_index source, struct pcg32 *random)
{
    uint32_t row = pcg32_below(random, mesh.rows), col = pcg32_below(random, mesh.cols);
    uint32_t kind = pcg32_below(random, 4);
    if (kind == 0)
        col = mesh.cols / 2 + (mesh.cols > 8 ? col % 3 : 0);
    if (kind == 1)
        row = source / mesh.cols;
    return row * mesh.cols + col;
}

/* Up to `most` packets a node. */
static void inject_targets(struct both *both, struct mesh mesh, uint32_t most, struct pcg32 *random)
{
    for (node_index source = 0; source < mesh_nodes(mesh); source++) {
        for (uint32_t left = pcg32_below(random, most + 1); left > 0; left--) {
            node_index target = choose_target(mesh, source, random);
            for (int i = 0; i < 2; i++)
                run_inject_target(&both->run[i], source, target, false);
        }
    }
}

/* Many of those that rest are to go somewhere else. */
static void send_on(struct both *both, struct mesh mesh, struct pcg32 *random)
{
    for (node_index node = 0; node < mesh_nodes(mesh); node++) {
        uint32_t packet = machine_first_resting(both->run[0].machine, node);
        for (; packet != MACHINE_NONE;
             packet = machine_next_resting(both->run[0].machine, packet)) {
            node_index to = choose_target(mesh, node, random);
            bool stays = pcg32_below(random, 3) == 0;
            for (int i = 0; i < 2 && !stays; i++)
                machine_headers(both->run[i].machine)->packet[packet].target =
                    site_place(machine_site(both->run[i].machine, to));
        }
    }
}

/* Stops half way, too, and goes on in the same direction. */
static uint32_t stop_half_way(void *context, struct site site, uint32_t packet, enum direction d)
{
    uint32_t stop = unicast_stop(machine_headers(context), packet, d);
    uint32_t here = direction_is_vertical(d) ? site.row : site.col;
    bool is_near = stop > here ? stop - here < 3 : here - stop < 3;
    return is_near || packet % 2 == 0 ? stop : (stop + here) / 2;
}

/* one packet or several a node go to one target after another; some are woken while others are under way,
 * and some stop half way, too */
START_TEST(sent_on_as_if_watched)
{
    static const struct mesh meshes[] = {{5, 7}, {1, 70}, {70, 1},  {3, 64},   {6, 65},  {40, 3},
                                         {1, 1}, {2, 1},  {9, 130}, {17, 128}, {20, 20}, {2, 1030}};
    struct mesh mesh = meshes[_i];
    for (uint32_t i = 0; i < (TEST_IS_SHORT ? 4 : 12); i++) {
        struct both both = {0};
        struct pcg32 random = pcg32_seed(i, 70 + (uint64_t)_i);
        uint32_t most = 1 + i / 2 % 4;
        start(&both, mesh, most * mesh_nodes(mesh), 1 + i / 2 % 3, i % 2);
        for (int j = 0; j < 2; j++) {
            both.rule[j] = unicast_rule(both.run[j].machine, false);
            if (i % 4 == 3)
                both.rule[j].stop = stop_half_way;
        }
        inject_targets(&both, mesh, most, &random);
        begin_phase(&both);
        for (uint32_t round = 0; round < 5; round++) {
            uint64_t limit = round == 3 ? 1 + i % 4 : 8 + i % 4;
            forward(&both, true, limit);
            send_on(&both, mesh, &random);
            bool wake = i % 2;
            while (machine_travelling(both.run[0].machine) > 0) {
                limit = limit * 3 % 40 + 1 + (mesh.rows + mesh.cols) / 8;
                forward(&both, wake, limit);
                wake = false;
            }
        }
        end(&both);
    }
}
END_TEST

Suite *forward_unwatched_suite(void)
{
    Suite *suite = suite_create("forward_unwatched");
    TCase *tests = tcase_create("forward_unwatched");
    tcase_add_loop_test(tests, as_if_watched, 0, 10);
    tcase_add_loop_test(tests, short_and_long_calls, 0, 2);
    tcase_add_loop_test(tests, longest_leg, 0, TEST_IS_SHORT ? 1 : 2);
    tcase_add_test(tests, longer_than_counters);
    tcase_add_loop_test(tests, sent_on_as_if_watched, 0, 12);
    suite_add_tcase(suite, tests);
    return suite;
}
