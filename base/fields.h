/* fields.h - the fields of a line: words separated by blanks, tabs or commas.
 *
 * A field that begins with a double quote ends at the next one. Blanks around a field do not belong
 * to it.
 */
#ifndef MESHCAST_BASE_FIELDS_H
#define MESHCAST_BASE_FIELDS_H

#include "base/byte_source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct field {
    const char *text; /* without the quotes around it */
    size_t length;
};

/* Returns the separator of the line's fields: a comma or a tab if the line has one, and otherwise a
 * blank, which means any number of blanks and tabs. The text after a brace, as of a program's
 * dictionary, is ignored. */
char field_separator(const struct byte_line *line);

/* Reads the next field, which is empty between two commas; false at the end of the line. */
bool field_next(struct field *field, char separator, const char **at, const char *end);

/* True if the field is only digits; *value becomes their number, UINT64_MAX beyond 2^64 - 1. */
bool field_natural(const struct field *field, uint64_t *value);

/* True if the field is `word`, in any case. */
bool field_equals(const struct field *field, const char *word);

#endif
