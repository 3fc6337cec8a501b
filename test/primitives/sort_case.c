/* sort_case.c - a sort under test.
 *
 * What must hold: every packet that was there still is, in its tile; along the tile's snake they
 * stand in the order of (key, id), as qsort finds it; nodes without a packet come last.
 */
#include "test/primitives/sort_case.h"

#include "test/machine/machine_run.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct mesh mesh_of(const struct sort_case *example)
{
    return (struct mesh){example->tiles.row.length, example->tiles.col.length};
}

/* Takes over `tiles`. */
void sort_case_make(struct sort_case *example, struct tessellation tiles)
{
    *example = (struct sort_case){.tiles = tiles, .threads = 1};
    example->nodes = tiles.row.length * tiles.col.length;
    example->key = calloc(example->nodes, sizeof *example->key);
    example->is_there = malloc(example->nodes * sizeof *example->is_there);
    ck_assert(example->key != NULL && example->is_there != NULL);
    memset(example->is_there, true, example->nodes);
}

void sort_case_cut(struct sort_case *example, struct mesh mesh, uint64_t tiles)
{
    struct tessellation tessellation;
    ck_assert_int_eq(tessellation_make(&tessellation, mesh, tiles, NULL), FAIL_NONE);
    sort_case_make(example, tessellation);
}

void sort_case_free(struct sort_case *example)
{
    tessellation_free(&example->tiles);
    free(example->key);
    free(example->is_there);
}

/* Sorts on `machine`; the steps must be those of sort_steps. */
enum failure_kind sort_case_run(struct machine *machine, struct sort_case *example,
                                struct failure *failure)
{
    uint64_t steps;
    run_inject_keys(machine, example->key, example->is_there);
    machine_begin_phase(machine, "sort");
    example->plan.tiles = &example->tiles;
    enum failure_kind kind = sort_tiles(machine, &example->plan, failure);
    ck_assert_int_eq(sort_steps(&example->plan, &steps, NULL), FAIL_NONE);
    if (kind == FAIL_NONE)
        ck_assert_uint_eq(machine_counts(machine)->steps, steps);
    return kind;
}

/* ---- what came out ---- */

/* A tile in the order's own coordinates: `height` rows of `width`, columns for column-major. */
struct tile {
    uint32_t row, col, height, width;
};

static struct tile tile_at(const struct sort_case *example, uint32_t down, uint32_t across)
{
    const struct axis *row = &example->tiles.row, *col = &example->tiles.col;
    uint32_t rows = row->cut[down + 1] - row->cut[down];
    uint32_t cols = col->cut[across + 1] - col->cut[across];
    bool turned = example->plan.column_major;
    return (struct tile){row->cut[down], col->cut[across], turned ? cols : rows,
                         turned ? rows : cols};
}

static node_index node_of(const struct sort_case *example, const struct tile *tile, uint32_t y,
                          uint32_t x)
{
    bool turned = example->plan.column_major;
    uint32_t row = tile->row + (turned ? x : y), col = tile->col + (turned ? y : x);
    return row * example->tiles.col.length + col;
}

static int compare_words(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* What a node holds now: key and id, all ones for nothing. */
static uint64_t word_at(const struct machine *machine, const struct sort_case *example,
                        node_index node)
{
    uint32_t packet = machine_first_resting(machine, node);
    if (packet == MACHINE_NONE)
        return UINT64_MAX;
    ck_assert(machine_next_resting(machine, packet) == MACHINE_NONE);
    return (uint64_t)example->key[packet] << 32 | packet;
}

/* The words along the tile's snake, and what they should be. */
static void collect(const struct machine *machine, const struct sort_case *example,
                    const struct tile *tile, uint64_t *found, uint64_t *expected)
{
    uint32_t count = 0;
    for (uint32_t y = 0; y < tile->height; y++)
        for (uint32_t x = 0; x < tile->width; x++, count++) {
            node_index node = node_of(example, tile, y, x);
            uint64_t word = (uint64_t)example->key[node] << 32 | node;
            expected[count] = example->is_there[node] ? word : UINT64_MAX;
            uint32_t along = y % 2 == 1 ? tile->width - 1 - x : x;
            found[count] = word_at(machine, example, node_of(example, tile, y, along));
        }
    qsort(expected, count, sizeof *expected, compare_words);
}

void sort_case_check(const struct machine *machine, const struct sort_case *example)
{
    uint64_t *found = malloc(2 * (size_t)example->nodes * sizeof *found);
    ck_assert_ptr_nonnull(found);
    for (uint32_t i = 0; i < axis_intervals(&example->tiles.row); i++)
        for (uint32_t j = 0; j < axis_intervals(&example->tiles.col); j++) {
            struct tile tile = tile_at(example, i, j);
            uint32_t count = tile.height * tile.width;
            collect(machine, example, &tile, found, found + count);
            ck_assert_msg(memcmp(found, found + count, count * sizeof *found) == 0,
                          "tile %u, %u of %u x %u nodes", i, j, tile.height, tile.width);
        }
    free(found);
}

/* Without a trace. */
void sort_case_untraced(struct sort_case *example)
{
    struct failure failure = {0};
    struct machine_config config = {.mesh = mesh_of(example),
                                    .slots = example->nodes,
                                    .buffer = SORT_CASE_CAPACITY,
                                    .threads = example->threads};
    struct machine *machine = machine_create(&config, &failure);
    ck_assert_ptr_nonnull(machine);
    ck_assert_msg(sort_case_run(machine, example, &failure) == FAIL_NONE, "%s", failure.text);
    sort_case_check(machine, example);
    machine_free(machine);
}

/* With a trace, which is audited. */
void sort_case_traced(struct sort_case *example)
{
    struct machine_run run;
    struct machine_config config = {.slots = example->nodes, .buffer = SORT_CASE_CAPACITY};
    run_start(&run, example->tiles.row.length, example->tiles.col.length, config);
    ck_assert_int_eq(sort_case_run(run.machine, example, NULL), FAIL_NONE);
    sort_case_check(run.machine, example);
    run_audit(&run);
    run_end(&run);
}
