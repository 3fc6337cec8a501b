/* node_bound.c - what single nodes receive, by distance, over the links into them.
 *
 * A node's messages come over its `links` links, one each a step, and the one from distance a in step
 * a at the earliest. So if k of them come from farther than `before`, the last comes at step
 * before + ceil(k / links) at the earliest: the bound of a rectangle of one node (crossing.c), whose
 * deliveries lie at its edge.
 *
 * Method: k and the links bound what a node can prove by ceil(k / links) - 1 + its eccentricity. The
 * NODES with the most of that, if it is more than is proven anyway, get a histogram of distances.
 *
 * Cost: O(n + deliveries + NODES (rows + cols)) time; a bit per node.
 */
#include "workloads/node_bound.h"
#include "base/numbers.h"
#include "workloads/crossing.h"

#include <stdlib.h>

enum { NODES = 64 };

struct busy_node {
    node_index node;
    uint64_t at_most; /* steps that it can prove */
};

struct busy_nodes {
    struct mesh mesh;
    uint32_t count, distances;
    struct busy_node node[NODES]; /* most first */
    uint64_t *is_busy;            /* a bit for each node of the mesh */
    uint32_t *arrivals;           /* [NODES][distances] */
};

static struct rectangle rectangle_of(struct mesh mesh, node_index node)
{
    return (struct rectangle){node / mesh.cols, node % mesh.cols, 1, 1};
}

/* What a node that receives so many messages can prove at most. */
static uint64_t most_of(struct mesh mesh, node_index node, uint32_t messages)
{
    struct rectangle at = rectangle_of(mesh, node);
    uint32_t links = rectangle_links(mesh, &at);
    uint32_t rows = max_u32(at.row, mesh.rows - 1 - at.row);
    uint32_t cols = max_u32(at.col, mesh.cols - 1 - at.col);
    return messages == 0 ? 0 : (messages - 1) / links + rows + cols;
}

/* Puts a node in its place among the busy ones, of which there are NODES at most. */
static void insert(struct busy_nodes *busy, struct busy_node candidate)
{
    uint32_t i = busy->count < NODES ? busy->count++ : NODES - 1;
    for (; i > 0 && busy->node[i - 1].at_most < candidate.at_most; i--)
        busy->node[i] = busy->node[i - 1];
    busy->node[i] = candidate;
}

static void choose(struct busy_nodes *busy, const uint32_t *received, uint64_t proven)
{
    for (node_index node = 0; node < mesh_nodes(busy->mesh); node++) {
        uint64_t least = busy->count < NODES ? proven : busy->node[NODES - 1].at_most;
        if ((uint64_t)received[node] + busy->distances <= least) /* without a division */
            continue;
        struct busy_node candidate = {node, most_of(busy->mesh, node, received[node])};
        if (candidate.at_most > least)
            insert(busy, candidate);
    }
}

static void count_arrival(struct busy_nodes *busy, node_index source, node_index destination)
{
    struct rectangle from = rectangle_of(busy->mesh, source);
    struct rectangle to = rectangle_of(busy->mesh, destination);
    uint32_t distance = (uint32_t)abs((int)from.row - (int)to.row) +
                        (uint32_t)abs((int)from.col - (int)to.col),
             k = 0;
    while (busy->node[k].node != destination)
        k++;
    busy->arrivals[(size_t)k * busy->distances + distance]++;
}

static void count_arrivals(struct busy_nodes *busy, const struct message_set *set)
{
    for (uint32_t k = 0; k < busy->count; k++)
        busy->is_busy[busy->node[k].node / 64] |= UINT64_C(1) << busy->node[k].node % 64;
    for (uint32_t i = 0; i < set->messages; i++)
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            node_index node = set->destination[j];
            if (busy->is_busy[node / 64] >> node % 64 & 1)
                count_arrival(busy, set->source[i], node);
        }
}

static void raise_node(const struct busy_nodes *busy, uint32_t k, struct lower_bounds *bounds)
{
    const uint32_t *arrivals = &busy->arrivals[(size_t)k * busy->distances];
    struct bound_reason reason = {.rectangle = rectangle_of(busy->mesh, busy->node[k].node)};
    reason.links = rectangle_links(busy->mesh, &reason.rectangle);
    for (uint32_t distance = busy->distances - 1; distance > 0; distance--) {
        reason.messages += arrivals[distance];
        reason.before = distance - 1;
        if (reason.messages > 0)
            lower_bound_raise(bounds, BOUND_NODE, &reason);
    }
}

enum failure_kind node_bounds_raise(const struct message_set *set, const uint32_t *received,
                                    struct lower_bounds *bounds, struct failure *failure)
{
    struct busy_nodes busy = {.mesh = set->mesh, .distances = set->mesh.rows + set->mesh.cols};
    choose(&busy, received, bounds->steps[lower_bound_best(bounds, true)]);
    if (busy.count == 0)
        return FAIL_NONE;
    enum failure_kind kind = FAIL_NONE;
    busy.is_busy = memory_allocate(mesh_nodes(set->mesh) / 64 + 1, sizeof *busy.is_busy);
    busy.arrivals = memory_allocate((size_t)busy.count * busy.distances, sizeof *busy.arrivals);
    if (busy.is_busy == NULL || busy.arrivals == NULL)
        kind = fail_memory(failure, "the lower bounds");
    else
        count_arrivals(&busy, set);
    for (uint32_t k = 0; k < busy.count && kind == FAIL_NONE; k++)
        raise_node(&busy, k, bounds);
    free(busy.is_busy);
    free(busy.arrivals);
    return kind;
}
