/* edge_colouring.c - edges of a bipartite graph in colours, of which each vertex gets equal shares.
 *
 * Each vertex is cut into parts of at most as many edges as there are colours. A bipartite graph whose
 * parts have no more has a colouring in which no part has two edges of one colour (Koenig 1916), so no
 * vertex of d edges has more than ceil(d / colours) of one. It is found edge by edge. Where both parts
 * have a colour free in common the edge takes it. Otherwise let x be free at the one and y at the other:
 * the path of edges in x and y alternately that begins at the other with x is turned round, y for x and x
 * for y. It does not come to the one: on that side it arrives over edges of colour x. Then x is free at
 * both.
 *
 * Source: Koenig 1916; de Werra 1971 (equal shares).
 * Cost: O(colours + length of a path) an edge; 12 bytes an edge and 4 a part and colour.
 */
#include "routers/edge_colouring.h"

#include "base/failure.h"

#include <stdlib.h>

#define NO_EDGE UINT32_MAX

static uint32_t *edge_at(const struct edge_colouring *colouring, uint32_t part, uint32_t colour)
{
    return &colouring->at[(size_t)part * colouring->colours + colour];
}

static uint32_t free_colour(const struct edge_colouring *colouring, uint32_t part)
{
    uint32_t colour = 0;
    while (*edge_at(colouring, part, colour) != NO_EDGE)
        colour++;
    return colour;
}

/* The first that is free at both; colouring->colours: none. */
static uint32_t common_colour(const struct edge_colouring *colouring, uint32_t a, uint32_t b)
{
    uint32_t colour = 0;
    while (colour < colouring->colours &&
           (*edge_at(colouring, a, colour) != NO_EDGE || *edge_at(colouring, b, colour) != NO_EDGE))
        colour++;
    return colour;
}

/* Exchanges the colours of the path that begins at `part` with an edge of colour `one`, and goes on
 * with `other`, `one`, ..: `one` is then free at `part`, where `other` was. */
static void turn_path(struct edge_colouring *colouring, uint32_t part, uint32_t one, uint32_t other)
{
    uint32_t edge = *edge_at(colouring, part, one);
    *edge_at(colouring, part, one) = NO_EDGE;
    while (edge != NO_EDGE) {
        uint32_t far =
            colouring->end[edge][0] == part ? colouring->end[edge][1] : colouring->end[edge][0];
        uint32_t next = *edge_at(colouring, far, other);
        *edge_at(colouring, part, other) = edge;
        *edge_at(colouring, far, other) = edge;
        colouring->colour[edge] = other;
        if (next == NO_EDGE)
            *edge_at(colouring, far, one) = NO_EDGE;
        uint32_t swap = one;
        one = other;
        other = swap;
        edge = next;
        part = far;
    }
}

/* The part that takes the vertex's next edge: a new one after every w edges. */
static uint32_t next_part(struct edge_colouring *colouring, struct vertex *vertex)
{
    if (vertex->edges++ % colouring->colours != 0)
        return vertex->part;
    vertex->part = colouring->parts++;
    for (uint32_t colour = 0; colour < colouring->colours; colour++)
        *edge_at(colouring, vertex->part, colour) = NO_EDGE;
    return vertex->part;
}

void edge_colouring_add(struct edge_colouring *colouring, struct vertex *one, struct vertex *other)
{
    uint32_t a = next_part(colouring, one), b = next_part(colouring, other);
    uint32_t edge = colouring->edges++, colour = common_colour(colouring, a, b);
    if (colour == colouring->colours) {
        colour = free_colour(colouring, a);
        turn_path(colouring, b, colour, free_colour(colouring, b));
    }
    colouring->end[edge][0] = a;
    colouring->end[edge][1] = b;
    colouring->colour[edge] = colour;
    *edge_at(colouring, a, colour) = edge;
    *edge_at(colouring, b, colour) = edge;
}

/* ---- memory ---- */

bool edge_colouring_make(struct edge_colouring *colouring, uint32_t colours, uint32_t edges,
                         uint32_t vertices)
{
    /* each vertex has one part that is not full, at most */
    size_t parts = vertices + 2 * ((size_t)edges / colours);
    *colouring =
        (struct edge_colouring){.colours = colours,
                                .at = memory_allocate(parts * colours, sizeof *colouring->at),
                                .end = memory_allocate(edges, sizeof *colouring->end),
                                .colour = memory_allocate(edges, sizeof *colouring->colour)};
    return colouring->at != NULL && colouring->end != NULL && colouring->colour != NULL;
}

void edge_colouring_free(struct edge_colouring *colouring)
{
    free(colouring->at);
    free(colouring->end);
    free(colouring->colour);
    *colouring = (struct edge_colouring){0};
}

void edge_colouring_clear(struct edge_colouring *colouring)
{
    colouring->edges = colouring->parts = 0;
}
