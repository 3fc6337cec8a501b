/* plot_draw.c - draws a picture of a database into its file, which is replaced when the picture is whole, or shows it. */
#include "results/results_plot.h"

#include "base/output_file.h"

#include <stdlib.h>
#include <string.h>

const char *const plot_names[PLOT_KINDS + 1] = {"steps", "buffers", "ratio", "pareto", NULL};

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

enum failure_kind plot_draw(const struct results_groups *groups, enum plot_kind kind,
                            const char *path, struct failure *failure)
{
    struct chart chart;
    struct output_file file;
    struct drawing drawing = {0};
    enum plot_format format;
    chart_begin(&chart, 1);
    if (plot_format_of(path, &format, failure) == FAIL_NONE &&
        plot_fill_chart(&chart, groups, kind, failure) == FAIL_NONE &&
        chart_draw(&chart, format, "--csv", &drawing, failure) == FAIL_NONE &&
        output_file_open(&file, path, failure) == FAIL_NONE) {
        fwrite(drawing.text, 1, drawing.size, file.file); /* the close reports what went wrong */
        output_file_close(&file, true, failure);
    }
    free(drawing.text);
    chart_free(&chart);
    return failure->kind;
}
