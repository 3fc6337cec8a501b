/* planned_tree.c - a source plans the tree of its message by a scheme of network/schemes/.
 *
 * Method: the mesh is the topology rows x cols, whose nodes have the same numbers. The scheme's plan is one worm that
 * names each node of its tree as a stop, in preorder; a stack of the stops whose spans are not over finds parents.
 * Knowledge: the message and the sides of the mesh.
 * Cost: that of the scheme, and O(1) a node of the tree.
 */
#include "routers/planned_tree.h"

#include "base/numbers.h"
#include "network/schemes/scheme.h"
#include "workloads/message_set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct tree_planner {
    struct topology topology;
    const struct scheme *scheme;
    struct scheme_choices choices;
    struct plan plan;
    struct planned_node *node;
    size_t room;   /* for nodes */
    uint64_t *key; /* destinations to be sorted, and sorted ones */
    uint32_t *destination;
    size_t destination_room;
};

static struct topology topology_of(struct mesh mesh)
{
    struct shape shape = shape_of_mesh(mesh);
    return topology_of_shape(&shape);
}

static const struct scheme *scheme_of(const char *name)
{
    const struct scheme *scheme = NULL;
    struct failure failure = {0};
    scheme_find(name, &scheme, &failure);
    assert(scheme != NULL);
    return scheme;
}

struct tree_planner *tree_planner_create(const char *scheme, struct mesh mesh,
                                         struct failure *failure)
{
    struct tree_planner *planner = memory_allocate(1, sizeof *planner);
    if (planner == NULL) {
        fail_memory(failure, "the trees of the messages");
        return NULL;
    }
    planner->topology = topology_of(mesh);
    planner->scheme = scheme_of(scheme);
    return planner;
}

void tree_planner_free(struct tree_planner *planner)
{
    if (planner == NULL)
        return;
    plan_free(&planner->plan);
    free(planner->node);
    free(planner->key);
    free(planner->destination);
    free(planner);
}

static uint32_t node_at(const struct tree_planner *planner, node_place place)
{
    return place_row(place) * planner->topology.shape.size[0] + place_col(place);
}

static node_place place_at(const struct tree_planner *planner, uint32_t node)
{
    uint32_t cols = planner->topology.shape.size[0];
    return place_of(node / cols, node % cols);
}

static bool find_room_for_nodes(struct tree_planner *planner, uint32_t nodes)
{
    struct planned_node *grown = memory_grow(planner->node, &planner->room, nodes, sizeof *grown);
    if (grown == NULL)
        return false;
    planner->node = grown;
    return true;
}

static bool find_room_for_destinations(struct tree_planner *planner, uint32_t count)
{
    size_t room = planner->destination_room;
    uint64_t *key = memory_grow(planner->key, &room, count, sizeof *key);
    if (key == NULL)
        return false;
    planner->key = key;
    uint32_t *destination =
        memory_grow(planner->destination, &planner->destination_room, count, sizeof *destination);
    if (destination == NULL)
        return false;
    planner->destination = destination;
    return true;
}

/* The destinations but the source, ascending; returns how many. */
static uint32_t sort_others(struct tree_planner *planner, node_place source,
                            const node_place *destination, uint32_t count)
{
    uint32_t others = 0;
    for (uint32_t i = 0; i < count; i++)
        if (destination[i] != source)
            planner->key[others++] = node_at(planner, destination[i]);
    qsort(planner->key, others, sizeof *planner->key, compare_u64);
    for (uint32_t i = 0; i < others; i++)
        planner->destination[i] = (uint32_t)planner->key[i];
    return others;
}

/* The nodes of the worm, the source the first; a parent's span is not over yet. Returns how many; 0: no memory. */
static uint32_t read_stops(struct tree_planner *planner)
{
    const struct worm *worm = planner->plan.worm;
    const struct stop *stop = planner->plan.stop + worm->first;
    uint32_t above = 0;
    if (!find_room_for_nodes(planner, worm->stops))
        return 0;
    for (uint32_t i = 0; i < worm->stops; i++) {
        while (i > 0 && above + stop[above].span <= i)
            above = planner->node[above].parent;
        planner->node[i] =
            (struct planned_node){place_at(planner, stop[i].node), above, stop[i].is_destination};
        above = i;
    }
    return worm->stops;
}

uint32_t tree_planner_plan(struct tree_planner *planner, node_place source,
                           const node_place *destination, uint32_t count,
                           const struct planned_node **node, struct failure *failure)
{
    struct failure own = {0};
    uint32_t nodes = 0;
    if (find_room_for_destinations(planner, count)) {
        uint32_t others = sort_others(planner, source, destination, count);
        struct multicast multicast = {.source = node_at(planner, source),
                                      .destinations = others,
                                      .destination = planner->destination,
                                      .flits = 1};
        assert(others > 0);
        if (scheme_plan(planner->scheme, &planner->topology, &multicast, &planner->choices,
                        &planner->plan, &own) == FAIL_NONE)
            nodes = read_stops(planner);
        if (nodes > 0)
            planner->node[0].is_destination = others < count;
    }
    *node = planner->node;
    if (nodes == 0)
        fail_memory(failure, "the trees of the messages");
    return nodes;
}
