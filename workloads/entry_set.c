/* entry_set.c - entries become words, are sorted, and are cut into messages.
 *
 * Method: an entry becomes one word, its column in the upper bits and its row's node in the lower ones; the words are
 * sorted and repeats removed. Columns then ascend, and where the sources of their messages do not, the messages
 * are put in the order of sources, those of one source in the order of columns. So the set is one of version 1
 * wherever no node has two messages.
 * Cost: a sort of 8-byte words: about 16 bytes an entry at the peak, 4 in the set; a second copy of the set
 * where the order of nodes is not that of the items.
 */
#include "workloads/entry_set.h"

#include "workloads/radix_sort.h"

#include <stdlib.h>
#include <string.h>

/* The number of bits that every node index of the shape fits into. */
static unsigned node_bits(const struct shape *shape)
{
    unsigned bits = 1;
    while ((shape_nodes(shape) - 1) >> bits != 0)
        bits++;
    return bits;
}

/* Turns entries into words, in place, and sorts them. */
static enum failure_kind make_words(struct entry_list *list, const struct placement *placement,
                                    bool drop_diagonal, struct failure *failure)
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
    return FAIL_NONE;
}

/* Cuts the sorted words into messages. */
static enum failure_kind cut_words(struct message_set *set, const struct entry_list *list,
                                   const struct placement *placement, struct failure *failure)
{
    unsigned bits = node_bits(&placement->shape);
    const uint64_t *word = list->entry;
    if (list->count >= UINT32_MAX)
        return fail(failure, FAIL_INPUT,
                    "a message set has fewer than 2^32 - 1 deliveries, the matrix has %llu entries",
                    (unsigned long long)list->count);
    uint32_t messages = 0;
    for (size_t i = 0; i < list->count; i++)
        messages += i == 0 || word[i] >> bits != word[i - 1] >> bits;
    enum failure_kind kind =
        message_set_allocate(set, placement->shape, messages, list->count, failure);
    if (kind != FAIL_NONE)
        return kind;
    uint32_t message = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (i == 0 || word[i] >> bits != word[i - 1] >> bits) {
            uint32_t sender = entry_list_sender(list, (uint32_t)(word[i] >> bits));
            set->offset[message] = i;
            set->source[message++] = placement_item(placement, sender);
        }
        set->destination[i] = (node_index)(word[i] & ((UINT64_C(1) << bits) - 1));
    }
    return FAIL_NONE;
}

static bool sources_ascend(const struct message_set *set)
{
    for (uint32_t i = 1; i < set->messages; i++)
        if (set->source[i - 1] > set->source[i])
            return false;
    return true;
}

/* Puts the messages in the order of their sources, those of one source as they are. */
static enum failure_kind order_messages(struct message_set *set, struct failure *failure)
{
    struct message_set sorted;
    uint64_t end = 0, *key = memory_allocate(set->messages, sizeof *key);
    enum failure_kind kind =
        message_set_allocate(&sorted, set->shape, set->messages, set->deliveries, failure);
    for (uint32_t i = 0; i < set->messages && key != NULL; i++)
        key[i] = (uint64_t)set->source[i] << 32 | i;
    if (kind == FAIL_NONE && (key == NULL || !radix_sort(key, set->messages)))
        kind = fail_memory(failure, "sorting the messages of a set");
    for (uint32_t i = 0; i < set->messages && kind == FAIL_NONE; i++) {
        uint32_t message = (uint32_t)key[i];
        uint64_t first = set->offset[message], count = set->offset[message + 1] - first;
        sorted.source[i] = set->source[message];
        sorted.offset[i] = end;
        memcpy(sorted.destination + end, set->destination + first, count * sizeof(node_index));
        end += count;
    }
    free(key);
    message_set_free(kind == FAIL_NONE ? set : &sorted);
    if (kind == FAIL_NONE)
        *set = sorted;
    return kind;
}

enum failure_kind entry_set_make(struct message_set *set, struct entry_list *list,
                                 const struct placement *placement, bool drop_diagonal,
                                 struct failure *failure)
{
    enum failure_kind kind = make_words(list, placement, drop_diagonal, failure);
    if (kind == FAIL_NONE)
        kind = cut_words(set, list, placement, failure);
    if (kind == FAIL_NONE && !sources_ascend(set))
        kind = order_messages(set, failure);
    if (kind != FAIL_NONE)
        message_set_free(set);
    return kind;
}
