/* permutation_crowd.c - permutations that crowd: many packets to one column, from few rows.
 *
 * Plain greedy routing sends a packet along its row to the column of its target, then along that.
 * `rowtocolumn` is its textbook enemy: on a square of side m the top row's packets reach the top
 * node of the middle column two a step, one from each side, and leave it one a step, southwards:
 * a queue of about m / 2. (With column-first greedy they never meet.)
 * `adversary` does this to every row and, at once, to every column: row r's packets all go to one
 * column and column c's all to one row, and the rows and columns at the border, from which there is
 * only one way to go, get the middle ones, at which packets arrive from both sides.
 * `hotcolumn` takes its packets from a small square instead, where blockwise sorting finds them
 * all in one block.
 *
 * Invariant: each places a one-to-one part of the map; permutation_complete does the rest.
 * Source: Leighton, Introduction to Parallel Algorithms and Architectures (1992), Section 1.7, for
 * the queue of greedy routing; the rest is ours.
 * Cost: O(n) time, one byte per node while a map is completed.
 */
#include "workloads/permutation_private.h"

#include <stdbool.h>
#include <stdlib.h>

enum failure_kind permutation_complete(uint32_t nodes, node_index *target, struct failure *failure)
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

void permutation_hot_column(struct mesh tile, node_index *target)
{
    uint32_t side = 1, placed = 0;
    while (side * side < tile.rows)
        side++;
    for (uint32_t row = 0; row < side && row < tile.rows; row++)
        for (uint32_t col = 0; col < side && col < tile.cols && placed < tile.rows; col++)
            target[row * tile.cols + col] = placed++ * tile.cols + tile.cols / 2;
}

void permutation_row_to_column(struct mesh tile, node_index *target)
{
    uint32_t column = tile.cols / 2;
    uint32_t count = tile.rows < tile.cols ? tile.rows : tile.cols;
    uint32_t first = column - count / 2;
    for (uint32_t i = 0; i < count; i++)
        target[first + i] = i * tile.cols + column;
}

/* Number i of 0 .. side-1 from the middle out: the middle, the one before it, the one behind it. */
static uint32_t inner(uint32_t side, uint32_t i)
{
    uint32_t away = (i + 1) / 2;
    return i % 2 == 1 ? side / 2 - away : side / 2 + away;
}

static uint32_t outer(uint32_t side, uint32_t i)
{
    return inner(side, side - 1 - i);
}

void permutation_adversary(struct mesh tile, node_index *target)
{
    uint32_t count = tile.rows < tile.cols ? tile.rows : tile.cols;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            target[outer(tile.rows, i) * tile.cols + outer(tile.cols, j)] =
                inner(tile.rows, j) * tile.cols + inner(tile.cols, i);
}
