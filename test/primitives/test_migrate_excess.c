/* test_migrate_excess.c - migrations of regions whose nodes hold several packets.
 *
 * Oracle: how many packets of a region want each block. In every instance the block gets as many copies of
 * these as it has nodes, or all that are left, one a node, and a destination goes with one copy.
 */
#include "base/pcg.h"
#include "primitives/migrate.h"
#include "test/length.h"
#include "test/machine/machine_run.h"

#include <check.h>
#include <string.h>

Suite *migrate_excess_suite(void);

enum { MOST_NODES = 1024, MOST_WANTED = 6, MOST_BLOCKS = 512, TOGETHER = 2 };

struct scene {
    struct machine_run run;
    struct mesh mesh;
    struct tessellation regions, blocks;
    struct migration_plan plan;
    uint32_t wanted[MOST_BLOCKS]; /* [block]: packets of its region that want it */
    uint32_t came[MOST_BLOCKS];
    uint32_t destinations; /* selected or not */
};

static uint32_t block_of(const struct scene *scene, node_index node)
{
    return scene->blocks.row.tile[node / scene->mesh.cols] * axis_intervals(&scene->blocks.col) +
           scene->blocks.col.tile[node % scene->mesh.cols];
}

static bool in_one_region(const struct scene *scene, node_index a, node_index b)
{
    const struct tessellation *regions = &scene->regions;
    return regions->row.tile[a / scene->mesh.cols] == regions->row.tile[b / scene->mesh.cols] &&
           regions->col.tile[a % scene->mesh.cols] == regions->col.tile[b % scene->mesh.cols];
}

/* A packet for some nodes of its region, at most MOST_WANTED; most of them for the first blocks if `is_crowded`. */
static void inject(struct scene *scene, node_index node, struct pcg32 *random, bool is_crowded)
{
    node_index wanted[MOST_WANTED];
    uint32_t count = 0, nodes = mesh_nodes(scene->mesh);
    uint8_t seen[MOST_BLOCKS] = {0};
    for (uint32_t tries = 0; tries < 200 && count < MOST_WANTED; tries++) {
        node_index other = pcg32_below(random, nodes);
        bool is_new = other != node && in_one_region(scene, node, other);
        for (uint32_t i = 0; i < count; i++)
            is_new = is_new && wanted[i] != other;
        if (!is_new || (is_crowded && block_of(scene, other) % 5 != 0))
            continue;
        scene->wanted[block_of(scene, other)] += !seen[block_of(scene, other)]++;
        wanted[count++] = other;
    }
    if (count > 0)
        run_inject(&scene->run, node, count, wanted, false, NULL);
    scene->destinations += count;
}

/* One packet per node, or two at `e` nodes of each row of a region. */
static void fill(struct scene *scene, uint32_t e, struct pcg32 *random, bool is_crowded)
{
    for (node_index node = 0; node < mesh_nodes(scene->mesh); node++) {
        uint32_t col = node % scene->mesh.cols;
        struct interval cols = axis_interval_at(&scene->regions.col, col);
        uint32_t width = interval_length(cols), at = col - cols.start + node / scene->mesh.cols;
        inject(scene, node, random, is_crowded);
        if (at % width < e)
            inject(scene, node, random, is_crowded);
    }
}

/* The copies of an instance or two: all destinations of a copy are in the block where it is. */
static void take_copies(struct scene *scene, uint32_t instance)
{
    struct machine *machine = scene->run.machine;
    const struct headers *header = machine_headers(machine);
    for (node_index node = 0; node < mesh_nodes(scene->mesh); node++) {
        uint32_t of_batch[TOGETHER] = {0};
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet)) {
            uint8_t *state = &machine_headers(machine)->packet[packet].state;
            if (!(*state & MIGRATE_IS_COPY) || *state & 128)
                continue;
            for (uint32_t slot = header->packet[packet].first; slot <= packet; slot++)
                ck_assert_uint_eq(
                    block_of(scene, place_row(header->destination[slot]) * scene->mesh.cols +
                                        place_col(header->destination[slot])),
                    block_of(scene, node));
            of_batch[*state & MIGRATE_SECOND_BATCH ? 1 : 0]++;
            scene->came[block_of(scene, node)]++;
            *state |= 128; /* taken */
        }
        ck_assert(of_batch[0] <= 1 && of_batch[1] <= 1);
    }
    for (uint32_t row = 0; row < axis_intervals(&scene->blocks.row); row++)
        for (uint32_t col = 0; col < axis_intervals(&scene->blocks.col); col++) {
            uint32_t block = row * axis_intervals(&scene->blocks.col) + col;
            uint32_t area = interval_length(axis_interval(&scene->blocks.row, row)) *
                            interval_length(axis_interval(&scene->blocks.col, col));
            uint32_t most =
                area * (instance + TOGETHER < scene->plan.instances ? instance + TOGETHER
                                                                    : scene->plan.instances);
            uint32_t wanted = scene->wanted[block];
            ck_assert_uint_eq(scene->came[block], wanted < most ? wanted : most);
        }
}

static void check(struct mesh mesh, uint32_t regions, uint32_t blocks, uint32_t e, uint64_t seed)
{
    static struct scene scene;
    struct pcg32 random = pcg32_seed(seed, e);
    struct migration *migration;
    memset(&scene, 0, sizeof scene);
    scene.mesh = mesh;
    ck_assert_int_eq(tessellation_make(&scene.regions, mesh, regions, NULL), FAIL_NONE);
    ck_assert_int_eq(tessellation_make(&scene.blocks, mesh, blocks, NULL), FAIL_NONE);
    uint32_t rows = axis_longest(&scene.regions.row);
    scene.plan = (struct migration_plan){.regions = &scene.regions,
                                         .blocks = &scene.blocks,
                                         .instances = 1 + pcg32_below(&random, 4),
                                         .excess = {e > 0, e, rows, e * rows}};
    struct machine_config config = {.slots = 2 * MOST_WANTED * mesh_nodes(mesh),
                                    .copy_is_free = seed % 2 == 0,
                                    .buffer =
                                        migrate_packets(&scene.plan) + 2 + scene.plan.instances};
    run_start(&scene.run, mesh.rows, mesh.cols, config);
    fill(&scene, e, &random, seed % 3 == 0);
    machine_begin_phase(scene.run.machine, "migrate");
    ck_assert_int_eq(migrate_make(scene.run.machine, &scene.plan, &migration, NULL), FAIL_NONE);
    ck_assert_int_eq(migrate_rank(migration, NULL), FAIL_NONE);
    uint64_t steps = migrate_rank_steps(&scene.plan), visit = 0;
    ck_assert_uint_eq(machine_counts(scene.run.machine)->steps, steps);
    for (uint32_t i = 0; i < scene.plan.instances; i += TOGETHER) {
        struct failure failure = {0};
        enum failure_kind kind = migrate_send(migration, 0, i, &failure);
        ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
        take_copies(&scene, i);
    }
    ck_assert_int_eq(migrate_visit_steps(&scene.plan, seed % 2 == 0, &visit, NULL), FAIL_NONE);
    ck_assert_uint_eq(machine_counts(scene.run.machine)->steps, steps + visit);
    migrate_end(migration);
    run_audit(&scene.run);
    run_end(&scene.run);
    tessellation_free(&scene.regions);
    tessellation_free(&scene.blocks);
}

/* equal regions and unequal ones, from nobody beyond one a node to two at every node */
START_TEST(excesses)
{
    static const struct {
        struct mesh mesh;
        uint32_t regions, blocks;
    } CASES[] = {{{8, 8}, 1, 8},  {{13, 17}, 4, 32}, {{9, 22}, 4, 16},
                 {{1, 30}, 2, 8}, {{30, 1}, 2, 8},   {{24, 24}, 4, 32}};
    for (uint64_t seed = 0; seed < (TEST_IS_SHORT ? 2 : 12); seed++)
        for (uint32_t e = 0; e <= 4; e++)
            check(CASES[_i].mesh, CASES[_i].regions, CASES[_i].blocks, e, seed);
}
END_TEST

Suite *migrate_excess_suite(void)
{
    Suite *suite = suite_create("migrate_excess");
    TCase *tests = tcase_create("migrate_excess");
    tcase_add_loop_test(tests, excesses, 0, 6);
    suite_add_tcase(suite, tests);
    return suite;
}
