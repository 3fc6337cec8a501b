/* sweep_lists.c - reads lists of values from the command line.
 *
 * Method: a value is cut at its commas in place, so words live as long as argv. Every element goes
 * through one function that appends it or says what is accepted; an element that is already there
 * is left out, so that a sweep never has the same run twice. Numbers are read as strictly as
 * elsewhere: digits alone.
 */
#include "cli/sweep_lists.h"

#include "cli/run_options.h"
#include "cli/suggestion.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* One word of a list; `option` is for messages. */
typedef enum failure_kind accept_word(void *list, const char *option, char *word,
                                      struct failure *failure);

static enum failure_kind each_word(void *list, const char *option, char *value, accept_word *accept,
                                   struct failure *failure)
{
    for (char *word = value; word != NULL;) {
        char *comma = strchr(word, ',');
        if (comma != NULL)
            *comma = '\0';
        if (*word == '\0')
            return fail(failure, FAIL_USAGE, "--%s has an empty word in its list", option);
        if (accept(list, option, word, failure) != FAIL_NONE)
            return failure->kind;
        word = comma == NULL ? NULL : comma + 1;
    }
    return FAIL_NONE;
}

static enum failure_kind fail_too_long(struct failure *failure, const char *option)
{
    return fail(failure, FAIL_USAGE, "--%s takes %d values at most", option, SWEEP_LIST_MAX);
}

/* ---- numbers ---- */

/* Digits alone, 1 .. most; what follows them begins at *end. 0 if it is not such a number. */
static uint32_t scan_number(const char *text, uint32_t most, const char **end)
{
    uint64_t number = 0;
    const char *at = text;
    for (; isdigit((unsigned char)*at) && number <= most; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    *end = at;
    return at == text || number > most ? 0 : (uint32_t)number;
}

static enum failure_kind append_number(struct sweep_numbers *list, uint32_t number,
                                       const char *option, struct failure *failure)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->value[i] == number)
            return FAIL_NONE;
    if (list->count == SWEEP_LIST_MAX)
        return fail_too_long(failure, option);
    list->value[list->count++] = number;
    return FAIL_NONE;
}

static enum failure_kind accept_number(void *list, const char *option, char *word,
                                       struct failure *failure)
{
    const char *end;
    uint32_t number = scan_number(word, MESH_MAX_NODES, &end);
    if (number == 0 || *end != '\0')
        return fail(failure, FAIL_USAGE, "--%s takes whole numbers from 1 to %d, not '%.40s'",
                    option, MESH_MAX_NODES, word);
    return append_number(list, number, option, failure);
}

static enum failure_kind accept_numbers(struct sweep_numbers *list, const char *option, char *value,
                                        struct failure *failure)
{
    list->count = 0;
    return each_word(list, option, value, accept_number, failure);
}

enum failure_kind sweep_accept_degrees(void *field, char *value, struct failure *failure)
{
    return accept_numbers(field, "degree", value, failure);
}

enum failure_kind sweep_accept_congestions(void *field, char *value, struct failure *failure)
{
    return accept_numbers(field, "congestion", value, failure);
}

enum failure_kind sweep_accept_buffers(void *field, char *value, struct failure *failure)
{
    return accept_numbers(field, "buffer", value, failure);
}

static enum failure_kind accept_copy(void *list, const char *option, char *word,
                                     struct failure *failure)
{
    struct run_options run = {0};
    for (run.copy = 0; run.copy < RUN_COPIES; run.copy++)
        if (strcmp(word, run_copy_name(&run)) == 0)
            return append_number(list, run.copy, option, failure);
    return fail(failure, FAIL_USAGE, "--copy takes unit, free or both, not '%.40s'", word);
}

enum failure_kind sweep_accept_copies(void *field, char *value, struct failure *failure)
{
    ((struct sweep_numbers *)field)->count = 0;
    return each_word(field, "copy", value, accept_copy, failure);
}

/* ---- meshes ---- */

static enum failure_kind accept_mesh(void *field, const char *option, char *word,
                                     struct failure *failure)
{
    struct sweep_meshes *list = field;
    const char *end;
    struct mesh mesh = {.rows = scan_number(word, MESH_MAX_SIDE, &end)};
    mesh.cols = mesh.rows;
    if (*end == 'x')
        mesh.cols = scan_number(end + 1, MESH_MAX_SIDE, &end);
    if (*end != '\0' || !mesh_is_valid(mesh.rows, mesh.cols))
        return fail(failure, FAIL_USAGE,
                    "--side takes sides M, or ROWSxCOLS, of at most %d, and %d nodes, not '%.40s'",
                    MESH_MAX_SIDE, MESH_MAX_NODES, word);
    for (uint32_t i = 0; i < list->count; i++)
        if (list->value[i].rows == mesh.rows && list->value[i].cols == mesh.cols)
            return FAIL_NONE;
    if (list->count == SWEEP_LIST_MAX)
        return fail_too_long(failure, option);
    list->value[list->count++] = mesh;
    return FAIL_NONE;
}

enum failure_kind sweep_accept_meshes(void *field, char *value, struct failure *failure)
{
    ((struct sweep_meshes *)field)->count = 0;
    return each_word(field, "side", value, accept_mesh, failure);
}

/* ---- names ---- */

static enum failure_kind accept_text(void *field, const char *option, char *word,
                                     struct failure *failure)
{
    struct sweep_words *list = field;
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->value[i], word) == 0)
            return FAIL_NONE;
    if (list->count == SWEEP_LIST_MAX)
        return fail_too_long(failure, option);
    list->value[list->count++] = word;
    return FAIL_NONE;
}

enum failure_kind sweep_accept_files(void *field, char *value, struct failure *failure)
{
    ((struct sweep_words *)field)->count = 0;
    return each_word(field, "set", value, accept_text, failure);
}

static const char *pattern_name_at(const void *context, uint32_t index)
{
    (void)context;
    return pattern_at(index)->name;
}

static enum failure_kind accept_pattern(void *field, const char *option, char *word,
                                        struct failure *failure)
{
    struct sweep_patterns *list = field;
    struct name_family family = {"pattern", "patterns", "", pattern_count(), pattern_name_at, NULL};
    const struct pattern *pattern = pattern_find(word);
    if (pattern == NULL)
        return fail_unknown_name(failure, &family, word);
    for (uint32_t i = 0; i < list->count; i++)
        if (list->value[i] == pattern)
            return FAIL_NONE;
    if (list->count == SWEEP_LIST_MAX)
        return fail_too_long(failure, option);
    list->value[list->count++] = pattern;
    return FAIL_NONE;
}

enum failure_kind sweep_accept_patterns(void *field, char *value, struct failure *failure)
{
    ((struct sweep_patterns *)field)->count = 0;
    return each_word(field, "pattern", value, accept_pattern, failure);
}

static enum failure_kind accept_router(void *field, const char *option, char *word,
                                       struct failure *failure)
{
    struct sweep_routers *list = field;
    const struct router *router = router_find(word);
    if (router == NULL)
        return run_fail_unknown_router(failure, word);
    for (uint32_t i = 0; i < list->count; i++)
        if (list->value[i] == router)
            return FAIL_NONE;
    if (list->count == SWEEP_LIST_MAX)
        return fail_too_long(failure, option);
    list->value[list->count++] = router;
    return FAIL_NONE;
}

enum failure_kind sweep_accept_routers(void *field, char *value, struct failure *failure)
{
    ((struct sweep_routers *)field)->count = 0;
    return each_word(field, "router", value, accept_router, failure);
}

enum failure_kind sweep_accept_constant(void *field, char *value, struct failure *failure)
{
    struct sweep_constants *list = field;
    char *equals = strchr(value, '=');
    uint32_t place = 0;
    if (equals == NULL || equals == value || equals[1] == '\0')
        return fail(failure, FAIL_USAGE, "--param takes NAME=VALUE[,VALUE...], not '%.40s'", value);
    *equals = '\0';
    while (place < list->count && strcmp(list->constant[place].name, value) != 0)
        place++;
    if (place == ROUTER_MAX_PARAMETERS)
        return fail(failure, FAIL_USAGE, "--param takes %d names at most", ROUTER_MAX_PARAMETERS);
    if (place == list->count)
        list->count++;
    struct sweep_constant *constant = &list->constant[place];
    *constant = (struct sweep_constant){.name = value};
    return each_word(&constant->values, "param", equals + 1, accept_text, failure);
}
