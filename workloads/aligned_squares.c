/* aligned_squares.c - how many messages must enter each aligned square, and leave it.
 *
 * The squares of side 2^j whose corners are multiples of 2^j are the prefixes of the nodes' Morton
 * codes (row and column bits interleaved), 2j bits cut off. A square cut by the mesh's edge is a
 * rectangle. Level 0 has what each node receives from elsewhere.
 *
 * Method: sort a message's destinations and its source by their codes. At level j they lie in as many
 * squares as there are different prefixes, and the message enters all of these but its source's. So
 * it counts one at the node of each destination other than its source, and minus one in the square in
 * which two neighbours of the order meet first; each square's count is then the sum of those within
 * it. It leaves its source's squares below the one that holds all: plus one at the source, minus one
 * there.
 *
 * Cost: O(deliveries log degree + n) time; the sort is by insertion or quicksort. Memory: 11 bytes per node.
 */
#include "workloads/aligned_squares.h"

#include "workloads/crossing.h"

#include <assert.h>
#include <stdlib.h>

/* Puts a zero bit above each of the 16 low bits. */
static inline uint32_t spread_bits(uint32_t bits)
{
    bits = (bits | bits << 8) & 0x00ff00ff;
    bits = (bits | bits << 4) & 0x0f0f0f0f;
    bits = (bits | bits << 2) & 0x33333333;
    return (bits | bits << 1) & 0x55555555;
}

/* The inverse: drops every second bit. */
static inline uint32_t gather_bits(uint32_t bits)
{
    bits &= 0x55555555;
    bits = (bits | bits >> 1) & 0x33333333;
    bits = (bits | bits >> 2) & 0x0f0f0f0f;
    bits = (bits | bits >> 4) & 0x00ff00ff;
    return (bits | bits >> 8) & 0x0000ffff;
}

static inline uint32_t morton_of(uint32_t place)
{
    return spread_bits(row_of_place(place)) << 1 | spread_bits(col_of_place(place));
}

/* The square of a level that holds the node with this code. */
static inline uint32_t square_of(const struct square_level *level, uint32_t j, uint32_t code)
{
    return (gather_bits(code >> 1) >> j) * level->cols + (gather_bits(code) >> j);
}

/* The level at which two different nodes lie in one square. */
static inline uint32_t level_of(uint32_t code, uint32_t other)
{
    return (31 - (uint32_t)__builtin_clz(code ^ other)) / 2 + 1;
}

/* Changes the count of the square of level j that holds the node with this code by 1 or -1. */
static inline void change_square(struct aligned_squares *squares, uint32_t j, uint32_t *counts,
                                 uint32_t code, bool falls)
{
    counts[square_of(&squares->level[j], j, code)] += falls ? UINT32_MAX : 1;
}

/* ---- life ---- */

enum failure_kind aligned_squares_open(struct aligned_squares *squares, struct mesh mesh,
                                       struct failure *failure)
{
    uint32_t longer = mesh.rows > mesh.cols ? mesh.rows : mesh.cols;
    size_t total = 0, at = 0;
    *squares = (struct aligned_squares){.mesh = mesh};
    while ((1u << squares->levels) < longer || squares->levels == 0) {
        struct square_level *level = &squares->level[squares->levels];
        uint32_t last = (1u << squares->levels) - 1;
        assert(squares->levels < ALIGNED_LEVELS);
        level->rows = (mesh.rows + last) >> squares->levels;
        level->cols = (mesh.cols + last) >> squares->levels;
        total += (size_t)level->rows * level->cols;
        squares->levels++;
    }
    squares->memory = memory_allocate(total, 2 * sizeof *squares->memory);
    if (squares->memory == NULL)
        return fail_memory(failure, "the lower bounds");
    for (uint32_t j = 0; j < squares->levels; j++) {
        struct square_level *level = &squares->level[j];
        level->enter = squares->memory + at;
        level->leave = level->enter + (size_t)level->rows * level->cols;
        at += 2 * (size_t)level->rows * level->cols;
    }
    return FAIL_NONE;
}

void aligned_squares_close(struct aligned_squares *squares)
{
    free(squares->memory);
}

/* ---- counting ---- */

enum { RISES = false, FALLS = true };

void aligned_squares_add(struct aligned_squares *squares, uint32_t source, uint32_t *place,
                         uint32_t count)
{
    struct square_level *level = squares->level;
    uint32_t from = morton_of(source);
    bool is_met = false; /* whether the source is among its destinations */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = row_of_place(place[i]);
        level->enter[row * level->cols + col_of_place(place[i])]++;
        place[i] = morton_of(place[i]);
        is_met |= place[i] == from;
    }
    if (is_met)
        change_square(squares, 0, level->enter, from, FALLS);
    else
        place[count++] = from;
    if (count < 2)
        return;
    message_set_sort_nodes(place, count);
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t j = level_of(place[i], place[i + 1]);
        if (j < squares->levels)
            change_square(squares, j, level[j].enter, place[i], FALLS);
    }
    uint32_t top = level_of(place[0], place[count - 1]);
    change_square(squares, 0, level->leave, from, RISES);
    if (top < squares->levels)
        change_square(squares, top, level[top].leave, from, FALLS);
}

/* ---- bounds ---- */

/* Adds what is in each square of level j to the square of the next level that holds it. */
static void sum_level(const struct aligned_squares *squares, uint32_t j)
{
    const struct square_level *level = &squares->level[j], *above = level + 1;
    for (uint32_t row = 0, i = 0; row < level->rows; row++)
        for (uint32_t col = 0; col < level->cols; col++, i++) {
            above->enter[row / 2 * above->cols + col / 2] += level->enter[i];
            above->leave[row / 2 * above->cols + col / 2] += level->leave[i];
        }
}

static void raise_square(struct lower_bounds *bounds, enum lower_bound_kind kind, struct mesh mesh,
                         const struct rectangle *square, uint32_t messages)
{
    struct bound_reason reason = {
        .rectangle = *square, .messages = messages, .links = rectangle_links(mesh, square)};
    if (messages > 0)
        lower_bound_raise(bounds, kind, &reason);
}

/* Turns the counts of level j into bounds. */
static void raise_level(const struct aligned_squares *squares, uint32_t j,
                        struct lower_bounds *bounds)
{
    const struct square_level *level = &squares->level[j];
    struct mesh mesh = squares->mesh;
    uint32_t side = 1u << j;
    for (uint32_t r = 0, i = 0; r < level->rows; r++)
        for (uint32_t c = 0; c < level->cols; c++, i++) {
            struct rectangle square = {.row = r << j, .col = c << j};
            if (level->enter[i] == 0 && level->leave[i] == 0)
                continue;
            square.rows = mesh.rows - square.row < side ? mesh.rows - square.row : side;
            square.cols = mesh.cols - square.col < side ? mesh.cols - square.col : side;
            raise_square(bounds, BOUND_ENTER, mesh, &square, level->enter[i]);
            raise_square(bounds, BOUND_LEAVE, mesh, &square, level->leave[i]);
            if (j == 0)
                raise_square(bounds, BOUND_NODE, mesh, &square, level->enter[i]);
        }
}

void aligned_squares_raise(struct aligned_squares *squares, struct lower_bounds *bounds)
{
    for (uint32_t j = 0; j + 1 < squares->levels; j++)
        sum_level(squares, j);
    for (uint32_t j = 0; j < squares->levels; j++)
        raise_level(squares, j, bounds);
}
