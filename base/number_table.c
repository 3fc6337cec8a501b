/* number_table.c - values by keys: a table with open addressing, at most half full.
 *
 * Invariant: from the place where an entry belongs to the one where it is, no place is empty. So a
 * removed entry is replaced by one after it that may be there, and that one by a further one, up to
 * an empty place.
 * Cost: usually O(1); 32 to 64 bytes per entry.
 */
#include "base/number_table.h"

#include "base/failure.h"

#include <stdlib.h>

/* Returns the first place where the key's entry may be. */
static size_t first_place(const struct number_table *table, uint64_t key)
{
    return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (table->room - 1);
}

/* Returns the place of the key's entry, or the empty one where it would be. */
static size_t place_of(const struct number_table *table, uint64_t key)
{
    size_t place = first_place(table, key);
    while (table->entry[place].key != key && table->entry[place].key != NUMBER_NONE)
        place = (place + 1) & (table->room - 1);
    return place;
}

static bool grow(struct number_table *table)
{
    enum { FIRST_ROOM = 256 };
    struct number_table grown = {.count = table->count,
                                 .room = table->room == 0 ? FIRST_ROOM : 2 * table->room};
    grown.entry = memory_allocate(grown.room, sizeof *grown.entry);
    if (grown.entry == NULL)
        return false;
    for (size_t i = 0; i < grown.room; i++)
        grown.entry[i].key = NUMBER_NONE;
    for (size_t i = 0; i < table->room; i++)
        if (table->entry[i].key != NUMBER_NONE)
            grown.entry[place_of(&grown, table->entry[i].key)] = table->entry[i];
    free(table->entry);
    *table = grown;
    return true;
}

uint32_t *number_table_find(const struct number_table *table, uint64_t key)
{
    if (table->count == 0)
        return NULL;
    struct number_entry *entry = &table->entry[place_of(table, key)];
    return entry->key == key ? &entry->value : NULL;
}

uint32_t *number_table_add(struct number_table *table, uint64_t key)
{
    uint32_t *found = number_table_find(table, key);
    if (found != NULL)
        return found;
    if (2 * (table->count + 1) > table->room && !grow(table))
        return NULL;
    struct number_entry *entry = &table->entry[place_of(table, key)];
    *entry = (struct number_entry){key, 0};
    table->count++;
    return &entry->value;
}

void number_table_remove(struct number_table *table, uint64_t key)
{
    if (number_table_find(table, key) == NULL)
        return;
    size_t mask = table->room - 1, gap = place_of(table, key), next = gap;
    table->count--;
    for (;;) {
        table->entry[gap].key = NUMBER_NONE;
        size_t from_first;
        do {
            next = (next + 1) & mask;
            if (table->entry[next].key == NUMBER_NONE)
                return;
            from_first = (next - first_place(table, table->entry[next].key)) & mask;
        } while (from_first < ((next - gap) & mask));
        table->entry[gap] = table->entry[next];
        gap = next;
    }
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = ((const struct number_entry *)a)->key, y = ((const struct number_entry *)b)->key;
    return (x > y) - (x < y);
}

void number_table_sort(struct number_table *table)
{
    size_t count = 0;
    for (size_t i = 0; i < table->room; i++)
        if (table->entry[i].key != NUMBER_NONE)
            table->entry[count++] = table->entry[i];
    if (count > 0)
        qsort(table->entry, count, sizeof *table->entry, compare_keys);
}

void number_table_free(struct number_table *table)
{
    free(table->entry);
    *table = (struct number_table){0};
}
