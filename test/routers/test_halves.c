/* test_halves.c - trees by halving: what they cost, recomputed from the rule on lists of coordinates.
 *
 * Deliveries, traces, locality, threads and ranks are tested with every router, in which `tree=halves` has its case.
 */
#include "base/pcg.h"
#include "test/length.h"
#include "test/router_case.h"
#include "workloads/lower_bound.h"
#include "workloads/pattern.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *halves_suite(void);

enum { MOST = 1 << 12 };

struct list {
    uint32_t count;
    int at[MOST][2]; /* row, column */
};

/* True if a destination of the list has that coordinate. */
static bool has_line(const struct list *list, int axis, int coordinate)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i][axis] == coordinate)
            return true;
    return false;
}

/* Counts the lines from `here` on in one direction, to the farthest that is possible. *farthest: that of the last. */
static int count_lines(const struct list *list, int axis, int here, int step, int *farthest)
{
    int lines = 0;
    for (int k = 1; k < MOST; k++)
        if (has_line(list, axis, here + step * k)) {
            lines++;
            *farthest = k;
        }
    return lines;
}

/* Returns the links that the packets of this part cross from (row, col) on. */
static uint64_t links_of(const struct list *list, int row, int col, int axis, int is_second)
{
    int here[2] = {row, col}, far[2] = {0}, lines[2];
    lines[0] = count_lines(list, axis, here[axis], -1, &far[0]);
    lines[1] = count_lines(list, axis, here[axis], 1, &far[1]);
    if (lines[0] + lines[1] == 0)
        return is_second ? 0 : links_of(list, row, col, !axis, 1);
    bool is_high = lines[1] > lines[0] || (lines[1] == lines[0] && far[1] > far[0]);
    int step = is_high ? 1 : -1, stay = lines[is_high] / 2, stop = 0;
    for (int passed = -1; passed < stay;)
        passed += has_line(list, axis, here[axis] + step * ++stop);
    struct list *parts = calloc(2, sizeof *parts); /* what stays, and what leaves */
    ck_assert_ptr_nonnull(parts);
    for (uint32_t i = 0; i < list->count; i++) {
        struct list *part = &parts[step * (list->at[i][axis] - here[axis]) >= stop];
        memcpy(part->at[part->count++], list->at[i], sizeof list->at[i]);
    }
    uint64_t links = (uint64_t)stop + links_of(&parts[0], row, col, axis, is_second);
    here[axis] += step * stop;
    links += links_of(&parts[1], here[0], here[1], axis, is_second);
    free(parts);
    return links;
}

/* Returns the links of all messages. *splits: what is split so that each part has one destination. */
static uint64_t links_of_set(const struct message_set *set, uint64_t *splits)
{
    struct list *list = calloc(1, sizeof *list);
    uint64_t links = 0;
    int cols = (int)set->mesh.cols;
    ck_assert_ptr_nonnull(list);
    *splits = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        int row = (int)set->source[i] / cols, col = (int)set->source[i] % cols;
        list->count = 0;
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            if (set->destination[j] == set->source[i])
                continue; /* it stays at home */
            list->at[list->count][0] = (int)set->destination[j] / cols;
            list->at[list->count++][1] = (int)set->destination[j] % cols;
        }
        links += links_of(list, row, col, (row + col) % 2 == 0 ? 1 : 0, 0);
        *splits += list->count > 0 ? list->count - 1 : 0;
    }
    free(list);
    return links;
}

/* Random sets on meshes of any sides: the links are those of the rule, and each split is one copy. */
START_TEST(links_and_copies)
{
    struct pcg32 random = pcg32_seed(5, (uint64_t)_i);
    for (int i = 0; i < (TEST_IS_SHORT ? 4 : 40); i++) {
        uint32_t rows = 1 + pcg32_below(&random, 9), cols = 1 + pcg32_below(&random, 9);
        struct pattern_options options = {.mesh = {rows, cols},
                                          .degree = 1 + pcg32_below(&random, rows * cols),
                                          .congestion = rows * cols,
                                          .seed = (uint64_t)i};
        struct router_case run = router_case_make("trees", "tree=halves");
        struct message_set set;
        struct router_result result;
        uint64_t splits;
        ck_assert_int_eq(pattern_generate(pattern_find("uniform"), &options, &set, NULL),
                         FAIL_NONE);
        run.copy_is_free = i % 2;
        router_case_check(&run, &set, &result);
        ck_assert_uint_eq(result.packet_hops, links_of_set(&set, &splits));
        ck_assert_uint_eq(result.copies, splits);
        message_set_free(&set);
    }
}
END_TEST

/* One message from a corner to all nodes: the farthest one waits for a copy at each of 2 log2(side) stops, which is at most 1.2
 * times the bound from 16 a side on. */
START_TEST(corner)
{
    for (uint32_t side = 2, logarithm = 1; side <= 64; side *= 2, logarithm++) {
        node_index from[MOST] = {0}, to[MOST];
        struct router_case run = router_case_make("trees", "tree=halves");
        struct message_set set;
        struct router_result result;
        struct lower_bounds bounds;
        for (uint32_t i = 0; i + 1 < side * side; i++)
            to[i] = i + 1;
        ck_assert_int_eq(message_set_from_pairs(&set, shape_of_mesh((struct mesh){side, side}),
                                                side * side - 1, from, to, NULL),
                         FAIL_NONE);
        router_case_check(&run, &set, &result);
        ck_assert_uint_eq(result.steps, 2 * (side - 1) + 2 * logarithm);
        ck_assert_int_eq(lower_bounds_compute(&set, BOUNDS_LARGEST, &bounds, NULL), FAIL_NONE);
        uint64_t bound = bounds.steps[lower_bound_best(&bounds, false)];
        ck_assert(side < 16 || 10 * result.steps <= 12 * bound);
        message_set_free(&set);
    }
}
END_TEST

/* The default of tree=: xy where copies are free, with slots and backwards; else spread where 2 c > R + C, and halves. */
START_TEST(automatic)
{
    static const struct {
        const char *parameters;
        uint32_t congestion;
        bool copy_is_free;
        const char *tree;
    } rows[] = {{NULL, 8, false, "halves"},     {NULL, 9, false, "spread"},
                {NULL, 9, true, "xy"},          {"slots=1", 8, false, "xy"},
                {"slots=auto", 9, false, "xy"}, {"tree=dds", 9, false, "dds"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct router_case run = router_case_make("trees", rows[i].parameters);
        struct message_set set;
        struct router_result result;
        struct pattern_options options = {
            .mesh = {8, 8}, .degree = 9, .congestion = rows[i].congestion, .seed = 1};
        ck_assert_int_eq(pattern_generate(pattern_find("uniform"), &options, &set, NULL),
                         FAIL_NONE);
        ck_assert_uint_eq(message_set_congestion(&set), rows[i].congestion);
        run.copy_is_free = rows[i].copy_is_free;
        router_case_check(&run, &set, &result);
        ck_assert_str_eq(result.parameter[1].name, "tree");
        ck_assert_str_eq(result.parameter[1].value, rows[i].tree);
        message_set_free(&set);
    }
}
END_TEST

Suite *halves_suite(void)
{
    Suite *suite = suite_create("halves");
    TCase *tests = tcase_create("halves");
    tcase_add_loop_test(tests, links_and_copies, 0, 4);
    tcase_add_test(tests, corner);
    tcase_add_test(tests, automatic);
    suite_add_tcase(suite, tests);
    return suite;
}
