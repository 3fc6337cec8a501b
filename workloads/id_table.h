/* id_table.h - the ids of an edge list, numbers or words, as indices 0, 1, ..
 *
 * A table holds either. Each id gets a number when it occurs first; id_table_index() turns that number into the index:
 * numbers are ranked in ascending order, or count from a base, and words in the order of their first occurrence.
 */
#ifndef MESHCAST_WORKLOADS_ID_TABLE_H
#define MESHCAST_WORKLOADS_ID_TABLE_H

#include "base/byte_source.h"
#include "workloads/import_formats.h"

enum { ID_BLOCK_BITS = 6 };

/* Ids 64 key .. 64 key + 63. */
struct id_block {
    uint64_t key, seen; /* bit i: id 64 key + i occurs */
    uint32_t rank;      /* of its first id that occurs */
};

struct id_table {
    uint32_t ids; /* distinct ones */
    bool has_words;
    size_t slots; /* 0 or 2^bits */
    unsigned bits;
    uint32_t *slot;         /* number of a block or word, from 1; 0: the slot is free */
    struct id_block *block; /* [slots / 2], of numbers */
    size_t blocks;
    size_t *word; /* [slots / 2], the end of each word in `text` */
    char *text;
    size_t text_length, text_room;
    uint64_t first_id, last_id; /* the least and the greatest number; of words 0 */
};

/* The slot that holds the block `key`, or the free one where it belongs. The product's upper bits spread
 * consecutive keys, which are the rule, evenly (Fibonacci hashing). */
static inline uint32_t *id_table_slot(const struct id_table *table, uint64_t key)
{
    size_t s = (size_t)(key * 0x9e3779b97f4a7c15u >> (64 - table->bits));
    while (table->slot[s] != 0 && table->block[table->slot[s] - 1].key != key)
        s = (s + 1) & (table->slots - 1);
    return &table->slot[s];
}

/* Adds a number that does not occur yet. Fails with FAIL_INPUT and `line` where there are more ids than
 * nodes, FAIL_SYSTEM without memory. */
enum failure_kind id_table_add(struct id_table *table, const struct byte_line *line, uint64_t id,
                               uint32_t *number, struct failure *failure);

/* Finds the number of `id`, at most 2^63 - 1, which is added if it is new. */
static inline enum failure_kind id_table_find(struct id_table *table, const struct byte_line *line,
                                              uint64_t id, uint32_t *number,
                                              struct failure *failure)
{
    uint32_t slot = table->slots > 0 ? *id_table_slot(table, id >> ID_BLOCK_BITS) : 0;
    if (slot == 0 || !(table->block[slot - 1].seen >> (id & 63) & 1))
        return id_table_add(table, line, id, number, failure);
    *number = (slot - 1) << ID_BLOCK_BITS | (uint32_t)(id & 63);
    return FAIL_NONE;
}

/* The same of a word of `length` bytes, at least one. */
enum failure_kind id_table_find_word(struct id_table *table, const struct byte_line *line,
                                     const char *word, size_t length, uint32_t *number,
                                     struct failure *failure);

/* Finds the least and the greatest number so far. */
void id_table_span(struct id_table *table);

/* The same, and orders the ids; to be called after the last. */
enum failure_kind id_table_order(struct id_table *table, struct failure *failure);

/* Makes the index of each number `id - base` instead of its rank. */
void id_table_count_from(struct id_table *table, uint32_t base);

/* The index of the id that has this number, of a table that was ordered. */
static inline uint32_t id_table_index(const struct id_table *table, uint32_t number)
{
    if (table->has_words)
        return number;
    const struct id_block *block = &table->block[number >> ID_BLOCK_BITS];
    uint64_t below = (UINT64_C(1) << (number & 63)) - 1;
    return block->rank + (uint32_t)__builtin_popcountll(block->seen & below);
}

void id_table_free(struct id_table *table);

#endif
