/* pattern_scan.c - `scan`: destinations that are met on a walk over the nodes, in the order of their numbers.
 *
 * The walk goes over all nodes but the source and takes each with probability d / n, until it has d; if it ends with
 * fewer, it starts afresh. Nodes with large numbers are met less often than others, as it seems in S. Wang's figures
 * (Efficient multicast routing algorithms for mesh-connected multicomputers, 2005), which say of their sets only that
 * they are random.
 *   Method: a walk does not look at the nodes that it passes. How many it passes before it takes one is drawn at once, by
 * a table of the chances to pass k nodes or more: q^k, q = 1 - d / n, in units of 2^-32. Of a walk that passes as many as
 * the table has the rest is drawn anew, since no node knows how many were passed before it.
 *
 * Cost: O(log(n / d)) time a node that is taken, and a message takes 3 d at most in the mean; 8 bytes per delivery, 4 bytes
 * for each of 2 n / d places of the table.
 */
#include "base/numbers.h"
#include "workloads/pattern_private.h"

#include <stdlib.h>

/* pass[k - 1]: the chance, in units of 2^-32, that k nodes or more are passed before one is taken. */
struct gaps {
    uint32_t count, *pass; /* [count] */
};

/* The products are rounded to the nearest of 2^-37, so that their errors do not add up. */
static enum failure_kind gaps_make(struct gaps *gaps, uint32_t nodes, uint32_t d,
                                   struct failure *failure)
{
    enum { MORE_BITS = 5 };
    uint64_t chance = UINT64_C(1) << (32 + MORE_BITS);
    gaps->count = min_u32(nodes, 2 * (nodes / d) + 2);
    gaps->pass = memory_allocate(gaps->count, sizeof *gaps->pass);
    if (gaps->pass == NULL)
        return fail_memory(failure, "the walks of a pattern");
    for (uint32_t k = 0; k < gaps->count; k++) {
        chance = (chance * (nodes - d) + nodes / 2) / nodes;
        gaps->pass[k] = (uint32_t)min_u64(chance >> MORE_BITS, UINT32_MAX);
    }
    return FAIL_NONE;
}

/* How many nodes are passed, `count` of the table if those or more. */
static uint32_t gap_draw(const struct gaps *gaps, struct pcg32 *random)
{
    uint32_t drawn = pcg32_next(random), low = 0, high = gaps->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (gaps->pass[middle] > drawn)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Walks until d destinations of the source are met, and adds them. */
static void walk(struct pair_list *list, struct pcg32 *random, const struct gaps *gaps,
                 node_index source, uint32_t nodes, uint32_t d)
{
    uint64_t begin = list->pairs, at = 0; /* of the others, without the source */
    for (uint32_t met = 0; met < d;) {
        uint32_t gap = gap_draw(gaps, random);
        at += gap;
        if (at >= nodes - 1) {
            list->pairs = begin;
            at = met = 0;
        } else if (gap < gaps->count) {
            node_index other = (node_index)at++;
            pair_list_add(list, source, other + (other >= source));
            met++;
        }
    }
}

enum failure_kind pattern_scan(const struct pattern_options *options, struct message_set *set,
                               struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_SCAN);
    uint32_t nodes = mesh_nodes(options->mesh), d = options->degree;
    struct pair_list list;
    struct gaps gaps = {0, NULL};
    d = d < nodes ? d : nodes - 1;
    if ((d > 0 && gaps_make(&gaps, nodes, d, failure) != FAIL_NONE) ||
        pair_list_open(&list, (uint64_t)options->congestion * d, failure) != FAIL_NONE) {
        free(gaps.pass);
        return failure->kind;
    }
    for (node_index source = 0; source < options->congestion; source++)
        walk(&list, &random, &gaps, source, nodes, d);
    free(gaps.pass);
    return pair_list_close(&list, options->shape, set, failure);
}
