/* test_seat.c - the seats of Step 1 of Theorem 2, on every mesh and number of tiles.
 *
 * Oracle: each message is followed to every tile, halving by halving, and every stop and copy is
 * counted at its node.
 */
#include "routers/sibling.h"
#include "test/length.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>

Suite *seat_suite(void);

/* What the nodes of a mesh do when every message goes to every tile. */
struct crowd {
    const struct tessellation *tiles;
    struct seats seats;
    uint32_t *stops, *copies; /* [node] */
};

/* How many halvings come after the last one that a message crosses on its way between two tiles: at
 * each of them it hands on a copy. */
static uint32_t halvings_left(const struct tessellation *tiles, uint32_t row_digits,
                              uint32_t col_digits, bool rows_first)
{
    const uint32_t levels[] = {tiles->row.levels, tiles->col.levels};
    const uint32_t digits[] = {row_digits, col_digits};
    uint32_t most = levels[0] > levels[1] ? levels[0] : levels[1], left = 0;
    for (uint32_t level = 0; level < most; level++)
        for (int i = 0; i < 2; i++) {
            int axis = rows_first ? i : 1 - i;
            if (level >= levels[axis])
                continue;
            bool crosses = digits[axis] >> (levels[axis] - 1 - level) & 1;
            left = crosses ? 0 : left + 1;
        }
    return left;
}

static void send_everywhere(struct crowd *crowd, node_place source)
{
    const struct axis *row = &crowd->tiles->row, *col = &crowd->tiles->col;
    node_place seat = seat_of(&crowd->seats, source);
    uint32_t y = place_row(seat), x = place_col(seat);
    uint32_t own_row = row->tile[place_row(source)], own_col = col->tile[place_col(source)];
    ck_assert(y < crowd->seats.height && x < crowd->seats.width);
    for (uint32_t i = 0; i < row->intervals; i++)
        for (uint32_t j = 0; j < col->intervals; j++) {
            uint32_t node = (row->cut[i] + y) * col->length + col->cut[j] + x;
            bool rows_first = (y + x) % 2 == 0;
            crowd->stops[node]++;
            crowd->copies[node] +=
                halvings_left(crowd->tiles, i ^ own_row, j ^ own_col, rows_first);
        }
}

static void check_tiles(struct mesh mesh, uint64_t tiles)
{
    struct tessellation cut;
    ck_assert_int_eq(tessellation_make(&cut, mesh, tiles, NULL), FAIL_NONE);
    struct crowd crowd = {&cut, seats_make(&cut), NULL, NULL};
    uint32_t nodes = mesh_nodes(mesh), at_cell = 0, together = 0;
    crowd.stops = calloc(nodes, sizeof *crowd.stops);
    crowd.copies = calloc(nodes, sizeof *crowd.copies);
    for (uint32_t node = 0; node < nodes; node++)
        send_everywhere(&crowd, place_of(node / mesh.cols, node % mesh.cols));
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t held = crowd.stops[node] + crowd.copies[node];
        at_cell = crowd.stops[node] > at_cell ? crowd.stops[node] : at_cell;
        together = held > together ? held : together;
    }
    bool are_equal = nodes == crowd.seats.height * crowd.seats.width * tessellation_tiles(&cut);
    uint64_t at_most = seats_at_cell(&crowd.seats), buffer = seats_step_1_buffer(&crowd.seats, 1);
    ck_assert_msg(at_cell <= at_most && together + 4 <= buffer,
                  "%" PRIu32 " x %" PRIu32 ", %" PRIu64 " tiles: %" PRIu32 " > %" PRIu64
                  " or %" PRIu32 " + 4 > %" PRIu64,
                  mesh.rows, mesh.cols, tiles, at_cell, at_most, together, buffer);
    ck_assert(!are_equal || (at_cell == at_most && together + 4 == buffer));
    free(crowd.stops);
    free(crowd.copies);
    tessellation_free(&cut);
}

/* no cell has more seats, and no node more stops and copies, than the bounds say; on equal tiles
 * they are reached */
START_TEST(bounds)
{
    uint32_t most = TEST_IS_SHORT ? 14 : 33;
    for (uint32_t rows = 1; rows <= most; rows++)
        for (uint32_t cols = 1; cols <= most; cols++)
            for (uint64_t tiles = 1; tiles <= (uint64_t)rows * cols; tiles *= 2)
                check_tiles((struct mesh){rows, cols}, tiles);
}
END_TEST

/* tiles without their tables have the same bounds, and the seats of a message are where its tile has
 * room: on 2^j - 1 rows almost all tiles have second seats */
START_TEST(numbers_alone)
{
    for (uint32_t side = 3; side <= 127; side = 2 * side + 1)
        for (uint64_t tiles = 1; tiles <= (uint64_t)side * side; tiles *= 2) {
            struct tessellation numbers = tessellation_numbers((struct mesh){side, side}, tiles);
            struct tessellation cut;
            ck_assert_int_eq(tessellation_make(&cut, (struct mesh){side, side}, tiles, NULL),
                             FAIL_NONE);
            struct seats bare = seats_make(&numbers), whole = seats_make(&cut);
            ck_assert_uint_eq(seats_at_cell(&bare), seats_at_cell(&whole));
            ck_assert_uint_eq(seats_step_1_buffer(&bare, 1), seats_step_1_buffer(&whole, 1));
            tessellation_free(&cut);
        }
}
END_TEST

Suite *seat_suite(void)
{
    Suite *suite = suite_create("seat");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, bounds);
    tcase_add_test(tests, numbers_alone);
    suite_add_tcase(suite, tests);
    return suite;
}
