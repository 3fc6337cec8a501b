/* parameters.c - a router's parameters: their values, their effects, and messages about mistakes.
 *
 * A parameter's choices are one string of words with blanks between. Only a message about a mistake
 * cuts them into an array, for a family of names (base/suggestion.h).
 */
#include "routers/routing.h"

#include "base/suggestion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

enum { CHOICES_MOST = 16 };

struct choices {
    char word[CHOICES_MOST][ROUTER_NAME_SIZE];
    const char *name[CHOICES_MOST + 1]; /* ends with NULL */
};

const char *parameter_name_at(const void *specs, uint32_t index)
{
    const struct parameter_spec *spec = specs;
    return spec[index].name;
}

bool parameter_choice(const struct parameter_spec *spec, uint32_t index,
                      char word[ROUTER_NAME_SIZE])
{
    const char *at = spec->choices == NULL ? "" : spec->choices;
    for (; index > 0 && *at != '\0'; index--) {
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    snprintf(word, ROUTER_NAME_SIZE, "%.*s", (int)strcspn(at, " "), at);
    return *at != '\0';
}

static enum failure_kind fail_unknown_parameter(struct failure *failure,
                                                const struct router *router,
                                                const struct parameter_spec *specs,
                                                const char *name)
{
    char singular[96], plural[96];
    snprintf(singular, sizeof singular, "parameter of router %s:", router->name);
    snprintf(plural, sizeof plural, "parameters of router %s", router->name);
    struct name_family family = {singular, plural, "", parameter_name_at, specs};
    if (specs->name == NULL)
        return fail(failure, FAIL_USAGE, "router %s has no parameters, so none '%.40s'",
                    router->name, name);
    return fail_unknown_name(failure, &family, name);
}

static enum failure_kind fail_parameter_value(struct failure *failure, const struct router *router,
                                              const struct parameter_spec *spec, const char *value)
{
    struct choices choices = {0};
    char singular[128], plural[128];
    if (spec->choices == NULL || spec->high > 0)
        return fail(failure, FAIL_USAGE,
                    "parameter %s of router %s is a whole number %u .. %u%s%s, not '%.40s'",
                    spec->name, router->name, spec->low, spec->high,
                    spec->choices != NULL ? " or " : "", spec->choices != NULL ? spec->choices : "",
                    value);
    for (uint32_t i = 0; i < CHOICES_MOST && parameter_choice(spec, i, choices.word[i]); i++)
        choices.name[i] = choices.word[i];
    snprintf(singular, sizeof singular, "value of %s, a parameter of router %s:", spec->name,
             router->name);
    snprintf(plural, sizeof plural, "values of %s", spec->name);
    struct name_family family = {singular, plural, "", name_of_array, choices.name};
    return fail_unknown_name(failure, &family, value);
}

/* ---- values ---- */

/* Returns the index of `value` in a list of words with blanks between, in which a word in capitals
 * is any text; UINT32_MAX if it is not in it. */
static uint32_t choice_index(const char *choices, const char *value)
{
    size_t length = strlen(value);
    for (uint32_t index = 0; *choices != '\0'; index++) {
        size_t word = strcspn(choices, " ");
        bool is_any = *choices >= 'A' && *choices <= 'Z' && length > 0;
        if (is_any || (word == length && strncmp(choices, value, word) == 0))
            return index;
        choices += word + (choices[word] == ' ');
    }
    return UINT32_MAX;
}

static bool number_read(const char *text, uint32_t *number)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    unsigned long long value = strtoull(text, &end, 10);
    *number = (uint32_t)value;
    return *end == '\0' && value <= UINT32_MAX;
}

static const char *given_value(const struct router_options *options, const char *name)
{
    const char *value = NULL;
    for (uint32_t i = 0; i < options->parameters; i++)
        if (strcmp(options->parameter[i].name, name) == 0)
            value = options->parameter[i].value;
    return value;
}

static uint32_t spec_value(const struct parameter_spec *spec, const char *value)
{
    uint32_t number;
    bool takes_numbers = spec->choices == NULL || spec->high > 0;
    if (takes_numbers && number_read(value, &number) && number >= spec->low && number <= spec->high)
        return number;
    uint32_t choice = spec->choices == NULL ? UINT32_MAX : choice_index(spec->choices, value);
    return choice == UINT32_MAX || !takes_numbers ? choice : spec->high + 1 + choice;
}

bool parameter_takes(const struct parameter_spec *spec, const char *value)
{
    return spec_value(spec, value) != UINT32_MAX;
}

uint32_t routing_parameter(const struct routing *routing, const struct parameter_spec *specs,
                           const char *name)
{
    while (strcmp(specs->name, name) != 0)
        specs++;
    const char *given = given_value(routing->options, name);
    return spec_value(specs, given != NULL ? given : specs->standard);
}

const char *routing_text(const struct routing *routing, const struct parameter_spec *specs,
                         const char *name)
{
    while (strcmp(specs->name, name) != 0)
        specs++;
    const char *given = given_value(routing->options, name);
    return given != NULL ? given : specs->standard;
}

void routing_use(const struct routing *routing, const char *name, const char *value)
{
    for (uint32_t i = 0; i < routing->result->parameters; i++) {
        struct router_used_parameter *used = &routing->result->parameter[i];
        if (strcmp(used->name, name) == 0)
            snprintf(used->value, sizeof used->value, "%s", value);
    }
}

/* ---- effects ---- */

/* True if the parameter has an effect with these options; else *length is that of the other
 * parameter's name in its need, and *value is that parameter's value. */
static bool has_effect(const struct router_method *method, const struct parameter_spec *spec,
                       const struct router_options *options, int *length, const char **value)
{
    const struct parameter_spec *other = method->specs;
    if (spec->needs == NULL)
        return true;
    *length = (int)strcspn(spec->needs, "=");
    while (strncmp(other->name, spec->needs, (size_t)*length) != 0 || other->name[*length] != '\0')
        other++;
    *value = given_value(options, other->name);
    if (*value == NULL)
        *value = other->standard;
    return strcmp(spec->needs + *length + 1, *value) == 0;
}

enum failure_kind parameter_value_check(const struct router_method *method, const char *name,
                                        const char *value, const struct parameter_spec **found,
                                        struct failure *failure)
{
    const struct parameter_spec *spec = method->specs;
    while (spec->name != NULL && strcmp(spec->name, name) != 0)
        spec++;
    *found = spec;
    if (spec->name == NULL)
        return fail_unknown_parameter(failure, &method->shown, method->specs, name);
    if (!parameter_takes(spec, value))
        return fail_parameter_value(failure, &method->shown, spec, value);
    return FAIL_NONE;
}

static enum failure_kind parameter_check(const struct router_method *method,
                                         const struct router_options *options, const char *name,
                                         const char *value, struct failure *failure)
{
    const struct parameter_spec *spec;
    if (parameter_value_check(method, name, value, &spec, failure) != FAIL_NONE)
        return FAIL_USAGE;
    int length;
    const char *other;
    if (has_effect(method, spec, options, &length, &other))
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "parameter %s of router %s has no effect with %.*s=%.40s; it needs %s", name,
                method->shown.name, length, spec->needs, other, spec->needs);
}

enum failure_kind parameters_check(const struct router_method *method,
                                   const struct router_options *options, struct failure *failure)
{
    for (uint32_t i = 0; i < options->parameters; i++) {
        const struct router_parameter *given = &options->parameter[i];
        if (parameter_check(method, options, given->name, given->value, failure) != FAIL_NONE)
            return FAIL_USAGE;
    }
    return FAIL_NONE;
}

void routing_reset_parameters(const struct router_method *method, struct routing *routing)
{
    struct router_result *result = routing->result;
    result->ran_as[0] = '\0';
    result->parameters = 0;
    for (const struct parameter_spec *spec = method->specs; spec->name != NULL; spec++) {
        int length;
        const char *other;
        if (!has_effect(method, spec, routing->options, &length, &other))
            continue;
        struct router_used_parameter *used = &result->parameter[result->parameters++];
        const char *given = given_value(routing->options, spec->name);
        snprintf(used->name, sizeof used->name, "%s", spec->name);
        snprintf(used->value, sizeof used->value, "%s", given != NULL ? given : spec->standard);
    }
}

void routing_runs_as(const struct routing *routing, const char *name)
{
    struct router_result *result = routing->result;
    snprintf(result->ran_as, sizeof result->ran_as, "%s", name);
    result->parameters = 0;
}
