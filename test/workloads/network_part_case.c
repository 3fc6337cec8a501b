/* network_part_case.c - holds what a rank reads for the network, and what a scheme sends of it, against the whole set. */
#include "test/workloads/network_part_case.h"

#include "library/chosen_messages.h"
#include "test/base/ranks_case.h"
#include "workloads/message_set.h"

#include <string.h>

static enum failure_kind read_part(const char *text, const char *path, size_t length,
                                   struct message_set *set, struct ranks *ranks,
                                   struct failure *failure)
{
    if (path != NULL)
        return message_set_read_network(set, path, ranks, failure);
    return message_set_read_network_memory(set, text, length, "text", ranks, failure);
}

/* What is sent of a part is what is sent of the whole set by nodes that are here. */
static enum failure_kind check_chosen(const struct message_set *part,
                                      const struct message_set *whole, uint32_t sources,
                                      struct ranks *ranks, struct failure *failure)
{
    struct message_choice choice = {sources, {2, 90}, 7, NULL};
    struct chosen_messages here, all;
    struct failure alone = {0};
    uint32_t first, end, i = 0;
    enum failure_kind kind = chosen_messages_make(&all, whole, &choice, &alone);
    choice.ranks = ranks;
    HOLDS(chosen_messages_make(&here, part, &choice, failure) == kind);
    if (kind != FAIL_NONE) {
        HOLDS(strcmp(alone.text, failure->text) == 0);
        *failure = (struct failure){0};
        return FAIL_NONE;
    }
    HOLDS(here.all == all.count && here.flits.least == all.flits.least &&
          here.flits.most == all.flits.most);
    shape_band(&whole->shape, ranks_rank(ranks), ranks_size(ranks), &first, &end);
    for (uint32_t number = 0; number < all.count; number++) {
        struct multicast alone_sent = chosen_messages_at(&all, number);
        if (alone_sent.source < first || alone_sent.source >= end)
            continue;
        HOLDS(i < here.count && (here.number == NULL ? i : here.number[i]) == number);
        struct multicast sent = chosen_messages_at(&here, i++);
        HOLDS(sent.source == alone_sent.source && sent.flits == alone_sent.flits &&
              sent.destinations == alone_sent.destinations);
        HOLDS(memcmp(sent.destination, alone_sent.destination,
                     sent.destinations * sizeof *sent.destination) == 0);
    }
    HOLDS(i == here.count);
    chosen_messages_free(&here);
    chosen_messages_free(&all);
    return FAIL_NONE;
}

enum failure_kind network_part_check(const char *text, const char *path, size_t length,
                                     struct ranks *ranks, struct failure *failure)
{
    struct message_set part, whole;
    struct failure alone = {0};
    uint32_t first, end, i = 0;
    enum failure_kind kind = read_part(text, path, length, &whole, NULL, &alone);
    HOLDS(read_part(text, path, length, &part, ranks, failure) == kind);
    if (kind != FAIL_NONE) {
        HOLDS(strcmp(alone.text, failure->text) == 0);
        *failure = (struct failure){0};
        return FAIL_NONE;
    }
    int version = message_set_version(&whole);
    HOLDS(message_set_version(&part) == version && part.lacks_end == whole.lacks_end);
    HOLDS(shape_equals(&part.shape, &whole.shape));
    HOLDS(message_set_all_messages(&part) == whole.messages);
    HOLDS(message_set_all_deliveries(&part) == whole.deliveries);
    HOLDS(message_set_degree(&part) == message_set_degree(&whole));
    HOLDS(message_set_congestion(&part) == message_set_congestion(&whole));
    HOLDS(message_set_most_sent(&part) == message_set_most_sent(&whole));
    HOLDS((part.length == NULL) == (whole.length == NULL));
    shape_band(&whole.shape, ranks_rank(ranks), ranks_size(ranks), &first, &end);
    for (uint32_t number = 0; number < whole.messages; number++) {
        uint64_t count = whole.offset[number + 1] - whole.offset[number];
        if (whole.source[number] < first || whole.source[number] >= end)
            continue;
        HOLDS(i < part.messages && message_set_number(&part, i) == number);
        HOLDS(part.source[i] == whole.source[number]);
        HOLDS(part.length == NULL || part.length[i] == whole.length[number]);
        HOLDS(part.offset[i + 1] - part.offset[i] == count);
        HOLDS(memcmp(part.destination + part.offset[i], whole.destination + whole.offset[number],
                     count * sizeof(node_index)) == 0);
        i++;
    }
    HOLDS(i == part.messages && part.offset[i] == part.deliveries);
    for (uint32_t sources = 0; kind == FAIL_NONE && sources < 12; sources += 3)
        kind = check_chosen(&part, &whole, sources, ranks, failure);
    message_set_free(&part);
    message_set_free(&whole);
    return kind;
}
