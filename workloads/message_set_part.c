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

/* The largest congestion, of counts a node that are added up. */
static enum failure_kind join_congestion(const struct message_set *set, struct ranks *ranks,
                                         uint32_t *congestion, struct failure *failure)
{
    uint32_t nodes = shape_nodes(&set->shape);
    uint32_t *received = memory_allocate(nodes, sizeof *received);
    enum failure_kind kind = FAIL_NONE;
    if (received == NULL)
        return fail_memory(failure, "the messages of the nodes");
    message_set_count_received(set, received);
    kind = ranks_sum_counts(ranks, received, nodes, failure);
    *congestion = 0;
    for (uint32_t v = 0; v < nodes; v++)
        *congestion = received[v] > *congestion ? received[v] : *congestion;
    free(received);
    return kind;
}

enum failure_kind message_set_join_parts(struct message_set *set, struct ranks *ranks,
                                         struct failure *failure)
{
    uint64_t sum[] = {set->messages, set->deliveries};
    uint64_t most[] = {message_set_degree(set), message_set_most_sent(set),
                       (uint64_t)message_set_version(set)};
    uint32_t congestion = 0;
    assert(!set->is_part);
    if (ranks_size(ranks) == 1)
        return FAIL_NONE;
    if (ranks_sum(ranks, sum, 2, failure) != FAIL_NONE ||
        ranks_most(ranks, most, 3, failure) != FAIL_NONE ||
        join_congestion(set, ranks, &congestion, failure) != FAIL_NONE)
        return failure->kind;
    if (most[1] == UINT32_MAX)
        return fail_memory(failure, "the messages of the nodes");
    if (sum[1] >= UINT32_MAX)
        return fail(failure, FAIL_USAGE,
                    "the set would have %llu deliveries; at most %lu fit: take a smaller degree, "
                    "congestion or mesh",
                    (unsigned long long)sum[1], (unsigned long)UINT32_MAX - 1);
    set->is_part = true;
    set->whole = (struct message_set_whole){.messages = (uint32_t)sum[0],
                                            .deliveries = sum[1],
                                            .degree = (uint32_t)most[0],
                                            .congestion = congestion,
                                            .most_sent = (uint32_t)most[1],
                                            .version = (int)most[2]};
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
