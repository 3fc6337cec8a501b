/* mesh_options.h - the options that say what a set is made on: a mesh's rows and columns, or a topology. */
#ifndef MESHCAST_LIBRARY_MESH_OPTIONS_H
#define MESHCAST_LIBRARY_MESH_OPTIONS_H

#include "library/option_table.h"
#include "network/topology/topology.h"

struct mesh_options {
    uint32_t rows, cols;  /* 0: not given */
    struct mesh side;     /* 0 rows: not given */
    const char *topology; /* NULL: not given */
};

/* Rows of a struct mesh_options. */
enum { MESH_OPTION_ROWS = 4 };
extern const struct meshcast_option mesh_option_rows[MESH_OPTION_ROWS];

/* Finds the shape that the options name; without any it has no dimensions. FAIL_USAGE: the options exclude each other, one
 * is missing, or the shape is none; else as topology_parse(). */
enum failure_kind mesh_options_shape(const struct mesh_options *options, struct shape *shape,
                                     struct failure *failure);

/* Writes them as they are given again for a set on `shape`: "--rows 4 --cols 8", or "--topology T". */
void mesh_options_text(const struct mesh_options *options, const struct shape *shape, char *text,
                       size_t size);

#endif
