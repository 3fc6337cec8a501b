/* test_migrate.c - the t-migration against ranks counted by brute force: every block gets the
 * copies that it must, each with exactly its destinations, one a node and instance; the rest stays.
 */
#include "primitives/migrate.h"

#include "machine/forward.h"
#include "test/length.h"
#include "test/machine/light_cone.h"
#include "test/primitives/migrate_scene.h"

#include <check.h>
#include <stdlib.h>

Suite *migrate_suite(void);

enum { VARIANTS = 2 }; /* with the least room, and with more */

static struct migration_plan plan_of(int variant, uint32_t instances)
{
    return (struct migration_plan){.instances = instances, .room = variant == 0 ? 0 : 8};
}

static const demand FAMILIES[] = {demand_anywhere, demand_few, demand_everywhere, demand_corner,
                                  demand_last_row};
enum { FAMILY_COUNT = sizeof FAMILIES / sizeof *FAMILIES };

static uint32_t first_interval(const struct axis *axis)
{
    return axis->cut[1]; /* a largest one */
}

/* The documented length of the ranking. */
static void check_rank_steps(const struct scene *scene)
{
    uint64_t t = tessellation_tiles(&scene->blocks) / tessellation_tiles(&scene->regions);
    uint64_t around =
        first_interval(&scene->regions.col) / 2 * 2 + first_interval(&scene->regions.row) - 1;
    uint64_t steps = 2 * around + (t + 3) / 4 - 1 + migrate_instances(&scene->plan) - 1;
    ck_assert_uint_eq(migrate_rank_steps(&scene->plan), steps);
}

/* Packets per node: as documented, what rests, and the copies of the instances before. */
static uint32_t capacity(const struct migration_plan *plan)
{
    return 1 + plan->instances - 2 + (plan->room > 0 ? plan->room : 5) + 1;
}

static void run_case(struct shape shape, demand demands, uint32_t instances, int variant,
                     uint64_t seed)
{
    struct migration_plan plan = plan_of(variant, instances);
    struct failure failure = {0};
    struct scene *scene = scene_make(shape, plan, seed % 2 == 0, capacity(&plan));
    scene_fill(scene, demands, seed, MESH_NO_NODE);
    machine_begin_phase(scene->run.machine, "migrate");
    enum failure_kind kind = migrate(scene->run.machine, &scene->plan, &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
    scene_check(scene);
    check_rank_steps(scene);
    run_audit(&scene->run);
    scene_free(scene);
}

static const struct shape SHAPES[] = {
    {1, 1, 1, 1},   {2, 2, 1, 4},    {1, 16, 1, 4},   {16, 1, 2, 8},   {4, 4, 1, 16},
    {5, 7, 1, 4},   {8, 8, 1, 8},    {8, 8, 4, 16},   {9, 13, 4, 32},  {12, 12, 2, 2},
    {16, 16, 1, 1}, {16, 16, 4, 32}, {17, 11, 1, 16}, {20, 20, 4, 64}, {16, 16, 1, 256},
};

/* all families on many shapes: one block, as many blocks as nodes, regions and blocks of two
 * sizes, one to three instances, free and unit copies */
START_TEST(copies_by_rank)
{
    uint32_t step = TEST_IS_SHORT ? 2 : 1;
    for (uint32_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++)
        for (uint32_t f = i % step; f < FAMILY_COUNT; f += step)
            run_case(SHAPES[i], FAMILIES[f], 1 + (i + f) % 3, _i, i + f);
}
END_TEST

/* The steps of ranks and of all instances as they are said before. */
static uint64_t steps_said(const struct scene *scene, bool copy_is_free)
{
    uint64_t steps = 0;
    ck_assert_int_eq(migrate_visit_steps(&scene->plan, copy_is_free, &steps, NULL), FAIL_NONE);
    return migrate_rank_steps(&scene->plan) + steps;
}

/* as many steps as are said, whatever the packets, no synchronisation, all in the caller's phase,
 * and what stays keeps its header */
START_TEST(known_length)
{
    static const demand all[] = {demand_everywhere, demand_few, demand_last_row, demand_shares};
    static const struct shape shapes[] = {{16, 16, 1, 16}, {16, 16, 4, 32}, {9, 13, 4, 32}};
    bool is_free = _i % 2 == 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t f = 0; f < sizeof all / sizeof *all; f++) {
            struct migration_plan plan = plan_of(_i / 2, 3);
            struct scene *scene = scene_make(shapes[i], plan, is_free, capacity(&plan));
            scene_fill(scene, all[f], 7, MESH_NO_NODE);
            struct machine *machine = scene->run.machine;
            struct headers *header = machine_headers(machine);
            for (node_index node = 0; node < scene->nodes; node++) {
                uint32_t packet = machine_first_resting(machine, node);
                if (packet == MACHINE_NONE)
                    continue;
                header->packet[packet].target = node;
                header->packet[packet].state = node % 8 * 2;
            }
            machine_begin_phase(machine, "own");
            ck_assert_int_eq(migrate(machine, &scene->plan, NULL), FAIL_NONE);
            scene_check(scene);
            for (node_index node = 0; node < scene->nodes; node++)
                for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
                     packet = machine_next_resting(machine, packet))
                    if (!(header->packet[packet].state & MIGRATE_IS_COPY)) {
                        ck_assert_uint_eq(header->packet[packet].target, node);
                        ck_assert_uint_eq(header->packet[packet].state, node % 8 * 2);
                    }
            ck_assert_uint_eq(machine_counts(machine)->steps, steps_said(scene, is_free));
            ck_assert_uint_eq(machine_counts(machine)->sync_steps, 0);
            ck_assert_uint_eq(machine_phases(machine), 1);
            scene_free(scene);
        }
}
END_TEST

/* The least and the most room for two instances of a visit, beside ranks, tours and the shift: 12 s steps in 6
 * packets and 10 s in 9, where the side s of a region is a power of two. */
START_TEST(pair_is_short)
{
    for (uint32_t side = 8; side <= 32; side *= 2) {
        struct shape shape = {side, side, 1, side};
        struct migration_plan plan = plan_of(_i, 2);
        struct scene *scene = scene_make(shape, plan, true, 0);
        uint64_t steps = 0;
        ck_assert_int_eq(migrate_visit_steps(&scene->plan, true, &steps, NULL), FAIL_NONE);
        ck_assert_uint_le(steps, (_i == 0 ? 12 : 10) * side);
        scene_free(scene);
    }
}
END_TEST

/* two runs that differ in one packet agree wherever light from its node has not been; on the long
 * mesh all phases are over before it has passed half of the regions */
START_TEST(local)
{
    static const struct shape shapes[] = {{12, 12, 1, 8}, {9, 14, 4, 16}, {3, 96, 32, 64}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        node_index changed = shapes[i].rows * shapes[i].cols / 3;
        struct mesh mesh = {shapes[i].rows, shapes[i].cols};
        char *text[2], why[LIGHT_CONE_TEXT];
        for (int run = 0; run < 2; run++) {
            struct migration_plan plan = plan_of(_i, 2);
            struct scene *scene = scene_make(shapes[i], plan, i % 2 == 0, 0);
            scene_fill(scene, demand_shares, 5, run == 0 ? MESH_NO_NODE : changed);
            machine_begin_phase(scene->run.machine, "migrate");
            ck_assert_int_eq(migrate(scene->run.machine, &scene->plan, NULL), FAIL_NONE);
            text[run] = run_text(&scene->run);
            scene_free(scene);
        }
        size_t events = 0;
        ck_assert_msg(light_cone_agrees(text[0], text[1], mesh, &changed, 1, &events, why), "%s",
                      why);
        ck_assert_uint_gt(events, 0);
        free(text[0]);
        free(text[1]);
    }
}
END_TEST

/* the caller may deliver the copies of one instance before it asks for the next */
static unsigned deliver_outputs(void *context, struct site site, uint32_t packet)
{
    const struct headers *header = context;
    (void)site;
    return header->packet[packet].state & MIGRATE_IS_COPY ? OUT_DISCARD : OUT_HOLD;
}

START_TEST(one_after_another)
{
    struct migration_plan plan = plan_of(0, 4);
    struct shape shape = {16, 16, 1, 16};
    struct scene *scene = scene_make(shape, plan, true, 12);
    struct migration *migration;
    scene_fill(scene, demand_everywhere, 3, MESH_NO_NODE);
    struct routing_rule rule = {.context = machine_headers(scene->run.machine),
                                .outputs = deliver_outputs};
    machine_begin_phase(scene->run.machine, "migrate");
    ck_assert_int_eq(migrate_make(scene->run.machine, &scene->plan, &migration, NULL), FAIL_NONE);
    ck_assert_int_eq(migrate_rank(migration, NULL), FAIL_NONE);
    for (uint32_t i = 0; i < 4; i += 2) {
        uint64_t before = machine_resting(scene->run.machine);
        ck_assert_int_eq(migrate_send(migration, 0, i, NULL), FAIL_NONE);
        /* 16 blocks of 16 nodes are full, twice; 32 packets have sent all that they had and are gone */
        ck_assert_uint_eq(machine_resting(scene->run.machine), before + 2 * (256 - 16));
        machine_begin_phase(scene->run.machine, "use");
        ck_assert_int_eq(machine_forward(scene->run.machine, &rule, true, 1, NULL), FAIL_NONE);
        ck_assert_uint_eq(machine_resting(scene->run.machine), before - 32);
    }
    migrate_end(migration);
    run_audit(&scene->run);
    scene_free(scene);
}
END_TEST

/* in one block of more nodes than four counts a word can tell apart every packet is selected, and stays */
START_TEST(many_a_block)
{
    struct mesh mesh = {257, 256};
    struct machine_run run;
    struct tessellation whole;
    uint32_t nodes = mesh_nodes(mesh);
    run_start(&run, mesh.rows, mesh.cols, (struct machine_config){.slots = nodes, .buffer = 7});
    ck_assert_int_eq(tessellation_make(&whole, mesh, 1, NULL), FAIL_NONE);
    for (node_index node = 0; node < nodes; node++) {
        node_index elsewhere = node == 0;
        uint32_t packet = run_inject(&run, node, 1, &elsewhere, false, NULL);
        ck_assert_uint_ne(packet, MACHINE_NONE);
    }
    struct migration_plan plan = {.regions = &whole, .blocks = &whole, .instances = 1};
    machine_begin_phase(run.machine, "migrate");
    ck_assert_int_eq(migrate(run.machine, &plan, NULL), FAIL_NONE);
    const struct header *header = machine_headers(run.machine)->packet;
    for (node_index node = 0; node < nodes; node++) {
        uint32_t packet = machine_first_resting(run.machine, node);
        if (packet != node || !(header[packet].state & MIGRATE_IS_COPY))
            ck_abort_msg("node %u", node);
    }
    tessellation_free(&whole);
    run_end(&run);
}
END_TEST

/* ---- several visits ---- */

/* Regions stand side by side, and packets go from each to the next, from the last to the first. */
static uint32_t visit_of(void *context, uint32_t packet, node_place destination)
{
    const struct scene *scene = context;
    const uint32_t *region = scene->regions.col.tile, count = axis_intervals(&scene->regions.col);
    return (region[place_col(destination)] + count - scene->home[packet]) % count;
}

/* Copies are discarded, all others go on to the next region. */
static unsigned shift_outputs(void *context, struct site site, uint32_t packet)
{
    struct scene *scene = context;
    const struct header *header = &machine_headers(scene->run.machine)->packet[packet];
    const uint32_t *cut = scene->regions.col.cut, count = axis_intervals(&scene->regions.col);
    uint32_t region = (scene->home[packet] + scene->visit) % count;
    if (header->state & MIGRATE_IS_COPY)
        return OUT_DISCARD;
    uint32_t there = cut[region] + header->target;
    return there == site.col ? OUT_HOLD : there > site.col ? OUT_EAST : OUT_WEST;
}

static uint32_t shift_stop(void *context, struct site site, uint32_t packet,
                           enum direction direction)
{
    struct scene *scene = context;
    const uint32_t *cut = scene->regions.col.cut, count = axis_intervals(&scene->regions.col);
    (void)site;
    (void)direction;
    return cut[(scene->home[packet] + scene->visit) % count] +
           machine_headers(scene->run.machine)->packet[packet].target;
}

/* ranks of all visits come before the first one, and each visit takes and leaves what it must: equal regions,
 * and a narrower one, in whose columns all packets stand; then as many steps as are said */
START_TEST(visits)
{
    static const struct shape shapes[] = {{8, 32, 4, 32}, {6, 21, 2, 16}};
    struct shape shape = shapes[_i / 2];
    struct migration_plan plan = plan_of(0, 2 + _i % 2);
    struct scene *scene = scene_make(shape, plan, _i % 2 == 0, 0);
    uint32_t count = axis_intervals(&scene->regions.col);
    uint32_t narrow = shape.cols / count; /* of a narrowest */
    const uint32_t *cut = scene->regions.col.cut;
    struct machine *machine = scene->run.machine;
    struct headers *header = machine_headers(machine);
    scene->plan.visits = count;
    scene->plan.visit_of = visit_of;
    scene->plan.context = scene;
    scene->most_col = narrow;
    scene_fill(scene, demand_anywhere, 11, MESH_NO_NODE);
    for (node_index node = 0; node < scene->nodes; node++) {
        uint32_t packet = machine_first_resting(machine, node), region;
        if (packet == MACHINE_NONE)
            continue;
        region = scene->regions.col.tile[node % shape.cols];
        for (uint32_t slot = header->packet[packet].first; slot <= packet; slot++)
            scene->home[slot] = region;
        header->packet[packet].target = node % shape.cols - cut[region];
    }
    struct migration *migration;
    machine_begin_phase(machine, "migrate");
    ck_assert_int_eq(migrate_make(machine, &scene->plan, &migration, NULL), FAIL_NONE);
    ck_assert_int_eq(migrate_rank(migration, NULL), FAIL_NONE);
    uint64_t steps = migrate_rank_steps(&scene->plan), moving = 0, before = 0;
    ck_assert_uint_eq(machine_counts(machine)->steps, steps);
    for (scene->visit = 0; scene->visit < count;) {
        before = machine_counts(machine)->steps;
        for (uint32_t i = 0; i < plan.instances; i += 2)
            ck_assert_int_eq(migrate_send(migration, scene->visit, i, NULL), FAIL_NONE);
        moving += machine_counts(machine)->steps - before;
        scene_check_visit(scene);
        struct routing_rule rule = {.context = scene, .outputs = shift_outputs, .stop = shift_stop};
        scene->visit++;
        machine_begin_phase(machine, "shift");
        ck_assert_int_eq(machine_forward(machine, &rule, true, 200, NULL), FAIL_NONE);
        ck_assert_uint_eq(machine_travelling(machine), 0);
    }
    uint64_t said = 0;
    ck_assert_int_eq(migrate_visit_steps(&scene->plan, _i % 2 == 0, &said, NULL), FAIL_NONE);
    ck_assert_uint_eq(moving, count * said);
    migrate_end(migration);
    run_audit(&scene->run);
    scene_free(scene);
}
END_TEST

Suite *migrate_suite(void)
{
    Suite *suite = suite_create("migrate");
    TCase *tests = tcase_create("migrate");
    tcase_add_loop_test(tests, copies_by_rank, 0, VARIANTS);
    tcase_add_loop_test(tests, known_length, 0, 2 * VARIANTS);
    tcase_add_loop_test(tests, pair_is_short, 0, 2);
    tcase_add_loop_test(tests, visits, 0, 4);
    tcase_add_loop_test(tests, local, 0, VARIANTS);
    tcase_add_test(tests, one_after_another);
    if (!TEST_IS_SHORT)
        tcase_add_test(tests, many_a_block);
    suite_add_tcase(suite, tests);
    return suite;
}
