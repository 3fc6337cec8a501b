/* plan_cost.c - the costs of a plan before anything runs.
 *
 * Method: stops are in preorder and senders are served before they send, so each pass goes over the
 * plan once, from its beginning. A sender is the source or a destination; the values of such a
 * holder are at its place among the destinations, the source's after them.
 * Cost: O(s + w log k) for s stops, w worms and k destinations, beside the hops of routing.
 *   Links that worms share: each worm is walked hop by hop; a link keeps its number of worms, and
 * the last one. A plan of one worm needs no walk: no scheme sends a worm over a link twice. Links
 * are not cleared between plans: each knows its last plan.
 */
#include "network/schemes/plan_cost.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *const plan_cost_names[PLAN_COSTS + 1] = {
    "traffic",    "additional_traffic", "startups", "longest_path", "all_port", "one_port", "steps",
    "link_worms", "shared_links",       NULL};

static bool is_tree_of_links(const struct routing *routing)
{
    return routing == &routing_link || routing == &routing_sides;
}

bool plan_has_cost(const struct scheme *scheme, const struct scheme_choices *choices,
                   enum plan_cost cost)
{
    switch (cost) {
    case COST_ALL_PORT:
    case COST_ONE_PORT:
        return is_tree_of_links(scheme->routing(choices));
    case COST_STEPS:
        return scheme->is_stepwise;
    default:
        return true;
    }
}

/* ---- memory ---- */

void plan_meter_free(struct plan_meter *meter)
{
    free(meter->words);
    free(meter->link);
    *meter = (struct plan_meter){0};
}

/* Makes room for so many words; their contents are lost. */
static enum failure_kind make_room(struct plan_meter *meter, uint64_t words,
                                   struct failure *failure)
{
    if (words <= meter->room)
        return FAIL_NONE;
    free(meter->words);
    meter->room = 0;
    meter->words = memory_allocate(words, sizeof *meter->words);
    if (meter->words == NULL)
        return fail_memory(failure, "the costs of a plan");
    meter->room = words;
    return FAIL_NONE;
}

/* ---- the measured plan ---- */

struct measuring {
    const struct topology *topology;
    const struct multicast *multicast;
    const struct plan *plan;
    struct plan_costs *costs;
};

static uint32_t holder_of(const struct multicast *multicast, uint32_t node)
{
    return node == multicast->source ? multicast->destinations : multicast_place(multicast, node);
}

static void raise(uint64_t *most, uint64_t value)
{
    if (value > *most)
        *most = value;
}

/* ---- traffic ---- */

/* Returns the hops from one stop to the next, or from a sender to its worm's first stop, which may
 * be its own node. */
static uint32_t hops_of(const struct measuring *measuring, uint32_t from, uint32_t to)
{
    return from == to ? 0 : measuring->plan->routing->hops(measuring->topology, from, to);
}

/* Adds the links of a worm; `length` has room for its stops, the links from the sender to each. */
static void measure_worm(const struct measuring *measuring, const struct worm *worm,
                         uint32_t *length)
{
    const struct stop *stop = measuring->plan->stop + worm->first;
    uint64_t *cost = measuring->costs->of;
    length[0] = hops_of(measuring, worm->sender, stop[0].node);
    cost[COST_TRAFFIC] += length[0];
    for (uint32_t i = 0; i < worm->stops; i++) {
        for (uint32_t child = i + 1; child < i + stop[i].span; child += stop[child].span) {
            uint32_t hops = hops_of(measuring, stop[i].node, stop[child].node);
            length[child] = length[i] + hops;
            cost[COST_TRAFFIC] += hops;
        }
        raise(&cost[COST_LONGEST_PATH], length[i]);
    }
}

/* ---- times in hops ---- */

/* Values for each holder, and for each stop of the worm at hand. */
struct times {
    uint32_t *depth, *time, *children;
    uint32_t *stop_depth, *stop_time;
};

/* Passes a worm; the children of a holder are counted over its visit and its own worms. */
static void time_worm(const struct measuring *measuring, const struct worm *worm,
                      struct times *times)
{
    const struct stop *stop = measuring->plan->stop + worm->first;
    uint32_t sender = holder_of(measuring->multicast, worm->sender);
    bool is_root = stop[0].node == worm->sender;
    times->stop_depth[0] = times->depth[sender] + !is_root;
    times->stop_time[0] = times->time[sender] + (is_root ? 0 : ++times->children[sender]);
    for (uint32_t i = 0; i < worm->stops; i++) {
        uint32_t sent = 0, *children = &sent;
        if (i == 0 && is_root)
            children = &times->children[sender];
        if (stop[i].is_destination) {
            uint32_t holder = holder_of(measuring->multicast, stop[i].node);
            times->depth[holder] = times->stop_depth[i];
            times->time[holder] = times->stop_time[i];
            children = &times->children[holder];
            raise(&measuring->costs->of[COST_ALL_PORT], times->stop_depth[i]);
            raise(&measuring->costs->of[COST_ONE_PORT], times->stop_time[i]);
        }
        for (uint32_t child = i + 1; child < i + stop[i].span; child += stop[child].span) {
            times->stop_depth[child] = times->stop_depth[i] + 1;
            times->stop_time[child] = times->stop_time[i] + ++*children;
        }
    }
}

static void measure_times(const struct measuring *measuring, uint32_t *words, uint32_t most_stops)
{
    uint64_t holders = (uint64_t)measuring->multicast->destinations + 1;
    struct times times = {words, words + holders, words + 2 * holders, words + 3 * holders, NULL};
    times.stop_time = times.stop_depth + most_stops;
    memset(words, 0, 3 * holders * sizeof *words);
    for (uint32_t i = 0; i < measuring->plan->worms; i++)
        time_worm(measuring, &measuring->plan->worm[i], &times);
}

/* ---- steps ---- */

/* Measures steps; `step` has one per holder, in which it gets the message. */
static void measure_steps(const struct measuring *measuring, uint32_t *step)
{
    const struct plan *plan = measuring->plan;
    const struct multicast *multicast = measuring->multicast;
    step[multicast->destinations] = 0;
    for (uint32_t i = 0; i < plan->worms; i++) {
        const struct worm *worm = &plan->worm[i];
        const struct stop *stop = plan->stop + worm->first;
        uint32_t at = step[holder_of(multicast, worm->sender)] + worm->step;
        raise(&measuring->costs->of[COST_STEPS], at);
        for (uint32_t j = 0; j < worm->stops; j++)
            if (stop[j].is_destination)
                step[holder_of(multicast, stop[j].node)] = at;
    }
}

/* ---- all of it ---- */

static uint32_t most_stops_of(const struct plan *plan)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < plan->worms; i++)
        most = plan->worm[i].stops > most ? plan->worm[i].stops : most;
    return most;
}

enum failure_kind plan_measure(struct plan_meter *meter, const struct scheme *scheme,
                               const struct topology *topology, const struct multicast *multicast,
                               const struct plan *plan, struct plan_costs *costs,
                               struct failure *failure)
{
    struct measuring measuring = {topology, multicast, plan, costs};
    bool is_timed = is_tree_of_links(plan->routing), is_stepwise = scheme->is_stepwise;
    uint64_t holders = (uint64_t)multicast->destinations + 1;
    uint32_t most_stops = most_stops_of(plan);
    uint64_t words = is_timed ? 3 * holders + 2 * (uint64_t)most_stops : most_stops;
    if (is_stepwise && words < holders)
        words = holders;
    if (make_room(meter, words, failure) != FAIL_NONE)
        return failure->kind;
    *costs = (struct plan_costs){.of = {0}};
    for (uint32_t i = 0; i < plan->worms; i++)
        measure_worm(&measuring, &plan->worm[i], meter->words);
    costs->of[COST_STARTUPS] = plan->worms;
    costs->of[COST_LINK_WORMS] = costs->of[COST_SHARED_LINKS] = PLAN_NO_COST;
    costs->longest_bound = scheme->bounds_longest ? plan->longest_bound : PLAN_NO_COST;
    assert(!scheme->bounds_longest || costs->longest_bound <= costs->of[COST_LONGEST_PATH]);
    assert(costs->of[COST_TRAFFIC] >= multicast->destinations);
    costs->of[COST_ADDITIONAL_TRAFFIC] = costs->of[COST_TRAFFIC] - multicast->destinations;
    if (is_timed)
        measure_times(&measuring, meter->words, most_stops);
    else
        costs->of[COST_ALL_PORT] = costs->of[COST_ONE_PORT] = PLAN_NO_COST;
    if (is_stepwise)
        measure_steps(&measuring, meter->words);
    else
        costs->of[COST_STEPS] = PLAN_NO_COST;
    return FAIL_NONE;
}

/* ---- links that worms share ---- */

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
