/* mask_cover.c - a small cover of a set of nodes by pairs of mask and value.
 *
 * Method, greedy: the first node that no pair names yet begins a pair. The pair is doubled, a bit at a time, as long as the
 * nodes it would gain are all of the set and at least half of them are not named yet; of such bits it takes the one that
 * gains most new nodes, the lowest of equals. The least number of pairs is a minimum of two-level logic, which is NP-hard;
 * on sets of up to 16 nodes the test compares with it.
 * Invariant: every pair names a node that no earlier one names, and only nodes of the set.
 * Cost: since half of what a pair names is new, all pairs name at most 2 D of D nodes, so that O(D log n) bits are looked
 * at; 2 bits per node of the topology.
 */
#include "workloads/mask_cover.h"

#include <stdlib.h>

static bool has(const uint64_t *set, node_index node)
{
    return set[node / 64] >> node % 64 & 1;
}

static void put(uint64_t *set, node_index node, bool is_in)
{
    uint64_t bit = UINT64_C(1) << node % 64;
    set[node / 64] = is_in ? set[node / 64] | bit : set[node / 64] & ~bit;
}

enum failure_kind mask_cover_open(struct mask_cover *cover, uint32_t nodes, struct failure *failure)
{
    *cover = (struct mask_cover){.nodes = nodes, .bits = 1};
    while (cover->bits < 32 && (nodes - 1) >> cover->bits != 0)
        cover->bits++;
    cover->in = memory_allocate(nodes / 64 + 1, sizeof *cover->in);
    cover->covered = memory_allocate(nodes / 64 + 1, sizeof *cover->covered);
    return cover->in != NULL && cover->covered != NULL ? FAIL_NONE
                                                       : fail_memory(failure, "a set of nodes");
}

void mask_cover_close(struct mask_cover *cover)
{
    free(cover->in);
    free(cover->covered);
    *cover = (struct mask_cover){0};
}

/* True if all nodes that the pair names are of the set; then *gain is how many of them are not named yet, or 0 if they
 * are less than half. */
static bool is_within(const struct mask_cover *cover, struct mask_pair pair, uint32_t *gain)
{
    uint32_t named = 0, fresh = 0, rest = 0;
    do {
        node_index node = pair.value | rest;
        if (node >= cover->nodes)
            break; /* they ascend */
        if (!has(cover->in, node))
            return false;
        named++;
        fresh += !has(cover->covered, node);
        rest = (rest - pair.mask) & pair.mask;
    } while (rest != 0);
    *gain = 2 * fresh >= named ? fresh : 0;
    return named == 0 || *gain > 0;
}

/* The largest pair that grows from the node. */
static struct mask_pair grow(const struct mask_cover *cover, node_index node)
{
    struct mask_pair pair = {node, 0};
    for (;;) {
        node_index best = 0;
        uint32_t most = 0;
        for (unsigned b = 0; b < cover->bits; b++) {
            node_index bit = (node_index)1 << b;
            uint32_t gain;
            struct mask_pair half = {pair.value ^ bit, pair.mask};
            if ((pair.mask & bit) == 0 && is_within(cover, half, &gain) &&
                (best == 0 || gain > most)) {
                best = bit;
                most = gain;
            }
        }
        if (best == 0)
            return pair;
        pair.mask |= best;
        pair.value &= ~pair.mask;
    }
}

static void mark(struct mask_cover *cover, struct mask_pair pair)
{
    uint32_t rest = 0;
    do {
        if ((pair.value | rest) >= cover->nodes)
            return;
        put(cover->covered, pair.value | rest, true);
        rest = (rest - pair.mask) & pair.mask;
    } while (rest != 0);
}

uint64_t mask_cover_find(struct mask_cover *cover, const node_index *node, uint64_t count,
                         struct mask_pair *pair)
{
    uint64_t pairs = 0;
    for (uint64_t i = 0; i < count; i++)
        put(cover->in, node[i], true);
    for (uint64_t i = 0; i < count; i++) {
        if (has(cover->covered, node[i]))
            continue;
        struct mask_pair found = grow(cover, node[i]);
        mark(cover, found);
        if (pair != NULL)
            pair[pairs] = found;
        pairs++;
    }
    for (uint64_t i = 0; i < count; i++) {
        put(cover->in, node[i], false);
        put(cover->covered, node[i], false);
    }
    return pairs;
}
