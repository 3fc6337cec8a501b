/* expander_guaranteed.c - Step 4 of Theorem 4, visits=guaranteed: as it is written.
 *
 * A visit is that of random_paper.c: alpha t-migrations by segmented broadcasts and routings of known lengths, two
 * at once (migrate_sorted.c), after each two a tour of the blocks' Hamiltonian cycles (block_tour.c), then the
 * shift. Everything has a length that nodes compute from the sizes; nothing waits for the data, and all that is
 * selected is delivered or marked. On its tour a clone that comes where its message is drops that destination
 * (expander_mark.c).
 *
 * Steps in tiles of side s, free copies. Before the c visits of a phase 4 s, and for each visit s / 4 + alpha; then a
 * visit, with alpha = 2: 3 s for carriers, two times 4.3 s for copies, s for the tours, and s for the shift: with s / 4
 * that is 13.9 s. Unit copies: 6 s more.
 * Buffer, proven: 6 packets that move or have come, the replica of a node, and another class's piece: 8. On
 * unequal tiles some nodes have two replicas, and 7 or 8 packets move. With room=N the routing of copies has N packets,
 * and one more is held where alpha > 1: 4.3 s in 5, 4.1 s in 6, 3.3 s in 8, 2.9 s in 12. If it is not given it is 6;
 * behind a walk 5 on equal tiles, and 6 or 7 on others.
 * Source: Section 5, Step 4(a) and (b).
 * Cost: the migration's, 14 bytes a slot.
 */
#include "primitives/synchronise.h"
#include "routers/block_tour.h"
#include "routers/expander_private.h"

static bool is_held(void *context, struct site site, uint32_t slot)
{
    return expander_comes_late(context, site, slot);
}

static enum failure_kind visits(struct expander_run *run, struct failure *failure)
{
    struct random_run *masters = &run->masters;
    enum failure_kind kind = FAIL_NONE;
    masters->visit = 0;
    for (uint32_t i = 0; kind == FAIL_NONE && i < masters->cycle.count; i++) {
        if (i > 0)
            kind = random_shift(masters, failure);
        if (kind == FAIL_NONE)
            kind = random_paper.visit(masters, failure);
    }
    return kind;
}

/* With the OR behind them. */
static enum failure_kind steps(const struct expander_run *run, uint64_t *steps,
                               struct failure *failure)
{
    const struct random_run *masters = &run->masters;
    uint64_t round = 0, count = masters->cycle.count;
    enum failure_kind kind = random_paper_steps(masters, &round, failure);
    *steps = round + (count - 1) * random_shift_steps(masters) +
             synchronise_steps(run->routing->set->mesh);
    return kind;
}

/* Nothing is ever on its way between visits. */
static enum failure_kind drain(struct expander_run *run, unsigned *held, struct failure *failure)
{
    return synchronise_held(run->masters.machine, 0, held, failure);
}

static enum failure_kind begin(struct expander_run *run, struct failure *failure)
{
    enum failure_kind kind = random_paper.begin(&run->masters, failure);
    if (kind == FAIL_NONE) {
        struct block_tour *tour = random_paper_tour(&run->masters);
        tour->is_held = is_held;
        tour->context = run;
    }
    return kind;
}

static void end(struct expander_run *run)
{
    random_paper.end(&run->masters);
}

/* During a visit replicas rest, one of each layer, each on its seat. Beside all that another class's piece rests.
 * While replicas shift there are fewer: as many that set out, in one queue, and as many that have come, and one that
 * passes where ways cross. */
static uint32_t capacity(const struct expander_run *run)
{
    struct random_run last = run->masters;
    /* as many as any phase has: the first one of literal=1 has r times alpha */
    last.instances = run->is_literal ? run->alpha * run->replicas : run->alpha;
    return random_paper_packets(&last) + last.layers + 1;
}

static uint64_t footprint(const struct routing *routing, uint64_t slots)
{
    return random_paper.footprint(routing, slots);
}

const struct expander_visits expander_guaranteed = {
    .variant = &random_paper,
    .round = visits,
    .steps = steps,
    .drain = drain,
    .begin = begin,
    .end = end,
    .capacity = capacity,
    .standard_alpha = 2,
    .uses = USE_FORWARD | USE_WORDS | USE_PLANE,
    .aside_levels = 4,
    .footprint = footprint,
};
