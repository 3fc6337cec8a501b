/* broken_mesh.h - a small broken mesh in its plainest form: its nodes and links, and the paths of
 * routers on it (doc/broken.md). It shares types with machine/, and no code. */
#ifndef MESHCAST_TEST_ROUTERS_BROKEN_MESH_H
#define MESHCAST_TEST_ROUTERS_BROKEN_MESH_H

#include "base/pcg.h"
#include "test/reference/reference.h"
#include "test/temporary.h"

enum { BROKEN_NODES = 36, BROKEN_NOWHERE = UINT32_MAX };

struct broken_mesh {
    struct mesh mesh;
    uint32_t nodes;
    bool is_dead[BROKEN_NODES], has_link[BROKEN_NODES][DIRECTIONS];
    uint32_t level[2][BROKEN_NODES]; /* hops from the least and the greatest node of the part */
    uint32_t main[BROKEN_NODES], main_nodes; /* the nodes of a largest part, ascending */
};

/* Draws a mesh that lacks a link at least and has two joined nodes; the whole mesh if
 * `is_whole`. */
void broken_mesh_draw(struct broken_mesh *broken, struct mesh mesh, bool is_whole,
                      struct pcg32 *random);

/* Writes the file of missing nodes and links, which the caller removes. */
void broken_mesh_write(const struct broken_mesh *broken, char path[TEMPORARY_PATH]);

/* Removes the missing links from a model. */
void broken_mesh_cut(const struct broken_mesh *broken, struct model *model);

/* Paths from one node: links to each other node, and the node before it. Both may be
 * BROKEN_NOWHERE for nodes of other parts. */
struct broken_paths {
    uint32_t links[BROKEN_NODES], before[BROKEN_NODES];
};

enum broken_kind { BROKEN_SHORTEST, BROKEN_UP_DOWN };

/* Finds shortest paths, or paths up, then down by the levels of a class. */
void broken_mesh_paths(const struct broken_mesh *broken, enum broken_kind kind, unsigned class,
                       uint32_t source, struct broken_paths *paths);

/* Returns the direction in which a neighbour is. */
enum direction broken_mesh_direction(const struct broken_mesh *broken, uint32_t from, uint32_t to);

#endif
