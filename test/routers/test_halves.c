/* test_halves.c - trees by halving: their cost, recomputed by the rule on lists of coordinates. */
#include "test/length.h"
#include "test/random.h"
#include "test/routers/router_case.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 128 };

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

/* Counts the lines from `here` on in one direction; *farthest becomes the distance of the last. */
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
static uint64_t links_of(const struct list *list, int row, int col, int axis, bool is_second)
{
    int here[2] = {row, col}, far[2] = {0}, lines[2];
    lines[0] = count_lines(list, axis, here[axis], -1, &far[0]);
    lines[1] = count_lines(list, axis, here[axis], 1, &far[1]);
    if (lines[0] + lines[1] == 0)
        return is_second ? 0 : links_of(list, row, col, !axis, true);
    bool is_high = lines[1] > lines[0] || (lines[1] == lines[0] && far[1] > far[0]);
    int step = is_high ? 1 : -1, stay = lines[is_high] / 2, stop = 0;
    for (int passed = -1; passed < stay;)
        passed += has_line(list, axis, here[axis] + step * ++stop);
    struct list parts[2] = {{0}, {0}}; /* the part that stays, and the one that leaves */
    for (uint32_t i = 0; i < list->count; i++) {
        struct list *part = &parts[step * (list->at[i][axis] - here[axis]) >= stop];
        memcpy(part->at[part->count++], list->at[i], sizeof list->at[i]);
    }
    uint64_t links = (uint64_t)stop + links_of(&parts[0], row, col, axis, is_second);
    here[axis] += step * stop;
    return links + links_of(&parts[1], here[0], here[1], axis, is_second);
}

/* Returns the links of all messages. *splits: so many that each part has one destination. */
static uint64_t links_of_set(const struct plain_set *set, uint64_t *splits)
{
    uint64_t links = 0;
    int cols = (int)set->mesh.cols;
    *splits = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        struct list list = {0};
        int row = (int)set->source[i] / cols, col = (int)set->source[i] % cols;
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            if (set->destination[j] == set->source[i])
                continue; /* it stays at home */
            list.at[list.count][0] = (int)set->destination[j] / cols;
            list.at[list.count++][1] = (int)set->destination[j] % cols;
        }
        links += links_of(&list, row, col, (row + col) % 2 == 0, false);
        *splits += list.count > 0 ? list.count - 1 : 0;
    }
    return links;
}

/* Random sets on meshes of any sides: the links are those of the rule, and each split is a copy. */
START_TEST(links_and_copies)
{
    struct router_case run = router_case_make("trees", "tree=halves");
    uint64_t random = (uint64_t)_i;
    for (uint32_t i = 0; i < (TEST_IS_SHORT ? 4 : 40); i++) {
        struct grid mesh = {1 + test_random_below(&random, 9), 1 + test_random_below(&random, 9)};
        uint32_t nodes = grid_nodes(mesh), degree = 1 + test_random_below(&random, nodes);
        struct plain_set set;
        struct case_result result;
        uint64_t splits;
        ck_assert(plain_set_gen(&set, "uniform", mesh, degree, nodes, i, NULL));
        run.copy_is_free = i % 2;
        router_case_check(&run, &set, &result);
        ck_assert_uint_eq(result.packet_hops, links_of_set(&set, &splits));
        ck_assert_uint_eq(result.copies, splits);
        plain_set_free(&set);
    }
}
END_TEST

/* One message from a corner to all nodes: the farthest one waits for a copy at each of 2 log2(side)
 * stops, which is at most 1.2 times the bound from 16 a side on. */
START_TEST(corner)
{
    enum { MOST_SIDE = 64 };
    static uint32_t from[MOST_SIDE * MOST_SIDE], to[MOST_SIDE * MOST_SIDE];
    struct router_case run = router_case_make("trees", "tree=halves");
    for (uint32_t i = 0; i < MOST_SIDE * MOST_SIDE; i++)
        to[i] = i + 1;
    for (uint32_t side = 2, logarithm = 1; side <= MOST_SIDE; side *= 2, logarithm++) {
        struct plain_set set;
        struct case_result result;
        plain_set_pairs(&set, (struct grid){side, side}, side * side - 1, from, to);
        router_case_check(&run, &set, &result);
        ck_assert_uint_eq(result.steps, 2 * (side - 1) + 2 * logarithm);
        ck_assert(side < 16 || 10 * result.steps <= 12 * result.lower_bound);
        plain_set_free(&set);
    }
}
END_TEST

void halves_suite(TCase *tests)
{
    tcase_add_loop_test(tests, links_and_copies, 0, 4);
    tcase_add_test(tests, corner);
}
