/* option_lists.c - reads lists of values from the command line.
 *
 * Method: a value is cut at its commas in place, so words live as long as the value. Numbers are
 * brought to one form, also in place; a repeated word is left out, so that a sweep never has the
 * same run twice.
 */
#include "lab/option_lists.h"

#include <stdbool.h>
#include <string.h>

/* Drops the zeros that lead the number at the beginning of the word. */
static void drop_zeros(char *word)
{
    size_t zeros = strspn(word, "0"), digits = strspn(word, "0123456789");
    zeros -= zeros == digits && zeros > 0;
    memmove(word, word + zeros, strlen(word + zeros) + 1);
}

/* Brings a number, or two as 5x8, to one form: 08x8 is 8. */
static void write_number(char *word)
{
    if (word[strspn(word, "0123456789x")] != '\0')
        return;
    drop_zeros(word);
    size_t length = strcspn(word, "x");
    if (length == 0 || word[length] == '\0')
        return;
    drop_zeros(word + length + 1);
    if (strncmp(word, word + length + 1, length) == 0 && strlen(word) == 2 * length + 1)
        word[length] = '\0';
}

static enum failure_kind add_words(struct word_list *list, char *value, bool are_numbers,
                                   struct failure *failure)
{
    for (char *word = value, *comma; word != NULL; word = comma == NULL ? NULL : comma + 1) {
        uint32_t place = 0;
        comma = strchr(word, ',');
        if (comma != NULL)
            *comma = '\0';
        if (*word == '\0')
            return fail(failure, FAIL_USAGE, "a list has an empty word; write A,B without blanks");
        if (are_numbers)
            write_number(word);
        while (place < list->count && strcmp(list->value[place], word) != 0)
            place++;
        if (place == OPTION_LIST_MAX)
            return fail(failure, FAIL_USAGE, "a list has at most %d values", OPTION_LIST_MAX);
        list->value[place] = word;
        list->count += place == list->count;
    }
    return FAIL_NONE;
}

int accept_words(void *field, char *value, struct failure *failure)
{
    return add_words(field, value, false, failure);
}

int accept_numbers(void *field, char *value, struct failure *failure)
{
    return add_words(field, value, true, failure);
}

int accept_constant(void *field, char *value, struct failure *failure)
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
    list->count += place == list->count;
    list->constant[place].name = value;
    /* a value that is no mesh, as 08x8, keeps its form */
    return add_words(&list->constant[place].values, equals + 1, strchr(equals + 1, 'x') == NULL,
                     failure);
}
