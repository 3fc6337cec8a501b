/* row_array.h - arrays with elements for each row of the mesh. For machine/ and its folders. */
#ifndef MESHCAST_MACHINE_ROW_ARRAY_H
#define MESHCAST_MACHINE_ROW_ARRAY_H

#include "machine/machine_private.h"

/* Returns a new array, all zero, of `of_row` elements for each row of the mesh and `beside` more, of which only those of
 * this machine's rows will be written, but for a few: so the others take no memory, not even a part of a large page.
 * The caller frees it. NULL: no memory. */
static inline void *machine_allocate_rows(const struct machine *machine, size_t of_row,
                                          size_t beside, size_t size)
{
    size_t rows = machine->end_row - machine->first_row;
    char *array = memory_allocate_sparse(machine->config.mesh.rows * of_row + beside, size);
    if (array != NULL)
        memory_expect_use(array + machine->first_row * of_row * size,
                          (rows * of_row + beside) * size);
    return array;
}

/* The same with an element for each node. */
static inline void *machine_allocate_nodes(const struct machine *machine, size_t size)
{
    return machine_allocate_rows(machine, machine->config.mesh.cols, 0, size);
}

#endif
