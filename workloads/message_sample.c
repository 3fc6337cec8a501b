/* message_sample.c - a sample of a set's messages, in which rectangles are looked for.
 *
 * It is chosen by a multiplicative hash of the messages' numbers, so that no regular set is missed by its period, and it
 * is the same on every machine. In the order of numbers messages are taken until they have more deliveries than there is
 * room for, so the last one may go beyond it.
 *
 * Cost: O(messages) and the sample.
 */
#include "workloads/crossing.h"

#include <stdlib.h>

/* What is chosen: a share of the messages' numbers, in 2^32, without those that alone fill the room. */
struct choice {
    uint64_t room, share;
};

static struct choice choice_for(const struct message_set *set, uint64_t room)
{
    uint64_t all = UINT64_C(1) << 32, deliveries = set->deliveries;
    return (struct choice){room, deliveries <= room ? all : (room << 32) / deliveries};
}

static inline bool is_chosen(const struct message_set *set, struct choice choice, uint32_t index)
{
    return message_set_number(set, index) * UINT32_C(2654435769) < choice.share &&
           set->offset[index + 1] - set->offset[index] <= choice.room;
}

static bool sample_allocate(struct message_sample *sample, uint32_t messages, uint64_t deliveries)
{
    sample->source = memory_allocate(messages, sizeof *sample->source);
    sample->offset = memory_allocate((size_t)messages + 1, sizeof *sample->offset);
    sample->place = memory_allocate(deliveries, sizeof *sample->place);
    if (sample->source != NULL && sample->offset != NULL && sample->place != NULL)
        return true;
    message_sample_free(sample);
    return false;
}

static void add(struct message_sample *sample, const struct message_set *set, uint32_t index)
{
    uint32_t at = sample->offset[sample->messages];
    sample->source[sample->messages++] = place_of_node(set->mesh, set->source[index]);
    for (uint64_t j = set->offset[index]; j < set->offset[index + 1]; j++)
        sample->place[at++] = place_of_node(set->mesh, set->destination[j]);
    sample->offset[sample->messages] = at;
}

enum failure_kind message_sample_take(const struct message_set *set, uint64_t room,
                                      struct message_sample *sample, struct failure *failure)
{
    struct choice choice = choice_for(set, room);
    uint64_t deliveries = 0;
    uint32_t messages = 0, last = 0; /* the first message that is too many */
    for (; last < set->messages && deliveries <= room; last++)
        if (is_chosen(set, choice, last)) {
            messages++;
            deliveries += set->offset[last + 1] - set->offset[last];
        }
    *sample = (struct message_sample){.mesh = set->mesh};
    if (!sample_allocate(sample, messages, deliveries))
        return fail_memory(failure, "the messages of a sample");
    for (uint32_t i = 0; i < last; i++)
        if (is_chosen(set, choice, i))
            add(sample, set, i);
    return FAIL_NONE;
}

void message_sample_free(struct message_sample *sample)
{
    free(sample->source);
    free(sample->offset);
    free(sample->place);
    *sample = (struct message_sample){0};
}
