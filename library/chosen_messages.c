/* chosen_messages.c - the messages of a set that a scheme sends, and their lengths.
 *
 * Method: sources are drawn one after the other, each with the probability that makes all choices
 * of as many equally likely. The draws depend only on the seed and the message's number.
 */
#include "library/chosen_messages.h"

#include "base/numbers.h"
#include "base/pcg.h"

#include <inttypes.h>
#include <stdlib.h>

enum { STREAM_FLITS = 1, STREAM_SOURCES = 2 }; /* of random values */

/* Marks the nodes that are sources of the set, and returns their number. */
static uint32_t mark_sources(const struct message_set *set, uint8_t *is_source)
{
    uint32_t sources = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        sources += !is_source[set->source[i]];
        is_source[set->source[i]] = 1;
    }
    return sources;
}

/* Keeps the marks of `wanted` of the sources, each with the same probability. */
static void draw_sources(uint8_t *is_source, uint32_t sources, uint32_t wanted, uint64_t seed)
{
    struct pcg32 random = pcg32_seed(seed, STREAM_SOURCES);
    for (uint32_t node = 0; sources > 0; node++) {
        if (!is_source[node])
            continue;
        is_source[node] = pcg32_below(&random, sources--) < wanted;
        wanted -= is_source[node];
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

static void measure_flits(struct chosen_messages *chosen)
{
    struct flits_range range = {UINT32_MAX, 0};
    for (uint32_t i = 0; i < chosen->count; i++) {
        uint32_t flits = flits_of(chosen, chosen->message[i]);
        range.least = min_u32(range.least, flits);
        range.most = max_u32(range.most, flits);
    }
    chosen->flits = chosen->count > 0 ? range : chosen->choice.flits;
}

/* Chooses the messages; `is_source` has a byte per node, all 0. */
static enum failure_kind choose(struct chosen_messages *chosen, uint8_t *is_source,
                                struct failure *failure)
{
    const struct message_set *set = chosen->set;
    uint32_t wanted = chosen->choice.sources, sources = mark_sources(set, is_source);
    if (wanted > 0 && message_set_is_timed(set))
        return fail(failure, FAIL_USAGE,
                    "--sources leaves out messages, but this set has starts or waits");
    if (wanted > sources)
        return fail(failure, FAIL_USAGE,
                    "--sources %" PRIu32 ", but the set has messages of %" PRIu32 " nodes", wanted,
                    sources);
    if (wanted > 0)
        draw_sources(is_source, sources, wanted, chosen->choice.seed);
    for (uint32_t i = 0; i < set->messages; i++)
        if (is_source[set->source[i]])
            chosen->message[chosen->count++] = i;
    measure_flits(chosen);
    return FAIL_NONE;
}

enum failure_kind chosen_messages_make(struct chosen_messages *chosen,
                                       const struct message_set *set,
                                       const struct message_choice *choice, struct failure *failure)
{
    const struct flits_range one_flit = {1, 1};
    uint8_t *is_source = memory_allocate(shape_nodes(&set->shape), 1);
    *chosen = (struct chosen_messages){.set = set,
                                       .choice = *choice,
                                       .message =
                                           memory_allocate(set->messages, sizeof *chosen->message)};
    if (choice->flits.least == 0)
        chosen->choice.flits = one_flit;
    if (chosen->message == NULL || is_source == NULL)
        fail_memory(failure, "the messages that are sent");
    else
        choose(chosen, is_source, failure);
    free(is_source);
    if (failure->kind != FAIL_NONE)
        chosen_messages_free(chosen);
    return failure->kind;
}

void chosen_messages_free(struct chosen_messages *chosen)
{
    free(chosen->message);
    *chosen = (struct chosen_messages){0};
}

struct multicast set_multicast(const struct message_set *set, uint32_t message, uint32_t flits)
{
    uint64_t first = set->offset[message];
    return (struct multicast){.source = set->source[message],
                              .destinations = (uint32_t)(set->offset[message + 1] - first),
                              .destination = set->destination + first,
                              .flits = flits};
}

struct multicast chosen_messages_at(const struct chosen_messages *chosen, uint32_t index)
{
    uint32_t message = chosen->message[index];
    return set_multicast(chosen->set, message, flits_of(chosen, message));
}
