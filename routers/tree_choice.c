/* tree_choice.c - which trees sources grow, from what every node knows.
 */
#include "routers/tree_choice.h"

#include "routers/heard.h"

#include <inttypes.h>

/* Where the links of one node alone may take half as many steps as the longest way, and a message has few
 * destinations, so that the links added for drawn sides are few too. */
bool nodes_are_crowded(const struct routing *routing)
{
    uint64_t sides = (uint64_t)routing->set->mesh.rows + routing->set->mesh.cols;
    return routing->congestion > 2 * sides && 8 * (uint64_t)routing->degree <= sides;
}

enum tree_growth tree_growth_of(const struct routing *routing, enum tree_choice choice)
{
    switch (choice) {
    case TREE_NEAR:
        return GROW_NEAR;
    case TREE_SPREAD:
        return GROW_SPREAD;
    case TREE_CROWD:
        return nodes_are_crowded(routing) ? GROW_SPREAD : GROW_XY;
    case TREE_MEASURED:
        return is_worth_hearing(routing) ? GROW_HEARD : GROW_XY;
    default:
        return GROW_XY;
    }
}

uint64_t grown_trees_run_footprint(const struct routing *routing, enum tree_choice choice)
{
    bool hears = tree_growth_of(routing, choice) == GROW_HEARD;
    struct machine_needs needs = routing_needs(routing, routing->set->deliveries);
    needs.uses = hears ? USE_FORWARD | USE_WORDS : USE_FORWARD;
    return machine_footprint(&needs) + grown_trees_footprint(routing->set, routing->degree) +
           (hears ? heard_footprint(routing->set) : 0);
}

void grown_trees_foretell(struct routing *routing, const struct grown_trees *trees)
{
    struct router_figure figure = {
        .key = "trees_c_plus_d",
        .name = "busiest link + longest way",
        .value = trees->congestion + trees->dilation,
    };
    snprintf(figure.note, sizeof figure.note, "%" PRIu64 " trees, %" PRIu64 " links",
             trees->congestion, trees->dilation);
    routing_foretell(routing, &figure);
    figure = (struct router_figure){
        .key = "trees_links", .name = "links of all trees", .value = trees->links};
    routing_foretell(routing, &figure);
    figure = (struct router_figure){
        .key = "trees_header", .name = "largest header of a tree", .value = 4 * trees->longest};
    snprintf(figure.note, sizeof figure.note, "integers, 4 a straight piece");
    routing_foretell(routing, &figure);
}
