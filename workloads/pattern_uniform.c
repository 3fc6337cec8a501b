/* pattern_uniform.c - `uniform`: d random distinct destinations a message, at most c a node.
 *
 * With d <= c every node sends a message of d destinations, with d > c as many random nodes as c
 * allows: floor(c n / d). pattern_deal.c deals the destinations; with d = c every node receives
 * exactly c.
 *
 * Cost: expected O(n (d + c)) time with d = c, 4 bytes a delivery and 16 bytes a node.
 */
#include "workloads/pattern_private.h"

/* Fills the set's sources: all nodes, or random ones (each so that every subset is equally
 * likely: selection sampling, which also keeps them ascending). */
static void choose_sources(struct message_set *set, struct pcg32 *random)
{
    uint32_t nodes = shape_nodes(&set->shape), chosen = 0;
    for (node_index v = 0; v < nodes && chosen < set->messages; v++)
        if (set->messages == nodes || pcg32_below(random, nodes - v) < set->messages - chosen)
            set->source[chosen++] = v;
}

enum failure_kind pattern_uniform(const struct pattern_options *options, struct message_set *set,
                                  struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_UNIFORM);
    uint32_t nodes = mesh_nodes(options->mesh), d = options->degree, c = options->congestion;
    uint32_t messages = d <= c ? nodes : (uint32_t)((uint64_t)c * nodes / d);
    struct deal deal = {.places = nodes, .messages = messages, .degree = d, .congestion = c};
    enum failure_kind kind =
        message_set_allocate(set, options->shape, messages, (uint64_t)messages * d, failure);
    if (kind != FAIL_NONE)
        return kind;
    choose_sources(set, &random);
    kind = deal_places(&deal, &random, set->destination, failure);
    if (kind != FAIL_NONE) {
        message_set_free(set);
        return kind;
    }
    for (uint32_t i = 0; i < messages; i++) {
        set->offset[i] = (uint64_t)i * d;
        message_set_sort_nodes(set->destination + set->offset[i], d);
    }
    return FAIL_NONE;
}
