/* fields.c - the fields of a line of an edge list, set apart by blanks, tabs or commas.
 *
 * A field that begins with a double quote goes to the next one. Blanks around a field do not belong to it.
 */
#include "workloads/fields.h"

#include "base/line_scan.h"

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

static const char *skip_digits(const char *c, const char *end)
{
    while (c < end && scan_is_digit(*c))
        c++;
    return c;
}

static const char *skip_sign(const char *c, const char *end)
{
    return c + (c < end && (*c == '+' || *c == '-'));
}

/* True if the field is a number, perhaps with a sign, a point or an exponent. */
static bool is_number(const struct field *field)
{
    const char *end = field->text + field->length, *digits = skip_sign(field->text, end);
    const char *c = skip_digits(digits, end);
    size_t count = (size_t)(c - digits);
    if (c < end && *c == '.') {
        const char *fraction = ++c;
        c = skip_digits(c, end);
        count += (size_t)(c - fraction);
    }
    if (count > 0 && c < end && (*c == 'e' || *c == 'E'))
        c = skip_digits(skip_sign(c + 1, end), end);
    return count > 0 && c == end;
}

bool field_is_word(const struct field *field)
{
    uint64_t value;
    if (field->length == 0 || strchr("{}[]<>()*;", *field->text) != NULL)
        return false;
    for (size_t i = 0; i < field->length; i++)
        if ((unsigned char)field->text[i] < ' ' || field->text[i] == 127)
            return false;
    return field_natural(field, &value) || !is_number(field);
}

bool field_equals(const struct field *field, const char *word)
{
    return strlen(word) == field->length && strncasecmp(field->text, word, field->length) == 0;
}
