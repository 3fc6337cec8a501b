/* expander_route.c - Theorem 4: deterministic multicast with constant buffers.
 *
 * Random groups keep the packets for one neighbourhood apart in Theorem 3; here a bipartite graph
 * does, for every message set. The messages are divided into r classes, routed one after the other
 * in phases. In a phase each message becomes r replicas, which go to the r groups that are its
 * neighbours in the graph (Steps 1 to 3); each group goes around the Hamiltonian cycle of c tiles,
 * and at each tile at most alpha packets per node are selected for each block and delivered (Step
 * 4); the replicas go home and become one packet again, with the destinations that none of them
 * delivered (Steps 5 and 6). If the graph expands, few packets are left for a block after a phase
 * (Lemma 4), and of them all in the next one.
 *   Most sets need no replicas. So a run begins with one pass of the walk of router `stream`
 * (stream_walk.c), with six channels per node instead of eight, and a permutation that is fixed and
 * public, of a length that all nodes know: 2 S + 4 m steps, S = sqrt(c n); 1.6 times as many with
 * unit copies. An OR over the mesh reports whether anything is left. If so trees may drain for some
 * rounds more, half as long, with an OR after each: seven by default, 9 S + 18 m steps in all. The
 * walk delivers everything on all known sets. If something is left when its rounds are over it was
 * in vain: all nodes discard their packets, the messages are injected anew from their input queues,
 * and the replicas begin, whose bound is then that of a run without a walk. Delivered messages
 * stay, and are not delivered twice. Later batches have no walk.
 *   Before the first phase an OR over the mesh reports if the class has anything at all; after the
 * visits of each phase if any replica has anything left, without which none needs to go home; and
 * after Step 6 if the class has.
 *   Sizes. The number of tiles is the power of two nearest to c, s the side of a tile, b the power
 * of two nearest to s: the number of blocks of a tile. There are r classes, so that the replicas of
 * one fill the mesh; the paper has log n of both (literal=1), and alpha = floor(1 / lambda) + 1 of
 * the lambda that is certified for the graph (expanders/bracket.h). By default r = 4, alpha = 2
 * (doc/theorem4.md).
 *   c < log^4 n: the paper falls back to (d,c)-routing, which has the same bound there; we run the
 * algorithm for 4 <= c <= n/16, router unicast below and router circulate above.
 *   Nodes that send up to l messages: l batches of one message per node (batches.h), which are
 * public, each such a run for c / l tiles.
 *   d > c: the paper assumes d <= c, by Lemma 1; it is not needed here: a block is wanted by at
 * most c b packets, for any d, and Lemma 4 needs no more.
 *   No random bit is drawn: a random graph is a table that the nodes hold before the run.
 *
 * Steps, S = sqrt(c n), free copies: the walk at most 2 S + 4 m and an OR on patterns and on sets
 * against the graph (measured), with seven further rounds 9 S + 18 m. The replicas: for each class
 * and phase 13 S, 2 m for Step 3, and 2 m for Step 5 if anything is left. The sum is proven before
 * the run, for every set: expander_bound.c. Buffer, proven: the larger of the walk's and the
 * replicas', 10 packets on equal square tiles with free copies; enforced as the machine's capacity.
 * Source: Section 5 of the paper, Theorem 4, Lemma 4.
 * Cost: a slot per delivery; for the replicas r slots and 4 bytes per delivery, and the graph, with
 * its certificates if steps are bounded or alpha comes from lambda.
 */
#include "base/numbers.h"
#include "expanders/bracket.h"
#include "primitives/synchronise.h"
#include "routers/expander_run.h"

#include <math.h>

enum { LEAST_CONGESTION = 4 };
enum { INJECTION = 1 }; /* routing.c: after an attempt it costs a step */
/* The walk: 2 S + 4 m steps, half as many for each further round. */
enum { OF_ROOT = 2, OF_SIDE = 4, PERCENT = 100, FURTHER = PERCENT / 2, SLOTS = 1 };
enum { MOST_REPLICAS = 30, MOST_ALPHA = 65535, MOST_PERCENT = 10000 };
enum { STANDARD_REPLICAS = 4, STANDARD_ALPHA = 2, LEAST_TILES = 4 };
enum { ROOM = 7 }; /* of the masters: with it replicas need one packet more than the walk */

enum graph_choice { GRAPH_RANDOM, GRAPH_REED_SOLOMON, GRAPH_FILE };

static const struct parameter_spec SPECS[] = {
    {"r", "auto", 1, MOST_REPLICAS, "auto", NULL},
    {"alpha", "auto", 1, MOST_ALPHA, "auto", NULL},
    {"graph", "random", 0, 0, "random rs FILE", NULL},
    {"graph_seed", "1", 0, INT32_MAX, NULL, NULL},
    {"literal", "0", 0, 1, NULL, NULL},
    {"walk", "450", 0, MOST_PERCENT, NULL, NULL},
    {.name = NULL},
};

/* ---- sizes ---- */

/* Returns the congestion for which tiles are cut: c / l, and 4 at least. */
static uint32_t tile_congestion(const struct routing *routing)
{
    uint32_t congestion = batches_congestion(routing);
    return congestion > LEAST_TILES ? congestion : LEAST_TILES;
}

/* Cuts the mesh into c tiles of b blocks each. */
static enum failure_kind choose_tiles(struct expander_run *run, struct failure *failure)
{
    struct random_run *masters = &run->masters;
    struct mesh mesh = run->routing->set->mesh;
    uint64_t tiles = random_tiles(masters->congestion, 0);
    enum failure_kind kind = tessellation_make(&masters->tiles, mesh, tiles, failure);
    if (kind == FAIL_NONE)
        kind = tile_cycle_make(&masters->cycle, &masters->tiles, failure);
    if (kind != FAIL_NONE)
        return kind;
    return tessellation_make(&masters->blocks, mesh, random_blocks(mesh, masters->cycle.count),
                             failure);
}

/* Reports the value of a parameter. */
static void use_number(const struct expander_run *run, const char *name, uint32_t number)
{
    char value[ROUTER_NAME_SIZE];
    snprintf(value, sizeof value, "%u", number);
    routing_use(run->routing, name, value);
}

/* Returns the parameter, or `standard` for `auto`. */
static uint32_t number_or(const struct expander_run *run, const char *name, uint32_t most,
                          uint32_t standard)
{
    uint32_t given = routing_parameter(run->routing, SPECS, name);
    return given > most ? standard : given;
}

static enum failure_kind choose_constants(struct expander_run *run, struct failure *failure)
{
    const struct routing *routing = run->routing;
    uint32_t tiles = run->masters.cycle.count, nodes = mesh_nodes(routing->set->mesh);
    run->is_literal = routing_parameter(routing, SPECS, "literal") == 1;
    uint32_t standard = run->is_literal ? (uint32_t)lround(log2(nodes)) : STANDARD_REPLICAS;
    standard = standard > tiles ? tiles : standard > MOST_REPLICAS ? MOST_REPLICAS : standard;
    run->replicas = number_or(run, "r", MOST_REPLICAS, standard);
    run->masters.variant = &random_paper;
    run->masters.room = ROOM;
    run->alpha = number_or(run, "alpha", MOST_ALPHA, run->is_literal ? 0 : STANDARD_ALPHA);
    run->percent = routing_parameter(routing, SPECS, "walk");
    run->public_seed = routing_parameter(routing, SPECS, "graph_seed");
    use_number(run, "r", run->replicas);
    if (run->replicas > tiles)
        return fail(failure, FAIL_USAGE, "r = %u replicas need as many groups; c = %u makes %u",
                    run->replicas, routing->congestion, tiles);
    if ((uint64_t)run->replicas * tiles > nodes)
        return fail(failure, FAIL_USAGE, "r = %u classes of %u nodes are smaller than %u tiles",
                    run->replicas, nodes, tiles);
    return FAIL_NONE;
}

/* ---- the graph ---- */

/* Makes a Reed-Solomon graph: r points and q values make c = r q groups, as many as tiles, a power
 * of two. */
static enum failure_kind reed_solomon(struct expander_run *run, uint32_t inputs,
                                      struct failure *failure)
{
    uint32_t tiles = run->masters.cycle.count, r = run->replicas, q = tiles / r;
    char fits[64] = "none";
    for (uint32_t points = 1, used = 0; points * points <= tiles; points *= 2)
        if (points > 1 && points <= MOST_REPLICAS)
            used += (uint32_t)snprintf(fits + used, sizeof fits - used, "%s%u",
                                       used > 0 ? ", " : "", points);
    if (q * r != tiles || q < r || q < 2)
        return fail(failure, FAIL_USAGE,
                    "graph=rs needs c = r q groups with q >= r a prime power; with %u tiles r can "
                    "be %s, not %u",
                    tiles, fits, r);
    uint32_t rounded = (inputs + q - 1) / q * q; /* so that q divides m: some inputs are unused */
    return expander_reed_solomon(&run->graph, rounded, r, q, expander_dimension(rounded, q),
                                 failure);
}

/* A letter of the file's graph beside that of the run. */
struct size_pair {
    char letter;
    uint32_t has, wants;
    bool may_be_more;
};

/* Refuses the file at `path` if it has other sizes, and names only those. */
static enum failure_kind sizes_check(const char *path, const struct size_pair *pair, size_t count,
                                     struct failure *failure)
{
    char has[64] = "", wants[96] = "";
    size_t has_used = 0, wants_used = 0;
    for (size_t i = 0; i < count; i++) {
        bool fits =
            pair[i].may_be_more ? pair[i].has >= pair[i].wants : pair[i].has == pair[i].wants;
        if (fits)
            continue;
        const char *comma = has_used == 0 ? "" : ", ";
        has_used += (size_t)snprintf(has + has_used, sizeof has - has_used, "%s%c = %u", comma,
                                     pair[i].letter, pair[i].has);
        wants_used +=
            (size_t)snprintf(wants + wants_used, sizeof wants - wants_used, "%s%c = %u%s", comma,
                             pair[i].letter, pair[i].wants, pair[i].may_be_more ? " or more" : "");
    }
    if (has_used == 0)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE, "%.200s has %s; this run needs %s", path, has, wants);
}

/* Reads the graph of a file. A run needs ceil(n / r) inputs, as many edges per input as it makes
 * replicas, and as many groups as there are tiles. A permutation is a graph for every number of
 * groups, so its c does not matter. A Reed-Solomon graph has a fixed c; its inputs are a multiple
 * of q, so some may be unused. A list of neighbours may be no regular graph and is not routed. */
static enum failure_kind graph_read(struct expander_run *run, const char *path, uint32_t inputs,
                                    struct failure *failure)
{
    uint32_t tiles = run->masters.cycle.count;
    const struct expander *graph = &run->graph;
    enum failure_kind kind = expander_read(&run->graph, path, failure);
    if (kind != FAIL_NONE)
        return kind;
    if (graph->kind == EXPANDER_LIST)
        return fail(failure, FAIL_USAGE,
                    "%.200s: a graph of kind list can be checked, not routed; this run needs a "
                    "permutation or rs graph",
                    path);
    bool is_rs = graph->kind == EXPANDER_REED_SOLOMON;
    /* a permutation is a graph for every c */
    const struct size_pair pairs[] = {{'m', graph->inputs, inputs, is_rs},
                                      {'r', graph->degree, run->replicas, false},
                                      {'c', graph->groups, tiles, false}};
    kind = sizes_check(path, pairs, is_rs ? 3 : 2, failure);
    if (kind == FAIL_NONE && !is_rs)
        kind = expander_set_groups(&run->graph, tiles, failure);
    return kind;
}

static enum failure_kind choose_graph(struct expander_run *run, struct failure *failure)
{
    uint32_t nodes = mesh_nodes(run->routing->set->mesh);
    uint32_t inputs = (nodes + run->replicas - 1) / run->replicas;
    switch (routing_parameter(run->routing, SPECS, "graph")) {
    case GRAPH_RANDOM:
        return expander_random(&run->graph, inputs, run->masters.cycle.count, run->replicas,
                               routing_parameter(run->routing, SPECS, "graph_seed"), failure);
    case GRAPH_REED_SOLOMON:
        return reed_solomon(run, inputs, failure);
    default:
        return graph_read(run, routing_text(run->routing, SPECS, "graph"), inputs, failure);
    }
}

/* Certifies figures of the graph. */
static enum failure_kind certify(struct expander_run *run, struct failure *failure)
{
    struct bracket bracket;
    enum failure_kind kind =
        bracket_certify(&bracket, &run->graph, run->routing->result->threads, failure);
    if (kind != FAIL_NONE)
        return kind;
    run->certificate = (struct expander_certificate){.degree = bracket.degree,
                                                     .largest_set = bracket.largest_set,
                                                     .most_load = bracket.most_load,
                                                     .lambda = bracket_certified(&bracket)};
    bracket_free(&bracket);
    return FAIL_NONE;
}

/* Chooses alpha for literal=1: the least whole number above 1 / lambda, for the certified
 * lambda. */
static enum failure_kind choose_alpha(struct expander_run *run, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    if (run->alpha == 0 || expander_is_bounded(run))
        kind = certify(run, failure);
    if (kind != FAIL_NONE)
        return kind;
    if (run->alpha == 0) { /* k inputs have r k edges, so at least r k / most_load groups */
        double least = 1.0 / (double)run->certificate.most_load;
        double lambda = run->certificate.lambda > least ? run->certificate.lambda : least;
        run->alpha = lambda * MOST_ALPHA > 1 ? (uint32_t)(1 / lambda) + 1 : MOST_ALPHA;
    }
    use_number(run, "alpha", run->alpha);
    return FAIL_NONE;
}

/* ---- the walk ---- */

/* Makes run->stream, if the run begins with a walk. FAIL_SYSTEM: no memory. */
static enum failure_kind stream_make(struct expander_run *run, struct failure *failure)
{
    const struct routing *routing = run->routing;
    struct stream_walk *walk = &run->stream;
    if (run->percent == 0)
        return FAIL_NONE;
    *walk = (struct stream_walk){.channels = CHANNELS_SHARED,
                                 .slots = SLOTS,
                                 .copy_is_free = routing->options->copy_is_free,
                                 .degree = routing->degree};
    enum failure_kind kind =
        stream_tiles_make(walk, routing->set->mesh, run->masters.congestion, failure);
    if (kind == FAIL_NONE)
        kind = stream_permute(walk, run->public_seed, failure);
    return kind;
}

/* Returns the steps of the first round; the walk itself fits in any case. */
static uint64_t first_round(const struct expander_run *run)
{
    struct routing batch = *run->routing;
    uint32_t percent = min_u32(run->percent, PERCENT);
    batch.most_sent = 1;
    batch.congestion = run->masters.congestion;
    uint64_t steps = routing_goal_steps(&batch, OF_ROOT, OF_SIDE) * percent / PERCENT;
    uint64_t least = run->stream.scatter.steps + stream_legs_steps(&run->stream);
    return max_u64(steps, least);
}

static uint32_t further_rounds(const struct expander_run *run)
{
    return run->percent < PERCENT ? 0 : (run->percent - PERCENT) / FURTHER;
}

/* Returns the most steps of the walk. */
static uint64_t stream_steps(const struct expander_run *run)
{
    uint64_t whole = synchronise_steps(run->routing->set->mesh), first;
    if (run->percent == 0)
        return 0;
    first = first_round(run);
    return first + whole + further_rounds(run) * (first / 2 + whole);
}

/* Makes the rest of a round that ends at step `end`, and the OR after it. */
static enum failure_kind end_round(struct expander_run *run, uint64_t end, unsigned *held,
                                   struct failure *failure)
{
    struct machine *machine = run->masters.machine;
    uint64_t steps = machine_counts(machine)->steps;
    enum failure_kind kind = FAIL_NONE;
    if (steps < end)
        kind = stream_drain(&run->stream, end - steps, failure);
    if (kind != FAIL_NONE)
        return kind;
    return synchronise_held(machine, end - machine_counts(machine)->steps, held, failure);
}

/* Walks with the packets that rest; *held becomes nonzero if anything is left. */
static enum failure_kind stream_run(struct expander_run *run, unsigned *held,
                                    struct failure *failure)
{
    struct machine *machine = run->masters.machine;
    struct stream_walk *walk = &run->stream;
    uint64_t first = first_round(run), end = machine_counts(machine)->steps + first;
    walk->machine = machine;
    walk->header = run->masters.header;
    enum failure_kind kind = stream_scatter(walk, "scatter", failure);
    machine_begin_phase(machine, "walk past all tiles");
    if (kind == FAIL_NONE)
        kind = stream_legs(walk, failure);
    if (kind == FAIL_NONE)
        kind = end_round(run, end, held, failure);
    for (uint32_t i = 0; i < further_rounds(run) && kind == FAIL_NONE && *held != 0; i++) {
        machine_begin_phase(machine, "walk a further round");
        end = machine_counts(machine)->steps + first / 2;
        kind = end_round(run, end, held, failure);
    }
    return kind;
}

/* ---- the run's packets ---- */

/* Returns r slots per destination, of which a message's packet has the last d. */
static uint64_t count_slots(void *context, uint64_t degree)
{
    const struct expander_run *run = context;
    return degree * run->replicas;
}

static bool is_of_other_class(void *context, uint32_t packet)
{
    const struct expander_run *run = context;
    return expander_segment_of(run, packet).class != run->class;
}

/* ---- phases ---- */

/* Runs a phase; *held becomes nonzero if the class has anything left. Without a replica left none
 * goes home. */
static enum failure_kind phase_run(struct expander_run *run, unsigned *held,
                                   struct failure *failure)
{
    run->masters.instances = run->alpha;
    if (run->is_literal && run->phase == 0)
        run->masters.instances *= run->replicas;
    enum failure_kind kind = expander_replicate(run, failure);
    if (kind == FAIL_NONE)
        kind = expander_assign(run, failure);
    if (kind == FAIL_NONE)
        kind = random_sort_slots(&run->masters, failure);
    expander_begin(run, "visit tiles");
    if (kind == FAIL_NONE)
        kind = expander_visits(run, held, failure);
    if (kind != FAIL_NONE || *held == 0)
        return kind;
    kind = expander_return(run, failure);
    if (kind == FAIL_NONE)
        kind = expander_coalesce(run, failure);
    return kind == FAIL_NONE ? synchronise_held(run->masters.machine, 0, held, failure) : kind;
}

/* Makes phases until a class has nothing left. */
static enum failure_kind class_run(struct expander_run *run, struct failure *failure)
{
    struct machine *machine = run->masters.machine;
    enum failure_kind kind = machine_park(machine, is_of_other_class, run, failure);
    if (kind != FAIL_NONE)
        return kind;
    unsigned held = 0;
    kind = synchronise_held(machine, 0, &held, failure);
    for (run->phase = 0; kind == FAIL_NONE && held != 0; run->phase++)
        kind = phase_run(run, &held, failure);
    machine_unpark(machine);
    return kind;
}

/* Routes the batch that rests, by replicas. */
static enum failure_kind classes_run(struct expander_run *run, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    for (run->class = 0; kind == FAIL_NONE && run->class < run->replicas; run->class ++)
        kind = class_run(run, failure);
    return kind;
}

/* ---- the run ---- */

/* Returns the larger of two numbers of packets per node: the walk's, and the replicas', in the
 * visits, or on the ways there and home with a message of another class. */
static uint32_t capacity(const struct expander_run *run)
{
    uint32_t ways = max_u32(run->seats.there.packets, run->seats.home.packets) + 1;
    uint32_t most = max_u32(expander_visits_packets(run), ways);
    if (run->percent == 0)
        return most;
    return max_u32(most, max_u32(run->stream.scatter.packets, stream_capacity(&run->stream)));
}

/* Makes a machine with that capacity, or more if the user gave more, in which all packets have
 * their slots. */
static enum failure_kind machine_start(struct expander_run *run, struct failure *failure)
{
    struct routing *routing = run->routing;
    struct slot_plan plan = {.context = run, .count = count_slots, .keeps_first = true};
    bool walks = run->percent > 0;
    enum failure_kind kind = routing_start(routing, run->capacity, walks ? NULL : &plan, failure);
    run->masters.machine = routing->machine;
    if (kind != FAIL_NONE)
        return kind;
    run->masters.header = machine_headers(routing->machine);
    if (walks)
        return FAIL_NONE;
    kind = expander_tables_make(run, failure);
    if (kind == FAIL_NONE)
        kind = expander_visits_begin(run, failure);
    if (kind == FAIL_NONE)
        expander_carry(run);
    return kind;
}

/* Injects the batch anew, for the replicas: the walk has left something, which all nodes know. */
static enum failure_kind start_again(struct expander_run *run, uint32_t batch,
                                     struct failure *failure)
{
    struct routing *routing = run->routing;
    routing_give_up(routing);
    run->own.machine.before = routing->machine;
    run->percent = 0;
    enum failure_kind kind = machine_start(run, failure);
    return kind == FAIL_NONE ? batches_inject(&run->batches, routing, batch, failure) : kind;
}

/* Routes a batch, which ends when nothing is left, as all nodes then know. In an attempt at an
 * unknown congestion a walk that leaves something ends the attempt. */
static enum failure_kind batch_run(struct expander_run *run, uint32_t batch,
                                   struct failure *failure)
{
    enum failure_kind kind = batches_inject(&run->batches, run->routing, batch, failure);
    if (kind == FAIL_NONE && run->percent > 0) {
        unsigned held = 0;
        kind = stream_run(run, &held, failure);
        if (kind != FAIL_NONE || held == 0)
            return kind;
        if (run->routing->attempt != &run->own)
            return FAIL_VOID;
        kind = start_again(run, batch, failure);
    }
    return kind == FAIL_NONE ? classes_run(run, failure) : kind;
}

/* Computes the most steps of the run, for any set of this mesh, c and l. FAIL_SYSTEM: no memory. */
static enum failure_kind most_steps(struct expander_run *run, uint64_t *steps,
                                    struct failure *failure)
{
    uint64_t replicas = 0, walk = stream_steps(run);
    enum failure_kind kind = expander_replicas_steps(run, &replicas, failure);
    *steps = run->batches.count * max_u64(replicas, walk);
    if (run->percent > 0)
        *steps += walk + INJECTION;
    return kind;
}

/* Promises the proven steps, if c is known. */
static enum failure_kind promise(struct expander_run *run, struct failure *failure)
{
    uint64_t steps = 0;
    if (!expander_is_bounded(run))
        return FAIL_NONE;
    enum failure_kind kind = most_steps(run, &steps, failure);
    if (kind == FAIL_NONE)
        routing_promise(run->routing, steps,
                        run->batches.count == 1 ? PROMISE_FOR_ALL : PROMISE_FOR_MANY);
    return kind;
}

static enum failure_kind batches_choose(struct expander_run *run, struct failure *failure)
{
    return batches_make(&run->batches, run->routing, &run->public_seed, failure);
}

static enum failure_kind capacity_choose(struct expander_run *run, struct failure *failure)
{
    uint32_t buffer = run->routing->options->buffer, least = capacity(run);
    if (buffer > 0 && buffer < least)
        return fail(failure, FAIL_USAGE,
                    "router expander cannot run with a buffer of %u; the least is %u packets",
                    buffer, least);
    run->capacity = buffer > 0 ? buffer : least;
    return FAIL_NONE;
}

static enum failure_kind steps_run(struct expander_run *run, struct failure *failure)
{
    if (run->routing->attempt == NULL && run->percent > 0) /* the walk may be in vain */
        run->routing->attempt = &run->own;
    enum failure_kind kind = machine_start(run, failure);
    for (uint32_t i = 0; i < run->batches.count && kind == FAIL_NONE; i++)
        kind = batch_run(run, i, failure);
    return kind;
}

static enum failure_kind algorithm_run(struct routing *routing, struct failure *failure)
{
    static enum failure_kind (*const parts[])(struct expander_run *, struct failure *) = {
        choose_tiles, choose_constants, choose_graph,   choose_alpha, expander_choose_seats,
        stream_make,  capacity_choose,  batches_choose, promise,      steps_run};
    struct expander_run run = {
        .masters = {.routing = routing, .congestion = tile_congestion(routing)},
        .routing = routing};
    enum failure_kind kind = FAIL_NONE;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && kind == FAIL_NONE; i++)
        kind = parts[i](&run, failure);
    expander_free(&run.graph);
    tile_cycle_free(&run.masters.cycle);
    tessellation_free(&run.masters.tiles);
    tessellation_free(&run.masters.blocks);
    expander_tables_free(&run);
    expander_visits_end(&run);
    stream_walk_free(&run.stream);
    batches_free(&run.batches);
    if (routing->attempt == &run.own)
        routing->attempt = NULL;
    return kind;
}

static bool circulates(const struct routing *routing)
{
    uint32_t congestion = routing->congestion < LEAST_CONGESTION ? batches_congestion(routing)
                                                                 : tile_congestion(routing);
    return 16ull * congestion > mesh_nodes(routing->set->mesh);
}

static enum failure_kind expander_route(struct routing *routing, struct failure *failure)
{
    uint32_t slots;
    if (circulates(routing)) {
        routing_runs_as(routing, "circulate");
        return circulate_method.route(routing, failure);
    }
    if (routing->congestion < LEAST_CONGESTION) {
        routing_runs_as(routing, "unicast");
        return unicast_run(routing, 0, &slots, failure);
    }
    return algorithm_run(routing, failure);
}

/* Returns the steps of the walk's first round and the next one, or without a walk four times the
 * goal of doc/theorem4.md. If packets circulate there is no limit. */
static struct attempt_limits expander_limits(const struct routing *routing)
{
    double nodes = mesh_nodes(routing->set->mesh), of_root = 1.6 * log2(nodes) * log2(nodes);
    double batches = routing->most_sent > 1 ? routing->most_sent : 1;
    if (circulates(routing))
        return (struct attempt_limits){0};
    if (routing_parameter(routing, SPECS, "walk") > 0)
        return (struct attempt_limits){.steps = routing_goal_steps(routing, 3, 6 * batches)};
    return (struct attempt_limits){.steps = routing_goal_steps(routing, of_root, 0)};
}

/* Fills the choices of the walk. Those of the replicas follow from the graph
 * (expanders/crowd.c). */
static enum failure_kind expander_choose(const struct routing *routing,
                                         struct router_choices *choices, struct failure *failure)
{
    if (circulates(routing) || routing_parameter(routing, SPECS, "walk") == 0)
        return FAIL_NONE;
    if (routing->congestion < LEAST_CONGESTION)
        return unicast_method.choose(routing, choices, failure);
    return stream_walk_choose(routing->set->mesh, tile_congestion(routing),
                              routing_parameter(routing, SPECS, "graph_seed"), CHANNELS_SHARED,
                              choices, failure);
}

const struct router_method expander_method = {
    {"expander",
     "Theorem 4: replicas in groups by an expander, deterministic; buffers O(1) by credits",
     "r=N  replicas of each message, and classes routed one after the other, 1 .. 30 (default "
     "auto: 4, or as many as there are tiles)\n"
     "alpha=N  packets per node that are selected for a block at a visit, 1 .. 65535 (default\n"
     "         auto: 2)\n"
     "graph=random|rs|FILE  the expander: a permutation, a Reed-Solomon graph, or read from a\n"
     "         file of `meshcast expander make` (default random). FILE has p = ceil(n / r), "
     "rs\n"
     "         that or more; the r of the run; and any c if it is a permutation, but if it is rs\n"
     "         as many as there are tiles, the power of two nearest to c / l, or 4 if that is "
     "more.\n"
     "         A graph of kind list can be checked, not routed\n"
     "graph_seed=N  of the random graph, the walk's permutation and the batches, which are public\n"
     "         (default 1)\n"
     "literal=0|1  the paper's r = log n, r alpha packets per node in first phases\n"
     "         (default 0)\n"
     "walk=N  percent of 2 sqrt(c n) + 4 m steps for a streaming walk before all else, in rounds\n"
     "         of 100, 50, 50, ..; if that is not enough the replicas begin anew; 0: none "
     "(default\n"
     "         450)\n"
     "at most 10 packets per node on equal tiles, 11 on others, 13 where they are in a line; with "
     "unit\n"
     "copies 12, 14 and 16; more with a graph that crowds a row of seats; sets with c / l > n / 16 "
     "are "
     "routed by circulate, others with c < 4 by\n"
     "unicast"},
    SPECS,
    expander_route,
    expander_limits,
    TAKES_MANY,
    NULL,
    expander_choose,
};
