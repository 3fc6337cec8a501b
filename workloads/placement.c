/* placement.c - the shape of an import, the orders of its nodes, and the nodes of items and
 * experts.
 *
 * The shape is the requested one, or the least square mesh that has a node for every place. A
 * partition names a node per line and item.
 * Invariant: the number of nodes is checked before it is used; arrays grow with the numbers that
 * are read.
 * Cost: 8 bytes per item with a partition, and the memory of the experts and the order of nodes.
 */
#include "workloads/placement.h"

#include "base/byte_source.h"
#include "base/numbers.h"
#include "base/pcg.h"
#include "base/text_scan.h"
#include "workloads/faults.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- orders of nodes ---- */

/* Row, snake, Hilbert and random order of a shape's nodes.
 *
 * row: index i is node i. snake: the node with label i (network/topology/topology.h): on two
 * dimensions rows from the top, even ones rightward, odd ones leftward. On a graph both are its own
 * numbers. hilbert, of two dimensions: Hilbert's curve, generalised to any rectangle: a rectangle
 * is cut into two halves if it is long, into three turned parts otherwise, until a single row or
 * column of cells is left. On a square whose side is a power of two it is Hilbert's curve itself;
 * consecutive indices are neighbours, except for one diagonal step if the longer side is odd and
 * the shorter one even (the test walks the rectangles up to 40 x 40 and the squares up to 64 x 64).
 * random: the first steps of a Fisher-Yates shuffle of all nodes: for i = 0, 1, .. element i is
 * swapped with element i + pcg32_below(n - i), drawn from pcg32(seed, RANDOM_STREAM). Index i's
 * node depends only on the seed, the number n of nodes and i. The host shuffles, since it has the
 * matrix; no node of the machine has to know the table.
 * Source: the cutting rule is that of Cerveny's generalised Hilbert curve; Knuth, The Art of
 * Computer Programming, volume 2, Section 3.4.2 (Algorithm P) for the shuffle.
 * Cost: O(1) per index; tables of 4 bytes per index (hilbert) or node (random).
 */

/* A stream of its own, so that a pattern of the same seed draws other numbers. */
static const uint64_t RANDOM_STREAM = 0x6f72646572; /* "order" */

node_index node_order_at(const struct node_order *order, uint32_t index)
{
    if (order->table != NULL)
        return order->table[index];
    if (order->map == IMPORT_ROW)
        return index;
    uint32_t node = 0, stride = 1;
    for (uint32_t d = 0; d < order->shape.dimensions; d++) {
        uint32_t size = order->shape.size[d], x = index % size;
        index /= size;
        node += stride * (index % 2 == 0 ? x : size - 1 - x);
        stride *= size;
    }
    return node;
}

static enum failure_kind fill_random(struct node_order *order, uint32_t indices, uint64_t seed,
                                     struct failure *failure)
{
    uint32_t nodes = shape_nodes(&order->shape);
    order->table = memory_allocate(nodes, sizeof *order->table);
    if (order->table == NULL)
        return fail_memory(failure, "a random order of nodes");
    for (uint32_t i = 0; i < nodes; i++)
        order->table[i] = i;
    struct pcg32 random = pcg32_seed(seed, RANDOM_STREAM);
    for (uint32_t i = 0; i < indices; i++) {
        uint32_t j = i + pcg32_below(&random, nodes - i);
        node_index node = order->table[j];
        order->table[j] = order->table[i];
        order->table[i] = node;
    }
    return FAIL_NONE;
}

/* Vectors on the mesh; one of the two components of an axis is 0. */
struct vector {
    int32_t row, col;
};

static struct vector plus(struct vector a, struct vector b)
{
    return (struct vector){a.row + b.row, a.col + b.col};
}

static struct vector times(struct vector a, int32_t factor)
{
    return (struct vector){a.row * factor, a.col * factor};
}

static struct vector minus(struct vector a, struct vector b)
{
    return plus(a, times(b, -1));
}

static int32_t cells_of(struct vector axis)
{
    return abs(axis.row + axis.col);
}

/* Returns an axis of the same direction and `cells` cells. */
static struct vector with_length(struct vector axis, int32_t cells)
{
    return (struct vector){(axis.row > 0) * cells - (axis.row < 0) * cells,
                           (axis.col > 0) * cells - (axis.col < 0) * cells};
}

/* Returns half of `cells`, an even number when the rest allows one, so that the parts join. */
static int32_t even_half(int32_t cells)
{
    int32_t half = cells / 2;
    return half + (half % 2 != 0 && cells > 2);
}

struct walk {
    struct node_order *order;
    uint32_t made, indices;
};

/* Walks the rectangle of the cells start + i along + j across from its first corner to the one at
 * the end of `along`. A cell is a unit of an axis: signs matter, an axis of -3 covers 3 cells
 * backward. Depth: two levels for each halving. */
static void walk_rectangle(struct walk *walk, struct vector start, struct vector along,
                           struct vector across)
{
    if (walk->made == walk->indices)
        return;
    int32_t width = cells_of(along), height = cells_of(across);
    struct vector step = with_length(along, 1), side_step = with_length(across, 1);
    if (width == 1 || height == 1) {
        struct vector unit = height == 1 ? step : side_step;
        for (int32_t i = 0; i < width * height && walk->made < walk->indices; i++) {
            struct vector cell = plus(start, times(unit, i));
            walk->order->table[walk->made++] =
                (uint32_t)cell.row * walk->order->shape.size[0] + (uint32_t)cell.col;
        }
        return;
    }
    if (2 * width > 3 * height) {
        struct vector half = with_length(along, even_half(width));
        walk_rectangle(walk, start, half, across);
        walk_rectangle(walk, plus(start, half), minus(along, half), across);
        return;
    }

    struct vector first = with_length(across, even_half(height));
    struct vector half = with_length(along, width / 2);
    struct vector corner = plus(start, minus(along, step));
    walk_rectangle(walk, start, first, half);
    walk_rectangle(walk, plus(start, first), along, minus(across, first));
    walk_rectangle(walk, plus(corner, minus(first, side_step)), times(first, -1),
                   times(minus(along, half), -1));
}

static enum failure_kind fill_hilbert(struct node_order *order, uint32_t indices,
                                      struct failure *failure)
{
    if (order->shape.dimensions != 2) {
        char text[TOPOLOGY_TEXT_SIZE];
        shape_text(&order->shape, text);
        return fail(failure, FAIL_USAGE,
                    "the order hilbert is one of meshes and tori of two dimensions, %s is none; "
                    "row, snake and random are orders of every topology",
                    text);
    }
    order->table = memory_allocate(indices, sizeof *order->table);
    if (order->table == NULL)
        return fail_memory(failure, "a Hilbert order of nodes");
    struct walk walk = {.order = order, .indices = indices};
    int32_t cols = (int32_t)order->shape.size[0], rows = (int32_t)order->shape.size[1];
    struct vector rightward = {0, cols}, downward = {rows, 0};
    walk_rectangle(&walk, (struct vector){0, 0}, cols >= rows ? rightward : downward,
                   cols >= rows ? downward : rightward);
    return FAIL_NONE;
}

enum failure_kind node_order_make(struct node_order *order, enum import_map map,
                                  const struct shape *shape, uint32_t indices, uint64_t seed,
                                  struct failure *failure)
{
    *order = (struct node_order){.shape = *shape, .map = map};
    if (map == IMPORT_RANDOM)
        return fill_random(order, indices, seed, failure);
    return map == IMPORT_HILBERT ? fill_hilbert(order, indices, failure) : FAIL_NONE;
}

enum failure_kind node_order_keep_main(struct node_order *order, const struct topology *topology,
                                       struct failure *failure)
{
    uint32_t kept = 0;
    if (!topology_is_broken(topology))
        return FAIL_NONE;
    node_index *table = memory_allocate(topology->nodes, sizeof *table);
    for (uint32_t i = 0; i < topology->nodes && table != NULL; i++) {
        node_index node = node_order_at(order, i);
        if (topology_is_main(topology, node))
            table[kept++] = node;
    }
    free(order->table);
    order->table = table;
    return table != NULL ? FAIL_NONE : fail_memory(failure, "the order of nodes that remain");
}

void node_order_free(struct node_order *order)
{
    free(order->table);
    *order = (struct node_order){0};
}

/* ---- places ---- */

struct shape least_square(uint32_t places)
{
    uint32_t side = 1;
    while (side * side < places)
        side++;
    return shape_of_mesh((struct mesh){side, side});
}

/* Returns how many nodes of a shape can have items that no partition places. */
static uint32_t room_of(const struct import_options *options, const struct shape *shape)
{
    return options->broken != NULL && options->part == NULL ? topology_main_nodes(options->broken)
                                                            : shape_nodes(shape);
}

static enum failure_kind choose_shape(const struct import_options *options, uint32_t places,
                                      struct shape *shape, struct failure *failure)
{
    char text[TOPOLOGY_LONG_TEXT_SIZE], remedy[64];
    struct shape least = least_square(places);
    *shape = options->shape.dimensions > 0 ? options->shape : least;
    if (room_of(options, shape) >= places)
        return FAIL_NONE;
    shape_text(shape, text);
    snprintf(remedy, sizeof remedy, "the least square mesh has side %u", least.size[0]);
    if (options->broken != NULL) {
        topology_text(options->broken, text);
        snprintf(remedy, sizeof remedy, "a larger mesh");
    }
    return fail(failure, FAIL_USAGE, "%s has room for %u of %u %s; %s, or --per-node larger", text,
                room_of(options, shape), places, options->per_node > 1 ? "nodes" : "indices",
                remedy);
}

/* Finds the number of places for the items. */
static enum failure_kind find_places(struct placement *placement,
                                     const struct import_options *options, uint32_t items,
                                     uint32_t *places, struct failure *failure)
{
    const struct node_lines_format format = {
        .most = items, .is_partition = true, .broken = options->broken};
    struct byte_source *source;
    struct node_lines lines;
    *places = (items + placement->per_node - 1) / placement->per_node;
    if (options->part == NULL)
        return FAIL_NONE;
    if (options->per_node > 0)
        return fail(failure, FAIL_USAGE,
                    "a partition says how many items a node has: give --part or --per-node");
    if (byte_source_open(&source, options->part, failure) != FAIL_NONE ||
        node_lines_read_source(&lines, &format, source, options->part, failure) != FAIL_NONE)
        return failure->kind;
    if (options->shape.dimensions > 0)
        node_lines_check(&lines, &options->shape, failure);
    free(lines.first);
    placement->part = lines.node;
    *places = lines.largest + 1;
    return failure->kind;
}

/* Places experts where no file has; on a broken mesh on the nearest nodes that remain. */
static enum failure_kind place_experts(struct placement *placement,
                                       const struct import_options *options,
                                       enum expert_order order, uint32_t experts,
                                       struct failure *failure)
{
    const struct shape line = {.dimensions = 1, .size = {room_of(options, &placement->shape)}};
    node_index *node, *stand_in = NULL;
    if (expert_nodes_place(&placement->experts, order == EXPERTS_BLOCK ? &line : &placement->shape,
                           order, experts, failure) != FAIL_NONE)
        return failure->kind;
    node = placement->experts.node;
    for (uint32_t e = 0; e < experts && order == EXPERTS_BLOCK; e++)
        node[e] = node_order_at(&placement->order, node[e]);
    if (options->broken == NULL)
        return FAIL_NONE;
    stand_in = faults_stand_ins(options->broken);
    if (stand_in == NULL)
        return fail_memory(failure, "the nodes that remain");
    for (uint32_t e = 0; e < experts; e++)
        node[e] = stand_in[node[e]];
    free(stand_in);
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
        return place_experts(placement, options, order, list->rows, failure);
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
    uint32_t items = entry_list_items(list);
    *placement = (struct placement){.per_node = options->per_node > 0 ? options->per_node : 1,
                                    .experts = experts};
    enum failure_kind kind = find_places(placement, options, items, &places, failure);
    if (experts.node != NULL && options->shape.dimensions == 0)
        places = max_u32(places, experts.largest + 1);
    if (kind == FAIL_NONE)
        kind = choose_shape(options, places, &placement->shape, failure);
    if (kind != FAIL_NONE)
        return kind;
    bool keeps_main = options->broken != NULL && options->part == NULL;
    ordered = list->is_to_experts ? min_u32(list->rows, shape_nodes(&placement->shape)) : 0;
    kind = node_order_make(&placement->order, options->map, &placement->shape,
                           keeps_main ? shape_nodes(&placement->shape) : max_u32(places, ordered),
                           options->seed, failure);
    if (kind == FAIL_NONE && keeps_main)
        kind = node_order_keep_main(&placement->order, options->broken, failure);
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
