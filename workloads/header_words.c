/* header_words.c - headers as list, bitmap, ranges, rectangle and masks, message by message.
 *
 * Method: destinations ascend, so that runs are seen in one pass; they fill a box if they are as
 * many as their bounding box has nodes.
 * Cost: O(deliveries) times the dimensions, and that of covers by masks.
 */
#include "workloads/header_words.h"

#include "base/numbers.h"

#include <stdlib.h>

/* ---- covers by masks ---- */

/* A pair of a mask and a value names the nodes whose numbers agree with `value` in all bits that
 * are not in `mask`; value & mask is 0. A number that no node has names nothing. */
struct mask_pair {
    node_index value, mask;
};

/* For covers of sets of the nodes 0 .. nodes - 1. */
struct mask_cover {
    uint32_t nodes;
    unsigned bits; /* of the largest node number, at least 1 */
    uint64_t *in,
        *covered; /* a bit per node: of the set, covered so far; all clear between calls */
};

/* Method, greedy: the first node that no pair names yet begins a pair. The pair is doubled, a bit
 * at a time, while the nodes gained are all of the set and at least half of them are not named yet;
 * of such bits the one that gains most new nodes is used, the lowest of equals. The least number of
 * pairs is a minimum of two-level logic, which is NP-hard. Invariant: every pair names a node that
 * no earlier one names, and only nodes of the set. Cost: since half of a pair's nodes are new, all
 * pairs name at most 2 D of D nodes, so O(D log n) bits are examined; 2 bits per node of the
 * topology. */

static bool has(const uint64_t *set, node_index node)
{
    return set[node / 64] >> node % 64 & 1;
}

static void put(uint64_t *set, node_index node, bool is_in)
{
    uint64_t bit = UINT64_C(1) << node % 64;
    set[node / 64] = is_in ? set[node / 64] | bit : set[node / 64] & ~bit;
}

static enum failure_kind mask_cover_open(struct mask_cover *cover, uint32_t nodes,
                                         struct failure *failure)
{
    *cover = (struct mask_cover){.nodes = nodes, .bits = 1};
    while (cover->bits < 32 && (nodes - 1) >> cover->bits != 0)
        cover->bits++;
    cover->in = memory_allocate(nodes / 64 + 1, sizeof *cover->in);
    cover->covered = memory_allocate(nodes / 64 + 1, sizeof *cover->covered);
    return cover->in != NULL && cover->covered != NULL ? FAIL_NONE
                                                       : fail_memory(failure, "a set of nodes");
}

static void mask_cover_close(struct mask_cover *cover)
{
    free(cover->in);
    free(cover->covered);
    *cover = (struct mask_cover){0};
}

/* True if all nodes that the pair names are of the set; *gain becomes the number of those not named
 * yet, or 0 if they are less than half. */
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

/* Returns the largest pair that grows from the node. */
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

/* Returns the number of pairs found that together name exactly the `count` distinct nodes: few, not
 * always the fewest possible. */
static uint64_t count_pairs(struct mask_cover *cover, const node_index *node, uint64_t count)
{
    uint64_t pairs = 0;
    for (uint64_t i = 0; i < count; i++)
        put(cover->in, node[i], true);
    for (uint64_t i = 0; i < count; i++) {
        if (has(cover->covered, node[i]))
            continue;
        mark(cover, grow(cover, node[i]));
        pairs++;
    }
    for (uint64_t i = 0; i < count; i++) {
        put(cover->in, node[i], false);
        put(cover->covered, node[i], false);
    }
    return pairs;
}

/* ---- words ---- */

const char *const header_kind_names[HEADER_KINDS] = {
    [HEADER_LIST] = "list",           [HEADER_BITMAP] = "bitmap", [HEADER_RANGES] = "ranges",
    [HEADER_RECTANGLE] = "rectangle", [HEADER_MASKS] = "masks",
};

enum { NONE = 0 }; /* words of an impossible header */

static uint64_t words_of_ranges(const node_index *node, uint64_t count)
{
    uint64_t runs = 1;
    for (uint64_t i = 1; i < count; i++)
        runs += node[i] != node[i - 1] + 1;
    return 2 * runs;
}

static uint64_t words_of_rectangle(const struct shape *shape, const node_index *node,
                                   uint64_t count)
{
    uint64_t volume = 1, stride = 1;
    if (shape->kind == TOPOLOGY_GRAPH)
        return NONE;
    for (uint32_t d = 0; d < shape->dimensions; d++) {
        uint32_t least = UINT32_MAX, most = 0;
        for (uint64_t i = 0; i < count; i++) {
            uint32_t at = (uint32_t)(node[i] / stride) % shape->size[d];
            least = min_u32(least, at);
            most = max_u32(most, at);
        }
        volume *= most - least + 1;
        stride *= shape->size[d];
    }
    return volume == count ? 2 : NONE;
}

static void add(struct header_figures *figures, uint64_t words)
{
    figures->messages += words != NONE;
    figures->words += words;
    figures->largest = max_u64(figures->largest, words);
}

static void add_message(struct header_words *all, struct mask_cover *cover,
                        const struct shape *shape, const node_index *node, uint64_t count)
{
    uint64_t words[HEADER_KINDS] = {
        [HEADER_LIST] = count,
        [HEADER_BITMAP] = (shape_nodes(shape) + (uint64_t)all->bits - 1) / all->bits,
        [HEADER_RANGES] = words_of_ranges(node, count),
        [HEADER_RECTANGLE] = words_of_rectangle(shape, node, count),
        [HEADER_MASKS] = 2 * count_pairs(cover, node, count),
    };
    int best = HEADER_LIST;
    for (int kind = 0; kind < HEADER_KINDS; kind++) {
        add(&all->kind[kind], words[kind]);
        if (words[kind] != NONE && words[kind] < words[best])
            best = kind;
    }
    all->kind[best].smallest++;
    all->best.smallest++;
    add(&all->best, words[best]);
}

enum failure_kind header_words_of(const struct message_set *set, struct header_words *words,
                                  struct failure *failure)
{
    struct mask_cover cover;
    enum failure_kind kind = mask_cover_open(&cover, shape_nodes(&set->shape), failure);
    *words = (struct header_words){.bits = cover.bits};
    for (uint32_t i = 0; i < set->messages && kind == FAIL_NONE; i++)
        add_message(words, &cover, &set->shape, set->destination + set->offset[i],
                    set->offset[i + 1] - set->offset[i]);
    mask_cover_close(&cover);
    return kind;
}
