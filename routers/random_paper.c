/* random_paper.c - router `random`, variant=paper: Section 4's Step 2 as it is written.
 *
 * A visit: r instances of the t-migration, one after the other, each by prefix computations, sorts
 * and a segmented broadcast (migrate_literal.c), and after each a tour of the blocks' Hamiltonian
 * cycles (block_tour.c), in which the copies make all of their deliveries: there is nothing left to
 * discard. Then the shift. All of it has a length that every node computes, so no synchronisation
 * is needed in a visit, and nothing is ever under way between two parts.
 *   The ranks of all instances come from one pipelined prefix computation (migrate.c): instance i
 * selects ranks i A .. i A + A - 1 for a block of A nodes, so a packet is selected once for a
 * block. What has rank r A or more keeps its destinations for the next phase.
 *   Migrations take one packet a node. Layers of masters (tentative groups, Lemma 1) go one after
 * the other, the others set aside; and so do, where tiles are unequal, masters on first and on
 * second seats.
 *
 * Steps of a visit, in tiles of side s, for each layer: ranks 3 s, and r times 17 s for the
 * migration (18 s with unit copies) and s for the tour (2 s); the shift s. Unequal tiles take all
 * but the shift twice. Buffer: the masters of a node, and 5 packets that move.
 * Source: Section 4, Step 2, of the paper; Propositions 1 and 3.
 * Cost: the migration's, 12 bytes a destination slot, and the tour's.
 */
#include "primitives/migrate.h"
#include "routers/block_tour.h"
#include "routers/random_private.h"

#include <assert.h>
#include <stdlib.h>

/* Masters of which no node has two. */
struct paper_part {
    struct random_run *run;
    uint32_t layer;
    bool is_second; /* of the seats */
};

static bool is_other_part(void *context, uint32_t packet)
{
    const struct paper_part *part = context;
    const struct tile_cycle *cycle = &part->run->cycle;
    if (random_layer(part->run->header, packet) != part->layer)
        return true;
    return tile_cycle_seat(cycle, part->run->header->packet[packet].target).is_second !=
           part->is_second;
}

static bool is_no_copy(void *context, uint32_t packet)
{
    return !(((const struct headers *)context)->packet[packet].state & MIGRATE_IS_COPY);
}

/* Step 2(b): the copies tour their blocks, the masters stay. */
static enum failure_kind tour(struct random_run *run, struct failure *failure)
{
    enum failure_kind kind = machine_set_aside(run->machine, is_no_copy, run->header, failure);
    if (kind != FAIL_NONE)
        return kind;
    kind = block_tour_run(run->machine, run->own, failure);
    assert(kind != FAIL_NONE || machine_resting(run->machine) == 0);
    machine_take_back(run->machine);
    return kind;
}

/* The migration has used the masters' states. */
static void restore_masters(const struct paper_part *part)
{
    const struct random_run *run = part->run;
    for (node_index node = 0; node < mesh_nodes(run->routing->set->mesh); node++) {
        uint32_t packet = machine_first_resting(run->machine, node);
        if (packet != MACHINE_NONE)
            run->header->packet[packet].state =
                (uint8_t)(RANDOM_MASTER | part->layer << RANDOM_LAYER_SHIFT);
    }
}

static struct migration_plan plan_of(const struct random_run *run)
{
    return (struct migration_plan){.regions = &run->tiles,
                                   .blocks = &run->blocks,
                                   .instances = run->instances,
                                   .method = MIGRATE_SORTED,
                                   .keeps_phase = true};
}

/* Steps 2(a) and 2(b) for the masters that are not set aside. */
static enum failure_kind instances(const struct paper_part *part, struct failure *failure)
{
    struct random_run *run = part->run;
    struct migration_plan plan = plan_of(run);
    struct migration *migration;
    enum failure_kind kind = migrate_begin(run->machine, &plan, &migration, failure);
    for (uint32_t i = 0; i < run->instances && kind == FAIL_NONE; i++) {
        kind = migrate_send(migration, i, failure);
        if (kind == FAIL_NONE)
            kind = tour(run, failure);
    }
    migrate_end(migration);
    restore_masters(part);
    return kind;
}

static enum failure_kind visit_part(struct paper_part *part, struct failure *failure)
{
    struct machine *machine = part->run->machine;
    assert(machine_travelling(machine) == 0);
    enum failure_kind kind = machine_set_aside(machine, is_other_part, part, failure);
    if (kind != FAIL_NONE)
        return kind;
    kind = instances(part, failure);
    machine_take_back(machine);
    return kind;
}

/* The kinds of seats of a cell. */
static uint32_t seats_of(const struct random_run *run)
{
    return run->cycle.is_even || run->has_first_seats ? 1 : 2;
}

enum failure_kind random_paper_steps(const struct random_run *run, uint64_t *steps,
                                     struct failure *failure)
{
    struct migration_plan plan = plan_of(run);
    bool copy_is_free = run->routing->options->copy_is_free;
    struct block_tour tour;
    uint64_t instance = 0;
    enum failure_kind kind = migrate_sorted_steps(&plan, copy_is_free, &instance, failure);
    if (kind == FAIL_NONE)
        kind = block_tour_make(&tour, &run->blocks, failure);
    if (kind != FAIL_NONE)
        return kind;
    instance += block_tour_steps(&tour, copy_is_free);
    *steps = (uint64_t)run->layers * seats_of(run) *
             (migrate_rank_steps(&plan) + run->instances * instance);
    block_tour_free(&tour);
    return FAIL_NONE;
}

static enum failure_kind visit(struct random_run *run, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    uint32_t seats = seats_of(run);
    for (uint32_t i = 0; i < run->layers * seats && kind == FAIL_NONE; i++) {
        struct paper_part part = {run, i / seats, i % seats};
        kind = visit_part(&part, failure);
    }
    return kind;
}

/* Between visits nothing is under way, and the masters stay at home. */
static unsigned parts(struct random_run *run, struct site site, uint32_t packet)
{
    (void)run;
    (void)site;
    (void)packet;
    return PART_PARK;
}

static uint64_t drain_steps(const struct random_run *run)
{
    (void)run;
    return 0;
}

static enum failure_kind begin(struct random_run *run, struct failure *failure)
{
    struct block_tour *tour = run->own = memory_allocate(1, sizeof *tour);
    if (tour == NULL)
        return fail_memory(failure, "the tours of the blocks");
    return block_tour_make(tour, &run->blocks, failure);
}

static void end(struct random_run *run)
{
    if (run->own != NULL)
        block_tour_free(run->own);
    free(run->own);
    run->own = NULL;
}

static uint64_t footprint(const struct routing *routing, uint64_t slots)
{
    return migrate_footprint(mesh_nodes(routing->set->mesh), slots);
}

const struct random_variant random_paper = {
    .uses = USE_PLANE | USE_MARCH | USE_FORWARD,
    .aside_levels = 3, /* a part of the masters, those that no carrier stands for, copies on tour */
    .footprint = footprint,
    .begin = begin,
    .visit = visit,
    .drain_steps = drain_steps,
    .end = end,
    .parts = parts,
};
