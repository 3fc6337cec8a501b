/* interruption.h - signals that end the program: no temporary file is left, and the status is the
 * signal's. */
#ifndef MESHCAST_CLI_INTERRUPTION_H
#define MESHCAST_CLI_INTERRUPTION_H

#include <stdbool.h>

struct meshcast_interrupt; /* library/meshcast.h */

/* Handles the signals that would end the program, except those that it was started to ignore, and
 * keeps files from getting the number of a closed standard stream. Must be called once, before
 * anything else. */
void interruption_prepare(void);

/* Sets if a command runs. If anything but main() then calls exit(), no temporary file is left, and
 * the status is FAIL_SYSTEM. */
void interruption_set_running(bool runs);

/* Defers signals for a command that ends by itself with its results so far. The first deferrable
 * signal is only noted, and sends the interrupt (NULL: none), which must last until the program's
 * end. The second ends the program, unless it is the same one within a second. From a second after
 * the first one, output that waits for a reader fails with EINTR. */
void interruption_defer(struct meshcast_interrupt *interrupt);

/* If a signal was noted, removes the temporary files, flushes standard output and ends the program
 * as killed by the signal. */
void interruption_end_noted(void);

#endif
