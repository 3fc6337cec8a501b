/* pattern_groups.c - `allgather`, `alltoall`: collectives within groups of consecutive nodes.
 *
 * Node v of n is in group floor(v G / n) of G. In an allgather each node sends its block to all others of its group,
 * one message; in an all-to-all it has a block for each of them, a message each. What a node has for itself crosses
 * no link and is left out; a node that is alone in its group sends nothing.
 * Cost: O(deliveries); 4 bytes a delivery, 12 a message.
 */
#include "workloads/pattern_private.h"

#include "base/extremes.h"

/* Where group g begins: the least v with floor(v G / n) = g. */
static node_index begin_of(uint32_t group, uint32_t groups, uint32_t nodes)
{
    return (node_index)(((uint64_t)group * nodes + groups - 1) / groups);
}

/* Without --groups as few as keep `most` others in each. */
static uint32_t count_groups(const struct pattern_options *options, uint32_t most)
{
    uint32_t nodes = mesh_nodes(options->mesh);
    if (options->groups > 0)
        return options->groups;
    return (uint32_t)((nodes + (uint64_t)most) / ((uint64_t)most + 1));
}

/* A delivery is to each other node of the group; groups are as large as the largest. */
static uint64_t footprint(const struct pattern_options *options, uint32_t most, bool to_each)
{
    enum { DELIVERY_BYTES = sizeof(node_index), MESSAGE_BYTES = 12 };
    uint64_t nodes = mesh_nodes(options->mesh);
    uint64_t deliveries = nodes * ((nodes - 1) / count_groups(options, most));
    uint64_t bytes = deliveries * DELIVERY_BYTES + (to_each ? deliveries : nodes) * MESSAGE_BYTES;
    return bytes / ranks_size(options->ranks);
}

uint64_t pattern_allgather_footprint(const struct pattern_options *options)
{
    return footprint(options, lesser(options->degree, options->congestion), false);
}

uint64_t pattern_alltoall_footprint(const struct pattern_options *options)
{
    return footprint(options, options->congestion, true);
}

/* The messages of all nodes: one to all others of the group, or one to each of them. */
static enum failure_kind make(const struct pattern_options *options, uint32_t groups, bool to_each,
                              struct message_set *set, struct failure *failure)
{
    uint32_t nodes = mesh_nodes(options->mesh), message = 0;
    uint64_t messages = 0, deliveries = 0;
    node_index first, last;
    pattern_part(options, nodes, &first, &last);
    if (groups > nodes)
        return fail(failure, FAIL_USAGE, "%lu groups are more than the %lu nodes",
                    (unsigned long)groups, (unsigned long)nodes);
    for (uint32_t g = 0; g < groups; g++) {
        node_index begin = begin_of(g, groups, nodes), end = begin_of(g + 1, groups, nodes);
        node_index from = larger(begin, first), to = lesser(end, last);
        uint64_t here = to > from ? to - from : 0, others = end - begin - 1;
        deliveries += here * others;
        messages += others > 0 ? here : 0;
    }
    if (to_each)
        messages = deliveries;
    enum failure_kind kind = message_set_allocate(
        set, options->shape, deliveries < UINT32_MAX ? (uint32_t)messages : 0, deliveries, failure);
    if (kind != FAIL_NONE)
        return kind;
    deliveries = 0;
    for (uint32_t g = 0; g < groups; g++) {
        node_index begin = begin_of(g, groups, nodes), end = begin_of(g + 1, groups, nodes);
        for (node_index v = larger(begin, first); v < lesser(end, last) && end - begin > 1; v++)
            for (node_index to = begin; to < end; to++) {
                if (to == v)
                    continue;
                if (to_each || to == begin + (v == begin)) {
                    set->source[message] = v;
                    set->offset[message++] = deliveries;
                }
                set->destination[deliveries++] = to;
            }
    }
    return FAIL_NONE;
}

enum failure_kind pattern_allgather(const struct pattern_options *options, struct message_set *set,
                                    struct failure *failure)
{
    uint32_t most = lesser(options->degree, options->congestion);
    return make(options, count_groups(options, most), false, set, failure);
}

enum failure_kind pattern_alltoall(const struct pattern_options *options, struct message_set *set,
                                   struct failure *failure)
{
    return make(options, count_groups(options, options->congestion), true, set, failure);
}
