/* circuits.c - the closed walks by which packets tour a mesh, whole or broken.
 *
 * Method on a broken mesh: at first each node is a walk without a link. Two walks become one by
 *   a join: over a link of which both directions remain, there and back, which takes 2 more links;
 *   a flip: one walk goes from a to b, the other from c to d, and a, b, c, d are the corners of a
 * square on the left of both links. They go from a to d and from c to b instead: no more links.
 * A part of m nodes takes m - 1 joins and flips, so after f flips its walk has 2 (m - 1 - f) links.
 * The nodes of columns 2 i and 2 i + 1 are joined first, row by row, then neighbours that are
 * alone, then walks that are still apart. After each join all flips are made that it allows.
 * Invariant: a walk uses each direction of a link at most once, since only links between different
 * walks are added. None but the flip of the square on its left takes a link out of a walk;
 * doc/broken.md bounds the lengths of walks by this.
 * Knowledge: each node knows its places before the run, from what is missing.
 * Cost: nearly O(n); 14 bytes per node while walks are made, 8 per node and 4 per place.
 */
#include "primitives/circuits.h"

#include "base/memory.h"
#include "network/topology/topology.h"

#include <stdlib.h>
#include <string.h>

enum { NO_EXIT = DIRECTIONS };

/* The direction on the left of each one. */
static const enum direction LEFT[DIRECTIONS] = {
    [NORTH] = WEST, [WEST] = SOUTH, [SOUTH] = EAST, [EAST] = NORTH};

struct walker {
    struct mesh mesh;
    const struct topology *broken;
    /* [node][side]: where the walk goes on that came from that side; NO_EXIT: none comes. */
    uint8_t (*exit)[DIRECTIONS];
    uint8_t *sides;   /* [node]: a bit per side where both directions of the link remain */
    uint32_t *father; /* [node]: a tree of nodes per walk */
    uint32_t *added;  /* DIRECTIONS node + side of links whose squares may allow a flip */
    uint32_t adds, joins, walks;
};

/* Returns the neighbour on a side on which there is one. */
static node_index beside(const struct walker *walker, node_index node, enum direction side)
{
    const uint32_t cols = walker->mesh.cols;
    return side == NORTH   ? node - cols
           : side == SOUTH ? node + cols
           : side == WEST  ? node - 1
                           : node + 1;
}

/* Returns the number of the walk that visits a node. */
static uint32_t walk_of(const struct walker *walker, node_index node)
{
    uint32_t *father = walker->father;
    while (father[node] != node)
        node = father[node] = father[father[node]];
    return node;
}

static void add_link(struct walker *walker, node_index node, enum direction side)
{
    walker->added[walker->adds++] = node * DIRECTIONS + side;
}

static void unite(struct walker *walker, node_index one, node_index other)
{
    walker->father[walk_of(walker, one)] = walk_of(walker, other);
    walker->walks--;
}

/* ---- joins ---- */

/* Leads one of the node's visits aside to the neighbour on that side and back. */
static void turn_aside(struct walker *walker, node_index node, enum direction side)
{
    uint8_t *exit = walker->exit[node];
    unsigned from = 0;
    while (from < DIRECTIONS && exit[from] == NO_EXIT)
        from++;
    exit[side] = (uint8_t)side;
    if (from < DIRECTIONS) {
        exit[side] = exit[from];
        exit[from] = (uint8_t)side;
    }
}

static void join(struct walker *walker, node_index node, enum direction side)
{
    node_index other = beside(walker, node, side);
    turn_aside(walker, node, side);
    turn_aside(walker, other, direction_opposite(side));
    unite(walker, node, other);
    add_link(walker, node, side);
    add_link(walker, other, direction_opposite(side));
    walker->joins++;
}

/* ---- flips ---- */

/* Returns the side from which the walk comes that leaves a node by that side. */
static enum direction entry(const struct walker *walker, node_index node, enum direction side)
{
    unsigned from = 0;
    while (walker->exit[node][from] != side)
        from++;
    return (enum direction)from;
}

/* Flips the square on the left of a link, if another walk uses the opposite side of it. */
static void flip(struct walker *walker, node_index a, enum direction ahead)
{
    uint8_t(*exit)[DIRECTIONS] = walker->exit;
    enum direction left = LEFT[ahead], back = direction_opposite(ahead),
                   right = direction_opposite(left);
    node_index b = beside(walker, a, ahead);
    if (exit[b][back] == NO_EXIT || !(walker->sides[a] & walker->sides[b] & 1 << left))
        return;
    node_index c = beside(walker, b, left), d = beside(walker, a, left);
    if (exit[d][ahead] == NO_EXIT || walk_of(walker, a) == walk_of(walker, c))
        return;
    exit[a][entry(walker, a, ahead)] = (uint8_t)left;
    exit[c][entry(walker, c, back)] = (uint8_t)right;
    exit[b][left] = exit[b][back];
    exit[d][right] = exit[d][ahead];
    exit[b][back] = exit[d][ahead] = NO_EXIT;
    unite(walker, a, c);
    add_link(walker, a, left);
    add_link(walker, c, right);
}

static void flip_all(struct walker *walker)
{
    while (walker->adds > 0) {
        uint32_t link = walker->added[--walker->adds];
        flip(walker, link / DIRECTIONS, link % DIRECTIONS);
    }
}

/* ---- all walks ---- */

enum round { PAIRS, ALONE, APART, ROUNDS };

static bool is_alone(const struct walker *walker, node_index node)
{
    static const uint8_t none[DIRECTIONS] = {NO_EXIT, NO_EXIT, NO_EXIT, NO_EXIT};
    return memcmp(walker->exit[node], none, sizeof none) == 0;
}

static bool may_join(const struct walker *walker, enum round round, node_index node,
                     enum direction side)
{
    node_index other = beside(walker, node, side);
    if (round == PAIRS)
        return side == EAST && node % walker->mesh.cols % 2 == 0;
    return round == ALONE ? is_alone(walker, node) && is_alone(walker, other)
                          : walk_of(walker, node) != walk_of(walker, other);
}

static void join_all(struct walker *walker)
{
    static const enum direction sides[] = {EAST, SOUTH};
    for (enum round round = PAIRS; round < ROUNDS; round++)
        for (node_index node = 0; node < mesh_nodes(walker->mesh); node++)
            for (int i = 0; i < 2; i++)
                if (walker->sides[node] & 1 << sides[i] &&
                    may_join(walker, round, node, sides[i])) {
                    join(walker, node, sides[i]);
                    flip_all(walker);
                }
}

/* Finds the links of which both directions remain. */
static void find_sides(struct walker *walker)
{
    const struct topology *broken = walker->broken;
    for (node_index node = 0; node < mesh_nodes(walker->mesh); node++) {
        uint32_t row = node / walker->mesh.cols, col = node % walker->mesh.cols;
        walker->father[node] = node;
        for (enum direction side = NORTH; side < DIRECTIONS; side++) {
            node_index to = mesh_beside(walker->mesh, row, col, side);
            walker->exit[node][side] = NO_EXIT;
            if (to != MESH_NO_NODE && topology_port_to(broken, node, to) != UINT32_MAX &&
                topology_port_to(broken, to, node) != UINT32_MAX)
                walker->sides[node] |= (uint8_t)(1 << side);
        }
        walker->walks += walker->sides[node] != 0;
    }
}

/* ---- places ---- */

/* Follows a walk whose first node is `first`; the circuit's places begin at `place`. */
static struct mesh_circuit follow(const struct walker *walker, const struct circuits *circuits,
                                  node_index first, node_place *place)
{
    struct mesh_circuit circuit = {.mesh = walker->mesh,
                                   .apart = {MESH_NO_NODE, MESH_NO_NODE},
                                   .walk = place,
                                   .position = circuits->position};
    unsigned side = 0, from;
    while (walker->exit[first][side] == NO_EXIT)
        side++;
    node_index node = first;
    from = side;
    do {
        place[circuit.length] = mesh_place(walker->mesh, node);
        if (circuits->part[node] == UINT32_MAX)
            circuits->position[node] = circuit.length;
        circuits->part[node] = circuits->parts;
        circuit.length++;
        enum direction to = walker->exit[node][from];
        node = beside(walker, node, to);
        from = direction_opposite(to);
    } while (node != first || from != side);
    circuit.around = circuit.length;
    return circuit;
}

/* Returns how often walks visit a node; sets *shares_links if one uses a link there and back. */
static uint32_t count_visits(const struct walker *walker, node_index node, bool *shares_links)
{
    uint32_t visits = 0;
    for (enum direction side = NORTH; side < DIRECTIONS; side++) {
        if (walker->exit[node][side] == NO_EXIT)
            continue;
        const uint8_t *exit = walker->exit[beside(walker, node, side)];
        *shares_links |= exit[direction_opposite(side)] != NO_EXIT;
        visits++;
    }
    return visits;
}

static bool make_circuits(const struct walker *walker, bool at_once, struct circuits *circuits)
{
    uint32_t nodes = mesh_nodes(walker->mesh), longest = 0, visits = 0;
    circuits->circuit = memory_allocate(walker->walks, sizeof *circuits->circuit);
    circuits->part = memory_allocate(nodes, sizeof *circuits->part);
    circuits->position = memory_allocate(nodes, sizeof *circuits->position);
    circuits->place = memory_allocate(2 * (size_t)walker->joins, sizeof *circuits->place);
    if (!circuits->circuit || !circuits->part || !circuits->position || !circuits->place)
        return false;
    node_place *place = circuits->place;
    memset(circuits->part, 0xff, nodes * sizeof *circuits->part);
    for (node_index node = 0; node < nodes; node++) {
        visits = max_u32(visits, count_visits(walker, node, &circuits->is_one_way));
        if (circuits->part[node] != UINT32_MAX || walker->sides[node] == 0)
            continue;
        struct mesh_circuit circuit = follow(walker, circuits, node, place);
        longest = max_u32(longest, circuit.length);
        place += circuit.length;
        circuits->circuit[circuits->parts++] = circuit;
    }
    circuits->is_one_way &= at_once;
    circuits->all =
        (struct mesh_circuit){.mesh = walker->mesh,
                              .capacity = circuits->is_one_way ? visits : 2 * visits,
                              .rounds = circuits->is_one_way ? longest - 1 : longest / 2,
                              .apart = {MESH_NO_NODE, MESH_NO_NODE}};
    return true;
}

enum failure_kind circuits_make(struct circuits *circuits, struct mesh mesh,
                                const struct topology *broken, bool at_once,
                                struct failure *failure)
{
    struct walker walker = {.mesh = mesh, .broken = broken};
    uint32_t nodes = mesh_nodes(mesh);
    *circuits = (struct circuits){.all = mesh_circuit_of(mesh)};
    if (broken == NULL)
        return FAIL_NONE;
    walker.exit = memory_allocate(nodes, sizeof *walker.exit);
    walker.sides = memory_allocate(nodes, sizeof *walker.sides);
    walker.father = memory_allocate(nodes, sizeof *walker.father);
    walker.added = memory_allocate((size_t)nodes + 1, sizeof *walker.added);
    bool is_made = walker.exit && walker.sides && walker.father && walker.added;
    if (is_made) {
        find_sides(&walker);
        join_all(&walker);
        is_made = make_circuits(&walker, at_once, circuits);
    }
    free(walker.exit);
    free(walker.sides);
    free(walker.father);
    free(walker.added);
    return is_made ? FAIL_NONE : fail_memory(failure, "the circuits of a broken mesh");
}

void circuits_free(struct circuits *circuits)
{
    free(circuits->circuit);
    free(circuits->part);
    free(circuits->position);
    free(circuits->place);
}
