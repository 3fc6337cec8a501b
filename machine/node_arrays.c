/* node_arrays.c - arrays [row] and [node], which take memory for a machine's own rows alone. */
#include "machine/machine_private.h"

#include <stdlib.h>

void *machine_allocate_rows(const struct machine *machine, size_t of_row, size_t beside,
                            size_t size)
{
    size_t rows = machine->end_row - machine->first_row;
    char *array = memory_allocate_sparse(machine->config.mesh.rows * of_row + beside, size);
    if (array != NULL && !memory_expect_use(array + machine->first_row * of_row * size,
                                            (rows * of_row + beside) * size)) {
        free(array);
        return NULL;
    }
    return array;
}

void *machine_allocate_nodes(const struct machine *machine, size_t size)
{
    return machine_allocate_rows(machine, machine->config.mesh.cols, 0, size);
}
