/* expander_bound.c - a bound on the steps of router `expander`, for every set.
 *
 * Phases (Lemma 4, for any alpha; doc/theorem4.md has the proof). Of the messages of a class let x
 * have something left for a block of A nodes when a phase begins: at most c A, and at most all of
 * the class. Then x' have something left when it is over, with
 *     x' + ceil(G(k) alpha A / r) <= x,   k = min(x', floor(c / r)),
 * and the next phase begins with the largest such x'. G(k) is the largest of lambda r k, with the
 * lambda that is certified for this graph; k r over the most edges of a group; and 1.
 *   The walk. It leaves the replicas a whole batch, so the lemma counts as if there had been no
 * walk: a run lasts the steps of the walk, one for the second injection, and those of the replicas.
 * A walk precedes each batch until one leaves something; that batch and all later ones are the
 * replicas'. So at most one walk is in vain.
 *
 * If nodes send l messages the run has l batches, and each is such a run for c / l tiles: they
 * replace c in all of this but c A. A batch may hold all c messages of a node, so a block may still
 * want c A.
 *
 * Steps of a phase are sums of known lengths: nothing in it waits for data.
 * Source: Section 5, Lemma 4 and Theorem 4; doc/theorem4.md.
 * Cost: a division or a few per phase; the certificates of lambda, expanders/bracket.h.
 */
#include "routers/expander_run.h"

#include "base/numbers.h"
#include "primitives/synchronise.h"

#include <math.h>

/* ---- phases ---- */

/* Returns the least number of groups that hold replicas of any k messages, k <= c / r. */
static uint64_t groups_of(const struct expander_certificate *graph, uint64_t k)
{
    uint64_t of_lambda = (uint64_t)ceil(graph->lambda * (double)(graph->degree * k) - 1e-6);
    uint64_t of_load = divide_up(graph->degree * k, graph->most_load);
    return of_lambda > of_load ? of_lambda : of_load;
}

/* Returns the number of other messages that lose all they have for a block in a phase that leaves
 * `left`. */
static uint64_t served(const struct expander_certificate *graph, uint64_t left, uint64_t room)
{
    uint64_t k = left < graph->largest_set ? left : graph->largest_set;
    return divide_up(groups_of(graph, k) * room, graph->degree);
}

uint64_t expander_left(const struct expander_certificate *graph, uint64_t before, uint64_t room)
{
    uint64_t most = served(graph, graph->largest_set, room), low = 0, high = graph->largest_set;
    if (before >= graph->largest_set + most)
        return before - most;
    while (low < high) { /* low is possible, above high nothing is */
        uint64_t middle = low + (high - low + 1) / 2;
        if (middle + served(graph, middle, room) <= before)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

uint64_t expander_phases(const struct expander_certificate *graph, uint64_t wanted,
                         uint64_t first_room, uint64_t room)
{
    uint64_t phases = 0;
    for (uint64_t left = wanted; left > 0; phases++)
        left = expander_left(graph, left, phases == 0 ? first_room : room);
    return phases;
}

/* Returns the instances of a visit. */
static uint32_t instances_of(const struct expander_run *run, bool is_first)
{
    return run->is_literal && is_first ? run->alpha * run->replicas : run->alpha;
}

/* Returns the most phases of a class, over blocks of all sizes. */
static uint64_t phases_of(const struct expander_run *run)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < RANDOM_BLOCK_SIZES; i++) {
        uint64_t area = random_block_area(&run->masters, i);
        uint64_t wanted = area * run->routing->congestion, class = run->seats.inputs;
        uint64_t phases =
            expander_phases(&run->certificate, wanted < class ? wanted : class,
                            area * instances_of(run, true), area * instances_of(run, false));
        most = phases > most ? phases : most;
    }
    return most;
}

/* ---- steps ---- */

/* Returns the steps of a phase without its visits, with the OR after it. */
static uint64_t ways_steps(const struct expander_run *run)
{
    return expander_replicate_steps(run) + run->seats.there.steps + run->seats.home.steps +
           expander_coalesce_steps(run) + synchronise_steps(run->routing->set->mesh);
}

enum failure_kind expander_replicas_steps(struct expander_run *run, uint64_t *steps,
                                          struct failure *failure)
{
    uint64_t phases = phases_of(run), first = 0, further = 0;
    enum failure_kind kind = FAIL_NONE;
    run->masters.instances = instances_of(run, true);
    kind = expander_visits_steps(run, &first, failure);
    run->masters.instances = instances_of(run, false);
    if (kind == FAIL_NONE)
        kind = expander_visits_steps(run, &further, failure);
    *steps = run->replicas * (synchronise_steps(run->routing->set->mesh) +
                              phases * ways_steps(run) + first + (phases - 1) * further);
    return kind;
}
