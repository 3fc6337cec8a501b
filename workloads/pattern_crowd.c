/* pattern_crowd.c - `hotspot` and `broadcast`: few nodes that receive much, few messages that go
 * everywhere.
 *
 * `hotspot`: random hot nodes, min(floor(sqrt n), floor(n d / c)) of them, receive c messages each,
 * dealt out in turn over the nodes in a random order: no message meets a hot node twice since
 * c <= n, and none serves more than d of them. A message that has room left goes to one ordinary
 * node as well, its image under a random permutation, unless that is a hot one.
 *
 * `broadcast`: c messages from random nodes, each to all nodes or to d random ones, drawn by the
 * first d steps of a shuffle.
 *
 * Cost: O(n + deliveries) time and memory.
 */
#include "workloads/pattern_private.h"

#include <stdlib.h>

/* The number of hot nodes. */
static uint32_t hot_nodes(const struct pattern_options *options)
{
    uint32_t nodes = mesh_nodes(options->mesh), root = whole_root(nodes);
    uint64_t fits = (uint64_t)nodes * options->degree / options->congestion;
    return root < fits ? root : (uint32_t)fits;
}

enum failure_kind pattern_hotspot(const struct pattern_options *options, struct message_set *set,
                                  struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_HOTSPOT);
    uint32_t nodes = mesh_nodes(options->mesh), hot = hot_nodes(options);
    uint64_t deals = (uint64_t)hot * options->congestion;
    uint64_t rounds = deals / nodes,
             rest = deals % nodes; /* the first `rest` nodes serve one more */
    struct pair_list list = {0};
    node_index *source = shuffled_numbers(&random, nodes);
    node_index *target = shuffled_numbers(&random, nodes); /* the first ones are hot */
    node_index *image = shuffled_numbers(&random, nodes);
    enum failure_kind kind = pair_list_open(&list, deals + nodes, failure);
    if (kind == FAIL_NONE && (source == NULL || target == NULL || image == NULL))
        kind = fail_memory(failure, "the nodes of a pattern");
    if (kind != FAIL_NONE)
        goto done;
    for (uint64_t i = 0; i < deals; i++)
        pair_list_add(&list, source[i % nodes], target[i / options->congestion]);
    for (uint32_t i = 0; i < nodes; i++)
        if (image[i] >= hot && rounds + (i < rest) < options->degree)
            pair_list_add(&list, source[i], target[image[i]]);
    kind = pair_list_close(&list, options->shape, set, failure);
done:
    free(list.from);
    free(list.to);
    free(source);
    free(target);
    free(image);
    return kind;
}

enum failure_kind pattern_broadcast(const struct pattern_options *options, struct message_set *set,
                                    struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_BROADCAST);
    uint32_t nodes = mesh_nodes(options->mesh), d = options->degree, c = options->congestion;
    struct pair_list list = {0};
    node_index *source = shuffled_numbers(&random, nodes);
    node_index *target = shuffled_numbers(&random, nodes);
    enum failure_kind kind = pair_list_open(&list, (uint64_t)c * d, failure);
    if (kind == FAIL_NONE && (source == NULL || target == NULL))
        kind = fail_memory(failure, "the nodes of a pattern");
    if (kind != FAIL_NONE)
        goto done;
    for (uint32_t i = 0; i < c; i++) {
        if (d < nodes)
            shuffle_front(&random, target, nodes, d);
        for (uint32_t j = 0; j < d; j++)
            pair_list_add(&list, source[i], target[j]);
    }
    kind = pair_list_close(&list, options->shape, set, failure);
done:
    free(list.from);
    free(list.to);
    free(source);
    free(target);
    return kind;
}
