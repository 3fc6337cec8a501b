/* set_note.c - the note about a message set that may be cut. */
#include "console/set_note.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void set_note(const struct message_set *set, const char *path)
{
    if (set->lacks_end)
        fprintf(stderr, "note: %s has no last line 'end %" PRIu32 "'; it may be cut off\n",
                strcmp(path, "-") == 0 ? "standard input" : path, set->messages);
}
