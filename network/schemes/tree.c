/* tree.c - multicast trees, grown orthant by orthant.
 *
 * Method: destinations are sorted by orthants, and in each by local numbers. On tori the corners of
 * the orthants that have some join first, each after the one over whose wraparound link it is
 * reached. Then the scheme's rule grows the tree of each orthant; tree_unite.c makes one tree of
 * them.
 * Invariant: place[] has the nodes of the orthant at hand and no others; between two orthants it is
 * empty.
 * Cost: O(n k log k) for k destinations in n dimensions, 4 bytes per node of the topology, 16 per
 * node of the trees, and the rule's own; u dimensions with equally many destinations on both sides
 * of the source take O(2^u n k) more.
 */
#include "network/schemes/tree.h"

#include "base/numbers.h"

#include <assert.h>
#include <stdlib.h>

enum { ORTHANTS = 1 << TOPOLOGY_DIMENSIONS, NO_PLACE = -1 };

/* ---- coordinates ---- */

/* Returns the nodes of the positive side of a ring, the source among them. */
static uint32_t half_of(uint32_t size)
{
    return size - size / 2;
}

/* True if a node's coordinate `at` is on the negative side of dimension i; sets the local
 * coordinate. */
static bool side_of(const struct tree *tree, uint32_t i, uint32_t at, uint32_t *local)
{
    uint32_t from = topology_coordinate(tree->topology, tree->source, i);
    uint32_t size = tree->topology->shape.size[i];
    if (tree->topology->shape.kind == TOPOLOGY_MESH) {
        bool is_reflected = tree->reflected >> i & 1;
        *local = at < from ? from - at : at - from;
        return at != from && (at < from) != is_reflected;
    }
    uint32_t up = (at + size - from) % size;
    bool is_negative = up >= half_of(size);
    *local = is_negative ? size - 1 - up : up;
    return is_negative;
}

/* Returns the orthant of a node and its local number, as a key by which they are sorted. */
static uint64_t key_of(const struct tree *tree, uint32_t node)
{
    uint32_t sides = 0, number = 0;
    for (uint32_t i = 0; i < tree->topology->shape.dimensions; i++) {
        uint32_t local, at = topology_coordinate(tree->topology, node, i);
        sides |= (uint32_t)side_of(tree, i, at, &local) << i;
        number += local * tree->topology->stride[i];
    }
    return (uint64_t)sides << 32 | number;
}

/* Returns the node with a local number in an orthant. */
static uint32_t node_at(const struct tree *tree, uint32_t sides, uint32_t local)
{
    uint32_t node = 0;
    for (uint32_t i = 0; i < tree->topology->shape.dimensions; i++) {
        uint32_t size = tree->topology->shape.size[i];
        uint32_t from = topology_coordinate(tree->topology, tree->source, i);
        uint32_t at = topology_coordinate(tree->topology, local, i);
        bool is_negative = (sides ^ tree->reflected) >> i & 1;
        if (tree->topology->shape.kind == TOPOLOGY_MESH)
            at = is_negative ? from - at : from + at;
        else
            at = (from + (is_negative ? size - 1 - at : at)) % size;
        node += at * tree->topology->stride[i];
    }
    return node;
}

/* ---- the positive sides of a mesh ---- */

/* Returns the destinations with larger coordinates than the source in dimension i, minus those with
 * smaller ones. */
static int64_t excess_above(const struct tree *tree, const struct multicast *multicast, uint32_t i)
{
    uint32_t from = topology_coordinate(tree->topology, tree->source, i);
    int64_t excess = 0;
    for (uint32_t j = 0; j < multicast->destinations; j++) {
        uint32_t at = topology_coordinate(tree->topology, multicast->destination[j], i);
        excess += (at > from) - (at < from);
    }
    return excess;
}

/* Returns a hash of the destinations' orthants and local numbers that does not depend on their
 * order. */
static uint64_t signature_of(const struct tree *tree, const struct multicast *multicast)
{
    uint64_t signature = 0;
    for (uint32_t j = 0; j < multicast->destinations; j++) {
        uint64_t key = (key_of(tree, multicast->destination[j]) + 1) * UINT64_C(0x9e3779b97f4a7c15);
        key = (key ^ key >> 32) * UINT64_C(0xbf58476d1ce4e5b9);
        signature += key ^ key >> 29;
    }
    return signature;
}

/* Chooses the positive side of each dimension (tree.h). */
static void choose_sides(struct tree *tree, const struct multicast *multicast)
{
    uint32_t decided = 0, undecided = 0, some = 0;
    for (uint32_t i = 0; i < tree->topology->shape.dimensions; i++) {
        int64_t excess = excess_above(tree, multicast, i);
        decided |= (uint32_t)(excess < 0) << i;
        undecided |= (uint32_t)(excess == 0) << i;
    }
    uint32_t best = decided;
    uint64_t most = 0;
    for (bool is_first = true; undecided != 0 && (is_first || some != 0); is_first = false) {
        tree->reflected = decided | some;
        uint64_t signature = signature_of(tree, multicast);
        if (signature > most)
            best = tree->reflected;
        most = signature > most ? signature : most;
        some = (some - undecided) & undecided; /* the next subset */
    }
    tree->reflected = best;
}

uint32_t orthant_distance(const struct orthant *orthant, uint32_t local)
{
    uint32_t distance = 0;
    for (uint32_t i = 0; i < orthant->tree->topology->shape.dimensions; i++)
        distance += orthant_at(orthant, local, i);
    return distance;
}

/* ---- nodes that join ---- */

/* Adds a node; false: the plan lacks memory. */
static bool add(struct tree *tree, struct tree_node node)
{
    size_t nodes = tree->nodes + (size_t)1;
    struct tree_node *grown =
        nodes > INT32_MAX ? NULL : memory_grow(tree->node, &tree->room, nodes, sizeof *grown);
    tree->plan->lacks_memory |= grown == NULL;
    if (grown == NULL)
        return false;
    tree->node = grown;
    tree->node[tree->nodes++] = node;
    return true;
}

uint32_t orthant_join(struct orthant *orthant, uint32_t parent, uint32_t dimension, bool is_back,
                      enum tree_link link)
{
    struct tree *tree = orthant->tree;
    uint32_t stride = tree->topology->stride[dimension], from = tree->node[parent].local;
    uint32_t local = is_back ? from - stride : from + stride;
    /* By dimensions, to larger local coordinates first, the positive side first */
    uint16_t rank = (uint16_t)(4 * dimension + 2 * is_back + (orthant->sides >> dimension & 1));
    struct tree_node node = {node_at(tree, orthant->sides, local), parent, local, (uint16_t)link,
                             rank};
    if (tree->plan->lacks_memory || !add(tree, node))
        return parent;
    assert(tree->place[local] == 0);
    tree->place[local] = tree->nodes;
    return tree->nodes - 1;
}

void orthant_connect(struct orthant *orthant, uint32_t from, uint32_t local)
{
    const struct tree *tree = orthant->tree;
    for (uint32_t i = 0; i < tree->topology->shape.dimensions; i++) {
        uint32_t at = orthant_at(orthant, tree->node[from].local, i);
        uint32_t to = orthant_at(orthant, local, i);
        for (uint32_t left = difference(at, to); left > 0; left--)
            from = orthant_join(orthant, from, i, at > to, TREE_OTHER);
    }
}

/* ---- orthants ---- */

/* Lets the corner of an orthant join if it has not, and those before it. corner[] has their
 * places. */
static void join_corner(struct tree *tree, uint32_t sides, int64_t *corner)
{
    uint32_t last = 0, dimensions = tree->topology->shape.dimensions;
    if (corner[sides] != NO_PLACE)
        return;
    for (uint32_t i = dimensions; --i > 0;)
        if (sides >> i & 1)
            last = i;
    uint32_t before = sides & ~(UINT32_C(1) << last);
    join_corner(tree, before, corner);
    corner[sides] = tree->nodes;
    add(tree, (struct tree_node){.node = node_at(tree, sides, 0),
                                 .parent = (uint32_t)corner[before],
                                 .link = TREE_WRAP,
                                 .rank = (uint16_t)(last == 0 ? 0 : dimensions - last)});
}

static struct orthant orthant_of(struct tree *tree, uint32_t sides, uint32_t corner)
{
    struct orthant orthant = {.tree = tree, .sides = sides, .corner = corner, .first = tree->nodes};
    for (uint32_t i = 0; i < tree->topology->shape.dimensions; i++) {
        uint32_t size = tree->topology->shape.size[i];
        uint32_t from = topology_coordinate(tree->topology, tree->source, i);
        bool is_negative = (sides ^ tree->reflected) >> i & 1;
        if (tree->topology->shape.kind == TOPOLOGY_MESH)
            orthant.size[i] = is_negative ? from + 1 : size - from;
        else
            orthant.size[i] = is_negative ? size / 2 : half_of(size);
    }
    return orthant;
}

static void grow_orthant(struct orthant *orthant, tree_rule *rule,
                         const struct scheme_choices *choices)
{
    struct tree *tree = orthant->tree;
    tree->place[0] = orthant->corner + 1;
    rule(orthant, choices);
    tree->place[0] = 0;
    for (uint32_t i = orthant->first; i < tree->nodes; i++)
        tree->place[tree->node[i].local] = 0;
}

/* Grows the trees of all orthants; key[] has the destinations, sorted, and target[] has room for
 * one orthant's. */
static void grow_all(struct tree *tree, const uint64_t *key, uint32_t *target, uint32_t keys,
                     tree_rule *rule, const struct scheme_choices *choices)
{
    int64_t corner[ORTHANTS];
    bool is_mesh = tree->topology->shape.kind == TOPOLOGY_MESH;
    for (uint32_t i = 0; i < ORTHANTS; i++)
        corner[i] = is_mesh || i == 0 ? 0 : NO_PLACE;
    for (uint32_t i = 0; i < keys; i++)
        join_corner(tree, (uint32_t)(key[i] >> 32), corner);
    for (uint32_t i = 0; i < keys && !tree->plan->lacks_memory;) {
        uint32_t sides = (uint32_t)(key[i] >> 32);
        struct orthant orthant = orthant_of(tree, sides, (uint32_t)corner[sides]);
        for (; i < keys && key[i] >> 32 == sides; i++)
            target[orthant.targets++] = (uint32_t)key[i];
        orthant.target = target;
        grow_orthant(&orthant, rule, choices);
    }
}

/* ---- schemes ---- */

void tree_plan(const struct planning *planning, tree_rule *rule)
{
    const struct multicast *multicast = planning->multicast;
    struct plan *plan = planning->plan;
    uint32_t keys = multicast->destinations;
    struct tree tree = {.topology = planning->topology, .plan = plan, .source = multicast->source};
    uint64_t *key = plan_scratch(plan, keys, sizeof *key);
    uint32_t *target = plan_scratch(plan, keys, sizeof *target);
    tree.place = plan_marks(plan, planning->topology->nodes);
    if (plan->lacks_memory || !add(&tree, (struct tree_node){.node = multicast->source}))
        return;
    if (planning->topology->shape.kind == TOPOLOGY_MESH)
        choose_sides(&tree, multicast);
    for (uint32_t i = 0; i < keys; i++)
        key[i] = key_of(&tree, multicast->destination[i]);
    qsort(key, keys, sizeof *key, compare_u64);
    grow_all(&tree, key, target, keys, rule, planning->choices);
    if (!plan->lacks_memory)
        tree_unite(&tree, planning);
    for (uint32_t i = 0; i < tree.nodes; i++)
        tree.place[tree.node[i].node] = tree.place[tree.node[i].local] = 0;
    free(tree.node);
}

/* Adds the nodes of the path to a node that are not in the tree yet; `path` has room for them. */
static void add_path(struct tree *tree, const struct up_down *paths, uint32_t node, uint32_t *path)
{
    uint32_t count = 0;
    for (; tree->place[node] == 0; node = up_down_parent(paths, node))
        path[count++] = node;
    for (uint32_t parent = tree->place[node] - 1; count > 0; parent = tree->nodes - 1) {
        uint32_t next = path[--count], from = tree->node[parent].node;
        uint32_t rank = topology_port_to(tree->topology, from, next);
        if (!add(tree,
                 (struct tree_node){
                     .node = next, .parent = parent, .link = TREE_OTHER, .rank = (uint16_t)rank}))
            return;
        tree->place[next] = tree->nodes;
    }
}

void tree_plan_up_down(const struct planning *planning)
{
    const struct multicast *multicast = planning->multicast;
    struct plan *plan = planning->plan;
    struct tree tree = {.topology = planning->topology, .plan = plan, .source = multicast->source};
    uint32_t *path = plan_scratch(plan, planning->topology->nodes, sizeof *path);
    tree.place = plan_marks(plan, planning->topology->nodes);
    plan->lacks_memory |= !up_down_begin(&plan->paths, planning->topology, multicast->source, true);
    if (plan->lacks_memory || !add(&tree, (struct tree_node){.node = multicast->source}))
        return;
    tree.place[multicast->source] = 1;
    for (uint32_t i = 0; i < multicast->destinations; i++)
        up_down_reach(&plan->paths, planning->topology, multicast->destination[i]);
    for (uint32_t i = 0; i < multicast->destinations && !plan->lacks_memory; i++)
        add_path(&tree, &plan->paths, multicast->destination[i], path);
    for (uint32_t i = 0; i < tree.nodes; i++)
        tree.place[tree.node[i].node] = 0;
    if (!plan->lacks_memory)
        tree_unite(&tree, planning);
    for (uint32_t i = 0; i < tree.nodes; i++)
        tree.place[tree.node[i].node] = 0;
    free(tree.node);
}

const struct routing *tree_routing_by_classes(const struct scheme_choices *choices)
{
    return choices->choice[TREE_CLASSES] == CLASSES_SIDES ? &routing_sides : &routing_link;
}
