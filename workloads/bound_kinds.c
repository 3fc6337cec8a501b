/* bound_kinds.c - the kinds of lower bounds, and the largest bound of each kind so far. */
#include "workloads/lower_bound.h"

#include <assert.h>

struct kind_row {
    const char *name;
    bool of_copies;
};

static const struct kind_row KINDS[BOUND_KINDS] = {
    [BOUND_DISTANCE] = {"distance", false},
    [BOUND_NODE] = {"node", false},
    [BOUND_ENTER] = {"enter-rectangle", false},
    [BOUND_LEAVE] = {"leave-rectangle", false},
    [BOUND_SPLIT] = {"split", true},
    [BOUND_COPIES] = {"copies", true},
};

const char *lower_bound_name(enum lower_bound_kind kind)
{
    assert(kind < BOUND_KINDS);
    return KINDS[kind].name;
}

bool lower_bound_is_of_copies(enum lower_bound_kind kind)
{
    assert(kind < BOUND_KINDS);
    return KINDS[kind].of_copies;
}

enum lower_bound_kind lower_bound_best(const struct lower_bounds *bounds, bool copy_is_free)
{
    int best = BOUND_DISTANCE;
    for (int kind = 0; kind < BOUND_KINDS; kind++)
        if (bounds->steps[kind] > bounds->steps[best] && !(KINDS[kind].of_copies && copy_is_free))
            best = kind;
    return (enum lower_bound_kind)best;
}

void lower_bound_raise(struct lower_bounds *bounds, enum lower_bound_kind kind,
                       const struct bound_reason *reason)
{
    uint64_t steps =
        reason->before + (reason->messages + reason->links - 1) / reason->links + reason->after;
    if (steps <= bounds->steps[kind])
        return;
    bounds->steps[kind] = steps;
    bounds->reason[kind] = *reason;
}
