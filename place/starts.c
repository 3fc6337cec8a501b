/* starts.c - the first assignments, and their costs. */
#include "place/place.h"

#include "base/numbers.h"
#include "place/tree_meter.h"
#include "workloads/instance.h"
#include "workloads/placement.h"

#include <stdlib.h>

const char *const place_objective_names[] = {
    [PLACE_HOPS] = "hops", [PLACE_BUSIEST_LINK] = "busiest-link", [PLACE_BOUND] = "bound", NULL};

/* ---- assignments ---- */

static uint64_t messages_of(const struct item_traffic *traffic, uint32_t item)
{
    return traffic->first[item + 1] - traffic->first[item];
}

/* Returns the item of which one more copy serves most: that with the most messages per copy, of
 * those not on all nodes. */
static uint32_t neediest(const struct item_traffic *traffic, const uint32_t *copies, uint32_t nodes)
{
    uint32_t found = PLACE_NONE;
    for (uint32_t i = 0; i < traffic->items; i++)
        if (copies[i] < nodes &&
            (found == PLACE_NONE ||
             messages_of(traffic, i) * copies[found] > messages_of(traffic, found) * copies[i]))
            found = i;
    return found;
}

enum failure_kind assignment_make(struct assignment *assignment, const struct place_plan *plan,
                                  struct failure *failure)
{
    const struct item_traffic *traffic = plan->traffic;
    uint32_t *copies = memory_allocate(traffic->items, sizeof *copies);
    uint32_t nodes = topology_main_nodes(plan->topology);
    *assignment = (struct assignment){
        .copies = plan->copies,
        .has_several = plan->copies > traffic->items,
        .node = memory_allocate(plan->copies, sizeof *assignment->node),
        .item = memory_allocate(plan->copies, sizeof *assignment->item),
        .next = memory_allocate(plan->copies, sizeof *assignment->next),
    };
    if (copies == NULL || assignment->node == NULL || assignment->item == NULL ||
        assignment->next == NULL) {
        free(copies);
        assignment_free(assignment);
        return fail_memory(failure, "the nodes of items");
    }
    for (uint32_t c = 0; c < plan->copies; c++) {
        uint32_t item = c < traffic->items ? c : neediest(traffic, copies, nodes);
        assignment->item[c] = item;
        assignment->next[c] = PLACE_NONE;
        copies[item]++;
        if (c != item) {
            assignment->next[c] = assignment->next[item];
            assignment->next[item] = c;
        }
    }
    free(copies);
    return FAIL_NONE;
}

void assignment_free(struct assignment *assignment)
{
    free(assignment->node);
    free(assignment->item);
    free(assignment->next);
    *assignment = (struct assignment){0};
}

enum failure_kind place_bound(const struct place_plan *plan, const struct assignment *assignment,
                              uint64_t *bound, struct failure *failure)
{
    struct instance instance = {
        .name = "", .broken = topology_is_broken(plan->topology) ? plan->topology : NULL};
    *bound = 0;
    if (!place_has_bound(plan) || item_traffic_set(plan->traffic, plan->whole, assignment,
                                                   &instance.set, failure) != FAIL_NONE)
        return failure->kind;
    if (instance_measure(&instance, failure) == FAIL_NONE &&
        instance_bound(&instance, BOUNDS_LARGEST, failure) == FAIL_NONE)
        *bound = instance_lower_bound(&instance, false);
    instance_free(&instance);
    return failure->kind;
}

enum failure_kind place_measure(const struct place_plan *plan, const struct assignment *assignment,
                                struct place_cost *cost, struct failure *failure)
{
    const struct item_traffic *traffic = plan->traffic;
    struct tree_meter meter;
    *cost = (struct place_cost){0};
    if (tree_meter_make(&meter, plan->topology, plan->paths, true, failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t m = 0; m < traffic->messages; m++) {
        node_index source = item_traffic_source(traffic, assignment, m);
        tree_begin(&meter, source);
        for (uint64_t j = traffic->offset[m]; j < traffic->offset[m + 1]; j++)
            cost->hops += tree_reach(
                &meter, assignment_node(assignment, plan->whole, traffic->destination[j], source));
        meter.crossings = 0; /* all links are looked at in the end */
    }
    for (uint64_t link = 0; link < plan->topology->links; link++)
        cost->busiest_link = max_u64(cost->busiest_link, meter.load[link]);
    if (meter.is_short)
        fail_memory(failure, "the links of a message");
    tree_meter_free(&meter);
    return failure->kind == FAIL_NONE ? place_bound(plan, assignment, &cost->bound, failure)
                                      : failure->kind;
}

uint64_t place_least_hops(const struct place_plan *plan)
{
    uint64_t hops = 0;
    for (uint32_t m = 0; m < plan->traffic->messages; m++) {
        uint64_t placed = plan->traffic->offset[m + 1] - plan->traffic->offset[m];
        hops += divide_up(placed + !plan->traffic->has_tokens, plan->per_node) - 1;
    }
    return hops;
}

/* ---- starts ---- */

/* True if nodes have several copies, and items too. */
static bool is_dealt(const struct place_plan *plan)
{
    return plan->copies > plan->traffic->items && plan->per_node > 1;
}

/* Puts copies on the nodes of an order: per_node consecutive ones on each, or on nodes that are
 * equally far apart. Copies that are dealt go to one node after the other, those of an item in a
 * row, so that no node gets two of one. */
static enum failure_kind fill_order(const struct place_plan *plan, enum import_map map,
                                    bool is_spread, struct assignment *assignment,
                                    struct failure *failure)
{
    struct node_order order;
    uint32_t nodes = topology_main_nodes(plan->topology), dealt = 0;
    const struct shape line = {.dimensions = 1, .size = {nodes}};
    if (node_order_make(&order, map, &plan->topology->shape, plan->topology->nodes, plan->seed,
                        failure) != FAIL_NONE ||
        node_order_keep_main(&order, plan->topology, failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t i = 0; i < plan->traffic->items && is_dealt(plan); i++)
        for (uint32_t c = i; c != PLACE_NONE; c = assignment->next[c])
            assignment->node[c] = node_order_at(&order, dealt++ % nodes);
    for (uint32_t c = 0; c < assignment->copies && !is_dealt(plan); c++)
        assignment->node[c] = node_order_at(
            &order, is_spread ? expert_place(&line, EXPERTS_SPREAD, assignment->copies, c)
                              : c / plan->per_node);
    node_order_free(&order);
    return FAIL_NONE;
}

static enum failure_kind fill_row(const struct place_plan *plan, struct assignment *assignment,
                                  struct failure *failure)
{
    return fill_order(plan, IMPORT_ROW, false, assignment, failure);
}

static enum failure_kind fill_snake(const struct place_plan *plan, struct assignment *assignment,
                                    struct failure *failure)
{
    return fill_order(plan, IMPORT_SNAKE, false, assignment, failure);
}

static enum failure_kind fill_hilbert(const struct place_plan *plan, struct assignment *assignment,
                                      struct failure *failure)
{
    return fill_order(plan, IMPORT_HILBERT, false, assignment, failure);
}

static enum failure_kind fill_spread(const struct place_plan *plan, struct assignment *assignment,
                                     struct failure *failure)
{
    const struct shape *shape = &plan->topology->shape;
    if (topology_is_broken(plan->topology) || is_dealt(plan))
        return fill_order(plan, shape->dimensions == 2 ? IMPORT_HILBERT : IMPORT_ROW, true,
                          assignment, failure);
    for (uint32_t c = 0; c < assignment->copies; c++)
        assignment->node[c] = expert_place(shape, EXPERTS_SPREAD, assignment->copies, c);
    return FAIL_NONE;
}

static const struct place_start STARTS[] = {
    {"row", fill_row, .is_of_items = true, .is_of_experts = true},
    {"snake", fill_snake, .needs_mesh = true, .is_of_items = true, .is_of_experts = true},
    {"hilbert", fill_hilbert, .needs_plane = true, .is_of_items = true, .is_of_experts = true},
    {"metis-hilbert", bisect_curve, .needs_plane = true, .is_of_items = true},
    {"metis", bisect_topology, .is_of_items = true},
    {"spread", fill_spread, .is_of_experts = true},
};

const struct place_start *place_start_at(const struct place_plan *plan, uint32_t index)
{
    const struct shape *shape = &plan->topology->shape;
    for (size_t i = 0; i < sizeof STARTS / sizeof *STARTS; i++) {
        const struct place_start *start = &STARTS[i];
        bool is_fit = (!start->needs_plane || shape->dimensions == 2) &&
                      (!start->needs_mesh || shape->kind != TOPOLOGY_GRAPH) &&
                      (plan->traffic->has_tokens ? start->is_of_experts : start->is_of_items);
        if (is_fit && index-- == 0)
            return start;
    }
    return NULL;
}
