/* printable.h - texts from outside, such as names of files, that are shown to people.
 *
 * A terminal obeys control characters, and a picture that has bytes which are no UTF-8 is no XML. Whatever prints a name
 * passes it through here first; JSON has rules of its own and keeps the name.
 */
#ifndef MESHCAST_BASE_PRINTABLE_H
#define MESHCAST_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Room for the name of any file that can be opened. */
enum { PRINTABLE_NAME = 4096 };

/* Returns the number of bytes of the character that `text` begins with; 0 at the end, and of what is not to be shown:
 * a control character, one that changes the direction of a line or ends it, or a byte that is no UTF-8. */
size_t printable_bytes(const char *text);

/* Writes '?' over each byte of what is not to be shown. */
void printable_make(char *text);

/* Copies the text and makes it printable, cut after a whole character where `size` bytes are too few; returns `to`. */
const char *printable_copy(char *to, size_t size, const char *text);

/* printable_copy() of a file's name, of which the end stays if it is too long: "-" is "standard input". */
const char *printable_name(const char *path, char text[PRINTABLE_NAME]);

/* True if the text is UTF-8. */
bool text_is_utf8(const char *text);

#endif
