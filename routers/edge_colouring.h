/* edge_colouring.h - edges of a bipartite graph in colours, of which each vertex gets equal shares. */
#ifndef MESHCAST_ROUTERS_EDGE_COLOURING_H
#define MESHCAST_ROUTERS_EDGE_COLOURING_H

#include <stdbool.h>
#include <stdint.h>

/* A vertex that takes edges; zeroed when it has none. */
struct vertex {
    uint32_t edges, part; /* so many; the part that has the last one */
};

struct edge_colouring {
    uint32_t colours;
    uint32_t edges, parts; /* so many so far */
    uint32_t *at;          /* [part][colour]: the edge, or none */
    uint32_t (*end)[2];    /* [edge]: its parts */
    uint32_t *colour;      /* [edge] */
};

/* No edges yet, and room for so many, between as many vertices at most on both sides together. False:
 * no memory. The caller frees, whole or not. */
bool edge_colouring_make(struct edge_colouring *colouring, uint32_t colours, uint32_t edges,
                         uint32_t vertices);
void edge_colouring_free(struct edge_colouring *colouring);

/* Forgets all edges; vertices must be zeroed. */
void edge_colouring_clear(struct edge_colouring *colouring);

/* The next edge, between a vertex of the one side and one of the other. Of the d edges of a vertex
 * each colour has at most d / colours, rounded up, whenever it is looked at; edges before may change
 * colours. O(colours + the length of a path). */
void edge_colouring_add(struct edge_colouring *colouring, struct vertex *one, struct vertex *other);

#endif
