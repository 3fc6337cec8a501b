/* plot_draw.c - draws a plot into its file.
 *
 * The picture is written under another name, and renamed when it is whole. A file that is no
 * ordinary one (a pipe, a device) is written to directly.
 */
#include "cli/results_plot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static enum failure_kind fail_to_write(struct failure *failure, const char *path)
{
    return fail(failure, FAIL_SYSTEM, "cannot write %.300s: %s", path, strerror(errno));
}

static enum failure_kind write_drawing(const struct drawing *drawing, FILE *out, const char *path,
                                       struct failure *failure)
{
    if (fwrite(drawing->text, 1, drawing->size, out) != drawing->size || fflush(out) != 0)
        return fail_to_write(failure, path);
    return FAIL_NONE;
}

static enum failure_kind write_file(const struct drawing *drawing, const char *path,
                                    struct failure *failure)
{
    char part[4096];
    struct stat status;
    bool direct = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    if (snprintf(part, sizeof part, direct ? "%s" : "%s.part", path) >= (int)sizeof part)
        return fail(failure, FAIL_USAGE, "the name of the picture is too long");
    FILE *out = fopen(part, "w");
    if (out == NULL)
        return fail_to_write(failure, path);
    write_drawing(drawing, out, path, failure);
    if (fclose(out) != 0 && failure->kind == FAIL_NONE)
        fail_to_write(failure, path);
    if (failure->kind == FAIL_NONE && !direct && rename(part, path) != 0)
        fail_to_write(failure, path);
    if (failure->kind != FAIL_NONE && !direct)
        unlink(part);
    return failure->kind;
}

enum failure_kind plot_draw(const struct plot *plot, const char *path, struct failure *failure)
{
    struct drawing drawing = {0};
    enum plot_format format;
    if (plot_format_of(path, &format, failure) == FAIL_NONE &&
        draw(plot, format, &drawing, failure) == FAIL_NONE) {
        if (format == PLOT_TERMINAL)
            write_drawing(&drawing, stdout, "standard output", failure);
        else
            write_file(&drawing, path, failure);
    }
    free(drawing.text);
    return failure->kind;
}
