/* node_lines.h - files with some nodes a line: the nodes of each expert, or of each process group. */
#ifndef MESHCAST_WORKLOADS_NODE_LINES_H
#define MESHCAST_WORKLOADS_NODE_LINES_H

#include "base/byte_source.h"
#include "machine/mesh.h"
#include "network/topology/topology.h"

/* Nodes by lines; where no file says them, by whatever else makes them. */
struct node_lines {
    uint32_t lines;
    uint32_t *first;       /* [lines + 1]: line i is node[first[i]] .. node[first[i + 1] - 1] */
    node_index *node;      /* NULL: there are no lines */
    bool has_several;      /* nodes on a line */
    const char *path;      /* of the file, or NULL, .. */
    node_index largest;    /* .. the largest number of a node in it .. */
    uint64_t largest_line; /* .. and where that is */
};

struct node_lines_format {
    const char *what; /* a line is of, in messages: "expert" */
    uint32_t most;    /* lines */
    bool is_disjoint; /* no node comes twice */
};

/* Reads lines of node numbers with blanks between, at least one a line; blank lines, and those that begin with # or %, count
 * for nothing. FAIL_INPUT names file, line and what was expected; FAIL_SYSTEM: no memory.
 * `path`, for messages, stays the caller's; the source is closed. The caller frees the lines. */
enum failure_kind node_lines_read_source(struct node_lines *lines,
                                         const struct node_lines_format *format,
                                         struct byte_source *source, const char *path,
                                         struct failure *failure);

/* FAIL_INPUT: a node of the file is none of the shape's. */
enum failure_kind node_lines_check(const struct node_lines *lines, const struct shape *shape,
                                   struct failure *failure);

/* Frees the arrays and clears the lines; zeroed ones are fine. */
void node_lines_free(struct node_lines *lines);

#endif
