/* output_file.c - a file that is opened before the work, and appears when it is complete.
 *
 * An ordinary file (or one that does not exist yet) is written under another name in the same
 * folder and renamed when it is complete and closed without an error. Otherwise half a trace that
 * looks complete would mislead an audit, and a refused run would cost the old file. It is opened
 * before the work, so that a folder that cannot be written is reported at once. A link is followed
 * first, so that it stays a link. Devices and pipes, and the file behind a dangling link, are
 * written in place.
 *
 * A replacement is accessible only to its owner until it is complete, and gets the old file's mode,
 * owner and group before its name: at no time can it be opened by a user who could not open the old
 * one. A new file has the mode of the umask from its beginning.
 *
 * The files of one run are all written and closed before the first of them is renamed, since a full
 * disk shows there.
 *
 * Writers may ignore the stream's state; its errors are checked when it is closed, since a full
 * disk may show only there.
 *
 * Invariant: while a temporary file may exist, the watch knows its name.
 */
#define _GNU_SOURCE /* realpath */
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Set by the program, whose signal handlers remove incomplete files. */
static void (*watch_made)(const char *name), (*watch_gone)(const char *name);

void output_file_set_watch(void (*made)(const char *name), void (*gone)(const char *name))
{
    watch_made = made;
    watch_gone = gone;
}

enum { NAME_TRIES = 100, SUFFIX = 48, MOST_NAME = 255 - SUFFIX };

static bool is_same(const struct stat *one, const struct stat *other)
{
    return S_ISREG(one->st_mode) && one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* True if both paths name one place without a file. */
static bool is_same_place(const char *path, const char *other)
{
    struct stat a, b;
    char folder[2][4096];
    const char *name[2] = {path, other};
    for (int i = 0; i < 2; i++) {
        const char *slash = strrchr(name[i], '/');
        size_t length = slash == NULL ? 0 : (size_t)(slash - name[i]);
        if (length + 3 > sizeof folder[i])
            return false;
        snprintf(folder[i], sizeof folder[i], "%.*s/.", (int)length, name[i]);
        if (slash == NULL)
            snprintf(folder[i], sizeof folder[i], ".");
        name[i] = slash == NULL ? name[i] : slash + 1;
    }
    return strcmp(name[0], name[1]) == 0 && stat(folder[0], &a) == 0 && stat(folder[1], &b) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool path_is_same_file(const char *path, const char *other)
{
    struct stat a, b;
    if (path == NULL || other == NULL || strcmp(path, "-") == 0 || strcmp(other, "-") == 0)
        return false;
    bool is_there = stat(path, &a) == 0, other_is_there = stat(other, &b) == 0;
    if (!is_there && !other_is_there)
        return is_same_place(path, other);
    return is_there && other_is_there && is_same(&a, &b);
}

bool path_is_standard_output(const char *path)
{
    struct stat a, b;
    return path != NULL && stat(path, &a) == 0 && fstat(STDOUT_FILENO, &b) == 0 &&
           !S_ISCHR(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static void report_made(const struct output_file *output)
{
    if (watch_made != NULL)
        watch_made(output->made);
}

static void report_gone(const struct output_file *output)
{
    if (watch_gone != NULL)
        watch_gone(output->made);
}

/* Creates a file beside output->target; returns its descriptor, or -1 with errno set. */
static int create_beside(struct output_file *output, mode_t mode)
{
    const char *slash = strrchr(output->target, '/'), *name = slash == NULL ? "" : slash + 1;
    size_t size = strlen(output->target) + SUFFIX, length = strlen(name);
    int kept = (int)(strlen(output->target) - (length > MOST_NAME ? length - MOST_NAME : 0));
    output->made = memory_allocate(size, 1);
    if (output->made == NULL)
        return -1;
    for (int i = 0; i < NAME_TRIES; i++) {
        snprintf(output->made, size, "%.*s.%ld-%d.tmp", kept, output->target, (long)getpid(), i);
        report_made(output);
        int descriptor = open(output->made, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor >= 0)
            return descriptor;
        int error = errno;
        report_gone(output);
        errno = error;
        if (error != EEXIST)
            break;
    }
    free(output->made);
    output->made = NULL;
    return -1;
}

/* Returns the canonical name of a file that does not exist yet, in a folder that does; NULL with
 * errno set. */
static char *name_new(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(name - path));
    char *real = folder == NULL ? NULL : realpath(folder, NULL), *made = NULL;
    size_t size = (real == NULL ? 0 : strlen(real)) + strlen(name) + 2;
    if (real != NULL && (made = memory_allocate(size, 1)) != NULL)
        snprintf(made, size, "%s/%s", strcmp(real, "/") == 0 ? "" : real, name);
    free(folder);
    free(real);
    return made;
}

/* Returns the descriptor to write to, or -1 with errno set. */
static int open_descriptor(struct output_file *output)
{
    struct stat entry, status;
    if (*output->path == '\0') {
        errno = ENOENT;
        return -1;
    }
    const struct stat *old = stat(output->path, &status) == 0 ? &status : NULL;
    bool is_link = lstat(output->path, &entry) == 0 && S_ISLNK(entry.st_mode);
    if (old != NULL && access(output->path, W_OK) != 0)
        return -1;
    if (old != NULL ? !S_ISREG(old->st_mode) : is_link)
        return open(output->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    output->target = old != NULL ? realpath(output->path, NULL) : name_new(output->path);
    if (output->target == NULL)
        return -1;
    return create_beside(output, old != NULL ? 0600 : 0666);
}

/* Removes the temporary file if asked to, and forgets the names. */
static void end(struct output_file *output, bool remove)
{
    if (output->made != NULL && remove)
        unlink(output->made);
    if (output->made != NULL)
        report_gone(output);
    free(output->target);
    free(output->made);
    output->target = output->made = NULL;
}

enum failure_kind output_file_open(struct output_file *output, const char *path,
                                   struct failure *failure)
{
    *output = (struct output_file){.path = path};
    if (path == NULL)
        return FAIL_NONE;
    if (strcmp(path, "-") == 0) {
        output->file = stdout;
        return FAIL_NONE;
    }
    int descriptor = open_descriptor(output);
    if (descriptor >= 0)
        output->file = fdopen(descriptor, "wb");
    if (output->file != NULL)
        return FAIL_NONE;
    fail(failure, FAIL_SYSTEM, "cannot open %.300s for writing: %s", path, strerror(errno));
    if (descriptor >= 0)
        close(descriptor);
    end(output, true);
    return FAIL_SYSTEM;
}

enum failure_kind output_file_open_held(struct output_file *output, const char *path,
                                        struct failure *failure)
{
    if (output_file_open(output, path, failure) != FAIL_NONE || output->file != stdout)
        return failure->kind;
    output->file = tmpfile();
    output->is_held = true;
    if (output->file == NULL)
        return fail(failure, FAIL_SYSTEM, "cannot make a temporary file: %s", strerror(errno));
    return FAIL_NONE;
}

/* ---- completion ---- */

/* Gives the new file the old one's mode, owner and group. If the group cannot be kept, its access
 * is reduced to everybody's. */
static void take_over(int descriptor, const char *target)
{
    struct stat old;
    if (stat(target, &old) != 0)
        return;
    mode_t mode = old.st_mode & 0777;
    (void)!fchown(descriptor, old.st_uid, (gid_t)-1); /* only root may give */
    if (fchown(descriptor, (uid_t)-1, old.st_gid) != 0)
        mode &= 0707 | (mode & 7) << 3;
    (void)!fchmod(descriptor, mode);
}

/* Copies a temporary file to standard output, whose errors main() reports. False: it cannot be
 * read, with errno set. */
static bool give_held(FILE *file)
{
    char piece[1 << 14];
    size_t count;
    rewind(file);
    while (!ferror(stdout) && (count = fread(piece, 1, sizeof piece, file)) > 0)
        fwrite(piece, 1, count, stdout);
    return !ferror(file);
}

/* Writes the rest and closes the file. */
static enum failure_kind finish(struct output_file *output, bool keep, struct failure *failure)
{
    FILE *file = output->file;
    output->file = NULL;
    if (file == NULL || file == stdout) /* main() closes it and reports its errors */
        return FAIL_NONE;

    bool failed = ferror(file) != 0;
    errno = 0;
    failed = fflush(file) != 0 || failed;
    int reason = errno;
    if (output->is_held && keep && !failed && !give_held(file)) {
        failed = true;
        reason = errno;
    }
    if (output->made != NULL)
        take_over(fileno(file), output->target);
    if (fclose(file) != 0 && !failed) {
        failed = true;
        reason = errno;
    }
    if (!failed)
        return FAIL_NONE;
    return fail(failure, FAIL_SYSTEM, "cannot write %.300s: %s", output->path,
                reason != 0 ? strerror(reason) : "a write failed (is the disk full?)");
}

/* Renames the files one after the other, up to one that cannot be. No signal arrives in between. */
static enum failure_kind place_all(struct output_file *const *output, int count,
                                   struct failure *failure)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    for (int i = 0; i < count && failure->kind == FAIL_NONE; i++)
        if (output[i]->made != NULL && rename(output[i]->made, output[i]->target) != 0)
            fail(failure, FAIL_SYSTEM, "cannot write %.300s: %s", output[i]->path, strerror(errno));
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure->kind;
}

enum failure_kind output_files_close(struct output_file *const *output, int count, bool keep,
                                     struct failure *failure)
{
    struct failure unwritten = {0};
    for (int i = 0; i < count; i++)
        finish(output[i], keep, &unwritten);
    bool whole = keep && unwritten.kind == FAIL_NONE;
    whole = whole && place_all(output, count, &unwritten) == FAIL_NONE;
    for (int i = 0; i < count; i++)
        end(output[i], !whole);
    if (unwritten.kind != FAIL_NONE && failure->kind == FAIL_NONE)
        *failure = unwritten;
    return unwritten.kind;
}

enum failure_kind output_file_close(struct output_file *output, bool keep, struct failure *failure)
{
    return output_files_close(&output, 1, keep, failure);
}
