/* planned_tree.c - a source plans the tree of its message by a scheme of network/schemes/.
 *
 * Method: the mesh is the topology rows x cols, whose nodes have the same numbers. The scheme's
 * plan is one worm per tree, which names each node of its tree as a stop, in preorder; a stack of
 * the stops whose spans are not over finds parents.
 * Knowledge: the message and the sides of the mesh; of a broken one also its missing parts.
 * Cost: that of the scheme, and O(1) per node of the tree.
 */
#include "routers/planned_tree.h"

#include "base/numbers.h"
#include "network/schemes/scheme.h"
#include "workloads/message_set.h"

#include <assert.h>
#include <stdlib.h>

struct tree_planner {
    struct mesh mesh;
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

struct tree_planner *tree_planner_create(const char *scheme, const char *parameter, bool is_any,
                                         struct mesh mesh, const struct topology *broken,
                                         struct failure *failure)
{
    struct tree_planner *planner = memory_allocate(1, sizeof *planner);
    if (planner == NULL) {
        fail_memory(failure, "the trees of the messages");
        return NULL;
    }
    planner->mesh = mesh;
    planner->topology = broken != NULL ? *broken : topology_of(mesh);
    planner->scheme = scheme_of(scheme);
    planner->plan.paths.is_any = is_any;
    planner->plan.paths.spreads = true;
    if (parameter != NULL)
        scheme_choose(planner->scheme, parameter, &planner->choices, NULL);
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

/* Sorts the destinations without the source, ascending; returns their number. */
static uint32_t sort_others(struct tree_planner *planner, node_place source,
                            const node_place *destination, uint32_t count)
{
    uint32_t others = 0;
    for (uint32_t i = 0; i < count; i++)
        if (destination[i] != source)
            planner->key[others++] = mesh_index(planner->mesh, destination[i]);
    qsort(planner->key, others, sizeof *planner->key, compare_u64);
    for (uint32_t i = 0; i < others; i++)
        planner->destination[i] = (uint32_t)planner->key[i];
    return others;
}

/* Adds the nodes of a worm, the source first, after `count` others; a parent's span is not over
 * yet. Returns the new number of nodes. */
static uint32_t read_stops(struct tree_planner *planner, const struct worm *worm, uint32_t count)
{
    const struct stop *stop = planner->plan.stop + worm->first;
    struct planned_node *node = planner->node;
    uint32_t named = stop->node == worm->sender, first = count + 1 - named, above = count;
    node[count] = (struct planned_node){mesh_place(planner->mesh, worm->sender), count, false};
    for (uint32_t i = named; i < worm->stops; i++) {
        while (above > count && above - first + stop[above - first].span <= i)
            above = node[above].parent;
        node[first + i] = (struct planned_node){mesh_place(planner->mesh, stop[i].node), above,
                                                stop[i].is_destination};
        above = first + i;
    }
    return first + worm->stops;
}

/* Reads all worms, from number `first` on. Returns the number of their nodes; 0: no memory. */
static uint32_t read_worms(struct tree_planner *planner, uint32_t first)
{
    const struct plan *plan = &planner->plan;
    uint32_t count = 0;
    if (!find_room_for_nodes(planner, plan->stops + plan->worms))
        return 0;
    for (uint32_t i = 0; i < plan->worms; i++)
        count = read_stops(planner, &plan->worm[(first + i) % plan->worms], count);
    return count;
}

uint32_t tree_planner_plan(struct tree_planner *planner, unsigned class, node_place source,
                           const node_place *destination, uint32_t count,
                           const struct planned_node **node, struct failure *failure)
{
    struct failure own = {0};
    uint32_t nodes = 0;
    if (find_room_for_destinations(planner, count)) {
        uint32_t others = sort_others(planner, source, destination, count), next = 0;
        struct multicast multicast = {.source = mesh_index(planner->mesh, source),
                                      .destinations = others,
                                      .destination = planner->destination,
                                      .flits = 1};
        assert(others > 0);
        planner->plan.paths.root = class == 0 ? TOPOLOGY_LEAST_NODE : TOPOLOGY_GREATEST_NODE;
        while (next < others && planner->destination[next] < multicast.source)
            next++;
        if (scheme_plan(planner->scheme, &planner->topology, &multicast, &planner->choices,
                        &planner->plan, &own) == FAIL_NONE)
            nodes = read_worms(planner, next);
        if (nodes > 0)
            planner->node[0].is_destination = others < count;
    }
    *node = planner->node;
    if (nodes == 0)
        fail_memory(failure, "the trees of the messages");
    return nodes;
}
