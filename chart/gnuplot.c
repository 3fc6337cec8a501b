/* gnuplot.c - runs gnuplot.
 *
 * Method: gnuplot is a process of its own (it is not linked, and its licence stays its own); its
 * program is in a temporary file, and its drawing returns through a pipe, because gnuplot does not
 * report incomplete output.
 */
#include "chart/chart.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool plot_format_find(const char *path, enum plot_format *format)
{
    static const char *const suffixes[] = {
        [PLOT_SVG] = ".svg", [PLOT_PNG] = ".png", [PLOT_PDF] = ".pdf"};
    size_t length = strlen(path);
    for (int i = 0; i < PLOT_TERMINAL; i++)
        if (length > strlen(suffixes[i]) &&
            strcmp(path + length - strlen(suffixes[i]), suffixes[i]) == 0) {
            *format = (enum plot_format)i;
            return true;
        }
    return false;
}

static enum failure_kind fail_gnuplot(struct failure *failure, int error, const char *instead)
{
    if (error == ENOENT)
        return fail(failure, FAIL_SYSTEM,
                    "gnuplot draws the pictures and is not there; install it (Debian's package is "
                    "gnuplot-nox), or take the figures with %s",
                    instead);
    return fail(failure, FAIL_SYSTEM, "cannot run gnuplot: %s", strerror(error));
}

enum failure_kind gnuplot_look(const char *instead, struct failure *failure)
{
    const char *folders = getenv("PATH");
    if (folders == NULL)
        return FAIL_NONE; /* the system then has a path of its own */
    while (*folders != '\0') {
        char path[4096];
        int length = (int)strcspn(folders, ":");
        int size =
            snprintf(path, sizeof path, "%.*s%sgnuplot", length, folders, length == 0 ? "" : "/");
        if (size < (int)sizeof path && access(path, X_OK) == 0)
            return FAIL_NONE;
        folders += length + (folders[length] == ':');
    }
    return fail_gnuplot(failure, ENOENT, instead);
}

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

static enum failure_kind wait_for_gnuplot(pid_t child, const char *instead, struct failure *failure)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return fail_gnuplot(failure, errno, instead);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return fail_gnuplot(failure, ENOENT, instead);
    if (WIFSIGNALED(status))
        return fail(failure, FAIL_SYSTEM, "gnuplot was ended by signal %d", WTERMSIG(status));
    if (status != 0)
        return fail(failure, FAIL_SYSTEM, "gnuplot failed with status %d", WEXITSTATUS(status));
    return FAIL_NONE;
}

/* Runs gnuplot over the script, in a locale that has every character: in others gnuplot warns of
 * signs that it cannot show. */
static enum failure_kind run_gnuplot(FILE *script, const char *instead, struct drawing *drawing,
                                     struct failure *failure)
{
    char name[] = "env", locale[] = "LC_ALL=C.UTF-8", program[] = "gnuplot";
    char *const arguments[] = {name, locale, program, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t child;
    int ends[2], error = pipe(ends) == 0 ? posix_spawn_file_actions_init(&actions) : errno;
    if (error != 0)
        return fail_gnuplot(failure, error, instead);
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    /* a group of its own: after a Ctrl-C it would read the rest of the script as commands */
    if ((error = posix_spawnattr_init(&attributes)) == 0) {
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        error = posix_spawnp(&child, name, &actions, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        return fail_gnuplot(failure, error, instead);
    }
    read_drawing(ends[0], drawing, failure);
    struct failure ended = {0};
    if (wait_for_gnuplot(child, instead, &ended) != FAIL_NONE)
        *failure = ended; /* the reason why there is nothing to read */
    return failure->kind;
}

enum failure_kind gnuplot_draw(FILE *script, const char *instead, struct drawing *drawing,
                               struct failure *failure)
{
    *drawing = (struct drawing){.size = 0};
    if (gnuplot_look(instead, failure) != FAIL_NONE)
        return failure->kind;
    if (fflush(script) != 0 || ferror(script) || fseek(script, 0, SEEK_SET) != 0 ||
        lseek(fileno(script), 0, SEEK_SET) != 0)
        fail(failure, FAIL_SYSTEM, "cannot write a temporary file: %s", strerror(errno));
    else
        run_gnuplot(script, instead, drawing, failure);
    if (failure->kind == FAIL_NONE && drawing->size == 0)
        fail(failure, FAIL_SYSTEM, "gnuplot drew nothing");
    return failure->kind;
}
