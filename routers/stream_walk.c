/* stream_walk.c - the walk of router `stream`: masters that never stop, trees that drain behind them.
 *
 * Step 1 sends each packet, the master of its message, to the seat that a permutation names
 * (mesh_permutation.h). Then all masters walk past all tiles of a grid of c tiles or a few more
 * (stream_grid.h) along the tiles' cycle, half of them each way, from seat to seat (tile_cycle.h): one tile
 * a leg, nobody ever waiting. At home in a tile a master hands a copy with its destinations there to the
 * node's slot for injection. From it a dimension-ordered tree drains while the master walks on, through channels
 * of few packets, with spare slots that a node's channels share, and credits that hold packets back where a
 * channel is full (machine_channel). A master that finds the slot taken keeps those destinations and hands them
 * over at its next home. Behind the last tile masters rest, and hand over what they still have as the slot gets
 * empty. Nothing is ever dropped.
 *   Router `stream` has channels of both classes: a tree goes along rows or along columns first, by a parity, and
 * takes the other order where it is stuck. It drains until all is delivered. Router `expander` has two channels
 * fewer (CHANNELS_SHARED): all trees begin along rows, and a tree may turn only at its start. It drains for a
 * number of steps; what is left then is the business of expander_stream.c.
 *
 * Source: ours, after Section 4 of the paper; doc/stream.md.
 * Cost: 341 bytes per node for channels and express packets (machine/channel/channel_memory.c).
 */
#include "routers/stream_walk.h"

#include "base/numbers.h"
#include "primitives/multicast_tree.h"
#include "routers/routing.h"
#include "routers/stream_grid.h"

#include <stdlib.h>

enum {
    TREE = 1,
    ROW_FIRST = 2,
    SECOND_SEAT = 4
}; /* bits of header.state; a master has no other than the last */

/* ---- masters ---- */

/* What a master's header says about its walk: header.target is where Step 1 sent it, header.state which of two seats
 * it has there. */
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

/* At which visit, 0 .. tiles - 1, a master comes to the tile of `place`. */
static uint32_t visit_of(const struct stream_walk *stream, const struct walk *walk,
                         node_place place)
{
    return tile_cycle_distance(&stream->cycle, walk->start,
                               tile_cycle_position(&stream->cycle, place), walk->seat.goes_forward);
}

/* Where a master at home goes next; its own place when it has seen all tiles. */
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
    if (place_row(next) != site.row)
        return place_row(next) > site.row ? OUT_SOUTH : OUT_NORTH;
    if (place_col(next) != site.col)
        return place_col(next) > site.col ? OUT_EAST : OUT_WEST;
    return OUT_HOLD;
}

/* The end of the slots that a master at home hands over: those of this tile, and those of earlier
 * ones that it could not. */
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

/* A stuck tree takes the other order of dimensions from here on. */
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
    return direction_is_vertical(direction) ? place_row(next) : place_col(next);
}

static unsigned class_of(void *context, uint32_t packet)
{
    const struct stream_walk *stream = context;
    if (!(stream->header->packet[packet].state & TREE))
        return CHANNEL_EXPRESS;
    return is_row_first(stream->header, packet);
}

/* ---- the order of visits ---- */

/* A master sorts its destinations by the visits at which it comes to their tiles. */
static void order_slots(const struct stream_walk *stream, uint32_t packet, uint64_t *visit)
{
    struct headers *header = stream->header;
    struct walk walk = walk_of(stream, packet);
    node_place *slot = header->destination + header->packet[packet].first;
    uint32_t count = packet - header->packet[packet].first + 1;
    for (uint32_t i = 0; i < count; i++)
        visit[i] = (uint64_t)visit_of(stream, &walk, slot[i]) << 32 | slot[i];
    qsort(visit, count, sizeof *visit, compare_u64);
    for (uint32_t i = 0; i < count; i++)
        slot[i] = (node_place)visit[i];
}

/* What a thread does to the masters of its nodes. */
struct masters_work {
    struct stream_walk *stream;
    uint64_t *visit; /* [threads][degree] */
};

static void order_band(void *context, const struct team *team)
{
    const struct masters_work *work = context;
    const struct stream_walk *stream = work->stream;
    const struct machine *machine = stream->machine;
    uint64_t *visit = work->visit + (size_t)team->rank * stream->degree;
    struct node_range nodes = routing_nodes(machine, team);
    for (node_index node = nodes.first; node < nodes.end; node++)
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet))
            order_slots(stream, packet, visit);
}

static enum failure_kind order_masters(struct stream_walk *stream, struct failure *failure)
{
    uint32_t threads = machine_config(stream->machine)->threads;
    struct masters_work work = {
        stream, memory_allocate((size_t)threads * stream->degree, sizeof *work.visit)};
    if (work.visit == NULL)
        return fail_memory(failure, "the order of visits");
    parallel_run(threads, order_band, &work);
    free(work.visit);
    return FAIL_NONE;
}

/* ---- the algorithm ---- */

/* Masters are at their sources. */
static void aim_band(void *context, const struct team *team)
{
    const struct stream_walk *stream = context;
    const struct machine *machine = stream->machine;
    struct node_range nodes = routing_nodes(machine, team);
    for (node_index node = nodes.first; node < nodes.end; node++)
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet)) {
            struct header *header = &stream->header->packet[packet];
            struct stream_home home = stream_seats_home(&stream->seats, node);
            header->target = home.node;
            header->state = home.is_second ? SECOND_SEAT : 0;
        }
}

enum failure_kind stream_scatter(struct stream_walk *stream, const char *name,
                                 struct failure *failure)
{
    parallel_run(machine_config(stream->machine)->threads, aim_band, stream);
    enum failure_kind kind = traffic_route(stream->machine, name, &stream->scatter, false, failure);
    return kind == FAIL_NONE ? order_masters(stream, failure) : kind;
}

static enum failure_kind channel_for(struct stream_walk *stream, enum stream_stage stage, bool wake,
                                     uint64_t steps, struct failure *failure)
{
    struct channel_rule rule = {
        .routing = {.context = stream, .outputs = outputs, .take = take, .stop = stop},
        .class_of = class_of,
        .channels = stream->channels,
        .slots = stream->slots,
        .spare = stream->spare,
        .inject = inject,
        .switch_class = turn};
    stream->stage = stage;
    return machine_channel(stream->machine, &rule, wake, steps, failure);
}

/* Legs start by the clock. */
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
           stream->spare + stream_masters(&stream->cycle);
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
    enum failure_kind kind = stream_seats_make(&stream->seats, &stream->cycle, seed, failure);
    return kind == FAIL_NONE ? stream_seats_bound(&stream->seats, &stream->scatter, failure) : kind;
}

void stream_walk_free(struct stream_walk *stream)
{
    stream_seats_free(&stream->seats);
    tile_cycle_free(&stream->cycle);
    tessellation_free(&stream->tiles);
}

/* ---- choices ---- */

static struct handover handover(const void *own, node_place source, node_place destination)
{
    const struct stream_walk *stream = own;
    const struct tile_cycle *cycle = &stream->cycle;
    struct stream_home start = stream_seats_home(
        &stream->seats, place_row(source) * stream->mesh.cols + place_col(source));
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
        kind = stream_seats_make(&stream->seats, &stream->cycle, seed, failure);
    if (kind != FAIL_NONE)
        return kind;
    choices->tiles = &stream->tiles;
    choices->visits = stream->cycle.count;
    choices->groups = 2 * stream->cycle.count;
    choices->handover = handover;
    return FAIL_NONE;
}
