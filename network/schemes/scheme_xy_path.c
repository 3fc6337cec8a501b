/* scheme_xy_path.c - path worms that snake about the source: in each submesh one along rows, and
 * one along columns.
 *
 * Method: the mesh is cut at the source into submeshes with the source in a corner: up to four, one
 * if the source is a corner. In each, two paths share all nodes but the source. The X path goes
 * along its row to the border, or to the other path, then up to the next row and back; the Y path
 * does the same along columns. A path that has come to the far border, and is longer than the other
 * one, waits for it. Y begins. Each path has a worm, which visits the destinations on the path in
 * its order; from each node it goes to the neighbour on its path that is farthest along, but not
 * beyond the next destination.
 *   The source's own column belongs to the side with more destinations, in case of a tie to that of
 * larger coordinates; its row likewise.
 * Properties: each leg is a shortest way. Only worms along the same half row or half column of the
 * source share nodes: a path along rows has all of its submesh's first row and nothing of its first
 * column. Each hop is a stop, since paths depend on the source.
 *   Deadlock: worms of one message share links only while both go straight on from the source, and
 * each destination takes its copy from one worm. So a worm waits only for one whose header is
 * farther along, and one message cannot deadlock. Several can, as their paths turn in all
 * directions; not under store-and-forward.
 * Cost: O(n) time and 17 bytes per node for n nodes.
 * Source: S. Wang, Efficient multicast routing algorithms for mesh-connected multicomputers, 2005
 * (XY-path), from the first corner; the cuts, and the order of submeshes, are ours.
 */
#include "network/schemes/scheme_private.h"

#include <assert.h>
#include <string.h>

enum path_name { PATH_X, PATH_Y, PATHS };
enum { TAKEN_BY_NONE = 0 };

/* The end of a path; coordinates are counted from the source. */
struct path {
    uint32_t at[2], length;
    bool is_back, is_done; /* it goes towards the source's side; no node is left for it */
};

/* A submesh. */
struct sharing {
    const struct planning *planning;
    const struct topology *topology;
    uint32_t from[2]; /* the source's coordinates */
    bool is_down[2];  /* the submesh is on the side of smaller coordinates */
    uint32_t size[2];
    uint32_t *label; /* by local number: 2 x place on the path + path, places from 1 on */
    uint32_t *along; /* the nodes of a path from place 1 on, local numbers */
    struct path path[PATHS];
    struct stop *stop;       /* room for a worm's */
    uint8_t *is_destination; /* by local number */
};

static uint32_t coordinate(const struct topology *topology, uint32_t node, int dimension)
{
    return dimension == 0 ? mesh_2d_x(topology, node) : mesh_2d_y(topology, node);
}

static uint32_t size_of(const struct topology *topology, uint32_t dimension)
{
    return dimension < topology->shape.dimensions ? topology->shape.size[dimension] : 1;
}

static uint32_t local_of(const struct sharing *sharing, const uint32_t at[2])
{
    return at[1] * sharing->size[0] + at[0];
}

/* Returns the node with a local number. */
static uint32_t node_of(const struct sharing *sharing, uint32_t local)
{
    uint32_t x = local % sharing->size[0], y = local / sharing->size[0];
    x = sharing->is_down[0] ? sharing->from[0] - x : sharing->from[0] + x;
    y = sharing->is_down[1] ? sharing->from[1] - y : sharing->from[1] + y;
    return y * sharing->topology->shape.size[0] + x;
}

/* True if a node is there and on no path. */
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

/* Adds the next node to a path; false: there is none. Coordinate `name` is the one along which it
 * runs. */
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

/* Returns the label of the farthest neighbour on the same path, up to `target`; the source, on both
 * paths, is before all labels. */
static uint32_t next_label(const struct sharing *sharing, uint32_t local, uint32_t target)
{
    uint32_t best = 0, at[2] = {local % sharing->size[0], local / sharing->size[0]};
    for (uint32_t port = 0; port < 4; port++) {
        uint32_t next[2] = {at[0], at[1]};
        next[port / 2] += port % 2 == 0 ? 1 : UINT32_MAX; /* below 0 is outside */
        if (next[0] >= sharing->size[0] || next[1] >= sharing->size[1])
            continue;
        uint32_t label = sharing->label[local_of(sharing, next)];
        if (label % 2 == target % 2 && label <= target && label > best)
            best = label;
    }
    return best;
}

/* Lists the nodes of a path; returns the place of its last destination, 0: it has none. */
static uint32_t list_path(const struct sharing *sharing, enum path_name name)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < sharing->size[0] * sharing->size[1]; i++) {
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
static void add_worm(const struct sharing *sharing, enum path_name name)
{
    uint32_t last = list_path(sharing, name), local = 0, stops = 0;
    for (uint32_t place = 1; place <= last; place++) {
        uint32_t target = sharing->along[place];
        while (sharing->is_destination[target] && local != target) {
            uint32_t label = next_label(sharing, local, sharing->label[target]);
            assert(label > 0);
            local = sharing->along[label / 2];
            sharing->stop[stops++] = (struct stop){
                .node = node_of(sharing, local), .is_destination = sharing->is_destination[local]};
        }
    }
    for (uint32_t i = 0; i < stops; i++)
        sharing->stop[i].span = stops - i;
    if (stops > 0)
        plan_add_tree(sharing->planning->plan, sharing->planning->multicast->source, sharing->stop,
                      stops);
}

/* True if more destinations are on the side of smaller coordinates, to which the source's own row
 * or column then belongs. */
static bool axis_is_down(const struct sharing *sharing, int dimension)
{
    const struct multicast *multicast = sharing->planning->multicast;
    uint32_t below = 0, above = 0;
    for (uint32_t i = 0; i < multicast->destinations; i++) {
        uint32_t at = coordinate(sharing->topology, multicast->destination[i], dimension);
        below += at < sharing->from[dimension];
        above += at > sharing->from[dimension];
    }
    return below > above;
}

/* Takes the destinations of the submesh; returns their number. */
static uint32_t take_destinations(struct sharing *sharing, const bool axis_down[2])
{
    const struct multicast *multicast = sharing->planning->multicast;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < multicast->destinations; i++) {
        uint32_t at[2];
        bool is_here = true;
        for (int j = 0; j < 2; j++) {
            uint32_t to = coordinate(sharing->topology, multicast->destination[i], j);
            uint32_t from = sharing->from[j];
            is_here &= (to == from ? axis_down[j] : to < from) == sharing->is_down[j];
            at[j] = to < from ? from - to : to - from;
        }
        if (is_here)
            sharing->is_destination[local_of(sharing, at)] = 1;
        taken += is_here;
    }
    return taken;
}

/* Adds the two worms of a submesh, if it has destinations. */
static void serve(struct sharing *sharing, const bool axis_down[2])
{
    for (int i = 0; i < 2; i++) {
        uint32_t size = size_of(sharing->topology, (uint32_t)i);
        sharing->size[i] = sharing->is_down[i] ? sharing->from[i] + 1 : size - sharing->from[i];
        sharing->path[i] = (struct path){.length = 0};
    }
    size_t nodes = (size_t)sharing->size[0] * sharing->size[1];
    memset(sharing->label, 0, nodes * sizeof *sharing->label);
    memset(sharing->is_destination, 0, nodes);
    if (take_destinations(sharing, axis_down) == 0)
        return;
    share(sharing);
    add_worm(sharing, PATH_X);
    add_worm(sharing, PATH_Y);
}

static void plan(const struct planning *planning)
{
    /* Opposite submeshes follow one another, since their worms leave over different ports. */
    static const bool sides[][2] = {{false, false}, {true, true}, {true, false}, {false, true}};
    const struct topology *topology = planning->topology;
    struct plan *plan = planning->plan;
    uint32_t source = planning->multicast->source;
    struct sharing sharing = {
        .planning = planning,
        .topology = topology,
        .from = {mesh_2d_x(topology, source), mesh_2d_y(topology, source)},
        .label = plan_scratch(plan, topology->nodes, sizeof *sharing.label),
        .along = plan_scratch(plan, (size_t)topology->nodes + 1, sizeof *sharing.along),
        .stop = plan_scratch(plan, topology->nodes, sizeof *sharing.stop),
        .is_destination = plan_scratch(plan, topology->nodes, 1)};
    if (plan->lacks_memory)
        return;
    bool axis_down[2] = {axis_is_down(&sharing, 0), axis_is_down(&sharing, 1)};
    for (int i = 0; i < 4; i++) {
        memcpy(sharing.is_down, sides[i], sizeof sides[i]);
        serve(&sharing, axis_down);
    }
}

const struct scheme scheme_xy_path = {
    .name = "xy-path",
    .summary = "per quadrant a worm that snakes along rows, and one along columns",
    .routing = scheme_link_routing,
    .needs = NEEDS_FLAT_MESH,
    .plan = plan,
};
