/* import_notes.h - what a reader of files has to say about a file that it could read.
 *
 * A note completes "FILE: its ..": the file leaves the format in a way that does not matter, or was understood in
 * one of several ways. Readers add notes, import.c hands them over, and only the program prints them.
 */
#ifndef MESHCAST_WORKLOADS_IMPORT_NOTES_H
#define MESHCAST_WORKLOADS_IMPORT_NOTES_H

enum { IMPORT_NOTES_MOST = 8, IMPORT_NOTE_SIZE = 200 };

struct import_notes {
    unsigned count;
    char text[IMPORT_NOTES_MOST][IMPORT_NOTE_SIZE]; /* printable, without a line end */
};

/* Adds a note; drops one beyond IMPORT_NOTES_MOST. What does not print becomes '?'. */
void import_note(struct import_notes *notes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
