/* random_permuted.c - Step 1 of router `random` with groups of exact size (groups=permutation).
 *
 * The paper draws each packet's group independently, and then spends sorting and prefixes on making
 * the groups equal. A random permutation of the nodes makes them equal at once: the packet of node
 * v goes to node p(v), so a tile gets at most one packet for each of its nodes, and which ones has
 * nothing to do with their destinations. With two packets a node (Lemma 1) each of the two layers
 * has a permutation of its own. A later phase permutes anew, by the nodes that named their seats.
 *   Lemmas 2 and 3 hold as they do in the paper: to be drawn without replacement makes the packets
 * for a block only rarer together in a group (negative association), so the same bounds on tails
 * hold, without the factor 2 of the segments.
 *
 * Steps: measured, about 2 m for a layer (primitives/unicast_credits.c), and a synchronisation.
 * Buffer: 8 packets on their way and those that rest.
 * Source: Section 4, Step 1, of the paper; Luby and Rackoff 1988 for the permutation.
 */
#include "routers/random_private.h"
#include "routers/scatter.h"

enum { STREAM_GROUPS = 0x67726f75, LAYERS = 4 };

enum failure_kind random_groups_permuted(struct random_run *run, struct failure *failure)
{
    struct mesh mesh = run->routing->set->mesh;
    struct keyed_permutation permutation[LAYERS];
    char name[MACHINE_NAME_SIZE];
    for (uint32_t layer = 0; layer < LAYERS; layer++)
        permutation[layer] =
            keyed_permutation_make(run->routing->options->seed,
                                   STREAM_GROUPS + LAYERS * run->phase + layer, mesh_nodes(mesh));
    for (node_index node = 0; node < mesh_nodes(mesh); node++)
        for (uint32_t packet = machine_first_resting(run->machine, node); packet != MACHINE_NONE;
             packet = machine_next_resting(run->machine, packet)) {
            node_place from = run->header->packet[packet].target;
            node_index image = keyed_permutation_at(&permutation[random_layer(run->header, packet)],
                                                    place_row(from) * mesh.cols + place_col(from));
            run->header->packet[packet].target = site_place(machine_site(run->machine, image));
        }
    snprintf(name, sizeof name, "%u.1 scatter", run->phase);
    enum failure_kind kind = scatter_to_targets(run->routing, name, failure);
    snprintf(name, sizeof name, "%u.1 seats", run->phase);
    machine_begin_phase(run->machine, name);
    return kind == FAIL_NONE ? random_settle(run, failure) : kind;
}
