/* test_forward_order.c - which packet leaves a queue of machine_forward first: the most urgent one, and of
 * equally urgent ones the one that came first. Counted by hand.
 */
#include "machine/forward.h"
#include "test/machine/machine_run.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *forward_order_suite(void);

enum { MOST_PACKETS = 16 };

/* Packets walk along their row to header.target's column, then along that column, and rest. */
struct scene {
    struct machine_run run;
    uint32_t urgency[MOST_PACKETS];
    bool has_urgencies;
};

static node_place target_of(const struct scene *scene, uint32_t packet)
{
    return machine_headers(scene->run.machine)->packet[packet].target;
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    node_place target = target_of(context, packet);
    if (place_col(target) != site.col)
        return place_col(target) < site.col ? OUT_WEST : OUT_EAST;
    if (place_row(target) != site.row)
        return place_row(target) < site.row ? OUT_NORTH : OUT_SOUTH;
    return OUT_HOLD;
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    node_place target = target_of(context, packet);
    (void)site;
    return direction_is_vertical(direction) ? place_row(target) : place_col(target);
}

static uint32_t urgency(void *context, struct site site, uint32_t packet, enum direction direction)
{
    (void)site, (void)direction;
    return ((const struct scene *)context)->urgency[packet];
}

static void start(struct scene *scene, uint32_t rows, uint32_t cols)
{
    *scene = (struct scene){.has_urgencies = false};
    run_start(&scene->run, rows, cols, (struct machine_config){.slots = MOST_PACKETS});
}

static void add(struct scene *scene, node_index from, node_index to, uint32_t how_urgent)
{
    scene->urgency[run_inject_target(&scene->run, from, to, false)] = how_urgent;
    scene->has_urgencies |= how_urgent > 0;
}

/* Runs all packets to their targets; they must leave `node` over `link`, its neighbour's number, in this
 * order, one in each step from the `first` on. */
static void expect_order(struct scene *scene, node_index node, node_index link, uint32_t first,
                         uint32_t count, const uint32_t *packet)
{
    struct routing_rule rule = {.context = scene,
                                .outputs = outputs,
                                .stop = stop,
                                .urgency = scene->has_urgencies ? urgency : NULL};
    machine_begin_phase(scene->run.machine, "queue");
    ck_assert_int_eq(machine_forward(scene->run.machine, &rule, true, UINT64_MAX, NULL), FAIL_NONE);
    run_audit(&scene->run);
    char *text = run_text(&scene->run), line[64];
    for (uint32_t i = 0; i < count; i++) {
        snprintf(line, sizeof line, "\n%u M %u %u %u\n", first + i, packet[i], node, link);
        ck_assert_msg(strstr(text, line) != NULL, "there is no line%sin%s", line, text);
    }
    free(text);
    run_end(&scene->run);
}

/* twelve packets, more than stand side by side in a queue, leave as they came */
START_TEST(first_come_first_served)
{
    static const uint32_t order[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    struct scene scene;
    start(&scene, 1, 3);
    for (uint32_t i = 0; i < 12; i++)
        add(&scene, 0, 1 + i % 2, 0);
    expect_order(&scene, 0, 1, 1, 12, order);
}
END_TEST

/* the most urgent of sixteen first; of those that are as urgent the one that came first, also where more of
 * them wait than stand side by side */
START_TEST(most_urgent_first)
{
    static const uint32_t how_urgent[] = {1, 1, 1, 0, 1, 1, 1, MACHINE_MAX_URGENCY,
                                          1, 1, 1, 1, 0, 1, 1, 2};
    static const uint32_t order[] = {7, 15, 0, 1, 2, 4, 5, 6, 8, 9, 10, 11, 13, 14, 3, 12};
    struct scene scene;
    start(&scene, 1, 3);
    for (uint32_t i = 0; i < 16; i++)
        add(&scene, 0, 1 + i % 2, how_urgent[i]);
    expect_order(&scene, 0, 1, 1, 16, order);
}
END_TEST

/* packet 0 comes to node 1 in step 1, where 1 leaves then and 2 and 3 wait: it goes behind those that are
 * as urgent as it is, and before the others */
START_TEST(passing_by)
{
    static const uint32_t orders[][4] = {{1, 2, 3, 0}, {1, 2, 0, 3}, {1, 0, 2, 3}};
    for (uint32_t how_urgent = 0; how_urgent < 3; how_urgent++) {
        struct scene scene;
        start(&scene, 1, 4);
        add(&scene, 0, 3, how_urgent);
        add(&scene, 1, 3, 1);
        add(&scene, 1, 3, 1);
        add(&scene, 1, 3, 0);
        expect_order(&scene, 1, 2, 1, 4, orders[how_urgent]);
    }
}
END_TEST

/* three packets come to node 5 in step 1 and want the link to node 9: one that goes on to the south, one from
 * the east, and one from the west. They go in the order of the links' numbers, behind packet 0, which leaves
 * then */
START_TEST(over_several_links)
{
    static const uint32_t order[] = {0, 1, 3, 2};
    struct scene scene;
    start(&scene, 3, 4);
    add(&scene, 5, 9, 0);
    add(&scene, 1, 9, 0);
    add(&scene, 4, 9, 0);
    add(&scene, 6, 9, 0);
    expect_order(&scene, 5, 9, 1, 4, order);
}
END_TEST

Suite *forward_order_suite(void)
{
    Suite *suite = suite_create("forward_order");
    TCase *tests = tcase_create("forward_order");
    tcase_add_test(tests, first_come_first_served);
    tcase_add_test(tests, most_urgent_first);
    tcase_add_test(tests, passing_by);
    tcase_add_test(tests, over_several_links);
    suite_add_tcase(suite, tests);
    return suite;
}
