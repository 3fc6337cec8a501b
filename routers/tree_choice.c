/* tree_choice.c - which trees sources grow, from what every node knows.
 */
#include "routers/tree_choice.h"

#include <inttypes.h>

/* With crowd: sides are drawn where the links of one node alone may take half as many steps as the longest way, and a
 * message has few destinations, so that the links added for their sides are few too; else trees xy. */
enum tree_growth tree_growth_of(const struct routing *routing, enum tree_choice choice)
{
    struct mesh mesh = routing->set->mesh;
    bool is_crowded = routing->congestion > 2 * (uint64_t)(mesh.rows + mesh.cols) &&
                      8 * (uint64_t)routing->degree <= mesh.rows + mesh.cols;
    if (choice == TREE_CROWD)
        return is_crowded ? GROW_SPREAD : GROW_XY;
    static const enum tree_growth growths[] = {
        [TREE_XY] = GROW_XY,   [TREE_NEAR] = GROW_NEAR, [TREE_SPREAD] = GROW_SPREAD,
        [TREE_VH] = GROW_VH,   [TREE_DIAG] = GROW_DIAG, [TREE_DDS] = GROW_DDS,
        [TREE_MIN] = GROW_MIN,
    };
    return growths[choice];
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
