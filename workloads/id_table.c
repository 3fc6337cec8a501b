/* id_table.c - the ids of an edge list, numbers or words, as indices 0, 1, ..
 *
 * Method: 64 consecutive numbers are a block, which a hash table finds (open addressing, linear probing, at most half
 * full) and which knows by a bit each which of its numbers occur. An id's number is that of its block and its bit;
 * blocks are numbered as they come. At the end the blocks' keys are sorted, so each block learns the rank of
 * its first id. Ids mostly lie close together: then few blocks hold them all, in cache. Words are in a hash table of the
 * same kind, one after the other in one text.
 * Invariant: from the slot that a key hashes to, to the one that holds it, no slot is free.
 * Cost: expected O(1) an id, and O(blocks) for the ranks; 32 to 48 bytes per block, or 16 to 32 and its text a word.
 */
#include "workloads/id_table.h"

#include "workloads/radix_sort.h"

#include <string.h>

enum { FIRST_SLOT_BITS = 10, FIRST_TEXT = 4096 };

static uint64_t hash_word(const char *word, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)word[i]) * UINT64_C(0x100000001b3);
    return hash * UINT64_C(0x9e3779b97f4a7c15);
}

/* The text of word `i`, and its length. */
static const char *word_at(const struct id_table *table, size_t i, size_t *length)
{
    size_t begin = i > 0 ? table->word[i - 1] : 0;
    *length = table->word[i] - begin;
    return table->text + begin;
}

static uint32_t *word_slot(const struct id_table *table, const char *word, size_t length)
{
    size_t s = (size_t)(hash_word(word, length) >> (64 - table->bits));
    while (table->slot[s] != 0) {
        size_t other_length;
        const char *other = word_at(table, table->slot[s] - 1, &other_length);
        if (other_length == length && memcmp(other, word, length) == 0)
            break;
        s = (s + 1) & (table->slots - 1);
    }
    return &table->slot[s];
}

/* Enters all blocks or words into the slots. */
static void fill_slots(struct id_table *table)
{
    for (size_t b = 0; b < table->blocks; b++)
        *id_table_slot(table, table->block[b].key) = (uint32_t)b + 1;
    for (size_t i = 0; table->has_words && i < table->ids; i++) {
        size_t length;
        const char *word = word_at(table, i, &length);
        *word_slot(table, word, length) = (uint32_t)i + 1;
    }
}

/* Doubles the table; false, with it unharmed, if there is no memory. */
static bool grow(struct id_table *table)
{
    unsigned bits = table->bits > 0 ? table->bits + 1 : FIRST_SLOT_BITS;
    size_t slots = (size_t)1 << bits;
    size_t item = table->has_words ? sizeof *table->word : sizeof *table->block;
    void *items = table->has_words ? (void *)table->word : (void *)table->block;
    items = memory_resize(items, slots / 2, item);
    if (items == NULL)
        return false;
    if (table->has_words)
        table->word = items;
    else
        table->block = items;
    uint32_t *slot = memory_allocate(slots, sizeof *slot);
    if (slot == NULL)
        return false;
    free(table->slot);
    table->slot = slot;
    table->slots = slots;
    table->bits = bits;
    fill_slots(table);
    return true;
}

static enum failure_kind fail_full(const struct byte_line *line, struct failure *failure)
{
    return fail(failure, FAIL_INPUT,
                "%s:%llu: expected at most %d different ids (the nodes of the largest mesh), found "
                "one more",
                line->name, (unsigned long long)line->number, ENTRY_MAX_SIDE);
}

enum failure_kind id_table_add(struct id_table *table, const struct byte_line *line, uint64_t id,
                               uint32_t *number, struct failure *failure)
{
    uint64_t key = id >> ID_BLOCK_BITS;
    if (table->blocks == table->slots / 2 && !grow(table))
        return fail_memory(failure, "the ids of an edge list");
    if (table->ids == ENTRY_MAX_SIDE)
        return fail_full(line, failure);
    uint32_t *slot = id_table_slot(table, key);
    if (*slot == 0) {
        table->block[table->blocks] = (struct id_block){.key = key};
        *slot = (uint32_t)++table->blocks;
    }
    table->block[*slot - 1].seen |= UINT64_C(1) << (id & 63);
    table->ids++;
    *number = (*slot - 1) << ID_BLOCK_BITS | (uint32_t)(id & 63);
    return FAIL_NONE;
}

/* Adds a word's bytes to the text; false if there is no memory. */
static bool keep_text(struct id_table *table, const char *word, size_t length)
{
    size_t room = table->text_room > 0 ? table->text_room : FIRST_TEXT;
    while (room - table->text_length < length)
        room *= 2;
    if (room > table->text_room) {
        char *grown = memory_resize(table->text, room, 1);
        if (grown == NULL)
            return false;
        table->text = grown;
        table->text_room = room;
    }
    memcpy(table->text + table->text_length, word, length);
    table->text_length += length;
    return true;
}

enum failure_kind id_table_find_word(struct id_table *table, const struct byte_line *line,
                                     const char *word, size_t length, uint32_t *number,
                                     struct failure *failure)
{
    table->has_words = true;
    if (table->ids == table->slots / 2 && !grow(table))
        return fail_memory(failure, "the ids of an edge list");
    uint32_t *slot = word_slot(table, word, length);
    if (*slot == 0) {
        if (table->ids == ENTRY_MAX_SIDE)
            return fail_full(line, failure);
        if (!keep_text(table, word, length))
            return fail_memory(failure, "the ids of an edge list");
        table->word[table->ids] = table->text_length;
        *slot = ++table->ids;
    }
    *number = *slot - 1;
    return FAIL_NONE;
}

void id_table_span(struct id_table *table)
{
    if (table->blocks == 0)
        return;
    const struct id_block *first = table->block, *last = table->block;
    for (size_t b = 1; b < table->blocks; b++) {
        const struct id_block *block = &table->block[b];
        first = block->key < first->key ? block : first;
        last = block->key > last->key ? block : last;
    }
    table->first_id = first->key << ID_BLOCK_BITS | (unsigned)__builtin_ctzll(first->seen);
    table->last_id = last->key << ID_BLOCK_BITS | (63 - (unsigned)__builtin_clzll(last->seen));
}

enum failure_kind id_table_order(struct id_table *table, struct failure *failure)
{
    id_table_span(table);
    uint64_t *key = memory_allocate(table->blocks, sizeof *key);
    for (size_t b = 0; b < table->blocks && key != NULL; b++)
        key[b] = table->block[b].key;
    bool is_ready = key != NULL && radix_sort(key, table->blocks);
    uint32_t rank = 0;
    for (size_t b = 0; b < table->blocks && is_ready; b++) {
        struct id_block *block = &table->block[*id_table_slot(table, key[b]) - 1];
        block->rank = rank;
        rank += (uint32_t)__builtin_popcountll(block->seen);
    }
    free(key);
    return is_ready ? FAIL_NONE : fail_memory(failure, "the ids of an edge list");
}

void id_table_count_from(struct id_table *table, uint32_t base)
{
    for (size_t b = 0; b < table->blocks; b++) {
        struct id_block *block = &table->block[b];
        block->rank = (uint32_t)(block->key << ID_BLOCK_BITS) - base;
        block->seen = UINT64_MAX;
    }
}

void id_table_free(struct id_table *table)
{
    free(table->slot);
    free(table->block);
    free(table->word);
    free(table->text);
}
