/* option_lists.c - reads lists of values from the command line.
 *
 * Method: a value is cut at its commas in place, so words live as long as argv. Every word is checked, which brings it to one
 * form, in place as well; one that is already there is left out, so that a sweep never has the same run twice.
 */
#include "lab/option_lists.h"

#include "library/adversary_graph.h"
#include "library/option_table.h"
#include "library/run_options.h"
#include "workloads/pattern.h"

#include <inttypes.h>
#include <string.h>

/* Checks one word and brings it to one form; `option` is for messages. */
typedef enum failure_kind check_word(const char *option, char *word, struct failure *failure);

static enum failure_kind add_word(struct word_list *list, const char *option, const char *word,
                                  struct failure *failure)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->value[i], word) == 0)
            return FAIL_NONE;
    if (list->count == OPTION_LIST_MAX)
        return fail(failure, FAIL_USAGE, "--%s takes %d values at most", option, OPTION_LIST_MAX);
    list->value[list->count++] = word;
    return FAIL_NONE;
}

static enum failure_kind add_words(struct word_list *list, const char *option, char *value,
                                   check_word *check, struct failure *failure)
{
    for (char *word = value; word != NULL;) {
        char *comma = strchr(word, ',');
        if (comma != NULL)
            *comma = '\0';
        if (*word == '\0')
            return fail(failure, FAIL_USAGE, "--%s has an empty word in its list", option);
        if (check(option, word, failure) != FAIL_NONE ||
            add_word(list, option, word, failure) != FAIL_NONE)
            return failure->kind;
        word = comma == NULL ? NULL : comma + 1;
    }
    return FAIL_NONE;
}

static enum failure_kind check_number(const char *option, char *word, struct failure *failure)
{
    const char *end;
    uint32_t number = option_scan_number(word, MESH_MAX_NODES, &end);
    if (number == 0 || *end != '\0')
        return fail(failure, FAIL_USAGE, "--%s takes whole numbers from 1 to %d, not '%.40s'",
                    option, MESH_MAX_NODES, word);
    snprintf(word, strlen(word) + 1, "%" PRIu32, number);
    return FAIL_NONE;
}

static enum failure_kind check_mesh(const char *option, char *word, struct failure *failure)
{
    struct mesh mesh;
    if (option_take_mesh(option, word, &mesh, failure) != FAIL_NONE)
        return failure->kind;
    snprintf(word, strlen(word) + 1, mesh.rows == mesh.cols ? "%" PRIu32 : "%" PRIu32 "x%" PRIu32,
             mesh.rows, mesh.cols);
    return FAIL_NONE;
}

static enum failure_kind check_copy(const char *option, char *word, struct failure *failure)
{
    uint32_t place;
    return option_take_choice(option, run_copy_names, word, &place, failure);
}

static enum failure_kind check_share(const char *option, char *word, struct failure *failure)
{
    uint32_t place;
    return option_take_choice(option, adversary_share_names, word, &place, failure);
}

static enum failure_kind check_pattern(const char *option, char *word, struct failure *failure)
{
    const struct pattern *pattern;
    (void)option;
    return pattern_look_up(word, &pattern, failure);
}

static enum failure_kind check_router(const char *option, char *word, struct failure *failure)
{
    const struct router *router;
    (void)option;
    return run_find_router(word, &router, failure);
}

static enum failure_kind check_text(const char *option, char *word, struct failure *failure)
{
    (void)option;
    (void)word;
    return failure->kind;
}

/* A constant's value, which may be a number: 01 and 1 are the same. */
static enum failure_kind check_value(const char *option, char *word, struct failure *failure)
{
    size_t zeros = strspn(word, "0"), length = strlen(word);
    (void)option;
    if (strspn(word, "0123456789") == length && zeros > 0) {
        zeros -= zeros == length;
        memmove(word, word + zeros, length - zeros + 1);
    }
    return failure->kind;
}

#define ACCEPT(lists, option, check)                                                               \
    int accept_list_##lists(void *field, char *value, struct failure *failure)                     \
    {                                                                                              \
        return add_words(field, option, value, check, failure);                                    \
    }

ACCEPT(degrees, "degree", check_number)
ACCEPT(congestions, "congestion", check_number)
ACCEPT(per_nodes, "per-node", check_number)
ACCEPT(buffers, "buffer", check_number)
ACCEPT(meshes, "side", check_mesh)
ACCEPT(graphs, "against", check_text)
ACCEPT(files, "set", check_text)
ACCEPT(copies, "copy", check_copy)
ACCEPT(shares, "against-share", check_share)
ACCEPT(patterns, "pattern", check_pattern)
ACCEPT(routers, "router", check_router)

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
    return add_words(&constant->values, "param", equals + 1, check_value, failure);
}
