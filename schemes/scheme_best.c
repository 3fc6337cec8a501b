/* scheme_best.c - of each message's plans by several schemes the one that should be fastest.
 *
 * Method: each candidate plans, its plan is measured (plan_cost.h), and an estimate in cycles decides:
 *   alone + weight * (traffic * flits / ports + startups * startup / servers)
 * `alone` is the time of the message in an empty network: its startups, and for worms of the source alone longest path +
 * flits, once for as many worms as there are ports, for a tree the mean path + flits in each of its steps. Startups that follow one another are counted
 * along each line of holders; at once they are one, or one a step. The second term is the work that the message leaves to
 * all others, per node: of links, and of what works on one startup at a time, the processor or each port; its weight grows
 * with the load.
 * So it is an estimate; only the choice is made by it. Of equal ones the first candidate is taken.
 * The candidates all go by one routing, which the user chooses: by labels (route_label.c), or x-first (route_x_first.c).
 * Worms of both in one network could wait in a circle. Labels crowd the links of one path: with many long messages at once
 * every candidate by labels is slower than every one by x-first, and no estimate of a single message shows that.
 * What a node knows: the message, its length, and three public numbers that the user gives, the load, the cycles of a
 * startup, and whether startups follow one another. Nothing is measured in the network.
 * Cost: that of the candidates together.
 */
#include "schemes/plan_cost.h"
#include "schemes/scheme_private.h"
#include "schemes/star.h"

#include <stdlib.h>
#include <string.h>

enum { BEST_LOAD, BEST_STARTUP, BEST_MODE, BEST_ROUTING };
enum { SERIAL, PER_PORT };
enum { BY_LABEL, BY_X_FIRST };

static const double weight_of[] = {0, 1.0 / 64, 1};         /* low, medium, high */
static const uint32_t startup_of[] = {0, 100, 1000, 10000}; /* the words of `startup` */

static const struct candidate {
    const struct scheme *scheme;
    uint32_t routing;
} candidates[] = {{&scheme_otms, 0},
                  {&scheme_ocms, 0},
                  {&scheme_multi, 0},
                  {&scheme_dual, 0},
                  {&scheme_d_port, 0},
                  {&scheme_two_port, 0},
                  {&scheme_u_mesh, ROUTING_LABEL},
                  {&scheme_schl, 0},
                  {&scheme_column, 0},
                  {&scheme_u_mesh, ROUTING_X_FIRST},
                  {&scheme_unicast, ROUTING_X_FIRST}};
enum { CANDIDATES = sizeof candidates / sizeof candidates[0] };

/* How many startups, one after the other, come before the last worm leaves: a holder's i-th worm waits for i of its own,
 * and for those before the message came. `words`: two for each destination, and for the source. */
static uint32_t startups_in_line(const struct plan *plan, const struct multicast *multicast,
                                 uint32_t *words)
{
    uint32_t *before = words, *sent = words + multicast->destinations + 1, most = 0;
    memset(words, 0, 2 * ((size_t)multicast->destinations + 1) * sizeof *words);
    for (uint32_t i = 0; i < plan->worms; i++) {
        const struct worm *worm = &plan->worm[i];
        uint32_t sender = multicast->destinations;
        if (worm->sender != multicast->source)
            sender = multicast_place(multicast, worm->sender);
        uint32_t at = before[sender] + ++sent[sender];
        most = at > most ? at : most;
        for (uint32_t j = worm->first; j < worm->first + worm->stops; j++)
            if (plan->stop[j].is_destination)
                before[multicast_place(multicast, plan->stop[j].node)] = at;
    }
    return most;
}

/* `in_line`: startups that follow one another. */
static double time_alone(const struct plan_costs *costs, const struct topology *topology,
                         const struct multicast *multicast, double startup, double in_line)
{
    double flits = multicast->flits, steps = (double)costs->of[COST_STEPS];
    uint64_t ports = topology->ports, rounds = (costs->of[COST_STARTUPS] + ports - 1) / ports;
    if (costs->of[COST_STEPS] == PLAN_NO_COST)
        return in_line * startup + (double)costs->of[COST_LONGEST_PATH] + (double)rounds * flits;
    double path = (double)costs->of[COST_TRAFFIC] / (double)costs->of[COST_STARTUPS];
    return in_line * startup + steps * (path + flits);
}

static double estimate(const struct plan *plan, const struct plan_costs *costs,
                       const struct topology *topology, const struct multicast *multicast,
                       const struct scheme_choices *choices, uint32_t *words)
{
    bool is_serial = choices->choice[BEST_MODE] == SERIAL;
    double startup = startup_of[choices->choice[BEST_STARTUP]];
    double links = (double)costs->of[COST_TRAFFIC] * multicast->flits / topology->ports;
    double servers = is_serial ? 1 : topology->ports;
    double startups = (double)costs->of[COST_STARTUPS] * startup / servers;
    double in_line = costs->of[COST_STEPS] == PLAN_NO_COST ? 1 : (double)costs->of[COST_STEPS];
    if (is_serial)
        in_line = startups_in_line(plan, multicast, words);
    return time_alone(costs, topology, multicast, startup, in_line) +
           weight_of[choices->choice[BEST_LOAD]] * (links + startups);
}

/* Exchanges the worms of two plans. */
static void exchange(struct plan *one, struct plan *other)
{
    struct plan kept = *one;
    one->worms = other->worms;
    one->stops = other->stops;
    one->worm = other->worm;
    one->stop = other->stop;
    one->worm_room = other->worm_room;
    one->stop_room = other->stop_room;
    other->worms = kept.worms;
    other->stops = kept.stops;
    other->worm = kept.worm;
    other->stop = kept.stop;
    other->worm_room = kept.worm_room;
    other->stop_room = kept.stop_room;
}

/* True if the candidate's worms go by the plan's routing, and it runs on the topology. */
static bool is_possible(const struct candidate *candidate, const struct routing *routing,
                        const struct topology *topology)
{
    const struct scheme_choices own = {{candidate->routing}};
    struct failure failure = {0};
    return candidate->scheme->routing(&own) == routing &&
           (candidate->scheme->check == NULL ||
            candidate->scheme->check(topology, &failure) == FAIL_NONE);
}

static enum failure_kind plan(const struct topology *topology, const struct multicast *multicast,
                              const struct scheme_choices *choices, struct plan *made,
                              struct failure *failure)
{
    struct plan next = {.routing = made->routing};
    struct plan_meter meter = {0};
    enum failure_kind kind = FAIL_NONE;
    uint32_t *words = memory_allocate(multicast->destinations + 1, 2 * sizeof *words);
    double least = -1;
    if (words == NULL)
        return fail_memory(failure, "the startups of a plan");
    for (uint32_t i = 0; kind == FAIL_NONE && i < CANDIDATES; i++) {
        const struct scheme *scheme = candidates[i].scheme;
        struct scheme_choices own = {{candidates[i].routing}};
        struct plan_costs costs;
        if (!is_possible(&candidates[i], made->routing, topology))
            continue;
        next.worms = next.stops = 0;
        kind = scheme->plan(topology, multicast, &own, &next, failure);
        if (kind == FAIL_NONE)
            kind = plan_measure(&meter, scheme, topology, multicast, &next, &costs, failure);
        if (kind != FAIL_NONE)
            break;
        double cycles = estimate(&next, &costs, topology, multicast, choices, words);
        if (least >= 0 && cycles >= least)
            continue;
        least = cycles;
        exchange(made, &next);
    }
    plan_free(&next);
    plan_meter_free(&meter);
    free(words);
    return kind;
}

static const struct routing *routing(const struct scheme_choices *choices)
{
    return choices->choice[BEST_ROUTING] == BY_X_FIRST ? &routing_x_first : &routing_label;
}

/* The plan that is kept, and the most that a candidate takes. */
static uint64_t footprint(const struct topology *topology, uint32_t destinations)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < CANDIDATES; i++) {
        uint64_t bytes = scheme_footprint(candidates[i].scheme, topology, destinations);
        most = bytes > most ? bytes : most;
    }
    return most + 8 * ((uint64_t)destinations + 1);
}

const struct scheme scheme_best = {
    .name = "best",
    .summary = "of the plans of several schemes by one routing the one that should be fastest",
    .parameter = {{"load", {"low", "medium", "high"}, "how busy the network is"},
                  {"startup", {"0", "100", "1000", "10000"}, "cycles of a startup, about"},
                  {"startups", {"serial", "per-port"}, "one after the other, or at once"},
                  {"routing",
                   {"label", "x-first"},
                   "of the schemes; x-first for bursts of long messages"}},
    .routing = routing,
    .plan = plan,
    .footprint = footprint,
};
