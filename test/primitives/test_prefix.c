/* test_prefix.c - prefix computations in snake order against a plain loop, tile by tile.
 *
 * A kernel's trace of each run goes through the audit: no link carries two words in a step.
 */
#include "primitives/prefix.h"

#include "base/pcg.h"
#include "test/machine/light_cone.h"
#include "test/machine/machine_run.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *prefix_suite(void);

/* ---- operators of the tests ---- */

/* Maps x -> a x + b modulo 2^32, first `before`, then `after`: associative, without commutation. */
static uint64_t then(uint64_t before, uint64_t after)
{
    uint32_t a = (uint32_t)(before >> 32), b = (uint32_t)before;
    uint32_t c = (uint32_t)(after >> 32), d = (uint32_t)after;
    return (uint64_t)(a * c) << 32 | (uint32_t)(b * c + d);
}

/* Keeps the last of what is there, 0 being nothing: no inverse can be found. */
static uint64_t last(uint64_t before, uint64_t after)
{
    return after != 0 ? after : before;
}

static const struct prefix_operator MAPS = {UINT64_C(1) << 32, then}, LAST = {0, last};

static const struct prefix_operator *const OPERATORS[] = {&MAPS, &prefix_sum, &LAST, &prefix_max};
enum { OPERATOR_COUNT = sizeof OPERATORS / sizeof *OPERATORS };

/* ---- one run: a mesh, its tiles, what the nodes put in ---- */

struct example {
    struct machine_run run;
    struct tessellation tessellation;
    uint32_t nodes, count;
    const struct prefix_operator *operation;
    bool totals;
    uint64_t *put, *value, *total;
};

static void example_make(struct example *example, struct mesh mesh, uint64_t tiles, uint32_t count,
                         uint32_t threads)
{
    *example = (struct example){
        .nodes = mesh_nodes(mesh), .count = count, .operation = &prefix_sum, .totals = true};
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
    struct prefix_items items = {.operation = example->operation,
                                 .count = example->count,
                                 .value = example->value,
                                 .total = example->totals ? example->total : NULL};
    ck_assert_int_eq(prefix_snake(example->run.machine, &example->tessellation, &items, NULL),
                     FAIL_NONE);
}

/* ---- the oracle ---- */

/* The plain loop over one tile's snake, for one item. */
static bool tile_is_right(const struct example *example, struct interval rows, struct interval cols,
                          uint32_t item)
{
    const struct prefix_operator *operation = example->operation;
    size_t plane = (size_t)item * example->nodes;
    uint32_t width = example->tessellation.col.length, wrong = 0;
    uint64_t before = operation->identity;
    for (int pass = 0; pass < 2; pass++) { /* the prefixes, then the total everywhere */
        uint64_t total = example->totals ? before : 0xdeadbeef;
        before = operation->identity;
        for (uint32_t row = rows.start; row < rows.end; row++) {
            for (uint32_t i = cols.start; i < cols.end; i++) {
                bool east = (row - rows.start) % 2 == 0;
                size_t at =
                    plane + (size_t)row * width + (east ? i : cols.end - 1 - (i - cols.start));
                wrong += pass == 1 ? example->total[at] != total : example->value[at] != before;
                before = operation->combine(before, example->put[at]);
            }
        }
    }
    return wrong == 0;
}

static void check_items(const struct example *example)
{
    const struct axis *row = &example->tessellation.row, *col = &example->tessellation.col;
    for (uint32_t item = 0; item < example->count; item++)
        for (uint32_t i = 0; i < axis_intervals(row); i++)
            for (uint32_t j = 0; j < axis_intervals(col); j++)
                ck_assert_msg(
                    tile_is_right(example, axis_interval(row, i), axis_interval(col, j), item),
                    "%u x %u, %u x %u tiles, item %u of %u, %s totals", row->length, col->length,
                    axis_intervals(row), axis_intervals(col), item, example->count,
                    example->totals ? "with" : "without");
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
    uint64_t width = longest(&example->tessellation.col);
    uint64_t height = longest(&example->tessellation.row);
    return width / 2 * 2 + (example->totals ? height / 2 * 2 : height - 1) + example->count - 1;
}

static uint64_t random_item(struct pcg32 *random)
{
    return (uint64_t)pcg32_next(random) << 32 | pcg32_next(random);
}

static void fill_random(struct example *example, struct pcg32 *random)
{
    for (size_t i = 0; i < (size_t)example->nodes * example->count; i++)
        example->put[i] =
            pcg32_below(random, 3) == 0 ? example->operation->identity : random_item(random);
}

static void check_example(struct mesh mesh, uint64_t tiles, uint32_t count, struct pcg32 *random)
{
    for (int variant = 0; variant < 2; variant++) {
        struct example example;
        example_make(&example, mesh, tiles, count, mesh.rows == 33 ? 2 : 1);
        example.operation = OPERATORS[pcg32_below(random, OPERATOR_COUNT)];
        example.totals = variant != 0;
        fill_random(&example, random);
        example_run(&example);
        check_items(&example);
        ck_assert_uint_eq(machine_counts(example.run.machine)->steps, documented_steps(&example));
        ck_assert_uint_eq(machine_counts(example.run.machine)->packet_hops, 0);
        run_audit(&example.run);
        example_free(&example);
    }
}

/* every mesh up to 7 x 7, all tessellations, 1 .. 7 items, all operators, with and without totals: values, totals, steps, one word per link */
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

/* on a square of side m: one prefix in at most 2 m - 1 steps, t in 2 m - 2 + t, with totals a step
 * more at most */
START_TEST(goal_is_reached)
{
    for (uint32_t side = 2; side <= 40; side++) {
        struct example example;
        uint32_t count = 1 + side % 5;
        example_make(&example, (struct mesh){side, side}, 1, count, 1);
        example.totals = side % 2 == 0;
        example_run(&example);
        ck_assert_uint_le(machine_counts(example.run.machine)->steps,
                          2 * side - 2 + count + example.totals);
        example_free(&example);
    }
}
END_TEST

/* the words that cross and their steps depend on the sizes alone: not on values, not on the operator */
START_TEST(oblivious)
{
    char *text[3];
    for (uint32_t i = 0; i < 3; i++) {
        struct example example;
        example_make(&example, (struct mesh){9, 14}, 8, 3, 1);
        example.totals = _i == 1;
        example.operation = OPERATORS[i];
        for (uint32_t j = 0; i > 0 && j < example.nodes * example.count; j++)
            example.put[j] = pcg32_at(5, 5, j) >> 10;
        example_run(&example);
        text[i] = run_text(&example.run);
        example_free(&example);
    }
    ck_assert(strcmp(text[0], text[1]) == 0); /* too long to be shown */
    ck_assert(strcmp(text[0], text[2]) == 0);
    for (int i = 0; i < 3; i++)
        free(text[i]);
}
END_TEST

/* a node's prefix does not depend on items behind it, and no node hears of an item before light
 * does: a changed item changes nothing but prefixes behind it, and words at most (the trace, which
 * does not show words' values, agrees everywhere) */
START_TEST(local)
{
    struct mesh mesh = {8, 11};
    node_index changed = 40;
    char *text[2], why[LIGHT_CONE_TEXT];
    uint64_t value[2][88];
    for (int i = 0; i < 2; i++) {
        struct example example;
        example_make(&example, mesh, 2, 1, 1);
        example.totals = false;
        example.operation = &MAPS;
        for (uint32_t j = 0; j < 88; j++)
            example.put[j] = (uint64_t)pcg32_at(9, 5, j) << 32 | pcg32_at(9, 6, j);
        example.put[changed] += (uint64_t)i << 32 | (uint64_t)i;
        example_run(&example);
        memcpy(value[i], example.value, sizeof value[i]);
        text[i] = run_text(&example.run);
        example_free(&example);
    }
    size_t events = 0, differ = 0;
    ck_assert_msg(light_cone_agrees(text[0], text[1], mesh, &changed, 1, &events, why), "%s", why);
    ck_assert_uint_gt(events, 0);
    for (uint32_t j = 0; j < 88; j++)
        differ += value[0][j] != value[1][j];
    /* node 40 is (3, 7): its tile, columns 6 to 10, has 4 rows and 1 node behind it */
    ck_assert_uint_le(differ, 4 * 5 + 1);
    ck_assert_uint_gt(differ, 0);
    free(text[0]);
    free(text[1]);
}
END_TEST

/* every ready-made operator is associative and its identity is one, on random items */
START_TEST(operators)
{
    struct pcg32 random = pcg32_seed(12, 1);
    for (int i = 0; i < 20000; i++) {
        const struct prefix_operator *op = OPERATORS[i % OPERATOR_COUNT];
        uint64_t x[3];
        for (int j = 0; j < 3; j++)
            x[j] = random_item(&random);
        ck_assert_uint_eq(op->combine(op->combine(x[0], x[1]), x[2]),
                          op->combine(x[0], op->combine(x[1], x[2])));
        ck_assert_uint_eq(op->combine(op->identity, x[0]), x[0]);
        ck_assert_uint_eq(op->combine(x[0], op->identity), x[0]);
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
    check_items(&example);
    ck_assert_uint_eq(machine_counts(example.run.machine)->steps, 2 * documented_steps(&example));
    run_audit(&example.run);
    example_free(&example);
}
END_TEST

/* snake_place walks a tile: rank 0 in its corner, neighbours one after another, the last row's end */
START_TEST(places)
{
    struct interval rows = {3, 8}, cols = {10, 14};
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
    tcase_add_test(tests, small_meshes);
    tcase_add_test(tests, larger_meshes);
    tcase_add_test(tests, goal_is_reached);
    tcase_add_loop_test(tests, oblivious, 0, 2);
    tcase_add_test(tests, local);
    tcase_add_test(tests, operators);
    tcase_add_test(tests, twice_in_a_row);
    tcase_add_test(tests, places);
    suite_add_tcase(suite, tests);
    return suite;
}
