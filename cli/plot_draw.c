/* plot_draw.c - runs gnuplot.
 *
 * Method: gnuplot is a process of its own (it is not linked, and its licence stays its own); the
 * program that it is given comes from a temporary file, and what it draws goes to its standard
 * output, which is the picture's file under another name, renamed when the picture is whole. A file
 * that is no ordinary one (a pipe, a device) is written to directly.
 */
#include "cli/results_plot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
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

/* Runs gnuplot over the script; what it draws goes to `output`. */
static enum failure_kind run_gnuplot(FILE *script, int output, struct failure *failure)
{
    static const char name[] = "gnuplot";
    char *const arguments[] = {(char *)(uintptr_t)name, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status, error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return fail_gnuplot(failure, error);
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    error = posix_spawnp(&child, name, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        return fail_gnuplot(failure, error);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return fail_gnuplot(failure, errno);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return fail_gnuplot(failure, ENOENT);
    if (status != 0)
        return fail(failure, FAIL_SYSTEM, "gnuplot failed (status %d)", status);
    return FAIL_NONE;
}

static enum failure_kind draw(const struct plot *plot, enum plot_format format, int output,
                              struct failure *failure)
{
    FILE *script = tmpfile();
    if (script == NULL)
        return fail(failure, FAIL_SYSTEM, "cannot make a temporary file: %s", strerror(errno));
    plot_write_script(plot, format, script);
    if (fflush(script) != 0 || fseek(script, 0, SEEK_SET) != 0 ||
        lseek(fileno(script), 0, SEEK_SET) != 0)
        fail(failure, FAIL_SYSTEM, "cannot write a temporary file: %s", strerror(errno));
    else
        run_gnuplot(script, output, failure);
    fclose(script);
    return failure->kind;
}

static enum failure_kind fail_to_write(struct failure *failure, const char *path)
{
    return fail(failure, FAIL_SYSTEM, "cannot write %.300s: %s", path, strerror(errno));
}

/* A picture without a byte is one that the disk had no room for. */
static enum failure_kind check_picture(int output, const char *path, struct failure *failure)
{
    struct stat status;
    if (fstat(output, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0)
        return fail(failure, FAIL_SYSTEM, "cannot write %.300s: gnuplot drew nothing", path);
    return FAIL_NONE;
}

enum failure_kind plot_draw(const struct plot *plot, const char *path, struct failure *failure)
{
    char part[4096];
    struct stat status;
    enum plot_format format;
    if (plot_format_of(path, &format, failure) != FAIL_NONE)
        return failure->kind;
    if (format == PLOT_TERMINAL) {
        fflush(stdout);
        return draw(plot, format, STDOUT_FILENO, failure);
    }
    bool direct = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    if (snprintf(part, sizeof part, direct ? "%s" : "%s.part", path) >= (int)sizeof part)
        return fail(failure, FAIL_USAGE, "the name of the picture is too long");
    int output = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (output < 0)
        return fail_to_write(failure, path);
    if (draw(plot, format, output, failure) == FAIL_NONE)
        check_picture(output, path, failure);
    if (close(output) != 0)
        fail_to_write(failure, path);
    if (failure->kind == FAIL_NONE && !direct && rename(part, path) != 0)
        fail_to_write(failure, path);
    if (failure->kind != FAIL_NONE && !direct)
        unlink(part);
    return failure->kind;
}
