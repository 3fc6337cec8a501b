/* stream_walk.c - the walk of router `stream`: masters that never stop, trees that drain after
 * them.
 *
 * Step 1 sends each packet, the master of its message, to the seat that a keyed permutation of the
 * nodes names (mesh_permutation.h). If all tiles are equal that is the node itself. On other grids
 * the nodes beyond the cells that all tiles have name second seats (tile_cycle.h): two packets may
 * go to a node, and more than one of a row to a column. The bounds for all n of them are counted,
 * as any node can that knows the sides, c and the seed.
 *   Then all masters walk past all tiles of a grid of c tiles or a few more
 * along the tiles' cycle, half of them each way, from seat to seat (tile_cycle.h): one tile per
 * leg, without ever waiting. At home in a tile a master hands a copy with its destinations there to
 * the node's slot for injection. From it a dimension-ordered tree drains while the master walks on,
 * through channels of few packets, with credits that hold packets back at a full channel
 * (machine_channel). A master that finds the slot taken keeps those destinations and hands them
 * over at its next home. After the last tile masters rest, and hand over their rest as the slot
 * gets empty. Nothing is ever dropped.
 *   Router `stream` has channels of both classes: a tree goes along rows or along columns first, by
 * a parity, and changes the order when it is stuck. It drains until everything is delivered. Router
 * `expander` has two channels fewer (CHANNELS_SHARED): all trees begin along rows, and a tree may
 * turn only at its start. It drains for a number of steps; expander_route.c handles the rest.
 *
 * The number of tiles. With c tiles or more every node gets one message per visit on average, or
 * less. In a tile of side s masters need half of the steps of the links that they use, and trees
 * about a third (s / 4 of them cross the middle of a row or column in a visit of s steps, and they
 * are not spread evenly); with fewer tiles trees fall behind, and then have farther to go. Beyond c
 * = n / 4 that would be tiles of less than four nodes, whose trees cost next to nothing and whose
 * walk costs most: no more tiles than that.
 *   The choice of tiles. In each leg all masters walk as far as the longest side of a tile, so that
 * the walk past p q tiles is about p q times that side, twice that on a line of tiles. Tiles of
 * unequal sizes have second seats, about one more master per line and leg. They are home in as many
 * steps, on a line in one more, but they use links that trees need: a leg is a step longer for
 * these (measured: without it trees fall behind, and the walk on 59 x 59 nodes with c = 100 needs
 * twice as long).
 *   The number of masters at a node (doc/stream.md has the argument): equal square tiles 2; other
 * grids at most one for each direction of travel; on a line of tiles two that rest and two each
 * way.
 *
 * Source: ours, after Section 4 of the paper; doc/stream.md.
 * Cost: 259 bytes per node for channels and express packets (machine/channel/channel.c); while Step
 * 1 is counted 28 bytes per node of a rank.
 */
#include "routers/stream_walk.h"

#include "base/numbers.h"
#include "primitives/multicast_tree.h"
#include "routers/routing.h"

#include <stdlib.h>

enum {
    TREE = 1,
    ROW_FIRST = 2,
    SECOND_SEAT = 4
}; /* bits of header.state; a master has no other than the last */

/* ---- tiles ---- */

enum { LEAST_TILE = 4 }; /* nodes, on average */

/* True if each node beyond the cells that all tiles have finds a second seat of its own. */
static bool has_seats(struct mesh mesh, struct mesh grid)
{
    uint64_t height = mesh.rows / grid.rows, width = mesh.cols / grid.cols;
    uint64_t higher = divide_up(mesh.rows, grid.rows), wider = divide_up(mesh.cols, grid.cols);
    return higher * wider <= 2 * height * width;
}

/* Returns the length of the walk past all tiles; UINT64_MAX if they have no cycle or too few
 * seats. */
static uint64_t walk_length(struct mesh mesh, struct mesh grid)
{
    uint32_t tiles = mesh_nodes(grid);
    bool is_line = grid.rows == 1 || grid.cols == 1;
    bool is_even = mesh.rows % grid.rows == 0 && mesh.cols % grid.cols == 0;
    if ((!is_line && grid.rows % 2 == 1 && grid.cols % 2 == 1) || !has_seats(mesh, grid))
        return UINT64_MAX;
    uint32_t height = divide_up(mesh.rows, grid.rows), width = divide_up(mesh.cols, grid.cols);
    uint32_t leg = height > width ? height : width;
    return (uint64_t)(tiles - 1) * (leg * (is_line && tiles > 2 ? 2 : 1) + !is_even);
}

struct mesh stream_grid(struct mesh mesh, uint32_t congestion)
{
    uint32_t most = mesh_nodes(mesh) / LEAST_TILE;
    uint32_t wanted = congestion < most ? congestion : most;
    struct mesh best = {1, 1};
    uint64_t shortest = UINT64_MAX;
    for (uint32_t rows = 1; wanted > 1 && rows <= mesh.rows && rows <= wanted; rows++) {
        uint32_t cols = divide_up(wanted, rows);
        for (uint32_t more = 0; more < 2 && cols + more <= mesh.cols; more++) {
            struct mesh grid = {rows, cols + more};
            uint64_t length = walk_length(mesh, grid);
            if (length < shortest) {
                shortest = length;
                best = grid;
            }
        }
    }
    return best;
}

uint32_t stream_grid_walk(struct mesh mesh, uint32_t congestion, uint64_t *steps)
{
    struct mesh grid = stream_grid(mesh, congestion);
    *steps = walk_length(mesh, grid);
    return mesh_nodes(grid) - 1;
}

static bool is_line(const struct tile_cycle *cycle)
{
    return axis_intervals(&cycle->tiles->row) == 1 || axis_intervals(&cycle->tiles->col) == 1;
}

uint32_t stream_leg(const struct tile_cycle *cycle)
{
    return cycle->stride + (cycle->is_even ? 0 : is_line(cycle) ? 2 : 1);
}

uint32_t stream_masters(const struct tile_cycle *cycle)
{
    if (cycle->count == 1)
        return 1;
    if (is_line(cycle))
        return 6;
    return cycle->is_even && cycle->height == cycle->width ? 2 : 4;
}

/* ---- seats ---- */

/* The home of a message: the random node itself, or if that is beyond the cells that all tiles
 * have, the cell of its second seat in the tile. */
struct home {
    node_place node;
    bool is_second;
};

static struct home home_of(const struct stream_walk *stream, node_place source)
{
    node_place node = mesh_permutation_at(&stream->permutation, source);
    struct seat seat = tile_cycle_seat(&stream->cycle, node);
    uint32_t position = tile_cycle_position(&stream->cycle, node);
    return (struct home){tile_cycle_home(&stream->cycle, position, seat.cell), seat.is_second};
}

/* Computes the bounds for routing any packets from their sources to their homes, along rows
 * first. */
static enum failure_kind bound_scatter(struct stream_walk *stream, struct failure *failure)
{
    struct mesh mesh = stream->mesh;
    struct traffic traffic;
    enum failure_kind kind =
        traffic_make(&traffic, mesh, (struct traffic_way){0}, mesh_nodes(mesh), failure);
    for (node_index node = 0; kind == FAIL_NONE && node < mesh_nodes(mesh); node++) {
        node_place source = mesh_place(mesh, node);
        traffic_add(&traffic, source, home_of(stream, source).node);
    }
    if (kind == FAIL_NONE)
        kind = traffic_bound(&traffic, &stream->scatter, failure);
    traffic_free(&traffic);
    return kind;
}

/* ---- masters ---- */

/* The walk of a master by its header: header.target is its node after Step 1, header.state its seat
 * there. */
struct walk {
    struct seat seat;
    uint32_t start; /* position of its first tile on the cycle */
};

static struct walk walk_of(const struct stream_walk *stream, uint32_t packet)
{
    const struct header *header = &stream->header->packet[packet];
    return (struct walk){
        tile_cycle_seat_at(&stream->cycle, header->target, header->state & SECOND_SEAT),
        tile_cycle_position(&stream->cycle, header->target)};
}

/* Returns the visit, 0 .. tiles - 1, at which a master is in the tile of `place`. */
static uint32_t visit_of(const struct stream_walk *stream, const struct walk *walk,
                         node_place place)
{
    return tile_cycle_distance(&stream->cycle, walk->start,
                               tile_cycle_position(&stream->cycle, place), walk->seat.goes_forward);
}

/* Returns the next home of a master at home; its own place when it has seen all tiles. */
static node_place next_home(const struct stream_walk *stream, struct site site, uint32_t packet)
{
    const struct tile_cycle *cycle = &stream->cycle;
    struct walk walk = walk_of(stream, packet);
    node_place here = site_place(site);
    if (visit_of(stream, &walk, here) == cycle->count - 1)
        return here;
    uint32_t next =
        tile_cycle_next(cycle, tile_cycle_position(cycle, here), walk.seat.goes_forward);
    return tile_cycle_home(cycle, next, walk.seat.cell);
}

static unsigned master_outputs(const struct stream_walk *stream, struct site site, uint32_t packet)
{
    node_place next =
        stream->stage == STREAM_WALK ? next_home(stream, site, packet) : site_place(site);
    return next == site_place(site) ? OUT_HOLD : link_towards(site, next, true);
}

/* Returns the end of the slots that a master at home hands over: those of this tile, and those of
 * earlier ones that it could not. */
static uint32_t handed_end(const struct stream_walk *stream, struct site site, uint32_t packet)
{
    const struct headers *header = stream->header;
    if (stream->stage == STREAM_DRAIN)
        return packet + 1;
    struct walk walk = walk_of(stream, packet);
    uint32_t visit = visit_of(stream, &walk, site_place(site)), end = header->packet[packet].first;
    while (end <= packet && visit_of(stream, &walk, header->destination[end]) <= visit)
        end++;
    return end;
}

static uint32_t inject(void *context, struct site site, uint32_t packet)
{
    const struct stream_walk *stream = context;
    struct headers *header = stream->header;
    if (stream->stage == STREAM_WALK && !stream->copy_is_free)
        return MACHINE_NONE; /* a copy would keep the master from setting out */
    uint32_t end = handed_end(stream, site, packet);
    if (end == header->packet[packet].first)
        return MACHINE_NONE;
    uint32_t tree = end > packet ? packet : packet_split(header, packet, end);
    bool row_first = stream->channels == CHANNELS_SHARED ||
                     (site.row + place_row(header->destination[tree])) % 2 == 0;
    header->packet[tree].state = TREE | (row_first ? ROW_FIRST : 0);
    tree_start(header, site, tree, row_first);
    return tree;
}

/* Gives a stuck tree the other order of dimensions from here on. */
static void turn(void *context, struct site site, uint32_t packet)
{
    struct headers *header = ((struct stream_walk *)context)->header;
    header->packet[packet].state ^= ROW_FIRST;
    tree_start(header, site, packet, header->packet[packet].state & ROW_FIRST);
}

/* ---- the rule of machine_channel ---- */

static bool is_row_first(const struct headers *header, uint32_t packet)
{
    return header->packet[packet].state & ROW_FIRST;
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    const struct stream_walk *stream = context;
    if (!(stream->header->packet[packet].state & TREE))
        return master_outputs(stream, site, packet);
    return tree_outputs(stream->header, site, packet, is_row_first(stream->header, packet));
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum output output)
{
    const struct stream_walk *stream = context;
    return tree_take(stream->header, site, packet, output, is_row_first(stream->header, packet));
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct stream_walk *stream = context;
    if (stream->header->packet[packet].state & TREE)
        return tree_stop(stream->header, packet, direction);
    node_place next = next_home(stream, site, packet);
    return line_of_place(next, direction);
}

static unsigned class_of(void *context, uint32_t packet)
{
    const struct stream_walk *stream = context;
    if (!(stream->header->packet[packet].state & TREE))
        return CHANNEL_EXPRESS;
    return is_row_first(stream->header, packet);
}

/* ---- the algorithm ---- */

static uint64_t visit_of_slot(void *context, uint32_t packet, node_place place)
{
    const struct stream_walk *stream = context;
    struct walk walk = walk_of(stream, packet);
    return visit_of(stream, &walk, place);
}

/* Aims the masters, which are at their sources. */
static void aim_band(void *context, const struct team *team)
{
    const struct stream_walk *stream = context;
    const struct machine *machine = stream->machine;
    struct node_range nodes = routing_nodes(machine, team);
    for (struct resting at = resting_at(machine, nodes); resting_next(&at);) {
        struct header *header = &stream->header->packet[at.packet];
        struct home home = home_of(stream, site_place(at.site));
        header->target = home.node;
        header->state = home.is_second ? SECOND_SEAT : 0;
    }
}

enum failure_kind stream_scatter(struct stream_walk *stream, const char *name,
                                 struct failure *failure)
{
    parallel_run(machine_config(stream->machine)->threads, aim_band, stream);
    enum failure_kind kind = traffic_route(stream->machine, name, &stream->scatter, false, failure);
    if (kind != FAIL_NONE)
        return kind;
    return routing_order_slots(stream->machine, stream->degree, visit_of_slot, stream, failure);
}

static enum failure_kind channel_for(struct stream_walk *stream, enum stream_stage stage, bool wake,
                                     uint64_t steps, struct failure *failure)
{
    struct channel_rule rule = {
        .routing = {.context = stream, .outputs = outputs, .take = take, .stop = stop},
        .class_of = class_of,
        .channels = stream->channels,
        .slots = stream->slots,
        .inject = inject,
        .switch_class = turn};
    stream->stage = stage;
    return machine_channel(stream->machine, &rule, wake, steps, failure);
}

/* Walks the legs, which start by the clock. */
enum failure_kind stream_legs(struct stream_walk *stream, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t leg = 1; leg < stream->cycle.count && kind == FAIL_NONE; leg++) {
        if (!stream->copy_is_free)
            kind = channel_for(stream, STREAM_HAND, true, 1, failure);
        if (kind == FAIL_NONE)
            kind = channel_for(stream, STREAM_WALK, true, stream_leg(&stream->cycle), failure);
    }
    return kind;
}

uint64_t stream_legs_steps(const struct stream_walk *stream)
{
    uint64_t leg = stream_leg(&stream->cycle) + (stream->copy_is_free ? 0 : 1);
    return (stream->cycle.count - 1) * leg;
}

enum failure_kind stream_drain(struct stream_walk *stream, uint64_t steps, struct failure *failure)
{
    return channel_for(stream, STREAM_DRAIN, false, steps, failure);
}

/* ---- life ---- */

uint32_t stream_capacity(const struct stream_walk *stream)
{
    return machine_channel_capacity(stream->channels, stream->slots, stream->copy_is_free) +
           stream_masters(&stream->cycle);
}

enum failure_kind stream_tiles_make(struct stream_walk *stream, struct mesh mesh,
                                    uint32_t congestion, struct failure *failure)
{
    stream->mesh = mesh;
    enum failure_kind kind =
        tessellation_grid(&stream->tiles, mesh, stream_grid(mesh, congestion), failure);
    return kind == FAIL_NONE ? tile_cycle_make_turning(&stream->cycle, &stream->tiles, failure)
                             : kind;
}

enum failure_kind stream_permute(struct stream_walk *stream, uint64_t seed, struct failure *failure)
{
    enum failure_kind kind =
        mesh_permutation_make(&stream->permutation, seed, 0, stream->mesh, failure);
    return kind == FAIL_NONE ? bound_scatter(stream, failure) : kind;
}

void stream_walk_free(struct stream_walk *stream)
{
    mesh_permutation_free(&stream->permutation);
    tile_cycle_free(&stream->cycle);
    tessellation_free(&stream->tiles);
}

/* ---- choices ---- */

static struct handover handover(const void *own, node_place source, node_place destination)
{
    const struct stream_walk *stream = own;
    const struct tile_cycle *cycle = &stream->cycle;
    struct home start = home_of(stream, source);
    struct seat seat = tile_cycle_seat_at(cycle, start.node, start.is_second);
    uint32_t from = tile_cycle_position(cycle, start.node);
    uint32_t to = tile_cycle_position(cycle, destination);
    node_place home = tile_cycle_home(cycle, to, seat.cell);
    return (struct handover){
        .home = home,
        .visit = tile_cycle_distance(cycle, from, to, seat.goes_forward),
        .group = 2 * from + !seat.goes_forward,
        .row_first = stream->channels == CHANNELS_SHARED ||
                     (place_row(home) + place_row(destination)) % 2 == 0,
    };
}

static void release(void *own)
{
    stream_walk_free(own);
    free(own);
}

enum failure_kind stream_walk_choose(struct mesh mesh, uint32_t congestion, uint64_t seed,
                                     uint32_t channels, struct router_choices *choices,
                                     struct failure *failure)
{
    struct stream_walk *stream = memory_allocate(1, sizeof *stream);
    if (stream == NULL)
        return fail_memory(failure, "the choices of a walk");
    stream->channels = channels;
    *choices = (struct router_choices){.own = stream, .release = release};
    enum failure_kind kind = stream_tiles_make(stream, mesh, congestion, failure);
    if (kind == FAIL_NONE)
        kind = mesh_permutation_make(&stream->permutation, seed, 0, mesh, failure);
    if (kind != FAIL_NONE)
        return kind;
    choices->tiles = &stream->tiles;
    choices->visits = stream->cycle.count;
    choices->groups = 2 * stream->cycle.count;
    choices->handover = handover;
    return FAIL_NONE;
}
