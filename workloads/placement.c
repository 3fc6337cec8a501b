/* placement.c - the shape of an import, and which of its nodes items and experts are on.
 *
 * The shape is the one that was asked for, or the least square mesh that has a node for every place.
 * Invariant: the number of nodes is checked before it is used.
 * Cost: 4 bytes an item with a partition, and what the experts and the order of nodes take.
 */
#include "workloads/placement.h"

#include "base/byte_source.h"
#include "base/numbers.h"
#include "workloads/partition.h"

#include <stdlib.h>

/* The least side whose square holds `places`. */
static uint32_t least_side(uint32_t places)
{
    uint32_t side = 1;
    while (side * side < places)
        side++;
    return side;
}

static enum failure_kind choose_shape(const struct import_options *options, uint32_t places,
                                      struct shape *shape, struct failure *failure)
{
    char text[TOPOLOGY_TEXT_SIZE];
    uint32_t least = least_side(places);
    *shape = options->shape;
    if (shape->dimensions == 0)
        *shape = shape_of_mesh((struct mesh){least, least});
    if (shape_nodes(shape) >= places)
        return FAIL_NONE;
    shape_text(shape, text);
    return fail(failure, FAIL_USAGE,
                "%s has room for %lu of %lu %s; the least square mesh has side %lu%s", text,
                (unsigned long)shape_nodes(shape), (unsigned long)places,
                options->part != NULL || options->per_node > 1 ? "nodes" : "indices",
                (unsigned long)least, options->part == NULL ? ", or --per-node larger" : "");
}

/* How many places the items take. */
static enum failure_kind find_places(struct placement *placement,
                                     const struct import_options *options, uint32_t items,
                                     uint32_t *places, struct failure *failure)
{
    struct byte_source *source;
    uint32_t largest;
    *places = (items + placement->per_node - 1) / placement->per_node;
    if (options->part == NULL)
        return FAIL_NONE;
    if (options->per_node > 0)
        return fail(failure, FAIL_USAGE,
                    "a partition says how many items a node has: give --part or --per-node");
    enum failure_kind kind = byte_source_open(&source, options->part, failure);
    if (kind == FAIL_NONE)
        kind = partition_read(source, items, &placement->part, &largest, failure);
    byte_source_close(source);
    if (kind == FAIL_NONE)
        *places = largest + 1;
    return kind;
}

/* Experts, where no file has placed them. */
static enum failure_kind place_experts(struct placement *placement, enum expert_order order,
                                       uint32_t experts, struct failure *failure)
{
    if (expert_nodes_place(&placement->experts, &placement->shape, order, experts, failure) !=
        FAIL_NONE)
        return failure->kind;
    for (uint32_t e = 0; e < experts && order == EXPERTS_BLOCK; e++)
        placement->experts.node[e] = node_order_at(&placement->order, placement->experts.node[e]);
    return FAIL_NONE;
}

/* Places all experts. */
static enum failure_kind find_experts(struct placement *placement,
                                      const struct import_options *options,
                                      const struct entry_list *list, struct failure *failure)
{
    enum expert_order order;
    if (placement->shape.kind != TOPOLOGY_GRAPH)
        placement->topology = topology_of_shape(&placement->shape);
    if (expert_order_find(options->place, &order))
        return place_experts(placement, order, list->rows, failure);
    if (placement->experts.has_several && placement->shape.kind == TOPOLOGY_GRAPH)
        return fail(failure, FAIL_USAGE,
                    "%.200s has experts on several nodes, of which the nearest is taken; distances "
                    "on a graph are not known here, so give each expert one node",
                    options->place);
    return node_lines_check(&placement->experts, &placement->shape, failure);
}

enum failure_kind placement_make(struct placement *placement, const struct import_options *options,
                                 const struct entry_list *list, struct node_lines experts,
                                 struct failure *failure)
{
    uint32_t places, ordered;
    uint32_t items = list->items > 0 ? list->items : max_u32(list->rows, list->cols);
    *placement = (struct placement){.per_node = options->per_node > 0 ? options->per_node : 1,
                                    .experts = experts};
    enum failure_kind kind = find_places(placement, options, items, &places, failure);
    if (experts.node != NULL && options->shape.dimensions == 0)
        places = max_u32(places, experts.largest + 1);
    if (kind == FAIL_NONE)
        kind = choose_shape(options, places, &placement->shape, failure);
    if (kind != FAIL_NONE)
        return kind;
    ordered = list->is_to_experts ? min_u32(list->rows, shape_nodes(&placement->shape)) : 0;
    kind = node_order_make(&placement->order, options->map, &placement->shape,
                           max_u32(places, ordered), options->seed, failure);
    if (kind == FAIL_NONE && list->is_to_experts)
        kind = find_experts(placement, options, list, failure);
    return kind;
}

void placement_free(struct placement *placement)
{
    node_order_free(&placement->order);
    free(placement->part);
    node_lines_free(&placement->experts);
    *placement = (struct placement){0};
}
