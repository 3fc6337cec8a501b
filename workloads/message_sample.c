/* message_sample.c - a sample of a set's messages, in which rectangles are looked for.
 *
 * It is chosen by a multiplicative hash of the messages' numbers, so that no regular set is missed by its period, and it
 * is the same on every machine. In the order of numbers messages are taken until they have more deliveries than there is
 * room for, so the last one may go beyond it.
 *   Each rank chooses among the messages of its part until these alone are too many: what it leaves out then comes
 * behind the end of the whole sample, too. Rank 0 merges what the ranks chose by numbers, and ends the sample where it
 * ends alone.
 *
 * Cost: O(messages) and the sample; on ranks rank 0 holds three times the sample for a while.
 */
#include "workloads/crossing.h"

#include <stdlib.h>
#include <string.h>

/* What is chosen: a share of the messages' numbers, in 2^32, without those that alone fill the room. */
struct choice {
    uint64_t room, share;
};

static struct choice choice_for(const struct message_set *set, uint64_t room)
{
    uint64_t all = UINT64_C(1) << 32, deliveries = message_set_all_deliveries(set);
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

/* ---- of the parts of ranks ---- */

/* A message on its way to rank 0 is its number, its source, how many destinations it has, and these, a word each. */
enum { NUMBER, SOURCE, COUNT, PLACES };

/* What came from each rank, ascending by numbers, and where its next message is. */
struct merging {
    uint32_t ranks;
    const uint32_t **at, **end;
};

/* Returns the message with the smallest number and passes it; NULL: there is none. */
static const uint32_t *next_of(struct merging *merging)
{
    uint32_t least = merging->ranks;
    for (uint32_t r = 0; r < merging->ranks; r++)
        if (merging->at[r] < merging->end[r] &&
            (least == merging->ranks || merging->at[r][NUMBER] < merging->at[least][NUMBER]))
            least = r;
    if (least == merging->ranks)
        return NULL;
    const uint32_t *message = merging->at[least];
    merging->at[least] += PLACES + message[COUNT];
    return message;
}

static void merge(struct merging *merging, uint64_t room, struct message_sample *sample)
{
    const uint32_t *message;
    uint32_t end = 0;
    while (end <= room && (message = next_of(merging)) != NULL) {
        sample->source[sample->messages++] = message[SOURCE];
        memcpy(sample->place + end, message + PLACES, message[COUNT] * sizeof *message);
        end += message[COUNT];
        sample->offset[sample->messages] = end;
    }
}

/* Makes what the ranks chose, `words` of `count` bytes each, the sample of rank 0. */
static bool take_all(const uint32_t *words, const size_t *count, uint32_t ranks, uint64_t room,
                     struct message_sample *sample)
{
    struct merging merging = {.ranks = ranks,
                              .at = memory_allocate(ranks, sizeof *merging.at),
                              .end = memory_allocate(ranks, sizeof *merging.end)};
    uint64_t messages = 0, deliveries = 0;
    bool has_memory = merging.at != NULL && merging.end != NULL;
    for (uint32_t r = 0; r < ranks && has_memory; r++) {
        merging.at[r] = words;
        words += count[r] / sizeof *words;
        merging.end[r] = words;
        for (const uint32_t *at = merging.at[r]; at < words; at += PLACES + at[COUNT]) {
            messages++;
            deliveries += at[COUNT];
        }
    }
    has_memory = has_memory && sample_allocate(sample, (uint32_t)messages, deliveries);
    if (has_memory)
        merge(&merging, room, sample);
    free(merging.at);
    free(merging.end);
    return has_memory;
}

/* Writes the messages of this rank's sample, chosen as `number` says, for rank 0. */
static uint32_t *pack(const struct message_sample *sample, const uint32_t *number, size_t *words)
{
    size_t at = 0;
    *words = PLACES * (size_t)sample->messages + sample->offset[sample->messages];
    uint32_t *word = memory_allocate(*words, sizeof *word);
    for (uint32_t i = 0; word != NULL && i < sample->messages; i++) {
        uint32_t count = sample->offset[i + 1] - sample->offset[i];
        word[at + NUMBER] = number[i];
        word[at + SOURCE] = sample->source[i];
        word[at + COUNT] = count;
        memcpy(word + at + PLACES, sample->place + sample->offset[i], count * sizeof *word);
        at += PLACES + count;
    }
    return word;
}

/* Turns the samples of the parts into that of the whole set at rank 0. */
static enum failure_kind collect(struct ranks *ranks, const uint32_t *number, uint64_t room,
                                 struct message_sample *sample, struct failure *failure)
{
    struct mesh mesh = sample->mesh;
    size_t words, *count = memory_allocate(ranks_size(ranks), sizeof *count);
    uint32_t *word = pack(sample, number, &words);
    void *all = NULL;
    enum failure_kind kind = FAIL_NONE;
    message_sample_free(sample);
    sample->mesh = mesh;
    if (count == NULL || word == NULL)
        kind = fail_memory(failure, "the messages of a sample");
    if (kind == FAIL_NONE)
        kind = ranks_collect(ranks, word, words * sizeof *word, &all, count, failure);
    bool is_first = ranks_rank(ranks) == 0;
    if (kind == FAIL_NONE &&
        !(is_first ? take_all(all != NULL ? all : word, count, ranks_size(ranks), room, sample)
                   : sample_allocate(sample, 0, 0)))
        kind = fail_memory(failure, "the messages of a sample");
    free(all);
    free(word);
    free(count);
    return kind;
}

enum failure_kind message_sample_take(const struct message_set *set, struct ranks *ranks,
                                      uint64_t room, struct message_sample *sample,
                                      struct failure *failure)
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
    if (ranks_size(ranks) == 1)
        return FAIL_NONE;
    uint32_t *number = memory_allocate(messages, sizeof *number), next = 0;
    for (uint32_t i = 0; number != NULL && i < last; i++)
        if (is_chosen(set, choice, i))
            number[next++] = message_set_number(set, i);
    enum failure_kind kind = number != NULL ? collect(ranks, number, room, sample, failure)
                                            : fail_memory(failure, "the messages of a sample");
    free(number);
    if (kind != FAIL_NONE)
        message_sample_free(sample);
    return kind;
}

void message_sample_free(struct message_sample *sample)
{
    free(sample->source);
    free(sample->offset);
    free(sample->place);
    *sample = (struct message_sample){0};
}
