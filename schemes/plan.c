/* plan.c - plans: worms and their stops, in arrays that grow and are kept for the next plan. */
#include "schemes/scheme.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 16, MOST_STOPS = INT32_MAX /* a span has 31 bits */ };

void plan_free(struct plan *plan)
{
    free(plan->worm);
    free(plan->stop);
    free(plan->server);
    free(plan->mark);
    *plan = (struct plan){0};
}

/* Returns `block` with room for `wanted` items of `size` bytes at least, and raises *room to it; NULL: no memory, and
 * the block is as before. */
static void *grow(void *block, uint32_t *room, uint64_t wanted, size_t size)
{
    uint64_t next = *room < LEAST_ROOM ? LEAST_ROOM : *room;
    while (next < wanted)
        next *= 2;
    if (next == *room)
        return block;
    void *grown = next > UINT32_MAX ? NULL : memory_resize(block, next, size);
    if (grown != NULL)
        *room = (uint32_t)next;
    return grown;
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
    struct worm *worm = grow(plan->worm, &plan->worm_room, (uint64_t)plan->worms + 1, sizeof *worm);
    if (worm == NULL)
        return fail_memory(failure, "the worms of a plan");
    plan->worm = worm;
    plan->worm[plan->worms++] = (struct worm){.sender = sender, .first = plan->stops};
    return FAIL_NONE;
}

enum failure_kind plan_add_chain(struct plan *plan, const uint32_t *node, uint32_t count,
                                 bool are_destinations, struct failure *failure)
{
    assert(plan->worms > 0);
    struct stop *stop =
        grow(plan->stop, &plan->stop_room, (uint64_t)plan->stops + count, sizeof *stop);
    if (stop == NULL || (uint64_t)plan->stops + count > MOST_STOPS)
        return fail_memory(failure, "the stops of a plan");
    plan->stop = stop;
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
    struct stop *grown =
        grow(plan->stop, &plan->stop_room, (uint64_t)plan->stops + count, sizeof *grown);
    if (grown == NULL || (uint64_t)plan->stops + count > MOST_STOPS)
        return fail_memory(failure, "the stops of a plan");
    plan->stop = grown;
    memcpy(grown + plan->stops, stop, count * sizeof *stop);
    worm->stops = count;
    plan->stops += count;
    return FAIL_NONE;
}
