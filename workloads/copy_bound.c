/* copy_bound.c - what the copies themselves take, where a packet moves or is copied in a step.
 *
 * One message: follow each of its deliveries back through the packet that made it, and through the
 * packet that this was copied from, to the source. These ways form a tree that forks in two at copies
 * only (a delivery by a packet that goes on is a copy, too). A way with v copies and w >= distance
 * moves takes v + w steps, as a copy stops both packets for a step; and the tree's leaves have
 * sum 2^-v <= 1. So if T steps are enough, v <= T - distance for each, and
 *     sum over destinations of 2^(distance - T) <= 1:
 * T is at least the logarithm of sum 2^distance, to base 2: for a broadcast, log2 of the degree more
 * than the distance if all are as far.
 *
 * A rectangle: each of its deliveries is by a copy, or ends a packet. The packets that end there
 * began there (one for each message that starts there, at most), or came over a link, or are copies. A node makes one
 * copy a step, a link brings one packet. So
 *     T >= (deliveries in it - messages from it) / (nodes in it + links into it).
 *
 * Method: 2^distance is summed from the farthest down, in units of 2^(farthest - UNITS); nearer ones
 * count nothing. The rectangles are those of a grid of at most CELLS x CELLS cells, by prefix sums
 * of a strip's columns.
 *
 * Cost: O(degree); O(n + deliveries + CELLS^4 / 4).
 */
#include "workloads/copy_bound.h"
#include "workloads/crossing.h"

#include <stdlib.h>

enum {
    UNITS = 37, /* 2^26 destinations of weight 2^37 fit 64 bits */
    CELLS = 32,
};

uint64_t split_bound(uint32_t source, const uint32_t *place, uint32_t count, uint32_t farthest)
{
    int row = (int)row_of_place(source), col = (int)col_of_place(source);
    uint64_t sum = 0;
    uint32_t copies = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t distance = (uint32_t)abs((int)row_of_place(place[i]) - row) +
                            (uint32_t)abs((int)col_of_place(place[i]) - col);
        if (farthest - distance <= UNITS)
            sum += UINT64_C(1) << (UNITS - (farthest - distance));
    }
    while (UINT64_C(1) << (UNITS + copies) < sum)
        copies++;
    return (uint64_t)farthest + copies;
}

/* The deliveries less the messages of each cell. */
struct grid {
    uint32_t rows, cols;
    uint32_t row_cut[CELLS + 1], col_cut[CELLS + 1];
    int64_t more[CELLS][CELLS];
};

static uint32_t cut_cells(uint32_t length, uint32_t cut[CELLS + 1])
{
    uint32_t cells = length < CELLS ? length : CELLS;
    for (uint32_t i = 0; i <= cells; i++)
        cut[i] = (uint32_t)((uint64_t)length * i / cells);
    return cells;
}

/* The cell that holds row, or column, `at`. */
static uint32_t cell_of(uint32_t at, uint32_t length, uint32_t cells, const uint32_t *cut)
{
    uint32_t cell = (uint32_t)((uint64_t)at * cells / length);
    while (cut[cell] > at)
        cell--;
    while (cut[cell + 1] <= at)
        cell++;
    return cell;
}

/* Cuts the mesh, and counts what the nodes receive. */
static void fill(struct grid *grid, const struct message_set *set, const uint32_t *received)
{
    struct mesh mesh = set->mesh;
    uint32_t y = 0;
    *grid = (struct grid){0};
    grid->rows = cut_cells(mesh.rows, grid->row_cut);
    grid->cols = cut_cells(mesh.cols, grid->col_cut);
    for (uint32_t row = 0; row < mesh.rows; row++) {
        y += grid->row_cut[y + 1] == row;
        for (uint32_t x = 0; x < grid->cols; x++)
            for (uint32_t col = grid->col_cut[x]; col < grid->col_cut[x + 1]; col++) {
                grid->more[y][x] += received[row * mesh.cols + col];
            }
    }
}

/* Takes the messages off. */
static void fill_messages(struct grid *grid, const struct message_set *set)
{
    struct mesh mesh = set->mesh;
    for (uint32_t i = 0; i < set->messages; i++) {
        uint32_t row = set->source[i] / mesh.cols, col = set->source[i] % mesh.cols;
        uint32_t at_y = cell_of(row, mesh.rows, grid->rows, grid->row_cut);
        uint32_t at_x = cell_of(col, mesh.cols, grid->cols, grid->col_cut);
        grid->more[at_y][at_x]--;
    }
}

/* Raises the bound to what the rectangles of cells top .. bottom ask for; column[x]: the sum of
 * more[top .. bottom][x]. */
static void raise_strip(const struct grid *grid, struct mesh mesh, const uint32_t strip[2],
                        const int64_t *column, struct lower_bounds *bounds)
{
    struct rectangle at = {.row = grid->row_cut[strip[0]]};
    at.rows = grid->row_cut[strip[1] + 1] - at.row;
    for (uint32_t x0 = 0; x0 < grid->cols; x0++) {
        int64_t more = 0;
        at.col = grid->col_cut[x0];
        for (uint32_t x1 = x0; x1 < grid->cols; x1++) {
            more += column[x1];
            at.cols = grid->col_cut[x1 + 1] - at.col;
            uint64_t a_step = (uint64_t)at.rows * at.cols + rectangle_links(mesh, &at);
            if (more <= 0 || (uint64_t)more <= bounds->steps[BOUND_COPIES] * a_step)
                continue;
            lower_bound_raise(bounds, BOUND_COPIES,
                              &(struct bound_reason){
                                  .rectangle = at, .messages = (uint64_t)more, .links = a_step});
        }
    }
}

void copy_bounds_raise(const struct message_set *set, const uint32_t *received,
                       struct lower_bounds *bounds)
{
    struct grid grid;
    fill(&grid, set, received);
    fill_messages(&grid, set);
    for (uint32_t top = 0; top < grid.rows; top++) {
        int64_t column[CELLS] = {0};
        for (uint32_t bottom = top; bottom < grid.rows; bottom++) {
            uint32_t strip[2] = {top, bottom};
            for (uint32_t x = 0; x < grid.cols; x++)
                column[x] += grid.more[bottom][x];
            raise_strip(&grid, set->mesh, strip, column, bounds);
        }
    }
}
