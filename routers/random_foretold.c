/* random_foretold.c - how many steps variant=paper of router `random` takes, known before it runs.
 *
 * A round of visits has a length that the sizes say (random_paper.c), so has a shift, and nothing in them waits
 * for data. What is not known is how many phases there are, and how many rounds Step 3 adds to the last. But
 * each visit selects r A of a group's packets for a block of A nodes, or all that want it. At most c A
 * want it at all, and no more than one layer of the group at a time is asked, of which there is one a cell and a
 * surplus. So after ceil(min(c A, cells and surplus) / (r A)) rounds nothing can be left.
 *   With r >= c, or r at least the cells of a tile over the nodes of a block, that is one round of the first
 * phase, on every set.
 *   With groups by a permutation Step 1 has a length too (random_permuted.c), and the whole run has a bound.
 * Tentative groups and Lemma 1 route by data: beside the visits nothing is proven of them here.
 * Source: Section 4 of the paper.
 */
#include "routers/random_private.h"

#include "primitives/synchronise.h"

struct forecast {
    uint64_t visits; /* of all phases, with their shifts */
    uint64_t others; /* with groups by a permutation: all else */
};

/* The longest side of a block, or the shortest. */
static uint64_t side_of(const struct axis *axis, bool is_shortest)
{
    return is_shortest ? axis_shortest(axis) : axis_longest(axis);
}

/* After which the phase leaves nothing. */
static uint64_t rounds_of(const struct random_run *run)
{
    uint64_t masters = (uint64_t)axis_shortest(&run->tiles.row) * axis_shortest(&run->tiles.col) +
                       run->surplus.in_tile;
    uint64_t most = 1;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t area = side_of(&run->blocks.row, i & 1) * side_of(&run->blocks.col, i & 2);
        uint64_t wanted = area * run->routing->congestion, room = area * run->instances;
        uint64_t rounds = ((wanted < masters ? wanted : masters) + room - 1) / room;
        most = rounds > most ? rounds : most;
    }
    return most;
}

/* Adds the phase that the mesh is cut for; *is_last: none can follow it. */
static enum failure_kind add_phase(const struct random_run *run, struct forecast *forecast,
                                   bool *is_last, struct failure *failure)
{
    struct mesh mesh = run->routing->set->mesh;
    uint64_t round = 0, shift = random_shift_steps(run), rounds = rounds_of(run);
    *is_last = run->phase == run->last_phase || rounds == 1;
    if (!*is_last)
        rounds = 1;
    enum failure_kind kind = random_paper_steps(run, &round, failure);
    forecast->visits += rounds * (round + run->cycle.count * shift) - shift;
    forecast->others += mesh.rows + mesh.cols - 2 + random_settle_steps(run) +
                        rounds * synchronise_steps(mesh) +
                        (*is_last ? 0 : shift + random_settle_steps(run));
    return kind;
}

enum failure_kind random_paper_foretell(struct random_run *run, bool is_permuted,
                                        struct failure *failure)
{
    struct forecast forecast = {0, 0};
    struct random_run cut = *run;
    enum failure_kind kind = FAIL_NONE;
    bool is_last = false;
    cut.layers *= is_permuted ? 1 : 2; /* of two segments */
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
    if (is_permuted && run->layers == 1)
        routing_promise(run->routing, forecast.visits + forecast.others,
                        batches == 1 ? PROMISE_FOR_ALL " with degrees up to c"
                                     : PROMISE_FOR_MANY " with degrees up to c");
    else
        routing_expect(run->routing, forecast.visits);
    return FAIL_NONE;
}
