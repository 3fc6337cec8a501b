/* edge_list.c - edge lists: `u v` and anything behind it, ids compacted.
 *
 * Grammar: two ids a line, decimal numbers from 0 to 2^63 - 1 set apart by blanks or tabs; further
 * columns are ignored, whatever they hold. Blank lines and lines that begin with # or % may stand
 * anywhere. A file without an edge is an error.
 * Method: 64 consecutive ids are a block, which a hash table finds (open addressing, linear probing, at most half
 * full) and which knows by a bit each which of its ids occur. An entry first holds block and bit of its
 * ids; blocks are numbered as they come. At the end the blocks' keys are sorted, so each block learns the rank of
 * its first id, and the entries get ranks. Ids mostly lie close together: then few blocks hold them all, in cache.
 * Invariant: from the slot that a key hashes to, to the one that holds it, no slot is free.
 * Cost: expected O(1) an edge, and O(blocks) for the ranks; 8 bytes an edge, and 32 to 48 bytes a block.
 */
#include "workloads/edge_list.h"

#include "base/line_scan.h"
#include "workloads/radix_sort.h"

#include <stdio.h>

enum { BLOCK_BITS = 6, FIRST_SLOT_BITS = 10 };

/* Ids 64 key .. 64 key + 63. */
struct id_block {
    uint64_t key, seen; /* bit i: id 64 key + i occurs */
    uint32_t rank;      /* of its first id that occurs */
};

struct id_table {
    struct id_block *block; /* [slots / 2] */
    uint32_t *slot;         /* number of a block, from 1; 0: the slot is free */
    size_t blocks, slots;   /* slots is 0 or 2^bits */
    uint32_t ids;
    unsigned bits;
    struct entry_list *list; /* whose limit holds for the table, too */
};

static inline uint32_t bits_of(uint64_t word)
{
    return (uint32_t)__builtin_popcountll(word);
}

/* The slot that holds the block `key`, or the free one where it belongs. The product's upper bits spread
 * consecutive keys, which are the rule, evenly (Fibonacci hashing). */
static inline uint32_t *find_slot(const struct id_table *table, uint64_t key)
{
    size_t s = (size_t)(key * 0x9e3779b97f4a7c15u >> (64 - table->bits));
    while (table->slot[s] != 0 && table->block[table->slot[s] - 1].key != key)
        s = (s + 1) & (table->slots - 1);
    return &table->slot[s];
}

/* Doubles the table; false, with it unharmed, if there is no memory. */
static bool id_table_grow(struct id_table *table)
{
    struct id_table grown = *table;
    grown.bits = table->bits > 0 ? table->bits + 1 : FIRST_SLOT_BITS;
    grown.slots = (size_t)1 << grown.bits;
    uint64_t bytes = grown.slots * sizeof *grown.slot + grown.slots / 2 * sizeof *grown.block;
    if (!entry_list_may_take(table->list, bytes))
        return false;
    struct id_block *block = memory_resize(table->block, grown.slots / 2, sizeof *block);
    if (block == NULL)
        return false;
    table->block = grown.block = block;
    grown.slot = memory_allocate(grown.slots, sizeof *grown.slot);
    if (grown.slot == NULL)
        return false;
    for (size_t b = 0; b < table->blocks; b++)
        *find_slot(&grown, block[b].key) = (uint32_t)b + 1;
    free(table->slot);
    *table = grown;
    return true;
}

/* Block and bit of `id`, in one number; an id that is new is counted. */
static enum failure_kind number_of(struct id_table *table, const struct byte_line *line,
                                   uint64_t id, uint32_t *number, struct failure *failure)
{
    uint64_t key = id >> BLOCK_BITS, bit = UINT64_C(1) << (id & 63);
    if (table->blocks == table->slots / 2 && !id_table_grow(table))
        return entry_list_fail(table->list, "the ids of an edge list", failure);
    uint32_t *slot = find_slot(table, key);
    if (*slot == 0 || !(table->block[*slot - 1].seen & bit)) {
        if (table->ids == ENTRY_MAX_SIDE)
            return fail(failure, FAIL_INPUT,
                        "%s:%llu: expected at most %d different ids (the nodes of the largest "
                        "mesh), found one more",
                        line->name, (unsigned long long)line->number, ENTRY_MAX_SIDE);
        table->ids++;
        if (*slot == 0) {
            table->block[table->blocks] = (struct id_block){.key = key};
            *slot = (uint32_t)++table->blocks;
        }
        table->block[*slot - 1].seen |= bit;
    }
    *number = (*slot - 1) << BLOCK_BITS | (uint32_t)(id & 63);
    return FAIL_NONE;
}

/* One id of the line; *at moves behind it. */
static enum failure_kind read_id(struct id_table *table, const struct byte_line *line,
                                 const char **at, uint32_t *number, struct failure *failure)
{
    const char *word = *at;
    uint64_t id;
    if (!scan_decimal(at, line->end, &id) || id > INT64_MAX)
        return scan_expected(line, word, "an id from 0 to 2^63 - 1, and a blank behind it",
                             failure);
    return number_of(table, line, id, number, failure);
}

static enum failure_kind read_edges(struct byte_source *source, struct id_table *table,
                                    struct entry_list *list, struct failure *failure)
{
    for (;;) {
        struct byte_line line;
        enum failure_kind kind = scan_content(source, "#%", &line, failure);
        if (kind != FAIL_NONE)
            return kind;
        if (line.text == NULL && list->stored == 0)
            return fail(failure, FAIL_INPUT, "%s:%llu: expected an edge (two ids), found %s",
                        line.name, (unsigned long long)line.number + (line.number == 0),
                        line.number > 0 ? "no edges" : "an empty file");
        if (line.text == NULL)
            return FAIL_NONE;
        const char *at = line.text;
        uint32_t from, to;
        if ((kind = read_id(table, &line, &at, &from, failure)) != FAIL_NONE ||
            (kind = read_id(table, &line, &at, &to, failure)) != FAIL_NONE)
            return kind;
        list->weights += at < line.end;
        if (!entry_list_add(list, entry_pack(from, to)))
            return entry_list_fail(list, "the edges of a graph", failure);
        list->stored++;
    }
}

/* The rank of the id that has this number. */
static inline uint32_t rank_of(const struct id_table *table, uint32_t number)
{
    const struct id_block *block = &table->block[number >> BLOCK_BITS];
    uint64_t below = (UINT64_C(1) << (number & 63)) - 1;
    return block->rank + bits_of(block->seen & below);
}

/* Tells each block how many ids there are before it, and the list its least and greatest id. */
static void count_ids(const struct id_table *table, const uint64_t *key, struct entry_list *list)
{
    uint32_t rank = 0;
    const struct id_block *block = NULL;
    for (size_t b = 0; b < table->blocks; b++) {
        struct id_block *next = &table->block[*find_slot(table, key[b]) - 1];
        next->rank = rank;
        rank += bits_of(next->seen);
        if (b == 0)
            list->first_id = next->key << BLOCK_BITS | bits_of((next->seen & -next->seen) - 1);
        block = next;
    }
    uint32_t last = 63;
    while (!(block->seen >> last & 1))
        last--;
    list->last_id = block->key << BLOCK_BITS | last;
}

/* Replaces numbers of blocks and bits by ranks in increasing order of the ids. */
static enum failure_kind rank_ids(const struct id_table *table, struct entry_list *list,
                                  struct failure *failure)
{
    uint64_t *key = memory_allocate(table->blocks, sizeof *key);
    for (size_t b = 0; b < table->blocks && key != NULL; b++)
        key[b] = table->block[b].key;
    bool is_ready = key != NULL && radix_sort(key, table->blocks);
    if (is_ready) {
        count_ids(table, key, list);
        for (size_t i = 0; i < list->count; i++)
            list->entry[i] = entry_pack(rank_of(table, entry_col(list->entry[i])),
                                        rank_of(table, entry_row(list->entry[i])));
    }
    free(key);
    return is_ready ? FAIL_NONE : fail_memory(failure, "the ids of an edge list");
}

enum failure_kind edge_list_read(struct byte_source *source, struct entry_list *list,
                                 struct failure *failure)
{
    struct id_table table = {.list = list};
    enum failure_kind kind = read_edges(source, &table, list, failure);
    if (kind == FAIL_NONE)
        kind = rank_ids(&table, list, failure);
    list->rows = list->cols = table.ids;
    free(table.slot);
    free(table.block);
    return kind;
}
