/* name_table.c - numbers by names: a table with open addressing, at most half full.
 *
 * Invariant: from the place where an entry belongs to the one where it is, no place is empty. So an entry that is
 * removed is replaced by one behind it that may stand there, and that one by another, up to an empty place.
 * Cost: O(1) as a rule; 16 to 32 bytes an entry.
 */
#include "machine/name_table.h"

#include "base/failure.h"
#include "machine/header.h"

#include <stdlib.h>

static size_t first_place(const struct name_table *table, uint32_t name)
{
    return (size_t)((name * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (table->room - 1);
}

/* Returns the place of the name's entry, or the empty one where it would be. */
static size_t place_of_name(const struct name_table *table, uint32_t name)
{
    size_t place = first_place(table, name);
    while (table->entry[place].name != name && table->entry[place].name != MACHINE_NONE)
        place = (place + 1) & (table->room - 1);
    return place;
}

static bool grow(struct name_table *table)
{
    enum { FIRST_ROOM = 256 };
    struct name_table grown = {.count = table->count,
                               .room = table->room == 0 ? FIRST_ROOM : 2 * table->room};
    grown.entry = memory_allocate(grown.room, sizeof *grown.entry);
    if (grown.entry == NULL)
        return false;
    for (size_t i = 0; i < grown.room; i++)
        grown.entry[i].name = MACHINE_NONE;
    for (size_t i = 0; i < table->room; i++)
        if (table->entry[i].name != MACHINE_NONE)
            grown.entry[place_of_name(&grown, table->entry[i].name)] = table->entry[i];
    free(table->entry);
    *table = grown;
    return true;
}

uint32_t *name_table_find(const struct name_table *table, uint32_t name)
{
    if (table->count == 0)
        return NULL;
    struct name_entry *entry = &table->entry[place_of_name(table, name)];
    return entry->name == name ? &entry->value : NULL;
}

uint32_t *name_table_add(struct name_table *table, uint32_t name)
{
    uint32_t *found = name_table_find(table, name);
    if (found != NULL)
        return found;
    if (2 * (table->count + 1) > table->room && !grow(table))
        return NULL;
    struct name_entry *entry = &table->entry[place_of_name(table, name)];
    *entry = (struct name_entry){name, 0};
    table->count++;
    return &entry->value;
}

void name_table_remove(struct name_table *table, uint32_t name)
{
    if (name_table_find(table, name) == NULL)
        return;
    size_t mask = table->room - 1, gap = place_of_name(table, name), next = gap;
    table->count--;
    for (;;) {
        table->entry[gap].name = MACHINE_NONE;
        size_t from_first;
        do {
            next = (next + 1) & mask;
            if (table->entry[next].name == MACHINE_NONE)
                return;
            from_first = (next - first_place(table, table->entry[next].name)) & mask;
        } while (from_first < ((next - gap) & mask));
        table->entry[gap] = table->entry[next];
        gap = next;
    }
}

static int compare_names(const void *a, const void *b)
{
    uint32_t x = ((const struct name_entry *)a)->name, y = ((const struct name_entry *)b)->name;
    return (x > y) - (x < y);
}

void name_table_sort(struct name_table *table)
{
    size_t count = 0;
    for (size_t i = 0; i < table->room; i++)
        if (table->entry[i].name != MACHINE_NONE)
            table->entry[count++] = table->entry[i];
    if (count > 0)
        qsort(table->entry, count, sizeof *table->entry, compare_names);
}

void name_table_free(struct name_table *table)
{
    free(table->entry);
    *table = (struct name_table){0};
}
