/* scheme_ocms.c - the multicast star whose worms have the least sum of lengths, the optimal channel multicast star.
 *
 * Method: behind each port, and behind each destination, comes a later destination or the end of a worm. Each
 * destination comes behind one of them: a star is a perfect matching, of the same weight. (Which of the ends is which
 * does not matter.)
 * Cost: the matching, O((k + p)^3) time and O((k + p)^2) memory for k destinations and p ports of a side.
 * Source: V. Bouchitte, J. Cohen, E. Fleury, Optimal deadlock-free path-based multicast algorithms in meshes, 1997.
 */
#include "network/schemes/matching.h"
#include "network/schemes/star.h"

#include <stdlib.h>

enum failure_kind star_least_sum(const struct star_side *side, const struct star_costs *costs,
                                 uint32_t *port, int64_t *potential, struct failure *failure)
{
    uint32_t *next = memory_allocate(costs->size, sizeof *next);
    if (next == NULL)
        return fail_memory(failure, "the worms of a star");
    enum failure_kind kind = matching_find(costs->cost, costs->size, next, potential, failure);
    if (kind == FAIL_NONE)
        for (uint32_t a = 0; a < side->ports; a++)
            for (uint32_t i = next[a]; i < side->count; i = next[side->ports + i])
                port[i] = a;
    free(next);
    return kind;
}

static enum failure_kind find(const struct star_side *side, bool is_apart, uint32_t *port,
                              struct failure *failure)
{
    struct star_costs costs;
    if (star_costs_make(&costs, side, failure) != FAIL_NONE)
        return failure->kind;
    enum failure_kind kind = star_least_sum(side, &costs, port, NULL, failure);
    if (kind == FAIL_NONE && is_apart)
        kind = star_least_apart(side, &costs, port, failure);
    star_costs_free(&costs);
    return kind;
}

static enum failure_kind rule(const struct star_side *side, uint32_t *port, struct failure *failure)
{
    return find(side, false, port, failure);
}

static enum failure_kind rule_apart(const struct star_side *side, uint32_t *port,
                                    struct failure *failure)
{
    return find(side, true, port, failure);
}

enum { SHARE_ANY, SHARE_NONE };

static enum failure_kind plan(const struct topology *topology, const struct multicast *multicast,
                              const struct scheme_choices *choices, struct plan *made,
                              struct failure *failure)
{
    return star_plan(topology, multicast, choices->choice[0] == STAR_STRICT,
                     choices->choice[1] == SHARE_NONE ? rule_apart : rule, made, failure);
}

const struct scheme scheme_ocms = {
    .name = "ocms",
    .summary = "the worms along a Hamiltonian path that cross the fewest links",
    .parameter = {STAR_PORT_PARAMETER,
                  {"share", {"any", "none"}, "whether worms of a message may share links"}},
    .routing = scheme_label_routing,
    .plan = plan,
};
