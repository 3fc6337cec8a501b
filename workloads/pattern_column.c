/* pattern_column.c - `column`: the upper half of the mesh sends to the lower half of one column.
 *
 * The nodes of the first floor(ROWS / 2) rows send; the last ceil(ROWS / 2) nodes of column
 * floor(COLS / 2) receive. About n / 2 messages are for sqrt(n) / 2 nodes, sqrt(n) for each. A router
 * that sends packets along rows first pushes what comes from the upper half through the one link of
 * that column that leads down, and along columns first through its rows' few links; one that spreads
 * them over the lower half first has 2 sqrt(n) links for them.
 *
 * Cost: O(n) time and memory, and what the deal costs.
 */
#include "workloads/pattern_private.h"

#include "base/numbers.h"

#include <stdlib.h>

enum failure_kind pattern_column(const struct pattern_options *options, struct message_set *set,
                                 struct failure *failure)
{
    struct pcg32 random = pcg32_seed(options->seed, STREAM_COLUMN);
    struct mesh mesh = options->mesh;
    uint32_t top = mesh.rows / 2, receivers = mesh.rows - top, senders = top * mesh.cols;
    struct deal deal = {.places = receivers,
                        .degree = min_u32(options->degree, receivers),
                        .congestion = options->congestion};
    deal.messages = (uint32_t)((uint64_t)options->congestion * receivers / deal.degree);
    deal.messages = min_u32(deal.messages, senders);
    uint64_t pairs = (uint64_t)deal.messages * deal.degree;
    struct pair_list list = {0};
    uint32_t *place = NULL, *sender = shuffled_numbers(&random, senders);
    enum failure_kind kind = pair_list_open(&list, pairs, failure);
    if (kind == FAIL_NONE)
        place = memory_allocate(pairs, sizeof *place);
    if (kind == FAIL_NONE && (place == NULL || sender == NULL))
        kind = fail_memory(failure, "the nodes of a pattern");
    if (kind == FAIL_NONE && deal.messages > 0)
        kind = deal_places(&deal, &random, place, failure);
    for (uint64_t i = 0; i < pairs && kind == FAIL_NONE; i++)
        pair_list_add(&list, sender[i / deal.degree], (top + place[i]) * mesh.cols + mesh.cols / 2);
    if (kind == FAIL_NONE)
        kind = pair_list_close(&list, options->shape, set, failure);
    free(list.from);
    free(list.to);
    free(sender);
    free(place);
    return kind;
}
