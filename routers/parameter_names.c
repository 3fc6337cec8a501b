/* parameter_names.c - names of parameters and of their values, for messages and completion.
 *
 * A parameter's choices are one string of words with blanks between; they are cut into an array
 * where a family of names (base/suggestion.h) is wanted. That is done only to tell of a mistake.
 */
#include "routers/parameter_names.h"

#include "base/suggestion.h"

#include <stdio.h>
#include <string.h>

enum { CHOICES_MOST = 16 };

struct choices {
    char word[CHOICES_MOST][ROUTER_NAME_SIZE];
    const char *name[CHOICES_MOST + 1]; /* up to a NULL */
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

enum failure_kind fail_unknown_parameter(struct failure *failure, const struct router *router,
                                         const struct parameter_spec *specs, const char *name)
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

enum failure_kind fail_parameter_value(struct failure *failure, const struct router *router,
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
