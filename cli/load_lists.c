/* load_lists.c - reads the lists of `load`. An option that is given again replaces its list. */
#include "cli/load_lists.h"

#include <stdlib.h>
#include <string.h>

/* Calls `add` for each element of the list `value`, which is cut up. */
static enum failure_kind for_elements(void *field, char *value,
                                      enum failure_kind (*add)(void *field, const char *text,
                                                               struct failure *failure),
                                      struct failure *failure)
{
    for (char *text = value; text != NULL;) {
        char *comma = strchr(text, ',');
        if (comma != NULL)
            *comma = '\0';
        if (add(field, text, failure) != FAIL_NONE)
            return failure->kind;
        text = comma == NULL ? NULL : comma + 1;
    }
    return FAIL_NONE;
}

/* `value` has `size` bytes, and `list` `count` of them. */
static enum failure_kind check_room(const void *list, uint32_t count, const void *value,
                                    size_t size, const char *text, struct failure *failure)
{
    for (uint32_t i = 0; i < count; i++)
        if (memcmp((const char *)list + i * size, value, size) == 0)
            return fail(failure, FAIL_USAGE, "a list has '%.40s' twice; once is enough", text);
    if (count < LOAD_LIST_MAX)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE, "a list has %d values at most; run load again for the others",
                LOAD_LIST_MAX);
}

/* Reads a number above 0 and up to 1. False: `text` is no such number. */
static bool read_fraction(const char *text, double *fraction)
{
    char *end = NULL;
    if (*text == '\0' || strspn(text, "0123456789.eE-+") < strlen(text))
        return false;
    *fraction = strtod(text, &end);
    return *end == '\0' && *fraction > 0 && *fraction <= 1;
}

int accept_share(void *field, char *value, struct failure *failure)
{
    if (read_fraction(value, field))
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "--multicast-share takes the share of messages that are multicasts, above 0 and up "
                "to 1, such as 0.1, not '%.40s'",
                value);
}

static enum failure_kind add_rate(void *field, const char *text, struct failure *failure)
{
    struct rate_list *list = field;
    double rate;
    if (!read_fraction(text, &rate))
        return fail(failure, FAIL_USAGE,
                    "--rate takes messages per node and cycle, above 0 and up to 1, such as 0.01, "
                    "not '%.40s'",
                    text);
    if (check_room(list->value, list->count, &rate, sizeof rate, text, failure) == FAIL_NONE)
        list->value[list->count++] = rate;
    return failure->kind;
}

int accept_rates(void *field, char *value, struct failure *failure)
{
    ((struct rate_list *)field)->count = 0;
    return for_elements(field, value, add_rate, failure);
}

static enum failure_kind add_destinations(void *field, const char *text, struct failure *failure)
{
    struct destinations_list *list = field;
    const char *end;
    uint32_t number = option_scan_number(text, TOPOLOGY_MAX_NODES, &end);
    if (number == 0 || *end != '\0')
        return fail(failure, FAIL_USAGE,
                    "--destinations takes numbers of nodes from 1 to %d, not '%.40s'",
                    TOPOLOGY_MAX_NODES, text);
    if (check_room(list->value, list->count, &number, sizeof number, text, failure) == FAIL_NONE)
        list->value[list->count++] = number;
    return failure->kind;
}

int accept_destinations(void *field, char *value, struct failure *failure)
{
    ((struct destinations_list *)field)->count = 0;
    return for_elements(field, value, add_destinations, failure);
}

static enum failure_kind add_flits(void *field, const char *text, struct failure *failure)
{
    struct flits_list *list = field;
    struct flits_range range;
    if (flits_range_read(text, &range, failure) == FAIL_NONE &&
        check_room(list->value, list->count, &range, sizeof range, text, failure) == FAIL_NONE)
        list->value[list->count++] = range;
    return failure->kind;
}

int accept_flits_list(void *field, char *value, struct failure *failure)
{
    ((struct flits_list *)field)->count = 0;
    return for_elements(field, value, add_flits, failure);
}

static enum failure_kind add_scheme(void *field, const char *text, struct failure *failure)
{
    struct scheme_list *list = field;
    const struct scheme *scheme;
    if (scheme_find(text, &scheme, failure) == FAIL_NONE &&
        check_room(list->value, list->count, &scheme, sizeof scheme, text, failure) == FAIL_NONE)
        list->value[list->count++] = scheme;
    return failure->kind;
}

int accept_schemes(void *field, char *value, struct failure *failure)
{
    ((struct scheme_list *)field)->count = 0;
    return for_elements(field, value, add_scheme, failure);
}
