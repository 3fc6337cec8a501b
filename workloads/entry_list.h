/* entry_list.h - the stored entries of a sparse matrix, as the file readers leave them.
 *
 * Repeats are allowed and the order is the file's; symmetric files are expanded already.
 */
#ifndef MESHCAST_WORKLOADS_ENTRY_LIST_H
#define MESHCAST_WORKLOADS_ENTRY_LIST_H

#include "machine/failure.h"
#include "machine/mesh.h"

#include <stdlib.h>

/* A square mesh must have a node for every index. */
enum { ENTRY_MAX_SIDE = MESH_MAX_NODES };

struct entry_list {
    uint32_t rows, cols; /* of the matrix, 1 .. ENTRY_MAX_SIDE */
    uint64_t stored;     /* entries in the file, repeats included, mirror images not */
    size_t count, capacity;
    uint64_t *entry; /* [count], column << 32 | row, both from 0 */
};

static inline uint64_t entry_pack(uint32_t col, uint32_t row)
{
    return (uint64_t)col << 32 | row;
}

static inline uint32_t entry_col(uint64_t entry)
{
    return (uint32_t)(entry >> 32);
}

static inline uint32_t entry_row(uint64_t entry)
{
    return (uint32_t)entry;
}

/* Adds an entry; the array doubles as it fills, so memory follows what was read and no declared
 * size. False if there is no memory. */
static inline bool entry_list_add(struct entry_list *list, uint64_t entry)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity > 0 ? 2 * list->capacity : 1024;
        uint64_t *grown = memory_resize(list->entry, capacity, sizeof *grown);
        if (grown == NULL)
            return false;
        list->entry = grown;
        list->capacity = capacity;
    }
    list->entry[list->count++] = entry;
    return true;
}

/* Frees the array and clears the list; a zeroed list is fine. */
static inline void entry_list_free(struct entry_list *list)
{
    free(list->entry);
    *list = (struct entry_list){0};
}

#endif
