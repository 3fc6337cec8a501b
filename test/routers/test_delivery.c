/* test_delivery.c - the check of deliveries finds what a router did wrong, and names it.
 *
 * A router of plain trees is right but for a few slots: after the packets were injected their
 * destinations are changed, or taken away, or a slot too many is there. Each row of the table says
 * what must be counted, and which message is the first that is wrong.
 */
#include "machine/forward.h"
#include "primitives/multicast_tree.h"
#include "primitives/synchronise.h"
#include "routers/routing.h"
#include "test/router_case.h"

#include <check.h>
#include <stdlib.h>

Suite *delivery_suite(void);

/* Slot `slot` goes to `node`; nowhere for NOWHERE. */
enum { NO_SLOT = UINT32_MAX, NOWHERE = UINT32_MAX - 1, MOST_CHANGES = 3 };
struct change {
    uint32_t slot, node;
};

struct row {
    const char *set;
    struct change change[MOST_CHANGES]; /* up to one with NO_SLOT */
    bool has_extra_slot; /* each message has one, in front, which `change` may fill */
    uint64_t missing, misdelivered;
    uint32_t first_wrong; /* the source of that message */
};

#define PAIR "mcast 1 4 4\n0 3 5\n1 4\n"
#define ALL                                                                                        \
    "mcast 1 4 4\n0 9\n1 9\n2 9\n3 9\n4 9\n5 9\n6 9\n7 9\n8 9\n10 9\n11 9\n12 9\n13 9\n14 9\n15 "  \
    "9\n"
#define NONE                                                                                       \
    {                                                                                              \
        NO_SLOT, 0                                                                                 \
    }

static const struct row ROWS[] = {
    {PAIR, {NONE}, false, 0, 0, 0},
    /* to a node behind all destinations, between them, before them, and of another message */
    {PAIR, {{1, 15}, NONE}, false, 1, 1, 0},
    {PAIR, {{1, 4}, NONE}, false, 1, 1, 0},
    {PAIR, {{0, 2}, NONE}, false, 1, 1, 0},
    {PAIR, {{2, 5}, NONE}, false, 1, 1, 1},
    {PAIR, {{0, 5}, {1, 3}, NONE}, false, 0, 0, 0},
    {PAIR, {{1, NOWHERE}, NONE}, false, 1, 0, 0},
    {PAIR, {{2, NOWHERE}, NONE}, false, 1, 0, 1},
    {PAIR, {{0, NOWHERE}, {1, NOWHERE}, {2, NOWHERE}}, false, 3, 0, 0},
    /* more than was asked for: at the last node, and at the first */
    {PAIR, {NONE}, true, 0, 0, 0},
    {PAIR, {{0, 15}, NONE}, true, 0, 1, 0},
    {PAIR, {{3, 0}, NONE}, true, 0, 1, 1},
    /* two wrong messages: of two threads, and of one */
    {ALL, {{3, NOWHERE}, {12, NOWHERE}, NONE}, false, 2, 0, 3},
    {ALL, {{12, 8}, {2, 10}, NONE}, false, 2, 2, 2},
    {ALL, {{1, NOWHERE}, {2, NOWHERE}, {0, 15}}, false, 3, 1, 0},
    {ALL, {{13, NOWHERE}, {14, 15}, NONE}, false, 2, 1, 14},
};
enum { ROWS_COUNT = sizeof ROWS / sizeof *ROWS };

/* The row under test; a test runs in a process of its own. */
static const struct row *row;

static uint64_t one_more(void *context, uint64_t degree)
{
    (void)context;
    return degree + 1;
}

static void leave_empty(void *context, const node_place *destination, uint64_t degree,
                        node_place *slot)
{
    (void)context, (void)destination, (void)degree;
    slot[0] = MACHINE_NO_PLACE;
}

/* Takes slots without a destination out of the packet's range: none of them is at its end. */
static void drop_empty(struct headers *header, uint32_t packet)
{
    uint32_t real = packet + 1;
    for (uint32_t slot = packet + 1; slot-- > header->packet[packet].first;)
        if (header->destination[slot] != MACHINE_NO_PLACE)
            header->destination[--real] = header->destination[slot];
    header->packet[packet].first = real;
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    const struct headers *header = context;
    if (header->packet[packet].first > packet)
        return OUT_DISCARD;
    return tree_outputs(header, site, packet, true);
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum output output)
{
    return tree_take(context, site, packet, output, true);
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    (void)site;
    return tree_stop(context, packet, direction);
}

static enum failure_kind route(struct routing *routing, struct failure *failure)
{
    struct slot_plan plan = {.count = one_more, .fill = leave_empty};
    enum failure_kind kind = routing_start(routing, 0, row->has_extra_slot ? &plan : NULL, failure);
    struct headers *header = machine_headers(routing->machine);
    struct routing_rule rule = {.context = header, .outputs = outputs, .take = take, .stop = stop};
    ck_assert_int_eq(kind, FAIL_NONE);
    for (size_t i = 0; i < MOST_CHANGES && row->change[i].slot != NO_SLOT; i++) {
        uint32_t node = row->change[i].node;
        header->destination[row->change[i].slot] =
            node == NOWHERE ? MACHINE_NO_PLACE : place_of(node / 4, node % 4);
    }
    for (node_index node = 0; node < mesh_nodes(routing->set->mesh); node++) {
        uint32_t packet = machine_first_resting(routing->machine, node);
        if (packet == MACHINE_NONE)
            continue;
        drop_empty(header, packet);
        if (header->packet[packet].first <= packet)
            tree_start(header, machine_site(routing->machine, node), packet, true);
    }
    machine_begin_phase(routing->machine, "trees");
    return machine_forward(routing->machine, &rule, true, UINT64_MAX, failure);
}

static const struct parameter_spec NO_SPECS[] = {{.name = NULL}};
static const struct router_method METHOD = {
    {"spoiled", "trees with wrong destinations", ""}, NO_SPECS, route, NULL, false, NULL, NULL};

/* Each row, on one thread and on several, gets its status, its counts and its text. */
START_TEST(wrong_deliveries)
{
    struct message_set set;
    row = &ROWS[_i];
    router_case_set(&set, row->set);
    for (uint32_t threads = 1; threads <= 4; threads++) {
        struct router_case run = {
            .router = &METHOD.shown, .threads = threads, .copy_is_free = threads % 2 == 0};
        struct router_result result;
        struct failure failure = {0};
        char expected[200];
        bool is_right = row->missing + row->misdelivered == 0;
        enum failure_kind kind = router_case_run(&run, &set, NULL, &result, &failure);
        ck_assert_int_eq(kind, is_right ? FAIL_NONE : FAIL_CHECK);
        ck_assert_uint_eq(result.missing, row->missing);
        ck_assert_uint_eq(result.delivered, set.deliveries - row->missing);
        snprintf(expected, sizeof expected,
                 "%llu deliveries are missing and %llu are duplicated or misdelivered; the first "
                 "wrong message is that of node %u",
                 (unsigned long long)row->missing, (unsigned long long)row->misdelivered,
                 row->first_wrong);
        ck_assert_str_eq(failure.text, is_right ? "" : expected);
    }
    message_set_free(&set);
}
END_TEST

/* ---- a slot that is delivered twice ---- */

static unsigned doubling_outputs(void *context, struct site site, uint32_t packet)
{
    struct headers *header = context;
    bool has_delivered = header->packet[packet].state == site.col + 1;
    if (site.col < 2 && !has_delivered) {
        header->packet[packet].first = 0; /* the slot that was delivered is there once more */
        return OUT_EJECT | OUT_EAST;
    }
    return site.col == 2 ? OUT_EJECT : OUT_EAST;
}

static uint32_t doubling_take(void *context, struct site site, uint32_t packet, enum output output)
{
    struct headers *header = context;
    (void)output;
    header->packet[packet].state = (uint8_t)(site.col + 1);
    header->packet[packet].first = 1;
    return 0;
}

static uint32_t doubling_stop(void *context, struct site site, uint32_t packet,
                              enum direction direction)
{
    (void)context, (void)packet, (void)direction;
    return site.col + 1;
}

static enum failure_kind doubling_route(struct routing *routing, struct failure *failure)
{
    enum failure_kind kind = routing_start(routing, 0, NULL, failure);
    struct headers *header = machine_headers(routing->machine);
    struct routing_rule rule = {.context = header,
                                .outputs = doubling_outputs,
                                .take = doubling_take,
                                .stop = doubling_stop};
    ck_assert_int_eq(kind, FAIL_NONE);
    machine_begin_phase(routing->machine, "doubling");
    return machine_forward(routing->machine, &rule, true, UINT64_MAX, failure);
}

/* A slot that goes out twice, the second time where it belongs, is one delivery too many. */
START_TEST(duplicated_slot)
{
    static const struct router_method method = {
        {"doubling", "delivers twice", ""}, NO_SPECS, doubling_route, NULL, false, NULL, NULL};
    struct router_case run = {.router = &method.shown, .copy_is_free = true};
    struct message_set set;
    struct router_result result;
    struct failure failure = {0};
    router_case_set(&set, "mcast 1 1 4\n0 1 2\n");
    ck_assert_int_eq(router_case_run(&run, &set, NULL, &result, &failure), FAIL_CHECK);
    ck_assert_ptr_nonnull(strstr(failure.text, "0 deliveries are missing and 1 are duplicated"));
    message_set_free(&set);
}
END_TEST

/* ---- attempts ---- */

/* Which attempt is under way, and in which of them message 0 goes elsewhere; the last one is the
 * second. */
static uint32_t attempt, wrong_attempt;

static struct attempt_limits limits(const struct routing *routing)
{
    (void)routing;
    return (struct attempt_limits){.steps = attempt == 0 ? 5 : 0};
}

static enum failure_kind attempted_route(struct routing *routing, struct failure *failure)
{
    static const struct row right = {.change = {NONE}}, wrong = {.change = {{0, 4}, {1, 5}, NONE}};
    row = ++attempt == wrong_attempt ? &wrong : &right;
    return route(routing, failure);
}

/* What an attempt delivered elsewhere is told whatever others delivered: in the first one, which is
 * void as the way of message 15 is longer than it lasts, and in the last. */
START_TEST(attempts)
{
    static const struct router_method method = {
        {"attempted", "trees", ""}, NO_SPECS, attempted_route, limits, false, NULL, NULL};
    struct router_case run = {
        .router = &method.shown, .copy_is_free = true, .congestion_is_unknown = true};
    struct message_set set;
    router_case_set(&set, "mcast 1 4 4\n0 1 2\n15 0\n");
    for (wrong_attempt = 0; wrong_attempt <= 2; wrong_attempt++) {
        struct router_result result;
        struct failure failure = {0};
        attempt = 0;
        enum failure_kind kind = router_case_run(&run, &set, NULL, &result, &failure);
        ck_assert_uint_eq(attempt, 2);
        ck_assert_int_eq(kind, wrong_attempt == 0 ? FAIL_NONE : FAIL_CHECK);
        ck_assert_uint_eq(result.missing, 0);
        if (wrong_attempt > 0)
            ck_assert_ptr_nonnull(strstr(
                failure.text, "0 deliveries are missing and 2 are duplicated or misdelivered"));
    }
    message_set_free(&set);
}
END_TEST

/* Straight to the packet's one destination. */
static unsigned straight_outputs(void *context, struct site site, uint32_t packet)
{
    node_place to = ((const struct headers *)context)->destination[packet];
    if (to == site_place(site))
        return OUT_EJECT;
    if (place_col(to) != site.col)
        return place_col(to) > site.col ? OUT_EAST : OUT_WEST;
    return place_row(to) > site.row ? OUT_SOUTH : OUT_NORTH;
}

static uint32_t straight_stop(void *context, struct site site, uint32_t packet,
                              enum direction direction)
{
    node_place to = ((const struct headers *)context)->destination[packet];
    (void)site;
    return direction_is_vertical(direction) ? place_row(to) : place_col(to);
}

/* With room for three packets per node. */
static enum failure_kind crowded_route(struct routing *routing, struct failure *failure)
{
    unsigned held;
    if (routing->congestion == mesh_nodes(routing->set->mesh))
        return circulate_method.route(routing, failure);
    ck_assert_int_eq(routing_start(routing, 3, NULL, failure), FAIL_NONE);
    struct routing_rule rule = {.context = machine_headers(routing->machine),
                                .outputs = straight_outputs,
                                .stop = straight_stop};
    machine_begin_phase(routing->machine, "straight");
    ck_assert_int_eq(machine_forward(routing->machine, &rule, true, UINT64_MAX, failure),
                     FAIL_NONE);
    return synchronise_held(routing->machine, 0, &held, failure);
}

static struct attempt_limits crowded_limits(const struct routing *routing)
{
    bool is_last = routing->congestion == mesh_nodes(routing->set->mesh);
    return (struct attempt_limits){.steps = is_last ? 0 : 5, .may_overflow = !is_last};
}

/* Where a node overflows in every attempt with the congestion that all know, a last one circulates: four
 * packets meet in the middle. What was delivered before, at node 0, is not delivered again. */
START_TEST(overflows)
{
    static const struct router_method method = {
        {"crowded", "straight", ""}, NO_SPECS, crowded_route, crowded_limits, false, NULL, NULL};
    struct router_case run = {.router = &method.shown, .copy_is_free = true};
    struct message_set set;
    struct router_result result;
    uint64_t steps = 0;
    router_case_set(&set, "mcast 1 3 3\n0 0\n1 7\n3 5\n5 3\n7 1\n");
    router_case_check(&run, &set, &result);
    ck_assert_uint_eq(result.attempts, 5);
    ck_assert_uint_eq(result.buffer_capacity, 3);
    for (uint32_t i = 0; i < 5; i++) {
        const struct router_attempt *one = &result.attempt[i];
        ck_assert(one->stands == (i == 4));
        ck_assert_uint_eq(one->congestion, i == 4 ? 9 : 1);
        ck_assert_uint_eq(one->discarded, i == 4 ? 0 : 4);
        ck_assert_uint_eq(one->budget, 0);
        if (i < 4) /* to the middle, and the OR; later a step for injections */
            ck_assert_uint_eq(one->steps, (i == 0 ? 0 : 1) + 1 + 4);
        steps += one->steps;
    }
    ck_assert_uint_eq(result.steps, steps);
    message_set_free(&set);
}
END_TEST

Suite *delivery_suite(void)
{
    Suite *suite = suite_create("delivery");
    TCase *tests = tcase_create("delivery");
    tcase_add_loop_test(tests, wrong_deliveries, 0, ROWS_COUNT);
    tcase_add_test(tests, duplicated_slot);
    tcase_add_test(tests, attempts);
    tcase_add_test(tests, overflows);
    suite_add_tcase(suite, tests);
    return suite;
}
