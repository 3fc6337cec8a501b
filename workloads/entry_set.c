/* entry_set.c - entries become words, are sorted, and are cut into messages.
 *
 * Method: an entry becomes one word, its column in the upper bits and its row's node in the lower
 * ones; the words are sorted and repeats removed. Columns then ascend, and if the sources of their
 * messages do not, the messages are put in the order of sources, those of one source in the order
 * of columns. So the set is one of version 1 if no node has two messages. With weights a
 * multicast's destinations get the same data, so the entries of a column with the same weight are
 * one message, of that length. The weights of entries of the same row and column add up first.
 * Cost: a sort of 8-byte words: about 16 bytes per entry at the peak, 4 in the set; a second copy
 * of the set if the order of nodes is not that of the items. With weights about 40 bytes per entry
 * at the peak.
 */
#include "workloads/placement.h"

#include "base/numbers.h"
#include "workloads/radix_sort.h"

#include <inttypes.h>
#include <stdlib.h>

/* Returns the number of bits of the shape's node indices. */
static unsigned node_bits(const struct shape *shape)
{
    unsigned bits = 1;
    while ((shape_nodes(shape) - 1) >> bits != 0)
        bits++;
    return bits;
}

/* Fails if there are more entries than a set has deliveries. */
static enum failure_kind check_count(const struct entry_list *list, struct failure *failure)
{
    return list->count < UINT32_MAX
               ? FAIL_NONE
               : fail(failure, FAIL_INPUT,
                      "a message set has fewer than 2^32 - 1 deliveries, the matrix has %" PRIu64
                      " entries",
                      list->count);
}

/* Turns entries into words, in place, sorts them and cuts them into messages. */
static enum failure_kind make_unweighted(struct message_set *set, struct entry_list *list,
                                         const struct placement *placement, bool drop_diagonal,
                                         struct failure *failure)
{
    unsigned bits = node_bits(&placement->shape);
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        uint32_t col = entry_col(list->entry[i]), row = entry_row(list->entry[i]);
        uint32_t sender = entry_list_sender(list, col);
        if (drop_diagonal && sender == row)
            continue;
        list->entry[kept++] = (uint64_t)col << bits | placement_row(placement, row, sender);
    }
    list->count = kept;
    if (!radix_sort_distinct(list->entry, &list->count))
        return fail_memory(failure, "sorting the entries of a matrix");
    if (check_count(list, failure) != FAIL_NONE ||
        message_set_cut(set, placement->shape, list->entry, list->count, bits, failure) !=
            FAIL_NONE)
        return failure->kind;
    for (uint32_t i = 0; i < set->messages; i++)
        set->source[i] = placement_item(placement, entry_list_sender(list, set->source[i]));
    return FAIL_NONE;
}

static bool sources_ascend(const struct message_set *set)
{
    for (uint32_t i = 1; i < set->messages; i++)
        if (set->source[i - 1] > set->source[i])
            return false;
    return true;
}

/* ---- with weights ---- */

/* Turns a column's words, row << 32 | weight, into weight << 32 | node, ascending and distinct; the
 * weights of entries in the same row add up. *count becomes the number of words. */
static enum failure_kind weigh_column(uint64_t *word, size_t *count, uint32_t col, uint32_t sender,
                                      const struct placement *placement, struct failure *failure)
{
    size_t rows = 0, distinct = 0;
    qsort(word, *count, sizeof *word, compare_u64);
    for (size_t i = 0, next; i < *count; i = next) {
        uint64_t row = word[i] >> 32, weight = 0;
        for (next = i; next < *count && word[next] >> 32 == row; next++)
            weight += (uint32_t)word[next];
        if (weight > UINT32_MAX)
            return fail(failure, FAIL_INPUT,
                        "the weights of one entry, in column %u, add up to %" PRIu64
                        "; at most %u are "
                        "possible",
                        col + 1, weight, UINT32_MAX);
        word[rows++] = weight << 32 | placement_row(placement, (uint32_t)row, sender);
    }
    qsort(word, rows, sizeof *word, compare_u64);
    for (size_t i = 0; i < rows; i++)
        if (i == 0 || word[i] != word[distinct - 1])
            word[distinct++] = word[i];
    *count = distinct;
    return FAIL_NONE;
}

/* Adds a message per weight among a column's words. The set has room; its counts are those so
 * far. */
static void add_column(struct message_set *set, const uint64_t *word, size_t count,
                       node_index source)
{
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || word[i] >> 32 != word[i - 1] >> 32) {
            set->offset[set->messages] = set->deliveries;
            set->length[set->messages] = (uint32_t)(word[i] >> 32);
            set->source[set->messages++] = source;
        }
        set->destination[set->deliveries++] = (node_index)word[i];
    }
    set->offset[set->messages] = set->deliveries;
}

/* Adds the messages of all columns; `key` is col << 32 | number of an entry, ascending; it is used
 * up. */
static enum failure_kind weigh_columns(struct message_set *set, const struct entry_list *list,
                                       uint64_t *key, size_t count,
                                       const struct placement *placement, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    set->messages = 0;
    set->deliveries = 0;
    for (size_t i = 0, next; i < count && kind == FAIL_NONE; i = next) {
        uint32_t col = entry_col(key[i]);
        for (next = i; next < count && entry_col(key[next]) == col; next++) {
            uint32_t entry = (uint32_t)key[next];
            key[next] = (uint64_t)entry_row(list->entry[entry]) << 32 | list->weight[entry];
        }
        size_t words = next - i;
        uint32_t sender = entry_list_sender(list, col);
        kind = weigh_column(key + i, &words, col, sender, placement, failure);
        if (kind == FAIL_NONE)
            add_column(set, key + i, words, placement_item(placement, sender));
    }
    message_set_trim(set);
    return kind;
}

/* Makes a message per column and weight, whose length is the weight. */
static enum failure_kind make_weighted(struct message_set *set, struct entry_list *list,
                                       const struct placement *placement, bool drop_diagonal,
                                       struct failure *failure)
{
    size_t count = 0;
    if (check_count(list, failure) != FAIL_NONE)
        return FAIL_INPUT;
    uint64_t *key = memory_allocate(list->count, sizeof *key);
    for (size_t i = 0; key != NULL && i < list->count; i++)
        if (!drop_diagonal ||
            entry_list_sender(list, entry_col(list->entry[i])) != entry_row(list->entry[i]))
            key[count++] = (uint64_t)entry_col(list->entry[i]) << 32 | i;
    enum failure_kind kind =
        message_set_allocate(set, placement->shape, (uint32_t)count, count, failure);
    if (kind == FAIL_NONE)
        set->length = memory_allocate(count, sizeof *set->length);
    if (kind == FAIL_NONE && (key == NULL || set->length == NULL || !radix_sort(key, count)))
        kind = fail_memory(failure, "sorting the entries of a matrix");
    if (kind == FAIL_NONE)
        kind = weigh_columns(set, list, key, count, placement, failure);
    list->count = set->deliveries;
    free(key);
    return kind;
}

enum failure_kind entry_set_make(struct message_set *set, struct entry_list *list,
                                 const struct placement *placement, bool drop_diagonal,
                                 struct failure *failure)
{
    enum failure_kind kind = (list->weight != NULL ? make_weighted : make_unweighted)(
        set, list, placement, drop_diagonal, failure);
    if (kind == FAIL_NONE && !sources_ascend(set))
        kind = message_set_sort_sources(set, NULL, failure);
    if (kind != FAIL_NONE)
        message_set_free(set);
    return kind;
}
