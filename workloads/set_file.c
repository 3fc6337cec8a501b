/* set_file.c - reads a set, or makes one of what import knows.
 *
 * Invariant: a file is opened once, and its begin is looked at before anything is taken, so that standard input will do.
 */
#include "workloads/set_file.h"

#include <string.h>

const char *set_file_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Passes blanks and comments; NULL: the text, or what is seen of it, holds nothing else. */
static const char *first_word(const char *text, const char *end)
{
    while (text != NULL && text < end && strchr(" \t\r\n#", *text) != NULL)
        text = *text == '#' ? memchr(text, '\n', (size_t)(end - text)) : text + 1;
    return text == end ? NULL : text;
}

/* True if the text is the program's own: a set, or what is refused as one by its name. */
static bool is_own(struct byte_source *source)
{
    static const char *const words[] = {"mcast", "meshcast-", "expander"};
    const char *text;
    size_t length;
    byte_source_peek(source, BYTE_SOURCE_LONGEST_LINE, &text, &length);
    const char *end = text + length, *word = first_word(text, end);
    for (size_t i = 0; word != NULL && i < sizeof words / sizeof *words; i++)
        if ((size_t)(end - word) >= strlen(words[i]) &&
            memcmp(word, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

enum failure_kind set_file_read(struct message_set *set, struct import_summary *summary,
                                const char *path, const struct byte_sharing *sharing,
                                struct failure *failure)
{
    const struct import_options options = {0};
    struct byte_source *source;
    *set = (struct message_set){0};
    *summary = (struct import_summary){.format = IMPORT_BY_FILE};
    enum failure_kind kind = byte_source_open_shared(&source, sharing, path, failure);
    if (kind != FAIL_NONE)
        return kind;
    if (!is_own(source) && import_knows(source, path))
        return import_source(source, path, &options, set, summary, failure);
    return message_set_read_source(set, source, set_file_name(path), failure);
}
