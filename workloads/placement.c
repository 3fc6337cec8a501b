/* placement.c - the mesh of an import, and which of its nodes items and experts are on.
 *
 * The mesh is the least square that has a node for every place, or has the side that was asked for.
 * Invariant: the mesh is checked before its size is used.
 * Cost: 4 bytes an item with a partition, 4 an expert, and what the order of nodes takes.
 */
#include "workloads/placement.h"

#include "base/byte_source.h"
#include "base/extremes.h"
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

static enum failure_kind choose_mesh(const struct import_options *options, uint32_t places,
                                     struct mesh *mesh, struct failure *failure)
{
    uint32_t least = least_side(places);
    uint32_t side = options->side > 0 ? options->side : least;
    if (side < least)
        return fail(failure, FAIL_USAGE,
                    "a mesh of side %lu is too small for %lu %s: the side must be at least %lu%s",
                    (unsigned long)side, (unsigned long)places,
                    options->part != NULL || options->per_node > 1 ? "nodes" : "indices",
                    (unsigned long)least, options->part == NULL ? ", or --per-node larger" : "");
    if (!mesh_is_valid(side, side))
        return fail(failure, FAIL_USAGE, "a square mesh has a side of at most %lu, not %lu",
                    (unsigned long)least_side(MESH_MAX_NODES), (unsigned long)side);
    *mesh = (struct mesh){side, side};
    return FAIL_NONE;
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
        kind = partition_read(source, items, options->limit, &placement->part, &largest, failure);
    byte_source_close(source);
    if (kind == FAIL_NONE)
        *places = largest + 1;
    return kind;
}

static enum failure_kind place_experts(struct placement *placement, enum expert_order order,
                                       uint32_t experts, struct failure *failure)
{
    placement->expert_node = memory_allocate(experts, sizeof *placement->expert_node);
    if (placement->expert_node == NULL)
        return fail_memory(failure, "the nodes of experts");
    for (uint32_t e = 0; e < experts; e++) {
        node_index place = expert_place(placement->mesh, order, experts, e);
        placement->expert_node[e] =
            order == EXPERTS_BLOCK ? node_order_at(&placement->order, place) : place;
    }
    return FAIL_NONE;
}

enum failure_kind placement_make(struct placement *placement, const struct import_options *options,
                                 const struct entry_list *list, struct failure *failure)
{
    uint32_t places, ordered;
    uint32_t items = list->items > 0 ? list->items : larger(list->rows, list->cols);
    *placement = (struct placement){.per_node = options->per_node > 0 ? options->per_node : 1};
    enum failure_kind kind = find_places(placement, options, items, &places, failure);
    if (kind == FAIL_NONE)
        kind = choose_mesh(options, places, &placement->mesh, failure);
    if (kind != FAIL_NONE)
        return kind;
    ordered = list->is_to_experts ? lesser(list->rows, mesh_nodes(placement->mesh)) : 0;
    kind = node_order_make(&placement->order, options->map, placement->mesh.cols,
                           larger(places, ordered), options->seed, failure);
    if (kind == FAIL_NONE && list->is_to_experts)
        kind = place_experts(placement, options->place, list->rows, failure);
    return kind;
}

void placement_free(struct placement *placement)
{
    node_order_free(&placement->order);
    free(placement->part);
    free(placement->expert_node);
    *placement = (struct placement){0};
}
