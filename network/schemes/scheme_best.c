/* scheme_best.c - the candidates of `best`, of which runs find the fastest (network/best.h).
 *
 * `best` makes no plans, since the fastest scheme depends on all other messages. All messages of a
 * run use one candidate, so worms of different routings never meet.
 */
#include "network/schemes/scheme_private.h"

static const struct scheme_candidate candidates[] = {
    {&scheme_column, {{0}}},
    {&scheme_schl, {{0}}},
    {&scheme_minimal, {{0}}},
    {&scheme_pure, {{0}}},
    {&scheme_u_mesh, {{ROUTING_X_FIRST}}},
    {&scheme_unicast, {{ROUTING_X_FIRST}}},
    {&scheme_otms, {{0}}},
    {&scheme_ocms, {{0}}},
    {&scheme_multi, {{0}}},
    {&scheme_dual, {{0}}},
    {&scheme_d_port, {{0}}},
    {&scheme_two_port, {{0}}},
    {&scheme_u_mesh, {{ROUTING_LABEL}}},
    {&scheme_vh, {{0}}},
    {&scheme_diag, {{0}}},
    {&scheme_dds, {{0}}},
    {&scheme_min, {{0}}},
    {&scheme_u_mesh, {{ROUTING_UP_DOWN}}},
    {&scheme_unicast, {{ROUTING_UP_DOWN}}},
    {&scheme_vh, {{0, 0, 1}}},
};

enum { CANDIDATES = sizeof candidates / sizeof candidates[0], OF_BROKEN = 3 /* the last ones */ };

const struct scheme_candidate *scheme_candidate_at(const struct topology *topology, uint32_t index)
{
    uint32_t count = topology_is_broken(topology) ? CANDIDATES : CANDIDATES - OF_BROKEN;
    return index < count ? &candidates[index] : NULL;
}

const struct scheme scheme_best = {
    .name = "best",
    .summary = "the fastest of the others, for `network` and `load`, which run them all",
    .routing = scheme_label_routing,
};
