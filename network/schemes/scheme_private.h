/* scheme_private.h - the schemes, for their table, and their common functions. */
#ifndef MESHCAST_NETWORK_SCHEMES_SCHEME_PRIVATE_H
#define MESHCAST_NETWORK_SCHEMES_SCHEME_PRIVATE_H

#include "base/numbers.h"
#include "network/schemes/scheme.h"

extern const struct scheme scheme_unicast, scheme_u_mesh, scheme_dual, scheme_lin, scheme_multi,
    scheme_ocms, scheme_otms, scheme_two_port, scheme_d_port, scheme_best, scheme_pure,
    scheme_minimal, scheme_column, scheme_schl, scheme_vh, scheme_diag, scheme_dds, scheme_min,
    scheme_xy_path;

/* The first parameter of schemes that are made of unicasts: the words of ROUTING_WORDS. */
enum { ROUTING_X_FIRST, ROUTING_LABEL, ROUTING_UP_DOWN = 4 };
#define ROUTING_WORDS                                                                              \
    {                                                                                              \
        "x-first", "label", "west-first", "odd-even", "up-down"                                    \
    }

static inline const struct routing *scheme_chosen_routing(const struct scheme_choices *choices)
{
    static const struct routing *const routing[] = {
        &routing_x_first, &routing_label, &routing_west_first, &routing_odd_even, &routing_up_down};
    return routing[choices->choice[0]];
}

/* Returns the routing of schemes whose worms always go by labels. */
static inline const struct routing *scheme_label_routing(const struct scheme_choices *choices)
{
    (void)choices;
    return &routing_label;
}

/* True if all ways by labels are known to be shortest ones. */
bool route_label_is_shortest(const struct topology *topology);

/* Returns the distance of the labels of two nodes. */
static inline uint32_t label_distance(const struct topology *topology, uint32_t one, uint32_t other)
{
    return difference(topology_label(topology, one), topology_label(topology, other));
}

/* Lists the neighbours of a node with larger labels (`grows`) or smaller ones, the nearest label
 * first, at most `most` of them; returns their number. */
uint32_t route_label_ports(const struct topology *topology, uint32_t node, bool grows,
                           uint32_t *neighbour, uint32_t most);

/* Returns the next node on the way by labels. */
uint32_t route_label_next(const struct topology *topology, uint32_t node, uint32_t target);

/* Returns the routing of schemes whose worms always go by dimensions. */
static inline const struct routing *scheme_x_first_routing(const struct scheme_choices *choices)
{
    (void)choices;
    return &routing_x_first;
}

/* Returns the routing of schemes whose worms name each node on their way. */
static inline const struct routing *scheme_link_routing(const struct scheme_choices *choices)
{
    (void)choices;
    return &routing_link;
}

/* The first parameter of schemes whose worms visit the nodes that a way of their base routing
 * passes. */
enum { BASE_NEGATIVE_FIRST, BASE_NEGATIVE_FIRST_FIXED, BASE_X_FIRST };
#define BASE_WORDS                                                                                 \
    {                                                                                              \
        "negative-first", "negative-first-fixed", "x-first"                                        \
    }
#define BASE_HELP                                                                                  \
    "the base routing; a header takes any free link on its way, or with fixed waits for the first"

static inline const struct routing *scheme_base_routing(const struct scheme_choices *choices)
{
    static const struct routing *const routing[] = {
        &routing_negative_first, &routing_negative_first_fixed, &routing_x_first};
    return routing[choices->choice[0]];
}

/* ---- plans ---- */

/* Removes worms and stops. */
void plan_empty(struct plan *plan);

void plan_free_scratch(struct plan *plan);

/* Adds a worm past destinations that leaves over a neighbour of the sender and goes by labels from
 * there: its first stop is that neighbour, without a copy, unless label routing goes there
 * anyway. */
void plan_add_path_over(const struct planning *planning, uint32_t sender, uint32_t over,
                        const uint32_t *node, uint32_t count);

/* Adds a worm to one destination by a path up, then down. */
void plan_add_up_down(const struct planning *planning, uint32_t sender, uint32_t node);

/* ---- chains ---- */

/* The nodes of a multicast in the order of their keys; none if the plan lacks memory. */
struct chain {
    uint32_t count, source; /* source: its place */
    uint32_t *node;
};

/* A number below topology->nodes, another one for each node. */
typedef uint32_t chain_key(const struct topology *topology, const struct multicast *multicast,
                           uint32_t node);

/* Sorts the source and its destinations, in scratch memory of the plan. */
struct chain chain_make(const struct planning *planning, chain_key *key);

/* Turns the order of nodes round. */
void chain_reverse(uint32_t *node, uint32_t count);

/* Returns the key of coordinates, of which dimension 0 is the most significant; on tori they are
 * counted from the source round the rings. */
uint32_t chain_x_first(const struct topology *topology, const struct multicast *multicast,
                       uint32_t node);

/* Returns the key of labels. */
uint32_t chain_label(const struct topology *topology, const struct multicast *multicast,
                     uint32_t node);

/* Members low .. high of a chain, of which `holder` has the message. `over`: the neighbour of its
 * sender over which it came, or TOPOLOGY_NO_NODE. */
struct subchain {
    uint32_t low, high, holder, over;
};

static inline struct subchain chain_whole(const struct chain *chain)
{
    return (struct subchain){0, chain->count - 1, chain->source, TOPOLOGY_NO_NODE};
}

/* Cuts parts off a subchain, which its holder hands over in one step; returns their number. */
enum { CHAIN_PARTS = 32 };
typedef uint32_t chain_cut(void *context, struct subchain *mine, struct subchain part[CHAIN_PARTS]);

/* Adds the worms of a tree of unicasts: a member's in the order of its steps, after the one that it
 * receives. Returns the number of steps, which is the depth of recursion. */
uint32_t chain_serve(const struct planning *planning, const struct chain *chain,
                     struct subchain mine, chain_cut *cut, void *context);

/* Returns the steps of `two-port`. */
uint32_t two_port_steps(struct subchain mine);

/* ---- meshes of one or two dimensions: x grows east, y grows north ---- */

static inline uint32_t mesh_2d_x(const struct topology *topology, uint32_t node)
{
    return topology_coordinate(topology, node, 0);
}

/* Returns the row; a mesh of one dimension is a single row. */
static inline uint32_t mesh_2d_y(const struct topology *topology, uint32_t node)
{
    return topology->shape.dimensions > 1 ? topology_coordinate(topology, node, 1) : 0;
}

#endif
