/* interruption.h - signals that end the program: no temporary file is left, and the status is the signal's. */
#ifndef MESHCAST_CLI_INTERRUPTION_H
#define MESHCAST_CLI_INTERRUPTION_H

#include <signal.h>
#include <stdbool.h>

struct meshcast_interrupt; /* library/meshcast.h */

/* Handles the signals that would end the program, except those that it was started to ignore, and keeps files from being
 * opened in the place of a closed standard stream. To be called once, before anything else. */
void interruption_prepare(void);

/* Says whether a command runs. If anything but main() then calls exit(), no temporary file is left, and the status is
 * FAIL_SYSTEM. */
void interruption_set_running(bool runs);

/* Sets *signals to those that end the program, without SIGPIPE: for a command that ends in an order of its own. */
void interruption_signals(sigset_t *signals);

/* True if a command may defer the signal: a user ends a program with it (SIGINT, SIGTERM, SIGHUP). */
bool interruption_is_deferrable(int number);

/* From now on the first deferrable signal is only noted, and sends the interrupt (NULL: none), which must last until the
 * program's end, for a command that then ends by itself with the results it has. The second ends the program, unless it is the same one within a second. From a second after the first one, output that waits
 * for a reader fails with EINTR. */
void interruption_defer(struct meshcast_interrupt *interrupt);

/* Returns the signal that was noted, or 0. */
int interruption_noted(void);

/* Between hold and release no signal ends the program; one that comes ends it at the release. The holder must not wait for
 * another program and, if its work takes long, must ask interruption_is_due(). Holds nest. */
void interruption_hold(void);
void interruption_release(void);

/* True if a signal waits for the release. */
bool interruption_is_due(void);

/* Removes the temporary files and ends the program as killed by the signal. */
void interruption_end(int number);

/* If a signal was noted, flushes standard output and does the same. */
void interruption_end_noted(void);

#endif
