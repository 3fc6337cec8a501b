/* tree_meter.c - trees by the segments of their lines, or by a table of paths. */
#include "place/tree_meter.h"

#include "base/parallel.h"
#include "network/schemes/up_down.h"

#include <stdlib.h>
#include <string.h>

/* ---- paths ---- */

/* A table that a team fills in. */
struct path_work {
    struct path_table *paths;
    const struct topology *topology;
    const struct interrupt *interrupt;
    _Atomic bool lacks_memory;
};

/* Fills in the paths from a source; links without an opposite one may lead them over nodes outside
 * the main part. False: no memory. */
static bool find_paths(const struct path_work *work, struct up_down *search, uint32_t source)
{
    const struct topology *topology = work->topology;
    uint32_t *last_link = work->paths->last_link + (size_t)source * topology->nodes;
    if (!up_down_begin(search, topology, source, true))
        return false;
    for (uint32_t node = 0; node < topology->nodes; node++)
        if (topology_is_main(topology, node))
            up_down_reach(search, topology, node);
    for (uint32_t i = 1; i < search->count; i++) {
        uint32_t node = search->reached[i], before = up_down_parent(search, node);
        uint32_t port = topology_port_to(topology, before, node);
        last_link[node] = (uint32_t)topology_link(topology, before, port);
    }
    return true;
}

/* Fills in a thread's share of the sources. */
static void find_share(void *context, const struct team *team)
{
    struct path_work *work = context;
    const struct topology *topology = work->topology;
    struct up_down search = {0};
    for (uint32_t node = team->rank; node < topology->nodes; node += team->size) {
        for (uint64_t link = topology->offset[node]; link < topology->offset[node + 1]; link++)
            work->paths->from[link] = node;
        if (topology_is_main(topology, node) && !interrupt_is_sent(work->interrupt) &&
            !find_paths(work, &search, node))
            work->lacks_memory = true;
    }
    up_down_free(&search);
}

enum failure_kind path_table_make(struct path_table *paths, const struct topology *topology,
                                  uint32_t threads, const struct interrupt *interrupt,
                                  struct failure *failure)
{
    struct path_work work = {.paths = paths, .topology = topology, .interrupt = interrupt};
    uint32_t nodes = topology->nodes;
    *paths = (struct path_table){0};
    if (topology->offset == NULL)
        return FAIL_NONE;
    *paths = (struct path_table){
        .nodes = nodes,
        .last_link = memory_allocate((size_t)nodes * nodes, sizeof *paths->last_link),
        .from = memory_allocate(topology->links, sizeof *paths->from)};
    work.lacks_memory = paths->last_link == NULL || paths->from == NULL;
    if (!work.lacks_memory)
        parallel_run(parallel_begin(threads), find_share, &work);
    if (!work.lacks_memory && interrupt_check(interrupt, failure) == FAIL_NONE)
        return FAIL_NONE;
    path_table_free(paths);
    return work.lacks_memory ? fail_memory(failure, "the paths between all nodes") : failure->kind;
}

void path_table_free(struct path_table *paths)
{
    free(paths->last_link);
    free(paths->from);
    *paths = (struct path_table){0};
}

/* ---- the meter ---- */

enum failure_kind tree_meter_make(struct tree_meter *meter, const struct topology *topology,
                                  const struct path_table *paths, bool counts_links,
                                  struct failure *failure)
{
    uint32_t dimensions = topology->shape.dimensions;
    bool is_walked = paths->nodes > 0;
    size_t lines = (size_t)topology->nodes * dimensions;
    *meter = (struct tree_meter){.topology = topology,
                                 .paths = paths,
                                 .counts = counts_links,
                                 .is_torus = topology->shape.kind == TOPOLOGY_TORUS};
    if (is_walked) {
        meter->passed = memory_allocate(topology->nodes, sizeof *meter->passed);
    } else {
        meter->segment = memory_allocate(lines, sizeof *meter->segment);
        meter->coordinate = memory_allocate(lines, sizeof *meter->coordinate);
    }
    if (counts_links)
        meter->load = memory_allocate(topology->links, sizeof *meter->load);
    if ((is_walked ? meter->passed == NULL : meter->segment == NULL || meter->coordinate == NULL) ||
        (counts_links && meter->load == NULL)) {
        tree_meter_free(meter);
        return fail_memory(failure, "the trees of messages");
    }
    for (size_t i = 0; i < lines && !is_walked; i++)
        meter->coordinate[i] = (int32_t)topology_coordinate(topology, (uint32_t)(i / dimensions),
                                                            (uint32_t)(i % dimensions));
    return FAIL_NONE;
}

void tree_meter_free(struct tree_meter *meter)
{
    free(meter->segment);
    free(meter->coordinate);
    free(meter->passed);
    free(meter->load);
    free(meter->crossed);
    *meter = (struct tree_meter){0};
}

void tree_meter_clear(struct tree_meter *meter)
{
    size_t nodes = meter->topology->nodes;
    if (meter->passed != NULL)
        memset(meter->passed, 0, nodes * sizeof *meter->passed);
    else
        memset(meter->segment, 0,
               nodes * meter->topology->shape.dimensions * sizeof *meter->segment);
    meter->stamp = 1;
}

/* ---- links ---- */

static inline bool make_room(struct tree_meter *meter, uint32_t links)
{
    if (meter->room - meter->crossings >= links)
        return true;
    meter->is_short |= !memory_make_room(&meter->crossed, &meter->room, meter->crossings + links,
                                         sizeof *meter->crossed);
    return !meter->is_short;
}

/* Counts a link, for which there is room. */
static inline void cross(struct tree_meter *meter, uint32_t link)
{
    double load = meter->load[link] -= meter->is_removing;
    double rise = ((4 * load + 6) * load + 4) * load + 1; /* (load + 1)^4 - load^4 */
    meter->energy += meter->is_removing ? -rise : rise;
    meter->load[link] += !meter->is_removing;
    meter->crossed[meter->crossings++] = link;
}

void tree_meter_cross(struct tree_meter *meter, uint32_t root, uint32_t dimension, int32_t from,
                      int32_t to)
{
    const struct topology *topology = meter->topology;
    int32_t size = (int32_t)topology->shape.size[dimension];
    int32_t x = meter->at[dimension], step = to > from ? 1 : -1;
    int32_t here = (x + from + size) % size;
    uint32_t node = root + (uint32_t)(here - x) * topology->stride[dimension];
    if (!make_room(meter, (uint32_t)abs(to - from)))
        return;
    for (int32_t hop = from; hop != to; hop += step) {
        int32_t next = here + step;
        bool is_up = step > 0;
        if (next < 0 || next == size) {
            next -= step * size;
            is_up ^= size == 2; /* it has no other link */
        }
        cross(meter, (uint32_t)topology_link(topology, node, 2 * dimension + !is_up));
        node += (uint32_t)(next - here) * topology->stride[dimension];
        here = next;
    }
}

uint32_t tree_walk(struct tree_meter *meter, uint32_t node)
{
    uint32_t hops = 0, link;
    for (; meter->passed[node] != meter->stamp; hops++) {
        meter->passed[node] = meter->stamp;
        node = path_before(meter->paths, meter->source, node, &link);
        if (meter->counts && make_room(meter, 1))
            cross(meter, link);
    }
    return hops;
}
