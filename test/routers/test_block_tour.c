/* test_block_tour.c - tours of blocks: every packet delivers everything in its block, in step.
 *
 * Blocks of all small shapes, also of several sizes in one mesh, with a packet at every node or at
 * some; the audit replays what happened.
 */
#include "base/pcg.h"
#include "routers/block_tour.h"
#include "test/machine/machine_run.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *block_tour_suite(void);

enum { MOST_NODES = 2048 };

static bool in_one_block(const struct tessellation *blocks, struct mesh mesh, node_index a,
                         node_index b)
{
    return blocks->row.tile[a / mesh.cols] == blocks->row.tile[b / mesh.cols] &&
           blocks->col.tile[a % mesh.cols] == blocks->col.tile[b % mesh.cols];
}

enum { BACK = 4 };

/* Packets at `load` per cent of the nodes, each for about every `thin`th node of its block; gives
 * the number of destinations. */
static uint64_t inject(struct machine_run *run, const struct tessellation *blocks, struct mesh mesh,
                       uint32_t load, uint32_t thin, bool is_back)
{
    static node_index wanted[MOST_NODES];
    struct pcg32 random = pcg32_seed(load, thin + is_back);
    uint64_t destinations = 0;
    for (node_index node = 0; node < mesh_nodes(mesh); node++) {
        uint32_t count = 0;
        for (node_index other = 0; other < mesh_nodes(mesh); other++)
            if (in_one_block(blocks, mesh, node, other) && pcg32_below(&random, thin) == 0)
                wanted[count++] = other;
        if (count == 0 || pcg32_below(&random, 100) >= load)
            continue;
        uint32_t packet = run_inject(run, node, count, wanted, true, NULL);
        ck_assert_uint_ne(packet, MACHINE_NONE);
        if (is_back)
            machine_headers(run->machine)->packet[packet].state |= BACK;
        destinations += count;
    }
    return destinations;
}

/* As block_tour.c says it. */
static uint64_t known_steps(const struct block_tour *tour, bool copy_is_free, bool both_ways)
{
    uint32_t hop = both_ways && tour->has_pair ? 2 : tour->hop;
    uint32_t more = copy_is_free ? 0 : both_ways ? 2 : 1;
    return (more == 2 ? 2 : 1) + (uint64_t)(tour->longest - 1) * (hop + more);
}

static void check_ways(struct mesh mesh, uint32_t block_count, uint32_t load, uint32_t thin,
                       bool both_ways)
{
    struct tessellation blocks;
    struct block_tour tour;
    struct machine_run run;
    ck_assert_int_eq(tessellation_make(&blocks, mesh, block_count, NULL), FAIL_NONE);
    ck_assert_int_eq(block_tour_make(&tour, &blocks, NULL), FAIL_NONE);
    for (int copy_is_free = 0; copy_is_free < 2; copy_is_free++) {
        struct machine_config config = {.slots = 2 * mesh_nodes(mesh) * tour.longest,
                                        .copy_is_free = copy_is_free,
                                        .buffer = both_ways ? 4 : 2,
                                        .threads = 1 + load % 2};
        run_start(&run, mesh.rows, mesh.cols, config);
        uint64_t destinations = inject(&run, &blocks, mesh, load, thin, false);
        if (both_ways)
            destinations += inject(&run, &blocks, mesh, load, thin, true);
        machine_begin_phase(run.machine, "tour");
        ck_assert_int_eq(block_tour_run(run.machine, &tour, both_ways ? BACK : 0, NULL), FAIL_NONE);
        const struct machine_counts *counts = machine_counts(run.machine);
        ck_assert_uint_eq(counts->delivered, destinations);
        run_check_deliveries(&run);
        ck_assert_uint_eq(machine_resting(run.machine) + machine_travelling(run.machine), 0);
        ck_assert_uint_eq(counts->steps, known_steps(&tour, copy_is_free, both_ways));
        ck_assert_uint_eq(counts->steps, block_tour_steps(&tour, copy_is_free, both_ways));
        run_audit(&run);
        run_end(&run);
    }
    block_tour_free(&tour);
    block_tour_free(&tour); /* survives a freed one */
    tessellation_free(&blocks);
}

static void check_tour(struct mesh mesh, uint32_t block_count, uint32_t load, uint32_t thin)
{
    check_ways(mesh, block_count, load, thin, false);
    check_ways(mesh, block_count, load, thin, true);
}

/* One block of every shape up to 7 x 7, full and with a few packets. */
START_TEST(one_block)
{
    for (uint32_t rows = 1; rows <= 7; rows++)
        for (uint32_t cols = 1; cols <= 7; cols++) {
            check_tour((struct mesh){rows, cols}, 1, 100, 1);
            check_tour((struct mesh){rows, cols}, 1, 41, 4);
        }
}
END_TEST

/* Many blocks, equal ones and such of up to four sizes. */
START_TEST(many_blocks)
{
    static const struct mesh meshes[] = {{16, 16}, {13, 17}, {9, 30}, {1, 50}, {50, 1}, {3, 40}};
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++)
        for (uint32_t blocks = 2; blocks <= 32; blocks *= 2) {
            check_tour(meshes[i], blocks, 100, 2);
            check_tour(meshes[i], blocks, 31, 5);
        }
}
END_TEST

Suite *block_tour_suite(void)
{
    Suite *suite = suite_create("block_tour");
    TCase *tests = tcase_create("block_tour");
    tcase_add_test(tests, one_block);
    tcase_add_test(tests, many_blocks);
    suite_add_tcase(suite, tests);
    return suite;
}
