/* help_text.c - breaks the lines of --help so that they fit on a terminal.
 *
 * Method: help is written by hand and by tables, in items: a name, two blanks or more, and the
 * item's text, whose further lines begin under that text, or at least further right than the name.
 * A line with no such gap is an item whose text begins at its first word. Lines that fit are left
 * as they are, so a table's own line breaks stay wherever they can.
 */
#include "cli/help_text.h"

#include <stdbool.h>
#include <string.h>

enum { MOST_CARRIED = 512 };

/* Returns where the text after the gap of a line begins; 0: the line has no gap, so it names no
 * item. */
static size_t behind_gap(const char *line, size_t length)
{
    for (size_t i = strspn(line, " "); i + 2 < length; i++)
        if (line[i] == ' ' && line[i + 1] == ' ')
            return i + strspn(line + i, " ");
    return 0;
}

/* Returns where further lines of the item begin whose first line this is: under its text, if that
 * leaves half a line. */
static size_t text_column(const char *line, size_t length)
{
    size_t indent = strspn(line, " "), column = behind_gap(line, length);
    if (column == 0)
        return indent;
    return column < HELP_WIDTH / 2 ? column : indent + 2;
}

/* Returns how many bytes of the line fit. The rest begins with a blank; all bytes if no blank is
 * early enough. */
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

/* Writes a line of the item whose text begins at `column`, and keeps the rest that does not fit in
 * `carried`. */
static void write_line(const char *line, size_t column, char carried[MOST_CARRIED], FILE *out)
{
    size_t length = strlen(line), fits = fitting(line, length, column);
    fprintf(out, "%.*s\n", (int)fits, line);
    fits += strspn(line + fits, " ");
    snprintf(carried, MOST_CARRIED, "%s", line + fits);
}

/* Writes the carried text on lines of its own. */
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
                         (indent == column || indent > item) && behind_gap(text, length) == 0;
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
