/* pattern_scan.c - `scan`: destinations that are met on a walk over the nodes, in the order of their numbers.
 *
 * The walk goes over all nodes but the source and takes each with probability d / n, until it has d; if it ends with
 * fewer, it starts afresh. Nodes with large numbers are met less often than others, as it seems in S. Wang's
 * figures (Efficient multicast routing algorithms for mesh-connected multicomputers, 2005), which say of their sets only that
 * they are random.
 *
 * Cost: O(n) time a walk, of which a message needs 3 at most in the mean; 8 bytes a delivery.
 */
#include "workloads/pattern_private.h"

/* Walks until d destinations of the source are met, and adds them. */
static void walk(struct pair_list *list, struct pcg32 *random, node_index source, uint32_t nodes,
                 uint32_t d)
{
    uint64_t begin = list->pairs;
    while (list->pairs - begin < d) {
        list->pairs = begin;
        for (node_index v = 0; v < nodes && list->pairs - begin < d; v++)
            if (v != source && pcg32_below(random, nodes) < d)
                pair_list_add(list, source, v);
    }
}

enum failure_kind pattern_scan(const struct pattern_options *options, struct message_set *set,
                               struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_SCAN);
    uint32_t nodes = mesh_nodes(options->mesh), d = options->degree;
    struct pair_list list;
    d = d < nodes ? d : nodes - 1;
    if (pair_list_open(&list, (uint64_t)options->congestion * d, failure) != FAIL_NONE)
        return failure->kind;
    for (node_index source = 0; source < options->congestion; source++)
        walk(&list, &random, source, nodes, d);
    return pair_list_close(&list, options->shape, set, failure);
}
