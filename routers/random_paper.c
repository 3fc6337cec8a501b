/* random_paper.c - router `random`, variant=paper: Section 4's Step 2 as it is written, after its Step 1
 * (random_groups.c).
 *
 * A visit: r instances of the t-migration by segmented broadcasts and routings of known lengths, two at once
 * (migrate.c). After each two a tour of the blocks' Hamiltonian cycles (block_tour.c), the copies of either
 * instance another way round, in which they make all of their deliveries: nothing is left to discard. After all
 * instances the shift. All of it has a length that every node computes, so no synchronisation is needed in a
 * visit, and nothing is ever under way between two parts.
 *   The ranks of all instances come from pipelined prefix computations: instance i selects ranks
 * i A .. i A + A - 1 for a block of A nodes, so a packet is selected once for a block. A packet of rank r A or
 * more keeps its destinations for the next phase. The masters of a group stay in their order along the snake, in
 * all tiles alike, so the ranks of all visits of a round are computed before its first one.
 *   Layers of masters (two of each group, Lemma 1) visit one after the other, the others set aside. Where tiles are
 * unequal masters on second seats visit with those on first ones: they are a surplus, of about a side of a tile.
 *
 * Steps of a visit, in tiles of side s, for each layer, free copies: for two instances 3 s for their carriers,
 * 4.3 s for the copies of each, and s for both tours; the shift s. Unit copies: for two instances 6 s more. Before
 * a round 4 s and, for each visit, s / 4 + r. A surplus takes some steps more.
 * Buffer: the masters of a node, and 6 packets that move; with a surplus 7 to 9.
 * Source: Section 4, Step 2, of the paper; Propositions 1 and 3.
 * Cost: the migration's, 14 bytes per destination slot, and the tour's.
 */
#include "primitives/migrate.h"
#include "routers/block_tour.h"
#include "routers/random_private.h"

#include <assert.h>
#include <stdlib.h>

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

/* How many parts there are. */
static uint32_t outputs_of(const struct random_run *run)
{
    return run->layers_are_one ? 1 : run->layers;
}

/* run->own. */
struct paper {
    struct block_tour tour;
    struct migration *migration; /* of this round */
};

static bool is_no_copy(void *context, uint32_t packet)
{
    return !(((const struct headers *)context)->packet[packet].state & MIGRATE_IS_COPY);
}

/* Step 2(b): the copies tour their blocks, those of two instances opposite ways round; the masters stay. */
static enum failure_kind tour(struct random_run *run, bool both_ways, struct failure *failure)
{
    struct paper *paper = run->own;
    enum failure_kind kind = machine_set_aside(run->machine, is_no_copy, run->header, failure);
    if (kind != FAIL_NONE)
        return kind;
    uint8_t back = both_ways ? MIGRATE_SECOND_BATCH : 0;
    kind = block_tour_run(run->machine, &paper->tour, back, failure);
    assert(kind != FAIL_NONE || machine_resting(run->machine) == 0);
    machine_take_back(run->machine);
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
                                   .surplus = run->surplus,
                                   .room = run->room,
                                   .visits = run->cycle.count,
                                   .visit_of = visit_of,
                                   .context = (void *)run};
}

/* Steps 2(a) and 2(b) for the masters that are not set aside. */
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
    enum failure_kind kind = machine_set_aside(machine, is_other_part, part, failure);
    if (kind != FAIL_NONE)
        return kind;
    kind = instances(part->run, failure);
    machine_take_back(machine);
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

/* Before a round. */
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

/* Between visits nothing is under way, and the masters stay at home. */
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
    .group = random_groups_tentative,
    .begin = begin,
    .visit = visit,
    .drain_steps = drain_steps,
    .end = end,
    .outputs = outputs,
};
