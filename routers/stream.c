/* stream.c - the streaming form of Theorem 3: masters that never stop.
 *
 * Step 1 sends each packet, the master of its message, to a random node (mesh_permutation.h). Then all
 * masters walk past all tiles of a grid of c tiles or a few more (stream_grid.h) along the tiles'
 * cycle, half of them each way, from seat to seat (tile_cycle.h): one tile a leg, nobody ever
 * waiting. At home in a tile a master hands a copy with its destinations there to the node's slot
 * for injection. From it a dimension-ordered tree drains while the master walks on, alternately
 * along rows first and along columns first, or the other way where it is stuck: through channels of
 * its class, one packet a channel, with a spare slot that a node's channels share and credits that
 * hold back what is full (machine_channel). A master that finds the slot taken keeps those
 * destinations and hands them over at its next home. Behind the last tile masters rest, and hand
 * over what they still have as the slot gets empty. Nothing is ever dropped.
 * Steps, S = sqrt(c n): 2 m - 2 at most for Step 1, proven for every set and seed where tiles are
 * equal, counted for the seed and enforced on all grids (stream_seats.c); measured with free copies for
 * the rest 1.0 S and up to 2 m where c tiles are equal squares, up to 1.5 S and 2 m otherwise; in all at
 * most 1.6 S + 4 m for s = m / sqrt(c) >= 4. No worst case is proven; that a run ends is.
 * Buffer, proven: 12 packets a node with equal square tiles, 14 on other grids, 16 on lines of
 * tiles; 3 more with unit copies (8 k + 4, .. with k slots a channel), 1 fewer without the spare
 * slot. doc/stream.md has the arguments.
 * Cost: 306 bytes a node for channels and express packets (machine/channel_memory.c).
 */
#include "machine/channel.h"
#include "machine/parallel.h"
#include "primitives/multicast_tree.h"
#include "primitives/tile_cycle.h"
#include "routers/routing.h"
#include "routers/stream_grid.h"
#include "routers/stream_seats.h"

#include <stdlib.h>

enum { TREE = 1, ROW_FIRST = 2 }; /* bits of header.state; a master has none */

enum { MOST_SLOTS = 64, AUTO = MOST_SLOTS + 1, MOST_SPARE = 1, AUTO_SPARE };

static const struct parameter_spec SPECS[] = {
    {"slots", "auto", 1, MOST_SLOTS, "auto"},
    {"spare", "auto", 0, MOST_SPARE, "auto"},
    {NULL, NULL, 0, 0, NULL},
};

/* What the clock tells every node. */
enum stage {
    HAND,  /* unit copies: masters at home hand copies over */
    WALK,  /* a leg; with free copies masters hand copies over as they leave */
    DRAIN, /* the walk is over */
};

struct stream {
    struct routing *routing;
    struct headers *header;
    struct tessellation tiles;
    struct tile_cycle cycle;
    struct stream_seats seats;
    uint32_t slots, spare;
    enum stage stage;
};

/* ---- masters ---- */

/* What a master's header says about its walk: header.target is the random node of Step 1. */
struct walk {
    struct seat seat;
    uint32_t start; /* position of its first tile on the cycle */
};

static struct walk walk_of(const struct stream *stream, uint32_t packet)
{
    node_place node = stream->header->packet[packet].target;
    return (struct walk){tile_cycle_seat(&stream->cycle, node),
                         tile_cycle_position(&stream->cycle, node)};
}

/* At which visit, 0 .. tiles - 1, a master comes to the tile of `place`. */
static uint32_t visit_of(const struct stream *stream, const struct walk *walk, node_place place)
{
    return tile_cycle_distance(&stream->cycle, walk->start,
                               tile_cycle_position(&stream->cycle, place), walk->seat.goes_forward);
}

/* Where a master at home goes next; its own place when it has seen all tiles. */
static node_place next_home(const struct stream *stream, struct site site, uint32_t packet)
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

static unsigned master_parts(const struct stream *stream, struct site site, uint32_t packet)
{
    node_place next = stream->stage == WALK ? next_home(stream, site, packet) : site_place(site);
    if (place_row(next) != site.row)
        return place_row(next) > site.row ? PART_SOUTH : PART_NORTH;
    if (place_col(next) != site.col)
        return place_col(next) > site.col ? PART_EAST : PART_WEST;
    return PART_PARK;
}

/* The end of the slots that a master at home hands over: those of this tile, and those of earlier
 * ones that it could not. */
static uint32_t handed_end(const struct stream *stream, struct site site, uint32_t packet)
{
    const struct headers *header = stream->header;
    if (stream->stage == DRAIN)
        return packet + 1;
    struct walk walk = walk_of(stream, packet);
    uint32_t visit = visit_of(stream, &walk, site_place(site)), end = header->packet[packet].first;
    while (end <= packet && visit_of(stream, &walk, header->destination[end]) <= visit)
        end++;
    return end;
}

static uint32_t inject(void *context, struct site site, uint32_t packet)
{
    const struct stream *stream = context;
    struct headers *header = stream->header;
    if (stream->stage == WALK && !stream->routing->options->copy_is_free)
        return MACHINE_NONE; /* a copy would keep the master from setting out */
    uint32_t end = handed_end(stream, site, packet);
    if (end == header->packet[packet].first)
        return MACHINE_NONE;
    uint32_t tree = end > packet ? packet : packet_split(header, packet, end);
    bool row_first = (site.row + place_row(header->destination[tree])) % 2 == 0;
    header->packet[tree].state = TREE | (row_first ? ROW_FIRST : 0);
    tree_start(header, site, tree, row_first);
    return tree;
}

/* A stuck tree, at its start or on its way, goes on from here in the other order of dimensions. */
static void turn(void *context, struct site site, uint32_t packet)
{
    struct headers *header = ((struct stream *)context)->header;
    header->packet[packet].state ^= ROW_FIRST;
    tree_start(header, site, packet, header->packet[packet].state & ROW_FIRST);
}

/* ---- the rule of machine_channel ---- */

static bool is_row_first(const struct headers *header, uint32_t packet)
{
    return header->packet[packet].state & ROW_FIRST;
}

static unsigned parts(void *context, struct site site, uint32_t packet)
{
    const struct stream *stream = context;
    if (!(stream->header->packet[packet].state & TREE))
        return master_parts(stream, site, packet);
    return tree_parts(stream->header, site, packet, is_row_first(stream->header, packet));
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum part part)
{
    const struct stream *stream = context;
    return tree_take(stream->header, site, packet, part, is_row_first(stream->header, packet));
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct stream *stream = context;
    if (stream->header->packet[packet].state & TREE)
        return tree_stop(stream->header, packet, direction);
    node_place next = next_home(stream, site, packet);
    return direction_is_vertical(direction) ? place_row(next) : place_col(next);
}

static unsigned class_of(void *context, uint32_t packet)
{
    const struct stream *stream = context;
    if (!(stream->header->packet[packet].state & TREE))
        return CHANNEL_EXPRESS;
    return is_row_first(stream->header, packet);
}

/* ---- the order of visits ---- */

static int compare_visits(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* A master sorts its destinations by the visits at which it comes to their tiles. */
static void order_slots(const struct stream *stream, uint32_t packet, uint64_t *visit)
{
    struct headers *header = stream->header;
    struct walk walk = walk_of(stream, packet);
    node_place *slot = header->destination + header->packet[packet].first;
    uint32_t count = packet - header->packet[packet].first + 1;
    for (uint32_t i = 0; i < count; i++)
        visit[i] = (uint64_t)visit_of(stream, &walk, slot[i]) << 32 | slot[i];
    qsort(visit, count, sizeof *visit, compare_visits);
    for (uint32_t i = 0; i < count; i++)
        slot[i] = (node_place)visit[i];
}

/* What a thread does to the masters of its nodes. */
struct masters_work {
    struct stream *stream;
    uint64_t *visit; /* [threads][degree] */
};

static void start_band(void *context, const struct team *team)
{
    const struct masters_work *work = context;
    const struct stream *stream = work->stream;
    const struct machine *machine = stream->routing->machine;
    uint64_t *visit = work->visit + (size_t)team->rank * stream->routing->degree;
    uint32_t nodes = mesh_nodes(stream->routing->set->mesh);
    node_index end = parallel_band_start(nodes, team->rank + 1, team->size);
    for (node_index node = parallel_band_start(nodes, team->rank, team->size); node < end; node++)
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet)) {
            struct header *header = &stream->header->packet[packet];
            header->target = stream_seats_node(&stream->seats, header->message);
            order_slots(stream, packet, visit);
        }
}

static enum failure_kind start_masters(struct stream *stream, struct failure *failure)
{
    const struct routing *routing = stream->routing;
    uint32_t threads = routing->result->threads;
    struct masters_work work = {
        stream, memory_allocate((size_t)threads * routing->degree, sizeof *work.visit)};
    if (work.visit == NULL)
        return fail_memory(failure, "the order of visits");
    parallel_run(routing->crew, start_band, &work);
    free(work.visit);
    return FAIL_NONE;
}

/* ---- the algorithm ---- */

static void aim_band(void *context, const struct team *team)
{
    const struct stream *stream = context;
    const struct machine *machine = stream->routing->machine;
    uint32_t nodes = mesh_nodes(stream->routing->set->mesh);
    node_index end = parallel_band_start(nodes, team->rank + 1, team->size);
    for (node_index node = parallel_band_start(nodes, team->rank, team->size); node < end; node++)
        for (uint32_t packet = machine_first_resting(machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(machine, packet)) {
            struct header *header = &stream->header->packet[packet];
            header->target = stream_seats_home(&stream->seats, header->message);
        }
}

/* Every packet to its seat. */
static enum failure_kind step_1(struct stream *stream, struct failure *failure)
{
    struct traffic_bounds bounds;
    parallel_run(stream->routing->crew, aim_band, stream);
    enum failure_kind kind = stream_seats_bound(&stream->seats, &bounds, failure);
    if (kind == FAIL_NONE)
        kind = traffic_route(stream->routing->machine, "1 scatter", &bounds, false, failure);
    return kind == FAIL_NONE ? start_masters(stream, failure) : kind;
}

/* The walk past all tiles, and what is left then. The run's last phase: no synchronisation ends it.
 * Legs start by the clock. */
static enum failure_kind step_2(struct stream *stream, struct failure *failure)
{
    struct machine *machine = stream->routing->machine;
    struct channel_rule rule = {
        .routing = {.context = stream, .parts = parts, .take = take, .stop = stop},
        .class_of = class_of,
        .slots = stream->slots,
        .spare = stream->spare,
        .inject = inject,
        .turn = turn};
    enum failure_kind kind = FAIL_NONE;
    machine_begin_phase(machine, "2 walk and deliver");
    for (uint32_t leg = 1; leg < stream->cycle.count && kind == FAIL_NONE; leg++) {
        stream->stage = HAND;
        if (!stream->routing->options->copy_is_free)
            kind = machine_channel(machine, &rule, true, 1, failure);
        stream->stage = WALK;
        if (kind == FAIL_NONE)
            kind = machine_channel(machine, &rule, true, stream_leg(&stream->cycle), failure);
    }
    stream->stage = DRAIN;
    return kind == FAIL_NONE ? machine_channel(machine, &rule, false, UINT64_MAX, failure) : kind;
}

/* ---- the run ---- */

static uint32_t capacity(const struct stream *stream, uint32_t slots)
{
    return machine_channel_capacity(slots, stream->routing->options->copy_is_free) + stream->spare +
           stream_masters(&stream->cycle);
}

/* One slot a channel and a spare one a node, or as many as fit into the capacity that the user
 * gave; FAIL_USAGE if those that were asked for do not. */
static enum failure_kind slots_choose(struct stream *stream, struct failure *failure)
{
    struct routing *routing = stream->routing;
    uint32_t buffer = routing->options->buffer, slots = routing_parameter(routing, SPECS, "slots");
    uint32_t spare = routing_parameter(routing, SPECS, "spare");
    stream->slots = slots == AUTO ? 1 : slots;
    stream->spare = spare == AUTO_SPARE ? 1 : spare;
    if (spare == AUTO_SPARE && buffer > 0 && capacity(stream, stream->slots) > buffer)
        stream->spare = 0;
    while (slots == AUTO && stream->slots < MOST_SLOTS &&
           capacity(stream, stream->slots + 1) <= buffer)
        stream->slots++;
    struct router_used_parameter *used = routing->result->parameter;
    snprintf(used[0].value, sizeof used[0].value, "%u", stream->slots);
    snprintf(used[1].value, sizeof used[1].value, "%u", stream->spare);
    if (buffer == 0 || capacity(stream, stream->slots) <= buffer)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "router stream with slots=%u and spare=%u cannot live within a buffer of %u "
                "packets; the least is %u",
                stream->slots, stream->spare, buffer, capacity(stream, stream->slots));
}

static enum failure_kind stream_steps(struct stream *stream, struct failure *failure)
{
    struct routing *routing = stream->routing;
    enum failure_kind kind = slots_choose(stream, failure);
    uint32_t buffer = routing->options->buffer;
    if (kind == FAIL_NONE)
        kind = routing_start(routing, buffer > 0 ? buffer : capacity(stream, stream->slots), NULL,
                             failure);
    if (kind != FAIL_NONE)
        return kind;
    stream->header = machine_headers(routing->machine);
    kind = stream_seats_make(&stream->seats, &stream->cycle, routing->options->seed, failure);
    if (kind == FAIL_NONE)
        kind = step_1(stream, failure);
    return kind == FAIL_NONE ? step_2(stream, failure) : kind;
}

static enum failure_kind stream_route(struct routing *routing, struct failure *failure)
{
    struct stream stream = {.routing = routing};
    struct mesh mesh = routing->set->mesh;
    enum failure_kind kind =
        tessellation_grid(&stream.tiles, mesh, stream_grid(mesh, routing->congestion), failure);
    if (kind != FAIL_NONE)
        return kind;
    kind = tile_cycle_make(&stream.cycle, &stream.tiles, failure);
    if (kind == FAIL_NONE)
        kind = stream_steps(&stream, failure);
    stream_seats_free(&stream.seats);
    tile_cycle_free(&stream.cycle);
    tessellation_free(&stream.tiles);
    return kind;
}

/* Before the tiles are cut, which say how many masters a node holds: two at least. */
static uint64_t stream_footprint(const struct routing *routing)
{
    enum { LEAST_MASTERS = 2 };
    struct machine_needs needs = routing_needs(routing, routing->set->deliveries);
    uint32_t slots = routing_parameter(routing, SPECS, "slots"), buffer = routing->options->buffer;
    uint32_t spare = routing_parameter(routing, SPECS, "spare");
    bool copy_is_free = routing->options->copy_is_free;
    needs.uses = USE_URGENCY | USE_CHANNELS | USE_EXPRESS;
    if (routing->options->congestion_is_unknown)
        needs.uses |= USE_WORDS;
    needs.channel_slots = slots == AUTO ? 1 : slots;
    needs.channel_spare = spare == AUTO_SPARE ? 1 : spare;
    while (slots == AUTO && needs.channel_slots < MOST_SLOTS &&
           machine_channel_capacity(needs.channel_slots + 1, copy_is_free) + needs.channel_spare +
                   LEAST_MASTERS <=
               buffer)
        needs.channel_slots++;
    return machine_footprint(&needs) + mesh_nodes(routing->set->mesh);
}

/* The goal of doc/stream.md. A node can have no more than n messages. */
static struct attempt_limits stream_limits(const struct routing *routing)
{
    if (routing->congestion >= mesh_nodes(routing->set->mesh))
        return (struct attempt_limits){0};
    return (struct attempt_limits){routing_goal_steps(routing, 1.6, 4), 0};
}

const struct router_method stream_method = {
    {"stream", "Theorem 3 as a stream: masters never stop, trees drain behind them; buffers O(1)",
     "slots=N  packets a channel, 1 .. 64 (default auto: 1; with --buffer B as many\n"
     "         as fit)\n"
     "spare=0|1  a slot that a node's channels share (default auto: 1, if it fits)"},
    SPECS,
    stream_route,
    stream_limits,
    stream_footprint,
};
