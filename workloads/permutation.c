/* permutation.c - the table of permutations, and the patterns that are permutations.
 *
 * A row maps a node by its coordinates (`map`), or places some nodes and leaves the others to
 * complete() (`place`), or shuffles. Every row works for any number of rows and columns; where the
 * usual definition needs a square or a power of two, the contract gives a substitute for other
 * sizes.
 *
 * `transpose` is the permutation that transposes a matrix of rows x cols stored in row-major order.
 * `bitreverse` reverses bits of row and column; reversal is its own inverse, so if it leaves the
 * tile the walk along its cycle returns at once: such a row or column keeps its number, and the map
 * remains a permutation.
 *
 * Cost: O(n) time (a factor of log n for the bits); a bit per node of memory if nodes are placed.
 */
#include "workloads/permutation.h"

#include "base/pcg.h"
#include "workloads/pattern_private.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- permutations that crowd ---- */

/* permutations that crowd: many packets to one column, from few rows.
 *
 * Plain greedy routing sends a packet along its row to the column of its target, then along that.
 * `rowtocolumn` is its textbook worst case: on a square of side m the top row's packets reach the
 * top node of the middle column two per step, one from each side, and leave it one per step,
 * southwards: a queue of about m / 2. (With column-first greedy they never meet.) `adversary` does
 * this to every row and, at once, to every column: row r's packets all go to one column and column
 * c's all to one row. The rows and columns at the border, from which there is only one way to go,
 * get the middle ones, at which packets arrive from both sides. `hotcolumn` takes its packets from
 * a small square instead, where blockwise sorting finds them all in one block.
 *
 * Invariant: each places a one-to-one part of the map; complete() does the rest.
 * Source: Leighton, Introduction to Parallel Algorithms and Architectures (1992), Section 1.7, for
 * the queue of greedy routing; the rest is ours.
 * Cost: O(n) time, one byte per node while a map is completed.
 */

/* Completes target[0 .. nodes-1]: nodes at MESH_NO_NODE stay if their own place is free; the rest
 * take the places that are then free, both in order. */
static enum failure_kind complete(uint32_t nodes, node_index *target, struct failure *failure)
{
    bool *taken = memory_allocate(nodes, sizeof *taken);
    if (taken == NULL)
        return fail_memory(failure, "a permutation");
    for (node_index v = 0; v < nodes; v++)
        if (target[v] != MESH_NO_NODE)
            taken[target[v]] = true;
    for (node_index v = 0; v < nodes; v++) {
        if (target[v] == MESH_NO_NODE && !taken[v]) {
            target[v] = v;
            taken[v] = true;
        }
    }
    node_index free_place = 0;
    for (node_index v = 0; v < nodes; v++) {
        if (target[v] != MESH_NO_NODE)
            continue;
        while (taken[free_place])
            free_place++;
        target[v] = free_place++;
    }
    free(taken);
    return FAIL_NONE;
}

static void hot_column(struct mesh tile, node_index *target)
{
    uint32_t side = 1, placed = 0;
    while (side * side < tile.rows)
        side++;
    for (uint32_t row = 0; row < side && row < tile.rows; row++)
        for (uint32_t col = 0; col < side && col < tile.cols && placed < tile.rows; col++)
            target[row * tile.cols + col] = placed++ * tile.cols + tile.cols / 2;
}

static void row_to_column(struct mesh tile, node_index *target)
{
    uint32_t column = tile.cols / 2;
    uint32_t count = tile.rows < tile.cols ? tile.rows : tile.cols;
    uint32_t first = column - count / 2;
    for (uint32_t i = 0; i < count; i++)
        target[first + i] = i * tile.cols + column;
}

/* Returns number i of 0 .. side-1 from the middle out: the middle, the one before it, the one after
 * it. */
static uint32_t inner(uint32_t side, uint32_t i)
{
    uint32_t away = (i + 1) / 2;
    return i % 2 == 1 ? side / 2 - away : side / 2 + away;
}

static uint32_t outer(uint32_t side, uint32_t i)
{
    return inner(side, side - 1 - i);
}

static void crossed(struct mesh tile, node_index *target)
{
    uint32_t count = tile.rows < tile.cols ? tile.rows : tile.cols;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            target[outer(tile.rows, i) * tile.cols + outer(tile.cols, j)] =
                inner(tile.rows, j) * tile.cols + inner(tile.cols, i);
}

/* ---- the table ---- */

struct permutation_row {
    struct permutation permutation; /* first, so that a pointer to it is one to the row */
    node_index (*map)(struct mesh tile, uint32_t row, uint32_t col);
    void (*place)(struct mesh tile,
                  node_index *target); /* some targets; the rest is MESH_NO_NODE */
};                                     /* neither: random */

static node_index itself(struct mesh tile, uint32_t row, uint32_t col)
{
    return row * tile.cols + col;
}

static node_index transposed(struct mesh tile, uint32_t row, uint32_t col)
{
    return col * tile.rows + row;
}

/* Returns `number` with its ceil(log2 side) bits in reverse order, or unchanged if that leaves the
 * side. */
static uint32_t reverse_within(uint32_t number, uint32_t side)
{
    uint32_t reversed = 0;
    for (uint32_t bit = 1, rest = number; bit < side; bit <<= 1, rest >>= 1)
        reversed = reversed << 1 | (rest & 1);
    return reversed < side ? reversed : number;
}

static node_index bit_reversed(struct mesh tile, uint32_t row, uint32_t col)
{
    return reverse_within(row, tile.rows) * tile.cols + reverse_within(col, tile.cols);
}

static node_index reversed(struct mesh tile, uint32_t row, uint32_t col)
{
    return mesh_nodes(tile) - 1 - itself(tile, row, col);
}

static node_index shifted(struct mesh tile, uint32_t row, uint32_t col)
{
    return (row + tile.rows / 2) % tile.rows * tile.cols + (col + tile.cols / 2) % tile.cols;
}

/* Swaps quadrants of floor(rows / 2) x floor(cols / 2) nodes, so that both are of one size. */
static node_index diagonal_swapped(struct mesh tile, uint32_t row, uint32_t col)
{
    uint32_t height = tile.rows / 2, width = tile.cols / 2;
    uint32_t down = tile.rows - height, right = tile.cols - width;
    if (row < height && col < width)
        return itself(tile, row + down, col + right);
    if (row >= down && col >= right)
        return itself(tile, row - down, col - right);
    return itself(tile, row, col);
}

#define OTHERS                                                                                     \
    " Of the other nodes, those whose own place is free stay; the rest take the free places, "     \
    "both in row-major order."

static const struct permutation_row TABLE[] = {
    {.permutation = {"random", "a random permutation",
                     "A uniformly random permutation, drawn from the seed."}},
    {.permutation = {"identity", "every node to itself", "Node (row, col) to itself."},
     .map = itself},
    {.permutation = {"transpose", "(row, col) to (col, row)",
                     "Node (row, col) to node number col * ROWS + row, which on a square is (col, "
                     "row), and elsewhere is where the transpose of a row-major ROWS x COLS matrix "
                     "has the entry."},
     .map = transposed},
    {.permutation = {"bitreverse", "the bits of row and column in reverse order",
                     "The row's ceil(log2 ROWS) bits are reversed, and the column's ceil(log2 "
                     "COLS); a number that this would take out of the tile stays as it is."},
     .map = bit_reversed},
    {.permutation = {"reversal", "the last node to the first",
                     "Node v to node n - 1 - v: (row, col) to (ROWS - 1 - row, COLS - 1 - col)."},
     .map = reversed},
    {.permutation = {"shift", "rows and columns shifted cyclically by half",
                     "Node (row, col) to (row + floor(ROWS / 2) mod ROWS, col + floor(COLS / 2) "
                     "mod COLS)."},
     .map = shifted},
    {.permutation = {"diagonal", "two opposite quadrants exchanged",
                     "The upper left quadrant, of floor(ROWS / 2) x floor(COLS / 2) nodes, and the "
                     "lower right one of the same size are exchanged without being turned; all "
                     "other nodes to themselves."},
     .map = diagonal_swapped},
    {.permutation = {"hotcolumn", "a square in the corner to the nodes of one column",
                     "Let s be the least number with s * s >= ROWS. The first ROWS nodes (all, if "
                     "they are fewer) of the square of s x s nodes at (0, 0), cut off at the "
                     "tile's border, go to the nodes of column floor(COLS / 2), both in row-major "
                     "order." OTHERS},
     .place = hot_column},
    {.permutation = {"rowtocolumn", "the top row to the middle column",
                     "Row 0 goes to column floor(COLS / 2), from west to east and from north to "
                     "south. If ROWS < COLS, only the ROWS nodes of row 0 do that are nearest to "
                     "that column (the western one first)." OTHERS},
     .place = row_to_column},
    {.permutation =
         {"adversary", "each row to one column, each column to one row, border to middle",
          "Rows from inside out are floor(ROWS / 2), the one before it, the one after it, "
          "the second before it, and so on; columns likewise; outermost means last in "
          "this order. With q = min(ROWS, COLS) and i, j < q, the node of the i-th "
          "outermost row and the j-th outermost column goes to the j-th innermost row and the i-th "
          "innermost "
          "column." OTHERS
          " So all packets of a row turn at one node if they go along rows first, and "
          "all packets of a column if they go along columns first."},
     .place = crossed},
};

uint32_t permutation_count(void)
{
    return sizeof TABLE / sizeof *TABLE;
}

const struct permutation *permutation_at(uint32_t index)
{
    assert(index < permutation_count());
    return &TABLE[index].permutation;
}

const struct permutation *permutation_find(const char *name)
{
    for (uint32_t i = 0; i < permutation_count(); i++)
        if (strcmp(TABLE[i].permutation.name, name) == 0)
            return &TABLE[i].permutation;
    return NULL;
}

/* Shuffles by Fisher and Yates, from the front. */
static void shuffle(uint32_t count, uint64_t seed, node_index *target)
{
    struct pcg32 random = pcg32_seed(seed, STREAM_PERMUTATION);
    for (uint32_t i = 0; i < count; i++)
        target[i] = i;
    shuffle_front(&random, target, count, count);
}

enum failure_kind permutation_fill(const struct permutation *permutation, struct mesh tile,
                                   uint64_t seed, node_index *target, struct failure *failure)
{
    const struct permutation_row *row = (const struct permutation_row *)permutation;
    uint32_t nodes = mesh_nodes(tile);
    if (row->map != NULL) {
        for (node_index v = 0; v < nodes; v++)
            target[v] = row->map(tile, v / tile.cols, v % tile.cols);
    } else if (row->place != NULL) {
        for (node_index v = 0; v < nodes; v++)
            target[v] = MESH_NO_NODE;
        row->place(tile, target);
        return complete(nodes, target, failure);
    } else {
        shuffle(nodes, seed, target);
    }
    return FAIL_NONE;
}

/* ---- messages of one destination ---- */

/* The patterns with one destination per message, each a permutation of the whole mesh as one
 * tile. */

static enum failure_kind make_by(const char *permutation, const struct pattern_options *options,
                                 struct message_set *set, struct failure *failure)
{
    uint32_t nodes = mesh_nodes(options->mesh);
    enum failure_kind kind = message_set_allocate(set, options->shape, nodes, nodes, failure);
    if (kind == FAIL_NONE)
        kind = permutation_fill(permutation_find(permutation), options->mesh, options->seed,
                                set->destination, failure);
    for (node_index v = 0; kind == FAIL_NONE && v < nodes; v++)
        set->offset[v] = set->source[v] = v;
    if (kind != FAIL_NONE)
        message_set_free(set);
    return kind;
}

enum failure_kind pattern_permutation(const struct pattern_options *options,
                                      struct message_set *set, struct failure *failure)
{
    return make_by("random", options, set, failure);
}

enum failure_kind pattern_transpose(const struct pattern_options *options, struct message_set *set,
                                    struct failure *failure)
{
    return make_by("transpose", options, set, failure);
}

enum failure_kind pattern_bitreverse(const struct pattern_options *options, struct message_set *set,
                                     struct failure *failure)
{
    return make_by("bitreverse", options, set, failure);
}
