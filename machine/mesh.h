/* mesh.h - the geometry of the mesh: nodes, their places, links, directions. Pure arithmetic, no
 * state.
 *
 * A mesh has rows x cols nodes; node (row, col) has index row * cols + col. Each pair of neighbours
 * is joined by two directed links, one each way (doc/model.md).
 */
#ifndef MESHCAST_MACHINE_MESH_H
#define MESHCAST_MACHINE_MESH_H

#include "base/numbers.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t node_index; /* 0 .. rows * cols - 1 */

enum {
    MESH_MAX_SIDE = 32768,    /* rows and cols are at most this */
    MESH_MAX_NODES = 1 << 26, /* and rows * cols at most this */
};

#define MESH_NO_NODE UINT32_MAX /* no node has this index */

struct mesh {
    uint32_t rows, cols; /* each 1 .. MESH_MAX_SIDE */
};

/* row << 16 | col */
typedef uint32_t node_place;

static inline node_place place_of(uint32_t row, uint32_t col)
{
    return row << 16 | col;
}

static inline uint32_t place_row(node_place place)
{
    return place >> 16;
}

static inline uint32_t place_col(node_place place)
{
    return place & 0xffff;
}

/* Returns the place of a node of the mesh. */
static inline node_place mesh_place(struct mesh mesh, node_index node)
{
    uint32_t row = node / mesh.cols;
    return place_of(row, node - row * mesh.cols);
}

/* Returns the node at a place of the mesh. */
static inline node_index mesh_index(struct mesh mesh, node_place place)
{
    return place_row(place) * mesh.cols + place_col(place);
}

/* Returns the number of links of a shortest path between two nodes. */
static inline uint32_t place_distance(node_place one, node_place other)
{
    return difference(place_row(one), place_row(other)) +
           difference(place_col(one), place_col(other));
}

/* A node as kernels see it: index and coordinates agree. */
struct site {
    node_index index;
    uint32_t row, col;
};

static inline node_place site_place(struct site site)
{
    return place_of(site.row, site.col);
}

enum direction { NORTH, SOUTH, WEST, EAST, DIRECTIONS };

static inline uint32_t mesh_nodes(struct mesh mesh)
{
    return mesh.rows * mesh.cols;
}

static inline bool mesh_is_valid(uint64_t rows, uint64_t cols)
{
    return rows >= 1 && cols >= 1 && rows <= MESH_MAX_SIDE && cols <= MESH_MAX_SIDE &&
           rows * cols <= MESH_MAX_NODES;
}

static inline enum direction direction_opposite(enum direction direction)
{
    return (enum direction)(direction ^ 1);
}

static inline bool direction_is_vertical(enum direction direction)
{
    return direction < WEST;
}

/* Returns the row or column of a place at which a packet that leaves in this direction stops. */
static inline uint32_t line_of_place(node_place place, enum direction direction)
{
    return direction_is_vertical(direction) ? place_row(place) : place_col(place);
}

/* Returns the neighbour of node (row, col) on that side; MESH_NO_NODE: the mesh ends there. */
static inline node_index mesh_beside(struct mesh mesh, uint32_t row, uint32_t col,
                                     enum direction side)
{
    node_index node = row * mesh.cols + col;
    switch (side) {
    case NORTH:
        return row > 0 ? node - mesh.cols : MESH_NO_NODE;
    case SOUTH:
        return row + 1 < mesh.rows ? node + mesh.cols : MESH_NO_NODE;
    case WEST:
        return col > 0 ? node - 1 : MESH_NO_NODE;
    default:
        return col + 1 < mesh.cols ? node + 1 : MESH_NO_NODE;
    }
}

#endif
