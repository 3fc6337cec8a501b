/* message_set_part.c - a rank's part of a message set.
 *
 * Cost: O(n + deliveries), and 4 bytes per message and a node.
 */
#include "workloads/message_set_private.h"

#include <assert.h>
#include <stdlib.h>

static bool has_gaps(const uint32_t *number, uint32_t messages)
{
    return messages > 0 && number[messages - 1] - number[0] >= messages;
}

static void keep_messages(struct message_set *set, node_index first, node_index end)
{
    uint32_t messages = 0;
    uint64_t deliveries = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        uint64_t count = set->offset[i + 1] - set->offset[i];
        if (set->source[i] < first || set->source[i] >= end)
            continue;
        message_set_move(set, messages, i, deliveries);
        messages++;
        deliveries += count;
    }
    set->offset[messages] = deliveries;
    set->messages = messages;
    set->deliveries = deliveries;
}

enum failure_kind message_set_keep(struct message_set *set, node_index first, node_index end,
                                   struct failure *failure)
{
    assert(!set->is_part);
    if (message_set_leave_home(set, failure) != FAIL_NONE)
        return FAIL_SYSTEM;
    struct message_set_whole whole = {.messages = set->messages,
                                      .deliveries = set->deliveries,
                                      .degree = message_set_degree(set),
                                      .congestion = message_set_congestion(set),
                                      .most_sent = message_set_most_sent(set),
                                      .version = message_set_version(set)};
    uint32_t *number = memory_allocate(set->messages, sizeof *number);
    if (number == NULL || whole.congestion == UINT32_MAX || whole.most_sent == UINT32_MAX) {
        free(number);
        return fail_memory(failure, "a part of a message set");
    }
    for (uint32_t i = 0; i < set->messages; i++)
        number[i] = i;
    free(set->given);
    set->given = NULL;
    set->number = number;
    keep_messages(set, first, end);
    set->is_part = true;
    set->whole = whole;
    message_set_close_numbers(set);
    message_set_trim(set);
    return FAIL_NONE;
}

void message_set_close_numbers(struct message_set *set)
{
    if (set->number == NULL || has_gaps(set->number, set->messages))
        return;
    set->first_number = set->messages > 0 ? set->number[0] : 0;
    free(set->number);
    set->number = NULL;
}
