/* lower_bound_broken.c - lower bounds of steps on a mesh that lacks nodes and links.
 *
 * A schedule on the broken mesh is one on the whole mesh, so all bounds of the whole mesh hold.
 * Here they are raised. `distance` and `split` are raised by the distances on the broken mesh,
 * `node` by the remaining links into a node, and the rectangles that prove most on the whole mesh
 * by the remaining links and nodes (their proofs in doc/bounds.md hold for any links).
 *
 * Cost: a search for each source, up to MOST_SEARCHED links in all; 20 bytes per node.
 */
#include "base/numbers.h"
#include "workloads/crossing.h"

#include <stdlib.h>

#define MOST_SEARCHED                                                                              \
    ((uint64_t)1 << 30) /* links; sources beyond keep the distances of the whole mesh */

struct remains {
    const struct message_set *set;
    const struct topology *topology;
    struct lower_bounds *bounds;
    uint32_t *hops, *queue; /* of a search */
    uint32_t *received, *sent,
        *nearest; /* [nodes]; nearest: the least distance of the received messages */
};

/* ---- distances ---- */

static void raise_message(struct remains *remains, uint32_t i)
{
    const struct message_set *set = remains->set;
    struct lower_bounds *bounds = remains->bounds;
    uint32_t farthest = 0;
    uint64_t sum = 0;
    for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
        uint32_t node = set->destination[j], distance = remains->hops[node] - 1;
        farthest = max_u32(farthest, distance);
        remains->nearest[node] =
            remains->received[node] == 1 ? distance : min_u32(distance, remains->nearest[node]);
    }
    for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++)
        sum += split_weight(farthest - (remains->hops[set->destination[j]] - 1));
    uint64_t split = farthest + split_copies(sum);
    bounds->steps[BOUND_DISTANCE] = max_u64(bounds->steps[BOUND_DISTANCE], farthest);
    bounds->steps[BOUND_SPLIT] = max_u64(bounds->steps[BOUND_SPLIT], split);
}

/* Raises the bounds of single messages. */
static void raise_messages(struct remains *remains)
{
    const struct message_set *set = remains->set;
    uint64_t searched = 0, search = remains->topology->nodes + remains->topology->links;
    for (uint32_t i = 0; i < set->messages; i++) {
        remains->sent[set->source[i]]++;
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++)
            remains->received[set->destination[j]]++;
        if (searched > MOST_SEARCHED)
            continue;
        if (i == 0 || set->source[i] != set->source[i - 1]) {
            topology_search(remains->topology, set->source[i], remains->hops, remains->queue);
            searched += search;
        }
        raise_message(remains, i);
    }
    for (uint32_t node = 0; searched > MOST_SEARCHED && node < remains->topology->nodes; node++)
        remains->nearest[node] = 1;
}

/* ---- nodes and rectangles ---- */

static void raise_nodes(struct remains *remains)
{
    const struct topology *topology = remains->topology;
    uint32_t cols = remains->set->mesh.cols;
    for (uint32_t node = 0; node < topology->nodes; node++) {
        struct bound_reason in = {.rectangle = {node / cols, node % cols, 1, 1},
                                  .messages = remains->received[node]};
        struct bound_reason out = in;
        if (in.messages > 0) {
            in.links = topology_in_degree(topology, node);
            in.before = remains->nearest[node] - 1;
            lower_bound_raise(remains->bounds, BOUND_NODE, &in);
        }
        out.messages = remains->sent[node];
        out.links = topology_degree(topology, node);
        if (out.messages > 0)
            lower_bound_raise(remains->bounds, BOUND_LEAVE, &out);
    }
}

/* Counts the live nodes of a rectangle, and the links into it and out of it. */
static void count_rectangle(const struct remains *remains, const struct rectangle *at,
                            uint64_t *nodes, uint64_t *in, uint64_t *out)
{
    const struct topology *topology = remains->topology;
    struct mesh mesh = remains->set->mesh;
    *nodes = *in = *out = 0;
    for (uint32_t v = 0; v < topology->nodes; v++) {
        bool is_inside = rectangle_holds(at, mesh_place(mesh, v));
        *nodes += is_inside && topology->part[v] != TOPOLOGY_NO_NODE;
        for (uint32_t port = 0; port < topology_node_ports(topology, v); port++) {
            uint32_t to = topology_neighbour(topology, v, port);
            bool leads_inside = rectangle_holds(at, mesh_place(mesh, to));
            *out += is_inside && !leads_inside;
            *in += !is_inside && leads_inside;
        }
    }
}

static void raise_rectangle(struct remains *remains, enum lower_bound_kind kind)
{
    struct bound_reason reason = remains->bounds->reason[kind];
    uint64_t nodes, in, out;
    if (reason.links == 0)
        return;
    count_rectangle(remains, &reason.rectangle, &nodes, &in, &out);
    reason.links = kind == BOUND_LEAVE ? out : kind == BOUND_COPIES ? nodes + in : in;
    remains->bounds->steps[kind] = 0; /* not more than the new value */
    lower_bound_raise(remains->bounds, kind, &reason);
}

enum failure_kind lower_bounds_raise_broken(const struct message_set *set,
                                            const struct topology *topology,
                                            struct lower_bounds *bounds, struct failure *failure)
{
    size_t nodes = topology->nodes;
    struct remains remains = {set,
                              topology,
                              bounds,
                              memory_allocate(nodes, sizeof *remains.hops),
                              memory_allocate(nodes, sizeof *remains.queue),
                              memory_allocate(nodes, sizeof *remains.received),
                              memory_allocate(nodes, sizeof *remains.sent),
                              memory_allocate(nodes, sizeof *remains.nearest)};
    if (remains.hops == NULL || remains.queue == NULL || remains.received == NULL ||
        remains.sent == NULL || remains.nearest == NULL) {
        fail_memory(failure, "the lower bounds");
    } else {
        raise_messages(&remains);
        raise_rectangle(&remains, BOUND_ENTER);
        raise_rectangle(&remains, BOUND_LEAVE);
        raise_rectangle(&remains, BOUND_COPIES);
        raise_nodes(&remains);
    }
    free(remains.hops);
    free(remains.queue);
    free(remains.received);
    free(remains.sent);
    free(remains.nearest);
    return failure->kind;
}
