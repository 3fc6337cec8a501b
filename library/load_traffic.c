/* load_traffic.c - the lists from which nodes draw destinations.
 *
 * A node of a permutation that is mapped to itself sends nothing, nor does one that is dead or cut
 * off, or mapped to such a node. The messages of a set are the lists of their sources.
 */
#include "library/load_traffic.h"

#include "base/numbers.h"
#include "workloads/message_set.h"
#include "workloads/permutation.h"

#include <stdlib.h>

static const char *name_at(const void *context, uint32_t index)
{
    (void)context;
    if (index == 0)
        return "uniform";
    return index <= permutation_count() ? permutation_at(index - 1)->name : NULL;
}

const struct name_family load_pattern_names = {"pattern", "patterns", "", name_at, NULL};

static enum failure_kind allocate(struct load_traffic *traffic, uint32_t nodes, uint64_t lists,
                                  uint64_t destinations, struct failure *failure)
{
    traffic->first = memory_allocate((size_t)nodes + 1, sizeof *traffic->first);
    traffic->offset = memory_allocate(lists + 1, sizeof *traffic->offset);
    traffic->destination = memory_allocate(destinations, sizeof *traffic->destination);
    traffic->lists =
        (struct destination_lists){traffic->first, traffic->offset, traffic->destination};
    if (traffic->first == NULL || traffic->offset == NULL || traffic->destination == NULL)
        return fail_memory(failure, "the destinations of messages");
    return FAIL_NONE;
}

static enum failure_kind make_permutation(struct load_traffic *traffic,
                                          const struct topology *topology,
                                          const struct permutation *permutation, uint64_t seed,
                                          struct failure *failure)
{
    const struct shape *shape = &topology->shape;
    struct mesh mesh = {shape->dimensions == 2 ? shape->size[1] : 1, shape->size[0]};
    if (shape->kind == TOPOLOGY_GRAPH || shape->dimensions > 2 ||
        !mesh_is_valid(mesh.rows, mesh.cols))
        return fail(
            failure, FAIL_USAGE,
            "--pattern %s needs a mesh or torus of one or two dimensions, of at most %d nodes; "
            "--pattern uniform would do",
            permutation->name, MESH_MAX_NODES);
    if (allocate(traffic, topology->nodes, topology->nodes, topology->nodes, failure) != FAIL_NONE)
        return failure->kind;
    node_index *target = memory_allocate(topology->nodes, sizeof *target);
    if (target == NULL)
        return fail_memory(failure, "a permutation");
    if (permutation_fill(permutation, mesh, seed, target, failure) == FAIL_NONE) {
        uint64_t lists = 0;
        for (uint32_t node = 0; node < topology->nodes; node++) {
            traffic->first[node] = lists;
            if (target[node] != node && topology_is_main(topology, node) &&
                topology_is_main(topology, target[node]))
                traffic->destination[lists++] = target[node];
            traffic->offset[lists] = lists;
        }
        traffic->first[topology->nodes] = lists;
    }
    free(target);
    return failure->kind;
}

/* Sorts the messages by their sources, which keeps the order of those of one source. */
static enum failure_kind take_set(struct load_traffic *traffic, const struct message_set *set,
                                  uint32_t nodes, struct failure *failure)
{
    if (allocate(traffic, nodes, set->messages, set->deliveries, failure) != FAIL_NONE)
        return failure->kind;
    uint32_t *order = memory_allocate(set->messages, sizeof *order);
    uint64_t *next = memory_allocate(nodes, sizeof *next);
    if (order != NULL && next != NULL) {
        for (uint32_t i = 0; i < set->messages; i++)
            traffic->first[set->source[i] + 1]++;
        for (uint32_t node = 0; node < nodes; node++) {
            traffic->first[node + 1] += traffic->first[node];
            next[node] = traffic->first[node];
        }
        for (uint32_t i = 0; i < set->messages; i++)
            order[next[set->source[i]]++] = i;
        for (uint32_t i = 0; i < set->messages; i++) {
            uint64_t from = set->offset[order[i]], end = set->offset[order[i] + 1];
            traffic->offset[i + 1] = traffic->offset[i] + (end - from);
            for (uint64_t j = from; j < end; j++)
                traffic->destination[traffic->offset[i] + (j - from)] = set->destination[j];
        }
    } else {
        fail_memory(failure, "the destinations of messages");
    }
    free(order);
    free(next);
    return failure->kind;
}

static enum failure_kind make_set(struct load_traffic *traffic, const struct topology *topology,
                                  const struct traffic_choice *choice, struct failure *failure)
{
    const struct message_set *set = choice->set;
    char ours[TOPOLOGY_TEXT_SIZE], other[TOPOLOGY_TEXT_SIZE];
    shape_text(&topology->shape, ours);
    shape_text(&set->shape, other);
    if (!shape_equals(&topology->shape, &set->shape))
        return fail(failure, FAIL_USAGE, "%.200s is a set on %s, but --topology is %s",
                    traffic->name, other, ours);
    if (message_set_is_timed(set))
        return fail(failure, FAIL_USAGE,
                    "%.200s says when its messages may start, which load does not use; 'meshcast "
                    "network' runs it",
                    traffic->name);
    if (set->length != NULL)
        return fail(failure, FAIL_USAGE,
                    "%.200s says how long its messages are, which load does not use; a set without "
                    "lengths, and --flits, would do",
                    traffic->name);
    if (message_set_check_parts(set, traffic->name, topology, choice->without, failure) !=
        FAIL_NONE)
        return failure->kind;
    return take_set(traffic, set, topology->nodes, failure);
}

static uint64_t hash_of(const struct load_traffic *traffic, uint32_t nodes)
{
    uint64_t hash = FNV_BEGIN, lists = traffic->first[nodes];
    for (uint32_t node = 0; node <= nodes; node++)
        hash = fnv_add(hash, traffic->first[node]);
    for (uint64_t i = 0; i <= lists; i++)
        hash = fnv_add(hash, traffic->offset[i]);
    for (uint64_t i = 0; i < traffic->offset[lists]; i++)
        hash = fnv_add(hash, traffic->destination[i]);
    return hash;
}

enum failure_kind load_traffic_make(struct load_traffic *traffic, const struct topology *topology,
                                    const struct traffic_choice *choice, struct failure *failure)
{
    uint32_t index = 0;
    const char *pattern = choice->pattern;
    const struct message_set *set = choice->set;
    *traffic = (struct load_traffic){.name = set != NULL ? choice->set_name : pattern};
    if (set == NULL && pattern != NULL &&
        name_family_find(&load_pattern_names, pattern, &index, failure) != FAIL_NONE)
        return failure->kind;
    if (set == NULL && index == 0) {
        traffic->name = "uniform";
        traffic->is_uniform = true;
        return FAIL_NONE;
    }
    if (set != NULL)
        make_set(traffic, topology, choice, failure);
    else
        make_permutation(traffic, topology, permutation_at(index - 1), choice->seed, failure);
    if (failure->kind == FAIL_NONE && traffic->first[topology->nodes] == 0)
        fail(failure, FAIL_USAGE,
             "%.200s has no messages that leave their node, so there is nothing to measure",
             traffic->name);
    traffic->destinations = set == NULL;
    if (failure->kind == FAIL_NONE)
        traffic->hash = hash_of(traffic, topology->nodes);
    else
        load_traffic_free(traffic);
    return failure->kind;
}

void load_traffic_free(struct load_traffic *traffic)
{
    free(traffic->first);
    free(traffic->offset);
    free(traffic->destination);
    *traffic = (struct load_traffic){0};
}
