/* terminal.h - a terminal for the program under test, where the system can make one. */
#ifndef MESHCAST_TEST_TERMINAL_H
#define MESHCAST_TEST_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>

enum { TERMINAL_TEXT = 1 << 16 };

struct terminal {
    int master, slave;
    pid_t child;
    char text[TERMINAL_TEXT]; /* the text written to it so far, cut at its beginning */
};

/* Opens a terminal. False, with a word on standard output, if the system makes no terminals (no
 * /dev/pts). */
bool terminal_open(struct terminal *terminal);

/* Runs a command of the shell on it: all three streams are the terminal. */
void terminal_start(struct terminal *terminal, const char *command);

/* Types the text. */
void terminal_type(struct terminal *terminal, const char *text);

/* Waits until the text has been written; false if the command ends before. There is no limit of
 * time. */
bool terminal_wait_for(struct terminal *terminal, const char *text);

/* Waits for the command's end, and reads its output; returns its wait status. Closes the
 * terminal. */
int terminal_end(struct terminal *terminal);

#endif
