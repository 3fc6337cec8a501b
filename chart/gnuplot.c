/* gnuplot.c - runs gnuplot.
 *
 * Method: gnuplot is a process of its own (it is not linked, and its licence stays its own); the
 * program that it is given comes from a temporary file, and what it draws comes back through a pipe:
 * gnuplot does not report whether it could write all of it.
 */
#include "chart/chart.h"

#include "base/printable.h"

#include <errno.h>
#include <inttypes.h>
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

/* Writes the text in quotes, its characters of `doubled` twice. */
static void put_quoted(const char *text, char quote, const char *doubled, FILE *out)
{
    fputc(quote, out);
    while (*text != '\0') {
        size_t bytes = printable_bytes(text);
        if (bytes == 0)
            fputc('?', out);
        else if (*text == quote && strchr(doubled, quote) == NULL)
            fputc('\'', out);
        else
            fprintf(out, strchr(doubled, *text) != NULL ? "%.*s%c" : "%.*s", (int)bytes, text,
                    *text);
        text += bytes > 0 ? bytes : 1;
    }
    fputc(quote, out);
}

void gnuplot_put_string(const char *text, FILE *out)
{
    put_quoted(text, '\'', "'", out);
}

void gnuplot_put_tic(const char *text, uint32_t at, FILE *out)
{
    put_quoted(text, '\'', "'%", out);
    fprintf(out, " %" PRIu32, at);
}

void gnuplot_put_datum(const char *text, FILE *out)
{
    put_quoted(text, '"', "\\", out);
}

void gnuplot_put_terminal(enum plot_format format, uint32_t width, uint32_t height, FILE *out)
{
    if (format == PLOT_SVG)
        fprintf(out,
                "set terminal svg noenhanced size %u,%u font 'sans-serif,12' background 'white'\n",
                width, height);
    if (format == PLOT_PNG)
        fprintf(out,
                "set terminal pngcairo noenhanced size %u,%u font 'Sans,11' fontscale 1.5 "
                "linewidth 1.5 pointscale 1.5 background 'white'\n",
                2 * width, 2 * height);
    if (format == PLOT_PDF)
        fprintf(out,
                "set terminal pdfcairo noenhanced size %.2fin,%.2fin font 'Sans,11' background "
                "'white'\n",
                width / 72.0, height / 72.0);
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
        return FAIL_NONE; /* the system has a path of its own then */
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

/* The environment with a locale that has every character: in others gnuplot warns of signs that it
 * cannot show. The strings are those of environ; the caller frees the array. NULL: no memory. */
static char **environment_of_gnuplot(void)
{
    static const char locale[] = "LC_ALL=C.UTF-8";
    size_t count = 0, kept = 0;
    while (environ[count] != NULL)
        count++;
    char **own = memory_allocate(count + 2, sizeof *own);
    for (size_t i = 0; i < count && own != NULL; i++)
        if (strncmp(environ[i], locale, strlen("LC_ALL=")) != 0)
            own[kept++] = environ[i];
    if (own != NULL)
        own[kept] = (char *)(uintptr_t)locale;
    return own;
}

/* Runs gnuplot over the script. */
static enum failure_kind run_gnuplot(FILE *script, const char *instead, struct drawing *drawing,
                                     struct failure *failure)
{
    static const char name[] = "gnuplot";
    char *const arguments[] = {(char *)(uintptr_t)name, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t child;
    char **environment = environment_of_gnuplot();
    if (environment == NULL)
        return fail_memory(failure, "a picture");
    int ends[2], error = pipe(ends) == 0 ? posix_spawn_file_actions_init(&actions) : errno;
    if (error != 0) {
        free(environment);
        return fail_gnuplot(failure, error, instead);
    }
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    /* a group of its own: a Ctrl-C would make it take the rest of the script for commands */
    if ((error = posix_spawnattr_init(&attributes)) == 0) {
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        error = posix_spawnp(&child, name, &actions, &attributes, arguments, environment);
        posix_spawnattr_destroy(&attributes);
    }
    free(environment);
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
    if (fflush(script) != 0 || ferror(script) || fseek(script, 0, SEEK_SET) != 0 ||
        lseek(fileno(script), 0, SEEK_SET) != 0)
        fail(failure, FAIL_SYSTEM, "cannot write a temporary file: %s", strerror(errno));
    else
        run_gnuplot(script, instead, drawing, failure);
    if (failure->kind == FAIL_NONE && drawing->size == 0)
        fail(failure, FAIL_SYSTEM, "gnuplot drew nothing");
    return failure->kind;
}
