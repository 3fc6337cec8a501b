/* test_unicast_blocks.c - permutation routing by sorted blocks: its steps and packets.
 *
 * Runs are held against a model that sorts each block with qsort and routes in plain lists, and against the
 * worst division of a column's packets among the blocks (legs_model.c). Sets against the method attain
 * what is proven.
 */
#include "primitives/unicast_route.h"

#include "base/numbers.h"
#include "test/length.h"
#include "test/machine/inject_one.h"
#include "test/primitives/legs_model.h"
#include "test/primitives/partial_permutation.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *unicast_blocks_suite(void);

enum { SORTING = 3 }; /* sorting and aligning hold so many packets per node at most */

static struct unicast_plan plan_of(const struct tessellation *tiles, uint32_t k)
{
    return (struct unicast_plan){.tiles = tiles, .name = "route", .k = k};
}

/* ---- runs ---- */

static void inject_all(const struct partial *scene, struct machine *machine)
{
    struct headers *header = machine_headers(machine);
    for (node_index node = 0; node < mesh_nodes(scene->mesh); node++) {
        if (scene->target[node] == MESH_NO_NODE)
            continue;
        header->packet[node].first = node;
        header->packet[node].target = site_place(machine_site(machine, scene->target[node]));
        header->destination[node] = MACHINE_NO_PLACE;
        ck_assert(inject_one(machine, node, node, NULL) == FAIL_NONE);
    }
}

static void check_at_targets(const struct partial *scene, struct machine *machine)
{
    uint32_t due = 0, found = 0;
    for (node_index node = 0; node < mesh_nodes(scene->mesh); node++) {
        due += scene->target[node] != MESH_NO_NODE;
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet)) {
            ck_assert(scene->target[packet] == node);
            found++;
        }
    }
    ck_assert(found == due && machine_travelling(machine) == 0);
}

/* Routes the scene with these blocks, or those chosen for so many packets, in a buffer for those.
 * Everything is at its target after the steps that were told. */
static struct machine_counts route(const struct partial *scene, struct mesh blocks, uint32_t k,
                                   uint32_t packets)
{
    struct machine_config config = {.mesh = scene->mesh,
                                    .slots = mesh_nodes(scene->mesh),
                                    .buffer = packets,
                                    .threads = 1,
                                    .kernel = "test"};
    struct failure failure = {0};
    struct machine *machine = machine_create(&config, &failure);
    struct tessellation whole;
    ck_assert_ptr_nonnull(machine);
    ck_assert_int_eq(tessellation_make(&whole, scene->mesh, 1, NULL), FAIL_NONE);
    struct unicast_plan plan = plan_of(&whole, k);
    inject_all(scene, machine);
    enum failure_kind kind = blocks.rows > 0 ? unicast_by_blocks(machine, &plan, blocks, &failure)
                                             : unicast_blocks(machine, &plan, packets, &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
    check_at_targets(scene, machine);
    struct machine_counts counts = *machine_counts(machine);
    struct block_choice choice = {.steps = counts.steps};
    if (blocks.rows == 0)
        ck_assert_int_eq(unicast_blocks_choose(&plan, packets, &choice, NULL), FAIL_NONE);
    ck_assert(counts.steps == choice.steps && counts.sync_steps == 0);
    tessellation_free(&whole);
    machine_free(machine);
    return counts;
}

static struct legs_seen model_of(const struct partial *scene, struct mesh blocks)
{
    static struct legs_packet packet[PARTIAL_MOST_NODES];
    uint32_t packets = legs_model_place(scene->mesh, blocks, scene->target, packet);
    return legs_model_run(scene->mesh, packet, packets);
}

/* Beside the model: no more packets turn than are proven, and the peak is the model's, but for those of
 * the sort. Returns what the model saw. */
static struct legs_seen check(const struct partial *scene, struct mesh blocks, uint32_t k)
{
    struct mesh mesh = scene->mesh;
    struct legs_seen seen = model_of(scene, blocks);
    uint32_t turning =
        min_u32(mesh.cols, legs_worst_turning(blocks.cols, mesh.rows / blocks.rows, k * mesh.rows));
    ck_assert(seen.turning <= turning);
    ck_assert(seen.peak <= turning + 1 + k);
    uint32_t room = turning + 1 + k > SORTING ? turning + 1 + k : SORTING;
    uint32_t peak = route(scene, blocks, k, room).peak;
    ck_assert(peak >= seen.peak);
    ck_assert(peak == seen.peak || peak <= SORTING);
    return seen;
}

/* every partial permutation of 2 x 2 and some, in the long form all, of 3 x 2, cut in every way */
START_TEST(exhaustive)
{
    static struct partial scene;
    struct mesh mesh = {2 + (uint32_t)_i, 2};
    uint32_t nodes = mesh_nodes(mesh), numbers = 1;
    for (uint32_t i = 0; i < nodes; i++)
        numbers *= nodes + 1;
    for (uint32_t number = 0; number<numbers; number += nodes> 4 && TEST_IS_SHORT ? 29 : 1) {
        uint32_t rest = number, taken = 0;
        bool is_permutation = true;
        partial_clear(&scene, mesh);
        for (uint32_t node = 0; node < nodes; node++, rest /= nodes + 1) {
            uint32_t to = rest % (nodes + 1);
            is_permutation = is_permutation && (to == nodes || !(taken >> to & 1));
            taken |= to < nodes ? 1u << to : 0;
            scene.target[node] = to < nodes ? to : MESH_NO_NODE;
        }
        for (uint32_t cut = 0; is_permutation && cut < nodes; cut++)
            check(&scene, (struct mesh){1 + cut / 2, 1 + cut % 2}, 1);
    }
}
END_TEST

/* random partial permutations, cut in many ways */
START_TEST(random_permutations)
{
    static const struct mesh meshes[] = {{16, 16}, {13, 17}, {17, 13}, {5, 40}, {40, 5}, {31, 32}};
    static struct partial scene;
    struct pcg32 random = pcg32_seed(26, 4);
    for (uint32_t i = 0; i < (TEST_IS_SHORT ? 60 : 1200); i++) {
        scene.mesh = meshes[i % 6];
        struct mesh blocks = {1 + pcg32_below(&random, min_u32(scene.mesh.rows, 8)),
                              1 + pcg32_below(&random, min_u32(scene.mesh.cols, 8))};
        partial_shuffle(&scene, &random, 1 + pcg32_below(&random, 130));
        check(&scene, blocks, 1);
    }
}
END_TEST

/* two packets a target, as where a group has two segments */
START_TEST(two_a_target)
{
    static const struct mesh meshes[] = {{16, 16}, {13, 17}, {17, 13}, {6, 30}};
    static struct partial scene;
    struct pcg32 random = pcg32_seed(26, 5);
    for (uint32_t i = 0; i < (TEST_IS_SHORT ? 40 : 800); i++) {
        scene.mesh = meshes[i % 4];
        partial_shuffle(&scene, &random, 100);
        for (node_index node = 0; node < mesh_nodes(scene.mesh); node++)
            scene.target[node] /= 2; /* all to one half of the rows */
        check(&scene, (struct mesh){1 + i % 3, 1 + i % 4}, 2);
        route(&scene, (struct mesh){0, 0}, 2, 8);
    }
}
END_TEST

/* ---- sets against it ---- */

/* every set on every mesh, with every capacity that is offered; the model agrees with the blocks chosen */
START_TEST(sets_against_it)
{
    static const struct mesh meshes[] = {{16, 16}, {19, 19}, {32, 32},
                                         {33, 33}, {12, 45}, {45, 12}};
    static const uint32_t capacities[] = {5, 8, 12, 17};
    static struct partial scene;
    for (size_t i = 0; i < (TEST_IS_SHORT ? 2 : sizeof meshes / sizeof *meshes); i++)
        for (uint32_t variant = 0; variant < PARTIAL_SETS[_i].variants; variant++)
            for (int j = 0; j < 4; j++) {
                struct tessellation whole;
                struct block_choice choice;
                partial_clear(&scene, meshes[i]);
                PARTIAL_SETS[_i].make(&scene, variant);
                route(&scene, (struct mesh){0, 0}, 1, capacities[j]);
                ck_assert_int_eq(tessellation_make(&whole, meshes[i], 1, NULL), FAIL_NONE);
                struct unicast_plan plan = plan_of(&whole, 1);
                ck_assert_int_eq(unicast_blocks_choose(&plan, capacities[j], &choice, NULL), 0);
                if (choice.blocks.rows > 0)
                    check(&scene, choice.blocks, 1);
                tessellation_free(&whole);
            }
}
END_TEST

/* The worst: in the last strip of 2 x 2 blocks of g x g, g + 1 packets of one block and one of the other are
 * for column g and go north; three turn at one node of row g + 2, the order being moved by 6 (for g = 8)
 * with packets for a column before it. Its own packet comes from the other strip, and one passes. */
static void three_turn(struct partial *scene)
{
    enum { SIDE = 16, HALF = 8, ROW = 10, COL = 8, BEFORE = 6 };
    partial_clear(scene, (struct mesh){SIDE, SIDE});
    for (uint32_t block = 0; block < 4; block++) {
        static const uint32_t wanted[4] = {1, 1, HALF + 1, 1};
        /* the strip above: one packet to ROW, in its last row, and one beyond, in the row before */
        uint32_t before = block == 0 ? 3 : block == 1 ? 2 : BEFORE, next = 0;
        for (uint32_t i = 0; i < before + wanted[block]; i++, next++) {
            node_index from =
                (block / 2 * HALF + next % HALF) * SIDE + block % 2 * HALF + next / HALF;
            uint32_t number = i - before, col = i < before ? block : COL, row = i;
            if (i >= before)
                row = block < 2 ? ROW + block : block == 2 ? number : HALF + 1;
            scene->target[from] = row * SIDE + col;
        }
    }
}

/* three packets turn where three may, and the node holds five where five may */
START_TEST(bound_is_attained)
{
    static struct partial scene;
    three_turn(&scene);
    struct legs_seen seen = check(&scene, (struct mesh){2, 2}, 1);
    ck_assert_uint_eq(seen.turning, 3);
    ck_assert_uint_eq(seen.peak, 5);
    ck_assert_uint_eq(route(&scene, (struct mesh){0, 0}, 1, 5).peak, 5);
}
END_TEST

/* As many packets for one column as the worst division says, all at the start of their blocks' orders. */
static void divide_worst(struct partial *scene, struct mesh blocks)
{
    struct mesh mesh = scene->mesh;
    uint32_t height = mesh.rows / blocks.rows, width = mesh.cols / blocks.cols;
    uint32_t spare = mesh.rows - blocks.cols, row = 0;
    for (uint32_t across = 0; across < blocks.cols; across++) {
        uint32_t full = min_u32(spare / height, width - 1); /* one place is for the packet more */
        spare -= full * height;
        for (uint32_t i = 0; i <= full * height; i++)
            scene->target[i % height * mesh.cols + across * width + i / height] =
                row++ * mesh.cols + mesh.cols / 2;
    }
}

/* as many turn at one node as are proven, for blocks of many kinds */
START_TEST(turning_is_attained)
{
    static struct partial scene;
    for (uint32_t down = 1; down <= 6; down++)
        for (uint32_t across = 1; across <= 8; across++) {
            struct mesh mesh = {down * 8, across * 6}, blocks = {down, across};
            uint32_t room = across * 5 + across; /* rows of blocks that the packets may fill */
            partial_clear(&scene, mesh);
            divide_worst(&scene, blocks);
            uint32_t worst = min_u32(legs_worst_turning(across, 8, mesh.rows), room);
            ck_assert_uint_eq(check(&scene, blocks, 1).turning, worst);
        }
}
END_TEST

/* a peak of five does not go into four */
START_TEST(overflow)
{
    static struct partial scene;
    struct machine_config config = {
        .mesh = {16, 16}, .slots = 256, .buffer = 4, .threads = 1, .kernel = "test"};
    struct failure failure = {0};
    struct tessellation whole;
    struct machine *machine = machine_create(&config, NULL);
    three_turn(&scene);
    inject_all(&scene, machine);
    ck_assert_int_eq(tessellation_make(&whole, config.mesh, 1, NULL), FAIL_NONE);
    struct unicast_plan plan = plan_of(&whole, 1);
    ck_assert_int_eq(unicast_blocks(machine, &plan, 5, &failure), FAIL_CHECK);
    ck_assert_msg(strstr(failure.text, "holds 5 packets, capacity 4") != NULL, "%s", failure.text);
    tessellation_free(&whole);
    machine_free(machine);
}
END_TEST

Suite *unicast_blocks_suite(void)
{
    Suite *suite = suite_create("unicast_blocks");
    TCase *tests = tcase_create("unicast_blocks");
    tcase_add_loop_test(tests, exhaustive, 0, 2);
    tcase_add_test(tests, random_permutations);
    tcase_add_test(tests, two_a_target);
    tcase_add_loop_test(tests, sets_against_it, 0, PARTIAL_SET_COUNT);
    tcase_add_test(tests, bound_is_attained);
    tcase_add_test(tests, turning_is_attained);
    tcase_add_test(tests, overflow);
    suite_add_tcase(suite, tests);
    return suite;
}
