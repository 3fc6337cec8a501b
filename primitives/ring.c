/* ring.c - the Hamiltonian ring of a mesh, and closed walks by which packets tour it.
 *
 * Even rows: along the first row, back and forth over all columns but the first, home through the
 * first column. Odd rows and even columns: the same with rows and columns exchanged. Both odd, at
 * least 3: the corner (0, 0) is left out; along the first row from (0, 1), then up and down the
 * columns from the last to the third, and home through the first two columns in a zigzag that ends
 * at (1, 1), a neighbour of (0, 1).
 * Source: Fact 1 of the paper promises neighbours at a distance of at most two; these are at one.
 *
 * Circuits. Even meshes: the Hamiltonian ring, and the same backward. Odd x odd: the ring leaves
 * out the corner (0, 0) between its places (1, 0), (1, 1), (0, 1). The way forward visits it from
 * (1, 0) and comes back there, the way backward from (0, 1); so each link is used at most once in
 * each direction, and either node has one place more. Between two nodes the two sides together have
 * as many links as a way has places, and from the corner two more. Only from (1, 1) to the corner
 * both are long: it has been passed.
 *   A row or column: place i, and on the way back place n - 1 - i; these ways are not closed.
 * Cost: O(1) for a place, a position or a node.
 */
#include "primitives/ring.h"

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

/* ---- circuits ---- */

struct mesh_circuit mesh_circuit_of(struct mesh mesh)
{
    uint32_t nodes = mesh_nodes(mesh);
    bool has_corner = ring_leaves_out_corner(mesh);
    struct mesh_circuit circuit = {.mesh = mesh,
                                   .length = nodes,
                                   .around = nodes,
                                   .capacity = nodes > 2 ? 2 : 1,
                                   .rounds = nodes / 2};
    circuit.apart[0] = circuit.apart[1] = MESH_NO_NODE;
    if (!ring_is_closed(mesh)) {
        circuit.around = 2 * nodes;
        circuit.rounds = nodes - 1;
    } else if (has_corner) {
        circuit.length = circuit.around = nodes + 1;
        circuit.capacity = 3;
        circuit.rounds = (nodes + 3) / 2;
        circuit.apart[0] = mesh.cols + 1;
        circuit.apart[1] = 0;
    }
    return circuit;
}

/* The ring is (0, 1), .., (1, 0), (1, 1). Forward: .., (1, 0), corner, (1, 0), (1, 1). Backward:
 * (0, 1), corner, (0, 1), (1, 1), (1, 0), .. */
static node_place odd_circuit_place(const struct mesh_circuit *circuit, bool is_back, uint32_t i)
{
    uint32_t length = circuit->length, beside = length - 4; /* (1, 0) on the ring */
    static const node_place CORNER = 0;
    if (is_back) {
        if (i == 1)
            return CORNER;
        return ring_place(circuit->mesh, i == 0 || i == 2 ? 0 : i == 3 ? beside + 1 : length - i);
    }
    if (i == beside + 1)
        return CORNER;
    return ring_place(circuit->mesh, i <= beside ? i : i == beside + 2 ? beside : beside + 1);
}

node_place mesh_circuit_place(const struct mesh_circuit *circuit, uint32_t place)
{
    uint32_t length = circuit->length;
    bool is_back = place >= length;
    uint32_t i = is_back ? place - length : place;
    if (circuit->walk != NULL)
        return circuit->walk[is_back && i > 0 ? length - i : i];
    if (!ring_is_closed(circuit->mesh))
        return ring_place(circuit->mesh, is_back ? length - 1 - i : i);
    if (circuit->apart[0] != MESH_NO_NODE)
        return odd_circuit_place(circuit, is_back, i);
    return ring_place(circuit->mesh, is_back && i > 0 ? length - i : i);
}

/* The first of two places. */
static void odd_homes(const struct mesh_circuit *circuit, uint32_t at, uint32_t home[2])
{
    uint32_t length = circuit->length, beside = length - 4;
    home[0] = at == UINT32_MAX ? beside + 1 : at > beside ? beside + 3 : at;
    home[1] = length + (at == UINT32_MAX ? 1 : at == 0 ? 0 : at > beside ? 3 : length - at);
}

/* Returns the first place of a node on the way forward; if a corner is left out, the position on
 * the ring. */
static uint32_t position_of(const struct mesh_circuit *circuit, node_place node)
{
    return circuit->walk == NULL ? ring_position(circuit->mesh, node)
                                 : circuit->position[mesh_index(circuit->mesh, node)];
}

void mesh_circuit_homes(const struct mesh_circuit *circuit, node_place node, uint32_t home[2])
{
    uint32_t length = circuit->length, at = position_of(circuit, node);
    bool is_closed = circuit->walk != NULL || ring_is_closed(circuit->mesh);
    if (circuit->apart[0] != MESH_NO_NODE) {
        odd_homes(circuit, at, home);
        return;
    }
    home[0] = at;
    home[1] = length + (!is_closed ? length - 1 - at : at == 0 ? 0 : length - at);
}

uint32_t mesh_circuit_home(const struct mesh_circuit *circuit, unsigned side, node_place node)
{
    uint32_t home[2];
    if (side == 0 && circuit->apart[0] == MESH_NO_NODE)
        return position_of(circuit, node);
    mesh_circuit_homes(circuit, node, home);
    return home[side];
}
