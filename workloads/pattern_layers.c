/* pattern_layers.c - l messages per node: l sets of a pattern, one over the other.
 *
 * Each layer is the pattern with one message per node and a congestion of floor(c / l), so that a node receives at most c
 * in all. The first layer has the seed itself, others have seeds drawn from it; a pattern that draws nothing
 * gives the same messages l times. `worst` stays Theorem 1's instance: its square has about l n / c nodes, and
 * each of them receives c messages.
 * Method: the layers are made one by one; then each message goes to its place, by source and layer, by counts a node.
 * Cost: that of l sets, 4 bytes per delivery and 16 a message twice, and a count a node.
 */
#include "workloads/pattern_private.h"

#include <stdlib.h>
#include <string.h>

static uint64_t seed_of_layer(uint64_t seed, uint32_t layer)
{
    struct pcg32 random = pcg32_seed(seed, STREAM_LAYERS);
    pcg32_advance(&random, 2 * (uint64_t)layer);
    uint64_t upper = pcg32_next(&random);
    return layer == 0 ? seed : upper << 32 | pcg32_next(&random);
}

/* next[v]: the first message of node v; moves on with each. Deliveries of the messages go to offset[] in the same
 * order. */
static void place_layer(struct message_set *set, const struct message_set *layer, uint32_t *next,
                        uint64_t *at)
{
    for (uint32_t i = 0; i < layer->messages; i++) {
        uint64_t first = layer->offset[i], count = layer->offset[i + 1] - first;
        node_index source = layer->source[i];
        uint32_t message = next[source]++;
        set->source[message] = source;
        set->offset[message] = at[source];
        memcpy(set->destination + at[source], layer->destination + first,
               count * sizeof *layer->destination);
        at[source] += count;
    }
}

static enum failure_kind join(struct message_set *set, const struct message_set *layer,
                              uint32_t layers, struct failure *failure)
{
    uint32_t nodes = shape_nodes(&layer->shape), message = 0;
    uint64_t messages = 0, deliveries = 0, delivery = 0;
    uint32_t *next = memory_allocate(nodes, sizeof *next);
    uint64_t *at = memory_allocate(nodes, sizeof *at);
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t j = 0; j < layers; j++) {
        messages += layer[j].messages;
        deliveries += layer[j].deliveries; /* no fewer than messages */
    }
    if (next == NULL || at == NULL)
        kind = fail_memory(failure, "the messages of the nodes");
    if (kind == FAIL_NONE)
        kind = message_set_allocate(set, layer->shape, (uint32_t)messages, deliveries, failure);
    for (uint32_t j = 0; j < layers && kind == FAIL_NONE; j++)
        for (uint32_t i = 0; i < layer[j].messages; i++) {
            next[layer[j].source[i]]++;
            at[layer[j].source[i]] += layer[j].offset[i + 1] - layer[j].offset[i];
        }
    for (uint32_t v = 0; v < nodes && kind == FAIL_NONE; v++) {
        uint32_t here = next[v];
        uint64_t to = at[v];
        next[v] = message;
        at[v] = delivery;
        message += here;
        delivery += to;
    }
    for (uint32_t j = 0; j < layers && kind == FAIL_NONE; j++)
        place_layer(set, &layer[j], next, at);
    free(next);
    free(at);
    return kind;
}

enum failure_kind pattern_layers(const struct pattern_options *options, pattern_make *make,
                                 struct message_set *set, struct failure *failure)
{
    uint32_t layers = options->per_node;
    struct message_set *layer = memory_allocate(layers, sizeof *layer);
    if (layer == NULL)
        return fail_memory(failure, "the layers of a pattern");
    enum failure_kind kind = FAIL_NONE;
    for (uint32_t j = 0; j < layers && kind == FAIL_NONE; j++) {
        struct pattern_options one = *options;
        one.seed = seed_of_layer(options->seed, j);
        kind = make(&one, &layer[j], failure);
    }
    if (kind == FAIL_NONE)
        kind = join(set, layer, layers, failure);
    for (uint32_t j = 0; j < layers; j++)
        message_set_free(&layer[j]);
    free(layer);
    return kind;
}
