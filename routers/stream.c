/* stream.c - the streaming form of Theorem 3: masters that never stop.
 *
 * The walk is stream_walk.c: Step 1 sends each packet, the master of its message, to a random node,
 * Step 2 takes all masters past all tiles, with trees after them, until everything is delivered. It
 * is the run's last phase, so no synchronisation ends it. Steps, S = sqrt(c n): 2 m - 2 at most for
 * Step 1, proven for every set and seed if tiles are equal, counted for the seed and enforced on
 * all grids (stream_walk.c); in all, measured with free copies, at most 1.6 S + 4 m on patterns, 4
 * S + 4 m on sets made for the seed. No worst case is proven; that a run ends is. If c > n / 16, or
 * if circulate needs no more steps than Step 1 and the walk, the run is that of circulate. Buffer,
 * proven: 11 packets per node with equal square tiles, 13 on other grids, 15 on lines of tiles, 10
 * with one tile; 3 more with unit copies (8 k + 3, .. with k slots per channel). doc/stream.md has
 * the arguments. Nodes that send up to l messages: l walks past c / l tiles, one after the other,
 * each on an empty mesh with one message per node (batches.h). A walk drains in rounds of m steps,
 * with a synchronisation after each that reports if anything is left; the last one needs none. So
 * buffers and proofs are those of l = 1, and the walks need l (c / l - 1) sqrt(l n / c) < S =
 * sqrt(l c n) steps, Step 1 l times 2 m.
 * Cost: 259 bytes per node for channels and express packets (machine/channel/channel.c).
 */
#include "primitives/synchronise.h"
#include "routers/batches.h"
#include "routers/routing.h"
#include "routers/stream_walk.h"

enum { MOST_SLOTS = 64, AUTO = MOST_SLOTS + 1 };

static const struct parameter_spec SPECS[] = {
    {"slots", "auto", 1, MOST_SLOTS, "auto", NULL},
    {.name = NULL},
};

struct stream {
    struct routing *routing;
    struct stream_walk walk;
    struct batches batches; /* a walk each */
};

/* ---- the run ---- */

/* Returns the packets per node with so many slots per channel. */
static uint32_t capacity(struct stream *stream, uint32_t slots)
{
    stream->walk.slots = slots;
    return stream_capacity(&stream->walk);
}

/* Chooses one slot per channel, or as many as fit into the capacity that the user gave; FAIL_USAGE
 * if those that were asked for do not. */
static enum failure_kind slots_choose(struct stream *stream, struct failure *failure)
{
    struct routing *routing = stream->routing;
    uint32_t buffer = routing->options->buffer, given = routing_parameter(routing, SPECS, "slots");
    uint32_t slots = given == AUTO ? 1 : given;
    char used[ROUTER_NAME_SIZE];
    while (given == AUTO && slots < MOST_SLOTS && capacity(stream, slots + 1) <= buffer)
        slots++;
    uint32_t least = capacity(stream, slots);
    snprintf(used, sizeof used, "%u", slots);
    routing_use(routing, "slots", used);
    if (buffer == 0 || least <= buffer)
        return FAIL_NONE;
    return fail(
        failure, FAIL_USAGE,
        "router stream with slots=%u cannot run with a buffer of %u; the least is %u packets",
        slots, buffer, least);
}

/* Moves all masters past all tiles, without draining late trees. */
static enum failure_kind walk_once(struct stream_walk *walk, struct failure *failure)
{
    enum failure_kind kind = stream_scatter(walk, "scatter", failure);
    if (kind != FAIL_NONE)
        return kind;
    machine_begin_phase(walk->machine, "walk and deliver");
    return stream_legs(walk, failure);
}

/* Drains until everything is delivered, which is reported to the nodes. */
static enum failure_kind drain_in_rounds(struct stream_walk *walk, struct failure *failure)
{
    uint64_t round = walk->mesh.rows > walk->mesh.cols ? walk->mesh.rows : walk->mesh.cols;
    unsigned held = 1;
    enum failure_kind kind = FAIL_NONE;
    while (held != 0 && kind == FAIL_NONE) {
        uint64_t before = machine_counts(walk->machine)->steps;
        kind = stream_drain(walk, round, failure);
        uint64_t used = machine_counts(walk->machine)->steps - before;
        if (kind == FAIL_NONE)
            kind = synchronise_held(walk->machine, round - used, &held, failure);
        if (kind == FAIL_NONE && held != 0)
            machine_begin_phase(walk->machine, "walk and deliver");
    }
    return kind;
}

static enum failure_kind walk_all(struct stream *stream, struct failure *failure)
{
    struct stream_walk *walk = &stream->walk;
    uint32_t walks = stream->batches.count;
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t i = 0; i < walks && kind == FAIL_NONE; i++) {
        kind = batches_inject(&stream->batches, stream->routing, i, failure);
        if (kind == FAIL_NONE)
            kind = walk_once(walk, failure);
        if (kind == FAIL_NONE)
            kind = i + 1 == walks ? stream_drain(walk, UINT64_MAX, failure)
                                  : drain_in_rounds(walk, failure);
    }
    return kind;
}

static enum failure_kind stream_steps(struct stream *stream, struct failure *failure)
{
    struct routing *routing = stream->routing;
    struct stream_walk *walk = &stream->walk;
    enum failure_kind kind = slots_choose(stream, failure);
    uint32_t buffer = routing->options->buffer;
    if (kind == FAIL_NONE)
        kind = routing_start(routing, buffer > 0 ? buffer : stream_capacity(walk), NULL, failure);
    if (kind != FAIL_NONE)
        return kind;
    walk->machine = routing->machine;
    walk->header = machine_headers(routing->machine);
    kind = stream_permute(walk, routing->options->seed, failure);
    return kind == FAIL_NONE ? walk_all(stream, failure) : kind;
}

/* True if the packets circulate: Step 1 and the walk would last as long. */
static bool circulates(const struct routing *routing)
{
    struct mesh mesh = routing->set->mesh;
    uint64_t side = mesh.rows > mesh.cols ? mesh.rows : mesh.cols, walk;
    uint32_t legs = stream_grid_walk(mesh, batches_congestion(routing), &walk);
    walk += routing->options->copy_is_free ? 0 : legs;
    return circulate_is_due(routing, routing->most_sent * (2 * side - 2 + walk));
}

static enum failure_kind stream_route(struct routing *routing, struct failure *failure)
{
    if (circulates(routing)) {
        routing_runs_as(routing, "circulate");
        return circulate_method.route(routing, failure);
    }
    struct stream stream = {.routing = routing,
                            .walk = {.channels = CHANNELS_OF_BOTH,
                                     .copy_is_free = routing->options->copy_is_free,
                                     .degree = routing->degree}};
    enum failure_kind kind =
        batches_make(&stream.batches, routing, &routing->options->seed, failure);
    if (kind == FAIL_NONE)
        kind = stream_tiles_make(&stream.walk, routing->set->mesh, batches_congestion(routing),
                                 failure);
    if (kind == FAIL_NONE)
        kind = stream_steps(&stream, failure);
    batches_free(&stream.batches);
    stream_walk_free(&stream.walk);
    return kind;
}

/* Returns the goal of doc/stream.md; if packets circulate there is no limit. */
static struct attempt_limits stream_limits(const struct routing *routing)
{
    if (circulates(routing))
        return (struct attempt_limits){0};
    return (struct attempt_limits){.steps =
                                       routing_goal_steps(routing, 1.6, 4.0 * routing->most_sent)};
}

static enum failure_kind stream_choose(const struct routing *routing,
                                       struct router_choices *choices, struct failure *failure)
{
    if (circulates(routing))
        return FAIL_NONE;
    return stream_walk_choose(routing->set->mesh, batches_congestion(routing),
                              routing->options->seed, CHANNELS_OF_BOTH, choices, failure);
}

const struct router_method stream_method = {
    {"stream",
     "Theorem 3 as a stream: masters never stop; buffers O(1) (c / l > n / 16: circulate)",
     "slots=N  packets per channel, 1 .. 64 (default auto: 1; with --buffer B as many\n"
     "         as fit)"},
    SPECS,
    stream_route,
    stream_limits,
    TAKES_MANY,
    NULL,
    stream_choose,
};
