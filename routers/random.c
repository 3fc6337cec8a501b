/* random.c - Theorem 3: optimal randomized multicast with constant buffers.
 *
 * Phases i = 0 .. K. In each the mesh is cut into c_i = c / 16^i tiles, and the packets are divided
 * into as many random groups. Every group is brought into a tile of its own (Step 1), and goes
 * around the Hamiltonian cycle of the tiles; at each tile its packets deliver their messages for it
 * (Step 2). Random groups keep the packets for one neighbourhood apart, so that few arrive at once,
 * and nodes need room for a constant number of packets. After each phase an OR over the mesh
 * reports if anything is left; in phase K the round is repeated until nothing is (Step 3).
 *   Roundings: random_lemmas.c. s is the side of a tile, which has about s blocks of about s nodes.
 * d > c: Lemma 1 makes up to 2 n packets of at most c destinations; each of the two at a node
 * belongs to a layer, and layers are grouped apart and walk the cycle in opposite ways.
 *   Nodes that send up to l messages: l batches of one message per node (batches.h), each such a
 * run for c / l tiles.
 *   Variants: random_direct.c draws groups by a permutation and delivers by trees; random_paper.c
 * is Section 4 as written.
 *   All packets circulate (circulate.c) for c > n / 16, as in the paper; with variant=direct also
 * if circulate's bound is not more than the minimum of an attempt.
 *
 * Steps, variant=direct: an attempt ends by the clock (random_direct.c), a bounded number of
 * attempts is made, each with other permutations, and then the packets circulate (attempts.c). The
 * sum is printed before the run and holds for every set and seed. variant=paper: random_paper.c.
 * Buffer: the capacity is enforced: 12 packets per node with free copies, 19 with unit copies, 4
 * more if the paper's groups meet Lemma 1, unless the user gives one. It is enough with high
 * probability over the permutations, not for a set that is made for the seed: there the attempt is
 * void. If the run is that of circulate its capacity is proven.
 * Source: Section 4 of the paper, Theorem 3, Lemmas 1 to 3.
 */
#include "routers/random_private.h"

#include "base/parallel.h"
#include "machine/forward.h"
#include "primitives/synchronise.h"
#include "routers/batches.h"
#include "routers/lemma.h"

enum { CAPACITY_FREE = 12, CAPACITY_UNIT = 19, MORE_MASTERS = 4 };

/* The most r: with so many instances a block selects all masters of a tile. */
enum { MOST_INSTANCES = 2 * MESH_MAX_SIDE };

/* Rows in the order of the choices below. */
static const struct random_variant *const VARIANTS[] = {&random_direct, &random_paper};

static const struct parameter_spec SPECS[] = {
    {"variant", "direct", 0, 0, "direct paper", NULL},
    {"r", "3", 1, MOST_INSTANCES, NULL, "variant=paper"},
    {.name = NULL},
};

/* ---- phases ---- */

static void phase_end(struct random_run *run)
{
    if (run->variant->end != NULL)
        run->variant->end(run);
    random_uncut(run);
}

/* ---- Step 1 ---- */

struct marking {
    struct random_run *run;
    bool is_new; /* packets are no masters yet */
};

/* Makes every packet that rests a master that began here; new ones of one node get layers in the
 * order in which they rest. */
static void mark_masters(void *context, const struct team *team)
{
    struct marking *marking = context;
    struct random_run *run = marking->run;
    struct headers *header = run->header;
    struct node_range nodes = routing_nodes(run->machine, team);
    for (node_index node = nodes.first; node < nodes.end; node++) {
        unsigned layer = 0;
        for (uint32_t packet = machine_first_resting(run->machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(run->machine, packet)) {
            unsigned kept = header->packet[packet].state & RANDOM_LAYER;
            if (marking->is_new) {
                header->packet[packet].target = site_place(machine_site(run->machine, node));
                kept = layer++ << RANDOM_LAYER_SHIFT;
            }
            header->packet[packet].state = (uint8_t)(RANDOM_MASTER | kept);
        }
    }
}

static enum failure_kind step_1(struct random_run *run, struct failure *failure)
{
    struct marking marking = {run, run->phase == 0};
    parallel_run(run->routing->result->threads, mark_masters, &marking);
    return run->variant->group(run, failure);
}

/* ---- Steps 2 and 3 ---- */

static void begin_visits(const struct random_run *run)
{
    char name[MACHINE_NAME_SIZE];
    snprintf(name, sizeof name, "visit tiles (phase %u)", run->phase);
    machine_begin_phase(run->machine, name);
}

/* Lets copies under way deliver, in rounds of known lengths; *held reports the remaining ones.
 * FAIL_VOID: an attempt's last round was not enough, which all nodes know. */
static enum failure_kind drain(struct random_run *run, unsigned *held, struct failure *failure)
{
    struct routing_rule rule = random_rule(run);
    enum failure_kind kind = FAIL_NONE;
    *held = SYNCHRONISE_TRAVELLING;
    for (uint32_t round = 0; kind == FAIL_NONE && *held & SYNCHRONISE_TRAVELLING; round++) {
        if (round == random_drain_rounds(run) && run->rounds > 0)
            return FAIL_VOID;
        uint64_t length = random_drain_steps(run, round);
        uint64_t end = machine_counts(run->machine)->steps + length;
        if (round > 0)
            begin_visits(run);
        kind = machine_forward(run->machine, &rule, false, length, failure);
        if (kind == FAIL_NONE)
            kind = synchronise_held(run->machine, end - machine_counts(run->machine)->steps, held,
                                    failure);
    }
    return kind;
}

/* Makes c_i visits, in which masters go once around the cycle. With `again` they first go on to the
 * tile where they began. */
static enum failure_kind step_2(struct random_run *run, bool again, unsigned *held,
                                struct failure *failure)
{
    enum failure_kind kind = random_sort_slots(run, failure);
    begin_visits(run);
    for (uint32_t i = 0; kind == FAIL_NONE && i < run->cycle.count; i++) {
        if (i > 0 || again)
            kind = random_shift(run, failure);
        if (kind == FAIL_NONE)
            kind = run->variant->visit(run, failure);
    }
    return kind == FAIL_NONE ? drain(run, held, failure) : kind;
}

static enum failure_kind phase_run(struct random_run *run, unsigned *held, struct failure *failure)
{
    enum failure_kind kind = random_cut(run, failure);
    if (kind == FAIL_NONE)
        kind = step_1(run, failure);
    if (kind == FAIL_NONE && run->variant->begin != NULL)
        kind = run->variant->begin(run, failure);
    if (kind == FAIL_NONE)
        kind = step_2(run, false, held, failure);
    for (uint32_t round = 1; kind == FAIL_NONE && *held && run->phase == run->last_phase; round++)
        kind = round == run->rounds ? FAIL_VOID : step_2(run, true, held, failure); /* Step 3 */
    if (kind == FAIL_NONE && *held && run->variant == &random_direct)
        kind = random_return(run, failure); /* to the beginning of its permutation */
    phase_end(run);
    return kind;
}

/* ---- the algorithm ---- */

/* Returns the masters per cell, if groups are exact. */
static uint32_t layers_of(const struct routing *routing)
{
    return routing->degree > routing->congestion ? 2 : 1;
}

/* Delivers the packets that rest, at most one per node. When it ends nothing is left, which all
 * nodes know. */
static enum failure_kind phases_run(struct random_run *run, struct failure *failure)
{
    struct routing *routing = run->routing;
    enum failure_kind kind = FAIL_NONE;
    unsigned held = SYNCHRONISE_RESTING;
    run->layers = layers_of(routing);
    if (run->layers == 2)
        kind = lemma_split(routing, (struct lemma_load){1, routing->congestion}, failure);
    for (run->phase = 0; kind == FAIL_NONE && held; run->phase++, run->drawn++)
        kind = phase_run(run, &held, failure);
    return kind;
}

static enum failure_kind batches_run(struct random_run *run, const struct batches *batches,
                                     struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    run->machine = run->routing->machine;
    run->header = machine_headers(run->machine);
    for (uint32_t i = 0; i < batches->count && kind == FAIL_NONE; i++) {
        kind = batches_inject(batches, run->routing, i, failure);
        if (kind == FAIL_NONE)
            kind = phases_run(run, failure);
    }
    return kind;
}

/* Returns the capacity. With variant=paper and d > c there are up to four masters at a node, and 13
 * packets were measured; otherwise up to two, four on unequal tiles, and at most 12. */
static uint32_t capacity(const struct random_run *run)
{
    bool crowds = run->variant == &random_paper && run->layers > 1;
    return (run->routing->options->copy_is_free ? CAPACITY_FREE : CAPACITY_UNIT) +
           (crowds ? MORE_MASTERS : 0);
}

/* Returns a run with all values that follow from the sizes. With free copies a master hands on all
 * its copies for a tile before its wave is over, so phase 0 leaves nothing. With unit copies there
 * is one more round, or phase. */
static struct random_run run_of(struct routing *routing)
{
    struct random_run run = {.routing = routing,
                             .variant = VARIANTS[routing_parameter(routing, SPECS, "variant")],
                             .instances = routing_parameter(routing, SPECS, "r"),
                             .layers = layers_of(routing),
                             .congestion = batches_congestion(routing)};
    run.last_phase = random_last_phase(routing->set->mesh, run.congestion);
    if (run.variant == &random_paper)
        return run;
    if (routing->options->copy_is_free)
        run.last_phase = 0;
    run.rounds = routing->options->copy_is_free || run.last_phase > 0 ? 1 : 2;
    return run;
}

/* True if the run is that of circulate. */
static bool circulates(const struct routing *routing)
{
    struct routing own = *routing;
    struct random_length length;
    if (routing->congestion == 0 || circulate_is_due(routing, 0))
        return true;
    struct random_run run = run_of(&own);
    if (run.variant != &random_direct || random_direct_length(&run, &length, NULL) != FAIL_NONE)
        return false; /* without memory the run fails in its first phase */
    uint64_t syncs = length.syncs * synchronise_steps(routing->set->mesh);
    return circulate_is_due(routing, length.planned + syncs);
}

static void predict_least_r(const struct random_run *run)
{
    struct routing *routing = run->routing;
    struct lemma_least least = lemma_least_r(routing->set->mesh, routing->congestion, run->layers);
    struct router_figure figure = {.key = "least_r", .name = "least r", .value = least.both};
    snprintf(figure.note, sizeof figure.note,
             "for Lemma 2 (%u) and Lemma 3 (%u), with probability 1 - 1/n; here r = %u",
             least.lemma_2, least.lemma_3, run->instances);
    routing_predict(routing, &figure);
}

/* Promises the steps; an attempt follows another after one step, and so does the run of
 * circulate. */
static enum failure_kind direct_promise(const struct random_run *run, struct failure *failure)
{
    struct routing *routing = run->routing;
    struct random_length length;
    enum failure_kind kind = random_direct_length(run, &length, failure);
    if (kind != FAIL_NONE)
        return kind;
    uint64_t attempt = length.most + length.most_syncs * synchronise_steps(routing->set->mesh);
    bool is_one = routing->most_sent == 1, is_low = routing->degree <= routing->congestion;
    routing_promise(routing, ROUTER_KNOWN_ATTEMPTS * (attempt + 1) + circulate_most_steps(routing),
                    is_one   ? is_low ? PROMISE_FOR_ALL " with degrees up to c"
                                      : PROMISE_FOR_ALL " with degrees up to d"
                    : is_low ? PROMISE_FOR_MANY " with degrees up to c"
                             : PROMISE_FOR_MANY " with degrees up to d");
    return kind;
}

/* Reports all that nodes know before the run. With a capacity of the user's there are no attempts,
 * and no bound. */
static enum failure_kind predict(struct random_run *run, struct failure *failure)
{
    struct routing *routing = run->routing;
    if (routing_follows(routing))
        return FAIL_NONE;
    if (run->variant == &random_direct)
        return run->rounds > 0 ? direct_promise(run, failure) : FAIL_NONE;
    if (routing->most_sent == 1) /* else the messages of a batch per node are not known */
        predict_least_r(run);
    return random_paper_predict(run, failure);
}

static enum failure_kind random_route(struct routing *routing, struct failure *failure)
{
    uint32_t buffer = routing->options->buffer;
    struct random_run run = run_of(routing);
    struct batches batches = {0};
    if (circulates(routing)) {
        routing_runs_as(routing, "circulate");
        return circulate_method.route(routing, failure);
    }
    if (buffer == 0)
        buffer = capacity(&run);
    if (routing->attempt == NULL)
        run.rounds = 0;
    enum failure_kind kind = predict(&run, failure);
    if (kind == FAIL_NONE)
        kind = batches_make(&batches, routing, &routing->options->seed, failure);
    if (kind == FAIL_NONE)
        kind = routing_start(routing, buffer, NULL, failure);
    if (kind == FAIL_NONE)
        kind = batches_run(&run, &batches, failure);
    batches_free(&batches);
    return kind;
}

/* Returns the limits. If the steps of variant=paper are proven, so is the capacity
 * (random_direct.c). */
static struct attempt_limits random_limits(const struct routing *routing)
{
    struct routing own = *routing;
    struct random_length length;
    if (circulates(routing))
        return (struct attempt_limits){0};
    struct random_run run = run_of(&own);
    if (run.variant == &random_paper)
        return (struct attempt_limits){
            .steps = routing_goal_steps(routing, 30.0 * run.instances, 30.0 * routing->most_sent),
            .may_overflow = run.layers > 1};
    random_direct_length(&run, &length, NULL);
    return (struct attempt_limits){.steps = length.most, .may_overflow = true};
}

/* Makes the choices; with variant=paper packets draw their groups during the run. */
static enum failure_kind random_choose(const struct routing *routing,
                                       struct router_choices *choices, struct failure *failure)
{
    struct random_run run = {.routing = (struct routing *)routing,
                             .variant = VARIANTS[routing_parameter(routing, SPECS, "variant")],
                             .congestion = batches_congestion(routing)};
    bool chooses = run.variant == &random_direct && !circulates(routing);
    return chooses ? random_direct_choose(&run, choices, failure) : FAIL_NONE;
}

const struct router_method random_method = {
    {"random",
     "Theorem 3: random groups visit all tiles; constant buffers (where that is slow: circulate)",
     "variant=direct|paper  trees, or Section 4 as it is written (default direct)\n"
     "r=N  paper: copies for a block at each visit, over its nodes, 1 .. 65536 (default 3)"},
    SPECS,
    random_route,
    random_limits,
    TAKES_MANY,
    NULL,
    random_choose,
};
