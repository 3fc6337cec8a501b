/* scheme_options.c - the parameters of schemes as options, and the messages of a set that are sent. */
#include "cli/scheme_options.h"

#include "base/pcg.h"
#include "console/available_memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_FLITS = 1, STREAM_SOURCES = 2 }; /* of random values */

/* ---- parameters ---- */

enum failure_kind accept_scheme_parameter(void *field, char *value, struct failure *failure)
{
    struct scheme_parameters *list = field;
    if (list->count == SCHEME_PARAMETERS_GIVEN)
        return fail(failure, FAIL_USAGE, "--param may be given %d times at most",
                    SCHEME_PARAMETERS_GIVEN);
    list->text[list->count++] = value;
    return FAIL_NONE;
}

static bool has_parameter(const struct scheme *scheme, const char *text)
{
    size_t length = strcspn(text, "=");
    for (uint32_t i = 0; i < SCHEME_PARAMETERS && scheme->parameter[i].name != NULL; i++)
        if (strlen(scheme->parameter[i].name) == length &&
            strncmp(scheme->parameter[i].name, text, length) == 0)
            return true;
    return false;
}

enum failure_kind scheme_parameters_choose(const struct scheme_parameters *parameters,
                                           const struct scheme *scheme,
                                           struct scheme_choices *choices, struct failure *failure)
{
    *choices = (struct scheme_choices){{0}};
    for (uint32_t i = 0; i < parameters->count; i++)
        if (has_parameter(scheme, parameters->text[i]) &&
            scheme_choose(scheme, parameters->text[i], choices, failure) != FAIL_NONE)
            return failure->kind;
    return FAIL_NONE;
}

enum failure_kind scheme_parameters_check(const struct scheme_parameters *parameters,
                                          const struct scheme *const *schemes, uint32_t count,
                                          struct failure *failure)
{
    for (uint32_t i = 0; i < parameters->count; i++) {
        bool is_known = false;
        struct scheme_choices choices;
        for (uint32_t j = 0; j < count; j++)
            is_known |= has_parameter(schemes[j], parameters->text[i]);
        /* It says what the first one has */
        if (!is_known &&
            scheme_choose(schemes[0], parameters->text[i], &choices, failure) != FAIL_NONE)
            return failure->kind;
    }
    return FAIL_NONE;
}

enum failure_kind scheme_check_memory(const struct scheme *scheme, const struct topology *topology,
                                      uint64_t bytes, uint64_t limit, struct failure *failure)
{
    char what[160], on[TOPOLOGY_TEXT_SIZE];
    shape_text(&topology->shape, on);
    snprintf(what, sizeof what, "scheme %s on %s", scheme->name, on);
    struct memory_need need = {.what = what, .bytes = bytes, .limit = limit};
    return memory_need_check(&need, failure);
}

/* ---- help and completion ---- */

void scheme_options_print_schemes(FILE *out)
{
    fputs("\nSchemes, and the parameters that --param sets:\n", out);
    for (uint32_t i = 0; i < scheme_count(); i++) {
        const struct scheme *scheme = scheme_at(i);
        fprintf(out, "  %-10s %s\n", scheme->name, scheme->summary);
        for (uint32_t p = 0; p < SCHEME_PARAMETERS && scheme->parameter[p].name != NULL; p++) {
            const struct scheme_parameter *parameter = &scheme->parameter[p];
            fprintf(out, "               %s=", parameter->name);
            for (uint32_t c = 0; parameter->choice[c] != NULL; c++)
                fprintf(out, "%s%s", c > 0 ? "|" : "", parameter->choice[c]);
            fprintf(out, "  %s; the default is %s\n", parameter->help, parameter->choice[0]);
        }
    }
}

void completion_offer_scheme_parameters(const struct completion *completion)
{
    bool names_some = completion_gives(completion, &scheme_names, NULL);
    for (uint32_t i = 0; i < scheme_count(); i++) {
        const struct scheme *scheme = scheme_at(i);
        if (names_some && !completion_gives(completion, &scheme_names, scheme->name))
            continue;
        for (uint32_t p = 0; p < SCHEME_PARAMETERS && scheme->parameter[p].name != NULL; p++) {
            const struct scheme_parameter *parameter = &scheme->parameter[p];
            for (uint32_t c = 0; parameter->choice[c] != NULL; c++)
                completion_offer_value(completion, parameter->name, parameter->choice[c]);
            completion_offer_parameter(completion, parameter->name);
        }
    }
}

/* ---- messages ---- */

/* Marks the sources; returns how many there are. */
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
static void draw_sources(uint32_t nodes, uint32_t sources, uint32_t wanted, uint64_t seed,
                         uint8_t *is_source)
{
    struct pcg32 random = pcg32_seed(seed, STREAM_SOURCES);
    uint32_t left = sources;
    for (uint32_t node = 0; node < nodes; node++) {
        if (!is_source[node])
            continue;
        is_source[node] = pcg32_below(&random, left--) < wanted;
        wanted -= is_source[node];
    }
}

enum failure_kind chosen_messages_make(struct chosen_messages *chosen,
                                       const struct message_set *set, uint32_t nodes,
                                       const struct message_choice *choice, struct failure *failure)
{
    const struct flits_range one_flit = {1, 1};
    uint8_t *is_source = memory_allocate(nodes, 1);
    uint32_t degree = message_set_degree(set);
    *chosen = (struct chosen_messages){
        .set = set,
        .choice = *choice,
        .message = memory_allocate(set->messages, sizeof *chosen->message),
        .destination = memory_allocate(degree, sizeof *chosen->destination)};
    if (is_source == NULL || chosen->message == NULL || chosen->destination == NULL) {
        free(is_source);
        chosen_messages_free(chosen);
        return fail_memory(failure, "the messages that are sent");
    }
    if (choice->flits.least == 0)
        chosen->choice.flits = one_flit;
    uint32_t sources = mark_sources(set, is_source), wanted = choice->sources;
    if (wanted > sources)
        fail(failure, FAIL_USAGE,
             "--sources %" PRIu32 ", but the set has messages of %" PRIu32 " nodes", wanted,
             sources);
    else if (wanted > 0)
        draw_sources(nodes, sources, wanted, choice->seed, is_source);
    for (uint32_t i = 0; i < set->messages; i++)
        if (is_source[set->source[i]])
            chosen->message[chosen->count++] = i;
    free(is_source);
    if (failure->kind != FAIL_NONE)
        chosen_messages_free(chosen);
    return failure->kind;
}

void chosen_messages_free(struct chosen_messages *chosen)
{
    free(chosen->message);
    free(chosen->destination);
    *chosen = (struct chosen_messages){0};
}

static uint32_t flits_of(const struct chosen_messages *chosen, uint32_t message)
{
    const struct flits_range *flits = &chosen->choice.flits;
    uint32_t given = chosen->set->length == NULL ? 0 : chosen->set->length[message];
    if (given > 0)
        return given;
    struct pcg32 random = pcg32_seed(chosen->choice.seed, (uint64_t)message << 2 | STREAM_FLITS);
    return flits->least + pcg32_below(&random, flits->most - flits->least + 1);
}

struct flits_range chosen_messages_flits(const struct chosen_messages *chosen)
{
    struct flits_range range =
        chosen->count > 0 ? (struct flits_range){UINT32_MAX, 0} : chosen->choice.flits;
    for (uint32_t i = 0; i < chosen->count; i++) {
        uint32_t flits = flits_of(chosen, chosen->message[i]);
        range.least = flits < range.least ? flits : range.least;
        range.most = flits > range.most ? flits : range.most;
    }
    return range;
}

struct multicast chosen_messages_at(struct chosen_messages *chosen, uint32_t index,
                                    bool *is_own_destination)
{
    const struct message_set *set = chosen->set;
    uint32_t message = chosen->message[index];
    uint64_t all = set->offset[message + 1] - set->offset[message];
    struct multicast multicast = {.source = set->source[message],
                                  .destination = chosen->destination,
                                  .flits = flits_of(chosen, message)};
    multicast.destinations = message_set_others(set, message, chosen->destination);
    *is_own_destination = multicast.destinations < all;
    return multicast;
}
