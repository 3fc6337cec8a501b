/* expander_group.c - Steps 1(c), 2, 3 and 5 of Theorem 4: groups by the graph, seats, the way home.
 *
 * Step 1(c). Entry k = i r + j of the permutation lies at node k mod n of the mesh's snake, and
 * replica j of input i goes there. With kappa = r, the default, it is there already: the segment of
 * u_i begins at node i r. Where n is no multiple of kappa the entries of the last input lie at the
 * last r nodes instead, where its segment is: no node has more than two.
 * With a Reed-Solomon graph nothing is stored: a node computes the value of polynomial i at point
 * j.
 * Step 2. The paper sorts the replicas by group and ranks them. The entry says both at once: group
 * l are the values of pi that lie in an interval, and the distance from its start is a rank,
 * different for all replicas of the group. Likewise of the polynomials that differ in the constant
 * alone one has each value at a point, so that floor(i / q) is a rank. Nothing has to be sorted or
 * counted.
 * Step 3. Rank q of group l sits in tile l at cell q mod A, of the A cells that all tiles have;
 * those of rank A and more, where there are any, are further layers, spread over the tile's cells.
 *
 * Steps: measured, 2 m for Step 3 and for Step 5, and 2 m for Step 1(c) with kappa > r; each ends
 * with a synchronisation. Buffer: 8 packets on their way and those that rest.
 * Source: Section 5, Steps 1(c), 2, 3, 5.
 * Cost: the graph's table, r entries for each input: a constant number a node.
 */
#include "primitives/prefix.h"
#include "routers/expander_private.h"
#include "routers/scatter.h"

enum { MOST_LAYERS = 4 };

/* ---- groups and ranks ---- */

struct group_place {
    uint32_t group, rank;
};

static struct group_place place_in_group(const struct expander *graph, uint32_t input, uint32_t j)
{
    struct group_place place = {expander_neighbour(graph, input, j), 0};
    if (graph->kind == EXPANDER_REED_SOLOMON) {
        place.rank = input / graph->field.q;
        return place;
    }
    uint64_t edges = (uint64_t)graph->inputs * graph->degree;
    uint64_t first = (place.group * edges + graph->groups - 1) / graph->groups;
    place.rank = (uint32_t)(graph->entry[(uint64_t)input * graph->degree + j] - first);
    return place;
}

/* No group has more replicas. */
static uint32_t largest_group(const struct expander *graph)
{
    uint64_t edges = (uint64_t)graph->inputs * graph->degree;
    return (uint32_t)((edges + graph->groups - 1) / graph->groups);
}

/* ---- seats ---- */

static uint32_t smallest_interval(const struct axis *axis)
{
    uint32_t count = axis_intervals(axis); /* halving gives the odd one to the first half */
    return axis->cut[count] - axis->cut[count - 1];
}

enum failure_kind expander_seats(struct expander_run *run, struct failure *failure)
{
    const struct tessellation *tiles = &run->masters.tiles;
    run->cells = (struct mesh){smallest_interval(&tiles->row), smallest_interval(&tiles->col)};
    uint32_t area = mesh_nodes(run->cells), largest = largest_group(&run->graph);
    run->masters.layers = (largest + area - 1) / area;
    if (run->masters.layers <= MOST_LAYERS)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "groups of %u replicas do not fit into tiles of %u nodes, %u a node", largest, area,
                MOST_LAYERS);
}

/* The seat of a rank: a node of the group's tile, and a layer. */
static node_place seat_of(const struct expander_run *run, struct group_place place, uint32_t *layer)
{
    const struct tessellation *tiles = &run->masters.tiles;
    uint32_t area = mesh_nodes(run->cells), tile = run->masters.cycle.tile[place.group];
    uint32_t cell = place.rank % area, across = axis_intervals(&tiles->col);
    *layer = place.rank / area;
    if (*layer > 0) { /* few: every so many cells */
        uint32_t few = largest_group(&run->graph) - *layer * area;
        cell = few < area ? (uint32_t)((uint64_t)cell * area / few) : cell;
    }
    return place_of(tiles->row.cut[tile / across] + cell / run->cells.cols,
                    tiles->col.cut[tile % across] + cell % run->cells.cols);
}

/* ---- the steps ---- */

static void address_entry(struct expander_run *run, struct site site, uint32_t packet)
{
    struct headers *header = run->masters.header;
    struct segment segment = expander_segment(run, header->packet[packet].message);
    uint64_t entry = (uint64_t)segment.input * run->replicas + expander_replica(run, packet);
    (void)site;
    header->packet[packet].target =
        expander_node(run, (uint32_t)(entry % mesh_nodes(run->routing->set->mesh)));
}

static void address_seat(struct expander_run *run, struct site site, uint32_t packet)
{
    struct headers *header = run->masters.header;
    struct segment segment = expander_segment(run, header->packet[packet].message);
    uint32_t layer;
    (void)site;
    header->packet[packet].target = seat_of(
        run, place_in_group(&run->graph, segment.input, expander_replica(run, packet)), &layer);
    header->packet[packet].state = (uint8_t)(RANDOM_MASTER | layer << RANDOM_LAYER_SHIFT);
}

static void address_home(struct expander_run *run, struct site site, uint32_t packet)
{
    (void)site;
    run->masters.header->packet[packet].target = expander_birthplace(run, packet);
}

static enum failure_kind route(struct expander_run *run, const char *step, struct failure *failure)
{
    char name[MACHINE_NAME_SIZE];
    snprintf(name, sizeof name, "%u.%u %s", run->class + 1, run->phase + 1, step);
    return scatter_to_targets(run->routing, name, failure);
}

enum failure_kind expander_assign(struct expander_run *run, struct failure *failure)
{
    enum failure_kind kind = FAIL_NONE;
    if (run->classes != run->replicas && run->graph.kind != EXPANDER_REED_SOLOMON) {
        expander_for_resting(run, address_entry);
        kind = route(run, "1(c) entries", failure);
    }
    if (kind != FAIL_NONE)
        return kind;
    expander_for_resting(run, address_seat);
    return route(run, "3 groups", failure);
}

enum failure_kind expander_return(struct expander_run *run, struct failure *failure)
{
    expander_for_resting(run, address_home);
    return route(run, "5 home", failure);
}
