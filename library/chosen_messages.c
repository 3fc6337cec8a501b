/* chosen_messages.c - which messages of a set are sent by a scheme, and how long they are.
 *
 * Method: sources are drawn one after the other, each with the probability that leaves all choices of as
 * many as likely. What is drawn depends on the seed and the message's number alone.
 */
#include "library/chosen_messages.h"

#include "base/extremes.h"
#include "base/pcg.h"

#include <inttypes.h>
#include <stdlib.h>

enum { STREAM_FLITS = 1, STREAM_SOURCES = 2 }; /* of random values */

/* Nodes are counted from `first` on, which is the first one that is here. */
struct sources {
    uint32_t first, end;
    uint8_t *is_source;   /* [end - first] */
    uint32_t here;        /* how many there are */
    uint64_t before, all; /* at ranks before this one, and at all */
};

static enum failure_kind mark_sources(const struct message_set *set, struct ranks *ranks,
                                      struct sources *sources, struct failure *failure)
{
    *sources = (struct sources){.here = 0};
    shape_band(&set->shape, ranks_rank(ranks), ranks_size(ranks), &sources->first, &sources->end);
    sources->is_source = memory_allocate(sources->end - sources->first, 1);
    if (sources->is_source == NULL)
        return fail_memory(failure, "the messages that are sent");
    for (uint32_t i = 0; i < set->messages; i++) {
        uint8_t *mark = &sources->is_source[set->source[i] - sources->first];
        sources->here += !*mark;
        *mark = 1;
    }
    return ranks_sum_before(ranks, ranks_rank(ranks), sources->here, &sources->before,
                            &sources->all, failure);
}

/* Keeps the marks of `wanted` of the sources, each with the same probability. Each rank draws for all. */
static void draw_sources(struct sources *sources, uint32_t wanted, uint64_t seed)
{
    struct pcg32 random = pcg32_seed(seed, STREAM_SOURCES);
    uint32_t node = 0;
    for (uint64_t k = 0; k < sources->before + sources->here; k++) {
        bool is_kept = pcg32_below(&random, (uint32_t)(sources->all - k)) < wanted;
        wanted -= is_kept;
        if (k < sources->before)
            continue;
        while (!sources->is_source[node])
            node++;
        sources->is_source[node++] = is_kept;
    }
}

static uint32_t flits_of(const struct chosen_messages *chosen, uint32_t message)
{
    const struct flits_range *flits = &chosen->choice.flits;
    uint32_t given = chosen->set->length == NULL ? 0 : chosen->set->length[message];
    if (given > 0)
        return given;
    uint64_t number = message_set_number(chosen->set, message);
    struct pcg32 random = pcg32_seed(chosen->choice.seed, number << 2 | STREAM_FLITS);
    return flits->least + pcg32_below(&random, flits->most - flits->least + 1);
}

static enum failure_kind number_messages(struct chosen_messages *chosen,
                                         const struct sources *sources, struct failure *failure)
{
    const struct message_set *set = chosen->set;
    uint64_t *before = memory_allocate(set->messages, sizeof *before), all;
    chosen->number = memory_allocate(chosen->count, sizeof *chosen->number);
    if (before == NULL || chosen->number == NULL) {
        free(before);
        return fail_memory(failure, "the messages that are sent");
    }
    for (uint32_t i = 0; i < set->messages; i++)
        before[i] = sources->is_source[set->source[i] - sources->first];
    message_set_offsets(set, chosen->choice.ranks, before, before, &all, failure);
    for (uint32_t i = 0; i < chosen->count; i++)
        chosen->number[i] = (uint32_t)before[chosen->message[i]];
    chosen->all = (uint32_t)all;
    free(before);
    return failure->kind;
}

static enum failure_kind measure_flits(struct chosen_messages *chosen, struct failure *failure)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t i = 0; i < chosen->count; i++) {
        uint32_t flits = flits_of(chosen, chosen->message[i]);
        least = lesser_wide(least, flits);
        most = larger_wide(most, flits);
    }
    if (ranks_least(chosen->choice.ranks, &least, 1, failure) == FAIL_NONE)
        ranks_most(chosen->choice.ranks, &most, 1, failure);
    chosen->flits = chosen->choice.flits;
    if (chosen->all > 0)
        chosen->flits = (struct flits_range){(uint32_t)least, (uint32_t)most};
    return failure->kind;
}

static enum failure_kind choose(struct chosen_messages *chosen, struct sources *sources,
                                struct failure *failure)
{
    const struct message_set *set = chosen->set;
    uint32_t wanted = chosen->choice.sources;
    if (mark_sources(set, chosen->choice.ranks, sources, failure) != FAIL_NONE)
        return failure->kind;
    if (wanted > sources->all)
        return fail(failure, FAIL_USAGE,
                    "--sources %" PRIu32 ", but the set has messages of %" PRIu64 " nodes", wanted,
                    sources->all);
    if (wanted > 0)
        draw_sources(sources, wanted, chosen->choice.seed);
    for (uint32_t i = 0; i < set->messages; i++)
        if (sources->is_source[set->source[i] - sources->first])
            chosen->message[chosen->count++] = i;
    chosen->all = chosen->count;
    if (set->is_part && number_messages(chosen, sources, failure) != FAIL_NONE)
        return failure->kind;
    return measure_flits(chosen, failure);
}

enum failure_kind chosen_messages_make(struct chosen_messages *chosen,
                                       const struct message_set *set,
                                       const struct message_choice *choice, struct failure *failure)
{
    const struct flits_range one_flit = {1, 1};
    struct sources sources = {.is_source = NULL};
    *chosen = (struct chosen_messages){.set = set,
                                       .choice = *choice,
                                       .message =
                                           memory_allocate(set->messages, sizeof *chosen->message)};
    if (choice->flits.least == 0)
        chosen->choice.flits = one_flit;
    if (chosen->message == NULL)
        fail_memory(failure, "the messages that are sent");
    else
        choose(chosen, &sources, failure);
    free(sources.is_source);
    if (failure->kind != FAIL_NONE)
        chosen_messages_free(chosen);
    return failure->kind;
}

void chosen_messages_free(struct chosen_messages *chosen)
{
    free(chosen->message);
    free(chosen->number);
    *chosen = (struct chosen_messages){0};
}

struct multicast chosen_messages_at(const struct chosen_messages *chosen, uint32_t index)
{
    const struct message_set *set = chosen->set;
    uint32_t message = chosen->message[index];
    uint64_t first = set->offset[message];
    return (struct multicast){.source = set->source[message],
                              .destinations = (uint32_t)(set->offset[message + 1] - first),
                              .destination = set->destination + first,
                              .flits = flits_of(chosen, message)};
}
