/* progress.h - one line on standard error that says how far a long run is.
 *
 * Nothing is shown unless standard error is a terminal and the run is longer than a second; the
 * line is renewed about five times a second and erased at the end.
 */
#ifndef MESHCAST_CONSOLE_PROGRESS_H
#define MESHCAST_CONSOLE_PROGRESS_H

#include "console/progress_line.h"

#include <stdint.h>

struct progress {
    const char *what; /* the router's name */
    struct progress_line line;
};

/* Starts the clock. A quiet progress never shows anything. */
void progress_begin(struct progress *progress, const char *what, bool quiet);

/* The callback of struct router_options; `context` is the struct progress. */
void progress_update(void *context, uint64_t steps, const char *phase);

/* So many of all things are done. */
void progress_count(struct progress *progress, uint64_t done, uint64_t all);

/* Erases the line if there is one. */
void progress_end(struct progress *progress);

#endif
