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
    static const enum tree_growth growths[] = {
        [TREE_XY] = GROW_XY,   [TREE_NEAR] = GROW_NEAR, [TREE_SPREAD] = GROW_SPREAD,
        [TREE_VH] = GROW_VH,   [TREE_DIAG] = GROW_DIAG, [TREE_DDS] = GROW_DDS,
        [TREE_MIN] = GROW_MIN,
    };
    if (choice == TREE_CROWD)
        return nodes_are_crowded(routing) ? GROW_SPREAD : GROW_XY;
    if (choice == TREE_MEASURED)
        return is_worth_hearing(routing) ? GROW_HEARD : GROW_XY;
    return growths[choice];
}

uint64_t grown_trees_run_footprint(const struct routing *routing, enum tree_choice choice,
                                   struct machine_needs needs)
{
    enum tree_growth growth = tree_growth_of(routing, choice);
    if (growth == GROW_HEARD)
        needs.uses |= USE_WORDS;
    return machine_footprint(&needs) +
           grown_trees_footprint(routing->set, routing->degree, growth) +
           (growth == GROW_HEARD ? heard_footprint(routing->set) : 0);
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
    figure = (struct router_figure){.key = "trees_header_mean", .name = "mean header on a link"};
    if (trees->links > 0)
        figure.value = (4 * trees->carried + trees->links / 2) / trees->links;
    snprintf(figure.note, sizeof figure.note, "integers");
    routing_foretell(routing, &figure);
}
