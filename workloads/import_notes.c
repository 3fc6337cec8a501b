/* import_notes.c - the notes of a reader, as text of one line each. */
#include "workloads/import_notes.h"

#include <stdarg.h>
#include <stdio.h>

void import_note(struct import_notes *notes, const char *format, ...)
{
    if (notes->count == IMPORT_NOTES_MOST)
        return;
    char *text = notes->text[notes->count++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, IMPORT_NOTE_SIZE, format, arguments);
    va_end(arguments);
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}
