/* message_set.c - the message set in memory: making one, its order, its figures, messages from
 * nodes to themselves, a rank's part.
 *
 * Encoding: compressed rows. Message i owns destination[offset[i] .. offset[i+1]-1], and these
 * ascend strictly. So do the sources of a set of version 1. Every function that makes a set keeps
 * this, and everything that reads one relies on it.
 *
 * Method of message_set_from_pairs: pairs are words, source before destination, which are sorted.
 *
 * Cost: O(pairs) time and 16 bytes per pair to make a set, beside the set itself; a sort and a
 * second copy of the set to put it in order; O(n + deliveries) otherwise.
 */
#include "workloads/message_set.h"

#include "base/numbers.h"
#include "workloads/radix_sort.h"

#include <assert.h>
#include <inttypes.h>
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
    free(set->start);
    free(set->wait_offset);
    free(set->wait_on);
    free(set->first_packet);
    memset(set, 0, sizeof *set);
}

/* Returns the block cut to its elements, or, which is harmless, unchanged. */
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
    set->start = trimmed(set->start, set->messages, sizeof *set->start);
    set->wait_offset =
        trimmed(set->wait_offset, (size_t)set->messages + 1, sizeof *set->wait_offset);
    if (set->wait_offset != NULL)
        set->wait_on = trimmed(set->wait_on, set->wait_offset[set->messages], sizeof *set->wait_on);
}

enum failure_kind message_set_allocate(struct message_set *set, struct shape shape,
                                       uint32_t messages, uint64_t deliveries,
                                       struct failure *failure)
{
    memset(set, 0, sizeof *set);
    if (deliveries >= UINT32_MAX)
        return fail(failure, FAIL_USAGE,
                    "the set would have %" PRIu64
                    " deliveries; at most %u fit: take a smaller degree, "
                    "congestion or mesh",
                    deliveries, UINT32_MAX - 1);
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

/* Allocates room for `count` elements if there is an original; false: no memory. */
static bool allocate_like(void *made, const void *original, size_t count, size_t size)
{
    void *room = original == NULL ? NULL : memory_allocate(count, size);
    memcpy(made, &room, sizeof room);
    return original == NULL || room != NULL;
}

/* Allocates what `set`, which is no part, has: room for its messages with lengths, given numbers
 * and times. */
static enum failure_kind allocate_as(struct message_set *made, const struct message_set *set,
                                     struct failure *failure)
{
    enum failure_kind kind =
        message_set_allocate(made, set->shape, set->messages, set->deliveries, failure);
    if (kind != FAIL_NONE)
        return kind;
    size_t messages = set->messages, waits = message_set_waits(set);
    if (!allocate_like(&made->length, set->length, messages, sizeof *made->length) ||
        !allocate_like(&made->given, set->given, messages, sizeof *made->given) ||
        !allocate_like(&made->start, set->start, messages, sizeof *made->start) ||
        !allocate_like(&made->wait_offset, set->wait_offset, messages + 1,
                       sizeof *made->wait_offset) ||
        !allocate_like(&made->wait_on, set->wait_on, waits, sizeof *made->wait_on) ||
        !allocate_like(&made->first_packet, set->first_packet, messages,
                       sizeof *made->first_packet)) {
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
    enum failure_kind kind = allocate_as(copy, set, failure);
    if (kind != FAIL_NONE || set->messages == 0)
        return kind;
    memcpy(copy->source, set->source, set->messages * sizeof *set->source);
    memcpy(copy->offset, set->offset, set->messages * sizeof *set->offset);
    memcpy(copy->destination, set->destination, set->deliveries * sizeof *set->destination);
    if (set->length != NULL)
        memcpy(copy->length, set->length, set->messages * sizeof *set->length);
    if (set->given != NULL)
        memcpy(copy->given, set->given, set->messages * sizeof *set->given);
    if (set->start != NULL)
        memcpy(copy->start, set->start, set->messages * sizeof *set->start);
    if (set->wait_offset != NULL) {
        memcpy(copy->wait_offset, set->wait_offset,
               ((size_t)set->messages + 1) * sizeof *set->wait_offset);
        memcpy(copy->wait_on, set->wait_on, message_set_waits(set) * sizeof *set->wait_on);
    }
    if (set->first_packet != NULL)
        memcpy(copy->first_packet, set->first_packet, set->messages * sizeof *set->first_packet);
    return FAIL_NONE;
}

enum failure_kind message_set_from_pairs(struct message_set *set, struct shape shape,
                                         uint64_t pairs, const node_index *from,
                                         const node_index *to, struct failure *failure)
{
    return message_set_from_seats(set, shape, 1, pairs, from, to, failure);
}

enum failure_kind message_set_cut(struct message_set *set, struct shape shape, const uint64_t *word,
                                  size_t count, unsigned bits, struct failure *failure)
{
    uint32_t messages = 0;
    for (size_t i = 0; i < count; i++)
        messages += i == 0 || word[i] >> bits != word[i - 1] >> bits;
    if (message_set_allocate(set, shape, messages, count, failure) != FAIL_NONE)
        return failure->kind;
    messages = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || word[i] >> bits != word[i - 1] >> bits) {
            set->source[messages] = (uint32_t)(word[i] >> bits);
            set->offset[messages++] = i;
        }
        set->destination[i] = (node_index)(word[i] & ((UINT64_C(1) << bits) - 1));
    }
    return FAIL_NONE;
}

enum failure_kind message_set_from_seats(struct message_set *set, struct shape shape,
                                         uint32_t per_node, uint64_t pairs, const uint32_t *from,
                                         const node_index *to, struct failure *failure)
{
    size_t count = (size_t)pairs;
    memset(set, 0, sizeof *set);
    if (pairs >= UINT32_MAX)
        return message_set_allocate(set, shape, 0, pairs, failure);
    uint64_t *word = memory_allocate(count, sizeof *word);
    for (size_t i = 0; i < count && word != NULL; i++) {
        assert(from[i] / per_node < shape_nodes(&shape) && to[i] < shape_nodes(&shape));
        word[i] = (uint64_t)from[i] << 32 | to[i];
    }
    if (word == NULL || !radix_sort_distinct(word, &count)) {
        free(word);
        return fail_memory(failure, "sorting the pairs of a message set");
    }
    enum failure_kind kind = message_set_cut(set, shape, word, count, 32, failure);
    for (uint32_t i = 0; i < set->messages; i++)
        set->source[i] /= per_node;
    free(word);
    return kind;
}

/* Returns the index of the source among the destinations of a message, which ascend; `count`: it is
 * not there. */
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

/* Removes the source from the destinations of a message. Returns the number of the rest. */
static uint64_t cut_source(node_index source, node_index *destination, uint64_t count)
{
    uint64_t at = find_source(source, destination, count);
    if (at == count)
        return count;
    memmove(destination + at, destination + at + 1, (count - at - 1) * sizeof *destination);
    return count - 1;
}

/* Returns the number of a message's destinations without its own source. */
static uint64_t count_leaving(const struct message_set *set, uint32_t message)
{
    uint64_t first = set->offset[message], count = set->offset[message + 1] - first;
    if (set->is_away)
        return count;
    bool is_own = find_source(set->source[message], set->destination + first, count) < count;
    return count - is_own;
}

int message_set_version(const struct message_set *set)
{
    if (set->is_part)
        return set->whole.version;
    if (message_set_is_timed(set))
        return 3;
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
            degree = max_u64(degree, count_leaving(set, i));
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
    for (uint32_t i = 0; i < set->messages; i++)
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++)
            received[set->destination[j]] += set->destination[j] != set->source[i];
    for (uint32_t node = 0; node < shape_nodes(&set->shape); node++)
        most = max_u32(most, received[node]);
    free(received);
    return most;
}

/* sources ascend in a set of version 1, numbers in all */
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
    bool is_one_each = message_set_version(set) == 1; /* then no count per node is needed */
    uint32_t *sent = is_one_each ? NULL : memory_allocate(shape_nodes(&set->shape), sizeof *sent);
    if (!is_one_each && sent == NULL)
        return UINT32_MAX;
    for (uint32_t i = 0; i < set->messages;
         i++) /* destinations are distinct: of several some leave */
        if (set->offset[i + 1] - set->offset[i] > 1 || count_leaving(set, i) > 0)
            most = is_one_each ? 1 : max_u32(most, ++sent[set->source[i]]);
    free(sent);
    return most;
}

/* ---- deliveries at home: from a node to itself ---- */

/* A delivery to the message's own source is there at step 0 and crosses no link. Only here such
 * deliveries are distinguished: routes, measures and bounds get a set without them. */

struct home_count message_set_count_home(const struct message_set *set)
{
    struct home_count home = {0, 0};
    for (uint32_t i = 0; i < set->messages && !set->is_away; i++) {
        uint64_t leaving = count_leaving(set, i);
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
    if (set->start != NULL)
        set->start[to] = set->start[from];
    set->offset[to] = at;
}

/* Moves the waits of message `from` to place `to`, which is not after it, from `at` on; returns
 * their end. */
static uint64_t move_waits(struct message_set *set, uint32_t to, uint32_t from, uint64_t at)
{
    uint64_t first = set->wait_offset[from], count = set->wait_offset[from + 1] - first;
    memmove(set->wait_on + at, set->wait_on + first, count * sizeof *set->wait_on);
    set->wait_offset[to] = at;
    return at + count;
}

/* Removes the waits of messages that stay at home entirely, and renumbers the others. No message
 * waits for one that stays at home. */
static void drop_home_waits(struct message_set *set, uint32_t *moved)
{
    uint32_t messages = 0;
    uint64_t waits = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        moved[i] = messages;
        messages += count_leaving(set, i) > 0;
    }
    for (uint32_t i = 0, next = 0; i < set->messages; i++)
        if (count_leaving(set, i) > 0)
            waits = move_waits(set, next++, i, waits);
    set->wait_offset[messages] = waits;
    for (uint64_t j = 0; j < waits; j++)
        set->wait_on[j] = moved[set->wait_on[j]];
}

/* Removes deliveries at home from a set, without counting them. */
static void drop_home(struct message_set *set)
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

void message_set_drop_unused(struct message_set *set)
{
    bool has_length = false, has_start = false;
    for (uint32_t i = 0; i < set->messages; i++) {
        has_length |= set->length != NULL && set->length[i] > 0;
        has_start |= set->start != NULL && set->start[i] > 0;
    }
    if (!has_length) {
        free(set->length);
        set->length = NULL;
    }
    if (!has_start) {
        free(set->start);
        set->start = NULL;
    }
    if (message_set_waits(set) == 0) {
        free(set->wait_offset);
        free(set->wait_on);
        set->wait_offset = NULL;
        set->wait_on = NULL;
    }
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
    if (set->wait_offset != NULL) {
        uint32_t *moved = memory_allocate(set->messages, sizeof *moved);
        if (moved == NULL)
            return fail_memory(failure, "the waits of messages");
        drop_home_waits(set, moved);
        free(moved);
    }
    drop_home(set);
    set->home.messages += home.messages;
    set->home.deliveries += home.deliveries;
    set->is_away = true;
    message_set_drop_unused(set);
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

/* ---- waits ---- */

uint32_t message_set_packets(const struct message_set *set, uint32_t number)
{
    uint32_t packets = 1, messages = message_set_all_messages(set);
    while (set->first_packet != NULL && number + packets < messages &&
           set->first_packet[number + packets] == number)
        packets++;
    return packets;
}

struct timing message_set_timing(const struct message_set *set, uint32_t index)
{
    uint32_t number = message_set_number(set, index);
    struct timing timing = {.source = set->source[index],
                            .follows = message_set_first_packet(set, number) != number};
    if (set->start != NULL)
        timing.start = set->start[index];
    if (set->wait_offset != NULL) {
        timing.waits = (uint32_t)(set->wait_offset[index + 1] - set->wait_offset[index]);
        timing.wait_on = set->wait_on + set->wait_offset[index];
    }
    for (uint32_t i = 0; i < timing.waits; i++)
        timing.receipts += message_set_packets(set, timing.wait_on[i]);
    return timing;
}

static struct timing timing_at(void *set, uint32_t index)
{
    return message_set_timing(set, index);
}

struct timings message_set_timings(const struct message_set *set)
{
    return (struct timings){.count = set->messages,
                            .awaited = message_set_all_messages(set),
                            .at = message_set_is_timed(set) ? timing_at : NULL,
                            .context = (void *)set};
}

bool message_set_goes_to(const struct message_set *set, uint32_t message, node_index node)
{
    uint64_t first = set->offset[message], count = set->offset[message + 1] - first;
    return find_source(node, set->destination + first, count) < count;
}

/* Follows waits from a message until all before it have their chains; `path` and `next` are room,
 * next[] is the number of followed waits of each message. Returns a message that waits for itself,
 * or UINT32_MAX. */
static uint32_t follow_waits(const struct message_set *set, uint32_t message, uint32_t *chain,
                             uint32_t *path, uint64_t *next)
{
    const uint32_t open = UINT32_MAX; /* the chain of a message on the path */
    uint32_t depth = 0;
    path[depth++] = message;
    while (depth > 0) {
        uint32_t last = path[depth - 1], longest = 0;
        uint64_t first = set->wait_offset[last], end = set->wait_offset[last + 1];
        chain[last] = open;
        if (first + next[last] < end) {
            uint32_t before = set->wait_on[first + next[last]++];
            if (chain[before] == open)
                return before;
            if (chain[before] == 0)
                path[depth++] = before;
            continue;
        }
        for (uint64_t i = first; i < end; i++)
            longest = max_u32(longest, chain[set->wait_on[i]]);
        chain[last] = longest + 1;
        depth--;
    }
    return UINT32_MAX;
}

enum failure_kind message_set_chains(const struct message_set *set, uint32_t *chain,
                                     uint32_t *cyclic, struct failure *failure)
{
    uint32_t *path = memory_allocate(set->messages, sizeof *path);
    uint64_t *next = memory_allocate(set->messages, sizeof *next);
    *cyclic = UINT32_MAX;
    if (path == NULL || next == NULL)
        fail_memory(failure, "the waits of messages");
    for (uint32_t i = 0; i < set->messages; i++)
        chain[i] = set->wait_offset == NULL;
    for (uint32_t i = 0; i < set->messages && failure->kind == FAIL_NONE && *cyclic == UINT32_MAX;
         i++)
        if (chain[i] == 0)
            *cyclic = follow_waits(set, i, chain, path, next);
    free(path);
    free(next);
    return failure->kind;
}

/* ---- the order of sources ---- */

static void find_repeated(const uint64_t *key, uint32_t messages, uint32_t repeated[2])
{
    repeated[0] = repeated[1] = UINT32_MAX;
    for (uint32_t i = 1; i < messages; i++)
        if (key[i] >> 32 == key[i - 1] >> 32 && (uint32_t)key[i] < repeated[1]) {
            repeated[0] = (uint32_t)key[i - 1];
            repeated[1] = (uint32_t)key[i];
        }
}

/* Copies the messages of `set` into `sorted`, which has room, in the order of the keys' lower
 * halves. */
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
    assert(!message_set_is_timed(set));
    uint64_t *key = memory_allocate(set->messages, sizeof *key);
    for (uint32_t i = 0; i < set->messages && key != NULL; i++)
        key[i] = (uint64_t)set->source[i] << 32 | i;
    enum failure_kind kind = key != NULL && radix_sort(key, set->messages)
                                 ? FAIL_NONE
                                 : fail_memory(failure, "sorting the messages of a set");
    if (kind == FAIL_NONE && repeated != NULL)
        find_repeated(key, set->messages, repeated);
    if (kind == FAIL_NONE && (repeated == NULL || repeated[1] == UINT32_MAX) &&
        (kind = allocate_as(&sorted, set, failure)) == FAIL_NONE) {
        copy_messages(set, key, &sorted);
        message_set_free(set);
        *set = sorted;
    }
    free(key);
    return kind;
}

/* ---- for the mesh machine ---- */

static uint32_t packets_of(const struct message_set *set, uint32_t message)
{
    return max_u32(set->length[message], 1);
}

/* Returns the deliveries of the set with a message per packet; `messages` becomes the number of
 * those messages. */
static uint64_t count_packets(const struct message_set *set, uint64_t *messages)
{
    uint64_t deliveries = 0;
    *messages = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        uint64_t packets = packets_of(set, i);
        *messages += packets; /* below 2^32 x 2^24, and so are the deliveries of one message */
        deliveries += packets * (set->offset[i + 1] - set->offset[i]);
    }
    return deliveries;
}

/* Gives the packets in `split`, which has a message for each of them, the times of their
 * messages. */
static enum failure_kind split_times(const struct message_set *set, struct message_set *split,
                                     struct failure *failure)
{
    uint32_t *first = split->first_packet = memory_allocate(split->messages, sizeof *first);
    uint32_t *moved = memory_allocate(set->messages, sizeof *moved), next = 0;
    if (first == NULL || moved == NULL ||
        !allocate_like(&split->start, set->start, split->messages, sizeof *split->start) ||
        !allocate_like(&split->wait_offset, set->wait_offset, (size_t)split->messages + 1,
                       sizeof *split->wait_offset) ||
        !allocate_like(&split->wait_on, set->wait_on, message_set_waits(set),
                       sizeof *split->wait_on)) {
        free(moved);
        return fail_memory(failure, "the starts of packets");
    }
    for (uint32_t i = 0; i < set->messages; i++) {
        moved[i] = next;
        for (uint32_t packet = 0; packet < packets_of(set, i); packet++, next++) {
            first[next] = moved[i];
            if (set->start != NULL)
                split->start[next] = set->start[i];
            if (set->wait_offset != NULL)
                split->wait_offset[next + 1] = set->wait_offset[i + 1];
        }
    }
    for (uint64_t i = 0; i < message_set_waits(set); i++)
        split->wait_on[i] = moved[set->wait_on[i]];
    free(moved);
    return FAIL_NONE;
}

/* Replaces each message by its packets. */
static enum failure_kind split_packets(struct message_set *set, const char *name,
                                       struct failure *failure)
{
    struct message_set split;
    uint64_t end = 0, messages, deliveries = count_packets(set, &messages);
    uint32_t next = 0;
    if (messages >= UINT32_MAX || deliveries >= UINT32_MAX)
        return fail(failure, FAIL_INPUT,
                    "%.200s: expected fewer than %u deliveries of packets on the mesh machine, "
                    "found %" PRIu64 ", with the lengths of messages",
                    name, UINT32_MAX, deliveries);
    if (message_set_allocate(&split, set->shape, (uint32_t)messages, deliveries, failure) !=
        FAIL_NONE)
        return FAIL_SYSTEM;
    split.lacks_end = set->lacks_end;
    split.home = set->home;
    for (uint32_t i = 0; i < set->messages; i++) {
        uint64_t first = set->offset[i], count = set->offset[i + 1] - first;
        for (uint32_t packet = 0; packet < packets_of(set, i); packet++) {
            split.source[next] = set->source[i];
            split.offset[next++] = end;
            memcpy(split.destination + end, set->destination + first, count * sizeof(node_index));
            end += count;
        }
    }
    if (message_set_is_timed(set) && split_times(set, &split, failure) != FAIL_NONE) {
        message_set_free(&split);
        return FAIL_SYSTEM;
    }
    message_set_free(set);
    *set = split;
    return FAIL_NONE;
}

/* Fails with FAIL_INPUT if the set is not on a mesh of the machine. */
static enum failure_kind check_machine(const struct message_set *set, const char *name,
                                       struct failure *failure)
{
    char shape[TOPOLOGY_TEXT_SIZE];
    if (set->mesh.rows > 0)
        return FAIL_NONE;
    shape_text(&set->shape, shape);
    return fail(failure, FAIL_INPUT,
                "%.200s: expected a mesh of two dimensions with sides of at most %d, which the "
                "mesh machine has, found %s; 'meshcast network' takes such sets",
                name, MESH_MAX_SIDE, shape);
}

enum failure_kind message_set_fit_packets(struct message_set *set, const char *name,
                                          struct failure *failure)
{
    uint32_t repeated[2];
    bool has_packets = false;
    enum failure_kind kind = check_machine(set, name, failure);
    if (kind == FAIL_NONE && message_set_is_timed(set))
        kind = message_set_leave_home(set, failure);
    for (uint32_t i = 0; set->length != NULL && i < set->messages; i++)
        has_packets |= set->length[i] > 1;
    if (kind == FAIL_NONE && has_packets)
        kind = split_packets(set, name, failure);
    if (kind != FAIL_NONE)
        return kind;
    free(set->length);
    set->length = NULL;
    return message_set_version(set) != 2 ? FAIL_NONE
                                         : message_set_sort_sources(set, repeated, failure);
}

enum failure_kind message_set_fit_machine(struct message_set *set, const char *name,
                                          struct failure *failure)
{
    uint32_t repeated[2];
    enum failure_kind kind = message_set_fit_packets(set, name, failure);
    if (kind == FAIL_NONE)
        kind = message_set_leave_home(set, failure);
    if (kind == FAIL_NONE && set->home.messages > 0 && message_set_version(set) == 2)
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

/* Fails because of a node of message i. */
static enum failure_kind refuse_node(const struct message_set *set, const char *name, uint32_t i,
                                     node_index node, const char *why, const char *without,
                                     struct failure *failure)
{
    return fail(failure, FAIL_INPUT,
                "%.150s: message %u, of node %u, cannot be sent: node %u %s in %.150s; take it out "
                "of the set, or draw one with 'meshcast gen --without'",
                name, message_set_given_number(set, i), set->source[i], node, why, without);
}

enum failure_kind message_set_check_parts(const struct message_set *set, const char *name,
                                          const struct topology *topology, const char *without,
                                          struct failure *failure)
{
    const uint32_t *part = topology->part;
    for (uint32_t i = 0; part != NULL && i < set->messages; i++) {
        uint32_t from = part[set->source[i]];
        if (from == TOPOLOGY_NO_NODE)
            return refuse_node(set, name, i, set->source[i], "is dead", without, failure);
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            node_index to = set->destination[j];
            if (part[to] != from)
                return refuse_node(set, name, i, to,
                                   part[to] == TOPOLOGY_NO_NODE
                                       ? "is dead"
                                       : "is cut off from it (not joined in both directions)",
                                   without, failure);
        }
    }
    return FAIL_NONE;
}

enum failure_kind message_set_topology(const struct message_set *set, const char *given,
                                       struct topology *topology, struct failure *failure)
{
    *topology = (struct topology){0};
    if (given == NULL && set->shape.kind == TOPOLOGY_GRAPH)
        return fail(failure, FAIL_USAGE,
                    "the set is of a graph of %u nodes; give its edges as topology graph:FILE",
                    shape_nodes(&set->shape));
    if (given == NULL) {
        *topology = topology_of_shape(&set->shape);
        return FAIL_NONE;
    }
    if (topology_parse(topology, given, failure) == FAIL_NONE &&
        message_set_check_topology(set, topology, failure) != FAIL_NONE)
        topology_free(topology);
    return failure->kind;
}

/* ---- a rank's part ---- */

static void keep_sources(struct message_set *set, node_index first, node_index end)
{
    uint32_t messages = 0;
    uint64_t deliveries = 0, waits = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        uint64_t count = set->offset[i + 1] - set->offset[i];
        if (set->source[i] < first || set->source[i] >= end)
            continue;
        message_set_move(set, messages, i, deliveries);
        if (set->wait_offset != NULL)
            waits = move_waits(set, messages, i, waits);
        messages++;
        deliveries += count;
    }
    set->offset[messages] = deliveries;
    if (set->wait_offset != NULL)
        set->wait_offset[messages] = waits;
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
                                      .waits = message_set_waits(set),
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
    keep_sources(set, first, end);
    set->is_part = true;
    set->whole = whole;
    if (set->messages == 0 || set->number[set->messages - 1] - set->number[0] < set->messages) {
        set->first_number = set->messages > 0 ? set->number[0] : 0;
        free(set->number);
        set->number = NULL;
    }
    message_set_trim(set);
    return FAIL_NONE;
}

/* ---- queries ---- */

uint64_t message_set_waits(const struct message_set *set)
{
    return set->wait_offset == NULL ? 0 : set->wait_offset[set->messages];
}

uint64_t message_set_all_waits(const struct message_set *set)
{
    return set->is_part ? set->whole.waits : message_set_waits(set);
}

bool message_set_is_timed(const struct message_set *set)
{
    return set->is_part ? set->whole.version == 3 : set->start != NULL || set->wait_offset != NULL;
}

uint32_t message_set_first_packet(const struct message_set *set, uint32_t number)
{
    return set->first_packet == NULL ? number : set->first_packet[number];
}

uint32_t message_set_all_messages(const struct message_set *set)
{
    return set->is_part ? set->whole.messages : set->messages;
}

uint64_t message_set_all_deliveries(const struct message_set *set)
{
    return set->is_part ? set->whole.deliveries : set->deliveries;
}

uint32_t message_set_given_messages(const struct message_set *set)
{
    return message_set_all_messages(set) + set->home.messages;
}

uint64_t message_set_given_deliveries(const struct message_set *set)
{
    return message_set_all_deliveries(set) + set->home.deliveries;
}

uint32_t message_set_number(const struct message_set *set, uint32_t index)
{
    return set->number != NULL ? set->number[index] : set->first_number + index;
}

uint32_t message_set_given_number(const struct message_set *set, uint32_t index)
{
    return set->given != NULL ? set->given[index] : message_set_number(set, index);
}

uint32_t message_set_name(const struct message_set *set, int version, uint32_t index)
{
    return version == 1 ? set->source[index] : message_set_number(set, index);
}
