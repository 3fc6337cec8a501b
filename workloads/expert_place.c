/* expert_place.c - experts in the middles of tiles, or one after the other.
 *
 * Method of the spread: C columns of tiles and R rows of them, C the least whole number with C^2 / E at least COLS / ROWS, but
 * at most E, R the least with R C >= E, so that tiles are about square; expert e is in tile e in row-major order, and the
 * last R C - E tiles have none. 60 experts on 64 x 64 nodes are at (4, 4), (4, 12), ..
 * Cost: O(1) an expert but for a loop over C; 8 bytes an expert.
 */
#include "workloads/expert_place.h"

#include <string.h>

const char *const expert_order_names[] = {
    [EXPERTS_SPREAD] = "spread", [EXPERTS_BLOCK] = "block", NULL};

bool expert_order_find(const char *place, enum expert_order *order)
{
    *order = EXPERTS_SPREAD;
    if (place == NULL || strcmp(place, expert_order_names[EXPERTS_SPREAD]) == 0)
        return true;
    *order = EXPERTS_BLOCK;
    return strcmp(place, expert_order_names[EXPERTS_BLOCK]) == 0;
}

/* The middle of part `index` of `side`, which is cut into `parts`. */
static uint32_t middle_of(uint32_t index, uint32_t parts, uint32_t side)
{
    uint32_t begin = (uint32_t)((uint64_t)index * side / parts);
    uint32_t end = (uint32_t)((uint64_t)(index + 1) * side / parts);
    return (begin + end) / 2;
}

static uint32_t tile_columns(struct mesh mesh, uint32_t experts)
{
    uint64_t wanted = (uint64_t)experts * mesh.cols;
    uint32_t columns = 1, rows;
    while (columns < mesh.cols && columns < experts &&
           (uint64_t)columns * columns * mesh.rows < wanted)
        columns++;
    rows = (experts + columns - 1) / columns;
    return rows <= mesh.rows ? columns : (experts + mesh.rows - 1) / mesh.rows;
}

node_index expert_place(const struct shape *shape, enum expert_order order, uint32_t experts,
                        uint32_t expert)
{
    uint32_t nodes = shape_nodes(shape);
    if (experts > nodes) {
        expert = (uint32_t)((uint64_t)expert * nodes / experts);
        experts = nodes;
    }
    if (order == EXPERTS_BLOCK)
        return expert;
    if (shape->dimensions != 2)
        return middle_of(expert, experts, nodes);
    struct mesh mesh = {shape->size[1], shape->size[0]};
    uint32_t columns = tile_columns(mesh, experts), rows = (experts + columns - 1) / columns;
    return middle_of(expert / columns, rows, mesh.rows) * mesh.cols +
           middle_of(expert % columns, columns, mesh.cols);
}

enum failure_kind expert_nodes_place(struct node_lines *nodes, const struct shape *shape,
                                     enum expert_order order, uint32_t experts,
                                     struct failure *failure)
{
    *nodes = (struct node_lines){
        .lines = experts,
        .first = memory_allocate((size_t)experts + 1, sizeof *nodes->first),
        .node = memory_allocate(experts, sizeof *nodes->node),
    };
    if (nodes->first == NULL || nodes->node == NULL) {
        node_lines_free(nodes);
        return fail_memory(failure, "the nodes of experts");
    }
    for (uint32_t e = 0; e < experts; e++) {
        nodes->node[e] = expert_place(shape, order, experts, e);
        nodes->first[e + 1] = e + 1;
    }
    return FAIL_NONE;
}

enum failure_kind expert_nodes_read(struct node_lines *nodes, const char *place, uint32_t experts,
                                    struct failure *failure)
{
    static const struct node_lines_format FORMAT = {.what = "expert", .most = EXPERTS_MOST};
    struct failure unopened = {0};
    struct byte_source *source;
    enum expert_order order;
    *nodes = (struct node_lines){.path = NULL};
    if (expert_order_find(place, &order))
        return FAIL_NONE;
    if (byte_source_open(&source, place, &unopened) != FAIL_NONE)
        return fail(failure, FAIL_USAGE, "--place is %s, %s or a file, and: %s",
                    expert_order_names[EXPERTS_SPREAD], expert_order_names[EXPERTS_BLOCK],
                    unopened.text);
    enum failure_kind kind = node_lines_read_source(nodes, &FORMAT, source, place, failure);
    if (kind == FAIL_NONE && experts > 0 && experts != nodes->lines) {
        kind = fail(failure, FAIL_USAGE, "--experts %lu are not the %lu of %.200s",
                    (unsigned long)experts, (unsigned long)nodes->lines, place);
        node_lines_free(nodes);
    }
    return kind;
}

node_index expert_nodes_nearest(const struct node_lines *nodes, const struct topology *topology,
                                uint32_t expert, node_index from)
{
    uint32_t first = nodes->first[expert], end = nodes->first[expert + 1];
    node_index nearest = nodes->node[first];
    if (end - first == 1)
        return nearest;
    uint32_t least = topology_distance(topology, from, nearest);
    for (uint32_t i = first + 1; i < end; i++) {
        uint32_t distance = topology_distance(topology, from, nodes->node[i]);
        if (distance < least || (distance == least && nodes->node[i] < nearest)) {
            least = distance;
            nearest = nodes->node[i];
        }
    }
    return nearest;
}
