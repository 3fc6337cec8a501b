/* help_text.c - breaks the lines of --help so that they fit on a terminal.
 *
 * Method: help is written by hand and by tables, in items: a name, two blanks or more, and the item's text, whose further
 * lines begin under that text, or at least further right than the name. A line with no such gap is an item whose text begins at its first word. Lines that fit
 * are left as they are, so a table's own line breaks stay wherever they can.
 */
#include "console/help_text.h"

#include <stdbool.h>
#include <string.h>

enum { MOST_CARRIED = 512 };

/* Where the text of the item begins whose first line this is. */
static size_t text_column(const char *line, size_t length)
{
    size_t indent = strspn(line, " ");
    for (size_t i = indent; i + 2 < length; i++)
        if (line[i] == ' ' && line[i + 1] == ' ') {
            while (line[i] == ' ')
                i++;
            return i < HELP_WIDTH / 2 ? i : indent;
        }
    return indent;
}

/* How many bytes of the line fit. What is behind them begins with a blank; all of it if no blank comes early enough. */
static size_t fitting(const char *line, size_t length, size_t column)
{
    if (length <= HELP_WIDTH)
        return length;
    for (size_t i = HELP_WIDTH; i > column; i--)
        if (line[i] == ' ')
            return i;
    size_t word = column + strcspn(line + column, " ");
    return word < length ? word : length;
}

/* Writes a line of the item whose text begins at `column`, and keeps in `carried` what does not fit. */
static void write_line(const char *line, size_t column, char carried[MOST_CARRIED], FILE *out)
{
    size_t length = strlen(line), fits = fitting(line, length, column);
    fprintf(out, "%.*s\n", (int)fits, line);
    fits += strspn(line + fits, " ");
    snprintf(carried, MOST_CARRIED, "%s", line + fits);
}

/* Writes what is carried on lines of its own. */
static void write_carried(char carried[MOST_CARRIED], size_t column, FILE *out)
{
    char line[MOST_CARRIED + HELP_WIDTH];
    while (carried[0] != '\0') {
        snprintf(line, sizeof line, "%*s%s", (int)column, "", carried);
        write_line(line, column, carried, out);
    }
}

void help_text_write(const char *text, FILE *out)
{
    char carried[MOST_CARRIED] = "", line[2 * MOST_CARRIED];
    size_t column = 0, item = 0; /* where its text begins, and its name */
    while (*text != '\0') {
        size_t length = strcspn(text, "\n"), indent = strspn(text, " ");
        bool continues = carried[0] != '\0' && length > indent &&
                         (indent == column || indent > item) && text_column(text, length) == indent;
        if (continues) {
            column = indent;
            snprintf(line, sizeof line, "%*s%s %.*s", (int)column, "", carried,
                     (int)(length - indent), text + indent);
        } else {
            write_carried(carried, column, out);
            column = text_column(text, length);
            item = indent;
            snprintf(line, sizeof line, "%.*s", (int)length, text);
        }
        write_line(line, column, carried, out);
        text += length + (text[length] == '\n');
    }
    write_carried(carried, column, out);
}
