/* pattern_rmat.c - `rmat`: the edges of a power-law graph, thinned to degree d and congestion c.
 *
 * Edges are drawn by the recursive matrix method (Chakrabarti, Zhan and Faloutsos 2004): each bit
 * of source and target together falls into one of four quadrants with probabilities .57, .19, .19,
 * .05. Pairs beyond the mesh are drawn again, and a random permutation scatters the numbers over
 * the mesh, since otherwise all hubs would sit in its first rows. Repeated edges count once. Of a
 * message with more than d destinations random d are kept, then of a node with more than c messages
 * random c, both by selection sampling in one pass each, which keeps every order.
 *
 * Cost: O(n e log n) time for e = min(16, d, c) edges a node, 16 bytes an edge.
 */
#include "workloads/pattern_private.h"

#include <stdbool.h>
#include <stdlib.h>

enum { EDGES_A_NODE = 16 };

/* The quadrants' probabilities, summed, in units of 2^-16. */
static const uint32_t UPPER_LEFT = 37356, UPPER = 49807, UPPER_AND_LEFT = 62259;

/* Draws a pair below `nodes`, two bits of each from one random value. */
static void draw_edge(struct pcg32 *random, uint32_t nodes, uint32_t *from, uint32_t *to)
{
    do {
        uint32_t value = 0;
        bool fresh = false;
        *from = *to = 0;
        for (uint32_t reach = 1; reach < nodes; reach <<= 1) {
            value = fresh ? value >> 16 : pcg32_next(random);
            fresh = !fresh;
            uint32_t low = value & 0xffff; /* no branch depends on it: it could not be foretold */
            uint32_t quadrant =
                (uint32_t)(low >= UPPER_LEFT) + (low >= UPPER) + (low >= UPPER_AND_LEFT);
            *from = *from << 1 | quadrant >> 1;
            *to = *to << 1 | (quadrant & 1);
        }
    } while (*from >= nodes || *to >= nodes);
}

/* Leaves each message at most `degree` random ones of its destinations. */
static void thin_messages(struct message_set *set, uint32_t degree, struct pcg32 *random)
{
    uint64_t end = 0, first = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        uint64_t last = set->offset[i + 1];
        uint32_t keep = last - first < degree ? (uint32_t)(last - first) : degree;
        set->offset[i] = end;
        for (uint64_t j = first; j < last; j++) {
            uint32_t left = (uint32_t)(last - j);
            if (keep == left || pcg32_below(random, left) < keep) {
                set->destination[end++] = set->destination[j];
                keep--;
            }
        }
        first = last;
    }
    set->offset[set->messages] = end;
    set->deliveries = end;
}

/* Leaves each node at most `congestion` random ones of its messages, and no message empty. */
static enum failure_kind thin_nodes(struct message_set *set, uint32_t congestion,
                                    struct pcg32 *random, struct failure *failure)
{
    uint32_t nodes = shape_nodes(&set->shape), messages = 0;
    uint32_t *left = memory_allocate(nodes, sizeof *left);
    uint32_t *kept = memory_allocate(nodes, sizeof *kept);
    uint64_t end = 0, first = 0;
    if (left == NULL || kept == NULL) {
        free(left);
        free(kept);
        return fail_memory(failure, "counting messages at nodes");
    }
    for (uint64_t j = 0; j < set->deliveries; j++)
        left[set->destination[j]]++;
    for (uint32_t i = 0; i < set->messages; i++) {
        uint64_t last = set->offset[i + 1], begun = end;
        for (uint64_t j = first; j < last; j++) {
            node_index v = set->destination[j];
            uint32_t room = congestion - kept[v];
            if (left[v] <= room || pcg32_below(random, left[v]) < room) {
                set->destination[end++] = v;
                kept[v]++;
            }
            left[v]--;
        }
        first = last;
        set->source[messages] = set->source[i];
        set->offset[messages] = begun;
        messages += end > begun;
    }
    set->messages = messages;
    set->offset[messages] = end;
    set->deliveries = end;
    free(left);
    free(kept);
    return FAIL_NONE;
}

enum failure_kind pattern_rmat(const struct pattern_options *options, struct message_set *set,
                               struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_RMAT);
    uint32_t nodes = mesh_nodes(options->mesh), a_node = EDGES_A_NODE, from, to;
    struct pair_list list = {0};
    a_node = a_node < options->degree ? a_node : options->degree;
    a_node = a_node < options->congestion ? a_node : options->congestion;
    node_index *place = shuffled_numbers(&random, nodes);
    uint64_t edges = (uint64_t)nodes * a_node;
    enum failure_kind kind = pair_list_open(&list, edges, failure);
    if (kind == FAIL_NONE && place == NULL)
        kind = fail_memory(failure, "the nodes of a pattern");
    if (kind == FAIL_NONE) {
        for (uint64_t i = 0; i < edges; i++) {
            draw_edge(&random, nodes, &from, &to);
            pair_list_add(&list, place[from], place[to]);
        }
        kind = pair_list_close(&list, options->shape, set, failure);
    }
    if (kind == FAIL_NONE) {
        thin_messages(set, options->degree, &random);
        kind = thin_nodes(set, options->congestion, &random, failure);
        if (kind != FAIL_NONE)
            message_set_free(set);
    }
    free(list.from);
    free(list.to);
    free(place);
    return kind;
}
