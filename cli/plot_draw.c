/* plot_draw.c - runs gnuplot.
 *
 * Method: gnuplot is a process of its own (it is not linked, and its licence stays its own); the
 * program that it is given comes from a temporary file, and what it draws comes back through a pipe:
 * gnuplot does not tell whether it could write all of it. The picture is written under another name,
 * and renamed when it is whole. A file that is no ordinary one (a pipe, a device) is written to
 * directly.
 */
#include "cli/results_plot.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum failure_kind plot_format_of(const char *path, enum plot_format *format,
                                 struct failure *failure)
{
    static const char *const suffixes[] = {
        [PLOT_SVG] = ".svg", [PLOT_PNG] = ".png", [PLOT_PDF] = ".pdf"};
    size_t length = strlen(path);
    *format = PLOT_TERMINAL;
    if (strcmp(path, "-") == 0)
        return FAIL_NONE;
    for (int i = 0; i < PLOT_TERMINAL; i++)
        if (length > strlen(suffixes[i]) &&
            strcmp(path + length - strlen(suffixes[i]), suffixes[i]) == 0) {
            *format = (enum plot_format)i;
            return FAIL_NONE;
        }
    return fail(failure, FAIL_USAGE,
                "a picture is FILE.svg, FILE.png or FILE.pdf, or - for the terminal, not '%.200s'",
                path);
}

static enum failure_kind fail_gnuplot(struct failure *failure, int error)
{
    if (error == ENOENT)
        return fail(failure, FAIL_SYSTEM,
                    "gnuplot draws the pictures and is not there; install it (Debian's package is "
                    "gnuplot-nox), or take the figures with --csv");
    return fail(failure, FAIL_SYSTEM, "cannot run gnuplot: %s", strerror(error));
}

/* What gnuplot draws: `text` is freed by the caller. */
struct drawing {
    char *text;
    size_t size;
};

/* Reads a pipe to its end, and closes it. */
static enum failure_kind read_drawing(int end, struct drawing *drawing, struct failure *failure)
{
    char part[16384];
    ssize_t got = -1;
    FILE *out = open_memstream(&drawing->text, &drawing->size);
    bool whole = out != NULL;
    while (whole && ((got = read(end, part, sizeof part)) > 0 || (got < 0 && errno == EINTR)))
        whole = got < 0 || fwrite(part, 1, (size_t)got, out) == (size_t)got;
    close(end);
    if (out != NULL && fclose(out) != 0)
        whole = false;
    return whole && got == 0 ? FAIL_NONE : fail_memory(failure, "a picture");
}

static enum failure_kind wait_for_gnuplot(pid_t child, struct failure *failure)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return fail_gnuplot(failure, errno);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return fail_gnuplot(failure, ENOENT);
    if (status != 0)
        return fail(failure, FAIL_SYSTEM, "gnuplot failed (status %d)", status);
    return FAIL_NONE;
}

/* Runs gnuplot over the script. */
static enum failure_kind run_gnuplot(FILE *script, struct drawing *drawing, struct failure *failure)
{
    static const char name[] = "gnuplot";
    char *const arguments[] = {(char *)(uintptr_t)name, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int ends[2], error = pipe(ends) == 0 ? posix_spawn_file_actions_init(&actions) : errno;
    if (error != 0)
        return fail_gnuplot(failure, error);
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    error = posix_spawnp(&child, name, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        return fail_gnuplot(failure, error);
    }
    read_drawing(ends[0], drawing, failure);
    struct failure ended = {0};
    if (wait_for_gnuplot(child, &ended) != FAIL_NONE)
        *failure = ended; /* the reason why there is nothing to read */
    return failure->kind;
}

static enum failure_kind draw(const struct plot *plot, enum plot_format format,
                              struct drawing *drawing, struct failure *failure)
{
    FILE *script = tmpfile();
    if (script == NULL)
        return fail(failure, FAIL_SYSTEM, "cannot make a temporary file: %s", strerror(errno));
    plot_write_script(plot, format, script);
    if (fflush(script) != 0 || fseek(script, 0, SEEK_SET) != 0 ||
        lseek(fileno(script), 0, SEEK_SET) != 0)
        fail(failure, FAIL_SYSTEM, "cannot write a temporary file: %s", strerror(errno));
    else
        run_gnuplot(script, drawing, failure);
    fclose(script);
    if (failure->kind == FAIL_NONE && drawing->size == 0)
        fail(failure, FAIL_SYSTEM, "gnuplot drew nothing");
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
