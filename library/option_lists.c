/* option_lists.c - reads lists of values from the command line.
 *
 * Method: a value is cut at its commas in place, so words live as long as argv. Every element goes
 * through one function that appends it or says what is accepted; an element that is already there
 * is left out, so that a sweep never has the same run twice. An option that is given again adds to
 * its list. Numbers are read as strictly as elsewhere: digits alone.
 */
#include "library/option_lists.h"

#include "library/adversary_graph.h"
#include "library/option_table.h"
#include "library/run_options.h"
#include "workloads/pattern.h"

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
    return fail(failure, FAIL_USAGE, "--%s takes %d values at most", option, OPTION_LIST_MAX);
}

/* ---- numbers ---- */

static enum failure_kind append_number(struct number_list *list, uint32_t number,
                                       const char *option, struct failure *failure)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->value[i] == number)
            return FAIL_NONE;
    if (list->count == OPTION_LIST_MAX)
        return fail_too_long(failure, option);
    list->value[list->count++] = number;
    return FAIL_NONE;
}

static enum failure_kind accept_number(void *list, const char *option, char *word,
                                       struct failure *failure)
{
    const char *end;
    uint32_t number = option_scan_number(word, MESH_MAX_NODES, &end);
    if (number == 0 || *end != '\0')
        return fail(failure, FAIL_USAGE, "--%s takes whole numbers from 1 to %d, not '%.40s'",
                    option, MESH_MAX_NODES, word);
    return append_number(list, number, option, failure);
}

static enum failure_kind accept_numbers(struct number_list *list, const char *option, char *value,
                                        struct failure *failure)
{
    return each_word(list, option, value, accept_number, failure);
}

int accept_list_degrees(void *field, char *value, struct failure *failure)
{
    return accept_numbers(field, "degree", value, failure);
}

int accept_list_congestions(void *field, char *value, struct failure *failure)
{
    return accept_numbers(field, "congestion", value, failure);
}

int accept_list_per_nodes(void *field, char *value, struct failure *failure)
{
    return accept_numbers(field, "per-node", value, failure);
}

int accept_list_buffers(void *field, char *value, struct failure *failure)
{
    return accept_numbers(field, "buffer", value, failure);
}

/* Appends the place of the word among `names`, which end with NULL. */
static enum failure_kind accept_choice(struct number_list *list, const char *option,
                                       const char *const *names, const char *word,
                                       struct failure *failure)
{
    uint32_t place = 0;
    if (option_take_choice(option, names, word, &place, failure) != FAIL_NONE)
        return failure->kind;
    return append_number(list, place, option, failure);
}

static enum failure_kind accept_copy(void *list, const char *option, char *word,
                                     struct failure *failure)
{
    return accept_choice(list, option, run_copy_names, word, failure);
}

int accept_list_copies(void *field, char *value, struct failure *failure)
{
    return each_word(field, "copy", value, accept_copy, failure);
}

static enum failure_kind accept_share(void *list, const char *option, char *word,
                                      struct failure *failure)
{
    return accept_choice(list, option, adversary_share_names, word, failure);
}

int accept_list_shares(void *field, char *value, struct failure *failure)
{
    return each_word(field, "against-share", value, accept_share, failure);
}

/* ---- meshes ---- */

static enum failure_kind accept_mesh(void *field, const char *option, char *word,
                                     struct failure *failure)
{
    struct mesh_list *list = field;
    struct mesh mesh;
    if (option_take_mesh(option, word, &mesh, failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->value[i].rows == mesh.rows && list->value[i].cols == mesh.cols)
            return FAIL_NONE;
    if (list->count == OPTION_LIST_MAX)
        return fail_too_long(failure, option);
    list->value[list->count++] = mesh;
    return FAIL_NONE;
}

int accept_list_meshes(void *field, char *value, struct failure *failure)
{
    return each_word(field, "side", value, accept_mesh, failure);
}

/* ---- names ---- */

static enum failure_kind accept_text(void *field, const char *option, char *word,
                                     struct failure *failure)
{
    struct word_list *list = field;
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->value[i], word) == 0)
            return FAIL_NONE;
    if (list->count == OPTION_LIST_MAX)
        return fail_too_long(failure, option);
    list->value[list->count++] = word;
    return FAIL_NONE;
}

const char *option_word_value(const char *word)
{
    if (word[strspn(word, "0123456789")] != '\0')
        return word;
    word += strspn(word, "0");
    return *word == '\0' ? word - 1 : word;
}

/* A constant's value, which may be a number. */
static enum failure_kind accept_value(void *field, const char *option, char *word,
                                      struct failure *failure)
{
    const struct word_list *list = field;
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(option_word_value(list->value[i]), option_word_value(word)) == 0)
            return FAIL_NONE;
    return accept_text(field, option, word, failure);
}

int accept_list_graphs(void *field, char *value, struct failure *failure)
{
    return each_word(field, "against", value, accept_text, failure);
}

int accept_list_files(void *field, char *value, struct failure *failure)
{
    return each_word(field, "set", value, accept_text, failure);
}

static enum failure_kind accept_pattern(void *field, const char *option, char *word,
                                        struct failure *failure)
{
    struct pattern_list *list = field;
    const struct pattern *pattern;
    if (pattern_look_up(word, &pattern, failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->value[i] == pattern)
            return FAIL_NONE;
    if (list->count == OPTION_LIST_MAX)
        return fail_too_long(failure, option);
    list->value[list->count++] = pattern;
    return FAIL_NONE;
}

int accept_list_patterns(void *field, char *value, struct failure *failure)
{
    return each_word(field, "pattern", value, accept_pattern, failure);
}

static enum failure_kind accept_router(void *field, const char *option, char *word,
                                       struct failure *failure)
{
    struct router_list *list = field;
    const struct router *router;
    if (run_find_router(word, &router, failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->value[i] == router)
            return FAIL_NONE;
    if (list->count == OPTION_LIST_MAX)
        return fail_too_long(failure, option);
    list->value[list->count++] = router;
    return FAIL_NONE;
}

int accept_list_routers(void *field, char *value, struct failure *failure)
{
    return each_word(field, "router", value, accept_router, failure);
}

int accept_list_constant(void *field, char *value, struct failure *failure)
{
    struct constant_list *list = field;
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
    struct constant_values *constant = &list->constant[place];
    constant->name = value;
    return each_word(&constant->values, "param", equals + 1, accept_value, failure);
}
