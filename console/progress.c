/* progress.c - the progress line of a run.
 *
 * Each call reads the clock and mostly returns, so that a router may call as often as it likes.
 */
#include "console/progress.h"

#include <inttypes.h>
#include <stdio.h>

void progress_begin(struct progress *progress, const char *what, bool quiet)
{
    *progress = (struct progress){.what = what, .line = progress_line_begin(quiet)};
}

void progress_update(void *context, uint64_t steps, const char *phase)
{
    struct progress *progress = context;
    char text[256];
    if (!progress_line_is_due(&progress->line))
        return;
    snprintf(text, sizeof text, "%s: step %" PRIu64 ", %s, %.0f s", progress->what, steps,
             phase == NULL ? "" : phase, progress_line_seconds(&progress->line));
    progress_line_show(&progress->line, text);
}

void progress_count(struct progress *progress, uint64_t done, uint64_t all)
{
    char text[256];
    if (!progress_line_is_due(&progress->line))
        return;
    snprintf(text, sizeof text, "%s: %" PRIu64 " of %" PRIu64, progress->what, done, all);
    progress_line_show(&progress->line, text);
}

void progress_end(struct progress *progress)
{
    progress_line_clear(&progress->line);
}
