/* ring.c - the Hamiltonian ring of a mesh.
 *
 * Even rows: along the first row, back and forth over all columns but the first, home through the
 * first column. Odd rows and even columns: the same with rows and columns exchanged. Both odd, at
 * least 3: the corner (0, 0) is left out; along the first row from (0, 1), then up and down the
 * columns from the last to the third, and home through the first two columns in a zigzag that
 * ends at (1, 1), a neighbour of (0, 1).
 * Source: Fact 1 of the paper promises neighbours at a distance of at most two; these are at one.
 * Cost: 8 bytes a node.
 */
#include "primitives/ring.h"

#include <stdlib.h>
#include <string.h>

static void append(struct ring *ring, bool transposed, uint32_t row, uint32_t col)
{
    ring->place[ring->length++] = transposed ? place_of(col, row) : place_of(row, col);
}

static void make_path(struct ring *ring, bool transposed, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        append(ring, transposed, 0, i);
}

/* rows even, cols at least 2 */
static void make_even(struct ring *ring, bool transposed, uint32_t rows, uint32_t cols)
{
    append(ring, transposed, 0, 0);
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t i = 1; i < cols; i++)
            append(ring, transposed, row, row % 2 == 0 ? i : cols - i);
    for (uint32_t row = rows - 1; row > 0; row--)
        append(ring, transposed, row, 0);
}

/* rows and cols odd, at least 3 */
static void make_odd(struct ring *ring, uint32_t rows, uint32_t cols)
{
    for (uint32_t col = 1; col < cols; col++)
        append(ring, false, 0, col);
    for (uint32_t i = 0; i + 2 < cols; i++)
        for (uint32_t j = 1; j < rows; j++)
            append(ring, false, i % 2 == 0 ? j : rows - j, cols - 1 - i);
    for (uint32_t i = 0; i + 1 < rows; i++) {
        append(ring, false, rows - 1 - i, i % 2 == 0 ? 1 : 0);
        append(ring, false, rows - 1 - i, i % 2 == 0 ? 0 : 1);
    }
}

enum failure_kind ring_make(struct ring *ring, struct mesh mesh, struct failure *failure)
{
    uint32_t nodes = mesh_nodes(mesh);
    *ring = (struct ring){.mesh = mesh};
    ring->place = memory_allocate(nodes, sizeof *ring->place);
    ring->position = memory_allocate(nodes, sizeof *ring->position);
    if (!ring->place || !ring->position) {
        ring_free(ring);
        return fail_memory(failure, "the ring");
    }
    bool is_path = mesh.rows == 1 || mesh.cols == 1;
    ring->is_closed = !is_path;
    ring->leaves_out_corner = !is_path && mesh.rows % 2 == 1 && mesh.cols % 2 == 1;
    if (is_path)
        make_path(ring, mesh.cols == 1, nodes);
    else if (ring->leaves_out_corner)
        make_odd(ring, mesh.rows, mesh.cols);
    else if (mesh.rows % 2 == 0)
        make_even(ring, false, mesh.rows, mesh.cols);
    else
        make_even(ring, true, mesh.cols, mesh.rows);
    memset(ring->position, 0xff, nodes * sizeof *ring->position);
    for (uint32_t p = 0; p < ring->length; p++)
        ring->position[place_row(ring->place[p]) * mesh.cols + place_col(ring->place[p])] = p;
    if (ring->leaves_out_corner) {
        ring->before_corner = ring->position[mesh.cols];
        ring->after_corner = ring->position[1];
    }
    return FAIL_NONE;
}

uint64_t ring_footprint(struct mesh mesh)
{
    const struct ring *ring = NULL;
    return mesh_nodes(mesh) * (uint64_t)(sizeof *ring->place + sizeof *ring->position);
}

void ring_free(struct ring *ring)
{
    free(ring->place);
    free(ring->position);
    *ring = (struct ring){0};
}
