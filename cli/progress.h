/* progress.h - one line on standard error that says how far a long run is.
 *
 * Nothing is shown unless standard error is a terminal and the run is longer than a second; the
 * line is renewed about five times a second and erased at the end.
 */
#ifndef MESHCAST_CLI_PROGRESS_H
#define MESHCAST_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A line on a terminal that is written over and over while something takes long. A test fills the struct with a
 * stream and a clock of its own, so that it needs no terminal. */
struct progress_line {
    FILE *out;             /* NULL: nothing is ever shown */
    double (*clock)(void); /* seconds */
    double patience;       /* seconds before the first line */
    double interval;       /* seconds between lines */
    unsigned columns;      /* of the terminal; 0: not known, 80 are assumed */
    double started, last;
    bool shown;
};

/* A line on standard error, by the monotonic clock; on nothing if that is no terminal, or `quiet`. */
struct progress_line progress_line_begin(bool quiet);

/* Whether it is time for another line. */
bool progress_line_is_due(const struct progress_line *line);

/* Seconds since the beginning. */
double progress_line_seconds(const struct progress_line *line);

/* Shows the text instead of the previous one, cut so that it does not wrap unless the terminal was
 * made narrower since the beginning. */
void progress_line_show(struct progress_line *line, const char *text);

/* Erases the line if there is one. */
void progress_line_clear(struct progress_line *line);

struct progress {
    const char *
        what; /* the name of the command, or of the row of its table; a second line comes after its numbers */
    struct progress_line line;
};

/* Starts the clock. A quiet progress never shows anything. */
void progress_begin(struct progress *progress, const char *what, bool quiet);

/* Show, when it is time, that a run is at a step of a phase (NULL: it has no name), or how much of a list is done. */
void progress_update(struct progress *progress, uint64_t steps, const char *phase);
void progress_count(struct progress *progress, uint64_t done, uint64_t all);

/* Erases the line if there is one. */
void progress_end(struct progress *progress);

#endif
