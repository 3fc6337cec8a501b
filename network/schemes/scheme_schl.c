/* scheme_schl.c - leaders about the source: it reaches the leaders of rows, they those of columns,
 * they the rest.
 *
 * Method: the rows from the source's up are the upper half, the others the lower half. In each half
 * the member of a column that is nearest to the source's row leads it; the source is a member of
 * its own column's upper half. In each half, east (with the source's column) and west of the
 * source, the leader of columns that is nearest to the source's column leads its row. The source
 * sends to the leaders of rows by u-mesh; each of them sends a worm along its row to the other
 * leaders there, each leader of a column a worm along it to the other members, both away from the
 * source. A node sends for u-mesh first, then along its row, then along its column.
 * Properties: a startup for each leader of a row but the source, and for each worm along a row or
 * column.
 * Cost: O(k log k) for k destinations, 36 bytes per destination.
 * Source: the source-centred hierarchical leaders scheme of R. Libeskind-Hadas, T. Hehre, A.
 * Hutchings, M. Reyes, K. Watkins, Adaptive multicast routing in wormhole networks, 1997; the order
 * of sending is ours.
 */
#include "network/schemes/scheme_private.h"

#include <stdlib.h>
#include <string.h>

/* A node and its line: lines sort by their number, and in a line the leader is first. */
struct follower {
    uint64_t line;
    uint32_t distance, node;
};

/* Followers line by line. */
struct level {
    uint32_t count;
    struct follower *follower;
};

static int compare(const void *one, const void *other)
{
    const struct follower *a = one, *b = other;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return (a->distance > b->distance) - (a->distance < b->distance);
}

/* Returns a member as a follower in its half of a column. */
static struct follower in_column(const struct topology *topology, uint32_t source, uint32_t node)
{
    uint32_t y = mesh_2d_y(topology, node), centre = mesh_2d_y(topology, source);
    uint64_t line = 2 * (uint64_t)mesh_2d_x(topology, node) + (y < centre);
    return (struct follower){.line = line, .distance = difference(y, centre), .node = node};
}

/* Returns a leader as a follower in its part of a row, east or west of the source; rows are above
 * or below the source. */
static struct follower in_row(const struct topology *topology, uint32_t source, uint32_t node)
{
    uint32_t x = mesh_2d_x(topology, node), centre = mesh_2d_x(topology, source);
    uint64_t line = 2 * (uint64_t)mesh_2d_y(topology, node) + (x < centre);
    return (struct follower){.line = line, .distance = difference(x, centre), .node = node};
}

/* Returns the end of the line that begins at a place. */
static uint32_t line_end(const struct level *level, uint32_t begin)
{
    uint32_t end = begin + 1;
    while (end < level->count && level->follower[end].line == level->follower[begin].line)
        end++;
    return end;
}

/* Lists the leaders of the columns' lines as followers in rows. */
static void lead(const struct level *columns, struct level *rows, const struct topology *topology,
                 uint32_t source)
{
    rows->count = 0;
    for (uint32_t i = 0; i < columns->count; i = line_end(columns, i))
        rows->follower[rows->count++] = in_row(topology, source, columns->follower[i].node);
    qsort(rows->follower, rows->count, sizeof *rows->follower, compare);
}

/* Adds a worm in each line, from its leader past the others; `node` has room for them. */
static void add_lines(struct plan *plan, const struct level *level, uint32_t *node)
{
    for (uint32_t i = 0, end; i < level->count; i = end) {
        end = line_end(level, i);
        for (uint32_t j = i + 1; j < end; j++)
            node[j - i - 1] = level->follower[j].node;
        plan_add_path(plan, level->follower[i].node, node, end - i - 1);
    }
}

/* Adds u-mesh from the source to the leaders of rows; `node` has room for them. */
static void add_tree(const struct planning *planning, const struct level *rows, uint32_t *node)
{
    static const struct scheme_choices choices = {{ROUTING_X_FIRST}};
    const struct multicast *multicast = planning->multicast;
    struct multicast leaders = {multicast->source, 0, node, multicast->flits};
    for (uint32_t i = 0; i < rows->count; i = line_end(rows, i))
        if (rows->follower[i].node != multicast->source)
            node[leaders.destinations++] = rows->follower[i].node;
    if (leaders.destinations > 0)
        scheme_u_mesh.plan(
            &(struct planning){planning->topology, &leaders, &choices, planning->plan});
}

/* Sets steps: a node sends one worm in each; `sent` has room for all nodes. */
static void set_steps(struct plan *plan, const struct multicast *multicast, uint32_t *sent)
{
    memset(sent, 0, ((size_t)multicast->destinations + 1) * sizeof *sent);
    for (uint32_t i = 0; i < plan->worms; i++) {
        uint32_t sender = plan->worm[i].sender, place = multicast->destinations;
        if (sender != multicast->source)
            place = multicast_place(multicast, sender);
        plan->worm[i].step = ++sent[place];
    }
}

static void plan(const struct planning *planning)
{
    const struct topology *topology = planning->topology;
    const struct multicast *multicast = planning->multicast;
    struct plan *plan = planning->plan;
    uint32_t count = multicast->destinations + 1, source = multicast->source;
    struct level columns = {count, plan_scratch(plan, count, sizeof *columns.follower)};
    struct level rows = {0, plan_scratch(plan, count, sizeof *rows.follower)};
    uint32_t *node = plan_scratch(plan, count, sizeof *node);
    if (plan->lacks_memory)
        return;
    columns.follower[0] = in_column(topology, source, source);
    for (uint32_t i = 1; i < count; i++)
        columns.follower[i] = in_column(topology, source, multicast->destination[i - 1]);
    qsort(columns.follower, count, sizeof *columns.follower, compare);
    lead(&columns, &rows, topology, source);
    add_tree(planning, &rows, node);
    add_lines(plan, &rows, node);
    add_lines(plan, &columns, node);
    set_steps(plan, multicast, node);
}

const struct scheme scheme_schl = {
    .name = "schl",
    .summary = "leaders of rows by u-mesh, these reach leaders of columns, those the rest",
    .routing = scheme_x_first_routing,
    .needs = NEEDS_FLAT_MESH,
    .plan = plan,
    .is_stepwise = true,
};
