/* message_set_home.c - what of a message set stays at home, and the set without it.
 *
 * A delivery to the message's own source is there at step 0 and crosses no link. Here alone such deliveries are told
 * from others: what routes, measures or bounds a set gets it without them.
 *
 * Cost: O(deliveries) to count and to take out, 4 bytes per message for the numbers that they had.
 */
#include "workloads/message_set_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Returns where the source stands among the destinations of a message, which ascend; `count`: nowhere. */
static uint64_t find_source(node_index source, const node_index *destination, uint64_t count)
{
    uint64_t low = 0, high = count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (destination[middle] < source)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && destination[low] == source ? low : count;
}

/* Takes the source out of the destinations of a message. Returns how many are left. */
static uint64_t cut_source(node_index source, node_index *destination, uint64_t count)
{
    uint64_t at = find_source(source, destination, count);
    if (at == count)
        return count;
    memmove(destination + at, destination + at + 1, (count - at - 1) * sizeof *destination);
    return count - 1;
}

uint64_t message_set_leaving(const struct message_set *set, uint32_t message)
{
    uint64_t first = set->offset[message], count = set->offset[message + 1] - first;
    if (set->is_away)
        return count;
    bool is_own = find_source(set->source[message], set->destination + first, count) < count;
    return count - is_own;
}

void message_set_count_received(const struct message_set *set, uint32_t *received)
{
    for (uint32_t i = 0; i < set->messages; i++) {
        node_index source = set->source[i];
        uint64_t end = set->offset[i + 1];
        for (uint64_t j = set->offset[i]; j < end; j++)
            received[set->destination[j]] += set->destination[j] != source;
    }
}

struct home_count message_set_count_home(const struct message_set *set)
{
    struct home_count home = {0, 0};
    for (uint32_t i = 0; i < set->messages && !set->is_away; i++) {
        uint64_t leaving = message_set_leaving(set, i);
        home.messages += leaving == 0;
        home.deliveries += set->offset[i + 1] - set->offset[i] - leaving;
    }
    return home;
}

void message_set_move(struct message_set *set, uint32_t to, uint32_t from, uint64_t at)
{
    uint64_t first = set->offset[from];
    memmove(set->destination + at, set->destination + first,
            (set->offset[from + 1] - first) * sizeof *set->destination);
    set->source[to] = set->source[from];
    if (set->length != NULL)
        set->length[to] = set->length[from];
    if (set->number != NULL)
        set->number[to] = set->number[from];
    if (set->given != NULL)
        set->given[to] = set->given[from];
    set->offset[to] = at;
}

void message_set_drop_home(struct message_set *set)
{
    uint32_t messages = 0;
    uint64_t deliveries = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        uint64_t count = set->offset[i + 1] - set->offset[i];
        message_set_move(set, messages, i, deliveries);
        count = cut_source(set->source[messages], set->destination + deliveries, count);
        messages += count > 0;
        deliveries += count;
    }
    set->offset[messages] = deliveries;
    set->messages = messages;
    set->deliveries = deliveries;
    message_set_trim(set);
}

/* Gives back the lengths where no message has one. */
static void drop_lengths(struct message_set *set)
{
    for (uint32_t i = 0; set->length != NULL && i < set->messages; i++)
        if (set->length[i] > 0)
            return;
    free(set->length);
    set->length = NULL;
}

enum failure_kind message_set_leave_home(struct message_set *set, struct failure *failure)
{
    assert(!set->is_part);
    struct home_count home = message_set_count_home(set);
    if (home.deliveries == 0) {
        set->is_away = true;
        return FAIL_NONE;
    }
    if (home.messages > 0 && set->given == NULL) {
        set->given = memory_allocate(set->messages, sizeof *set->given);
        if (set->given == NULL)
            return fail_memory(failure, "the numbers of messages");
        for (uint32_t i = 0; i < set->messages; i++)
            set->given[i] = i;
    }
    message_set_drop_home(set);
    set->home.messages += home.messages;
    set->home.deliveries += home.deliveries;
    set->is_away = true;
    drop_lengths(set);
    return FAIL_NONE;
}

const struct message_set *message_set_away(const struct message_set *set, struct message_set *room,
                                           struct failure *failure)
{
    *room = (struct message_set){0};
    if (set->is_part || message_set_count_home(set).deliveries == 0)
        return set;
    if (message_set_copy(room, set, failure) != FAIL_NONE)
        return NULL;
    if (message_set_leave_home(room, failure) == FAIL_NONE)
        return room;
    message_set_free(room);
    return NULL;
}
