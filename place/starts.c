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

/* Returns the item that needs one more copy most: the one with the most messages per copy. */
static uint32_t neediest(const struct item_traffic *traffic, const uint32_t *copies)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i < traffic->items; i++) {
        uint64_t one = traffic->first[i + 1] - traffic->first[i];
        uint64_t other = traffic->first[found + 1] - traffic->first[found];
        if (one * copies[found] > other * copies[i])
            found = i;
    }
    return found;
}

enum failure_kind assignment_make(struct assignment *assignment, const struct place_plan *plan,
                                  struct failure *failure)
{
    const struct item_traffic *traffic = plan->traffic;
    uint32_t *copies = memory_allocate(traffic->items, sizeof *copies);
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
        uint32_t item = c < traffic->items ? c : neediest(traffic, copies);
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
    struct instance instance = {.name = ""};
    *bound = 0;
    if (item_traffic_set(plan->traffic, plan->topology, assignment, &instance.set, failure) !=
        FAIL_NONE)
        return failure->kind;
    if (instance.set.mesh.rows > 0 && instance_measure(&instance, failure) == FAIL_NONE &&
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
    if (tree_meter_make(&meter, plan->topology, true, failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t m = 0; m < traffic->messages; m++) {
        node_index source = item_traffic_source(traffic, assignment, m);
        tree_begin(&meter, source);
        for (uint64_t j = traffic->offset[m]; j < traffic->offset[m + 1]; j++)
            cost->hops += tree_reach(&meter, assignment_node(assignment, plan->topology,
                                                             traffic->destination[j], source));
        meter.crossings = 0; /* all links are examined in the end */
    }
    for (uint64_t link = 0; link < plan->topology->links; link++)
        cost->busiest_link = max_u64(cost->busiest_link, (uint64_t)meter.load[link]);
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

/* Places copies in their order, as many on each node of the order as the first ones use. */
static enum failure_kind fill_order(const struct place_plan *plan, enum import_map map,
                                    struct assignment *assignment, struct failure *failure)
{
    struct node_order order;
    uint32_t nodes = plan->topology->nodes;
    if (node_order_make(&order, map, &plan->topology->shape, nodes, plan->seed, failure) !=
        FAIL_NONE)
        return failure->kind;
    for (uint32_t c = 0; c < assignment->copies; c++)
        assignment->node[c] = node_order_at(&order, c / plan->per_node);
    node_order_free(&order);
    return FAIL_NONE;
}

static enum failure_kind fill_row(const struct place_plan *plan, struct assignment *assignment,
                                  struct failure *failure)
{
    return fill_order(plan, IMPORT_ROW, assignment, failure);
}

static enum failure_kind fill_snake(const struct place_plan *plan, struct assignment *assignment,
                                    struct failure *failure)
{
    return fill_order(plan, IMPORT_SNAKE, assignment, failure);
}

static enum failure_kind fill_hilbert(const struct place_plan *plan, struct assignment *assignment,
                                      struct failure *failure)
{
    return fill_order(plan, IMPORT_HILBERT, assignment, failure);
}

static enum failure_kind fill_spread(const struct place_plan *plan, struct assignment *assignment,
                                     struct failure *failure)
{
    struct node_lines lines = {0};
    if (expert_nodes_place(&lines, &plan->topology->shape, EXPERTS_SPREAD, assignment->copies,
                           failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t c = 0; c < assignment->copies; c++)
        assignment->node[c] = lines.node[c];
    node_lines_free(&lines);
    return FAIL_NONE;
}

static const struct place_start STARTS[] = {
    {"row", fill_row, false, false},        {"snake", fill_snake, false, false},
    {"hilbert", fill_hilbert, true, false}, {"metis-hilbert", bisect_curve, true, true},
    {"metis", bisect_mesh, false, true},    {"spread", fill_spread, false, false},
};

const struct place_start *place_start_at(const struct place_plan *plan, uint32_t index)
{
    bool is_plane = plan->topology->shape.dimensions == 2;
    for (size_t i = 0; i < sizeof STARTS / sizeof *STARTS; i++) {
        const struct place_start *start = &STARTS[i];
        bool is_of_experts = start->fill == fill_spread;
        if ((start->needs_plane && !is_plane) ||
            (plan->traffic->has_tokens ? start->is_of_graph : is_of_experts))
            continue;
        if (index-- == 0)
            return start;
    }
    return NULL;
}
