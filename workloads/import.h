/* import.h - message sets of files: sparse matrices, graphs, hypergraphs, routes of experts, traces
 * of networks.
 *
 * In y = A x column j is a message, from the node that owns index j to the owners of the rows with
 * a stored entry in it; row i and column i belong to the same node. In a graph each vertex is a
 * message to its neighbours, in a hypergraph each hyperedge one from its first vertex to the
 * others, in routes each token one to its experts. Nodes own items: indices, vertices, tokens.
 * Destinations of a message on one node count once.
 */
#ifndef MESHCAST_WORKLOADS_IMPORT_H
#define MESHCAST_WORKLOADS_IMPORT_H

#include "workloads/experts.h"
#include "workloads/message_set.h"
#include "workloads/volume.h"

/* The assignment of index i to a node. */
enum import_map { IMPORT_ROW, IMPORT_SNAKE, IMPORT_HILBERT, IMPORT_RANDOM };

/* The format of a file. IMPORT_BY_FILE: Matrix Market if it begins with the banner %%MatrixMarket;
 * else by the end of its name. */
enum import_format {
    IMPORT_BY_FILE,
    IMPORT_MATRIX_MARKET,
    IMPORT_EDGE_LIST,
    IMPORT_HYPERGRAPH,
    IMPORT_GRAPH,
    IMPORT_ROUTES,
    IMPORT_ADJACENCY,
    IMPORT_PATOH,
    IMPORT_DIMACS,
    IMPORT_RUTHERFORD_BOEING,
    IMPORT_TIMED, /* from here on messages with times, between nodes: workloads/timed_list.h */
    IMPORT_NETRACE,
    IMPORT_NPE
};

/* The names of the formats, maps and enum import_header: auto, mtx, edges, ..; ended by NULL. */
extern const char *const import_format_names[], *const import_map_names[],
                                                    *const import_header_names[];

/* The answers to the question whether the first line of an edge list is a header, with names of
 * columns or sizes. */
enum import_header { IMPORT_HEADER_GUESSED, IMPORT_HEADER_YES, IMPORT_HEADER_NO };

/* Choices for reading a file that its format leaves open. */
struct import_reading {
    enum import_header header; /* of an edge list */
    bool is_symmetric;         /* each edge of an edge list goes both ways */
    bool counts_from_zero;     /* vertices of a hypergraph or METIS graph, instead of from 1 */
    bool is_format_given;      /* not found from name or content */
    bool has_layer;            /* of routes, `layer` is read; otherwise the only one */
    uint32_t layer;
    uint32_t noc; /* of tt-npe, 1 + the number of the network on chip; 0: the only one */
};

struct import_options {
    struct shape
        shape; /* where the set is made, valid; without dimensions: the least square mesh */
    const struct topology *broken; /* the shape's, if it is broken; else NULL. The caller's */
    enum import_map map;
    bool drop_diagonal;
    uint64_t seed; /* of IMPORT_RANDOM */
    enum import_format format;
    struct import_reading reading; /* is_format_given is set by the import */
    uint32_t per_node;             /* consecutive items per node; 0: one */
    const char *part;              /* instead: a file of a node number per item; NULL: none */
    uint32_t experts;              /* of routes; 0: by the largest that occurs */
    const char *place;             /* of routes: spread, block, or a file of nodes; NULL: spread */
    struct volume_options volume;
};

/* The figures that partitioners minimise. A message, before it is packed, is a net with a pin on
 * its node and on each of its destinations' nodes: the nets with pins on several nodes, and the sum
 * over nets of the nodes with pins, minus one each. */
struct import_cut {
    uint64_t nets, connectivity;
};

/* Remarks of a reader on a file that it could read. A note completes "FILE: its ..": the file
 * deviates from the format without effect, or was read in one of several ways. */
enum { IMPORT_NOTES_MOST = 8, IMPORT_NOTE_SIZE = 200 };

struct import_notes {
    unsigned count;
    char text[IMPORT_NOTES_MOST][IMPORT_NOTE_SIZE]; /* printable, without a line end */
};

/* Facts of the import, for the report. */
struct import_summary {
    enum import_format format; /* the one in which it was read */
    uint64_t rows,
        cols; /* of the matrix; for an edge list the number of distinct ids, twice; vertices and
                            hyperedges; experts and tokens */
    uint64_t entries;           /* stored in the file */
    uint64_t first_id, last_id; /* the least and the greatest id of an edge list; else both 0 */
    struct import_cut cut;      /* 0 without a partition */
    /* symmetry expanded; two entries of a column on one node count once */
    uint64_t nonzeros;
    struct import_notes notes;
};

/* Reads a file of one of the formats from `path` ("-": standard input) and makes its message set,
 * of version 1 if no node has two messages. FAIL_INPUT names the file, the line and what was
 * expected; FAIL_USAGE: the shape is too small, has no such map, or an option is not for the
 * format. `summary` may be NULL. The caller frees the set. */
enum failure_kind import_matrix(const char *path, const struct import_options *options,
                                struct message_set *set, struct import_summary *summary,
                                struct failure *failure);

/* Does the same for a source, which is then closed; `path` may show the format. */
struct byte_source;
enum failure_kind import_source(struct byte_source *source, const char *path,
                                const struct import_options *options, struct message_set *set,
                                struct import_summary *summary, struct failure *failure);

/* A matrix in memory: its entries in any order, repeats allowed. */
struct import_entries {
    uint32_t rows, cols;
    uint64_t entries;
    const uint32_t *row, *col; /* [entries], from 0 */
    const uint32_t *weight;    /* [entries], or NULL: none */
};

/* Does the same for a matrix in memory; options.format and the options for routes are ignored.
 * FAIL_USAGE also: a matrix of no size, or one that no shape has room for, or an entry outside of
 * it. */
enum failure_kind import_entries(const struct import_entries *matrix,
                                 const struct import_options *options, struct message_set *set,
                                 struct failure *failure);

/* Reads the set of any file `path` ("-": standard input): one that holds a set, or one from which
 * import makes a set. A text whose first word, after comments, is `mcast` is a set. Any other file
 * that import recognises by its beginning or by the end of its name is imported with import's
 * defaults: on the least square mesh, in row order, without weights. The rest is read as a set,
 * whose message names the fault. `summary` has the facts of the import, with the format
 * IMPORT_BY_FILE if nothing was imported. `sharing`: as of byte_source_open_shared(). The caller
 * frees the set. */
enum failure_kind set_file_read(struct message_set *set, struct import_summary *summary,
                                const char *path, const struct byte_sharing *sharing,
                                struct failure *failure);

/* Returns the path, or the words for standard input in messages. */
const char *set_file_name(const char *path);

#endif
