/* suggestion.c - names the nearest of a family of names to a mistyped word.
 *
 * Method: the edit distance of Levenshtein and Damerau (insert, delete, replace, exchange
 * neighbours), three rows of the table kept. A name is near if at most a third of its letters, and
 * at least one, must be changed, or if the word is a beginning of it of two letters or more. Words
 * longer than WORD_MAX have no near name, which bounds the row.
 *
 * Cost: O(length of the word x length of the name) per name.
 */
#include "base/suggestion.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 40 };

static size_t least_of_three(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* row[k][i]: the distance between i letters of the word and j - k letters of the name. */
static size_t edit_distance(const char *word, const char *name)
{
    size_t row[3][WORD_MAX + 1] = {{0}};
    size_t length = strlen(word);
    for (size_t i = 0; i <= length; i++)
        row[0][i] = i;
    for (size_t j = 1; name[j - 1] != '\0'; j++) {
        memcpy(row[2], row[1], sizeof row[2]);
        memcpy(row[1], row[0], sizeof row[1]);
        row[0][0] = j;
        for (size_t i = 1; i <= length; i++) {
            size_t replaced = row[1][i - 1] + (word[i - 1] != name[j - 1]);
            row[0][i] = least_of_three(replaced, row[1][i] + 1, row[0][i - 1] + 1);
            bool exchanged =
                i > 1 && j > 1 && word[i - 1] == name[j - 2] && word[i - 2] == name[j - 1];
            if (exchanged && row[2][i - 2] + 1 < row[0][i])
                row[0][i] = row[2][i - 2] + 1;
        }
    }
    return row[0][length];
}

/* Returns the distance of the word to the name. 0: the word begins it; SIZE_MAX: it is not near. */
static size_t nearness(const char *word, const char *name)
{
    size_t length = strlen(word);
    if (length > WORD_MAX)
        return SIZE_MAX;
    if (length >= 2 && strncmp(word, name, length) == 0)
        return 0;
    size_t distance = edit_distance(word, name);
    size_t allowed = strlen(name) / 3 > 1 ? strlen(name) / 3 : 1;
    return distance <= allowed && distance < strlen(name) ? distance : SIZE_MAX;
}

static const char *nearest_name(const struct name_family *family, const char *word)
{
    size_t prefix = strlen(family->prefix);
    if (strncmp(word, family->prefix, prefix) == 0)
        word += prefix;
    const char *nearest = NULL, *name;
    size_t least = SIZE_MAX;
    for (uint32_t i = 0; (name = family->name_at(family->context, i)) != NULL; i++) {
        size_t distance = nearness(word, name);
        if (distance < least) {
            least = distance;
            nearest = name;
        }
    }
    return nearest;
}

const char *name_of_array(const void *context, uint32_t index)
{
    const char *const *names = context;
    return names[index];
}

uint32_t name_family_index(const struct name_family *family, const char *word)
{
    const char *name;
    for (uint32_t i = 0; (name = family->name_at(family->context, i)) != NULL; i++)
        if (strcmp(name, word) == 0)
            return i;
    return UINT32_MAX;
}

enum failure_kind name_family_find(const struct name_family *family, const char *word,
                                   uint32_t *index, struct failure *failure)
{
    uint32_t found = name_family_index(family, word);
    if (found == UINT32_MAX)
        return fail_unknown_name(failure, family, word);
    *index = found;
    return FAIL_NONE;
}

void name_family_list(const struct name_family *family, char *text, size_t size)
{
    size_t used = 0;
    const char *name;
    text[0] = '\0';
    for (uint32_t i = 0; (name = family->name_at(family->context, i)) != NULL; i++) {
        bool is_last = family->name_at(family->context, i + 1) == NULL;
        size_t next = used + (i > 0 ? 2 : 0) + strlen(family->prefix) + strlen(name);
        if (next + (is_last ? 0 : strlen(", ..")) >= size) {
            snprintf(text + used, size - used, "%s..", i > 0 ? ", " : "");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s%s", i > 0 ? ", " : "",
                                 family->prefix, name);
    }
}

/* Returns the text after the colon of "NAME:NAME=VALUE" whose first name is one of the family;
 * NULL: the word has no such form. */
static const char *own_parameters(const struct name_family *family, const char *word)
{
    const char *colon = strchr(word, ':');
    char name[64];
    if (colon == NULL)
        return NULL;
    snprintf(name, sizeof name, "%.*s", (int)(colon - word), word);
    return name_family_index(family, name) == UINT32_MAX ? NULL : colon + 1;
}

/* True if the word is several names with blanks between them. */
static bool is_list_with_blank(const struct name_family *family, const char *word)
{
    char first[64];
    size_t length = strcspn(word, " ");
    snprintf(first, sizeof first, "%.*s", (int)length, word);
    return word[length] == ' ' && name_family_index(family, first) != UINT32_MAX;
}

enum failure_kind fail_unknown_name(struct failure *failure, const struct name_family *family,
                                    const char *word)
{
    char names[320];
    const char *nearest = nearest_name(family, word), *own = own_parameters(family, word);
    if (is_list_with_blank(family, word))
        return fail(failure, FAIL_USAGE,
                    "unknown %s '%.40s'; names of a list have commas between them, not blanks",
                    family->singular, word);
    if (own != NULL)
        return fail(failure, FAIL_USAGE,
                    "unknown %s '%.40s'; '--param %.40s' sets a parameter here", family->singular,
                    word, own);
    if (nearest != NULL)
        return fail(failure, FAIL_USAGE, "unknown %s '%.40s'; did you mean '%s%s'?",
                    family->singular, word, family->prefix, nearest);
    name_family_list(family, names, sizeof names);
    return fail(failure, FAIL_USAGE, "unknown %s '%.40s'; the %s are: %s", family->singular, word,
                family->plural, names);
}
