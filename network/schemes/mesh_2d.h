/* mesh_2d.h - coordinates on meshes of one or two dimensions: x grows east, y grows north. Private to the schemes. */
#ifndef MESHCAST_NETWORK_SCHEMES_MESH_2D_H
#define MESHCAST_NETWORK_SCHEMES_MESH_2D_H

#include "network/schemes/scheme.h"

static inline uint32_t mesh_2d_x(const struct topology *topology, uint32_t node)
{
    return topology_coordinate(topology, node, 0);
}

/* A mesh of one dimension is a single row. */
static inline uint32_t mesh_2d_y(const struct topology *topology, uint32_t node)
{
    return topology->shape.dimensions > 1 ? topology_coordinate(topology, node, 1) : 0;
}

/* FAIL_USAGE, in the name of the scheme: the topology is no mesh. */
enum failure_kind mesh_check(const char *scheme, const struct topology *topology,
                             struct failure *failure);

/* FAIL_USAGE, in the name of the scheme: the topology is no mesh of one or two dimensions. */
enum failure_kind mesh_2d_check(const char *scheme, const struct topology *topology,
                                struct failure *failure);

#endif
