/* edge_list.c - edge lists: `u v` and anything behind it, ids compacted.
 *
 * Grammar: two ids a line, decimal numbers from 0 to 2^63 - 1 set apart by blanks or tabs; further
 * columns are ignored, whatever they hold. Blank lines and lines that begin with # or % may stand
 * anywhere. A file without an edge is an error.
 * Method: each id gets a number in the order of appearance, through a hash table (open addressing,
 * linear probing, at most half full). At the end the ids are sorted, each is looked up once more to
 * learn its rank, and the entries' numbers are replaced by ranks.
 * Invariant: id[slot[s] - 1] hashes to s or to an occupied run that reaches s; a slot of 0 is free.
 * Cost: expected O(1) an edge and O(ids) for the ranks; 8 bytes an edge and up to 40 bytes an id.
 */
#include "workloads/edge_list.h"

#include "workloads/line_scan.h"
#include "workloads/radix_sort.h"

#include <stdio.h>
#include <string.h>

struct id_table {
    uint64_t *id;   /* [count], in the order of appearance */
    uint32_t *slot; /* [slots], an index into id plus one, or 0 */
    size_t count, slots;
};

static void id_table_free(struct id_table *table)
{
    free(table->id);
    free(table->slot);
}

/* The slot that holds `id`, or the free one where it belongs. */
static size_t find_slot(const struct id_table *table, uint64_t id)
{
    uint64_t hash = (id ^ (id >> 32)) * 0x9e3779b97f4a7c15u;
    size_t s = (size_t)(hash ^ (hash >> 29)) & (table->slots - 1);
    while (table->slot[s] != 0 && table->id[table->slot[s] - 1] != id)
        s = (s + 1) & (table->slots - 1);
    return s;
}

/* Doubles the table; false, with it unharmed, if there is no memory. */
static bool id_table_grow(struct id_table *table)
{
    size_t slots = table->slots > 0 ? 2 * table->slots : 2048;
    uint64_t *id = memory_resize(table->id, slots / 2, sizeof *id);
    if (id == NULL)
        return false;
    table->id = id;
    uint32_t *slot = memory_allocate(slots, sizeof *slot);
    if (slot == NULL)
        return false;
    free(table->slot);
    table->slot = slot;
    table->slots = slots;
    for (size_t i = 0; i < table->count; i++)
        slot[find_slot(table, id[i])] = (uint32_t)i + 1;
    return true;
}

/* The number of `id`, a new one at its first appearance. */
static enum failure_kind number_of(struct id_table *table, const struct byte_line *line,
                                   uint64_t id, uint32_t *number, struct failure *failure)
{
    if (table->count == table->slots / 2 && !id_table_grow(table))
        return fail_memory(failure, "the ids of an edge list");
    size_t s = find_slot(table, id);
    if (table->slot[s] == 0) {
        if (table->count == ENTRY_MAX_SIDE)
            return fail(failure, FAIL_INPUT,
                        "%s:%llu: expected at most %d different ids (the nodes of the largest "
                        "mesh), found one more",
                        line->name, (unsigned long long)line->number, ENTRY_MAX_SIDE);
        table->id[table->count++] = id;
        table->slot[s] = (uint32_t)table->count;
    }
    *number = table->slot[s] - 1;
    return FAIL_NONE;
}

/* One id of the line; *at moves behind it. */
static enum failure_kind read_id(struct id_table *table, const struct byte_line *line,
                                 const char **at, uint32_t *number, struct failure *failure)
{
    const char *word = *at;
    uint64_t id;
    if (!scan_decimal(at, line->end, &id) || id > INT64_MAX)
        return scan_expected(line, word, "an id from 0 to 2^63 - 1", failure);
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
        if (!entry_list_add(list, entry_pack(from, to)))
            return fail_memory(failure, "the edges of a graph");
        list->stored++;
    }
}

/* Replaces numbers in the order of appearance by ranks in increasing order of the ids. */
static enum failure_kind rank_ids(const struct id_table *table, struct entry_list *list,
                                  struct failure *failure)
{
    uint64_t *sorted = memory_allocate(table->count, sizeof *sorted);
    uint32_t *rank = memory_allocate(table->count, sizeof *rank);
    bool ready = sorted != NULL && rank != NULL;
    if (ready) {
        memcpy(sorted, table->id, table->count * sizeof *sorted);
        ready = radix_sort(sorted, table->count);
    }
    if (ready) {
        for (size_t r = 0; r < table->count; r++)
            rank[table->slot[find_slot(table, sorted[r])] - 1] = (uint32_t)r;
        for (size_t i = 0; i < list->count; i++)
            list->entry[i] =
                entry_pack(rank[entry_col(list->entry[i])], rank[entry_row(list->entry[i])]);
    }
    free(sorted);
    free(rank);
    return ready ? FAIL_NONE : fail_memory(failure, "the ids of an edge list");
}

enum failure_kind edge_list_read(struct byte_source *source, struct entry_list *list,
                                 struct failure *failure)
{
    struct id_table table = {0};
    enum failure_kind kind = read_edges(source, &table, list, failure);
    if (kind == FAIL_NONE)
        kind = rank_ids(&table, list, failure);
    list->rows = list->cols = (uint32_t)table.count;
    id_table_free(&table);
    return kind;
}
