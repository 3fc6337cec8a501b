/* message_set_fit.c - the order of sources, and what of a set the mesh machine or a topology takes.
 *
 * Cost: a sort of the messages, and a second copy of the set while it is put in order.
 */
#include "workloads/message_set_private.h"

#include "workloads/radix_sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void find_repeated(const uint64_t *key, uint32_t messages, uint32_t repeated[2])
{
    repeated[0] = repeated[1] = UINT32_MAX;
    for (uint32_t i = 1; i < messages; i++)
        if (key[i] >> 32 == key[i - 1] >> 32 && (uint32_t)key[i] < repeated[1]) {
            repeated[0] = (uint32_t)key[i - 1];
            repeated[1] = (uint32_t)key[i];
        }
}

/* Copies the messages of `set` into `sorted`, which has room, in the order of the keys' lower halves. */
static void copy_messages(const struct message_set *set, const uint64_t *key,
                          struct message_set *sorted)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        uint32_t message = (uint32_t)key[i];
        uint64_t first = set->offset[message], count = set->offset[message + 1] - first;
        sorted->source[i] = set->source[message];
        sorted->offset[i] = end;
        if (set->length != NULL)
            sorted->length[i] = set->length[message];
        if (set->given != NULL)
            sorted->given[i] = set->given[message];
        memcpy(sorted->destination + end, set->destination + first, count * sizeof(node_index));
        end += count;
    }
}

enum failure_kind message_set_sort_sources(struct message_set *set, uint32_t repeated[2],
                                           struct failure *failure)
{
    struct message_set sorted = {0};
    uint64_t *key = memory_allocate(set->messages, sizeof *key);
    for (uint32_t i = 0; i < set->messages && key != NULL; i++)
        key[i] = (uint64_t)set->source[i] << 32 | i;
    enum failure_kind kind = key != NULL && radix_sort(key, set->messages)
                                 ? FAIL_NONE
                                 : fail_memory(failure, "sorting the messages of a set");
    if (kind == FAIL_NONE && repeated != NULL)
        find_repeated(key, set->messages, repeated);
    if (kind == FAIL_NONE && (repeated == NULL || repeated[1] == UINT32_MAX) &&
        (kind = message_set_allocate_as(&sorted, set, failure)) == FAIL_NONE) {
        copy_messages(set, key, &sorted);
        message_set_free(set);
        *set = sorted;
    }
    free(key);
    return kind;
}

/* ---- for the mesh machine ---- */

/* The deliveries of the set with a message for each packet; `messages` is how many messages that are. */
static uint64_t count_packets(const struct message_set *set, uint64_t *messages)
{
    uint64_t deliveries = 0;
    *messages = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        uint64_t packets = set->length[i] > 0 ? set->length[i] : 1;
        *messages += packets; /* below 2^32 x 2^24, and so are the deliveries of one message */
        deliveries += packets * (set->offset[i + 1] - set->offset[i]);
    }
    return deliveries;
}

enum failure_kind message_set_split_packets(struct message_set *set, const char *name,
                                            uint64_t messages, uint64_t deliveries,
                                            struct failure *failure)
{
    struct message_set split;
    uint64_t end = 0;
    uint32_t next = 0;
    if (messages >= UINT32_MAX || deliveries >= UINT32_MAX)
        return fail(failure, FAIL_INPUT,
                    "%.200s: expected fewer than %lu deliveries of packets on the mesh machine, "
                    "found %llu, with the lengths of messages",
                    name, (unsigned long)UINT32_MAX, (unsigned long long)deliveries);
    deliveries = count_packets(set, &messages); /* of a part its own */
    if (message_set_allocate(&split, set->shape, (uint32_t)messages, deliveries, failure) !=
        FAIL_NONE)
        return FAIL_SYSTEM;
    if (set->number != NULL)
        split.number = memory_allocate(messages, sizeof *split.number);
    if (set->number != NULL && split.number == NULL) {
        message_set_free(&split);
        return fail_memory(failure, "the packets of a set");
    }
    split.lacks_end = set->lacks_end;
    split.home = set->home;
    for (uint32_t i = 0; i < set->messages; i++) {
        uint64_t first = set->offset[i], count = set->offset[i + 1] - first;
        for (uint32_t packet = 0; packet < (set->length[i] > 0 ? set->length[i] : 1); packet++) {
            split.source[next] = set->source[i];
            if (split.number != NULL)
                split.number[next] = set->number[i] + packet;
            split.offset[next++] = end;
            memcpy(split.destination + end, set->destination + first, count * sizeof(node_index));
            end += count;
        }
    }
    message_set_free(set);
    *set = split;
    return FAIL_NONE;
}

enum failure_kind message_set_check_mesh(const struct message_set *set, const char *name,
                                         struct failure *failure)
{
    char shape[TOPOLOGY_TEXT_SIZE];
    shape_text(&set->shape, shape);
    if (set->mesh.rows > 0)
        return FAIL_NONE;
    return fail(failure, FAIL_INPUT,
                "%.200s: expected a mesh of two dimensions with sides of at most %d, which the "
                "mesh machine has, found %s; 'meshcast network' takes such sets",
                name, MESH_MAX_SIDE, shape);
}

enum failure_kind message_set_fit_packets(struct message_set *set, const char *name,
                                          struct failure *failure)
{
    uint32_t repeated[2];
    uint64_t messages, deliveries;
    bool has_packets = false;
    enum failure_kind kind = message_set_check_mesh(set, name, failure);
    for (uint32_t i = 0; set->length != NULL && i < set->messages; i++)
        has_packets |= set->length[i] > 1;
    if (kind == FAIL_NONE && has_packets) {
        deliveries = count_packets(set, &messages);
        kind = message_set_split_packets(set, name, messages, deliveries, failure);
    }
    if (kind != FAIL_NONE)
        return kind;
    free(set->length);
    set->length = NULL;
    return message_set_version(set) == 1 ? FAIL_NONE
                                         : message_set_sort_sources(set, repeated, failure);
}

enum failure_kind message_set_fit_machine(struct message_set *set, const char *name,
                                          struct failure *failure)
{
    uint32_t repeated[2];
    enum failure_kind kind = message_set_fit_packets(set, name, failure);
    if (kind == FAIL_NONE)
        kind = message_set_leave_home(set, failure);
    if (kind == FAIL_NONE && set->home.messages > 0 && message_set_version(set) != 1)
        kind = message_set_sort_sources(set, repeated, failure); /* fewer may send several */
    return kind;
}

enum failure_kind message_set_check_topology(const struct message_set *set,
                                             const struct topology *topology,
                                             struct failure *failure)
{
    char ours[TOPOLOGY_TEXT_SIZE], other[TOPOLOGY_TEXT_SIZE];
    if (shape_equals(&topology->shape, &set->shape))
        return FAIL_NONE;
    shape_text(&set->shape, ours);
    shape_text(&topology->shape, other);
    return fail(failure, FAIL_USAGE, "the topology is %s, but the set is of %s", other, ours);
}

enum failure_kind message_set_topology(const struct message_set *set, const char *given,
                                       struct topology *topology, struct failure *failure)
{
    *topology = (struct topology){0};
    if (given == NULL && set->shape.kind == TOPOLOGY_GRAPH)
        return fail(failure, FAIL_USAGE,
                    "the set is of a graph of %lu nodes; give its edges as topology graph:FILE",
                    (unsigned long)shape_nodes(&set->shape));
    if (given == NULL) {
        *topology = topology_of_shape(&set->shape);
        return FAIL_NONE;
    }
    if (topology_parse(topology, given, failure) == FAIL_NONE &&
        message_set_check_topology(set, topology, failure) != FAIL_NONE)
        topology_free(topology);
    return failure->kind;
}
