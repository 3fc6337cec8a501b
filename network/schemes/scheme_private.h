/* scheme_private.h - the schemes, for their table, and what they share. */
#ifndef MESHCAST_NETWORK_SCHEMES_SCHEME_PRIVATE_H
#define MESHCAST_NETWORK_SCHEMES_SCHEME_PRIVATE_H

#include "network/schemes/scheme.h"

extern const struct scheme scheme_unicast, scheme_u_mesh, scheme_dual, scheme_lin, scheme_multi,
    scheme_ocms, scheme_otms, scheme_two_port, scheme_d_port, scheme_best, scheme_pure,
    scheme_minimal, scheme_column, scheme_schl, scheme_vh, scheme_diag, scheme_dds, scheme_min,
    scheme_xy_path;

/* The first parameter of schemes that are made of unicasts: the words of ROUTING_WORDS. */
enum { ROUTING_X_FIRST, ROUTING_LABEL };
#define ROUTING_WORDS                                                                              \
    {                                                                                              \
        "x-first", "label", "west-first", "odd-even"                                               \
    }

static inline const struct routing *scheme_chosen_routing(const struct scheme_choices *choices)
{
    static const struct routing *const routing[] = {&routing_x_first, &routing_label,
                                                    &routing_west_first, &routing_odd_even};
    return routing[choices->choice[0]];
}

/* The routing of schemes whose worms always go by labels. */
static inline const struct routing *scheme_label_routing(const struct scheme_choices *choices)
{
    (void)choices;
    return &routing_label;
}

/* Whether all ways by labels are known to be shortest ones. */
bool route_label_is_shortest(const struct topology *topology);

/* The routing of schemes whose worms always go by dimensions. */
static inline const struct routing *scheme_x_first_routing(const struct scheme_choices *choices)
{
    (void)choices;
    return &routing_x_first;
}

/* The first parameter of schemes whose worms visit what a way of their base routing passes. */
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

/* The nodes of a multicast in the order of their keys. */
struct chain {
    uint32_t count, source; /* source: its place */
    uint32_t *node;
};

/* A number below topology->nodes, another one for each node. */
typedef uint32_t chain_key(const struct topology *topology, const struct multicast *multicast,
                           uint32_t node);

/* Sorts the source and its destinations. FAIL_SYSTEM: no memory. */
enum failure_kind chain_make(struct chain *chain, const struct topology *topology,
                             const struct multicast *multicast, chain_key *key,
                             struct failure *failure);
void chain_free(struct chain *chain);

/* Turns the order of nodes round. */
void chain_reverse(uint32_t *node, uint32_t count);

/* The key of coordinates, of which dimension 0 counts most; on tori they are counted from the source round the rings. */
uint32_t chain_x_first(const struct topology *topology, const struct multicast *multicast,
                       uint32_t node);

/* Returns the steps of `two-port` from a source with `below` destinations of smaller labels and `above` of larger ones. */
uint32_t two_port_steps(uint32_t below, uint32_t above);

/* The key of labels. */
uint32_t chain_label(const struct topology *topology, const struct multicast *multicast,
                     uint32_t node);

/* ---- meshes of one or two dimensions: x grows east, y grows north ---- */

static inline uint32_t mesh_2d_x(const struct topology *topology, uint32_t node)
{
    return topology_coordinate(topology, node, 0);
}

/* A mesh of one dimension is a single row. */
static inline uint32_t mesh_2d_y(const struct topology *topology, uint32_t node)
{
    return topology->shape.dimensions > 1 ? topology_coordinate(topology, node, 1) : 0;
}

/* FAIL_USAGE, in the name of the scheme: the topology is no mesh. */
enum failure_kind mesh_check(const char *scheme, const struct topology *topology,
                             struct failure *failure);

/* FAIL_USAGE, in the name of the scheme: the topology is no mesh of one or two dimensions. */
enum failure_kind mesh_2d_check(const char *scheme, const struct topology *topology,
                                struct failure *failure);

#endif
