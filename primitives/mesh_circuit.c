/* mesh_circuit.c - closed walks by which packets tour a mesh.
 *
 * Even meshes: the Hamiltonian ring (ring.c), and the same backward. Odd x odd: the ring leaves out the
 * corner (0, 0) between its places (1, 0), (1, 1), (0, 1). The way forward visits it from (1, 0) and
 * comes back there, the way backward from (0, 1); so each link is used at most once in each
 * direction, and either node has one place more. Between two nodes the two sides together have as
 * many links as a way has places, but from the corner two more. Only from (1, 1) to the corner both are
 * long: it has been passed.
 *   A row or column: place i, and on the way back place 2 n - 2 - i.
 * Cost: 16 bytes a node, and those of the ring while it is made.
 */
#include "primitives/mesh_circuit.h"

#include "primitives/ring.h"

#include <stdlib.h>

static node_index index_of(struct mesh mesh, node_place place)
{
    return place_row(place) * mesh.cols + place_col(place);
}

static void make_row(struct mesh_circuit *circuit, const struct ring *ring)
{
    uint32_t last = ring->length - 1;
    for (uint32_t i = 0; i < circuit->length; i++)
        circuit->place[i] = ring->place[i <= last ? i : 2 * last - i];
    for (uint32_t i = 0; i <= last; i++) {
        circuit->home[0][i] = i;
        circuit->home[1][i] = i == 0 ? 0 : 2 * last - i;
    }
}

static void make_even(struct mesh_circuit *circuit, const struct ring *ring)
{
    uint32_t length = circuit->length;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t back = i == 0 ? 0 : length - i;
        node_index node = index_of(ring->mesh, ring->place[i]);
        circuit->place[i] = ring->place[i];
        circuit->place[length + back] = ring->place[i];
        circuit->home[0][node] = i;
        circuit->home[1][node] = length + back;
    }
}

/* The ring is (0, 1), .., (1, 0), (1, 1). Forward: .., (1, 0), corner, (1, 0), (1, 1). Backward: (0, 1),
 * corner, (0, 1), (1, 1), (1, 0), .. */
static void make_odd(struct mesh_circuit *circuit, const struct ring *ring)
{
    uint32_t length = circuit->length, beside = ring->length - 2; /* (1, 0) on the ring */
    node_place *on = circuit->place, *back = circuit->place + length;
    for (uint32_t i = 0; i <= beside; i++) {
        on[i] = ring->place[i];
        back[i == 0 ? 0 : length - i] = ring->place[i];
    }
    on[beside + 1] = place_of(0, 0);
    on[beside + 2] = ring->place[beside];
    on[beside + 3] = ring->place[beside + 1];
    back[1] = place_of(0, 0);
    back[2] = ring->place[0];
    back[3] = ring->place[beside + 1];
    for (uint32_t i = length; i-- > 0;) { /* the first of two places */
        circuit->home[0][index_of(ring->mesh, on[i])] = i;
        circuit->home[1][index_of(ring->mesh, back[i])] = length + i;
    }
}

enum failure_kind mesh_circuit_make(struct mesh_circuit *circuit, struct mesh mesh,
                                    struct failure *failure)
{
    uint32_t nodes = mesh_nodes(mesh);
    struct ring ring;
    *circuit = (struct mesh_circuit){0};
    if (ring_make(&ring, mesh, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    circuit->ways = ring.is_closed ? 2 : 1;
    circuit->length = !ring.is_closed          ? 2 * (nodes - 1)
                      : ring.leaves_out_corner ? nodes + 1
                                               : nodes;
    circuit->capacity = ring.leaves_out_corner ? 3 : nodes > 2 ? 2 : 1;
    circuit->rounds = !ring.is_closed          ? nodes - 1
                      : ring.leaves_out_corner ? (nodes + 3) / 2
                                               : nodes / 2;
    circuit->apart[0] = ring.leaves_out_corner ? mesh.cols + 1 : MESH_NO_NODE;
    circuit->apart[1] = ring.leaves_out_corner ? 0 : MESH_NO_NODE;
    circuit->place = memory_allocate((size_t)circuit->ways * circuit->length, sizeof(node_place));
    for (int side = 0; side < 2; side++)
        circuit->home[side] = memory_allocate(nodes, sizeof(uint32_t));
    bool is_whole = circuit->place && circuit->home[0] && circuit->home[1];
    if (is_whole && !ring.is_closed)
        make_row(circuit, &ring);
    else if (is_whole && ring.leaves_out_corner)
        make_odd(circuit, &ring);
    else if (is_whole)
        make_even(circuit, &ring);
    ring_free(&ring);
    if (is_whole)
        return FAIL_NONE;
    mesh_circuit_free(circuit);
    return fail_memory(failure, "the circuit");
}

void mesh_circuit_free(struct mesh_circuit *circuit)
{
    free(circuit->place);
    free(circuit->home[0]);
    free(circuit->home[1]);
    *circuit = (struct mesh_circuit){0};
}

uint64_t mesh_circuit_footprint(struct mesh mesh)
{
    uint64_t nodes = mesh_nodes(mesh), of_node = 2 * sizeof(node_place) + 2 * sizeof(uint32_t);
    return (nodes + 1) * of_node + ring_footprint(mesh);
}
