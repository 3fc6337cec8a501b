/* pattern_groups.c - `allgather`, `alltoall`: collectives within groups of nodes.
 *
 * Of n nodes in G groups node v is in group floor(v G / n), so that groups are consecutive nodes. With a stride S above 1 the
 * n / G members of a group are S apart: S groups take turns on S n / G consecutive nodes, as processes of a grid of ranks do;
 * G must divide n and S divide G. Or a file says who is in each group; who is in none sends nothing.
 * In an allgather each node sends its block to all others of its group, one message; in an all-to-all it has a block for each
 * of them, a message each. What a node has for itself crosses no link and is left out; a node that is alone in its group
 * sends nothing.
 * Cost: O(deliveries); 4 bytes per delivery, 12 a message, and 8 a node where a file says the groups.
 */
#include "workloads/pattern_private.h"

#include "base/numbers.h"

#include <stdlib.h>
#include <string.h>

/* The groups of all nodes: by arithmetic, or as a file has them, which are sorted here. */
struct grouping {
    uint32_t nodes, groups, stride;
    const uint32_t *first; /* of the file, or NULL */
    node_index *member;    /* as the file's node[], each line ascending */
    uint32_t *group_of;    /* [nodes]: and one; 0: none */
};

/* Member i < size is member[i], or begin + i stride. */
struct group {
    uint32_t size, stride;
    node_index begin;
    const node_index *member;
};

static node_index member_of(const struct group *group, uint32_t i)
{
    return group->member != NULL ? group->member[i] : group->begin + i * group->stride;
}

/* Where group g begins: the least v with floor(v G / n) = g. */
static node_index begin_of(uint32_t group, uint32_t groups, uint32_t nodes)
{
    return (node_index)(((uint64_t)group * nodes + groups - 1) / groups);
}

/* The group of node v; of size 0 if it is in none. */
static struct group group_at(const struct grouping *grouping, node_index v)
{
    uint32_t nodes = grouping->nodes, groups = grouping->groups, stride = grouping->stride;
    if (grouping->first != NULL) {
        uint32_t g = grouping->group_of[v];
        if (g == 0)
            return (struct group){.size = 0};
        return (struct group){.size = grouping->first[g] - grouping->first[g - 1],
                              .member = grouping->member + grouping->first[g - 1]};
    }
    if (stride == 1) {
        uint32_t g = (uint32_t)((uint64_t)v * groups / nodes);
        node_index begin = begin_of(g, groups, nodes);
        return (struct group){begin_of(g + 1, groups, nodes) - begin, 1, begin, NULL};
    }
    uint32_t size = nodes / groups, block = stride * size;
    return (struct group){size, stride, v / block * block + v % stride, NULL};
}

/* Without --groups as few as keep `most` others in each. */
static uint32_t count_groups(const struct pattern_options *options, uint32_t most)
{
    uint32_t nodes = mesh_nodes(options->mesh);
    if (options->groups > 0)
        return options->groups;
    return (uint32_t)((nodes + (uint64_t)most) / ((uint64_t)most + 1));
}

/* Takes the groups of a file. */
static enum failure_kind take_lines(struct grouping *grouping,
                                    const struct pattern_options *options, struct failure *failure)
{
    const struct node_lines *lines = options->group_lines;
    uint32_t count = lines->first[lines->lines];
    if (node_lines_check(lines, &options->shape, failure) != FAIL_NONE)
        return failure->kind;
    grouping->first = lines->first;
    grouping->member = memory_allocate(count, sizeof *grouping->member);
    grouping->group_of = memory_allocate(grouping->nodes, sizeof *grouping->group_of);
    if (grouping->member == NULL || grouping->group_of == NULL)
        return fail_memory(failure, "the groups of a pattern");
    memcpy(grouping->member, lines->node, count * sizeof *grouping->member);
    for (uint32_t g = 0; g < lines->lines; g++) {
        uint32_t first = lines->first[g], end = lines->first[g + 1];
        message_set_sort_nodes(grouping->member + first, end - first);
        for (uint32_t i = first; i < end; i++)
            grouping->group_of[lines->node[i]] = g + 1;
    }
    return FAIL_NONE;
}

static enum failure_kind find_groups(struct grouping *grouping,
                                     const struct pattern_options *options, uint32_t groups,
                                     struct failure *failure)
{
    uint32_t nodes = mesh_nodes(options->mesh), stride = max_u32(options->stride, 1);
    *grouping = (struct grouping){.nodes = nodes, .groups = groups, .stride = stride};
    if (options->group_lines != NULL)
        return take_lines(grouping, options, failure);
    if (groups > nodes)
        return fail(failure, FAIL_USAGE, "%lu groups are more than the %lu nodes",
                    (unsigned long)groups, (unsigned long)nodes);
    if (stride > 1 && (nodes % groups != 0 || groups % stride != 0))
        return fail(failure, FAIL_USAGE,
                    "members of a group are %lu apart only if the number of groups, %lu, divides "
                    "that of nodes, %lu, and is divided by the stride",
                    (unsigned long)stride, (unsigned long)groups, (unsigned long)nodes);
    return FAIL_NONE;
}

/* Writes the messages of all nodes into a set that has room: one to all others of the group, or one to each. */
static void write_messages(const struct grouping *grouping, bool to_each, struct message_set *set)
{
    uint32_t message = 0;
    uint64_t deliveries = 0;
    for (node_index v = 0; v < grouping->nodes; v++) {
        struct group group = group_at(grouping, v);
        bool is_begun = false;
        for (uint32_t i = 0; i < group.size; i++) {
            node_index to = member_of(&group, i);
            if (to == v)
                continue;
            if (to_each || !is_begun) {
                set->source[message] = v;
                set->offset[message++] = deliveries;
            }
            is_begun = true;
            set->destination[deliveries++] = to;
        }
    }
}

/* The messages of all nodes, in groups that are found already. */
static enum failure_kind make_messages(const struct pattern_options *options,
                                       const struct grouping *grouping, bool to_each,
                                       struct message_set *set, struct failure *failure)
{
    uint64_t messages = 0, deliveries = 0;
    for (node_index v = 0; v < grouping->nodes; v++) {
        uint32_t size = group_at(grouping, v).size;
        messages += size > 1;
        deliveries += size > 1 ? size - 1 : 0;
    }
    if (to_each)
        messages = deliveries;
    enum failure_kind kind = message_set_allocate(
        set, options->shape, deliveries < UINT32_MAX ? (uint32_t)messages : 0, deliveries, failure);
    if (kind == FAIL_NONE)
        write_messages(grouping, to_each, set);
    return kind;
}

static enum failure_kind make(const struct pattern_options *options, uint32_t groups, bool to_each,
                              struct message_set *set, struct failure *failure)
{
    struct grouping grouping;
    enum failure_kind kind = find_groups(&grouping, options, groups, failure);
    if (kind == FAIL_NONE)
        kind = make_messages(options, &grouping, to_each, set, failure);
    free(grouping.member);
    free(grouping.group_of);
    return kind;
}

enum failure_kind pattern_allgather(const struct pattern_options *options, struct message_set *set,
                                    struct failure *failure)
{
    uint32_t most = min_u32(options->degree, options->congestion);
    return make(options, count_groups(options, most), false, set, failure);
}

enum failure_kind pattern_alltoall(const struct pattern_options *options, struct message_set *set,
                                   struct failure *failure)
{
    return make(options, count_groups(options, options->congestion), true, set, failure);
}
