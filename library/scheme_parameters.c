/* scheme_parameters.c - parameters that are given for several schemes: each takes those that it has. */
#include "library/scheme_parameters.h"

#include <string.h>

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
