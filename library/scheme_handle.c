/* scheme_handle.c - the table of schemes as handles. */
#include "library/scheme_handle_private.h"

const struct meshcast_scheme *meshcast_scheme_find(const char *name, struct meshcast_error *error)
{
    struct failure failure = {0};
    const struct scheme *scheme = NULL;
    if (scheme_find(name, &scheme, &failure) != FAIL_NONE)
        scheme = NULL;
    error_give(error, &failure);
    return scheme_handle(scheme);
}

uint32_t meshcast_schemes(void)
{
    return scheme_count();
}

const struct meshcast_scheme *meshcast_scheme_at(uint32_t index)
{
    return scheme_handle(scheme_at(index));
}

const char *meshcast_scheme_name(const struct meshcast_scheme *scheme)
{
    return scheme_of(scheme)->name;
}

const char *meshcast_scheme_summary(const struct meshcast_scheme *scheme)
{
    return scheme_of(scheme)->summary;
}

uint32_t meshcast_scheme_parameters(const struct meshcast_scheme *scheme)
{
    uint32_t count = 0;
    while (count < SCHEME_PARAMETERS && scheme_of(scheme)->parameter[count].name != NULL)
        count++;
    return count;
}

const char *meshcast_scheme_parameter(const struct meshcast_scheme *scheme, uint32_t index,
                                      const char **help)
{
    if (help != NULL)
        *help = scheme_of(scheme)->parameter[index].help;
    return scheme_of(scheme)->parameter[index].name;
}

const char *meshcast_scheme_word(const struct meshcast_scheme *scheme, uint32_t index,
                                 uint32_t word)
{
    return word < SCHEME_CHOICES ? scheme_of(scheme)->parameter[index].choice[word] : NULL;
}
