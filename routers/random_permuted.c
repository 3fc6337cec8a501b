/* random_permuted.c - Step 1 of router `random` with groups of exact size.
 *
 * The paper draws each packet's group independently, and then spends sorting and prefixes on making
 * the groups equal. A random permutation of the nodes makes them equal at once: the packet of node
 * v goes to node p(v), so a tile gets at most one packet for each of its nodes, and which ones has
 * nothing to do with their destinations. With two packets per node (Lemma 1) each of the two layers
 * has a permutation of its own. A later phase permutes anew, by the nodes that named their seats, to
 * which packets have gone back.
 *   Lemmas 2 and 3 hold as they do in the paper: the packets of a set that come into one group have
 * the moments' bound of independent ones (primitives/mesh_permutation.c), so the same bounds on tails
 * hold, without the factor 2 of the segments. (The exact tails of random_lemmas.c are those of the paper's
 * groups.)
 *
 * Steps, proven for every set and seed (primitives/public_traffic.c): 2 m - 2 at most, or 2 m with two
 * layers, less where the seed's own count says so, and no synchronisation. Buffer, proven: 6 packets, 9
 * with two layers. Both are enforced.
 * Source: Section 4, Step 1, of the paper; Luby and Rackoff 1988 for the permutations.
 */
#include "primitives/mesh_permutation.h"
#include "primitives/public_traffic.h"
#include "routers/random_private.h"

#include <stdlib.h>

enum { STREAM_GROUPS = 0x67726f75, LAYERS = 4 };

static node_place place_at(struct mesh mesh, node_index node)
{
    return place_of(node / mesh.cols, node % mesh.cols);
}

/* Every packet's target: the image of the node that it names, by the permutation of its layer. All that
 * may go are counted. */
static enum failure_kind draw_targets(struct random_run *run, struct traffic *traffic,
                                      struct failure *failure)
{
    struct mesh mesh = run->routing->set->mesh;
    enum failure_kind kind = traffic_make(traffic, mesh, (struct traffic_way){0},
                                          run->layers * mesh_nodes(mesh), failure);
    for (uint32_t layer = 0; kind == FAIL_NONE && layer < run->layers; layer++) {
        struct mesh_permutation permutation;
        uint64_t stream = STREAM_GROUPS + LAYERS * run->drawn + layer;
        kind =
            mesh_permutation_make(&permutation, run->routing->options->seed, stream, mesh, failure);
        struct node_range own = machine_nodes(run->machine);
        for (node_index node = 0; kind == FAIL_NONE && node < mesh_nodes(mesh); node++) {
            node_place from = place_at(mesh, node);
            traffic_add(traffic, from, mesh_permutation_at(&permutation, from));
        }
        for (node_index node = own.first; kind == FAIL_NONE && node < own.end; node++)
            for (uint32_t packet = machine_first_resting(run->machine, node);
                 packet != MACHINE_NONE; packet = machine_next_resting(run->machine, packet))
                if (random_layer(run->header, packet) == layer)
                    run->header->packet[packet].target =
                        mesh_permutation_at(&permutation, run->header->packet[packet].target);
        mesh_permutation_free(&permutation);
    }
    return kind;
}

enum failure_kind random_groups_permuted(struct random_run *run, struct failure *failure)
{
    char name[MACHINE_NAME_SIZE];
    struct traffic traffic;
    struct traffic_bounds bounds;
    enum failure_kind kind = draw_targets(run, &traffic, failure);
    if (kind == FAIL_NONE)
        kind = traffic_bound(&traffic, &bounds, failure);
    traffic_free(&traffic);
    snprintf(name, sizeof name, "scatter (phase %u)", run->phase);
    if (kind == FAIL_NONE)
        kind = traffic_route(run->machine, name, &bounds, false, failure);
    if (kind != FAIL_NONE)
        return kind;
    snprintf(name, sizeof name, "take seats (phase %u)", run->phase);
    machine_begin_phase(run->machine, name);
    return random_settle(run, failure);
}

/* ---- choices ---- */

/* Of a run's first phase. */
struct random_choices {
    struct random_run run; /* its tiles, cycle and variant */
    struct mesh_permutation groups;
};

static struct handover handover(const void *own, node_place source, node_place destination)
{
    const struct random_choices *choices = own;
    const struct tile_cycle *cycle = &choices->run.cycle;
    node_place start = mesh_permutation_at(&choices->groups, source);
    struct seat seat = tile_cycle_seat(cycle, start);
    bool goes_forward = seat.goes_forward || !choices->run.variant->goes_both_ways;
    uint32_t from = tile_cycle_position(cycle, start), to = tile_cycle_position(cycle, destination);
    node_place home = tile_cycle_home(cycle, to, seat.cell);
    return (struct handover){.home = home,
                             .visit = tile_cycle_distance(cycle, from, to, goes_forward),
                             .group = 2 * from + !goes_forward,
                             .row_first = (place_row(home) + place_col(home)) % 2 == 0};
}

static void release(void *own)
{
    struct random_choices *choices = own;
    random_uncut(&choices->run);
    mesh_permutation_free(&choices->groups);
    free(own);
}

enum failure_kind random_permuted_choose(const struct random_run *run,
                                         struct router_choices *choices, struct failure *failure)
{
    struct random_choices *own = memory_allocate(1, sizeof *own);
    if (own == NULL)
        return fail_memory(failure, "the choices of a router");
    *choices = (struct router_choices){.handover = handover, .own = own, .release = release};
    own->run = *run;
    enum failure_kind kind = random_cut(&own->run, failure);
    if (kind == FAIL_NONE)
        kind = mesh_permutation_make(&own->groups, run->routing->options->seed, STREAM_GROUPS,
                                     run->routing->set->mesh, failure);
    if (kind != FAIL_NONE)
        return kind;
    choices->tiles = &own->run.tiles;
    choices->visits = own->run.cycle.count;
    choices->groups = 2 * own->run.cycle.count;
    return FAIL_NONE;
}
