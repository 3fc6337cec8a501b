/* plan.c - plans: worms and their stops, in arrays that grow and are kept for the next plan. */
#include "network/schemes/scheme_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STOPS = INT32_MAX /* a span has 31 bits */ };

void plan_free_scratch(struct plan *plan)
{
    while (plan->scratches > 0)
        free(plan->scratch[--plan->scratches]);
}

void plan_empty(struct plan *plan)
{
    plan->worms = plan->stops = plan->longest_bound = 0;
    plan->lacks_memory = false;
    up_down_forget(&plan->paths);
}

void plan_free(struct plan *plan)
{
    plan_free_scratch(plan);
    free(plan->scratch);
    free(plan->worm);
    free(plan->stop);
    free(plan->server);
    free(plan->mark);
    up_down_free(&plan->paths);
    *plan = (struct plan){0};
}

/* Returns an array with room for `count` elements, contents kept. NULL: no memory, or more than
 * `most`; the plan lacks it. */
static void *make_room(struct plan *plan, void *block, size_t *room, size_t count, size_t most,
                       size_t size)
{
    void *grown = count > most || plan->lacks_memory ? NULL : memory_grow(block, room, count, size);
    plan->lacks_memory |= grown == NULL;
    return grown;
}

void *plan_scratch(struct plan *plan, size_t count, size_t size)
{
    void **list = make_room(plan, plan->scratch, &plan->scratch_room, plan->scratches + (size_t)1,
                            UINT32_MAX, sizeof *list);
    if (list == NULL)
        return NULL;
    plan->scratch = list;
    list[plan->scratches] = memory_allocate(count, size);
    plan->lacks_memory |= list[plan->scratches] == NULL;
    return list[plan->scratches++];
}

uint32_t *plan_marks(struct plan *plan, uint32_t nodes)
{
    if (nodes <= plan->mark_room)
        return plan->mark;
    free(plan->mark);
    plan->mark = memory_allocate(nodes, sizeof *plan->mark); /* zeros */
    plan->mark_room = plan->mark == NULL ? 0 : nodes;
    plan->lacks_memory |= plan->mark == NULL;
    return plan->mark;
}

/* Makes room for `count` more stops of the last worm. */
static bool make_room_for_stops(struct plan *plan, uint32_t count)
{
    struct stop *stop = make_room(plan, plan->stop, &plan->stop_room, (size_t)plan->stops + count,
                                  MOST_STOPS, sizeof *stop);
    if (stop != NULL)
        plan->stop = stop;
    return stop != NULL;
}

void plan_add_worm(struct plan *plan, uint32_t sender)
{
    struct worm *worm = make_room(plan, plan->worm, &plan->worm_room, plan->worms + (size_t)1,
                                  UINT32_MAX, sizeof *worm);
    if (worm == NULL)
        return;
    plan->worm = worm;
    worm[plan->worms++] = (struct worm){.sender = sender, .first = plan->stops};
}

void plan_add_chain(struct plan *plan, const uint32_t *node, uint32_t count, bool are_destinations)
{
    if (!make_room_for_stops(plan, count))
        return;
    assert(plan->worms > 0);
    struct stop *stop = plan->stop;
    struct worm *worm = &plan->worm[plan->worms - 1];
    for (uint32_t i = 0; i < worm->stops; i++)
        stop[worm->first + i].span += count;
    for (uint32_t i = 0; i < count; i++)
        stop[plan->stops + i] =
            (struct stop){.node = node[i], .span = count - i, .is_destination = are_destinations};
    worm->stops += count;
    plan->stops += count;
}

void plan_add_stop(struct plan *plan, uint32_t node, bool is_destination)
{
    plan_add_chain(plan, &node, 1, is_destination);
}

void plan_add_path(struct plan *plan, uint32_t sender, const uint32_t *node, uint32_t count)
{
    if (count == 0)
        return;
    plan_add_worm(plan, sender);
    plan_add_chain(plan, node, count, true);
}

void plan_add_path_over(const struct planning *planning, uint32_t sender, uint32_t over,
                        const uint32_t *node, uint32_t count)
{
    plan_add_worm(planning->plan, sender);
    if (route_label_next(planning->topology, sender, node[0]) != over)
        plan_add_stop(planning->plan, over, false);
    plan_add_chain(planning->plan, node, count, true);
}

void plan_add_tree(struct plan *plan, uint32_t sender, const struct stop *stop, uint32_t count)
{
    plan_add_worm(plan, sender);
    if (!make_room_for_stops(plan, count))
        return;
    memcpy(plan->stop + plan->stops, stop, count * sizeof *stop);
    plan->worm[plan->worms - 1].stops = count;
    plan->stops += count;
}
