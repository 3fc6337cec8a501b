/* help_text.h - breaks the lines of --help so that they fit on a terminal. */
#ifndef MESHCAST_CLI_HELP_TEXT_H
#define MESHCAST_CLI_HELP_TEXT_H

#include <stdio.h>

enum { HELP_WIDTH = 80 /* columns of the narrowest supported terminal */ };

/* Writes `text`, ASCII with lines that end in '\n', so that no line is longer than HELP_WIDTH,
 * unless a single word is. A longer line is broken between words. Its rest goes to the beginning of
 * the next line if that line continues the same item, and else to a line of its own, under the
 * item's text. */
void help_text_write(const char *text, FILE *out);

#endif
