/* flits_shape.h - neighbours, labels and ways on the network of a trace: the audit's own arithmetic.
 * Private to the audit.
 */
#ifndef MESHCAST_AUDIT_FLITS_SHAPE_H
#define MESHCAST_AUDIT_FLITS_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

enum flits_form { FORM_MESH, FORM_TORUS, FORM_GRAPH };
enum flits_routing {
    ROUTES_X_FIRST,
    ROUTES_LABEL,
    ROUTES_LINK,
    ROUTES_NEGATIVE_FIRST,
    ROUTES_NEGATIVE_FIRST_FIXED,
    ROUTES_SIDES,
    ROUTES_UNKNOWN
};

enum { FLITS_DIMENSIONS = 8, FLITS_MOST_NODES = 1 << 26 };

struct flits_shape {
    enum flits_form form;
    uint32_t dimensions;
    uint32_t size[FLITS_DIMENSIONS]; /* the fastest dimension first; of a graph its nodes */
    uint32_t nodes;
};

static inline bool flits_is_negative_first(enum flits_routing routing)
{
    return routing == ROUTES_NEGATIVE_FIRST || routing == ROUTES_NEGATIVE_FIRST_FIXED;
}

/* Reads "mesh:4x8", "torus:8x8x8" (the slowest dimension first) or "graph:N" up to `end`. */
bool flits_shape_read(struct flits_shape *shape, const char *text, const char *end);

/* Whether a link leads from one node to the other. The edges of a graph are not known: any two may be
 * joined. */
bool flits_joins(const struct flits_shape *shape, uint32_t from, uint32_t to);

/* How many links leave the node; UINT32_MAX on a graph. */
uint32_t flits_links_of(const struct flits_shape *shape, uint32_t node);

/* The place of a node on the Hamiltonian path. */
uint32_t flits_label(const struct flits_shape *shape, uint32_t node);

/* A hop of a header that is bound for `target`, by channel `vc` of `vcs`. */
struct flits_hop {
    uint32_t from, to, target, vc, vcs;
    bool is_first; /* of its worm */
};

/* Whether the routing allows the hop. Links are not looked at: flits_joins(). Under label routing a worm may name the
 * port of its first hop: any neighbour will do whose label is not beyond the target's. */
bool flits_conforms(const struct flits_shape *shape, enum flits_routing routing,
                    const struct flits_hop *hop);

/* Whether a worm that came to `at` from `from` may go on to `to`, whatever its stops are. */
bool flits_may_turn(enum flits_routing routing, uint32_t from, uint32_t at, uint32_t to);

#endif
