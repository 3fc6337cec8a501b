/* test_prefix.c - prefix sums in snake order against a plain loop, tile by tile.
 *
 * A kernel's trace of each run goes through the audit: no link carries two words in a step.
 */
#include "primitives/prefix.h"

#include "machine/pcg.h"
#include "test/machine_run.h"

#include <check.h>
#include <stdlib.h>

Suite *prefix_suite(void);

/* One run: a mesh, its tiles, what the nodes put in. */
struct example {
    struct machine_run run;
    struct tessellation tessellation;
    uint32_t nodes, count;
    uint32_t *put, *value, *total;
};

static void example_make(struct example *example, struct mesh mesh, uint64_t tiles, uint32_t count,
                         uint32_t threads)
{
    *example = (struct example){.nodes = mesh_nodes(mesh), .count = count};
    size_t values = (size_t)example->nodes * count;
    run_start(&example->run, mesh.rows, mesh.cols, (struct machine_config){.threads = threads});
    machine_begin_phase(example->run.machine, "prefix");
    ck_assert_int_eq(tessellation_make(&example->tessellation, mesh, tiles, NULL), FAIL_NONE);
    example->put = calloc(values, sizeof *example->put);
    example->value = calloc(values, sizeof *example->value);
    example->total = calloc(values, sizeof *example->total);
}

static void example_free(struct example *example)
{
    run_end(&example->run);
    tessellation_free(&example->tessellation);
    free(example->put);
    free(example->value);
    free(example->total);
}

static void example_run(struct example *example)
{
    for (size_t i = 0; i < (size_t)example->nodes * example->count; i++) {
        example->value[i] = example->put[i];
        example->total[i] = 0xdeadbeef;
    }
    ck_assert_int_eq(prefix_snake(example->run.machine, &example->tessellation, example->count,
                                  example->value, example->total, NULL),
                     FAIL_NONE);
}

/* The plain loop over one tile's snake, for one sum. */
static bool tile_is_right(const struct example *example, struct halves rows, struct halves cols,
                          uint32_t sum)
{
    size_t plane = (size_t)sum * example->nodes;
    uint32_t width = example->tessellation.col.length, before = 0, wrong = 0;
    for (int pass = 0; pass < 2; pass++) { /* the sums, then the total everywhere */
        uint32_t total = before;
        before = 0;
        for (uint32_t row = rows.start; row < rows.end; row++) {
            for (uint32_t i = cols.start; i < cols.end; i++) {
                bool east = (row - rows.start) % 2 == 0;
                size_t at =
                    plane + (size_t)row * width + (east ? i : cols.end - 1 - (i - cols.start));
                if (pass == 0)
                    wrong += example->value[at] != before;
                else
                    wrong += example->total[at] != total;
                before += example->put[at];
            }
        }
    }
    return wrong == 0;
}

static struct halves interval(const struct axis *axis, uint32_t i)
{
    return (struct halves){.start = axis->cut[i], .end = axis->cut[i + 1]};
}

static void check_sums(const struct example *example)
{
    const struct axis *row = &example->tessellation.row, *col = &example->tessellation.col;
    for (uint32_t sum = 0; sum < example->count; sum++)
        for (uint32_t i = 0; i < axis_intervals(row); i++)
            for (uint32_t j = 0; j < axis_intervals(col); j++)
                ck_assert_msg(tile_is_right(example, interval(row, i), interval(col, j), sum),
                              "%u x %u, %u x %u tiles, sum %u of %u", row->length, col->length,
                              axis_intervals(row), axis_intervals(col), sum, example->count);
}

static uint32_t longest(const struct axis *axis)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < axis_intervals(axis); i++)
        if (axis->cut[i + 1] - axis->cut[i] > most)
            most = axis->cut[i + 1] - axis->cut[i];
    return most;
}

/* Steps as prefix.h documents them. */
static uint64_t documented_steps(const struct example *example)
{
    uint64_t arm = longest(&example->tessellation.col) / 2;
    return 2 * arm + 2 * (uint64_t)longest(&example->tessellation.row) - 2 + example->count - 1;
}

static void check_example(struct mesh mesh, uint64_t tiles, uint32_t count, struct pcg32 *random)
{
    struct example example;
    example_make(&example, mesh, tiles, count, mesh.rows == 33 ? 2 : 1);
    uint32_t most = UINT32_MAX / example.nodes; /* sums stay below 2^32 */
    for (size_t i = 0; i < (size_t)example.nodes * count; i++)
        example.put[i] = pcg32_below(random, 3) == 0 ? 0 : pcg32_below(random, most);
    example_run(&example);
    check_sums(&example);
    ck_assert_uint_eq(machine_counts(example.run.machine)->steps, documented_steps(&example));
    ck_assert_uint_eq(machine_counts(example.run.machine)->packet_hops, 0);
    run_audit(&example.run);
    example_free(&example);
}

/* every mesh up to 7 x 7, all tessellations, 1 .. 7 sums: values, totals, steps, one word a link */
START_TEST(small_meshes)
{
    struct pcg32 random = pcg32_seed(3, 30);
    for (uint32_t rows = 1; rows <= 7; rows++)
        for (uint32_t cols = 1; cols <= 7; cols++)
            for (uint64_t tiles = 1; tiles <= rows * cols; tiles *= 2)
                check_example((struct mesh){rows, cols}, tiles, 1 + pcg32_below(&random, 7),
                              &random);
    for (uint32_t count = 1; count <= 7; count++)
        for (uint32_t cols = 1; cols <= 6; cols++)
            check_example((struct mesh){3, cols}, 1, count, &random);
}
END_TEST

/* narrow, odd and larger meshes, with tiles of two sizes */
START_TEST(larger_meshes)
{
    static const struct mesh meshes[] = {{1, 100}, {100, 1}, {2, 65},  {65, 2},
                                         {17, 31}, {32, 32}, {33, 40}, {1, 2}};
    struct pcg32 random = pcg32_seed(4, 30);
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++)
        for (uint64_t tiles = 1; tiles <= 64; tiles *= 4)
            check_example(meshes[i], tiles, 1 + (uint32_t)(tiles + i) % 7, &random);
}
END_TEST

/* the words that cross and their steps depend on the sizes alone, not on the values */
START_TEST(oblivious)
{
    char *text[2];
    for (int i = 0; i < 2; i++) {
        struct example example;
        example_make(&example, (struct mesh){9, 14}, 8, 3, 1);
        for (uint32_t j = 0; j < example.nodes * example.count; j++)
            example.put[j] = i == 0 ? 0 : pcg32_at(5, 5, j) >> 10;
        example_run(&example);
        text[i] = run_text(&example.run);
        example_free(&example);
    }
    ck_assert_str_eq(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}
END_TEST

/* sums up to 2^32 - 1, values of one node alone included */
START_TEST(largest_sums)
{
    for (uint32_t node = 0; node < 12; node++) {
        struct example example;
        example_make(&example, (struct mesh){3, 4}, 1, 2, 1);
        example.put[node] = UINT32_MAX;
        example.put[12 + node] = UINT32_MAX - 1;
        example.put[12 + (node + 5) % 12] = 1;
        example_run(&example);
        check_sums(&example);
        example_free(&example);
    }
}
END_TEST

/* a second prefix on the same machine does not see the words of the first */
START_TEST(twice_in_a_row)
{
    struct example example;
    example_make(&example, (struct mesh){5, 6}, 4, 2, 1);
    for (uint32_t i = 0; i < 60; i++)
        example.put[i] = i + 1;
    example_run(&example);
    for (uint32_t i = 0; i < 60; i++)
        example.put[i] = 1000 - i;
    example_run(&example);
    check_sums(&example);
    ck_assert_uint_eq(machine_counts(example.run.machine)->steps, 2 * documented_steps(&example));
    run_audit(&example.run);
    example_free(&example);
}
END_TEST

/* snake_place walks a tile: rank 0 in its corner, neighbours one after another, the last row's end */
START_TEST(places)
{
    struct halves rows = {.start = 3, .end = 8}, cols = {.start = 10, .end = 14};
    for (uint64_t rank = 0; rank < 20; rank++) {
        node_place place = snake_place(rows, cols, rank);
        uint32_t y = (uint32_t)rank / 4, x = (uint32_t)rank % 4;
        ck_assert_uint_eq(place_row(place), 3 + y);
        ck_assert_uint_eq(place_col(place), y % 2 == 0 ? 10 + x : 13 - x);
    }
}
END_TEST

Suite *prefix_suite(void)
{
    Suite *suite = suite_create("prefix");
    TCase *tests = tcase_create("prefix");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, small_meshes);
    tcase_add_test(tests, larger_meshes);
    tcase_add_test(tests, oblivious);
    tcase_add_test(tests, largest_sums);
    tcase_add_test(tests, twice_in_a_row);
    tcase_add_test(tests, places);
    suite_add_tcase(suite, tests);
    return suite;
}
