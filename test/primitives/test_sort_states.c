/* test_sort_states.c - the last columns of a merge: enough steps for every state before the
 * rotation.
 *
 * sort.c says how many steps the columns need after rows were rotated, and what that follows from:
 * trying. Of zeros and ones, a merge's state after its third pass is the number of zeros in the
 * left half and in the right. Here both take all values, for widths and heights near each other;
 * each state is a tile of its own, so that one run sorts 256 of them. Where the zeros of a half
 * stand at first is random, so the passes before are tried too. The oracle is the definition: zeros
 * come first along the snake.
 */
#include "base/pcg.h"
#include "primitives/prefix.h"
#include "primitives/sort.h"
#include "test/machine/inject_one.h"

#include <check.h>
#include <stdlib.h>

Suite *sort_states_suite(void);

enum { LEVELS = 8, TILES = 1 << LEVELS };

/* A mesh of 256 tiles of these sides in a row, and the zeros of each tile's halves. */
struct states {
    uint32_t rows, cols;
    struct machine *machine;
    struct tessellation tiles;
    struct pcg32 random;
    uint32_t left[TILES], right[TILES];
};

/* An axis of 2^levels equal intervals; tessellation_make would halve tall tiles the other way. */
static void cut_axis(struct axis *axis, uint32_t length, uint32_t levels)
{
    axis->levels = levels;
    axis->intervals = 1u << levels;
    axis->length = length << levels;
    axis->cut = calloc((1u << levels) + 1, sizeof *axis->cut);
    axis->tile = calloc(axis->length, sizeof *axis->tile);
    for (uint32_t i = 0; i <= 1u << levels; i++)
        axis->cut[i] = i * length;
    for (uint32_t i = 0; i < axis->length; i++)
        axis->tile[i] = i / length;
}

static void start(struct states *states)
{
    struct mesh mesh = {states->rows, states->cols * TILES};
    struct machine_config config = {
        .mesh = mesh, .slots = mesh_nodes(mesh), .copy_is_free = true, .threads = 1};
    struct failure failure = {0};
    states->machine = machine_create(&config, &failure);
    ck_assert_ptr_nonnull(states->machine);
    cut_axis(&states->tiles.row, states->rows, 0);
    cut_axis(&states->tiles.col, states->cols, LEVELS);
    machine_begin_phase(states->machine, "sort");
}

/* Fills the columns first .. end - 1 of a tile with `zeros` zeros at random places. */
static void fill_half(struct states *states, uint32_t tile, uint32_t first, uint32_t end,
                      uint32_t zeros)
{
    uint32_t cells = states->rows * (end - first), mesh_cols = states->cols * TILES;
    struct headers *header = machine_headers(states->machine);
    struct failure failure = {0};
    for (uint32_t cell = 0; cell < cells; cell++) {
        bool is_zero = pcg32_below(&states->random, cells - cell) < zeros;
        zeros -= is_zero;
        uint32_t row = cell / (end - first);
        uint32_t col = tile * states->cols + first + cell % (end - first);
        node_index node = row * mesh_cols + col;
        header->packet[node].first = node;
        header->destination[node] = MACHINE_NO_PLACE;
        header->packet[node].message = node;
        header->packet[node].target = !is_zero;
        ck_assert(inject_one(states->machine, node, node, &failure) == FAIL_NONE);
    }
}

static void expect_sorted(const struct states *states, uint32_t tile, enum sort_method method)
{
    const struct headers *header = machine_headers(states->machine);
    uint32_t before = 0;
    struct interval rows = {0, states->rows};
    struct interval cols = {tile * states->cols, (tile + 1) * states->cols};
    for (uint32_t number = 0; number < states->rows * states->cols; number++) {
        node_place place = snake_place(rows, cols, number);
        node_index node = place_row(place) * states->cols * TILES + place_col(place);
        uint32_t key = header->packet[machine_first_resting(states->machine, node)].target;
        if (before > key)
            ck_abort_msg("method %d, %u x %u, %u and %u zeros: node %u of the snake", (int)method,
                         states->rows, states->cols, states->left[tile], states->right[tile],
                         number);
        before = key;
    }
}

/* Sorts the states number first .. first + 255, over again from 0 behind the last. */
static void sort_states(uint32_t rows, uint32_t cols, uint32_t first, enum sort_method method)
{
    static struct states states;
    states = (struct states){.rows = rows, .cols = cols, .random = pcg32_seed(first, rows)};
    start(&states);
    uint32_t half = (cols + 1) / 2, right_states = rows * (cols - half) + 1;
    for (uint32_t tile = 0; tile < TILES; tile++) {
        uint32_t state = (first + tile) % ((rows * half + 1) * right_states);
        states.left[tile] = state / right_states;
        states.right[tile] = state % right_states;
        fill_half(&states, tile, 0, half, states.left[tile]);
        fill_half(&states, tile, half, cols, states.right[tile]);
    }
    struct sort_plan plan = {.tiles = &states.tiles, .order = SORT_SNAKE, .method = method};
    struct failure failure = {0};
    ck_assert_int_eq(sort_tiles(states.machine, &plan, &failure), FAIL_NONE);
    for (uint32_t tile = 0; tile < TILES; tile++)
        expect_sorted(&states, tile, method);
    tessellation_free(&states.tiles);
    machine_free(states.machine);
}

/* All states of merges of this size, by both methods. */
static void try_all(uint32_t rows, uint32_t cols)
{
    uint32_t half = (cols + 1) / 2;
    uint32_t count = (rows * half + 1) * (rows * (cols - half) + 1);
    for (uint32_t first = 0; first < count; first += TILES) {
        sort_states(rows, cols, first, SORT_MERGE);
        sort_states(rows, cols, first, SORT_PAIRS);
    }
}

/* every state of merges of this width, and heights from one less to one more */
START_TEST(near_squares)
{
    for (uint32_t rows = (uint32_t)_i - 1; rows <= (uint32_t)_i + 1; rows++)
        try_all(rows, (uint32_t)_i);
}
END_TEST

/* the same for tall tiles, up to four times as high as wide */
START_TEST(tall)
{
    for (uint32_t rows = (uint32_t)_i + 2; rows <= 4 * (uint32_t)_i; rows += 1 + rows / 16)
        try_all(rows, (uint32_t)_i);
}
END_TEST

Suite *sort_states_suite(void)
{
    Suite *suite = suite_create("sort_states");
    TCase *tests = tcase_create("sort_states");
    tcase_add_loop_test(tests, near_squares, 2, 10);
    tcase_add_loop_test(tests, tall, 3, 6);
    suite_add_tcase(suite, tests);
    return suite;
}
