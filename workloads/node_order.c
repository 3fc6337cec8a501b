/* node_order.c - row, snake, Hilbert and random order of a shape's nodes.
 *
 * row: index i is node i. snake: the node with label i (network/topology/topology.h): on two dimensions rows from the top, even
 * ones rightward, odd ones leftward. On a graph both are its own numbers.
 * hilbert, of two dimensions: Hilbert's curve, generalised to any rectangle: a rectangle is cut into two halves where it
 * is long, into three turned parts otherwise, until a single row or column of cells is left. On a square whose side is a
 * power of two it is Hilbert's curve itself; consecutive indices are neighbours, but for one diagonal step where the
 * longer side is odd and the shorter one even (the test walks the rectangles up to 40 x 40 and the squares up to 64 x 64).
 * random: the first steps of a Fisher-Yates shuffle of all nodes: for i = 0, 1, .. element i is
 * swapped with element i + pcg32_below(n - i), drawn from pcg32(seed, RANDOM_STREAM). Index
 * i's node depends only on the seed, the number n of nodes and i. The host shuffles; that is where the matrix lives,
 * and no node of the machine has to know the table.
 * Source: the cutting rule is that of Cerveny's generalised Hilbert curve; Knuth, The Art of
 * Computer Programming, volume 2, Section 3.4.2 (Algorithm P) for the shuffle.
 * Cost: O(1) an index; tables of 4 bytes an index (hilbert) or a node (random).
 */
#include "workloads/node_order.h"

#include "base/pcg.h"

#include <stdlib.h>

/* A stream of its own, so that a pattern of the same seed draws other numbers. */
static const uint64_t RANDOM_STREAM = 0x6f72646572; /* "order" */

static node_index at_row(const struct node_order *order, uint32_t index)
{
    (void)order;
    return index;
}

static node_index at_snake(const struct node_order *order, uint32_t index)
{
    uint32_t node = 0, stride = 1;
    for (uint32_t d = 0; d < order->shape.dimensions; d++) {
        uint32_t size = order->shape.size[d], x = index % size;
        index /= size;
        node += stride * (index % 2 == 0 ? x : size - 1 - x);
        stride *= size;
    }
    return node;
}

static node_index at_table(const struct node_order *order, uint32_t index)
{
    return order->table[index];
}

static enum failure_kind fill_nothing(struct node_order *order, uint32_t indices, uint64_t seed,
                                      struct failure *failure)
{
    (void)order;
    (void)indices;
    (void)seed;
    (void)failure;
    return FAIL_NONE;
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

static struct vector add(struct vector a, struct vector b)
{
    return (struct vector){a.row + b.row, a.col + b.col};
}

static struct vector scale(struct vector a, int32_t factor)
{
    return (struct vector){a.row * factor, a.col * factor};
}

static struct vector subtract(struct vector a, struct vector b)
{
    return add(a, scale(b, -1));
}

static int32_t length(struct vector axis)
{
    return abs(axis.row + axis.col);
}

/* An axis of the same direction and `cells` cells. */
static struct vector with_length(struct vector axis, int32_t cells)
{
    return (struct vector){(axis.row > 0) * cells - (axis.row < 0) * cells,
                           (axis.col > 0) * cells - (axis.col < 0) * cells};
}

/* Half of `cells`, made even where the rest allows it, so that the parts join. */
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
    int32_t width = length(along), height = length(across);
    struct vector step = with_length(along, 1), side_step = with_length(across, 1);
    if (width == 1 || height == 1) {
        struct vector unit = height == 1 ? step : side_step;
        for (int32_t i = 0; i < width * height && walk->made < walk->indices; i++) {
            struct vector cell = add(start, scale(unit, i));
            walk->order->table[walk->made++] =
                (uint32_t)cell.row * walk->order->shape.size[0] + (uint32_t)cell.col;
        }
        return;
    }
    if (2 * width > 3 * height) {
        struct vector half = with_length(along, even_half(width));
        walk_rectangle(walk, start, half, across);
        walk_rectangle(walk, add(start, half), subtract(along, half), across);
        return;
    }

    struct vector first = with_length(across, even_half(height));
    struct vector half = with_length(along, width / 2);
    struct vector corner = add(start, subtract(along, step));
    walk_rectangle(walk, start, first, half);
    walk_rectangle(walk, add(start, first), along, subtract(across, first));
    walk_rectangle(walk, add(corner, subtract(first, side_step)), scale(first, -1),
                   scale(subtract(along, half), -1));
}

static enum failure_kind fill_hilbert(struct node_order *order, uint32_t indices, uint64_t seed,
                                      struct failure *failure)
{
    (void)seed;
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

static const struct map {
    node_index (*at)(const struct node_order *order, uint32_t index);
    enum failure_kind (*fill)(struct node_order *order, uint32_t indices, uint64_t seed,
                              struct failure *failure);
} MAPS[] = {
    [IMPORT_ROW] = {at_row, fill_nothing},
    [IMPORT_SNAKE] = {at_snake, fill_nothing},
    [IMPORT_HILBERT] = {at_table, fill_hilbert},
    [IMPORT_RANDOM] = {at_table, fill_random},
};

enum failure_kind node_order_make(struct node_order *order, enum import_map map,
                                  const struct shape *shape, uint32_t indices, uint64_t seed,
                                  struct failure *failure)
{
    *order = (struct node_order){.shape = *shape, .at = MAPS[map].at};
    return MAPS[map].fill(order, indices, seed, failure);
}

void node_order_free(struct node_order *order)
{
    free(order->table);
    *order = (struct node_order){0};
}
