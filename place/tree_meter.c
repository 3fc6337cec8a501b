/* tree_meter.c - trees by the segments of their lines. */
#include "place/tree_meter.h"

#include <stdlib.h>
#include <string.h>

enum failure_kind tree_meter_make(struct tree_meter *meter, const struct topology *topology,
                                  bool counts_links, struct failure *failure)
{
    uint32_t dimensions = topology->shape.dimensions;
    size_t lines = (size_t)topology->nodes * dimensions;
    *meter = (struct tree_meter){.topology = topology,
                                 .is_torus = topology->shape.kind == TOPOLOGY_TORUS,
                                 .weight = 1,
                                 .segment = memory_allocate(lines, sizeof *meter->segment),
                                 .coordinate = memory_allocate(lines, sizeof *meter->coordinate)};
    if (counts_links)
        meter->load = memory_allocate(topology->links, sizeof *meter->load);
    if (meter->segment == NULL || meter->coordinate == NULL ||
        (counts_links && meter->load == NULL)) {
        tree_meter_free(meter);
        return fail_memory(failure, "the trees of messages");
    }
    for (size_t i = 0; i < lines; i++)
        meter->coordinate[i] = (int32_t)topology_coordinate(topology, (uint32_t)(i / dimensions),
                                                            (uint32_t)(i % dimensions));
    return FAIL_NONE;
}

void tree_meter_free(struct tree_meter *meter)
{
    free(meter->segment);
    free(meter->coordinate);
    free(meter->load);
    free(meter->crossed);
    *meter = (struct tree_meter){0};
}

void tree_meter_clear(struct tree_meter *meter)
{
    memset(meter->segment, 0,
           (size_t)meter->topology->nodes * meter->topology->shape.dimensions *
               sizeof *meter->segment);
    meter->stamp = 1;
}

/* Counts the link from a node over a port. */
static void cross(struct tree_meter *meter, uint32_t node, uint32_t port)
{
    uint64_t link = topology_link(meter->topology, node, port);
    meter->load[link] += meter->weight;
    if (!memory_make_room(&meter->crossed, &meter->room, meter->crossings + 1,
                          sizeof *meter->crossed))
        meter->is_short = true;
    else
        meter->crossed[meter->crossings++].link = (uint32_t)link;
}

void tree_meter_cross(struct tree_meter *meter, uint32_t root, uint32_t dimension, int32_t from,
                      int32_t to)
{
    const struct topology *topology = meter->topology;
    int32_t size = (int32_t)topology->shape.size[dimension];
    int32_t x = meter->at[dimension], step = to > from ? 1 : -1;
    for (int32_t hop = from; hop != to; hop += step) {
        int32_t here = (x + hop + size) % size, next = (here + step + size) % size;
        uint32_t node = root + (uint32_t)(here - x) * topology->stride[dimension];
        bool is_up = meter->is_torus && size > 2 ? step > 0 : next > here;
        cross(meter, node, 2 * dimension + !is_up);
    }
}

void tree_meter_collect(struct tree_meter *meter)
{
    size_t distinct = 0;
    for (size_t i = 0; i < meter->crossings; i++) {
        uint32_t link = meter->crossed[i].link;
        if (meter->load[link] == 0)
            continue;
        meter->crossed[distinct++] = (struct tree_crossing){link, meter->load[link]};
        meter->load[link] = 0;
    }
    meter->crossings = distinct;
}
