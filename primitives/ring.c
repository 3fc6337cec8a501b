/* ring.c - the Hamiltonian ring of a mesh.
 *
 * Even rows: along the first row, back and forth over all columns but the first, home through the
 * first column. Odd rows and even columns: the same with rows and columns exchanged. Both odd, at
 * least 3: the corner (0, 0) is left out; along the first row from (0, 1), then up and down the
 * columns from the last to the third, and home through the first two columns in a zigzag that
 * ends at (1, 1), a neighbour of (0, 1).
 * Source: Fact 1 of the paper promises neighbours at a distance of at most two; these are at one.
 * Cost: O(1) for a place or a position; the table takes 8 bytes per node.
 */
#include "primitives/ring.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows even, cols at least 2 ---- */

static node_place even_place(uint32_t rows, uint32_t cols, uint32_t position)
{
    uint32_t across = cols - 1, row = position == 0 ? rows : (position - 1) / across;
    if (position == 0 || row >= rows)
        return place_of(position == 0 ? 0 : rows * cols - position, 0);
    uint32_t i = position - row * across;
    return place_of(row, row % 2 == 0 ? i : cols - i);
}

/* ---- rows and cols odd, at least 3 ---- */

static node_place odd_place(uint32_t rows, uint32_t cols, uint32_t position)
{
    if (position < cols - 1)
        return place_of(0, position + 1);
    position -= cols - 1;
    uint32_t down = rows - 1, i = position / down, j = position - i * down + 1;
    if (i + 2 < cols)
        return place_of(i % 2 == 0 ? j : rows - j, cols - 1 - i);
    position -= (cols - 2) * down;
    i = position / 2;
    return place_of(rows - 1 - i, i % 2 == position % 2);
}

uint32_t ring_odd_position(uint32_t rows, uint32_t cols, uint32_t row, uint32_t col)
{
    if (row == 0)
        return col == 0 ? UINT32_MAX : col - 1;
    uint32_t i = cols - 1 - col, before = cols - 1;
    if (col >= 2)
        return before + i * (rows - 1) + (i % 2 == 0 ? row : rows - row) - 1;
    i = rows - 1 - row;
    return before + (cols - 2) * (rows - 1) + 2 * i + (i % 2 == col);
}

/* ---- every mesh ---- */

static node_place transpose(node_place place)
{
    return place_of(place_col(place), place_row(place));
}

node_place ring_place(struct mesh mesh, uint32_t position)
{
    if (!ring_is_closed(mesh))
        return mesh.cols == 1 ? place_of(position, 0) : place_of(0, position);
    if (mesh.rows % 2 == 0)
        return even_place(mesh.rows, mesh.cols, position);
    if (mesh.cols % 2 == 0)
        return transpose(even_place(mesh.cols, mesh.rows, position));
    return odd_place(mesh.rows, mesh.cols, position);
}

/* ---- as a table ---- */

enum failure_kind ring_make(struct ring *ring, struct mesh mesh, struct failure *failure)
{
    uint32_t nodes = mesh_nodes(mesh);
    *ring = (struct ring){.mesh = mesh,
                          .is_closed = ring_is_closed(mesh),
                          .leaves_out_corner = ring_leaves_out_corner(mesh)};
    ring->place = memory_allocate(nodes, sizeof *ring->place);
    ring->position = memory_allocate(nodes, sizeof *ring->position);
    if (!ring->place || !ring->position) {
        ring_free(ring);
        return fail_memory(failure, "the ring");
    }
    ring->length = nodes - ring->leaves_out_corner;
    memset(ring->position, 0xff, nodes * sizeof *ring->position);
    for (uint32_t p = 0; p < ring->length; p++) {
        ring->place[p] = ring_place(mesh, p);
        ring->position[place_row(ring->place[p]) * mesh.cols + place_col(ring->place[p])] = p;
    }
    if (ring->leaves_out_corner) {
        ring->before_corner = ring->position[mesh.cols];
        ring->after_corner = ring->position[1];
    }
    return FAIL_NONE;
}

void ring_free(struct ring *ring)
{
    free(ring->place);
    free(ring->position);
    *ring = (struct ring){0};
}
