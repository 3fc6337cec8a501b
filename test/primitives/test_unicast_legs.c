/* test_unicast_legs.c - routing in two legs: its steps and packets, beside a plain model (legs_model.c).
 *
 * All placements of a few packets on tiny meshes; random and one-sided ones with several packets per node, a
 * turn, and a target; what is proven is attained; and legs that say too little are found out.
 */
#include "primitives/unicast_route.h"

#include "base/pcg.h"
#include "test/length.h"
#include "test/machine/inject_one.h"
#include "test/machine/machine_run.h"
#include "test/primitives/legs_model.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *unicast_legs_suite(void);

enum { MOST = 1 << 12 };

struct scene {
    struct mesh mesh;
    uint32_t packets;
    struct legs_packet packet[MOST];
};

static uint32_t at_least_one(uint32_t number)
{
    return number > 0 ? number : 1;
}

static struct legs_seen seen_of(const struct scene *scene)
{
    static struct legs_packet packet[MOST];
    memcpy(packet, scene->packet, scene->packets * sizeof *packet);
    struct legs_seen seen = legs_model_run(scene->mesh, packet, scene->packets);
    seen.starting = at_least_one(seen.starting);
    seen.turning = at_least_one(seen.turning);
    seen.ending = at_least_one(seen.ending);
    return seen;
}

static enum failure_kind route(const struct scene *scene, const struct unicast_legs *legs,
                               struct machine_counts *counts, struct failure *failure)
{
    struct mesh mesh = scene->mesh;
    struct machine_config config = {
        .mesh = mesh, .slots = scene->packets + 1, .threads = 1, .kernel = "test"};
    struct machine *machine = machine_create(&config, failure);
    struct tessellation whole;
    ck_assert_ptr_nonnull(machine);
    ck_assert_int_eq(tessellation_make(&whole, mesh, 1, NULL), FAIL_NONE);
    struct headers *header = machine_headers(machine);
    for (uint32_t i = 0; i < scene->packets; i++) {
        const struct legs_packet *packet = &scene->packet[i];
        header->packet[i].first = i;
        header->packet[i].target = place_of(packet->to_row, packet->to_col);
        header->destination[i] = MACHINE_NO_PLACE;
        ck_assert(inject_one(machine, packet->row * mesh.cols + packet->col, i, failure) ==
                  FAIL_NONE);
    }
    enum failure_kind kind = unicast_along_legs(machine, &whole, "legs", legs, failure);
    uint32_t at_target = 0;
    for (node_index node = 0; kind == FAIL_NONE && node < mesh_nodes(mesh); node++)
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet))
            at_target += header->packet[packet].target == site_place(machine_site(machine, node));
    ck_assert(kind != FAIL_NONE || at_target == scene->packets);
    *counts = *machine_counts(machine);
    ck_assert(kind != FAIL_NONE || counts->steps == unicast_legs_steps(&whole, legs));
    tessellation_free(&whole);
    machine_free(machine);
    return kind;
}

/* As much as the model sees is said, and no more: all comes home, with the peak and the hops of the
 * model, and within the bounds. Returns by how many packets the peak is below the bound. */
static uint32_t check(const struct scene *scene)
{
    struct legs_seen seen = seen_of(scene);
    struct unicast_legs legs = {seen.starting, seen.turning, seen.ending};
    struct machine_counts counts;
    struct failure failure = {0};
    enum failure_kind kind = route(scene, &legs, &counts, &failure);
    if (kind != FAIL_NONE)
        ck_abort_msg("%s", failure.text);
    ck_assert(counts.peak == seen.peak);
    ck_assert(counts.packet_hops == seen.hops);
    ck_assert(seen.row_steps <= (uint64_t)legs.starts * (scene->mesh.cols - 1));
    ck_assert(seen.col_steps <= (uint64_t)legs.ends * (scene->mesh.rows - 1));
    ck_assert(seen.peak <= unicast_legs_packets(&legs));
    return unicast_legs_packets(&legs) - seen.peak;
}

static struct legs_packet packet_of(struct mesh mesh, node_index from, node_index to)
{
    return (struct legs_packet){from / mesh.cols, from % mesh.cols, to / mesh.cols, to % mesh.cols};
}

/* all sources and targets of two packets, of three on fewer nodes */
START_TEST(exhaustive)
{
    static const struct mesh meshes[] = {{2, 3}, {3, 2}, {1, 5}, {5, 1}, {2, 2}};
    static struct scene scene;
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        uint32_t nodes = mesh_nodes(meshes[i]), cases = 1;
        scene = (struct scene){.mesh = meshes[i], .packets = nodes == 4 ? 3 : 2};
        for (uint32_t j = 0; j < 2 * scene.packets; j++)
            cases *= nodes;
        for (uint32_t number = 0; number < cases; number++) {
            uint32_t rest = number;
            for (uint32_t j = 0; j < scene.packets; j++, rest /= nodes * nodes)
                scene.packet[j] = packet_of(scene.mesh, rest % nodes, rest / nodes % nodes);
            check(&scene);
        }
    }
}
END_TEST

/* every partial permutation of 2 x 3 and 3 x 2 nodes, some of them in the short form */
START_TEST(permutations)
{
    static struct scene scene;
    struct mesh mesh = _i == 0 ? (struct mesh){2, 3} : (struct mesh){3, 2};
    for (uint32_t number = 0; number < 7 * 7 * 7 * 7 * 7 * 7; number += TEST_IS_SHORT ? 11 : 1) {
        uint32_t rest = number, taken = 0;
        bool is_permutation = true;
        scene = (struct scene){.mesh = mesh};
        for (uint32_t node = 0; node < 6; node++, rest /= 7) {
            uint32_t to = rest % 7;
            is_permutation = is_permutation && (to == 6 || !(taken >> to & 1));
            taken |= to < 6 ? 1u << to : 0;
            if (to < 6)
                scene.packet[scene.packets++] = packet_of(mesh, node, to);
        }
        if (is_permutation)
            check(&scene);
    }
}
END_TEST

/* anything: random sources and targets, of the whole mesh or of parts of it */
START_TEST(random_packets)
{
    static const struct mesh meshes[] = {{8, 8}, {5, 13}, {16, 3}, {1, 20}, {20, 1}, {11, 12}};
    static struct scene scene;
    struct pcg32 random = pcg32_seed(26, 4);
    for (uint32_t i = 0; i < (TEST_IS_SHORT ? 300 : 6000); i++) {
        struct mesh mesh = meshes[i % 6];
        uint32_t nodes = mesh_nodes(mesh), parts[2] = {nodes, nodes};
        scene = (struct scene){.mesh = mesh, .packets = pcg32_below(&random, 2 * nodes)};
        for (int j = 0; j < 2; j++)
            if (pcg32_below(&random, 2) == 0)
                parts[j] = 1 + pcg32_below(&random, nodes);
        for (uint32_t j = 0; j < scene.packets; j++) {
            node_index from = pcg32_below(&random, parts[0]);
            node_index to = nodes - 1 - pcg32_below(&random, parts[1]);
            scene.packet[j] = packet_of(mesh, from, to);
        }
        check(&scene);
    }
}
END_TEST

/* Rows of h x w nodes: t packets of row `row` wait at one column and then all go north, while packets
 * from further south pass, the node's own packet has come from the north, and another one passes: all
 * that the bound allows for. */
static void crowd_turn(struct scene *scene, uint32_t turning)
{
    enum { ROW = 20, COL = 8 };
    *scene = (struct scene){.mesh = {30, 17}};
    uint32_t next = 0; /* row above ROW */
    for (uint32_t i = 0; i < turning; i++)
        scene->packet[scene->packets++] = (struct legs_packet){ROW, i < 8 ? i : i + 1, next++, COL};
    for (uint32_t row = ROW + 1; row < ROW + 7; row++)
        scene->packet[scene->packets++] = (struct legs_packet){row, 0, next++, COL};
    scene->packet[scene->packets++] = (struct legs_packet){ROW - 3, 2, ROW, COL};
    scene->packet[scene->packets++] = (struct legs_packet){ROW - 4, 2, ROW + 1, COL};
    ck_assert_uint_le(next, ROW);
}

/* the most packets that are proven are there, for one packet per node and a target */
START_TEST(packets_are_attained)
{
    static struct scene scene;
    for (uint32_t turning = 1; turning <= 14; turning++) {
        crowd_turn(&scene, turning);
        struct legs_seen seen = seen_of(&scene);
        ck_assert_uint_eq(seen.starting, 1);
        ck_assert_uint_eq(seen.turning, turning);
        ck_assert_uint_eq(seen.ending, 1);
        ck_assert_uint_eq(check(&scene), 0);
    }
}
END_TEST

/* so are the steps: s packets start at each node of a row, and all nodes of the column get e from its end */
START_TEST(steps_are_attained)
{
    static struct scene scene;
    for (uint32_t starts = 1; starts <= 3; starts++)
        for (uint32_t ends = 1; ends <= 3; ends++) {
            scene = (struct scene){.mesh = {9, 7}};
            for (uint32_t i = 0; i < 6 * starts; i++)
                scene.packet[scene.packets++] = (struct legs_packet){0, i / starts, 0, 6};
            for (uint32_t i = 0; i < 8 * ends; i++)
                scene.packet[scene.packets++] =
                    (struct legs_packet){i % starts, 6, 8 - i / ends, 6};
            check(&scene);
            struct legs_seen seen = seen_of(&scene);
            ck_assert_uint_ge(seen.row_steps, 6);
            ck_assert_uint_eq(seen.row_steps, 6 * starts);
        }
    for (uint32_t ends = 1; ends <= 3; ends++) {
        scene = (struct scene){.mesh = {9, 64}};
        for (uint32_t i = 0; i < 8 * ends; i++)
            scene.packet[scene.packets++] = (struct legs_packet){0, i, 1 + i / ends, 40};
        check(&scene);
        ck_assert_uint_eq(seen_of(&scene).col_steps, 8 * ends);
    }
}
END_TEST

/* legs that say too little end the run: of the packets, of the targets, of the sources */
START_TEST(too_little)
{
    static struct scene scene;
    static const char *const complaints[] = {"holds 5 packets, capacity 4",
                                             "have not arrived after 8 steps",
                                             "have not arrived after 6 steps"};
    struct unicast_legs legs = {1, 2, 1};
    struct machine_counts counts;
    struct failure failure = {0};
    crowd_turn(&scene, 3);
    if (_i > 0) {
        scene = (struct scene){.mesh = {9, 7}};
        legs = (struct unicast_legs){1, 30, 1};
        for (uint32_t i = 0; i < 12; i++)
            scene.packet[i] = _i == 1 ? (struct legs_packet){i / 6, i % 6, 7 + i % 2, 6}
                                      : (struct legs_packet){0, i / 2, 0, 6};
        scene.packets = 12;
    }
    ck_assert_int_eq(route(&scene, &legs, &counts, &failure), FAIL_CHECK);
    ck_assert_msg(strstr(failure.text, complaints[_i]) != NULL, "%s", failure.text);
}
END_TEST

Suite *unicast_legs_suite(void)
{
    Suite *suite = suite_create("unicast_legs");
    TCase *tests = tcase_create("unicast_legs");
    tcase_add_test(tests, exhaustive);
    tcase_add_loop_test(tests, permutations, 0, 2);
    tcase_add_test(tests, random_packets);
    tcase_add_test(tests, packets_are_attained);
    tcase_add_test(tests, steps_are_attained);
    tcase_add_loop_test(tests, too_little, 0, 3);
    suite_add_tcase(suite, tests);
    return suite;
}
