/* pattern_uniform.c - `uniform`: d random distinct destinations per message, at most c a node.
 *
 * With d <= c every node sends a message of d destinations, with d > c as many random nodes as c
 * allows: floor(c n / d). pattern_deal.c deals the destinations, on ranks each those of its messages; with d = c every node receives
 * exactly c.
 *
 * Cost: expected O(n (d + c)) time with d = c, 4 bytes per delivery and 16 bytes per node.
 */
#include "workloads/pattern_private.h"

#include "base/parallel.h"

#include <stdlib.h>

/* Chooses the sources of all messages: all nodes, or random ones (each so that every subset is equally likely: selection
 * sampling, which also keeps them ascending). Those at nodes first .. end - 1 go to source[], unless that is NULL; returns
 * how many there are below `end`. */
static uint32_t choose_sources(const struct deal *deal, struct pcg32 *random, node_index first,
                               node_index end, node_index *source)
{
    uint32_t nodes = deal->places, chosen = 0, own = 0, below_end = 0;
    for (node_index v = 0; v < nodes && chosen < deal->messages; v++) {
        if (deal->messages != nodes && pcg32_below(random, nodes - v) >= deal->messages - chosen)
            continue;
        chosen++;
        below_end += v < end;
        if (source != NULL && v >= first && v < end)
            source[own++] = v;
    }
    return below_end;
}

/* start[r]: the first message of rank r's nodes. */
static void find_starts(const struct deal *deal, struct pcg32 random, uint32_t *start)
{
    uint32_t ranks = ranks_size(deal->ranks);
    for (uint32_t rank = 1; rank < ranks; rank++) {
        struct pcg32 again = random;
        node_index end = parallel_band_start(deal->places, rank, ranks);
        start[rank] =
            deal->messages == deal->places ? end : choose_sources(deal, &again, 0, end, NULL);
    }
    start[ranks] = deal->messages;
}

static enum failure_kind make(const struct pattern_options *options, const struct deal *deal,
                              struct pcg32 *random, struct message_set *set,
                              struct failure *failure)
{
    uint32_t own = ranks_rank(deal->ranks), d = deal->degree;
    uint32_t messages = deal->start[own + 1] - deal->start[own];
    uint64_t all = (uint64_t)deal->messages * d;
    node_index first, end;
    pattern_part(options, deal->places, &first, &end);
    enum failure_kind kind = message_set_allocate(
        set, options->shape, messages, all < UINT32_MAX ? (uint64_t)messages * d : all, failure);
    if (kind != FAIL_NONE)
        return kind;
    choose_sources(deal, random, first, end, set->source);
    kind = deal_places(deal, random, set->destination, failure);
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

enum failure_kind pattern_uniform(const struct pattern_options *options, struct message_set *set,
                                  struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_UNIFORM);
    uint32_t nodes = mesh_nodes(options->mesh), d = options->degree, c = options->congestion;
    uint32_t *start = memory_allocate((size_t)ranks_size(options->ranks) + 1, sizeof *start);
    struct deal deal = {.places = nodes,
                        .messages = d <= c ? nodes : (uint32_t)((uint64_t)c * nodes / d),
                        .degree = d,
                        .congestion = c,
                        .ranks = options->ranks,
                        .start = start};
    if (start == NULL)
        return fail_memory(failure, "the messages of the ranks");
    find_starts(&deal, random, start);
    enum failure_kind kind = make(options, &deal, &random, set, failure);
    free(start);
    return kind;
}
