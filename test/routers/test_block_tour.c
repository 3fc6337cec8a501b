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

static uint32_t links_between(node_place a, node_place b)
{
    return (uint32_t)(abs((int)place_row(a) - (int)place_row(b)) +
                      abs((int)place_col(a) - (int)place_col(b)));
}

static bool is_odd(struct mesh mesh)
{
    return mesh.rows % 2 == 1 && mesh.cols % 2 == 1 && mesh.rows > 1 && mesh.cols > 1;
}

/* Every distance leads to another node. */
static void check_distances(const struct block_tour *tour, struct mesh mesh, bool is_back)
{
    uint32_t nodes = mesh_nodes(mesh);
    for (uint32_t a = 0; a < nodes; a++) {
        uint8_t seen[64] = {0};
        for (uint32_t b = 0; b < nodes; b++) {
            node_place from = place_of(a / mesh.cols, a % mesh.cols);
            node_place to = place_of(b / mesh.cols, b % mesh.cols);
            uint32_t distance = block_tour_distance(tour, from, to, is_back);
            ck_assert_uint_lt(distance, tour->longest);
            ck_assert(!seen[distance]);
            seen[distance] = 1;
            ck_assert((distance == 0) == (a == b));
            ck_assert_uint_eq(block_tour_place(tour, from, distance, is_back), to);
        }
    }
}

/* The walk round a mesh that is one block. No link is on it twice, but for a line's. */
static void check_walk(struct mesh mesh)
{
    enum { LINKS = 64 };
    static uint8_t used[LINKS][LINKS];
    struct tessellation whole;
    struct block_tour tour;
    uint32_t hop = 1;
    ck_assert_int_eq(tessellation_make(&whole, mesh, 1, NULL), FAIL_NONE);
    ck_assert_int_eq(block_tour_make(&tour, &whole, NULL), FAIL_NONE);
    ck_assert_uint_eq(tour.longest, mesh_nodes(mesh) + is_odd(mesh));
    memset(used, 0, sizeof used);
    for (int is_back = 0; is_back < 2; is_back++) {
        uint32_t deliveries = 0;
        check_distances(&tour, mesh, is_back);
        for (uint32_t i = 0; i < tour.longest; i++) {
            struct block_stop here = block_tour_stop(&tour, 0, i, is_back);
            struct block_stop next =
                block_tour_stop(&tour, 0, block_tour_next(&tour, 0, i), is_back);
            uint32_t links = links_between(here.place, next.place);
            uint32_t a = place_row(here.place) * mesh.cols + place_col(here.place);
            uint32_t b = place_row(next.place) * mesh.cols + place_col(next.place);
            hop = links > hop ? links : hop;
            deliveries += here.is_delivery;
            ck_assert(mesh_nodes(mesh) <= 2 || !used[a][b]++);
            ck_assert(!here.is_delivery || block_tour_position(&tour, here.place, is_back) == i);
        }
        ck_assert_uint_eq(deliveries, mesh_nodes(mesh));
    }
    ck_assert_uint_eq(tour.hop, hop);
    bool is_line = mesh.rows == 1 || mesh.cols == 1;
    ck_assert_uint_eq(hop, is_line && mesh_nodes(mesh) > 2 ? 2 : 1);
    block_tour_free(&tour);
    tessellation_free(&whole);
}

/* Each node has each other at a distance of its own, and neighbours are one link apart, on lines two at most. */
START_TEST(walks)
{
    for (uint32_t rows = 1; rows <= 7; rows++)
        for (uint32_t cols = 1; cols <= 7; cols++)
            check_walk((struct mesh){rows, cols});
}
END_TEST

Suite *block_tour_suite(void)
{
    Suite *suite = suite_create("block_tour");
    TCase *tests = tcase_create("block_tour");
    tcase_add_test(tests, one_block);
    tcase_add_test(tests, many_blocks);
    tcase_add_test(tests, walks);
    suite_add_tcase(suite, tests);
    return suite;
}
