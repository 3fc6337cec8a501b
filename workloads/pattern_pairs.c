/* pattern_pairs.c - the list of (source, destination) pairs that a maker fills, and the set of them.
 *
 * Cost: 8 bytes per pair, and that of message_set_from_pairs().
 */
#include "workloads/pattern_private.h"

#include <stdlib.h>

enum failure_kind pair_list_open(struct pair_list *list, uint64_t room, struct failure *failure)
{
    struct message_set none;
    *list = (struct pair_list){0};
    if (room >= UINT32_MAX) /* says so in the one place that knows the limit */
        return message_set_allocate(&none, (struct shape){0}, 0, room, failure);
    list->from = memory_allocate(room, sizeof *list->from);
    list->to = memory_allocate(room, sizeof *list->to);
    if (list->from != NULL && list->to != NULL)
        return FAIL_NONE;
    free(list->from);
    free(list->to);
    *list = (struct pair_list){0};
    return fail_memory(failure, "the deliveries of a pattern");
}

enum failure_kind pair_list_close(struct pair_list *list, struct shape shape,
                                  struct message_set *set, struct failure *failure)
{
    enum failure_kind kind =
        message_set_from_pairs(set, shape, list->pairs, list->from, list->to, failure);
    free(list->from);
    free(list->to);
    *list = (struct pair_list){0};
    return kind;
}
