/* pattern_uniform.c - `uniform`: d random distinct destinations per message, at most c a node.
 *
 * With d <= c every node sends a message of d destinations, with d > c as many random nodes as c
 * allows: floor(c n / d). pattern_deal.c deals the destinations; with d = c every node receives
 * exactly c.
 *
 * Cost: expected O(n (d + c)) time with d = c, 4 bytes per delivery and 16 bytes per node.
 */
#include "workloads/pattern_private.h"

/* Chooses the sources of all messages: all nodes, or random ones (each so that every subset is equally likely: selection
 * sampling, which also keeps them ascending). */
static void choose_sources(const struct deal *deal, struct pcg32 *random, node_index *source)
{
    uint32_t nodes = deal->places, chosen = 0;
    for (node_index v = 0; v < nodes && chosen < deal->messages; v++)
        if (deal->messages == nodes || pcg32_below(random, nodes - v) < deal->messages - chosen)
            source[chosen++] = v;
}

enum failure_kind pattern_uniform(const struct pattern_options *options, struct message_set *set,
                                  struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_UNIFORM);
    uint32_t nodes = mesh_nodes(options->mesh), d = options->degree, c = options->congestion;
    struct deal deal = {.places = nodes,
                        .messages = d <= c ? nodes : (uint32_t)((uint64_t)c * nodes / d),
                        .degree = d,
                        .congestion = c};
    enum failure_kind kind = message_set_allocate(set, options->shape, deal.messages,
                                                  (uint64_t)deal.messages * d, failure);
    if (kind != FAIL_NONE)
        return kind;
    choose_sources(&deal, &random, set->source);
    kind = deal_places(&deal, &random, set->destination, failure);
    if (kind != FAIL_NONE) {
        message_set_free(set);
        return kind;
    }
    for (uint32_t i = 0; i < deal.messages; i++) {
        set->offset[i] = (uint64_t)i * d;
        message_set_sort_nodes(set->destination + set->offset[i], d);
    }
    return FAIL_NONE;
}
