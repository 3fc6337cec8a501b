/* test_delivery.c - the check of deliveries finds and names a router's faults.
 *
 * A router of plain trees is right but for a few slots: after the packets were injected their
 * destinations are changed, or taken away, or there is a slot too many. Each row of the table has
 * the counts that must come of it, and the first message that is wrong.
 */
#include "machine/forward.h"
#include "primitives/multicast_tree.h"
#include "routers/routing.h"
#include "workloads/message_set.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
    /* an extra delivery: at the last node, and at the first */
    {PAIR, {NONE}, true, 0, 0, 0},
    {PAIR, {{0, 15}, NONE}, true, 0, 1, 0},
    {PAIR, {{3, 0}, NONE}, true, 0, 1, 1},
    /* two wrong messages: of two threads, and of one */
    {ALL, {{3, NOWHERE}, {12, NOWHERE}, NONE}, false, 2, 0, 3},
    {ALL, {{12, 8}, {2, 10}, NONE}, false, 2, 2, 2},
    {ALL, {{1, NOWHERE}, {2, NOWHERE}, {0, 15}}, false, 3, 1, 0},
    {ALL, {{13, NOWHERE}, {14, 15}, NONE}, false, 2, 1, 14},
};

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

static void read_set(struct message_set *set, const char *text)
{
    ck_assert_int_eq(message_set_read_memory(set, text, strlen(text), "set", NULL), FAIL_NONE);
}

/* Each row, on one thread and on several, gets its status, its counts and its text. */
START_TEST(wrong_deliveries)
{
    static const struct router_method method = {
        .shown = {"spoiled", "trees", ""}, .specs = NO_SPECS, .route = route};
    struct message_set set;
    char expected[200];
    row = &ROWS[_i];
    bool is_right = row->missing + row->misdelivered == 0;
    read_set(&set, row->set);
    snprintf(expected, sizeof expected,
             "%" PRIu64 " deliveries are missing and %" PRIu64
             " are duplicated or misdelivered; the first wrong message is that of node %" PRIu32,
             row->missing, row->misdelivered, row->first_wrong);
    for (uint32_t threads = 1; threads <= 4; threads++) {
        struct router_options options = router_options_default();
        struct router_result result;
        struct failure failure = {0};
        options.threads = threads;
        options.copy_is_free = threads % 2 == 0;
        enum failure_kind kind = router_run(&method.shown, &set, &options, &result, &failure);
        ck_assert_int_eq(kind, is_right ? FAIL_NONE : FAIL_CHECK);
        ck_assert_uint_eq(result.missing, row->missing);
        ck_assert_uint_eq(result.delivered, set.deliveries - row->missing);
        ck_assert_str_eq(failure.text, is_right ? "" : expected);
    }
    message_set_free(&set);
}
END_TEST

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
    ck_assert_int_eq(routing_start(routing, 0, NULL, failure), FAIL_NONE);
    struct headers *header = machine_headers(routing->machine);
    struct routing_rule rule = {.context = header,
                                .outputs = doubling_outputs,
                                .take = doubling_take,
                                .stop = doubling_stop};
    machine_begin_phase(routing->machine, "doubling");
    return machine_forward(routing->machine, &rule, true, UINT64_MAX, failure);
}

/* A slot that goes out twice, the second time where it belongs, is one delivery too many. */
START_TEST(duplicated_slot)
{
    static const struct router_method method = {
        .shown = {"doubling", "delivers twice", ""}, .specs = NO_SPECS, .route = doubling_route};
    struct router_options options = router_options_default();
    struct message_set set;
    struct router_result result;
    struct failure failure = {0};
    options.copy_is_free = true;
    read_set(&set, "mcast 1 1 4\n0 1 2\n");
    ck_assert_int_eq(router_run(&method.shown, &set, &options, &result, &failure), FAIL_CHECK);
    ck_assert_ptr_nonnull(strstr(failure.text, "0 deliveries are missing and 1 are duplicated"));
    message_set_free(&set);
}
END_TEST

void delivery_suite(TCase *tests)
{
    tcase_add_loop_test(tests, wrong_deliveries, 0, sizeof ROWS / sizeof *ROWS);
    tcase_add_test(tests, duplicated_slot);
}
