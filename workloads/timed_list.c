/* timed_list.c - from messages with times to a set.
 *
 * Method: ids are sorted, so that waits become pairs of messages, which are sorted in turn.
 * Invariant: nothing is allocated from a number in the file; arrays grow with what was read.
 * Cost: a sort of the ids if they do not ascend, and one of the waits; 40 bytes per message, 4 per
 * delivery, 16 per wait, and the set.
 */
#include "workloads/timed_list.h"

#include "base/memory.h"
#include "base/numbers.h"
#include "base/text_scan.h"
#include "workloads/placement.h"
#include "workloads/radix_sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- adding ---- */

uint32_t timed_list_last_node(const struct timed_list *list)
{
    return list->shape.dimensions > 0 ? shape_nodes(&list->shape) - 1 : MESH_MAX_NODES - 1;
}

void timed_list_use_bytes(struct timed_list *list, uint32_t flit_bytes)
{
    list->uses_bytes = true;
    if (list->flit_bytes > 0)
        return;
    list->flit_bytes = flit_bytes;
    import_note(
        &list->notes,
        "bytes became flits of %u bytes, and one for the header; --flit-bytes B changes that",
        flit_bytes);
}

uint64_t timed_list_flits(const struct timed_list *list, uint64_t bytes)
{
    return volume_flits(bytes, list->flit_bytes);
}

static struct byte_line line_of(const struct timed_list *list, uint32_t message)
{
    return (struct byte_line){.name = list->name, .number = list->message[message].line};
}

enum failure_kind timed_list_add(struct timed_list *list, struct timed_message message,
                                 struct failure *failure)
{
    if (!memory_make_room(&list->message, &list->message_room, (size_t)list->messages + 1,
                          sizeof *list->message))
        return fail_memory(failure, "the messages of a trace");
    message.first = list->deliveries;
    list->message[list->messages++] = message;
    if (list->messages == UINT32_MAX - 1 || message.flits > MESSAGE_SET_MAX_LENGTH) {
        struct byte_line line = line_of(list, list->messages - 1);
        return scan_refuse(&line, failure,
                           "expected at most %u messages of at most %d flits, found more",
                           UINT32_MAX - 2, MESSAGE_SET_MAX_LENGTH);
    }
    return FAIL_NONE;
}

enum failure_kind timed_list_add_destination(struct timed_list *list, node_index node,
                                             struct failure *failure)
{
    if (!memory_make_room(&list->destination, &list->delivery_room, (size_t)list->deliveries + 1,
                          sizeof *list->destination))
        return fail_memory(failure, "the deliveries of a trace");
    list->destination[list->deliveries++] = node;
    if (list->deliveries < UINT32_MAX - 1)
        return FAIL_NONE;
    struct byte_line line = line_of(list, list->messages - 1);
    return scan_refuse(&line, failure, "expected at most %u deliveries in all, found more",
                       UINT32_MAX - 2);
}

enum failure_kind timed_list_add_wait(struct timed_list *list, uint64_t id, uint64_t awaited,
                                      struct failure *failure)
{
    if (!memory_make_room(&list->wait, &list->wait_room, list->waits + 1, sizeof *list->wait))
        return fail_memory(failure, "the waits of a trace");
    list->wait[list->waits++] = (struct timed_wait){id, awaited};
    return FAIL_NONE;
}

void timed_list_free(struct timed_list *list)
{
    free(list->message);
    free(list->destination);
    free(list->wait);
    *list = (struct timed_list){.messages = 0};
}

/* ---- ids ---- */

struct numbered {
    uint64_t id;
    uint32_t message;
};

static int compare_numbered(const void *one, const void *other)
{
    const struct numbered *a = one, *b = other;
    return a->id != b->id ? (a->id > b->id) - (a->id < b->id)
                          : (a->message > b->message) - (a->message < b->message);
}

/* Returns the messages by ascending ids, which the caller frees; NULL with a failure if an id is
 * repeated. */
static struct numbered *sort_ids(const struct timed_list *list, struct failure *failure)
{
    struct numbered *sorted = memory_allocate(list->messages, sizeof *sorted);
    bool ascends = true;
    if (sorted == NULL)
        fail_memory(failure, "the ids of messages");
    for (uint32_t i = 0; sorted != NULL && i < list->messages; i++) {
        sorted[i] = (struct numbered){list->message[i].id, i};
        ascends = ascends && (i == 0 || sorted[i - 1].id < sorted[i].id);
    }
    if (sorted == NULL || ascends)
        return sorted;
    qsort(sorted, list->messages, sizeof *sorted, compare_numbered);
    for (uint32_t i = 1; i < list->messages; i++)
        if (sorted[i].id == sorted[i - 1].id) {
            struct byte_line line = line_of(list, sorted[i].message);
            scan_refuse(&line, failure, "expected each id once, found %" PRIu64 " again",
                        sorted[i].id);
            free(sorted);
            return NULL;
        }
    return sorted;
}

/* Returns the message of an id, or UINT32_MAX. */
static uint32_t find_id(const struct numbered *sorted, uint32_t count, uint64_t id)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sorted[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && sorted[low].id == id ? sorted[low].message : UINT32_MAX;
}

/* ---- waits ---- */

/* True if a set can express a recorded wait: for an earlier message of another node, which the
 * waiting one receives. */
static bool can_wait(const struct message_set *set, uint32_t message, uint32_t awaited)
{
    node_index source = set->source[message];
    return awaited < message && set->source[awaited] != source &&
           message_set_goes_to(set, awaited, source);
}

/* Finds the messages of all waits: pair[i] becomes message << 32 | awaited, and *pairs their
 * number. */
static enum failure_kind find_pairs(struct timed_list *list, const struct message_set *set,
                                    uint64_t *pair, size_t *pairs, struct failure *failure)
{
    struct numbered *sorted = sort_ids(list, failure);
    for (size_t i = 0; sorted != NULL && i < list->waits && failure->kind == FAIL_NONE; i++) {
        uint32_t message = find_id(sorted, list->messages, list->wait[i].id);
        uint32_t awaited = find_id(sorted, list->messages, list->wait[i].awaited);
        bool is_known = message != UINT32_MAX && awaited != UINT32_MAX;
        if (is_known && (!list->waits_have_cycles || can_wait(set, message, awaited)))
            pair[(*pairs)++] = (uint64_t)message << 32 | awaited;
        else if (!list->waits_have_cycles) {
            struct byte_line line = line_of(list, message);
            scan_refuse(&line, failure,
                        "expected in column 'after' ids of messages, found %" PRIu64
                        ", which no message has",
                        list->wait[i].awaited);
        }
    }
    free(sorted);
    if (failure->kind == FAIL_NONE && *pairs < list->waits)
        import_note(&list->notes,
                    "%zu of %zu dependencies are left out, on packets that their source sends "
                    "itself or does not receive before",
                    list->waits - *pairs, list->waits);
    if (failure->kind == FAIL_NONE && !radix_sort_distinct(pair, pairs))
        fail_memory(failure, "the waits of messages");
    return failure->kind;
}

/* Gives the messages their waits, of sorted pairs; of recorded cycles their delays also. */
static enum failure_kind set_waits(const struct timed_list *list, struct message_set *set,
                                   const uint64_t *pair, size_t pairs, struct failure *failure)
{
    set->wait_offset = memory_allocate((size_t)set->messages + 1, sizeof *set->wait_offset);
    set->wait_on = memory_allocate(pairs, sizeof *set->wait_on);
    if (set->wait_offset == NULL || set->wait_on == NULL)
        return fail_memory(failure, "the waits of messages");
    for (size_t i = 0; i < pairs; i++) {
        set->wait_on[i] = (uint32_t)pair[i];
        set->wait_offset[(pair[i] >> 32) + 1]++;
    }
    for (uint32_t i = 0; i < set->messages; i++) {
        uint64_t latest = 0;
        set->wait_offset[i + 1] += set->wait_offset[i];
        for (uint64_t j = set->wait_offset[i]; j < set->wait_offset[i + 1]; j++)
            latest = max_u64(latest, list->message[set->wait_on[j]].start);
        if (list->waits_have_cycles)
            set->start[i] -= min_u64(latest, set->start[i]);
    }
    return FAIL_NONE;
}

static enum failure_kind make_waits(struct timed_list *list, struct message_set *set,
                                    struct failure *failure)
{
    size_t pairs = 0;
    uint64_t *pair = memory_allocate(list->waits, sizeof *pair);
    if (pair == NULL)
        return fail_memory(failure, "the waits of messages");
    if (find_pairs(list, set, pair, &pairs, failure) == FAIL_NONE && pairs > 0)
        set_waits(list, set, pair, pairs, failure);
    free(pair);
    return failure->kind;
}

/* ---- the set ---- */

/* Sorts the destinations of a message, and refuses a repeated one. */
static enum failure_kind order_destinations(const struct timed_list *list,
                                            const struct message_set *set, uint32_t message,
                                            struct failure *failure)
{
    node_index *node = set->destination + set->offset[message];
    uint64_t count = set->offset[message + 1] - set->offset[message];
    sort_u32(node, count);
    for (uint64_t i = 1; i < count; i++)
        if (node[i] == node[i - 1]) {
            struct byte_line line = line_of(list, message);
            return scan_refuse(&line, failure,
                               "expected each destination once in a message, found node %u twice",
                               node[i]);
        }
    return FAIL_NONE;
}

static enum failure_kind fill_set(const struct timed_list *list, struct message_set *set,
                                  struct failure *failure)
{
    uint64_t starts = 0;
    set->length = memory_allocate(list->messages, sizeof *set->length);
    set->start = memory_allocate(list->messages, sizeof *set->start);
    if (set->length == NULL || set->start == NULL)
        return fail_memory(failure, "the starts of messages");
    if (list->deliveries > 0)
        memcpy(set->destination, list->destination, list->deliveries * sizeof *set->destination);
    for (uint32_t i = 0; i < list->messages && failure->kind == FAIL_NONE; i++) {
        const struct timed_message *message = &list->message[i];
        set->source[i] = message->source;
        set->length[i] = message->flits;
        set->start[i] = message->start;
        set->offset[i] = message->first;
        set->offset[i + 1] = i + 1 < list->messages ? message[1].first : list->deliveries;
        order_destinations(list, set, i, failure);
        starts += message->start; /* each at most 2^48, of less than 2^32: tested before it wraps */
        if (failure->kind == FAIL_NONE && starts > MESSAGE_SET_MAX_STARTS) {
            struct byte_line line = line_of(list, i);
            scan_refuse(&line, failure,
                        "expected starts that add up to at most %" PRIu64 ", found more",
                        MESSAGE_SET_MAX_STARTS);
        }
    }
    return failure->kind;
}

static enum failure_kind check_waits(const struct timed_list *list, const struct message_set *set,
                                     struct failure *failure)
{
    uint64_t *line = memory_allocate(2 * (size_t)list->messages, sizeof *line);
    if (line == NULL)
        return fail_memory(failure, "the lines of messages");
    uint64_t *id = line + list->messages;
    for (uint32_t i = 0; i < list->messages; i++) {
        line[i] = list->message[i].line;
        id[i] = list->message[i].id;
    }
    message_set_check_waits(set, list->name, line, id, failure);
    free(line);
    return failure->kind;
}

/* Returns the least square mesh that has all nodes. */
static struct shape least_mesh(const struct timed_list *list)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < list->messages; i++)
        last = max_u32(last, list->message[i].source);
    for (uint32_t i = 0; i < list->deliveries; i++)
        last = max_u32(last, list->destination[i]);
    return least_square(last + 1);
}

enum failure_kind timed_list_make(struct timed_list *list, struct message_set *set,
                                  struct failure *failure)
{
    struct shape shape = list->shape.dimensions > 0 ? list->shape : least_mesh(list);
    if (message_set_allocate(set, shape, list->messages, list->deliveries, failure) != FAIL_NONE)
        return failure->kind;
    if (fill_set(list, set, failure) == FAIL_NONE)
        make_waits(list, set, failure);
    if (failure->kind == FAIL_NONE && set->wait_offset != NULL)
        check_waits(list, set, failure);
    if (failure->kind == FAIL_NONE)
        message_set_drop_unused(set);
    if (failure->kind != FAIL_NONE)
        message_set_free(set);
    return failure->kind;
}
