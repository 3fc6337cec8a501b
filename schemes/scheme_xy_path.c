/* scheme_xy_path.c - two path worms from a corner of a mesh: one snakes along rows, the other along columns.
 *
 * Method: all nodes but the source are shared by two paths. The X path goes along its row to the border, or to the other
 * path, then up to the next row and back; the Y path does the same along columns. A path that has come to the far
 * border away from the source, and is longer than the other one, waits for it. Y begins. Each path has a worm, which visits the
 * destinations on it in its order; from each node on the way it goes to the neighbour on its path that is farthest along, but not
 * beyond the next destination.
 * Properties: each leg is a shortest way. A hop is a stop, since the paths are those of one source.
 * Cost: O(n) time and 17 bytes a node for n nodes.
 * Source: S. Wang, Efficient multicast routing algorithms for mesh-connected multicomputers, 2005 (XY-path). From other
 * corners than the first the mesh is mirrored.
 */
#include "schemes/mesh_2d.h"
#include "schemes/scheme_private.h"

#include <assert.h>
#include <stdlib.h>

enum path_name { PATH_X, PATH_Y, PATHS };
enum { TAKEN_BY_NONE = 0 };

/* The end of a path; coordinates are counted from the source. */
struct path {
    uint32_t at[2], length;
    bool is_back, is_done; /* it goes towards the source's side; no node is left for it */
};

struct sharing {
    const struct topology *topology;
    uint32_t size[2], source;
    uint32_t *label; /* by local number: 2 x place on the path + path, places from 1 on */
    uint32_t *along; /* the nodes of a path from place 1 on, local numbers */
    struct path path[PATHS];
    struct stop *stop;       /* room for a worm's */
    uint8_t *is_destination; /* by local number */
};

static uint32_t local_of(const struct sharing *sharing, const uint32_t at[2])
{
    return at[1] * sharing->size[0] + at[0];
}

/* The node with a local number, and the other way round: the mesh is mirrored. */
static uint32_t mirror(const struct sharing *sharing, uint32_t number)
{
    uint32_t x = number % sharing->size[0], y = number / sharing->size[0];
    if (mesh_2d_x(sharing->topology, sharing->source) > 0)
        x = sharing->size[0] - 1 - x;
    if (mesh_2d_y(sharing->topology, sharing->source) > 0)
        y = sharing->size[1] - 1 - y;
    return y * sharing->size[0] + x;
}

/* Whether a node is there and on no path. */
static bool is_free(const struct sharing *sharing, const uint32_t at[2])
{
    return at[0] < sharing->size[0] && at[1] < sharing->size[1] && local_of(sharing, at) > 0 &&
           sharing->label[local_of(sharing, at)] == TAKEN_BY_NONE;
}

static bool must_wait(const struct sharing *sharing, enum path_name name)
{
    const struct path *path = &sharing->path[name], *other = &sharing->path[!name];
    return path->at[name] == sharing->size[name] - 1 && !path->is_back &&
           path->length > other->length && !other->is_done;
}

/* A path takes its next node; false: there is none. Coordinate `name` is the one along which it runs. */
static bool advance(struct sharing *sharing, enum path_name name)
{
    struct path *path = &sharing->path[name];
    uint32_t ahead[2] = {path->at[0], path->at[1]}, aside[2] = {path->at[0], path->at[1]};
    ahead[name] += path->is_back ? UINT32_MAX : 1; /* below 0 is outside */
    aside[!name]++;
    bool turns = !is_free(sharing, ahead);
    const uint32_t *next = turns ? aside : ahead;
    if (turns && !is_free(sharing, aside))
        return false;
    path->is_back ^= turns;
    path->at[0] = next[0];
    path->at[1] = next[1];
    sharing->label[local_of(sharing, next)] = 2 * ++path->length + name;
    return true;
}

static void share(struct sharing *sharing)
{
    enum path_name turn = PATH_Y;
    while (!sharing->path[PATH_X].is_done || !sharing->path[PATH_Y].is_done) {
        struct path *path = &sharing->path[turn];
        if (!path->is_done && !must_wait(sharing, turn)) {
            path->is_done = !advance(sharing, turn);
            if (!path->is_done)
                continue;
        }
        turn = !turn;
    }
}

/* The label of the neighbour on the same path that is farthest along up to `target`, all labels of which the source, on
 * both, is before. */
static uint32_t next_label(const struct sharing *sharing, uint32_t local, uint32_t target)
{
    uint32_t best = 0;
    for (uint32_t port = 0; port < sharing->topology->ports; port++) {
        uint32_t neighbour = topology_neighbour(sharing->topology, local, port);
        if (neighbour == TOPOLOGY_NO_NODE)
            continue;
        uint32_t label = sharing->label[neighbour];
        if (label % 2 == target % 2 && label <= target && label > best)
            best = label;
    }
    return best;
}

/* Lists the nodes of a path; returns the place of its last destination, 0: it has none. */
static uint32_t list_path(const struct sharing *sharing, enum path_name name)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < sharing->topology->nodes; i++) {
        uint32_t label = sharing->label[i];
        if (label == TAKEN_BY_NONE || label % 2 != (uint32_t)name)
            continue;
        sharing->along[label / 2] = i;
        if (sharing->is_destination[i] && label / 2 > last)
            last = label / 2;
    }
    return last;
}

/* Adds the worm of a path, if it has destinations. */
static enum failure_kind add_worm(const struct sharing *sharing, enum path_name name,
                                  struct plan *plan, struct failure *failure)
{
    uint32_t last = list_path(sharing, name), local = 0, stops = 0;
    if (last == 0)
        return FAIL_NONE;
    for (uint32_t place = 1; place <= last; place++) {
        uint32_t target = sharing->along[place];
        while (sharing->is_destination[target] && local != target) {
            uint32_t label = next_label(sharing, local, sharing->label[target]);
            assert(label > 0);
            local = sharing->along[label / 2];
            sharing->stop[stops++] = (struct stop){
                .node = mirror(sharing, local), .is_destination = sharing->is_destination[local]};
        }
    }
    for (uint32_t i = 0; i < stops; i++)
        sharing->stop[i].span = stops - i;
    if (plan_add_worm(plan, sharing->source, failure) != FAIL_NONE)
        return failure->kind;
    return plan_add_tree(plan, sharing->stop, stops, failure);
}

static enum failure_kind add_worms(struct sharing *sharing, const struct multicast *multicast,
                                   struct plan *plan, struct failure *failure)
{
    for (uint32_t i = 0; i < multicast->destinations; i++)
        sharing->is_destination[mirror(sharing, multicast->destination[i])] = 1;
    share(sharing);
    if (add_worm(sharing, PATH_X, plan, failure) != FAIL_NONE)
        return failure->kind;
    return add_worm(sharing, PATH_Y, plan, failure);
}

static enum failure_kind plan(const struct topology *topology, const struct multicast *multicast,
                              const struct scheme_choices *choices, struct plan *made,
                              struct failure *failure)
{
    (void)choices;
    struct sharing sharing = {
        .topology = topology,
        .source = multicast->source,
        .size = {topology->shape.size[0],
                 topology->shape.dimensions > 1 ? topology->shape.size[1] : 1},
        .label = memory_allocate(topology->nodes, sizeof *sharing.label),
        .along = memory_allocate((size_t)topology->nodes + 1, sizeof *sharing.along),
        .stop = memory_allocate(topology->nodes, sizeof *sharing.stop),
        .is_destination = memory_allocate(topology->nodes, 1)};
    enum failure_kind kind = sharing.label == NULL || sharing.along == NULL ||
                                     sharing.stop == NULL || sharing.is_destination == NULL
                                 ? fail_memory(failure, "the nodes of two paths")
                                 : add_worms(&sharing, multicast, made, failure);
    free(sharing.label);
    free(sharing.along);
    free(sharing.stop);
    free(sharing.is_destination);
    return kind;
}

static enum failure_kind check(const struct topology *topology, struct failure *failure)
{
    return mesh_2d_check("xy-path", topology, failure);
}

static enum failure_kind check_source(const struct topology *topology, uint32_t source,
                                      struct failure *failure)
{
    bool is_corner = true;
    for (uint32_t i = 0; i < topology->shape.dimensions; i++) {
        uint32_t at = topology_coordinate(topology, source, i);
        is_corner &= at == 0 || at == topology->shape.size[i] - 1;
    }
    if (is_corner)
        return FAIL_NONE;
    return fail(
        failure, FAIL_USAGE,
        "scheme xy-path sends from a corner of the mesh alone, not from node %u; scheme lin "
        "would do",
        source);
}

/* Two worms share no node, and each has a stop a node at most; planning, 17 bytes a node, and a plan's array that grows. */
static uint64_t footprint(const struct topology *topology, uint32_t destinations)
{
    enum { NODE_BYTES = 17 + 3 * 8 + 8 };
    (void)destinations;
    return NODE_BYTES * (uint64_t)topology->nodes;
}

static const struct routing *routing(const struct scheme_choices *choices)
{
    (void)choices;
    return &routing_link;
}

const struct scheme scheme_xy_path = {
    .name = "xy-path",
    .summary = "from a corner: a worm that snakes along rows, and one along columns",
    .routing = routing,
    .check = check,
    .check_source = check_source,
    .plan = plan,
    .footprint = footprint,
};
