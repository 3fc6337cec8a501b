/* interruption.h - signals that end the program: no temporary file stays, and the status is theirs. */
#ifndef MESHCAST_CONSOLE_INTERRUPTION_H
#define MESHCAST_CONSOLE_INTERRUPTION_H

#include "library/output_file.h"

#include <signal.h>
#include <stdbool.h>

/* To be called once, before anything else: takes the signals that would end the program, but for
 * those that it was started to ignore, and sees to it that no file is ever opened in the place of a
 * standard stream that is closed. */
void interruption_prepare(void);

/* Tells whether a command runs. If something other than main() then ends the process by exit(), no temporary file stays,
 * and the status is FAIL_SYSTEM. */
void interruption_set_running(bool runs);

/* For output_file_open(): what it makes is removed when a signal ends the program. */
extern const struct output_watch interruption_watch;

/* The signals that end the program, SIGPIPE and those that it ignores apart: for a command that ends in an order of
 * its own. */
void interruption_signals(sigset_t *signals);

/* True if it is one with which a user ends a program (SIGINT, SIGTERM, SIGHUP), which may be deferred. */
bool interruption_is_deferrable(int number);

/* From here on the first deferrable signal is only noted, for a command that then ends by itself with what it has.
 * The second ends the program, unless it is the same within a second. From a second after the first one, output that
 * waits for a reader fails with EINTR. */
void interruption_defer(void);

/* The signal that was noted; 0: none. */
int interruption_noted(void);

/* From hold to release no signal ends the program: one that comes ends it at the release. Whoever holds waits for
 * nobody and, if it takes long, asks interruption_is_due(). */
void interruption_hold(void);
void interruption_release(void);

/* True if a signal waits for the release. */
bool interruption_is_due(void);

/* Removes the temporary files and ends the program as killed by the signal. */
void interruption_end(int number);

/* If a signal was noted, writes standard output out and does the same. */
void interruption_end_noted(void);

#endif
