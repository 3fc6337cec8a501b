/* random_paper.c - router `random`, variant=paper: Section 4's Steps 1 and 2 as written.
 *
 * Step 1. Each packet draws a tentative group; sorting by it and ranks within it cut the tentative
 * groups into segments, one at most of each group incomplete; the segments j and j + c_i make group
 * j, whose packets go to the nodes of tile j, at most two per node. Steps (a) to (f) are functions
 * below.
 *   Sizes. A segment has q packets, the nodes of a smallest tile, so that two fit into every tile.
 * If tiles are unequal, n / q is more than c_i; so only 2 c_i - n / q tentative groups are drawn,
 * and there are still at most 2 c_i segments. With equal tiles that is c_i, as in the paper.
 *   Lemma 1's two packets per node are two classes that are grouped one after the other, while
 * those of the other class are parked: a class has one packet per node, as sorting needs it. Each
 * makes two layers of masters, so there may be four at a node. In later phases a class may have two
 * at a node; first of all they go to nodes of their own, in snake order.
 *   Step 2. A visit: r instances of the t-migration by segmented broadcasts and routings of known
 * lengths, two at once (migrate.c). After each two a tour of the blocks' Hamiltonian cycles
 * (block_tour.c), the copies of the two instances in opposite ways, in which they make all of their
 * deliveries: nothing is left to discard. After all instances the shift. All of it has a length
 * that every node computes, so no synchronisation is needed in a visit, and nothing is ever under
 * way between two parts.
 *   The ranks of all instances come from pipelined prefix computations: instance i selects ranks i
 * A .. i A + A - 1 for a block of A nodes, so a packet is selected once for a block. A packet of
 * rank r A or more keeps its destinations for the next phase. The masters of a group stay in their
 * order along the snake, in all tiles alike, so the ranks of all visits of a round are computed
 * before its first one.
 *   Layers of masters (two of each group, Lemma 1) visit one after the other, the others parked.
 * Where tiles are unequal masters on second seats visit with those on first ones: they are an
 * excess, of about a side of a tile.
 *
 * Steps of a class in Step 1, m the side: two sorts (3 m to 5 m each), three prefix computations (2
 * m each), and a routing by sorted blocks from one packet per node to two (unicast_blocks.c: at
 * most 4.9 m for powers of two, 5.6 m for other sides); later phases a prefix computation (2 m) and
 * a routing along rows and columns (3 m) more. All lengths are known: no synchronisation. Steps of
 * a visit, in tiles of side s, for each layer, free copies: for two instances 3 s for their heads,
 * 4.3 s for the copies of each, and s for both tours; the shift s. Unit copies: for two instances 6
 * s more. Before a round 4 s and, for each visit, s / 4 + r. An excess takes some steps more.
 *   The number of phases, and of rounds that Step 3 adds to the last one, are not known. But each
 * visit selects r A of a group's packets for a block of A nodes, or all that want it. At most c A
 * want it at all, and no more than one layer of the group at a time is asked, which has one
 * master per cell and an excess. So after ceil(min(c A, cells and excess) / (r A)) rounds nothing
 * can be left.
 *   With r >= c, or r at least the cells of a tile over the nodes of a block, that is one round of
 * the first phase, on every set; and without Lemma 1, which routes by data, the whole run has a
 * bound.
 * Buffer: Step 1 10 packets of the class, proven; measured 8 in all. A visit the masters of a node,
 * and 6 packets that move; with an excess 7 to 9.
 * Source: Section 4, Step 1(a)-(f) and Step 2, of the paper; Propositions 1 and 3.
 * Cost: 8 bytes per node for Step 1; the migration's, 14 bytes per destination slot, and the
 * tour's.
 */
#include "primitives/migrate.h"
#include "primitives/prefix.h"
#include "primitives/sort.h"
#include "primitives/synchronise.h"
#include "primitives/unicast_route.h"
#include "routers/block_tour.h"
#include "routers/random_private.h"

#include <assert.h>
#include <stdlib.h>

/* ---- Step 1 ---- */

/* SEGMENTS: per group, the layers of masters that Step 1 makes of one class. */
enum { STREAM_TENTATIVE = 0x74656e74, SEGMENTS = 2, SCATTER_PACKETS = 10 };

/* The grouping of one class. */
struct grouping {
    struct random_run *run;
    struct tessellation whole; /* one tile: the mesh */
    uint32_t class;
    uint32_t segment, drawn; /* packets of a segment; tentative groups */
    uint64_t *value;         /* [node], for prefix computations */
};

/* ---- nodes and their packets ---- */

static bool is_of_class(const struct grouping *grouping, uint32_t packet)
{
    uint32_t layer = random_layer(grouping->run->header, packet);
    return (grouping->run->phase == 0 ? layer : layer / SEGMENTS) == grouping->class;
}

static bool is_of_other_class(void *context, uint32_t packet)
{
    return !is_of_class(context, packet);
}

/* Calls `act` for every resting packet of the class; it reads and writes only the node's own
 * data. */
static void for_packets(struct grouping *grouping,
                        void (*act)(struct grouping *grouping, node_index node, uint32_t packet))
{
    for (struct resting at = resting_of(grouping->run->machine); resting_next(&at);)
        act(grouping, at.site.index, at.packet);
}

/* ---- instructions ---- */

static void begin_phase(const struct grouping *grouping)
{
    char name[MACHINE_NAME_SIZE];
    snprintf(name, sizeof name, "draw groups (phase %u)", grouping->run->phase);
    machine_begin_phase(grouping->run->machine, name);
}

static void name_scatter(const struct grouping *grouping, char name[MACHINE_NAME_SIZE])
{
    snprintf(name, MACHINE_NAME_SIZE, "scatter (phase %u)", grouping->run->phase);
}

/* Returns the plan of Step 1(f): from one packet per node to as many as there are segments in a
 * group. */
static struct unicast_plan scatter_plan(const struct tessellation *whole, const char *name)
{
    return (struct unicast_plan){.tiles = whole, .name = name, .k = SEGMENTS};
}

static enum failure_kind scatter(struct grouping *grouping, struct failure *failure)
{
    char name[MACHINE_NAME_SIZE];
    name_scatter(grouping, name);
    struct unicast_plan plan = scatter_plan(&grouping->whole, name);
    return unicast_blocks(grouping->run->machine, &plan, SCATTER_PACKETS, failure);
}

static struct sort_plan sort_of(const struct tessellation *whole)
{
    return (struct sort_plan){.tiles = whole};
}

static enum failure_kind sort(struct grouping *grouping, struct failure *failure)
{
    struct sort_plan plan = sort_of(&grouping->whole);
    return sort_tiles(grouping->run->machine, &plan, failure);
}

/* Computes prefixes: `act` sets a packet's node's input, others put 0 in; value[node] becomes the
 * combination before it. */
static enum failure_kind prefix(struct grouping *grouping, const struct prefix_operator *operation,
                                void (*act)(struct grouping *grouping, node_index node,
                                            uint32_t packet),
                                struct failure *failure)
{
    struct node_range nodes = machine_nodes(grouping->run->machine);
    for (node_index node = nodes.first; node < nodes.end; node++)
        grouping->value[node] = 0;
    for_packets(grouping, act);
    struct prefix_items items = {.operation = operation, .count = 1, .value = grouping->value};
    return prefix_snake(grouping->run->machine, &grouping->whole, &items, failure);
}

/* ---- ranks within groups ---- */

/* Combines words, each a group and a count of its items, of items in the order of groups: two words
 * of one group add up, of different groups the later one stays. Group 0 is none. */
static uint64_t count_in_group(uint64_t before, uint64_t after)
{
    if (after == 0)
        return before;
    return before >> 32 == after >> 32 ? before + (uint32_t)after : after;
}

static const struct prefix_operator GROUP_COUNT = {0, count_in_group};

static uint64_t group_word(const struct grouping *grouping, uint32_t packet)
{
    return (uint64_t)(grouping->run->header->packet[packet].target + 1) << 32;
}

static void put_one_in(struct grouping *grouping, node_index node, uint32_t packet)
{
    grouping->value[node] = group_word(grouping, packet) | 1;
}

/* Returns, after that computation, the number of the packet's group before it. */
static uint32_t rank_of(const struct grouping *grouping, node_index node, uint32_t packet)
{
    uint64_t before = grouping->value[node];
    return before >> 32 == group_word(grouping, packet) >> 32 ? (uint32_t)before : 0;
}

/* Sorts by header.target and ranks within. */
static enum failure_kind sort_and_rank(struct grouping *grouping, struct failure *failure)
{
    enum failure_kind kind = sort(grouping, failure);
    return kind == FAIL_NONE ? prefix(grouping, &GROUP_COUNT, put_one_in, failure) : kind;
}

/* ---- the steps ---- */

static void count_packet(struct grouping *grouping, node_index node, uint32_t packet)
{
    (void)packet;
    grouping->value[node]++;
}

/* Sends every packet, in later phases, to a node of its own. The packets of a row, SEGMENTS per
 * node, go to consecutive places along the snake: to a column SEGMENTS + 1 times at most. */
static const struct unicast_legs PACK_LEGS = {SEGMENTS, SEGMENTS + 1, 1};

static enum failure_kind pack(struct grouping *grouping, struct failure *failure)
{
    char name[MACHINE_NAME_SIZE];
    enum failure_kind kind = prefix(grouping, &prefix_sum, count_packet, failure);
    if (kind != FAIL_NONE)
        return kind;
    struct mesh mesh = grouping->run->routing->set->mesh;
    struct interval rows = {0, mesh.rows}, cols = {0, mesh.cols};
    for (struct resting at = resting_of(grouping->run->machine); resting_next(&at);)
        grouping->run->header->packet[at.packet].target =
            snake_place(rows, cols, grouping->value[at.site.index]++);
    name_scatter(grouping, name);
    kind = unicast_along_legs(grouping->run->machine, &grouping->whole, name, &PACK_LEGS, failure);
    begin_phase(grouping);
    return kind;
}

/* Does Step 1(a). The draw depends on the node, which holds one packet of the class. */
static void draw_group(struct grouping *grouping, node_index node, uint32_t packet)
{
    struct random_run *run = grouping->run;
    uint64_t stream = STREAM_TENTATIVE + (uint64_t)SEGMENTS * run->drawn + grouping->class;
    uint64_t drawn = routing_random(run->routing, stream, node);
    run->header->packet[packet].target = (uint32_t)(drawn * grouping->drawn >> 32);
}

/* Does Step 1(c): the first packet of each segment counts it; the packet's place in it is
 * forgotten. */
static void mark_segment(struct grouping *grouping, node_index node, uint32_t packet)
{
    uint32_t rank = grouping->run->header->packet[packet].target;
    grouping->value[node] = rank % grouping->segment == 0;
}

static void keep_rank(struct grouping *grouping, node_index node, uint32_t packet)
{
    grouping->run->header->packet[packet].target = rank_of(grouping, node, packet);
}

/* Does Step 1(d): segments j and j + c_i belong to group j. */
static void assign_group(struct grouping *grouping, node_index node, uint32_t packet)
{
    struct random_run *run = grouping->run;
    uint32_t is_first = run->header->packet[packet].target % grouping->segment == 0;
    uint64_t number = grouping->value[node] + is_first - 1;
    assert(number < (uint64_t)SEGMENTS * run->cycle.count);
    run->header->packet[packet].target = (uint32_t)(number % run->cycle.count);
}

/* Does Step 1(e): addresses a node of the group's tile by the rank in the group, of those that all
 * tiles have. */
static void address_tile(struct grouping *grouping, node_index node, uint32_t packet)
{
    struct random_run *run = grouping->run;
    const struct axis *row = &run->tiles.row, *col = &run->tiles.col;
    uint32_t rank = rank_of(grouping, node, packet);
    uint32_t tile = run->cycle.tile[run->header->packet[packet].target],
             across = axis_intervals(col);
    uint32_t row_cut = row->cut[tile / across], col_cut = col->cut[tile % across];
    struct interval rows = {row_cut, row_cut + axis_shortest(row)};
    struct interval cols = {col_cut, col_cut + axis_shortest(col)};
    assert(rank < SEGMENTS * grouping->segment);
    run->header->packet[packet].target = snake_place(rows, cols, rank % grouping->segment);
    uint32_t layer = SEGMENTS * grouping->class + rank / grouping->segment;
    run->header->packet[packet].state = (uint8_t)(RANDOM_MASTER | layer << RANDOM_LAYER_SHIFT);
}

static enum failure_kind steps(struct grouping *grouping, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    begin_phase(grouping);
    if (grouping->run->phase > 0)
        kind = pack(grouping, failure);
    if (kind == FAIL_NONE) {
        for_packets(grouping, draw_group);
        kind = sort_and_rank(grouping, failure); /* Step 1(b) */
    }
    if (kind == FAIL_NONE) {
        for_packets(grouping, keep_rank);
        kind = prefix(grouping, &prefix_sum, mark_segment, failure);
    }
    if (kind == FAIL_NONE) {
        for_packets(grouping, assign_group);
        kind = sort_and_rank(grouping, failure); /* Step 1(e) */
    }
    if (kind == FAIL_NONE) {
        for_packets(grouping, address_tile);
        kind = scatter(grouping, failure);
    }
    return kind;
}

/* ---- the grouping ---- */

static enum failure_kind class_steps(const struct tessellation *whole, bool is_first,
                                     uint64_t *steps, struct failure *failure)
{
    struct unicast_plan plan = scatter_plan(whole, NULL);
    struct sort_plan order = sort_of(whole);
    struct block_choice choice;
    uint64_t sort = 0, prefix = prefix_snake_steps(whole, 1, false);
    enum failure_kind kind = sort_steps(&order, &sort, failure);
    if (kind == FAIL_NONE)
        kind = unicast_blocks_choose(&plan, SCATTER_PACKETS, &choice, failure);
    if (kind != FAIL_NONE)
        return kind;
    *steps = 2 * sort + 3 * prefix + choice.steps;
    if (!is_first)
        *steps += prefix + unicast_legs_steps(whole, &PACK_LEGS);
    return kind;
}

static uint32_t classes_of(const struct random_run *run)
{
    return run->phase == 0 ? run->layers : run->layers / SEGMENTS;
}

static enum failure_kind tentative_steps(const struct random_run *run, uint64_t *steps,
                                         struct failure *failure)
{
    struct tessellation whole;
    enum failure_kind kind = tessellation_make(&whole, run->routing->set->mesh, 1, failure);
    if (kind != FAIL_NONE)
        return kind;
    kind = class_steps(&whole, run->phase == 0, steps, failure);
    *steps *= classes_of(run);
    tessellation_free(&whole);
    return kind;
}

static enum failure_kind group_class(struct grouping *grouping, struct failure *failure)
{
    struct machine *machine = grouping->run->machine;
    enum failure_kind kind = machine_park(machine, is_of_other_class, grouping, failure);
    if (kind != FAIL_NONE)
        return kind;
    kind = steps(grouping, failure);
    machine_unpark(machine);
    return kind;
}

static enum failure_kind group_tentatively(struct random_run *run, struct failure *failure)
{
    uint32_t nodes = mesh_nodes(run->routing->set->mesh);
    uint32_t classes = classes_of(run);
    struct grouping grouping = {.run = run};
    grouping.segment = axis_shortest(&run->tiles.row) * axis_shortest(&run->tiles.col);
    assert(nodes / grouping.segment < SEGMENTS * run->cycle.count);
    grouping.drawn = SEGMENTS * run->cycle.count - nodes / grouping.segment;
    grouping.value = memory_allocate(nodes, sizeof *grouping.value);
    enum failure_kind kind =
        tessellation_make(&grouping.whole, run->routing->set->mesh, 1, failure);
    if (kind == FAIL_NONE && grouping.value == NULL)
        kind = fail_memory(failure, "the groups");
    /* the last class first: its new layers are not those of a class that is still to come */
    for (grouping.class = classes; kind == FAIL_NONE && grouping.class -- > 0;)
        kind = group_class(&grouping, failure);
    run->layers = SEGMENTS * classes;
    tessellation_free(&grouping.whole);
    free(grouping.value);
    return kind;
}

/* ---- Step 2 ---- */

/* Masters that visit together. */
struct paper_part {
    struct random_run *run;
    uint32_t layer;
};

static bool is_other_part(void *context, uint32_t packet)
{
    const struct paper_part *part = context;
    return !part->run->layers_are_one && random_layer(part->run->header, packet) != part->layer;
}

/* Returns how many parts there are. */
static uint32_t outputs_of(const struct random_run *run)
{
    return run->layers_are_one ? 1 : run->layers;
}

/* The variant's state, run->own. */
struct paper {
    struct block_tour tour;
    struct migration *migration; /* of this round */
};

static bool is_no_copy(void *context, uint32_t packet)
{
    return !(((const struct headers *)context)->packet[packet].state & MIGRATE_IS_COPY);
}

/* Does Step 2(b): the copies tour their blocks, those of two instances in opposite ways; the
 * masters stay. */
static enum failure_kind tour(struct random_run *run, bool both_ways, struct failure *failure)
{
    struct paper *paper = run->own;
    enum failure_kind kind = machine_park(run->machine, is_no_copy, run->header, failure);
    if (kind != FAIL_NONE)
        return kind;
    uint8_t back = both_ways ? MIGRATE_SECOND_BATCH : 0;
    kind = block_tour_run(run->machine, &paper->tour, back, failure);
    assert(kind != FAIL_NONE || machine_resting(run->machine) == 0);
    machine_unpark(run->machine);
    return kind;
}

static uint32_t visit_of(void *context, uint32_t packet, node_place destination)
{
    return random_visit_of(context, packet, destination);
}

enum { TOGETHER = 2 };

static struct migration_plan plan_of(const struct random_run *run)
{
    return (struct migration_plan){.regions = &run->tiles,
                                   .blocks = &run->blocks,
                                   .instances = run->instances,
                                   .excess = run->excess,
                                   .room = run->room,
                                   .visits = run->cycle.count,
                                   .visit_of = visit_of,
                                   .context = (void *)run};
}

/* Does Steps 2(a) and 2(b) for the masters that are not parked. */
static enum failure_kind instances(struct random_run *run, struct failure *failure)
{
    struct paper *paper = run->own;
    struct migration_plan plan = plan_of(run);
    uint32_t most = migrate_instances(&plan);
    enum failure_kind kind = run->visit == 0 ? migrate_rank(paper->migration, failure) : FAIL_NONE;
    for (uint32_t i = 0; i < most && kind == FAIL_NONE; i += TOGETHER) {
        kind = migrate_send(paper->migration, run->visit, i, failure);
        if (kind == FAIL_NONE)
            kind = tour(run, i + 1 < most, failure);
    }
    return kind;
}

static enum failure_kind visit_part(struct paper_part *part, struct failure *failure)
{
    struct machine *machine = part->run->machine;
    assert(machine_travelling(machine) == 0);
    enum failure_kind kind = machine_park(machine, is_other_part, part, failure);
    if (kind != FAIL_NONE)
        return kind;
    kind = instances(part->run, failure);
    machine_unpark(machine);
    return kind;
}

enum failure_kind random_paper_steps(const struct random_run *run, uint64_t *steps,
                                     struct failure *failure)
{
    struct migration_plan plan = plan_of(run);
    bool copy_is_free = run->routing->options->copy_is_free;
    struct block_tour tour;
    uint64_t visit = 0;
    enum failure_kind kind = migrate_visit_steps(&plan, copy_is_free, &visit, failure);
    if (kind == FAIL_NONE)
        kind = block_tour_make(&tour, &run->blocks, failure);
    if (kind != FAIL_NONE)
        return kind;
    uint64_t most = migrate_instances(&plan), pairs = most / TOGETHER, alone = most % TOGETHER;
    visit += pairs * block_tour_steps(&tour, copy_is_free, true) +
             alone * block_tour_steps(&tour, copy_is_free, false);
    *steps = (uint64_t)outputs_of(run) * (migrate_rank_steps(&plan) + run->cycle.count * visit);
    block_tour_free(&tour);
    return FAIL_NONE;
}

uint32_t random_paper_packets(const struct random_run *run)
{
    struct migration_plan plan = plan_of(run);
    uint32_t moving = migrate_packets(&plan), touring = block_tour_packets(plan.instances > 1);
    return moving > touring ? moving : touring;
}

/* Ranks masters before a round. */
static enum failure_kind begin_round(struct random_run *run, struct failure *failure)
{
    struct paper *paper = run->own;
    struct migration_plan plan = plan_of(run);
    migrate_end(paper->migration);
    return migrate_make(run->machine, &plan, &paper->migration, failure);
}

static enum failure_kind visit(struct random_run *run, struct failure *failure)
{
    enum failure_kind kind = run->visit == 0 ? begin_round(run, failure) : FAIL_NONE;
    for (uint32_t i = 0; i < outputs_of(run) && kind == FAIL_NONE; i++) {
        struct paper_part part = {run, i};
        kind = visit_part(&part, failure);
    }
    return kind;
}

/* Returns the outputs: between visits nothing is under way, and the masters stay at home. */
static unsigned outputs(struct random_run *run, struct site site, uint32_t packet)
{
    (void)run;
    (void)site;
    (void)packet;
    return OUT_HOLD;
}

static uint64_t drain_steps(const struct random_run *run)
{
    (void)run;
    return 0;
}

static enum failure_kind begin(struct random_run *run, struct failure *failure)
{
    struct paper *paper = run->own = memory_allocate(1, sizeof *paper);
    if (paper == NULL)
        return fail_memory(failure, "the tours of the blocks");
    return block_tour_make(&paper->tour, &run->blocks, failure);
}

struct block_tour *random_paper_tour(struct random_run *run)
{
    return &((struct paper *)run->own)->tour;
}

static void end(struct random_run *run)
{
    struct paper *paper = run->own;
    if (paper != NULL) {
        block_tour_free(&paper->tour);
        migrate_end(paper->migration);
    }
    free(paper);
    run->own = NULL;
}

const struct random_variant random_paper = {
    .group = group_tentatively,
    .begin = begin,
    .visit = visit,
    .drain_steps = drain_steps,
    .end = end,
    .outputs = outputs,
};

/* ---- figures known before the run ---- */

struct forecast {
    uint64_t visits; /* of all phases, with their shifts */
    uint64_t others; /* everything except Lemma 1 */
};

/* Returns the number of rounds after which the phase leaves nothing. */
static uint64_t rounds_of(const struct random_run *run)
{
    uint64_t masters = (uint64_t)axis_shortest(&run->tiles.row) * axis_shortest(&run->tiles.col) +
                       run->excess.in_tile;
    uint64_t most = 1;
    for (unsigned i = 0; i < RANDOM_BLOCK_SIZES; i++) {
        uint64_t area = random_block_area(run, i);
        uint64_t wanted = area * run->routing->congestion, room = area * run->instances;
        uint64_t rounds = ((wanted < masters ? wanted : masters) + room - 1) / room;
        most = rounds > most ? rounds : most;
    }
    return most;
}

/* Adds the phase that the mesh is cut for; *is_last: none can follow it. */
static enum failure_kind add_phase(struct random_run *run, struct forecast *forecast, bool *is_last,
                                   struct failure *failure)
{
    uint64_t round = 0, group = 0;
    enum failure_kind kind = tentative_steps(run, &group, failure);
    if (run->phase == 0)
        run->layers *= SEGMENTS;
    uint64_t shift = random_shift_steps(run), rounds = rounds_of(run);
    *is_last = run->phase == run->last_phase || rounds == 1;
    if (!*is_last)
        rounds = 1;
    if (kind == FAIL_NONE)
        kind = random_paper_steps(run, &round, failure);
    forecast->visits += rounds * (round + run->cycle.count * shift) - shift;
    forecast->others += group + rounds * synchronise_steps(run->routing->set->mesh);
    return kind;
}

enum failure_kind random_paper_predict(struct random_run *run, struct failure *failure)
{
    struct forecast forecast = {0, 0};
    struct random_run cut = *run;
    enum failure_kind kind = FAIL_NONE;
    bool is_last = false;
    for (cut.phase = 0; !is_last && kind == FAIL_NONE; cut.phase++) {
        kind = random_cut(&cut, failure);
        if (kind == FAIL_NONE)
            kind = add_phase(&cut, &forecast, &is_last, failure);
        random_uncut(&cut);
    }
    if (kind != FAIL_NONE)
        return kind;
    uint32_t batches = run->routing->most_sent;
    forecast.visits *= batches;
    forecast.others *= batches;
    struct router_figure figure = {"visit_steps", "steps of visits", forecast.visits,
                                   "at most, with the shifts between them, for every set"};
    routing_predict(run->routing, &figure);
    if (run->layers == 1)
        routing_promise(run->routing, forecast.visits + forecast.others,
                        batches == 1 ? PROMISE_FOR_ALL " with degrees up to c"
                                     : PROMISE_FOR_MANY " with degrees up to c");
    else
        routing_expect(run->routing, forecast.visits);
    return FAIL_NONE;
}
