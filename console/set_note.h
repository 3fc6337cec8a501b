/* set_note.h - what a command tells of a message set that it has read. */
#ifndef MESHCAST_CONSOLE_SET_NOTE_H
#define MESHCAST_CONSOLE_SET_NOTE_H

#include "workloads/message_set.h"

/* Writes a note to standard error if the set's text had no end line: it may be cut. `path` is the file's, or
 * "-". */
void set_note(const struct message_set *set, const char *path);

#endif
