/* progress.c - the progress line.
 *
 * Method: each call reads the clock and mostly returns, so that a router may call as often as it
 * likes. A line is cut to LINE_WIDTH columns so that it never wraps, because only a line that does
 * not wrap can be overwritten by the next.
 *
 * Cost: a reading of the clock a call, a line on the terminal each interval.
 */
#include "cli/progress.h"

#include "machine/stopwatch.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { LINE_WIDTH = 79 };

static const double patience = 1.0; /* seconds before the first line */
static const double interval = 0.2; /* seconds between lines */

void progress_begin(struct progress *progress, const char *what, bool quiet)
{
    *progress = (struct progress){.what = what, .enabled = !quiet && isatty(STDERR_FILENO) == 1};
    progress->started = stopwatch_seconds();
}

void progress_update(void *context, uint64_t steps, const char *phase)
{
    struct progress *progress = context;
    if (!progress->enabled)
        return;
    double now = stopwatch_seconds();
    if (now - progress->started < patience || now - progress->last < interval)
        return;

    char line[LINE_WIDTH + 1];
    snprintf(line, sizeof line, "%s: step %" PRIu64 ", %s, %.0f s", progress->what, steps,
             phase == NULL ? "" : phase, now - progress->started);
    fprintf(stderr, "\r\033[K%s", line);
    fflush(stderr);
    progress->shown = true;
    progress->last = now;
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
