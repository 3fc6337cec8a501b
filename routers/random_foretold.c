/* random_foretold.c - how many steps router `random` takes at most, known before it runs.
 *
 * A round of visits has a length that the sizes say, so has a shift, and nothing in them waits for data.
 *   variant=direct. So has all else but what comes after a round: late copies deliver in at most
 * three rounds of known lengths, an OR after each. If some are still under way then, or if a master has
 * slots left after the last round of visits, the ORs have told all nodes, and the attempt is void. So every attempt
 * ends in time, whoever made the set; that one stands is another matter (attempts.c).
 *   variant=paper. What is not known is how many phases there are, and how many rounds Step 3 adds to the last. But
 * each visit selects r A of a group's packets for a block of A nodes, or all that want it. At most c A
 * want it at all, and no more than one layer of the group at a time is asked, of which there is one a cell and a
 * surplus. So after ceil(min(c A, cells and surplus) / (r A)) rounds nothing can be left.
 *   With r >= c, or r at least the cells of a tile over the nodes of a block, that is one round of the first
 * phase, on every set. Step 1 has a length too (random_groups.c), and without Lemma 1, which routes by data, the whole
 * run has a bound.
 * Source: Section 4 of the paper.
 */
#include "routers/random_private.h"

#include "primitives/synchronise.h"
#include "routers/lemma.h"

/* ---- variant=direct ---- */

/* Adds the phase that the mesh is cut for. */
static void add_direct(const struct random_run *run, struct random_length *length)
{
    struct mesh mesh = run->routing->set->mesh;
    uint64_t shift = random_shift_steps(run), settle = random_settle_steps(run);
    uint64_t round = run->cycle.count * (run->variant->visit_steps(run) + shift), drain = 0;
    uint64_t rounds = run->phase == run->last_phase ? run->rounds : 1;
    uint32_t drains = random_drain_rounds(run);
    uint64_t once = mesh.rows + mesh.cols - (run->layers == 1 ? 2 : 0) + settle + round - shift;
    for (uint32_t i = 0; i < drains; i++)
        drain += random_drain_steps(run, i);
    if (run->phase == 0) {
        length->planned += once + random_drain_steps(run, 0);
        length->syncs++;
    }
    length->most += once + (rounds - 1) * round + rounds * drain;
    length->most_syncs += rounds * drains;
    if (run->phase < run->last_phase)
        length->most += shift + settle;
}

enum failure_kind random_direct_length(const struct random_run *run, struct random_length *length,
                                       struct failure *failure)
{
    struct random_run cut = *run;
    struct lemma_length lemma = {0};
    uint32_t batches = run->routing->most_sent;
    enum failure_kind kind = FAIL_NONE;
    if (run->layers > 1)
        kind = lemma_steps(run->routing, &lemma, failure);
    *length =
        (struct random_length){lemma.planned, lemma.most, lemma.most_syncs > 0, lemma.most_syncs};
    for (cut.phase = 0; kind == FAIL_NONE && cut.phase <= cut.last_phase; cut.phase++) {
        kind = random_cut(&cut, failure);
        if (kind == FAIL_NONE)
            add_direct(&cut, length);
        random_uncut(&cut);
    }
    length->planned *= batches;
    length->most *= batches;
    length->syncs *= batches;
    length->most_syncs *= batches;
    return kind;
}

/* ---- variant=paper ---- */

struct forecast {
    uint64_t visits; /* of all phases, with their shifts */
    uint64_t others; /* all else but Lemma 1 */
};

/* Returns the number of rounds after which the phase leaves nothing. */
static uint64_t rounds_of(const struct random_run *run)
{
    uint64_t masters = (uint64_t)axis_shortest(&run->tiles.row) * axis_shortest(&run->tiles.col) +
                       run->surplus.in_tile;
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
    enum { SEGMENTS = 2 }; /* of a group: the layers of masters that Step 1 makes of one class */
    uint64_t round = 0, group = 0;
    enum failure_kind kind = random_tentative_steps(run, &group, failure);
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

enum failure_kind random_paper_foretell(struct random_run *run, struct failure *failure)
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
    routing_foretell(run->routing, &figure);
    if (run->layers == 1)
        routing_promise(run->routing, forecast.visits + forecast.others,
                        batches == 1 ? PROMISE_FOR_ALL " with degrees up to c"
                                     : PROMISE_FOR_MANY " with degrees up to c");
    else
        routing_expect(run->routing, forecast.visits);
    return FAIL_NONE;
}
