/* printable.h - makes texts from outside, such as names of files, fit to be shown.
 *
 * A terminal obeys control characters, and a picture with bytes that are not UTF-8 is not XML. Code
 * that prints a name passes it through here first; JSON has its own rules and keeps the name.
 */
#ifndef MESHCAST_BASE_PRINTABLE_H
#define MESHCAST_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Room for the name of any file that can be opened. */
enum { PRINTABLE_NAME = 4096 };

/* Returns the number of bytes of the first character of `text`. Returns 0 at its end, and for a
 * character that must not be shown: a control character, one that ends a line or changes its
 * direction, or a byte that is not UTF-8. */
size_t printable_bytes(const char *text);

/* Replaces each byte that must not be shown by '?'. */
void printable_make(char *text);

/* Copies the text and makes it printable, cut after a whole character if `size` bytes are too few;
 * returns `to`. */
const char *printable_copy(char *to, size_t size, const char *text);

/* Copies a file's name as printable_copy(), but keeps its end if it is too long. "-" is "standard
 * input". */
const char *printable_name(const char *path, char text[PRINTABLE_NAME]);

/* True if the text is UTF-8. */
bool text_is_utf8(const char *text);

#endif
