/* test_sort_steps.c - what sorting costs, and what nodes know: steps, buffers, locality.
 *
 * Steps must be a function of the sides: sort_case_run compares each run's count with sort_steps,
 * which sees no packet; here inputs of one mesh are compared with each other, and the function with
 * the bounds that sort.c claims, for every side up to 70 and some above.
 */
#include "base/pcg.h"
#include "test/length.h"
#include "test/machine/light_cone.h"
#include "test/machine/machine_run.h"
#include "test/primitives/sort_case.h"

#include <check.h>
#include <stdlib.h>

Suite *sort_steps_suite(void);

static uint64_t steps_of(struct mesh mesh, uint64_t tiles)
{
    struct tessellation tessellation;
    uint64_t steps;
    ck_assert_int_eq(tessellation_make(&tessellation, mesh, tiles, NULL), FAIL_NONE);
    struct sort_plan plan = {.tiles = &tessellation};
    ck_assert_int_eq(sort_steps(&plan, &steps, NULL), FAIL_NONE);
    tessellation_free(&tessellation);
    return steps;
}

static uint32_t ceiling_log2(uint32_t side)
{
    uint32_t count = 0;
    for (; side > 1; side = (side + 1) / 2)
        count++;
    return count;
}

/* exactly so many for powers of two, also in several tiles; for all squares the bound that sort.c states */
START_TEST(steps_of_squares)
{
    static const uint64_t expected[] = {13, 31, 67, 131, 247, 467, 874, 1646, 3130, 6023, 11636};
    for (uint32_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct mesh square = {4u << i, 4u << i}, mesh = {16u << i, 8u << i};
        ck_assert_uint_eq(steps_of(square, 1), expected[i]);
        ck_assert_uint_eq(steps_of(mesh, 8), expected[i]);
    }
    for (uint32_t side = 2; side <= (TEST_IS_SHORT ? 300 : 2100); side++) {
        uint64_t steps = steps_of((struct mesh){side, side}, 1);
        ck_assert_uint_le(steps, 5 * side + (side < 100 ? 5 * ceiling_log2(side) : 0));
    }
}
END_TEST

/* meshes and tiles of unequal sides: 6 times the longer one */
START_TEST(steps_of_rectangles)
{
    for (uint32_t rows = 1; rows <= 40; rows++)
        for (uint32_t cols = 1; cols <= 40; cols++)
            for (uint64_t tiles = 1; tiles <= 64; tiles *= 4) {
                struct tessellation t;
                ck_assert_int_eq(tessellation_make(&t, (struct mesh){rows, cols}, tiles, NULL),
                                 FAIL_NONE);
                uint32_t height = t.row.cut[1], width = t.col.cut[1];
                uint32_t longer = height > width ? height : width;
                tessellation_free(&t);
                struct mesh mesh = {rows, cols};
                ck_assert_uint_le(steps_of(mesh, tiles), 6 * longer + 5);
            }
}
END_TEST

/* by columns it costs what the mesh turned costs by rows */
START_TEST(steps_of_plans)
{
    struct tessellation tiles, turned;
    ck_assert_int_eq(tessellation_make(&tiles, (struct mesh){30, 53}, 8, NULL), FAIL_NONE);
    turned = (struct tessellation){.row = tiles.col, .col = tiles.row};
    uint64_t steps, other;
    struct sort_plan plan = {.tiles = &tiles};
    ck_assert_int_eq(sort_steps(&plan, &steps, NULL), FAIL_NONE);
    plan = (struct sort_plan){.tiles = &turned, .column_major = true};
    ck_assert_int_eq(sort_steps(&plan, &other, NULL), FAIL_NONE);
    ck_assert_uint_eq(steps, other);
    tessellation_free(&tiles);
}
END_TEST

/* all loads and keys of a mesh take the same steps */
START_TEST(oblivious)
{
    struct pcg32 random = pcg32_seed(1, 33);
    for (uint32_t load = 0; load <= 4; load++) {
        struct sort_case example;
        sort_case_cut(&example, (struct mesh){19, 26}, 4);
        for (node_index node = 0; node < example.nodes; node++) {
            example.key[node] = pcg32_below(&random, 2 + 100 * load);
            example.is_there[node] = pcg32_below(&random, 4) < load;
        }
        sort_case_untraced(&example); /* steps against sort_steps */
        sort_case_traced(&example);
        sort_case_free(&example);
    }
}
END_TEST

/* Sorts on a mesh in two tiles, in a buffer of one less than what the sort needs, or just that. */
static void check_capacity(struct mesh mesh, uint32_t less)
{
    struct sort_case example;
    sort_case_cut(&example, mesh, 2);
    uint32_t needed = SORT_CASE_CAPACITY;
    struct machine_config config = {
        .mesh = mesh, .slots = example.nodes, .buffer = needed - less, .threads = 1};
    struct failure failure = {0};
    struct machine *machine = machine_create(&config, &failure);
    ck_assert_ptr_nonnull(machine);
    enum failure_kind kind = sort_case_run(machine, &example, &failure);
    ck_assert_int_eq(kind, less > 0 ? FAIL_CHECK : FAIL_NONE);
    ck_assert_uint_eq(machine_counts(machine)->peak, needed);
    uint32_t resting = 0;
    for (node_index node = 0; node < example.nodes; node++)
        for (uint32_t p = machine_first_resting(machine, node); p != MACHINE_NONE;
             p = machine_next_resting(machine, p))
            resting++;
    ck_assert_uint_eq(resting, example.nodes);
    machine_free(machine);
    sort_case_free(&example);
}

/* two packets per node are needed, and enough */
START_TEST(capacity)
{
    for (uint32_t less = 0; less < 2; less++) {
        check_capacity((struct mesh){12, 9}, less);
        check_capacity((struct mesh){14, 16}, less);
        check_capacity((struct mesh){32, 16}, less);
    }
}
END_TEST

/* ---- locality ---- */

static char *text_of(struct sort_case *example)
{
    struct machine_run run;
    struct machine_config config = {.slots = example->nodes};
    run_start(&run, example->tiles.row.length, example->tiles.col.length, config);
    ck_assert_int_eq(sort_case_run(run.machine, example, NULL), FAIL_NONE);
    char *text = run_text(&run);
    run_end(&run);
    return text;
}

/* Another key at `changed`, or no packet there: outside the light cone nobody notices. */
static void check_change(struct sort_case *example, node_index changed)
{
    struct mesh mesh = {example->tiles.row.length, example->tiles.col.length};
    char *before = text_of(example), text[LIGHT_CONE_TEXT];
    for (uint32_t change = 0; change < 2; change++) {
        size_t events;
        if (change == 0)
            example->key[changed] = example->key[changed] > 50 ? 0 : 100;
        else
            example->is_there[changed] = !example->is_there[changed];
        char *after = text_of(example);
        ck_assert_msg(light_cone_agrees(before, after, mesh, &changed, 1, &events, text), "%s",
                      text);
        ck_assert_uint_gt(events, 0);
        free(after);
    }
    free(before);
}

/* two inputs that differ at one node look the same wherever no news of it can be */
START_TEST(locality)
{
    static const struct mesh meshes[] = {{12, 12}, {9, 14}, {2, 40}, {33, 8}, {16, 8}};
    struct pcg32 random = pcg32_seed(2, 33);
    for (uint32_t i = 0; i < 3 * sizeof meshes / sizeof *meshes; i++) {
        struct sort_case example;
        sort_case_cut(&example, meshes[i / 3], i % 3 == 0 ? 4 : 1);
        example.plan.column_major = i % 3 == 2;
        for (node_index node = 0; node < example.nodes; node++) {
            example.key[node] = pcg32_below(&random, 100);
            example.is_there[node] = pcg32_below(&random, 5) > 0;
        }
        node_index corner = i % 2 == 0 ? 0 : example.nodes - 1;
        check_change(&example, i < 6 ? corner : pcg32_below(&random, example.nodes));
        sort_case_free(&example);
    }
}
END_TEST

Suite *sort_steps_suite(void)
{
    Suite *suite = suite_create("sort_steps");
    TCase *tests = tcase_create("sort_steps");
    tcase_add_test(tests, steps_of_squares);
    tcase_add_test(tests, steps_of_rectangles);
    tcase_add_test(tests, steps_of_plans);
    tcase_add_test(tests, oblivious);
    tcase_add_test(tests, capacity);
    tcase_add_test(tests, locality);
    suite_add_tcase(suite, tests);
    return suite;
}
