/* number_table.h - numbers of 32 bits found by keys of 64 bits: a table that grows with the number
 * of keys.
 *
 * The keys are names or numbers of packets, of which only some are in one place; an array over all
 * of them would need too much memory.
 */
#ifndef MESHCAST_BASE_NUMBER_TABLE_H
#define MESHCAST_BASE_NUMBER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUMBER_NONE UINT64_MAX /* not a key */

struct number_entry {
    uint64_t key; /* NUMBER_NONE: no entry */
    uint32_t value;
};

/* A zeroed table is empty. */
struct number_table {
    struct number_entry *entry; /* [room] */
    size_t count, room;         /* room: a power of two, more than `count`; or 0 */
};

/* Returns where the key's value is, until the table changes; NULL: it has none. */
uint32_t *number_table_find(const struct number_table *table, uint64_t key);

/* Returns where the key's value is, until the table changes; if it had none, it is 0. NULL: no
 * memory. */
uint32_t *number_table_add(struct number_table *table, uint64_t key);

/* Removes the key with its value, if it is there. */
void number_table_remove(struct number_table *table, uint64_t key);

/* Puts the entries in ascending order of their keys to the front; the table can then only be
 * freed. */
void number_table_sort(struct number_table *table);

void number_table_free(struct number_table *table);

#endif
