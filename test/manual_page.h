/* manual_page.h - a manual page as plain text, and the examples in it, for tests.
 *
 * An example is between .EX and .EE. A line "$ command" begins a command; it goes on while a line
 * ends in "\" or "|", and to the end of a here-document. The lines below it, up to the next "$ ",
 * are its output.
 */
#ifndef MESHCAST_TEST_MANUAL_PAGE_H
#define MESHCAST_TEST_MANUAL_PAGE_H

#include <stdbool.h>

enum { MANUAL_EXAMPLES = 128 };

struct manual_example {
    int line; /* of the page */
    char command[1024];
    char output[2048]; /* "": none is shown */
};

struct manual_page {
    const char *path;
    char *text; /* escapes of roff written out, macros kept at the beginnings of lines */
    struct manual_example example[MANUAL_EXAMPLES];
    int examples;
    int widest; /* line of an example, in columns */
};

/* Reads the page; the test fails if it cannot be read. */
struct manual_page *manual_page_read(const char *path);
void manual_page_free(struct manual_page *page);

/* True if `printed` agrees with `shown`: line by line, where a line "..." matches any lines and
 * "..." at a line's end any end; blanks count as one, and times and speeds are not compared. */
bool manual_output_matches(const char *shown, const char *printed);

#endif
