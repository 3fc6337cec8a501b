/* flits_reader.h - reads a network's trace (doc/network.md, "The trace"): its first line, then line
 * by line.
 *
 * The reader knows only the form: the settings, the letters, their numbers of fields, numbers.
 * Everything else fails with FAIL_INPUT, and the text names the file, the line and what was
 * expected. Private to the audit.
 */
#ifndef MESHCAST_AUDIT_FLITS_READER_H
#define MESHCAST_AUDIT_FLITS_READER_H

#include "base/byte_source.h"

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
    ROUTES_WEST_FIRST,
    ROUTES_ODD_EVEN,
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

/* True if a link leads from one node to the other. The edges of a graph are not known: any two may
 * be joined. */
bool flits_joins(const struct flits_shape *shape, uint32_t from, uint32_t to);

/* Returns the number of links that leave the node; UINT32_MAX on a graph. */
uint32_t flits_links_of(const struct flits_shape *shape, uint32_t node);

/* Returns the place of a node on the Hamiltonian path. */
uint32_t flits_label(const struct flits_shape *shape, uint32_t node);

/* A hop of a header that is bound for `target`, by channel `vc` of `vcs`. */
struct flits_hop {
    uint32_t from, to, target, vc, vcs;
    bool is_first; /* of its worm */
};

/* True if the routing allows the hop; flits_joins() checks the link. Under label routing a worm may
 * name the port of its first hop: any neighbour whose label is not beyond the target's. */
bool flits_conforms(const struct flits_shape *shape, enum flits_routing routing,
                    const struct flits_hop *hop);

/* True if a worm that came to `at` from `from` may go on to `to`, for any stops. */
bool flits_may_turn(enum flits_routing routing, uint32_t from, uint32_t at, uint32_t to);

enum { FLITS_FIELDS = 6, FLITS_NAME = 304, FLITS_WORD = 64 };

enum flits_switching { WORMHOLE, CUT_THROUGH, STORE_AND_FORWARD, CIRCUIT };

struct flits_header {
    struct flits_shape shape;
    enum flits_switching switching;
    uint32_t vcs;
    uint32_t buffer;                 /* 0: any */
    uint32_t injection, consumption; /* 0: as many as links */
    uint32_t startup, router_delay;
    bool startup_is_per_port, is_one_port, releases_when_left;
    enum flits_routing routing;
    char routing_name[FLITS_WORD];
};

/* True if a flit leaves a node over all outputs of its worm at once. */
static inline bool flits_is_lockstep(const struct flits_header *header)
{
    return header->switching == WORMHOLE || header->switching == CIRCUIT;
}

/* Numbers of 2^32 and more are UINT32_MAX in a field, cycles of 2^62 and more 2^62. */
struct flits_line {
    uint64_t cycle, line;
    uint32_t field[FLITS_FIELDS];
    char letter;
};

struct flits_reader {
    struct byte_source *source;
    char name[FLITS_NAME];
    uint64_t line; /* of the last line read, from 1 */
};

/* Reads the first line. The source stays the caller's. */
enum failure_kind flits_reader_begin(struct flits_reader *reader, struct byte_source *source,
                                     struct flits_header *header, struct failure *failure);

/* Reads the next line; *found is false at the end. */
enum failure_kind flits_reader_next(struct flits_reader *reader, struct flits_line *line,
                                    bool *found, struct failure *failure);

/* Returns the number of fields of a letter's lines; 0: no such letter. */
int flits_fields(char letter);

#endif
