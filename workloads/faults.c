/* faults.c - draws the missing parts of a broken mesh, and fits message sets to the rest.
 *
 * Method: of nodes, and then of pairs of live neighbours, as many are drawn as the share gives,
 * every choice of so many being equally likely (selection sampling, in the order of numbers). A
 * search of the remaining parts (topology.h) finds the nodes that are cut off. The stand-in of a
 * node outside the main part is found by a search from all nodes of the main part at once over the
 * whole mesh.
 * Cost: O(nodes dimensions + deliveries log degree).
 */
#include "workloads/faults.h"

#include "base/numbers.h"
#include "base/pcg.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_FAULTS = 0x666c7401 }; /* of random values */

/* ---- faults ---- */

/* Draws the next one of `left` with the probability that makes all choices of `wanted` of them
 * equally likely. */
static bool draw(struct pcg32 *random, uint32_t *wanted, uint32_t *left)
{
    bool is_taken = *wanted > 0 && pcg32_below(random, *left) < *wanted;
    *wanted -= is_taken;
    --*left;
    return is_taken;
}

static uint32_t share_of(double share, uint32_t count)
{
    return (uint32_t)lround(share * count);
}

/* Returns the neighbour over a port if both nodes are alive and this is the first of both to see
 * the pair. */
static uint32_t pair_at(const struct topology *whole, const struct topology_faults *faults,
                        uint32_t node, uint32_t port)
{
    uint32_t to = topology_neighbour(whole, node, port);
    bool is_pair =
        to != TOPOLOGY_NO_NODE && to > node && !faults->is_dead[node] && !faults->is_dead[to];
    return is_pair ? to : TOPOLOGY_NO_NODE;
}

static void draw_faults(const struct topology *whole, const struct fault_shares *shares,
                        uint64_t seed, struct topology_faults *faults)
{
    struct pcg32 random = pcg32_seed(seed, STREAM_FAULTS);
    uint32_t left = whole->nodes, wanted = share_of(shares->nodes, left);
    for (uint32_t node = 0; node < whole->nodes; node++)
        faults->is_dead[node] = draw(&random, &wanted, &left);
    left = 0;
    for (uint32_t node = 0; node < whole->nodes; node++)
        for (uint32_t port = 0; port < whole->ports; port++)
            left += pair_at(whole, faults, node, port) != TOPOLOGY_NO_NODE;
    wanted = share_of(shares->links, left);
    for (uint32_t node = 0; node < whole->nodes; node++)
        for (uint32_t port = 0; port < whole->ports; port++) {
            uint32_t to = pair_at(whole, faults, node, port);
            if (to == TOPOLOGY_NO_NODE || !draw(&random, &wanted, &left))
                continue;
            faults->is_missing[topology_link(whole, node, port)] = true;
            faults->is_missing[topology_link(whole, to, topology_port_to(whole, to, node))] = true;
        }
}

static void write_faults(const struct topology *whole, const struct topology_faults *faults,
                         const struct topology *broken, const char *comment, FILE *out,
                         struct fault_counts *counts)
{
    *counts = (struct fault_counts){0};
    for (const char *line = comment; *line != '\0'; line += strspn(line, "\n")) {
        size_t length = strcspn(line, "\n");
        fprintf(out, "# %.*s\n", (int)length, line);
        line += length;
    }
    for (uint32_t node = 0; node < whole->nodes; node++) {
        bool is_cut_off = !faults->is_dead[node] && !topology_is_main(broken, node);
        counts->dead += faults->is_dead[node];
        counts->cut_off += is_cut_off;
        if (faults->is_dead[node] || is_cut_off)
            fprintf(out, "node %" PRIu32 "%s\n", node, is_cut_off ? " # cut off" : "");
    }
    for (uint32_t node = 0; node < whole->nodes; node++)
        for (uint32_t port = 0; port < whole->ports; port++) {
            uint32_t to = pair_at(whole, faults, node, port);
            if (to == TOPOLOGY_NO_NODE || !faults->is_missing[topology_link(whole, node, port)])
                continue;
            counts->pairs++;
            fprintf(out, "link %" PRIu32 " %" PRIu32 "\n", node, to);
        }
}

enum failure_kind faults_draw(const struct topology *whole, const struct fault_shares *shares,
                              uint64_t seed, const char *comment, FILE *out,
                              struct fault_counts *counts, struct failure *failure)
{
    struct topology_faults faults = {0};
    struct topology broken = *whole;
    struct failure nothing = {0};
    if (!topology_faults_make(&faults, whole)) {
        fail_memory(failure, "faults");
    } else {
        draw_faults(whole, shares, seed, &faults);
        if (topology_break_by(&broken, &faults, &nothing) == FAIL_INPUT)
            fail(failure, FAIL_USAGE, "--faults: %s; smaller shares would do", nothing.text);
        else if (nothing.kind != FAIL_NONE)
            fail_as(failure, &nothing);
        else
            write_faults(whole, &faults, &broken, comment, out, counts);
    }
    topology_faults_free(&faults);
    topology_free(&broken);
    return failure->kind;
}

/* ---- sets ---- */

enum failure_kind message_set_deal_to_main(struct message_set *set, const struct topology *topology,
                                           struct failure *failure)
{
    node_index *main = memory_allocate(topology_main_nodes(topology), sizeof *main);
    uint32_t count = 0;
    if (main == NULL)
        return fail_memory(failure, "the nodes that remain");
    for (uint32_t node = 0; node < topology->nodes; node++)
        if (topology_is_main(topology, node))
            main[count++] = node;
    for (uint32_t i = 0; i < set->messages; i++)
        set->source[i] = main[set->source[i]];
    for (uint64_t j = 0; j < set->deliveries; j++)
        set->destination[j] = main[set->destination[j]];
    free(main);
    set->shape = topology->shape;
    set->mesh = mesh_of_shape(&set->shape);
    return FAIL_NONE;
}

node_index *faults_stand_ins(const struct topology *topology)
{
    const struct topology whole = topology_of_shape(&topology->shape);
    node_index *stand_in = memory_allocate(whole.nodes, sizeof *stand_in);
    uint32_t *queue = memory_allocate(whole.nodes, sizeof *queue), queued = 0;
    bool has_memory = stand_in != NULL && queue != NULL;
    for (uint32_t node = 0; has_memory && node < whole.nodes; node++) {
        bool is_main = topology_is_main(topology, node);
        stand_in[node] = is_main ? node : TOPOLOGY_NO_NODE;
        if (is_main)
            queue[queued++] = node;
    }
    for (uint32_t next = 0; next < queued; next++)
        for (uint32_t port = 0; port < whole.ports; port++) {
            uint32_t to = topology_neighbour(&whole, queue[next], port);
            if (to == TOPOLOGY_NO_NODE || stand_in[to] != TOPOLOGY_NO_NODE)
                continue;
            stand_in[to] = stand_in[queue[next]];
            queue[queued++] = to;
        }
    free(queue);
    if (has_memory)
        return stand_in;
    free(stand_in);
    return NULL;
}

/* Writes the kept destinations of message i to destination[at ..], ascending; returns their end. */
static uint64_t keep_destinations(struct message_set *set, const struct topology *topology,
                                  uint32_t i, const uint32_t *stand_in, uint64_t at)
{
    uint64_t first = at, kept;
    for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
        node_index node = set->destination[j];
        if (stand_in != NULL || topology_is_main(topology, node))
            set->destination[at++] = stand_in != NULL ? stand_in[node] : node;
    }
    sort_u32(set->destination + first, at - first);
    kept = first;
    for (uint64_t j = first; j < at; j++)
        if (kept == first || set->destination[kept - 1] != set->destination[j])
            set->destination[kept++] = set->destination[j];
    return kept;
}

enum failure_kind message_set_keep_main(struct message_set *set, const struct topology *topology,
                                        bool moves, struct failure *failure)
{
    uint32_t messages = 0;
    node_index *stand_in = NULL;
    uint64_t at = 0;
    if (message_set_is_timed(set))
        return fail(failure, FAIL_USAGE,
                    "messages that wait for others cannot be taken out one by one; without "
                    "--algorithm the set can be drawn on a broken mesh");
    if (moves) {
        stand_in = faults_stand_ins(topology);
        if (stand_in == NULL)
            return fail_memory(failure, "the nodes that remain");
    }
    for (uint32_t i = 0; i < set->messages; i++) {
        uint64_t begin = at;
        if (topology_is_main(topology, set->source[i]))
            at = keep_destinations(set, topology, i, stand_in, at);
        if (at == begin)
            continue;
        set->source[messages] = set->source[i];
        if (set->length != NULL)
            set->length[messages] = set->length[i];
        set->offset[messages++] = begin;
    }
    set->offset[messages] = at;
    set->messages = messages;
    set->deliveries = at;
    free(stand_in);
    message_set_trim(set);
    return FAIL_NONE;
}
