/* results_path.c - looks at a path and reports what is wrong with it.
 *
 * SQLite reports the error of its last attempt: in a folder that cannot be written it reports "No
 * such file". These functions look at the folder and the file themselves and name the first
 * obstacle. A link is followed first, as SQLite does: files beside the database are in the real
 * one's folder.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "lab/results_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <unistd.h>

enum { FOLDER_SIZE = 4096 };

/* SQLite accepts whole paths of 512 bytes, its files beside the database ("-journal") included, and
 * the system names of 255. */
enum { PATH_MOST = 500, NAME_MOST = 247 };

/* Writes the folder of a path, with the slash at its end, or ".". */
static void folder_of(const char *path, char folder[FOLDER_SIZE])
{
    const char *slash = strrchr(path, '/');
    snprintf(folder, FOLDER_SIZE, "%.*s%s", (int)(slash == NULL ? 0 : slash - path), path,
             slash == NULL ? "." : "/");
}

/* Fails with FAIL_SYSTEM: "cannot VERB PATH: WHY", with the reason behind it unless it is NULL. */
static enum failure_kind cannot(const char *verb, const char *path, const char *why,
                                const char *reason, struct failure *failure)
{
    return fail(failure, FAIL_SYSTEM, "cannot %s %.200s: %s%.200s", verb, path, why,
                reason == NULL ? "" : reason);
}

static enum failure_kind check_length(const char *path, struct failure *failure)
{
    char folder[FOLDER_SIZE];
    const char *slash = strrchr(path, '/');
    size_t length = strlen(path);
    if (path[0] != '/' && getcwd(folder, sizeof folder) != NULL)
        length += strlen(folder) + 1;
    if (length > PATH_MOST)
        return fail(failure, FAIL_SYSTEM,
                    "cannot open %.200s: the whole path has %zu bytes, and SQLite takes %d", path,
                    length, PATH_MOST);
    if (strlen(slash == NULL ? path : slash + 1) > NAME_MOST)
        return fail(failure, FAIL_SYSTEM,
                    "cannot open %.200s: a database's name has at most %d bytes", path, NAME_MOST);
    return FAIL_NONE;
}

enum failure_kind results_check_path(const char *path, struct failure *failure)
{
    struct stat status;
    char folder[FOLDER_SIZE];
    folder_of(path, folder);
    if (check_length(path, failure) != FAIL_NONE)
        return failure->kind;
    if (stat(path, &status) != 0)
        return errno == ENOENT && stat(folder, &status) != 0 && errno == ENOENT
                   ? cannot("open", path, "there is no folder ", folder, failure)
                   : FAIL_NONE;
    if (S_ISREG(status.st_mode))
        return FAIL_NONE;
    return fail(failure, FAIL_SYSTEM, "cannot open %.200s: it is %s, not a file", path,
                S_ISDIR(status.st_mode)    ? "a folder"
                : S_ISFIFO(status.st_mode) ? "a pipe"
                                           : "a device");
}

static enum failure_kind fail_missing(const char *path, bool to_write, const char *reason,
                                      struct failure *failure)
{
    struct stat status;
    char folder[FOLDER_SIZE];
    folder_of(path, folder);
    if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode))
        return cannot("open", path, "it is a link to nothing", NULL, failure);
    if (!to_write)
        return cannot("open", path, "there is no such file", NULL, failure);
    if (stat(folder, &status) == 0 && status.st_nlink == 0)
        return cannot("make", path, "its folder was removed", NULL, failure);
    if (access(folder, W_OK | X_OK) != 0)
        return cannot("make", path, "its folder cannot be written: ", strerror(errno), failure);
    return cannot("make", path, reason, NULL, failure);
}

static enum failure_kind fail_present(const char *path, bool to_write, const char *reason,
                                      struct failure *failure)
{
    char folder[FOLDER_SIZE], *real = realpath(path, NULL);
    folder_of(real == NULL ? path : real, folder);
    free(real);
    if (access(path, R_OK) != 0)
        return cannot("read", path, "", strerror(errno), failure);
    if (to_write && access(path, W_OK) != 0)
        return cannot("write to", path, "it is read-only: ", strerror(errno), failure);
    if (access(folder, W_OK | X_OK) != 0)
        return cannot("open", path,
                      "SQLite needs files beside it, and its folder cannot be written: ",
                      strerror(errno), failure);
    return cannot("open", path, reason, NULL, failure);
}

enum failure_kind results_fail_path(const char *path, bool to_write, const char *reason,
                                    struct failure *failure)
{
    struct stat status;
    if (results_check_path(path, failure) != FAIL_NONE)
        return failure->kind;
    if (stat(path, &status) == 0)
        return fail_present(path, to_write, reason, failure);
    if (errno == ENOENT)
        return fail_missing(path, to_write, reason, failure);
    return cannot("open", path, "", strerror(errno), failure);
}
