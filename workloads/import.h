/* import.h - the message set of a sparse matrix-vector product y = A x.
 *
 * Column j is a message, from the node that owns index j to the owners of the rows with a stored
 * entry in it. Row i and column i belong to the same node.
 */
#ifndef MESHCAST_WORKLOADS_IMPORT_H
#define MESHCAST_WORKLOADS_IMPORT_H

#include "workloads/message_set.h"

/* Which node owns index i. */
enum import_map { IMPORT_ROW, IMPORT_SNAKE, IMPORT_HILBERT, IMPORT_RANDOM };

/* The format of a matrix's file. IMPORT_BY_FILE: Matrix Market where it begins with the banner
 * %%MatrixMarket, or is called so (.mtx); an edge list where it is called so (.txt, .el). */
enum import_format { IMPORT_BY_FILE, IMPORT_MATRIX_MARKET, IMPORT_EDGE_LIST };

struct import_options {
    uint32_t side; /* of the square mesh; 0: the least that holds max(rows, columns) */
    enum import_map map;
    bool drop_diagonal;
    uint64_t seed; /* of IMPORT_RANDOM */
    enum import_format format;
    uint64_t
        limit; /* bytes that reading may take, or MEMORY_NO_LIMIT. FAIL_SYSTEM: it takes more */
};

/* What was read, for the report. */
struct import_summary {
    uint64_t rows, cols; /* of the matrix; for an edge list the number of distinct ids, twice */
    uint64_t entries;    /* stored in the file */
    uint64_t first_id, last_id; /* the least and the greatest id of an edge list; else both 0 */
    uint64_t nonzeros; /* after expansion of symmetry and removal of repeats (and diagonal) */
};

/* The map of that name (row, snake, hilbert, random) into *map; false if there is none. */
bool import_map_find(const char *name, enum import_map *map);

/* Reads a Matrix Market coordinate file or an edge list, plain or gzip, from `path` ("-": standard
 * input) and makes its message set. FAIL_INPUT names file, line and what was
 * expected; FAIL_USAGE: the side is too small. `summary` may be NULL. The caller frees the set. */
enum failure_kind import_matrix(const char *path, const struct import_options *options,
                                struct message_set *set, struct import_summary *summary,
                                struct failure *failure);

/* The same over `length` bytes in memory; `name` stands for the path in messages and where the
 * format is told by it. */
enum failure_kind import_memory(const void *bytes, size_t length, const char *name,
                                const struct import_options *options, struct message_set *set,
                                struct import_summary *summary, struct failure *failure);

#endif
