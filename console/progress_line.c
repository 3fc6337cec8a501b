/* progress_line.c - the line, and when it is due.
 *
 * A line leaves the terminal's last column free, because only a line that does not wrap can be
 * overwritten by the next.
 *
 * Cost: a reading of the clock to ask whether it is due.
 */
#include "console/progress_line.h"

#include "base/stopwatch.h"

#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL_COLUMNS = 80 };

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
    fprintf(line->out, "\r\033[K%.*s", (int)columns - 1, text);
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
