/* population.h - populations of neurons, and the chances that their neurons are connected. */
#ifndef MESHCAST_WORKLOADS_POPULATION_H
#define MESHCAST_WORKLOADS_POPULATION_H

#include "base/failure.h"

#include <stddef.h>
#include <stdint.h>

enum { POPULATIONS_MOST = 1024, POPULATION_NAME = 32 };

/* chance[to * count + from]: that a neuron of `from` has a connection to one of `to`, 0 to 1. */
struct population_table {
    uint32_t count;
    uint32_t neurons; /* in all, 1 .. MESH_MAX_NODES */
    uint32_t *size;   /* [count], 1 or more */
    double *chance;   /* [count * count] */
};

/* Reads a table from `path` ("-": standard input): a line a population, of its name, its size, and the
 * chances from each population in the order of lines; # begins a comment. FAIL_INPUT names file, line and
 * what was expected. The caller frees the table. */
enum failure_kind population_table_read(struct population_table *table, const char *path,
                                        struct failure *failure);

/* The same over `length` bytes in memory. */
enum failure_kind population_table_read_memory(struct population_table *table, const void *bytes,
                                               size_t length, const char *name,
                                               struct failure *failure);

/* Frees the arrays and clears the table; a zeroed one is fine. */
void population_table_free(struct population_table *table);

#endif
