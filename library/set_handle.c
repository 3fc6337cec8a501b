/* set_handle.c - message sets as handles: made from arrays, read, written, queried.
 *
 * Method: every way to a set ends in set_measure(), which computes the figures once, so that a
 * handle never changes after it is made and threads may share it. A set of the machine's mesh
 * without lengths is made in the form for routers, with its messages in the order of their sources
 * where each source sends one.
 */
#include "base/output_file.h"
#include "library/handle_private.h"
#include "workloads/import.h"

#include <stdlib.h>
#include <string.h>

struct meshcast_set *set_new(struct failure *failure)
{
    struct meshcast_set *set = memory_allocate(1, sizeof *set);
    if (set == NULL)
        fail_memory(failure, "a message set");
    return set;
}

/* Measures a set that no router accepts. */
static enum failure_kind measure_any(struct instance *instance, struct failure *failure)
{
    instance->degree = message_set_degree(&instance->set);
    instance->congestion = message_set_congestion(&instance->set);
    instance->most_sent = message_set_most_sent(&instance->set);
    if (instance->congestion == UINT32_MAX || instance->most_sent == UINT32_MAX)
        return fail_memory(failure, "the messages of the nodes");
    return FAIL_NONE;
}

/* True if the set is of a mesh of the machine, without lengths and times. */
static bool is_of_packets(const struct message_set *set)
{
    return set->mesh.rows > 0 && set->length == NULL && !message_set_is_timed(set);
}

/* True if the mesh machine accepts the set: message_set_fit_machine() would change nothing. */
static bool is_routable(const struct message_set *set)
{
    return message_set_version(set) == 1 || (is_of_packets(set) && message_set_most_sent(set) > 1);
}

/* Keeps the set as given, and removes messages from nodes to themselves from the instance's.
 * FAIL_SYSTEM: no memory. */
static enum failure_kind set_leave_home(struct meshcast_set *set, struct failure *failure)
{
    struct message_set room, *inner = &set->instance.set;
    const struct message_set *away = message_set_away(inner, &room, failure);
    if (away == NULL || away == inner)
        return failure->kind;
    set->given = *inner;
    *inner = room;
    return is_of_packets(inner) ? message_set_fit_machine(inner, "the set", failure) : FAIL_NONE;
}

enum failure_kind set_fit(struct message_set *set, struct failure *failure)
{
    return is_of_packets(set) ? message_set_fit_packets(set, "the set", failure) : FAIL_NONE;
}

struct meshcast_set *set_measure(struct meshcast_set *set, struct failure *failure,
                                 struct meshcast_error *error)
{
    if (set != NULL && failure->kind == FAIL_NONE && set_leave_home(set, failure) == FAIL_NONE) {
        set->is_routable = is_routable(&set->instance.set);
        shape_text(&set->instance.set.shape, set->topology);
        if (!set->is_routable)
            measure_any(&set->instance, failure);
        else
            instance_measure(&set->instance, failure);
    }
    if (error_give(error, failure) == MESHCAST_OK)
        return set;
    meshcast_set_free(set);
    return NULL;
}

enum failure_kind set_check_routable(const struct meshcast_set *set, struct failure *failure)
{
    if (set->is_routable)
        return FAIL_NONE;
    if (set->instance.set.mesh.rows == 0)
        return fail(failure, FAIL_USAGE,
                    "the set is on %s; routers take meshes of two dimensions with sides of at "
                    "most %d, plans, networks and loads take it",
                    set->topology, MESH_MAX_SIDE);
    return fail(failure, FAIL_USAGE,
                "routers take messages of one packet, in the order of their sources where each "
                "sends one; meshcast_set_from_messages() and meshcast_set_read() make such sets");
}

/* ---- arrays ---- */

/* FAIL_USAGE: a node is none of `nodes`. */
static enum failure_kind check_pairs(uint32_t nodes, uint64_t pairs, const uint32_t *from,
                                     const uint32_t *to, struct failure *failure)
{
    if (pairs >= UINT32_MAX)
        return fail(failure, FAIL_USAGE, "%llu pairs; the most is %u", (unsigned long long)pairs,
                    UINT32_MAX - 1);
    for (uint64_t i = 0; i < pairs; i++)
        if (from[i] >= nodes || to[i] >= nodes)
            return fail(failure, FAIL_USAGE,
                        "pair %llu goes from node %u to node %u; the nodes are 0 to %u",
                        (unsigned long long)i, from[i], to[i], nodes - 1);
    return FAIL_NONE;
}

struct meshcast_set *meshcast_set_from_pairs(const struct meshcast_topology *topology,
                                             uint64_t pairs, const uint32_t *from,
                                             const uint32_t *to, struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_set *set = set_new(&failure);
    if (set != NULL &&
        check_pairs(topology->topology.nodes, pairs, from, to, &failure) == FAIL_NONE)
        message_set_from_pairs(&set->instance.set, topology->topology.shape, pairs, from, to,
                               &failure);
    return set_measure(set, &failure, error);
}

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
    sort_u32(node, count);
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
        return set_fit(set, failure);
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

/* ---- files ---- */

struct meshcast_set *meshcast_set_read(const char *path, struct meshcast_error *error)
{
    struct failure failure = {0};
    struct import_summary summary;
    struct meshcast_set *set = set_new(&failure);
    if (set != NULL &&
        set_file_read(&set->instance.set, &summary, path, NULL, &failure) == FAIL_NONE)
        set_fit(&set->instance.set, &failure);
    return set_measure(set, &failure, error);
}

struct meshcast_set *meshcast_set_parse(const void *bytes, size_t length, const char *name,
                                        struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_set *set = set_new(&failure);
    if (set != NULL &&
        message_set_read_memory(&set->instance.set, bytes, length, name, &failure) == FAIL_NONE)
        set_fit(&set->instance.set, &failure);
    return set_measure(set, &failure, error);
}

enum meshcast_status meshcast_set_write(const struct meshcast_set *set, const char *path,
                                        const char *comment, struct meshcast_error *error)
{
    struct failure failure = {0};
    struct output_file file;
    if (output_file_open(&file, path, &failure) == FAIL_NONE) {
        bool is_written = message_set_write(set_given(set), comment, file.file, NULL);
        output_file_close(&file, true, &failure);
        if (!is_written) /* unless the close has reported it */
            fail(&failure, FAIL_SYSTEM, "cannot write %s", path);
    }
    return error_give(error, &failure);
}

void meshcast_set_free(struct meshcast_set *set)
{
    if (set != NULL) {
        instance_free(&set->instance);
        message_set_free(&set->given);
    }
    free(set);
}

/* ---- queries ---- */

const uint32_t *meshcast_set_message(const struct meshcast_set *set, uint32_t index,
                                     uint32_t *source, uint64_t *count)
{
    const struct message_set *inner = set_given(set);
    *source = inner->source[index];
    *count = inner->offset[index + 1] - inner->offset[index];
    return inner->destination + inner->offset[index];
}

const char *meshcast_set_topology(const struct meshcast_set *set)
{
    return set->topology;
}

uint32_t meshcast_set_messages(const struct meshcast_set *set)
{
    return set_given(set)->messages;
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
