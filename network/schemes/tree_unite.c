/* tree_unite.c - one tree of those of all orthants, as the worm of a plan.
 *
 * Method: one pass over the nodes in the order in which they joined keeps the first of those that
 * joined twice. One pass back drops nodes that lead to no destination, and puts each other node
 * into its parent's list of children; the nodes below it are in their lists by then, so the time of
 * its own part over one port is known. A last pass writes the stops in preorder.
 * Cost: O(n) per node of the tree in n dimensions, since a node has 3 n children at most; 28 bytes
 * each.
 *
 * With routing_sides each link gets its class (scheme.h), whose bit i is set if no way over it goes
 * up in dimension i < n - 1, before or after it. A way goes up or down in a dimension, not both, so
 * a bit that is set stays so along it: links of one class wait for links of the same class and of
 * classes with more bits. In one class links of dimension i < n - 1 go up if bit i is not set, else
 * down. So waits that came back in it would all be along dimension n - 1, for the next link
 * straight on, and these end at the border.
 *
 * The child with the most hops left is best first: if a child is before one that needs longer, both
 * change places and no time grows.
 */
#include "network/schemes/tree.h"

#include <assert.h>

enum { NONE = UINT32_MAX };

/* The facts of the node at each place. */
struct joint {
    uint32_t same;    /* the first place of the same node */
    uint32_t child;   /* the first one; NONE: none */
    uint32_t sibling; /* the next one of its parent's children; NONE: none */
    uint32_t time;    /* hops over one port until all below it have the message, since it has it */
    uint32_t stop;    /* its stop */
    bool is_destination;            /* takes a copy */
    uint8_t ups_before, ups_behind; /* dimensions in which ways to it, or from it, go up: bits */
};

struct union_of_trees {
    struct tree *tree;
    bool deepest_first, wraps_last, has_classes;
    struct joint *joint;
};

/* Makes nodes that joined twice one. place[] is by nodes' numbers now. */
static void merge(struct union_of_trees *all, const struct multicast *multicast)
{
    struct tree *tree = all->tree;
    for (uint32_t i = 0; i < tree->nodes; i++) {
        uint32_t *place = &tree->place[tree->node[i].node];
        *place = *place == 0 ? i + 1 : *place;
        all->joint[i] = (struct joint){.same = *place - 1, .child = NONE, .sibling = NONE};
    }
    for (uint32_t i = 0; i < multicast->destinations; i++) {
        assert(tree->place[multicast->destination[i]] > 0);
        all->joint[tree->place[multicast->destination[i]] - 1].is_destination = true;
    }
}

/* Returns the rank in the tree's own order: wraparound links first, or last, the stem, then by
 * ranks. */
static uint32_t own_order(const struct union_of_trees *all, uint32_t i)
{
    const struct tree_node *node = &all->tree->node[i];
    uint32_t kind = node->link == TREE_WRAP && all->wraps_last ? TREE_OTHER + 1 : node->link;
    return kind << 16 | node->rank;
}

static bool is_before(const struct union_of_trees *all, uint32_t one, uint32_t other)
{
    if (all->deepest_first && all->joint[one].time != all->joint[other].time)
        return all->joint[one].time > all->joint[other].time;
    return own_order(all, one) < own_order(all, other);
}

static void add_child(struct union_of_trees *all, uint32_t parent, uint32_t child)
{
    uint32_t *next = &all->joint[parent].child;
    while (*next != NONE && is_before(all, *next, child))
        next = &all->joint[*next].sibling;
    all->joint[child].sibling = *next;
    *next = child;
}

/* Puts nodes that lead to destinations into their places. */
static void link_children(struct union_of_trees *all)
{
    for (uint32_t i = all->tree->nodes; i-- > 1;) {
        struct joint *joint = &all->joint[i];
        uint32_t sent = 0;
        if (!joint->is_destination &&
            joint->child == NONE) /* nor has a node that joined twice, except for its first place */
            continue;
        for (uint32_t child = joint->child; child != NONE; child = all->joint[child].sibling) {
            uint32_t time = ++sent + all->joint[child].time;
            joint->time = time > joint->time ? time : joint->time;
        }
        add_child(all, all->joint[all->tree->node[i].parent].same, i);
    }
}

/* ---- classes of links ---- */

/* Returns the dimension in which the link into the node at place i goes up, as a bit; 0: it goes
 * down. */
static uint32_t up_of(const struct union_of_trees *all, uint32_t i)
{
    const struct tree *tree = all->tree;
    uint32_t port =
        topology_port_to(tree->topology, tree->node[tree->node[i].parent].node, tree->node[i].node);
    return port % 2 == 0 ? UINT32_C(1) << port / 2 : 0;
}

/* Goes back over the nodes, in which each is after its parent, and forth again. */
static void find_ups(struct union_of_trees *all)
{
    struct joint *joint = all->joint;
    for (uint32_t i = all->tree->nodes; i-- > 0;)
        for (uint32_t child = joint[i].child; child != NONE; child = joint[child].sibling)
            joint[i].ups_behind |= (uint8_t)(joint[child].ups_behind | up_of(all, child));
    for (uint32_t i = 0; i < all->tree->nodes; i++)
        for (uint32_t child = joint[i].child; child != NONE; child = joint[child].sibling)
            joint[child].ups_before = (uint8_t)(joint[i].ups_before | up_of(all, child));
}

/* Returns the class of the link into a node, see above. */
static uint32_t class_of(const struct union_of_trees *all, const struct joint *joint)
{
    uint32_t dimensions = all->tree->topology->shape.dimensions;
    uint32_t ups = joint->ups_before | joint->ups_behind;
    return ~ups & ((UINT32_C(1) << (dimensions - 1)) - 1);
}

/* Writes the stops in preorder, going down to first children and over to siblings; returns their
 * number. */
static uint32_t write_stops(struct union_of_trees *all, struct stop *stop)
{
    struct joint *joint = all->joint;
    uint32_t stops = 0, at = 0;
    while (at != NONE) {
        joint[at].stop = stops;
        stop[stops++] = (struct stop){.node = all->tree->node[at].node,
                                      .is_destination = joint[at].is_destination};
        if (all->has_classes)
            stop[stops - 1].class = class_of(all, &joint[at]);
        if (joint[at].child != NONE) {
            at = joint[at].child;
            continue;
        }
        for (;;) {
            stop[joint[at].stop].span = stops - joint[at].stop;
            uint32_t sibling = joint[at].sibling;
            if (at == 0 || sibling != NONE) {
                at = at == 0 ? NONE : sibling;
                break;
            }
            at = joint[all->tree->node[at].parent].same;
        }
    }
    return stops;
}

void tree_unite(struct tree *tree, const struct planning *planning)
{
    struct plan *plan = planning->plan;
    const uint32_t *choice = planning->choices->choice;
    struct union_of_trees all = {.tree = tree,
                                 .deepest_first = choice[TREE_ORDER] == ORDER_DEEPEST,
                                 .wraps_last = choice[TREE_WRAPS] == WRAPS_LAST,
                                 .has_classes = plan->routing == &routing_sides,
                                 .joint = plan_scratch(plan, tree->nodes, sizeof *all.joint)};
    struct stop *stop = plan_scratch(plan, tree->nodes, sizeof *stop);
    if (plan->lacks_memory)
        return;
    merge(&all, planning->multicast);
    link_children(&all);
    if (all.has_classes)
        find_ups(&all);
    plan_add_tree(plan, planning->multicast->source, stop, write_stops(&all, stop));
}
