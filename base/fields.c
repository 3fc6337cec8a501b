/* fields.c - cuts a line into fields. */
#include "base/fields.h"

#include "base/text_scan.h"

#include <string.h>
#include <strings.h>

char field_separator(const struct byte_line *line)
{
    const char *brace = memchr(line->text, '{', (size_t)(line->end - line->text));
    size_t length = (size_t)((brace != NULL ? brace : line->end) - line->text);
    if (memchr(line->text, ',', length) != NULL)
        return ',';
    return memchr(line->text, '\t', length) != NULL ? '\t' : ' ';
}

bool field_next(struct field *field, char separator, const char **at, const char *end)
{
    const char *c = scan_blanks(*at, end);
    if (c == end)
        return false;
    const char *quote = *c == '"' ? memchr(c + 1, '"', (size_t)(end - c - 1)) : NULL;
    field->text = quote != NULL ? c + 1 : c;
    const char *last = quote;
    c = quote != NULL ? quote + 1 : c;
    while (c < end && (separator == ' ' ? !scan_is_blank(*c) : *c != separator))
        c++;
    if (last == NULL)
        for (last = c; last > field->text && scan_is_blank(last[-1]);)
            last--;
    field->length = (size_t)(last - field->text);
    *at = scan_blanks(c + (c < end && *c == separator), end);
    return true;
}

bool field_natural(const struct field *field, uint64_t *value)
{
    const char *at = field->text, *end = at + field->length;
    return field->length > 0 && scan_decimal(&at, end, value) && at == end;
}

bool field_equals(const struct field *field, const char *word)
{
    return strlen(word) == field->length && strncasecmp(field->text, word, field->length) == 0;
}
