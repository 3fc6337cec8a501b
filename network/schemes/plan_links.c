/* plan_links.c - how many worms of a plan cross each link.
 *
 * Method: each worm is walked hop by hop; a link keeps its number of worms, and the last one. A plan of one worm needs no
 * walk: no scheme sends a worm over a link twice.
 * Cost: O(traffic) time and 12 bytes per link, which are not cleared between plans: each link knows its last plan.
 */
#include "network/schemes/plan_cost.h"

#include <stdlib.h>

struct link_use {
    uint32_t plan;  /* the last plan that crossed the link */
    uint32_t worm;  /* the last worm of that plan to cross it */
    uint32_t worms; /* of that plan that crossed it */
};

struct crossing {
    struct plan_meter *meter;
    const struct topology *topology;
    const struct plan *plan;
    uint64_t *most, *shared;
};

static void cross(const struct crossing *crossing, uint32_t worm, uint64_t link)
{
    struct link_use *use = &crossing->meter->link[link];
    if (use->plan != crossing->meter->plans)
        *use = (struct link_use){.plan = crossing->meter->plans, .worm = UINT32_MAX};
    if (use->worm == worm)
        return;
    use->worm = worm;
    use->worms++;
    *crossing->shared += use->worms == 2;
    if (use->worms > *crossing->most)
        *crossing->most = use->worms;
}

/* Walks from a node to a stop, in the stop's class. */
static void walk(const struct crossing *crossing, uint32_t worm, uint32_t from,
                 const struct stop *stop)
{
    while (from != stop->node) {
        struct routing_choice choice[ROUTING_CHOICES];
        routing_next_stop(crossing->plan->routing, crossing->topology, from, stop->node,
                          stop->class, choice);
        cross(crossing, worm, topology_link(crossing->topology, from, choice[0].port));
        from = topology_neighbour(crossing->topology, from, choice[0].port);
    }
}

static void walk_worm(const struct crossing *crossing, uint32_t number)
{
    const struct worm *worm = &crossing->plan->worm[number];
    const struct stop *stop = crossing->plan->stop + worm->first;
    walk(crossing, number, worm->sender, &stop[0]);
    for (uint32_t i = 0; i < worm->stops; i++)
        for (uint32_t child = i + 1; child < i + stop[i].span; child += stop[child].span)
            walk(crossing, number, stop[i].node, &stop[child]);
}

enum failure_kind plan_measure_links(struct plan_meter *meter, const struct topology *topology,
                                     const struct plan *plan, struct plan_costs *costs,
                                     struct failure *failure)
{
    struct crossing crossing = {meter, topology, plan, &costs->of[COST_LINK_WORMS],
                                &costs->of[COST_SHARED_LINKS]};
    *crossing.most = plan->worms > 0;
    *crossing.shared = 0;
    if (plan->worms <= 1)
        return FAIL_NONE;
    if (meter->link_room < topology->links || meter->plans == UINT32_MAX) {
        free(meter->link);
        meter->link = memory_allocate(topology->links, sizeof *meter->link); /* zeros */
        meter->link_room = meter->link == NULL ? 0 : topology->links;
        meter->plans = 0;
        if (meter->link == NULL)
            return fail_memory(failure, "the links of a plan");
    }
    meter->plans++;
    for (uint32_t i = 0; i < plan->worms; i++)
        walk_worm(&crossing, i);
    return FAIL_NONE;
}
