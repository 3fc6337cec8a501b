/* progress.c - the progress line of a run: the line, when it is due, and what it says.
 *
 * Each call reads the clock and mostly returns, so that a router may call as often as it likes.
 * A line leaves the terminal's last column free, because only a line that does not wrap can be
 * overwritten by the next.
 *
 * Cost: a reading of the clock to ask whether it is due.
 */
#include "cli/progress.h"

#include "base/printable.h"
#include "base/stopwatch.h"

#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL_COLUMNS = 80, MOST_COLUMNS = 1024 };

static unsigned columns_of(int terminal)
{
    struct winsize size;
    return ioctl(terminal, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

struct progress_line progress_line_begin(bool quiet)
{
    bool is_wanted = !quiet && isatty(STDERR_FILENO) == 1;
    return (struct progress_line){.out = is_wanted ? stderr : NULL,
                                  .clock = stopwatch_seconds,
                                  .patience = 1.0,
                                  .interval = 0.2,
                                  .columns = is_wanted ? columns_of(STDERR_FILENO) : 0,
                                  .started = stopwatch_seconds()};
}

bool progress_line_is_due(const struct progress_line *line)
{
    if (line->out == NULL)
        return false;
    double now = line->clock();
    return now - line->started >= line->patience &&
           (!line->shown || now - line->last >= line->interval);
}

double progress_line_seconds(const struct progress_line *line)
{
    return line->clock() - line->started;
}

void progress_line_show(struct progress_line *line, const char *text)
{
    if (line->out == NULL)
        return;
    unsigned columns = line->columns > 0 ? line->columns : USUAL_COLUMNS;
    char shown[MOST_COLUMNS];
    fprintf(line->out, "\r\033[K%s",
            printable_copy(shown, columns < MOST_COLUMNS ? columns : MOST_COLUMNS, text));
    fflush(line->out);
    line->shown = true;
    line->last = line->clock();
}

void progress_line_clear(struct progress_line *line)
{
    if (line->shown)
        fputs("\r\033[K", line->out);
    line->shown = false;
}

/* ---- of a run ---- */

void progress_begin(struct progress *progress, const char *what, bool quiet)
{
    *progress = (struct progress){.what = what, .line = progress_line_begin(quiet)};
}

void progress_update(struct progress *progress, uint64_t steps, const char *phase)
{
    char text[256];
    if (!progress_line_is_due(&progress->line))
        return;
    snprintf(text, sizeof text, "%s: step %" PRIu64 ", %s, %.0f s", progress->what, steps,
             phase == NULL ? "" : phase, progress_line_seconds(&progress->line));
    progress_line_show(&progress->line, text);
}

void progress_count(struct progress *progress, uint64_t done, uint64_t all)
{
    char text[512];
    if (!progress_line_is_due(&progress->line))
        return;
    int length = (int)strcspn(progress->what, "\n");
    const char *more = progress->what + length;
    snprintf(text, sizeof text, "%.*s: %" PRIu64 " of %" PRIu64 "%s", length, progress->what, done,
             all, *more == '\0' ? "" : more + 1);
    progress_line_show(&progress->line, text);
}

void progress_end(struct progress *progress)
{
    progress_line_clear(&progress->line);
}
