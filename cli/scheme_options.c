/* scheme_options.c - the parameters of schemes as options. */
#include "cli/scheme_options.h"

/* ---- parameters ---- */

int accept_scheme_parameter(void *field, char *value, struct failure *failure)
{
    struct scheme_parameters *list = field;
    if (list->count == SCHEME_PARAMETERS_GIVEN)
        return fail(failure, FAIL_USAGE, "--param may be given %d times at most",
                    SCHEME_PARAMETERS_GIVEN);
    list->text[list->count++] = value;
    return FAIL_NONE;
}

enum failure_kind scheme_check_memory(const struct scheme *scheme, const struct topology *topology,
                                      uint64_t bytes, struct memory_need need,
                                      struct failure *failure)
{
    char what[160], on[TOPOLOGY_TEXT_SIZE];
    shape_text(&topology->shape, on);
    snprintf(what, sizeof what, "scheme %s on %s", scheme->name, on);
    need.what = what;
    need.bytes = bytes;
    return memory_need_check(&need, failure);
}

/* ---- help and completion ---- */

void scheme_options_print_scheme(uint32_t index, FILE *out)
{
    const struct scheme *scheme = scheme_at(index);
    fprintf(out, "  %-10s %s\n", scheme->name, scheme->summary);
    if (scheme->parameter[0].name != NULL)
        fputs("\nParameters, which --param NAME=VALUE sets:\n", out);
    for (uint32_t p = 0; p < SCHEME_PARAMETERS && scheme->parameter[p].name != NULL; p++) {
        const struct scheme_parameter *parameter = &scheme->parameter[p];
        fprintf(out, "  %s=", parameter->name);
        for (uint32_t c = 0; parameter->choice[c] != NULL; c++)
            fprintf(out, "%s%s", c > 0 ? "|" : "", parameter->choice[c]);
        fprintf(out, "  %s; the default is %s\n", parameter->help, parameter->choice[0]);
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
