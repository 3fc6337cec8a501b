/* plot_file.c - writes the file of --plot.
 *
 * The file is tried before the runs and written when they are over, so that one that cannot be
 * written costs no run and an interrupted command leaves nothing.
 */
#include "library/plot_file.h"

#include "base/output_file.h"
#include "library/report_parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool plot_file_is_csv(const char *path)
{
    size_t length = path == NULL ? 0 : strlen(path);
    return length > 4 && strcmp(path + length - 4, ".csv") == 0;
}

/* Checks that the file can be written. */
static enum failure_kind try_file(const char *path, struct failure *failure)
{
    struct output_file file;
    struct stat there;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode) &&
        access(path, W_OK) == 0)
        return FAIL_NONE; /* the reader of a pipe must see it opened once */
    if (output_file_open(&file, path, failure) != FAIL_NONE)
        return failure->kind;
    return output_file_close(&file, false, failure);
}

enum failure_kind plot_file_check(const char *path, struct failure *failure)
{
    enum plot_format format;
    bool is_picture = path != NULL && plot_format_find(path, &format);
    if (path == NULL)
        return FAIL_NONE;
    if (!is_picture && !plot_file_is_csv(path))
        return fail(failure, FAIL_USAGE,
                    "--plot takes FILE.png, FILE.svg, FILE.pdf, or FILE.csv for the numbers, not "
                    "'%.200s'",
                    path);
    if (is_picture && gnuplot_look("a FILE.csv", failure) != FAIL_NONE)
        return failure->kind;
    return try_file(path, failure);
}

static void write_rows(const struct plot_file *plot, FILE *out, struct failure *failure)
{
    json_t *rows = plot->rows(plot->context);
    if (rows == NULL)
        fail_memory(failure, "the numbers of a plot");
    else
        report_print_csv(rows, out, failure);
    json_decref(rows);
}

enum failure_kind plot_file_write(const struct plot_file *plot, struct failure *failure)
{
    struct chart chart;
    struct output_file file;
    struct drawing drawing = {.size = 0};
    enum plot_format format;
    if (plot->path == NULL)
        return FAIL_NONE;
    chart_begin(&chart, 1);
    if (plot_format_find(plot->path, &format)) {
        plot->fill_chart(plot->context, &chart);
        chart_draw(&chart, format, "a FILE.csv", &drawing, failure);
    }
    chart_free(&chart);
    if (failure->kind == FAIL_NONE && output_file_open(&file, plot->path, failure) == FAIL_NONE) {
        if (plot_file_is_csv(plot->path))
            write_rows(plot, file.file, failure);
        else
            fwrite(drawing.text, 1, drawing.size, file.file); /* the close reports errors */
        output_file_close(&file, failure->kind == FAIL_NONE, failure);
    }
    free(drawing.text);
    return failure->kind;
}
