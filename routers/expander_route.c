/* expander_route.c - Theorem 4: deterministic multicast with constant buffers.
 *
 * Random groups keep the packets for one neighbourhood apart in Theorem 3; here a bipartite graph
 * does, whoever made the message set. The messages are divided into kappa classes, routed one after
 * the other in phases. In a phase each message becomes r replicas, which go to the r groups that
 * are its neighbours in the graph (Steps 1 to 3); each group goes round the Hamiltonian cycle of c
 * tiles, and at each tile at most alpha packets a node are selected for each block and delivered
 * (Step 4); the replicas go home and become one packet again, with what none of them delivered
 * (Steps 5 and 6). If the graph expands, few packets are left for a block after a phase (Lemma 4),
 * and of them all in the next one.
 *   Before all that a walk delivers what it can (expander_stream.c), and with its further rounds everything on
 * all sets that we know; what it leaves is the input here, layer after layer.
 *   Before the first phase an OR over the mesh tells whether the class has anything at all; after the
 * visits of each whether any replica has anything left, without which nobody needs to go home; and
 * after Step 6 whether the class has.
 *   Sizes. kappa = r, so that the replicas of a class fill the mesh; the paper has log n of both
 * (literal=1); expander_sizes.c has all sizes. By default r = 4; alpha = 2, or 4 with fast
 * visits, whose ranks cost the same for every alpha: these left nothing after one phase on all but a few
 * adversaries' sets (doc/theorem4.md).
 *   c < log^4 n: the paper falls back to (d,c)-routing, which has the same bound there; we run the
 * algorithm for 4 <= c <= n/16, router unicast below and router circulate above.
 *   Nodes that send up to l messages: l batches of one message a node (batches.h), which are public, each such a
 * run for c / l tiles.
 *   d > c: the paper assumes d <= c, by Lemma 1; nothing here needs it: a block is wanted by at
 * most c b packets, whatever d, and that is all that Lemma 4 asks.
 *   No random bit is drawn: a random graph is a table that the nodes hold before the run.
 *
 * Steps: the walk, S = sqrt(c n), free copies: at most 2.5 S + 8 m on patterns and on sets against the graph; with
 * seven further rounds 9 S + 18 m, which sets against its permutation can need. The replicas
 * of a layer: kappa times for each phase 3.75 S for fast visits, four times that for guaranteed ones, and
 * 2 m for Step 3, and for Step 5 where anything is left; with fast visits at most 0.4 S log^2 n measured.
 * With guaranteed visits all of it is bounded before the run, for every set: expander_bound.c.
 * Buffer, proven: the larger of the walk's and the replicas', and the pieces of a node that wait: 16 packets
 * on equal square tiles with free copies, 9 without the walk; enforced as the machine's capacity.
 * Source: Section 5 of the paper, Theorem 4, Lemma 4.
 * Cost: r slots a delivery, 4 bytes more a delivery, and the graph.
 */
#include "base/extremes.h"
#include "expanders/bracket.h"
#include "primitives/synchronise.h"
#include "routers/expander_private.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_CONGESTION = 4 };

/* ---- the run's packets ---- */

void expander_name_step(const struct expander_run *run, const char *step,
                        char name[MACHINE_NAME_SIZE])
{
    char layer[24] = "";
    if (run->layer > 0)
        snprintf(layer, sizeof layer, " layer %u", run->layer + 1);
    snprintf(name, MACHINE_NAME_SIZE, "%s (class %u phase %u%s)", step, run->class + 1,
             run->phase + 1, layer);
}

void expander_begin(const struct expander_run *run, const char *step)
{
    char name[MACHINE_NAME_SIZE];
    expander_name_step(run, step, name);
    machine_begin_phase(run->masters.machine, name);
}

/* r slots a destination, of which a message's packet has the last d. */
static uint64_t count_slots(void *context, uint64_t degree)
{
    const struct expander_run *run = context;
    return degree * run->replicas;
}

static bool is_of_other_class(void *context, uint32_t packet)
{
    struct expander_run *run = context;
    node_index origin = expander_piece(run, packet)->origin;
    return origin == MACHINE_NONE || expander_segment(run, origin).class != run->class;
}

/* ---- phases ---- */

/* Tells in *held whether the class has anything left. Where no replica is left nobody goes home. */
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
        kind = run->visits->round(run, failure);
    if (kind == FAIL_NONE)
        kind = run->visits->drain(run, held, failure);
    if (kind != FAIL_NONE || *held == 0)
        return kind;
    kind = expander_return(run, failure);
    if (kind == FAIL_NONE)
        kind = expander_coalesce(run, failure);
    return kind == FAIL_NONE ? synchronise_held(run->masters.machine, 0, held, failure) : kind;
}

/* Phases until a class has nothing left. */
static enum failure_kind class_run(struct expander_run *run, struct failure *failure)
{
    struct machine *machine = run->masters.machine;
    enum failure_kind kind = machine_set_aside(machine, is_of_other_class, run, failure);
    if (kind != FAIL_NONE)
        return kind;
    unsigned held = 0;
    kind = synchronise_held(machine, 0, &held, failure);
    for (run->phase = 0; kind == FAIL_NONE && held != 0; run->phase++)
        kind = phase_run(run, &held, failure);
    machine_take_back(machine);
    return kind;
}

static enum failure_kind layer_run(struct expander_run *run, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    expander_layer_begin(run);
    for (run->class = 0; kind == FAIL_NONE && run->class < run->classes; run->class ++)
        kind = class_run(run, failure);
    return kind;
}

/* The walk, and what it leaves; or all messages of the batch, which are one layer. */
static enum failure_kind layers_run(struct expander_run *run, struct failure *failure)
{
    unsigned held = 0;
    if (run->percent == 0)
        return layer_run(run, failure);
    enum failure_kind kind = expander_stream_run(run, &held, failure);
    for (run->layer = 0; kind == FAIL_NONE && held != 0; run->layer++) {
        kind = layer_run(run, failure);
        if (kind == FAIL_NONE)
            kind = synchronise_held(run->masters.machine, 0, &held, failure);
    }
    return kind;
}

/* A batch ends when nothing is left, and all nodes know. */
static enum failure_kind batches_run(struct expander_run *run, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t i = 0; i < run->batches.count && kind == FAIL_NONE; i++) {
        kind = batches_inject(&run->batches, run->routing, i, failure);
        if (kind == FAIL_NONE)
            kind = layers_run(run, failure);
    }
    return kind;
}

/* ---- the run ---- */

/* The larger of the walk's and the replicas'. Replicas: what the visits need, or the ways there and home with
 * another class's piece; and the pieces of other layers, which wait. */
static uint32_t capacity(const struct expander_run *run)
{
    uint32_t ways = larger(run->seats.there.packets, run->seats.home.packets) + 1;
    uint32_t most = larger(run->visits->capacity(run), ways) + expander_most_pieces(run) - 1;
    if (run->percent == 0)
        return most;
    return larger(most, larger(run->stream.scatter.packets, stream_capacity(&run->stream)));
}

/* The walk, if the pieces that it may leave fit into the user's capacity, or it was asked for. */
static enum failure_kind walk_choose(struct expander_run *run, struct failure *failure)
{
    uint32_t buffer = run->routing->options->buffer;
    enum failure_kind kind = expander_stream_make(run, failure);
    if (kind == FAIL_NONE && run->may_leave_out && buffer > 0 && capacity(run) > buffer) {
        stream_walk_free(&run->stream);
        run->percent = 0;
    }
    expander_use_number(run, "walk", run->percent);
    return kind;
}

/* What is proven of the steps, where c is known. */
static enum failure_kind promise(struct expander_run *run, struct failure *failure)
{
    uint64_t steps = 0;
    if (!expander_is_bounded(run))
        return FAIL_NONE;
    enum failure_kind kind = expander_bound(run, &steps, failure);
    if (kind == FAIL_NONE)
        routing_promise(run->routing, steps,
                        run->batches.count == 1 ? PROMISE_FOR_ALL : PROMISE_FOR_MANY);
    return kind;
}

static enum failure_kind batches_choose(struct expander_run *run, struct failure *failure)
{
    return batches_make(&run->batches, run->routing, &run->public_seed, failure);
}

/* The machine with its capacity, or more if the user gave more. */
static enum failure_kind machine_start(struct expander_run *run, struct failure *failure)
{
    struct routing *routing = run->routing;
    struct slot_plan plan = {.context = run, .count = count_slots, .keeps_first = true};
    uint32_t buffer = routing->options->buffer, least = capacity(run);
    if (buffer > 0 && buffer < least)
        return fail(failure, FAIL_USAGE,
                    "router expander cannot live within a buffer of %u packets; the least is %u",
                    buffer, least);
    enum failure_kind kind = routing_start(routing, buffer > 0 ? buffer : least, &plan, failure);
    run->masters.machine = routing->machine;
    if (kind == FAIL_NONE)
        run->masters.header = machine_headers(routing->machine);
    if (kind == FAIL_NONE)
        kind = expander_tables_make(run, failure);
    if (kind == FAIL_NONE)
        kind = expander_queues_make(run, failure);
    if (kind == FAIL_NONE)
        expander_carry(run);
    return kind;
}

static enum failure_kind steps_run(struct expander_run *run, struct failure *failure)
{
    enum failure_kind kind = machine_start(run, failure);
    if (kind != FAIL_NONE)
        return kind;
    kind = run->visits->begin(run, failure);
    if (kind == FAIL_NONE)
        kind = batches_run(run, failure);
    run->visits->end(run);
    return kind;
}

static enum failure_kind algorithm_run(struct routing *routing, struct failure *failure)
{
    static enum failure_kind (*const parts[])(struct expander_run *,
                                              struct failure *) = {expander_choose_tiles,
                                                                   expander_choose_constants,
                                                                   expander_choose_graph,
                                                                   expander_choose_alpha,
                                                                   expander_choose_seats,
                                                                   walk_choose,
                                                                   batches_choose,
                                                                   promise,
                                                                   steps_run};
    struct expander_run run = {.masters = {.routing = routing}, .routing = routing};
    enum failure_kind kind = FAIL_NONE;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && kind == FAIL_NONE; i++)
        kind = parts[i](&run, failure);
    expander_free(&run.graph);
    tile_cycle_free(&run.masters.cycle);
    tessellation_free(&run.masters.tiles);
    tessellation_free(&run.masters.blocks);
    expander_tables_free(&run);
    expander_seats_free(&run.seats);
    expander_queues_free(&run);
    stream_walk_free(&run.stream);
    batches_free(&run.batches);
    return kind;
}

static bool circulates(const struct routing *routing)
{
    uint32_t congestion = routing->congestion < LEAST_CONGESTION ? batches_congestion(routing)
                                                                 : expander_congestion(routing);
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

/* Of the algorithm itself, with a slot that the channels of a node share. */
static uint64_t algorithm_footprint(const struct routing *routing)
{
    const struct message_set *set = routing->set;
    struct expander_run run = {.routing = (struct routing *)routing};
    run.masters.cycle.count = expander_congestion(routing); /* or the power of two next to it */
    expander_choose_constants(&run, NULL);
    uint64_t nodes = mesh_nodes(set->mesh), slots = set->deliveries * run.replicas;
    struct machine_needs needs = routing_needs(routing, slots);
    needs.uses = run.visits->uses;
    if (run.percent > 0)
        needs.uses |= USE_FORWARD | USE_WORDS | USE_CHANNELS | USE_EXPRESS;
    needs.aside_levels = run.visits->aside_levels;
    needs.channel_slots = needs.channel_spare = 1;
    uint64_t inputs = nodes / run.classes + 1;
    uint64_t bytes = machine_footprint(&needs) + run.visits->footprint(routing, slots) +
                     set->deliveries * sizeof *run.holder + expander_tables_footprint(set) +
                     batches_footprint(routing) + inputs * run.replicas * (sizeof *run.graph.entry);
    bool is_certified = run.visits->steps != NULL || run.alpha == 0; /* before all else */
    uint64_t before =
        is_certified ? bracket_footprint(inputs, run.masters.cycle.count, run.replicas) : 0;
    return bytes > before ? bytes : before;
}

static uint64_t expander_footprint(const struct routing *routing)
{
    if (circulates(routing))
        return circulate_method.footprint(routing);
    return routing->congestion < LEAST_CONGESTION ? unicast_footprint(routing, 0)
                                                  : algorithm_footprint(routing);
}

/* With the walk its first round, and the next one if that is needed; else the goal of doc/theorem4.md, of
 * which visits=guaranteed takes up to four times as many steps. Where packets circulate there is no limit. */
static struct attempt_limits expander_limits(const struct routing *routing)
{
    double nodes = mesh_nodes(routing->set->mesh), of_root = 0.4 * log2(nodes) * log2(nodes);
    double batches = routing->most_sent > 1 ? routing->most_sent : 1;
    if (circulates(routing))
        return (struct attempt_limits){0};
    if (routing_parameter(routing, expander_specs, "walk") > 0)
        return (struct attempt_limits){.steps = routing_goal_steps(routing, 3, 6 * batches)};
    if (routing_parameter(routing, expander_specs, "visits") == 1)
        of_root *= 4;
    return (struct attempt_limits){.steps = routing_goal_steps(routing, of_root, 0)};
}

const struct router_method expander_method = {
    {"expander",
     "Theorem 4: replicas in groups by an expander, deterministic; buffers O(1) by credits",
     "r=N  replicas of each message, 1 .. 30 (default auto: 4, or as many as there are tiles)\n"
     "kappa=N  classes, routed one after the other, 1 .. 65535 (default auto: r)\n"
     "alpha=N  packets a node that are selected for a block at a visit, 1 .. 65535\n"
     "         (default auto: 2; with visits=fast, where they cost nothing, 4)\n"
     "graph=random|rs|FILE  the expander: a permutation, a Reed-Solomon graph, or read from a\n"
     "         file of `meshcast expander make` (default random). FILE has p = ceil(n / kappa), "
     "rs\n"
     "         that or more; the r of the run; and any c if it is a permutation, but if it is rs\n"
     "         as many as there are tiles, the power of two nearest to c / l, or 4 if that is "
     "more.\n"
     "         A graph of kind list can be checked, not routed\n"
     "graph_seed=N  of the random graph, the walk's permutation and the batches, which are public\n"
     "         (default 1)\n"
     "literal=0|1  the paper's r = kappa = log n, r alpha packets a node in first phases (default "
     "0)\n"
     "visits=fast|guaranteed  trees in bounded channels, or migrations and tours, as written,\n"
     "         whose steps are proven (default guaranteed)\n"
     "room=N  packets a node for the routing of a migration's copies, 5 .. 64; more room takes\n"
     "         fewer steps (default auto: 6; behind a walk 5 on equal tiles, else 6 or 7)\n"
     "walk=N  percent of 2 sqrt(c n) + 4 m steps for a streaming walk before all else; 0: none\n"
     "         (default auto: 100, or 0 where --buffer has no room for what it may leave)\n"
     "rounds=N  further rounds of the walk, half as long, before the replicas (default 7)\n"
     "at most 16 packets a node, 20 on unequal tiles, 24 where these are in a line; unit copies\n"
     "3 more (visits=fast: 16, 19, 25; unit copies 6 more); sets with c / l > n / 16 are\n"
     "routed by circulate, others with c < 4 by unicast"},
    expander_specs,
    expander_route,
    expander_limits,
    expander_footprint,
    true,
    NULL,
};
