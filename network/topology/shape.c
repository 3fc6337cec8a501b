/* shape.c - the shape of a topology: its kind and sizes, their text.
 *
 * In texts the slowest dimension comes first, in `size` the fastest one: size[0] is written last.
 * Invariant: a valid shape has at most 2^26 nodes, so that node numbers fit into 32 bits, and products of
 * two of its sizes and strides into 64.
 */
#include "network/topology/topology.h"

#include "base/text_scan.h"

#include <stdio.h>
#include <string.h>

const char *const topology_kind_names[TOPOLOGY_KINDS + 1] = {"mesh", "torus", "graph", NULL};

bool shape_is_valid(const struct shape *shape)
{
    uint64_t nodes = 1;
    if (shape->dimensions < 1 || shape->dimensions > TOPOLOGY_DIMENSIONS ||
        (shape->kind == TOPOLOGY_GRAPH && shape->dimensions != 1))
        return false;
    for (uint32_t i = 0; i < shape->dimensions; i++) {
        nodes *= shape->size[i];
        if (nodes < 1 || nodes > TOPOLOGY_MAX_NODES)
            return false;
    }
    return true;
}

bool shape_equals(const struct shape *one, const struct shape *other)
{
    return one->kind == other->kind && one->dimensions == other->dimensions &&
           memcmp(one->size, other->size, one->dimensions * sizeof *one->size) == 0;
}

void shape_text(const struct shape *shape, char text[TOPOLOGY_TEXT_SIZE])
{
    int used = snprintf(text, TOPOLOGY_TEXT_SIZE, "%s:", topology_kind_names[shape->kind]);
    for (uint32_t i = shape->dimensions; i-- > 0;)
        used += snprintf(text + used, TOPOLOGY_TEXT_SIZE - (size_t)used, "%lu%s",
                         (unsigned long)shape->size[i], i > 0 ? "x" : "");
}

/* A size, and what stands behind it. 0: there is none, or it is too large. */
static uint32_t read_size(const char **text)
{
    uint64_t size = 0;
    for (; scan_is_digit(**text); ++*text)
        if (size <= TOPOLOGY_MAX_NODES)
            size = size * 10 + (uint64_t)(**text - '0');
    return size <= TOPOLOGY_MAX_NODES ? (uint32_t)size : 0;
}

bool shape_read_sizes(const char *text, enum topology_kind kind, struct shape *shape)
{
    uint32_t size[TOPOLOGY_DIMENSIONS]; /* as they are written */
    *shape = (struct shape){.kind = kind};
    do {
        if (shape->dimensions == TOPOLOGY_DIMENSIONS)
            return false;
        size[shape->dimensions++] = read_size(&text);
    } while (*text++ == 'x');
    for (uint32_t i = 0; i < shape->dimensions; i++)
        shape->size[i] = size[shape->dimensions - 1 - i];
    return text[-1] == '\0' && shape_is_valid(shape);
}
