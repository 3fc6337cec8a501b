/* header_words.c - headers as list, bitmap, ranges, rectangle and masks, message by message.
 *
 * Method: destinations ascend, so that runs are seen in one pass; they fill a box if they are as many as their
 * bounding box has nodes.
 * Cost: O(deliveries) times the dimensions, and what covers by masks cost.
 */
#include "workloads/header_words.h"

#include "base/numbers.h"
#include "workloads/mask_cover.h"

const char *const header_kind_names[HEADER_KINDS] = {
    [HEADER_LIST] = "list",           [HEADER_BITMAP] = "bitmap", [HEADER_RANGES] = "ranges",
    [HEADER_RECTANGLE] = "rectangle", [HEADER_MASKS] = "masks",
};

enum { NONE = 0 }; /* words of a header that there cannot be */

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
        [HEADER_MASKS] = 2 * mask_cover_find(cover, node, count, NULL),
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
