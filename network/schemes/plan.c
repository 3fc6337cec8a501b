/* plan.c - plans: worms and their stops, in arrays that grow and are kept for the next plan. */
#include "network/schemes/scheme.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STOPS = INT32_MAX /* a span has 31 bits */ };

void plan_free(struct plan *plan)
{
    free(plan->worm);
    free(plan->stop);
    free(plan->server);
    free(plan->mark);
    *plan = (struct plan){0};
}

/* Makes room for one more worm. False: no memory, or more than can be counted. */
static bool make_room_for_worm(struct plan *plan)
{
    size_t worms = plan->worms + (size_t)1;
    if (worms <= plan->worm_room)
        return true;
    struct worm *worm =
        worms > UINT32_MAX ? NULL : memory_grow(plan->worm, &plan->worm_room, worms, sizeof *worm);
    if (worm != NULL)
        plan->worm = worm;
    return worm != NULL;
}

/* Makes room for `count` more stops. False: no memory, or more than a plan can have. */
static bool make_room_for_stops(struct plan *plan, uint32_t count)
{
    size_t stops = (size_t)plan->stops + count;
    if (stops <= plan->stop_room && stops <= MOST_STOPS)
        return true;
    struct stop *stop =
        stops > MOST_STOPS ? NULL : memory_grow(plan->stop, &plan->stop_room, stops, sizeof *stop);
    if (stop != NULL)
        plan->stop = stop;
    return stop != NULL;
}

uint32_t *plan_marks(struct plan *plan, uint32_t nodes)
{
    if (nodes <= plan->mark_room)
        return plan->mark;
    free(plan->mark);
    plan->mark = memory_allocate(nodes, sizeof *plan->mark); /* zeros */
    plan->mark_room = plan->mark == NULL ? 0 : nodes;
    return plan->mark;
}

enum failure_kind plan_add_worm(struct plan *plan, uint32_t sender, struct failure *failure)
{
    if (!make_room_for_worm(plan))
        return fail_memory(failure, "the worms of a plan");
    plan->worm[plan->worms++] = (struct worm){.sender = sender, .first = plan->stops};
    return FAIL_NONE;
}

enum failure_kind plan_add_chain(struct plan *plan, const uint32_t *node, uint32_t count,
                                 bool are_destinations, struct failure *failure)
{
    assert(plan->worms > 0);
    if (!make_room_for_stops(plan, count))
        return fail_memory(failure, "the stops of a plan");
    struct stop *stop = plan->stop;
    struct worm *worm = &plan->worm[plan->worms - 1];
    for (uint32_t i = 0; i < worm->stops; i++)
        stop[worm->first + i].span += count;
    for (uint32_t i = 0; i < count; i++)
        stop[plan->stops + i] =
            (struct stop){.node = node[i], .span = count - i, .is_destination = are_destinations};
    worm->stops += count;
    plan->stops += count;
    return FAIL_NONE;
}

enum failure_kind plan_add_path(struct plan *plan, uint32_t sender, const uint32_t *node,
                                uint32_t count, struct failure *failure)
{
    if (count == 0)
        return FAIL_NONE;
    if (plan_add_worm(plan, sender, failure) != FAIL_NONE)
        return failure->kind;
    return plan_add_chain(plan, node, count, true, failure);
}

enum failure_kind plan_add_unicast(struct plan *plan, uint32_t sender, uint32_t step, uint32_t node,
                                   struct failure *failure)
{
    if (plan_add_worm(plan, sender, failure) != FAIL_NONE)
        return failure->kind;
    plan->worm[plan->worms - 1].step = step;
    return plan_add_chain(plan, &node, 1, true, failure);
}

enum failure_kind plan_add_stop(struct plan *plan, uint32_t node, bool is_destination,
                                struct failure *failure)
{
    return plan_add_chain(plan, &node, 1, is_destination, failure);
}

enum failure_kind plan_add_tree(struct plan *plan, const struct stop *stop, uint32_t count,
                                struct failure *failure)
{
    struct worm *worm = &plan->worm[plan->worms - 1];
    assert(plan->worms > 0 && worm->stops == 0);
    if (!make_room_for_stops(plan, count))
        return fail_memory(failure, "the stops of a plan");
    memcpy(plan->stop + plan->stops, stop, count * sizeof *stop);
    worm->stops = count;
    plan->stops += count;
    return FAIL_NONE;
}
