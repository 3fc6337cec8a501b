/* message_set.c - the message set in memory: making one from pairs, its figures.
 *
 * Encoding: compressed rows. Message i owns destination[offset[i] .. offset[i+1]-1], and these
 * ascend strictly. So do the sources of a set of version 1. Every function that makes a set keeps this,
 * and everything that reads one relies on it.
 *
 * Method of message_set_from_pairs: a counting sort by destination, then a stable one by source
 * that writes into place; equal pairs then meet, and the second is left out.
 *
 * Cost: O(pairs + n) time, 4 bytes per pair and 12 bytes per node beside the set itself.
 */
#include "workloads/message_set.h"

#include "base/numbers.h"
#include "workloads/message_set_private.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shape shape_of_mesh(struct mesh mesh)
{
    return (struct shape){
        .kind = TOPOLOGY_MESH, .dimensions = 2, .size = {[0] = mesh.cols, [1] = mesh.rows}};
}

struct mesh mesh_of_shape(const struct shape *shape)
{
    bool is_mesh = shape->kind == TOPOLOGY_MESH && shape->dimensions == 2 &&
                   mesh_is_valid(shape->size[1], shape->size[0]);
    return is_mesh ? (struct mesh){shape->size[1], shape->size[0]} : (struct mesh){0, 0};
}

void message_set_free(struct message_set *set)
{
    free(set->source);
    free(set->length);
    free(set->offset);
    free(set->destination);
    free(set->number);
    free(set->given);
    memset(set, 0, sizeof *set);
}

/* The block cut to its elements, or, which is harmless, as it was. */
static void *trimmed(void *block, size_t count, size_t size)
{
    void *smaller = block == NULL ? NULL : memory_resize(block, count, size);
    return smaller != NULL ? smaller : block;
}

void message_set_trim(struct message_set *set)
{
    set->source = trimmed(set->source, set->messages, sizeof *set->source);
    set->length = trimmed(set->length, set->messages, sizeof *set->length);
    set->offset = trimmed(set->offset, (size_t)set->messages + 1, sizeof *set->offset);
    set->destination = trimmed(set->destination, set->deliveries, sizeof *set->destination);
    set->number = trimmed(set->number, set->messages, sizeof *set->number);
    set->given = trimmed(set->given, set->messages, sizeof *set->given);
}

enum failure_kind message_set_allocate(struct message_set *set, struct shape shape,
                                       uint32_t messages, uint64_t deliveries,
                                       struct failure *failure)
{
    memset(set, 0, sizeof *set);
    if (deliveries >= UINT32_MAX)
        return fail(failure, FAIL_USAGE,
                    "the set would have %llu deliveries; at most %lu fit: take a smaller degree, "
                    "congestion or mesh",
                    (unsigned long long)deliveries, (unsigned long)UINT32_MAX - 1);
    *set = (struct message_set){.shape = shape,
                                .mesh = mesh_of_shape(&shape),
                                .messages = messages,
                                .deliveries = deliveries};
    set->source = memory_allocate(messages, sizeof *set->source);
    set->offset = memory_allocate((size_t)messages + 1, sizeof *set->offset);
    set->destination = memory_allocate(deliveries, sizeof *set->destination);
    if (set->source == NULL || set->offset == NULL || set->destination == NULL) {
        message_set_free(set);
        return fail_memory(failure, "a message set");
    }
    set->offset[messages] = deliveries;
    return FAIL_NONE;
}

enum failure_kind message_set_allocate_as(struct message_set *made, const struct message_set *set,
                                          struct failure *failure)
{
    enum failure_kind kind =
        message_set_allocate(made, set->shape, set->messages, set->deliveries, failure);
    if (kind != FAIL_NONE)
        return kind;
    if (set->length != NULL)
        made->length = memory_allocate(set->messages, sizeof *made->length);
    if (set->given != NULL)
        made->given = memory_allocate(set->messages, sizeof *made->given);
    if ((set->length != NULL && made->length == NULL) ||
        (set->given != NULL && made->given == NULL)) {
        message_set_free(made);
        return fail_memory(failure, "a message set");
    }
    made->lacks_end = set->lacks_end;
    made->home = set->home;
    return FAIL_NONE;
}

enum failure_kind message_set_copy(struct message_set *copy, const struct message_set *set,
                                   struct failure *failure)
{
    enum failure_kind kind = message_set_allocate_as(copy, set, failure);
    if (kind != FAIL_NONE || set->messages == 0)
        return kind;
    memcpy(copy->source, set->source, set->messages * sizeof *set->source);
    memcpy(copy->offset, set->offset, set->messages * sizeof *set->offset);
    memcpy(copy->destination, set->destination, set->deliveries * sizeof *set->destination);
    if (set->length != NULL)
        memcpy(copy->length, set->length, set->messages * sizeof *set->length);
    if (set->given != NULL)
        memcpy(copy->given, set->given, set->messages * sizeof *set->given);
    return FAIL_NONE;
}

/* Turns counts into the first index of each: first[v] = count[0] + ... + count[v-1]. */
static void first_of_counts(uint32_t *count, uint32_t nodes)
{
    uint32_t total = 0;
    for (uint32_t v = 0; v < nodes; v++) {
        uint32_t here = count[v];
        count[v] = total;
        total += here;
    }
}

/* Sources in the order of their destinations, ascending; end[v] becomes the end of v's run. */
static void sort_by_destination(uint64_t pairs, const node_index *from, const node_index *to,
                                uint32_t nodes, node_index *sorted, uint32_t *end)
{
    memset(end, 0, (size_t)nodes * sizeof *end);
    for (uint64_t i = 0; i < pairs; i++) {
        assert(to[i] < nodes);
        end[to[i]]++;
    }
    first_of_counts(end, nodes);
    for (uint64_t i = 0; i < pairs; i++)
        sorted[end[to[i]]++] = from[i];
}

/* Writes the runs into the set's destinations; next[s] starts as s's first index and ends as the
 * end of what s sent, repeats left out. */
static void deal_to_sources(struct message_set *set, const node_index *sorted, const uint32_t *end,
                            const uint32_t *first, uint32_t *next)
{
    uint32_t nodes = shape_nodes(&set->shape), i = 0;
    for (node_index v = 0; v < nodes; v++)
        for (; i < end[v]; i++) {
            node_index s = sorted[i];
            if (next[s] == first[s] || set->destination[next[s] - 1] != v)
                set->destination[next[s]++] = v;
        }
}

/* Names the messages and closes the gaps that repeats left. */
static void close_gaps(struct message_set *set, uint32_t seats, const uint32_t *first,
                       const uint32_t *next)
{
    uint32_t message = 0;
    uint64_t end = 0;
    for (uint32_t s = 0; s < seats; s++) {
        uint32_t count = next[s] - first[s];
        if (count == 0)
            continue;
        set->source[message] = s;
        set->offset[message++] = end;
        memmove(set->destination + end, set->destination + first[s], count * sizeof(node_index));
        end += count;
    }
    assert(message == set->messages);
    set->offset[message] = end;
    set->deliveries = end;
}

enum failure_kind message_set_from_pairs(struct message_set *set, struct shape shape,
                                         uint64_t pairs, const node_index *from,
                                         const node_index *to, struct failure *failure)
{
    return message_set_from_seats(set, shape, 1, pairs, from, to, failure);
}

enum failure_kind message_set_from_seats(struct message_set *set, struct shape shape,
                                         uint32_t per_node, uint64_t pairs, const uint32_t *from,
                                         const node_index *to, struct failure *failure)
{
    uint32_t nodes = shape_nodes(&shape), seats = nodes * per_node, messages = 0;
    enum failure_kind kind = FAIL_NONE;
    memset(set, 0, sizeof *set);
    if (pairs >= UINT32_MAX)
        return message_set_allocate(set, shape, 0, pairs, failure);
    node_index *sorted = memory_allocate(pairs, sizeof *sorted);
    uint32_t *end = memory_allocate(nodes, sizeof *end);
    uint32_t *first = memory_allocate(seats, sizeof *first);
    uint32_t *next = memory_allocate(seats, sizeof *next);
    if (sorted == NULL || end == NULL || first == NULL || next == NULL) {
        kind = fail_memory(failure, "sorting the pairs of a message set");
        goto done;
    }
    for (uint64_t i = 0; i < pairs; i++) {
        assert(from[i] < seats);
        messages += first[from[i]]++ == 0;
    }
    kind = message_set_allocate(set, shape, messages, pairs, failure);
    if (kind != FAIL_NONE)
        goto done;
    first_of_counts(first, seats);
    memcpy(next, first, (size_t)seats * sizeof *next);
    sort_by_destination(pairs, from, to, nodes, sorted, end);
    deal_to_sources(set, sorted, end, first, next);
    close_gaps(set, seats, first, next);
    for (uint32_t i = 0; i < set->messages && per_node > 1; i++)
        set->source[i] /= per_node;
done:
    free(sorted);
    free(end);
    free(first);
    free(next);
    return kind;
}

void message_set_sort_nodes(node_index *node, uint64_t count)
{
    if (count > 32) {
        qsort(node, count, sizeof *node, compare_u32);
        return;
    }
    for (uint64_t i = 1; i < count; i++) {
        node_index moving = node[i];
        uint64_t hole = i;
        for (; hole > 0 && node[hole - 1] > moving; hole--)
            node[hole] = node[hole - 1];
        node[hole] = moving;
    }
}

int message_set_version(const struct message_set *set)
{
    if (set->is_part)
        return set->whole.version;
    if (set->mesh.rows == 0 || set->length != NULL)
        return 2;
    for (uint32_t i = 1; i < set->messages; i++)
        if (set->source[i - 1] >= set->source[i])
            return 2;
    return 1;
}

uint32_t message_set_degree(const struct message_set *set)
{
    uint64_t degree = 0;
    if (set->is_part)
        return set->whole.degree;
    for (uint32_t i = 0; i < set->messages; i++)
        if (set->offset[i + 1] - set->offset[i] > degree)
            degree = max_u64(degree, message_set_leaving(set, i));
    return (uint32_t)degree;
}

uint32_t message_set_congestion(const struct message_set *set)
{
    uint32_t most = 0;
    if (set->is_part)
        return set->whole.congestion;
    if (set->deliveries == 0)
        return 0;
    uint32_t *received = memory_allocate(shape_nodes(&set->shape), sizeof *received);
    if (received == NULL)
        return UINT32_MAX;
    message_set_count_received(set, received);
    for (uint32_t node = 0; node < shape_nodes(&set->shape); node++)
        most = max_u32(most, received[node]);
    free(received);
    return most;
}

/* Sources ascend in a set of version 1, numbers in all. */
uint32_t message_set_named(const struct message_set *set, int version, uint32_t name)
{
    const uint32_t *names = version == 1 ? set->source : set->number;
    uint32_t low = 0, high = set->messages;
    if (names == NULL) {
        uint32_t index = name - set->first_number;
        return index < set->messages ? index : set->messages;
    }
    if (high > 0 && name - names[0] < high && names[name - names[0]] == name)
        return name - names[0]; /* without gaps */
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        *(names[middle] <= name ? &low : &high) = middle;
    }
    return low < high && names[low] == name ? low : set->messages;
}

uint32_t message_set_most_sent(const struct message_set *set)
{
    uint32_t most = 0;
    if (set->is_part)
        return set->whole.most_sent;
    bool is_one_each = message_set_version(set) == 1; /* then no count a node is needed */
    uint32_t *sent = is_one_each ? NULL : memory_allocate(shape_nodes(&set->shape), sizeof *sent);
    if (!is_one_each && sent == NULL)
        return UINT32_MAX;
    for (uint32_t i = 0; i < set->messages;
         i++) /* destinations are distinct: of several some leave */
        if (set->offset[i + 1] - set->offset[i] > 1 || message_set_leaving(set, i) > 0)
            most = is_one_each ? 1 : max_u32(most, ++sent[set->source[i]]);
    free(sent);
    return most;
}
