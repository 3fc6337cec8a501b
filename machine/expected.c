/* expected.c - the memory of the lists of expected messages, and the missing messages. */
#include "machine/expected.h"

#include "base/failure.h"
#include "base/numbers.h"

#include <stdlib.h>

bool expected_begin(struct expected_messages *expected, node_index first, node_index end)
{
    *expected = (struct expected_messages){.first = first, .end = end, .attempt = 1};
    expected->start = memory_allocate((size_t)(end - first) + 2, sizeof *expected->start);
    return expected->start != NULL;
}

/* expected_count() has counted at start[i + 2] for the i-th node. start[i + 1] becomes the
 * beginning of its list. expected_add() moves it on to the end of the list, which is the beginning
 * of the next node's list. */
bool expected_make_room(struct expected_messages *expected)
{
    uint32_t nodes = expected->end - expected->first;
    for (uint32_t i = 1; i <= nodes + 1; i++)
        expected->start[i] += expected->start[i - 1];
    uint32_t deliveries = expected->start[nodes + 1];
    expected->message = memory_allocate(deliveries, sizeof *expected->message);
    expected->arrived = memory_allocate(deliveries, sizeof *expected->arrived);
    return expected->message != NULL && expected->arrived != NULL;
}

void expected_count(struct expected_messages *expected, node_index node)
{
    expected->start[node - expected->first + 2]++;
}

void expected_add(struct expected_messages *expected, node_index node, uint32_t message)
{
    expected->message[expected->start[node - expected->first + 1]++] = message;
}

static bool ascends(const uint32_t *value, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (value[i] < value[i - 1])
            return false;
    return true;
}

void expected_sort(struct expected_messages *expected)
{
    for (uint32_t i = 0; i < expected->end - expected->first; i++) {
        uint32_t *list = expected->message + expected->start[i];
        uint32_t count = expected->start[i + 1] - expected->start[i];
        if (!ascends(list, count)) /* lists that arrive in the order of ranks mostly do */
            qsort(list, count, sizeof *list, compare_u32);
    }
}

void expected_free(struct expected_messages *expected)
{
    free(expected->start);
    free(expected->message);
    free(expected->arrived);
    *expected = (struct expected_messages){0};
}

uint32_t expected_find(const struct expected_messages *expected, node_index node, uint32_t message)
{
    uint32_t at = expected->start[node - expected->first];
    uint32_t count = expected->start[node - expected->first + 1] - at;
    if (count == 0)
        return EXPECTED_NONE;
    for (; count > 1; count -= count / 2) {
        uint32_t middle = at + count / 2;
        at = expected->message[middle] <= message ? middle : at;
    }
    return expected->message[at] == message ? at : EXPECTED_NONE;
}

bool expected_is_held(const struct expected_messages *expected, uint32_t at)
{
    return at != EXPECTED_NONE && expected->arrived[at] != 0 &&
           expected->arrived[at] != expected->attempt;
}

uint64_t expected_missing(const struct expected_messages *expected, node_index first,
                          node_index end, uint32_t *least)
{
    uint64_t missing = 0;
    uint32_t at = expected->start[first - expected->first];
    uint32_t stop = expected->start[end - expected->first];
    for (uint32_t i = at; i < stop; i++)
        missing += expected->arrived[i] == 0;
    for (uint32_t i = at; missing > 0 && i < stop; i++)
        if (expected->arrived[i] == 0 && expected->message[i] < *least)
            *least = expected->message[i];
    return missing;
}

node_index expected_node(const struct expected_messages *expected, uint32_t at)
{
    uint32_t low = 0, high = expected->end - expected->first;
    while (high - low >
           1) { /* the list of node low begins at `at` or before, that of node high after it */
        uint32_t middle = low + (high - low) / 2;
        *(expected->start[middle] <= at ? &low : &high) = middle;
    }
    return expected->first + low;
}

void delivery_list_add(struct delivery_list *list, uint32_t at)
{
    if (list->count == list->room) {
        uint32_t *grown = memory_grow(list->at, &list->room, list->count + 1, sizeof *grown);
        list->is_short |= grown == NULL;
        if (grown == NULL)
            return;
        list->at = grown;
    }
    list->at[list->count++] = at;
}
