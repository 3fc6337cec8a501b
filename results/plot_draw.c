/* plot_draw.c - draws a plot into its file, which takes its place when it is whole, or shows it.
 */
#include "results/results_plot.h"

#include "console/interruption.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum failure_kind plot_format_of(const char *path, enum plot_format *format,
                                 struct failure *failure)
{
    *format = PLOT_TERMINAL;
    if (strcmp(path, "-") == 0 || plot_format_find(path, format))
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "a picture is FILE.svg, FILE.png or FILE.pdf, or - for the terminal, not '%.200s'",
                path);
}

static enum failure_kind draw(const struct plot *plot, enum plot_format format,
                              struct drawing *drawing, struct failure *failure)
{
    FILE *script = tmpfile();
    if (script == NULL)
        return fail(failure, FAIL_SYSTEM, "cannot make a temporary file: %s", strerror(errno));
    plot_write_script(plot, format, script);
    gnuplot_draw(script, "--csv", drawing, failure);
    fclose(script);
    return failure->kind;
}

enum failure_kind plot_draw(const struct plot *plot, const char *path, struct failure *failure)
{
    struct output_file file;
    struct drawing drawing = {0};
    enum plot_format format;
    if (plot_format_of(path, &format, failure) == FAIL_NONE &&
        draw(plot, format, &drawing, failure) == FAIL_NONE &&
        output_file_open(&file, path, &interruption_watch, failure) == FAIL_NONE) {
        fwrite(drawing.text, 1, drawing.size, file.file); /* the close tells what went wrong */
        output_file_close(&file, true, failure);
    }
    free(drawing.text);
    return failure->kind;
}
