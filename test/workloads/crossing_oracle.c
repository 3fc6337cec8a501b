/* crossing_oracle.c - counts the messages over the edge of a rectangle, slowly, by the definitions.
 *
 * Links are found by asking every node for its neighbours, depths and distances by asking every
 * node.
 */
#include "test/workloads/crossing_oracle.h"

#include <stdlib.h>

bool oracle_holds(const struct rectangle *region, struct mesh mesh, node_index node)
{
    uint32_t row = node / mesh.cols, col = node % mesh.cols;
    return row >= region->row && row < region->row + region->rows && col >= region->col &&
           col < region->col + region->cols;
}

uint32_t oracle_links(const struct rectangle *region, struct mesh mesh)
{
    uint32_t links = 0;
    for (node_index v = 0; v < mesh_nodes(mesh); v++) {
        uint32_t row = v / mesh.cols, col = v % mesh.cols;
        if (!oracle_holds(region, mesh, v))
            continue;
        links += row > 0 && !oracle_holds(region, mesh, v - mesh.cols);
        links += row + 1 < mesh.rows && !oracle_holds(region, mesh, v + mesh.cols);
        links += col > 0 && !oracle_holds(region, mesh, v - 1);
        links += col + 1 < mesh.cols && !oracle_holds(region, mesh, v + 1);
    }
    return links;
}

uint32_t oracle_apart(struct mesh mesh, node_index u, node_index v)
{
    return (uint32_t)(abs((int)(u / mesh.cols) - (int)(v / mesh.cols)) +
                      abs((int)(u % mesh.cols) - (int)(v % mesh.cols)));
}

/* Returns the steps from a node to the nearest one that is inside (or is not). */
static uint32_t steps_to(const struct rectangle *region, struct mesh mesh, node_index node,
                         bool inside)
{
    uint32_t least = UINT32_MAX;
    for (node_index v = 0; v < mesh_nodes(mesh); v++)
        if (oracle_holds(region, mesh, v) == inside && oracle_apart(mesh, node, v) < least)
            least = oracle_apart(mesh, node, v);
    return least;
}

uint64_t oracle_crossings(const struct message_set *set, const struct rectangle *region,
                          bool entering, uint32_t before, uint32_t after)
{
    uint64_t messages = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        bool crosses = false, is_far = after == 0;
        if (oracle_holds(region, set->mesh, set->source[i]) == entering)
            continue;
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            node_index to = set->destination[j];
            if (oracle_holds(region, set->mesh, to) != entering)
                continue;
            crosses = true;
            is_far = is_far || steps_to(region, set->mesh, to, !entering) > after;
        }
        messages += crosses && is_far &&
                    (before == 0 || steps_to(region, set->mesh, set->source[i], entering) > before);
    }
    return messages;
}

uint64_t oracle_ceiling(uint64_t a, uint64_t b)
{
    return b == 0 ? 0 : (a + b - 1) / b;
}
