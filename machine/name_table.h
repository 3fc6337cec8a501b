/* name_table.h - a number for each of some packets, found by the packet's name: a table that grows with the number of
 * packets. The writer of a trace (trace.c) and router expander on ranks keep what they know of packets in such tables. */
#ifndef MESHCAST_MACHINE_NAME_TABLE_H
#define MESHCAST_MACHINE_NAME_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name_entry {
    uint32_t name; /* MACHINE_NONE: no entry */
    uint32_t value;
};

/* A zeroed table is empty. */
struct name_table {
    struct name_entry *entry; /* [room] */
    size_t count, room;       /* room: a power of two, more than `count`; or 0 */
};

/* Returns where the value of the packet of that name is, until the table changes; NULL: it has none. */
uint32_t *name_table_find(const struct name_table *table, uint32_t name);

/* Returns where the value is, which is 0 if there was none. NULL: no memory. */
uint32_t *name_table_add(struct name_table *table, uint32_t name);

/* Removes the value, if there is one. */
void name_table_remove(struct name_table *table, uint32_t name);

/* Puts the entries in ascending order of their names to the front; the table can then only be freed. */
void name_table_sort(struct name_table *table);

void name_table_free(struct name_table *table);

#endif
