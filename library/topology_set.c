/* topology_set.c - message sets on every topology as handles: read, made from arrays, generated, imported.
 *
 * Invariant: a set of the machine's mesh without lengths is made as routers take it, with its messages in
 * the order of their sources where each source sends one.
 */
#include "library/topology_private.h"

#include <string.h>

/* Makes a set routable that can be without a change of what it says. */
static enum failure_kind fit(struct message_set *set, struct failure *failure)
{
    if (set->mesh.rows == 0 || set->length != NULL)
        return FAIL_NONE;
    return message_set_fit_packets(set, "the set", failure);
}

struct meshcast_set *meshcast_set_read_any(const char *path, struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_set *set = set_new(&failure);
    if (set != NULL)
        message_set_read(&set->instance.set, path, &failure);
    return set_measure(set, &failure, error);
}

struct meshcast_set *meshcast_set_parse_any(const void *bytes, size_t length, const char *name,
                                            struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_set *set = set_new(&failure);
    if (set != NULL)
        message_set_read_memory(&set->instance.set, bytes, length, name, &failure);
    return set_measure(set, &failure, error);
}

/* ---- arrays ---- */

struct arrays {
    uint32_t messages;
    const uint32_t *source;
    const uint64_t *offset;
    const uint32_t *destination, *flits;
};

static enum failure_kind check_arrays(const struct arrays *arrays, uint32_t nodes,
                                      struct failure *failure)
{
    if (arrays->offset[0] != 0)
        return fail(failure, FAIL_USAGE, "offset[0] is %llu; expected 0",
                    (unsigned long long)arrays->offset[0]);
    for (uint32_t i = 0; i < arrays->messages; i++) {
        if (arrays->source[i] >= nodes)
            return fail(failure, FAIL_USAGE, "message %u is from node %u; the nodes are 0 to %u", i,
                        arrays->source[i], nodes - 1);
        if (arrays->offset[i + 1] <= arrays->offset[i])
            return fail(failure, FAIL_USAGE,
                        "message %u has no destination: offset[%u] is %llu, the next %llu", i, i,
                        (unsigned long long)arrays->offset[i],
                        (unsigned long long)arrays->offset[i + 1]);
        if (arrays->offset[i + 1] - arrays->offset[i] > nodes)
            return fail(failure, FAIL_USAGE,
                        "message %u has more destinations than there are nodes", i);
        if (arrays->flits != NULL && arrays->flits[i] > MESSAGE_SET_MAX_LENGTH)
            return fail(failure, FAIL_USAGE, "message %u has %u flits; the most is %d", i,
                        arrays->flits[i], MESSAGE_SET_MAX_LENGTH);
    }
    return FAIL_NONE;
}

/* Takes the destinations of a message over, sorted. */
static enum failure_kind take_message(const struct arrays *arrays, uint32_t message, uint32_t nodes,
                                      struct message_set *set, struct failure *failure)
{
    uint64_t first = arrays->offset[message], count = arrays->offset[message + 1] - first;
    node_index *node = set->destination + first;
    memcpy(node, arrays->destination + first, count * sizeof *node);
    message_set_sort_nodes(node, count);
    if (node[count - 1] >= nodes)
        return fail(failure, FAIL_USAGE, "message %u goes to node %u; the nodes are 0 to %u",
                    message, node[count - 1], nodes - 1);
    for (uint64_t i = 1; i < count; i++)
        if (node[i] == node[i - 1])
            return fail(failure, FAIL_USAGE, "message %u goes to node %u twice", message, node[i]);
    set->source[message] = arrays->source[message];
    set->offset[message] = first;
    return FAIL_NONE;
}

static enum failure_kind take_arrays(const struct arrays *arrays, const struct topology *topology,
                                     struct message_set *set, struct failure *failure)
{
    bool has_flits = false;
    if (check_arrays(arrays, topology->nodes, failure) != FAIL_NONE ||
        message_set_allocate(set, topology->shape, arrays->messages,
                             arrays->offset[arrays->messages], failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t i = 0; i < arrays->messages; i++)
        if (take_message(arrays, i, topology->nodes, set, failure) != FAIL_NONE)
            return failure->kind;
    for (uint32_t i = 0; arrays->flits != NULL && i < arrays->messages; i++)
        has_flits |= arrays->flits[i] > 0;
    if (!has_flits)
        return fit(set, failure);
    set->length = memory_allocate(arrays->messages, sizeof *set->length);
    if (set->length == NULL)
        return fail_memory(failure, "the lengths of messages");
    memcpy(set->length, arrays->flits, arrays->messages * sizeof *set->length);
    return FAIL_NONE;
}

struct meshcast_set *meshcast_set_from_messages(const struct meshcast_topology *topology,
                                                uint32_t messages, const uint32_t *source,
                                                const uint64_t *offset, const uint32_t *destination,
                                                const uint32_t *flits, struct meshcast_error *error)
{
    struct failure failure = {0};
    struct arrays arrays = {messages, source, offset, destination, flits};
    struct meshcast_set *set = set_new(&failure);
    if (set != NULL)
        take_arrays(&arrays, &topology->topology, &set->instance.set, &failure);
    return set_measure(set, &failure, error);
}

struct meshcast_set *meshcast_set_from_pairs_on(const struct meshcast_topology *topology,
                                                uint64_t pairs, const uint32_t *from,
                                                const uint32_t *to, struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_set *set = set_new(&failure);
    if (set != NULL)
        set_from_pairs(&set->instance.set, topology->topology.shape, pairs, from, to, &failure);
    return set_measure(set, &failure, error);
}

struct meshcast_set *meshcast_set_with_volume(const struct meshcast_set *set,
                                              const struct meshcast_volume *volume,
                                              struct meshcast_error *error)
{
    struct failure failure = {0};
    struct volume_options options;
    struct meshcast_set *made = set_new(&failure);
    if (made != NULL && set_find_volume(volume, &options, &failure) == FAIL_NONE) {
        options.weights = WEIGHTS_IGNORED;
        if (volume_check(&options, &failure) == FAIL_NONE &&
            message_set_copy(&made->instance.set, set_given(set), &failure) == FAIL_NONE)
            volume_apply(&made->instance.set, &options, &failure);
    }
    return set_measure(made, &failure, error);
}

/* ---- what can be asked ---- */

const char *meshcast_set_topology(const struct meshcast_set *set)
{
    return set->topology;
}

uint32_t meshcast_set_nodes(const struct meshcast_set *set)
{
    return shape_nodes(&set->instance.set.shape);
}

uint32_t meshcast_set_flits(const struct meshcast_set *set, uint32_t index)
{
    const struct message_set *inner = set_given(set);
    return inner->length == NULL ? 0 : inner->length[index];
}

bool meshcast_set_is_routable(const struct meshcast_set *set)
{
    return set->is_routable;
}
