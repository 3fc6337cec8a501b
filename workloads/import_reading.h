/* import_reading.h - how the text of a file is to be read, where its format leaves it open. */
#ifndef MESHCAST_WORKLOADS_IMPORT_READING_H
#define MESHCAST_WORKLOADS_IMPORT_READING_H

#include <stdbool.h>
#include <stdint.h>

/* The answers to: is the first line of an edge list a header, with names of columns or sizes? */
enum import_header { IMPORT_HEADER_GUESSED, IMPORT_HEADER_YES, IMPORT_HEADER_NO };

struct import_reading {
    enum import_header header; /* of an edge list */
    bool is_symmetric;         /* each edge of an edge list goes both ways */
    bool counts_from_zero;     /* vertices of a hypergraph or METIS graph, instead of from 1 */
    bool is_format_given;      /* not found out from name or content */
    bool has_layer;            /* of routes, `layer` is read; otherwise the only one */
    uint32_t layer;
};

#endif
