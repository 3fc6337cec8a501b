/* plan_handle.c - the costs of a set's plans as a handle: `meshcast plan` for one scheme.
 *
 * A plan is made, measured and forgotten before the next one. Memory: 8 bytes per message and cost that the
 * scheme has.
 */
#include "library/scheme_handle_private.h"
#include "schemes/plan_cost.h"

#include <stdlib.h>

enum { COSTS = MESHCAST_COST_LONGEST_PATH_BOUND + 1, TELL_EVERY = 256 };

static_assert((int)MESHCAST_COST_TRAFFIC == COST_TRAFFIC &&
                  (int)MESHCAST_COST_ADDITIONAL_TRAFFIC == COST_ADDITIONAL_TRAFFIC &&
                  (int)MESHCAST_COST_STARTUPS == COST_STARTUPS &&
                  (int)MESHCAST_COST_LONGEST_PATH == COST_LONGEST_PATH &&
                  (int)MESHCAST_COST_ALL_PORT == COST_ALL_PORT &&
                  (int)MESHCAST_COST_ONE_PORT == COST_ONE_PORT &&
                  (int)MESHCAST_COST_STEPS == COST_STEPS &&
                  (int)MESHCAST_COST_LINK_WORMS == COST_LINK_WORMS &&
                  (int)MESHCAST_COST_SHARED_LINKS == COST_SHARED_LINKS && COSTS == PLAN_COSTS + 1,
              "a cost is a plan_cost");

struct meshcast_plans {
    uint32_t messages;
    uint32_t *message; /* [messages]: numbers in the set */
    uint64_t deliveries;
    uint64_t *cost[COSTS]; /* [messages]; NULL: the scheme has none */
    uint64_t total[COSTS], largest[COSTS];
};

/* What is kept from plan to plan. */
struct planner {
    const struct scheme *scheme;
    const struct topology *topology;
    struct scheme_choices choices;
    struct chosen_messages chosen;
    struct plan plan;
    struct plan_meter meter;
};

static bool has_cost(const struct planner *planner, int cost)
{
    if (cost == MESHCAST_COST_LONGEST_PATH_BOUND)
        return planner->scheme->bounds_longest;
    return plan_has_cost(planner->scheme, &planner->choices, (enum plan_cost)cost);
}

static enum failure_kind allocate(struct meshcast_plans *plans, const struct planner *planner,
                                  struct failure *failure)
{
    uint32_t count = planner->chosen.count;
    bool has_memory = (plans->message = memory_allocate(count, sizeof *plans->message)) != NULL;
    for (int i = 0; i < COSTS; i++)
        if (has_cost(planner, i))
            has_memory &= (plans->cost[i] = memory_allocate(count, sizeof *plans->cost[i])) != NULL;
    return has_memory ? FAIL_NONE : fail_memory(failure, "the costs of plans");
}

static enum failure_kind plan_message(struct meshcast_plans *plans, struct planner *planner,
                                      uint32_t index, struct failure *failure)
{
    struct plan_costs costs;
    struct multicast multicast = chosen_messages_at(&planner->chosen, index);
    if (scheme_plan(planner->scheme, planner->topology, &multicast, &planner->choices,
                    &planner->plan, failure) != FAIL_NONE ||
        plan_measure(&planner->meter, planner->scheme, planner->topology, &multicast,
                     &planner->plan, &costs, failure) != FAIL_NONE ||
        plan_measure_links(&planner->meter, planner->topology, &planner->plan, &costs, failure) !=
            FAIL_NONE)
        return failure->kind;
    plans->message[plans->messages] = chosen_messages_number(&planner->chosen, index);
    plans->deliveries += multicast.destinations;
    for (int i = 0; i < COSTS; i++) {
        uint64_t cost = i < PLAN_COSTS ? costs.of[i] : costs.longest_bound;
        if (plans->cost[i] == NULL)
            continue;
        plans->cost[i][plans->messages] = cost;
        plans->total[i] += cost;
        plans->largest[i] = cost > plans->largest[i] ? cost : plans->largest[i];
    }
    plans->messages++;
    return FAIL_NONE;
}

static enum failure_kind plan_all(struct meshcast_plans *plans, struct planner *planner,
                                  const struct meshcast_network_options *options,
                                  struct failure *failure)
{
    if (allocate(plans, planner, failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t i = 0; i < planner->chosen.count && failure->kind == FAIL_NONE; i++) {
        if (interrupt_check(options->interrupt, failure) == FAIL_NONE)
            plan_message(plans, planner, i, failure);
        if (options->progress != NULL && (i + 1) % TELL_EVERY == 0)
            options->progress(options->progress_context, i + 1, planner->chosen.count, 0);
    }
    return failure->kind;
}

static enum failure_kind plan(struct meshcast_plans *plans, const struct scheme *scheme,
                              const struct meshcast_set *set, const struct meshcast_topology *given,
                              const struct meshcast_network_options *options,
                              struct failure *failure)
{
    struct topology own;
    struct planner planner = {.scheme = scheme};
    if (topology_for(given, set, &own, &planner.topology, failure) != FAIL_NONE ||
        network_options_choose(options, scheme, &planner.choices, failure) != FAIL_NONE ||
        scheme_check(scheme, planner.topology, &planner.choices, UINT32_MAX, failure) !=
            FAIL_NONE ||
        network_options_messages(options, set, &planner.chosen, failure) != FAIL_NONE)
        return failure->kind;
    plan_all(plans, &planner, options, failure);
    chosen_messages_free(&planner.chosen);
    plan_free(&planner.plan);
    plan_meter_free(&planner.meter);
    return failure->kind;
}

enum meshcast_status meshcast_plan(const struct meshcast_scheme *scheme,
                                   const struct meshcast_set *set,
                                   const struct meshcast_topology *topology,
                                   const struct meshcast_network_options *options,
                                   struct meshcast_plans **plans, struct meshcast_error *error)
{
    struct failure failure = {0};
    *plans = memory_allocate(1, sizeof **plans);
    if (*plans == NULL)
        fail_memory(&failure, "the costs of plans");
    else
        plan(*plans, scheme_of(scheme), set, topology, network_options_or_standard(options),
             &failure);
    if (failure.kind != FAIL_NONE && failure.kind != FAIL_INTERRUPTED) {
        meshcast_plans_free(*plans);
        *plans = NULL;
    }
    return error_give(error, &failure);
}

void meshcast_plans_free(struct meshcast_plans *plans)
{
    if (plans == NULL)
        return;
    for (int i = 0; i < COSTS; i++)
        free(plans->cost[i]);
    free(plans->message);
    free(plans);
}

uint32_t meshcast_plans_messages(const struct meshcast_plans *plans, const uint32_t **message)
{
    if (message != NULL)
        *message = plans->message;
    return plans->messages;
}

uint64_t meshcast_plans_deliveries(const struct meshcast_plans *plans)
{
    return plans->deliveries;
}

const uint64_t *meshcast_plans_costs(const struct meshcast_plans *plans, enum meshcast_cost cost)
{
    return (unsigned)cost < COSTS ? plans->cost[cost] : NULL;
}

uint64_t meshcast_plans_total(const struct meshcast_plans *plans, enum meshcast_cost cost)
{
    return (unsigned)cost < COSTS ? plans->total[cost] : 0;
}

uint64_t meshcast_plans_largest(const struct meshcast_plans *plans, enum meshcast_cost cost)
{
    return (unsigned)cost < COSTS ? plans->largest[cost] : 0;
}
