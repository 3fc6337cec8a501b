/* fields.h - the fields of a line: words set apart by blanks, tabs or commas.
 *
 * A field that begins with a double quote goes to the next one. Blanks around a field do not belong
 * to it.
 */
#ifndef MESHCAST_BASE_FIELDS_H
#define MESHCAST_BASE_FIELDS_H

#include "base/byte_source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct field {
    const char *text; /* without quotes around it */
    size_t length;
};

/* Returns what sets the fields of a line apart: a comma or a tab if the line has one, and otherwise
 * a blank, which stands for any number of blanks and tabs. What follows a brace, as of a program's
 * dictionary, does not count. */
char field_separator(const struct byte_line *line);

/* Takes the next field, which is empty between two commas; false at the end of the line. */
bool field_next(struct field *field, char separator, const char **at, const char *end);

/* True if the field is only digits; *value becomes their number, UINT64_MAX beyond 2^64 - 1. */
bool field_natural(const struct field *field, uint64_t *value);

/* True if the field is `word`, in any case. */
bool field_equals(const struct field *field, const char *word);

#endif
