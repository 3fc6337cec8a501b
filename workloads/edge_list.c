/* edge_list.c - edge lists: `u v` and anything behind it, ids compacted.
 *
 * Grammar: two ids a line, decimal numbers from 0 to 2^63 - 1 set apart by blanks or tabs; further
 * columns are ignored, whatever they hold. Blank lines and lines that begin with # or % may stand
 * anywhere. A file without an edge is an error.
 * Method: each id gets a number in the order of appearance, through a hash table (open addressing,
 * linear probing, at most half full). At the end the ids are sorted, each is looked up once more to
 * learn its rank, and the entries' numbers are replaced by ranks.
 * Invariant: from the slot that an id hashes to, to the one that holds it, no slot is free.
 * Cost: expected O(1) an edge, mostly one cache miss for each of its ids, and O(ids) for the ranks;
 * 8 bytes an edge and 32 to 64 bytes an id.
 */
#include "workloads/edge_list.h"

#include "base/line_scan.h"
#include "workloads/radix_sort.h"

#include <stdio.h>

struct id_slot {
    uint64_t id;
    uint32_t number; /* in the order of appearance, from 1; 0: the slot is free */
};

struct id_table {
    struct id_slot *slot;
    size_t count, slots; /* slots is 0 or 2^bits */
    unsigned bits;
    struct entry_list *list; /* whose limit holds for the table, too */
};

/* The slot that holds `id`, or the free one where it belongs. The product's upper bits spread
 * consecutive ids, which are the rule, evenly (Fibonacci hashing). */
static struct id_slot *find_slot(const struct id_table *table, uint64_t id)
{
    size_t s = (size_t)(id * 0x9e3779b97f4a7c15u >> (64 - table->bits));
    while (table->slot[s].number != 0 && table->slot[s].id != id)
        s = (s + 1) & (table->slots - 1);
    return &table->slot[s];
}

/* Doubles the table; false, with it unharmed, if there is no memory. */
static bool id_table_grow(struct id_table *table)
{
    unsigned bits = table->bits > 0 ? table->bits + 1 : 11;
    struct id_table grown = *table;
    grown.bits = bits;
    grown.slots = (size_t)1 << bits;
    if (!entry_list_may_take(table->list, grown.slots * sizeof *grown.slot))
        return false;
    grown.slot = memory_allocate(grown.slots, sizeof *grown.slot);
    if (grown.slot == NULL)
        return false;
    for (size_t s = 0; s < table->slots; s++)
        if (table->slot[s].number != 0)
            *find_slot(&grown, table->slot[s].id) = table->slot[s];
    free(table->slot);
    *table = grown;
    return true;
}

/* The number of `id` less one, a new one at its first appearance. */
static enum failure_kind number_of(struct id_table *table, const struct byte_line *line,
                                   uint64_t id, uint32_t *number, struct failure *failure)
{
    if (table->count == table->slots / 2 && !id_table_grow(table))
        return entry_list_fail(table->list, "the ids of an edge list", failure);
    struct id_slot *slot = find_slot(table, id);
    if (slot->number == 0) {
        if (table->count == ENTRY_MAX_SIDE)
            return fail(failure, FAIL_INPUT,
                        "%s:%llu: expected at most %d different ids (the nodes of the largest "
                        "mesh), found one more",
                        line->name, (unsigned long long)line->number, ENTRY_MAX_SIDE);
        *slot = (struct id_slot){.id = id, .number = (uint32_t)++table->count};
    }
    *number = slot->number - 1;
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
        if (!entry_list_add(list, entry_pack(from, to)))
            return entry_list_fail(list, "the edges of a graph", failure);
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
        size_t ids = 0;
        for (size_t s = 0; s < table->slots; s++)
            if (table->slot[s].number != 0)
                sorted[ids++] = table->slot[s].id;
        ready = radix_sort(sorted, ids);
    }
    if (ready) {
        list->first_id = sorted[0];
        list->last_id = sorted[table->count - 1];
        for (size_t r = 0; r < table->count; r++)
            rank[find_slot(table, sorted[r])->number - 1] = (uint32_t)r;
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
    struct id_table table = {.list = list};
    enum failure_kind kind = read_edges(source, &table, list, failure);
    if (kind == FAIL_NONE)
        kind = rank_ids(&table, list, failure);
    list->rows = list->cols = (uint32_t)table.count;
    free(table.slot);
    return kind;
}
