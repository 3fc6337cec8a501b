/* item_traffic.c - entries become messages among items; and with nodes, a message set.
 *
 * Cost: a sort of the entries; 12 bytes per entry in the traffic.
 */
#include "place/item_traffic.h"

#include "base/numbers.h"
#include "workloads/radix_sort.h"

#include <stdlib.h>

/* Leaves out the messages of items to themselves, and sorts. */
static bool sort_entries(struct entry_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        uint32_t col = entry_col(list->entry[i]), row = entry_row(list->entry[i]);
        if (list->is_to_experts || entry_list_sender(list, col) != row)
            list->entry[kept++] = list->entry[i];
    }
    list->count = kept;
    return radix_sort_distinct(list->entry, &list->count);
}

static uint32_t count_columns(const struct entry_list *list)
{
    uint32_t columns = 0;
    for (size_t i = 0; i < list->count; i++)
        columns += i == 0 || entry_col(list->entry[i]) != entry_col(list->entry[i - 1]);
    return columns;
}

static void cut_columns(struct item_traffic *traffic, const struct entry_list *list,
                        const node_index *token_node)
{
    uint32_t message = 0;
    for (size_t i = 0; i < list->count; i++) {
        uint32_t col = entry_col(list->entry[i]);
        if (i == 0 || col != entry_col(list->entry[i - 1])) {
            uint32_t sender = entry_list_sender(list, col);
            traffic->offset[message] = i;
            traffic->source[message++] = token_node != NULL ? token_node[sender] : sender;
        }
        traffic->destination[i] = entry_row(list->entry[i]);
    }
    traffic->offset[message] = list->count;
}

/* Adds a message to those of an item; `first` is where the item's next one goes. */
static void join(struct item_traffic *traffic, uint64_t *first, uint32_t item, uint32_t message)
{
    traffic->message[first[item]++] = message;
}

/* Lists the messages of each item; first[] has room for one more than its items and a last one. */
static void list_messages(struct item_traffic *traffic)
{
    uint64_t *first = traffic->first;
    for (uint32_t m = 0; m < traffic->messages; m++) {
        if (!traffic->has_tokens)
            first[traffic->source[m] + 2]++;
        for (uint64_t j = traffic->offset[m]; j < traffic->offset[m + 1]; j++)
            first[traffic->destination[j] + 2]++;
    }
    for (uint32_t i = 2; i < traffic->items + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t m = 0; m < traffic->messages; m++) {
        if (!traffic->has_tokens)
            join(traffic, first + 1, traffic->source[m], m);
        for (uint64_t j = traffic->offset[m]; j < traffic->offset[m + 1]; j++)
            join(traffic, first + 1, traffic->destination[j], m);
    }
}

enum failure_kind item_traffic_make(struct item_traffic *traffic, struct entry_list *list,
                                    const node_index *token_node, struct failure *failure)
{
    *traffic = (struct item_traffic){.has_tokens = list->is_to_experts};
    if (!sort_entries(list))
        return fail_memory(failure, "sorting the entries of a matrix");
    traffic->items = list->is_to_experts ? list->rows
                     : list->items > 0   ? list->items
                                         : max_u32(list->rows, list->cols);
    traffic->messages = count_columns(list);
    traffic->source = memory_allocate(traffic->messages, sizeof *traffic->source);
    traffic->offset = memory_allocate(traffic->messages + (size_t)1, sizeof *traffic->offset);
    traffic->destination = memory_allocate(list->count, sizeof *traffic->destination);
    traffic->first = memory_allocate(traffic->items + (size_t)2, sizeof *traffic->first);
    traffic->message = memory_allocate(list->count + traffic->messages, sizeof *traffic->message);
    if (traffic->source == NULL || traffic->offset == NULL || traffic->destination == NULL ||
        traffic->first == NULL || traffic->message == NULL) {
        item_traffic_free(traffic);
        return fail_memory(failure, "the messages of items");
    }
    cut_columns(traffic, list, token_node);
    list_messages(traffic);
    return FAIL_NONE;
}

void item_traffic_free(struct item_traffic *traffic)
{
    free(traffic->source);
    free(traffic->offset);
    free(traffic->destination);
    free(traffic->first);
    free(traffic->message);
    *traffic = (struct item_traffic){0};
}

/* ---- the set ---- */

/* Appends a message, if it has destinations elsewhere. */
static void add_message(const struct item_traffic *traffic, const struct topology *topology,
                        const struct assignment *assignment, uint32_t message,
                        struct message_set *set)
{
    node_index source = item_traffic_source(traffic, assignment, message);
    node_index *destination = set->destination + set->deliveries;
    uint32_t count = 0, distinct = 0;
    for (uint64_t j = traffic->offset[message]; j < traffic->offset[message + 1]; j++) {
        node_index node = assignment_node(assignment, topology, traffic->destination[j], source);
        if (node != source)
            destination[count++] = node;
    }
    sort_u32(destination, count);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || destination[i] != destination[i - 1])
            destination[distinct++] = destination[i];
    if (distinct == 0)
        return;
    set->source[set->messages] = source;
    set->offset[set->messages++] = set->deliveries;
    set->deliveries += distinct;
    set->offset[set->messages] = set->deliveries;
}

enum failure_kind item_traffic_set(const struct item_traffic *traffic,
                                   const struct topology *topology,
                                   const struct assignment *assignment, struct message_set *set,
                                   struct failure *failure)
{
    if (message_set_allocate(set, topology->shape, traffic->messages,
                             traffic->offset[traffic->messages], failure) != FAIL_NONE)
        return failure->kind;
    set->messages = 0;
    set->deliveries = 0;
    for (uint32_t m = 0; m < traffic->messages; m++)
        add_message(traffic, topology, assignment, m, set);
    message_set_trim(set);
    if (message_set_sort_sources(set, NULL, failure) != FAIL_NONE)
        message_set_free(set);
    return failure->kind;
}
