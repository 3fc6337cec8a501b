/* tree.c - multicast trees, grown orthant by orthant.
 *
 * Method: destinations are sorted by orthants, and in each by local numbers. On tori the corners of the orthants that have
 * some join first, each behind the one over whose wraparound link it is reached. Then the scheme's rule grows the tree
 * of each orthant; tree_unite.c makes one tree of them.
 * Invariant: place[] tells the nodes of the orthant at hand and no others; between two orthants it is empty.
 * Cost: O(n k log k) for k destinations in n dimensions, 4 bytes per node of the topology, 16 per node of
 * the trees, and the rule's own; u dimensions with equally many destinations on both sides of the source take O(2^u n k) more.
 */
#include "network/schemes/tree.h"

#include "base/numbers.h"

#include <assert.h>
#include <stdlib.h>

enum { ORTHANTS = 1 << TOPOLOGY_DIMENSIONS, NO_PLACE = -1 };

/* ---- coordinates ---- */

/* Nodes of the positive side of a ring, the source among them. */
static uint32_t half_of(uint32_t size)
{
    return size - size / 2;
}

/* The side of dimension i on which a node's coordinate `at` is, and the local coordinate. */
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

/* The orthant of a node and its local number, as a key by which they are sorted. */
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

/* The node with a local number in an orthant. */
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

/* Returns how many more destinations have larger coordinates in dimension i than the source than have smaller ones. */
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

/* Returns a hash of the destinations' orthants and local numbers that does not depend on their order. */
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

static enum failure_kind add(struct tree *tree, struct tree_node node, struct failure *failure)
{
    if (tree->nodes == tree->room) {
        size_t nodes = tree->nodes + (size_t)1;
        struct tree_node *grown =
            nodes > INT32_MAX ? NULL : memory_grow(tree->node, &tree->room, nodes, sizeof *grown);
        if (grown == NULL)
            return fail_memory(failure, "the nodes of a tree");
        tree->node = grown;
    }
    tree->node[tree->nodes++] = node;
    return FAIL_NONE;
}

enum failure_kind orthant_join(struct orthant *orthant, uint32_t parent, uint32_t dimension,
                               bool is_back, enum tree_link link, struct failure *failure)
{
    struct tree *tree = orthant->tree;
    uint32_t stride = tree->topology->stride[dimension], from = tree->node[parent].local;
    uint32_t local = is_back ? from - stride : from + stride;
    struct tree_node joined = {
        .node = node_at(tree, orthant->sides, local),
        .parent = parent,
        .local = local,
        .link = link,
        /* By dimensions, to larger local coordinates first, the positive side first */
        .rank = (uint16_t)(4 * dimension + 2 * is_back + (orthant->sides >> dimension & 1))};
    assert(tree->place[local] == 0);
    if (add(tree, joined, failure) != FAIL_NONE)
        return failure->kind;
    tree->place[local] = tree->nodes;
    return FAIL_NONE;
}

enum failure_kind orthant_connect(struct orthant *orthant, uint32_t from, uint32_t local,
                                  struct failure *failure)
{
    struct tree *tree = orthant->tree;
    for (uint32_t i = 0; i < tree->topology->shape.dimensions; i++) {
        uint32_t at = orthant_at(orthant, tree->node[from].local, i);
        uint32_t to = orthant_at(orthant, local, i);
        for (uint32_t left = at < to ? to - at : at - to; left > 0; left--) {
            if (orthant_join(orthant, from, i, at > to, TREE_OTHER, failure) != FAIL_NONE)
                return failure->kind;
            from = tree->nodes - 1;
        }
    }
    return FAIL_NONE;
}

/* ---- orthants ---- */

/* The place of the corner of an orthant, which joins if it has not, as do those before it. corner[] has their places. */
static enum failure_kind find_corner(struct tree *tree, uint32_t sides, int64_t *corner,
                                     struct failure *failure)
{
    uint32_t last = 0, dimensions = tree->topology->shape.dimensions;
    if (corner[sides] != NO_PLACE)
        return FAIL_NONE;
    for (uint32_t i = dimensions; --i > 0;)
        if (sides >> i & 1)
            last = i;
    uint32_t before = sides & ~(UINT32_C(1) << last);
    if (find_corner(tree, before, corner, failure) != FAIL_NONE)
        return failure->kind;
    struct tree_node node = {.node = node_at(tree, sides, 0),
                             .parent = (uint32_t)corner[before],
                             .link = TREE_WRAP,
                             .rank = (uint16_t)(last == 0 ? 0 : dimensions - last)};
    corner[sides] = tree->nodes;
    return add(tree, node, failure);
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

static enum failure_kind grow_orthant(struct orthant *orthant, tree_rule *rule,
                                      const struct scheme_choices *choices, struct failure *failure)
{
    struct tree *tree = orthant->tree;
    tree->place[0] = orthant->corner + 1;
    enum failure_kind kind = rule(orthant, choices, failure);
    tree->place[0] = 0;
    for (uint32_t i = orthant->first; i < tree->nodes; i++)
        tree->place[tree->node[i].local] = 0;
    return kind;
}

/* Grows the trees of all orthants; key[] has the destinations, sorted, and target[] has room for one orthant's. */
static enum failure_kind grow_all(struct tree *tree, const uint64_t *key, uint32_t *target,
                                  uint32_t keys, tree_rule *rule,
                                  const struct scheme_choices *choices, struct failure *failure)
{
    int64_t corner[ORTHANTS];
    bool is_mesh = tree->topology->shape.kind == TOPOLOGY_MESH;
    for (uint32_t i = 0; i < ORTHANTS; i++)
        corner[i] = is_mesh || i == 0 ? 0 : NO_PLACE;
    for (uint32_t i = 0; i < keys; i++)
        if (find_corner(tree, (uint32_t)(key[i] >> 32), corner, failure) != FAIL_NONE)
            return failure->kind;
    for (uint32_t i = 0; i < keys;) {
        uint32_t sides = (uint32_t)(key[i] >> 32);
        struct orthant orthant = orthant_of(tree, sides, (uint32_t)corner[sides]);
        for (; i < keys && key[i] >> 32 == sides; i++)
            target[orthant.targets++] = (uint32_t)key[i];
        orthant.target = target;
        if (grow_orthant(&orthant, rule, choices, failure) != FAIL_NONE)
            return failure->kind;
    }
    return FAIL_NONE;
}

/* ---- schemes ---- */

enum failure_kind tree_plan(const struct topology *topology, const struct multicast *multicast,
                            const struct scheme_choices *choices, tree_rule *rule,
                            struct plan *plan, struct failure *failure)
{
    uint32_t keys = multicast->destinations;
    struct tree tree = {.topology = topology, .source = multicast->source};
    uint64_t *key = memory_allocate(keys, sizeof *key);
    uint32_t *target = memory_allocate(keys, sizeof *target);
    tree.place = plan_marks(plan, topology->nodes);
    if (key == NULL || target == NULL || tree.place == NULL)
        fail_memory(failure, "the nodes of a tree");
    else
        add(&tree, (struct tree_node){.node = multicast->source}, failure);
    if (failure->kind == FAIL_NONE) {
        if (topology->shape.kind == TOPOLOGY_MESH)
            choose_sides(&tree, multicast);
        for (uint32_t i = 0; i < keys; i++)
            key[i] = key_of(&tree, multicast->destination[i]);
        qsort(key, keys, sizeof *key, compare_u64);
        if (grow_all(&tree, key, target, keys, rule, choices, failure) == FAIL_NONE)
            tree_unite(&tree, multicast, choices, plan, failure);
    }
    for (uint32_t i = 0; tree.place != NULL && i < tree.nodes; i++)
        tree.place[tree.node[i].node] = tree.place[tree.node[i].local] = 0;
    free(key);
    free(target);
    free(tree.node);
    return failure->kind;
}

enum failure_kind tree_check(const char *scheme, const struct topology *topology,
                             struct failure *failure)
{
    char shape[TOPOLOGY_TEXT_SIZE];
    if (topology->shape.kind != TOPOLOGY_GRAPH)
        return FAIL_NONE;
    shape_text(&topology->shape, shape);
    return fail(failure, FAIL_USAGE,
                "scheme %s cannot run on %s: it needs a mesh or torus; scheme ocms would do",
                scheme, shape);
}

const struct routing *tree_routing(const struct scheme_choices *choices)
{
    (void)choices;
    return &routing_link;
}

const struct routing *tree_routing_by_classes(const struct scheme_choices *choices)
{
    return choices->choice[TREE_CLASSES] == CLASSES_SIDES ? &routing_sides : &routing_link;
}
