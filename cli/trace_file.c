/* trace_file.c - the file of a run's trace, from before the run until it is whole.
 *
 * A trace is written beside its place and renamed when it is whole: one that looks whole and is not
 * would make an audit lie, and a run that is refused must not cost the file that was there. It is
 * opened before the run, so that a folder that cannot be written is told at once. A device or a
 * pipe is written in place.
 *
 * The engine writes to the FILE and never looks; whether all went well is asked of the stream when
 * it is closed.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "cli/trace_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool path_is_same_file(const char *path, const char *other)
{
    struct stat a, b;
    return path != NULL && other != NULL && stat(path, &a) == 0 && stat(other, &b) == 0 &&
           S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Where to write: names made by us, freed by trace_file_close. */
static enum failure_kind name_files(struct trace_file *trace, const char *path,
                                    struct failure *failure)
{
    enum { SUFFIX = 32 };
    bool exists = access(path, F_OK) == 0;
    trace->target = exists ? realpath(path, NULL) : strdup(path);
    size_t size = strlen(path) + SUFFIX;
    if (trace->target != NULL)
        size = strlen(trace->target) + SUFFIX;
    trace->made = memory_allocate(size, 1);
    if (trace->target == NULL || trace->made == NULL)
        return fail(failure, FAIL_SYSTEM, "cannot open %s for writing: %s", path, strerror(errno));
    snprintf(trace->made, size, "%s.%ld.tmp", trace->target, (long)getpid());
    if (exists && access(path, W_OK) != 0)
        return fail(failure, FAIL_SYSTEM, "cannot open %s for writing: %s", path, strerror(errno));
    return FAIL_NONE;
}

static void forget_names(struct trace_file *trace)
{
    free(trace->target);
    free(trace->made);
    trace->target = trace->made = NULL;
}

enum failure_kind trace_file_open(struct trace_file *trace, const char *path,
                                  struct failure *failure)
{
    struct stat status;
    *trace = (struct trace_file){.path = path};
    if (path == NULL)
        return FAIL_NONE;
    bool in_place = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    if (strcmp(path, "-") == 0) {
        trace->file = stdout;
    } else if (in_place) {
        trace->file = fopen(path, "w");
    } else if (name_files(trace, path, failure) != FAIL_NONE) {
        forget_names(trace);
        return FAIL_SYSTEM;
    } else {
        trace->file = fopen(trace->made, "w");
    }
    if (trace->file != NULL)
        return FAIL_NONE;
    fail(failure, FAIL_SYSTEM, "cannot open %s for writing: %s", path, strerror(errno));
    forget_names(trace);
    return FAIL_SYSTEM;
}

enum failure_kind trace_file_close(struct trace_file *trace, bool keep, struct failure *failure)
{
    FILE *file = trace->file;
    trace->file = NULL;
    if (file == NULL)
        return FAIL_NONE;

    bool failed = ferror(file) != 0;
    errno = 0;
    failed = fflush(file) != 0 || failed;
    int reason = errno;
    if (file == stdout) /* main() closes it and tells what went wrong */
        return FAIL_NONE;
    if (fclose(file) != 0 && !failed) {
        failed = true;
        reason = errno;
    }
    if (!failed && keep && trace->made != NULL && rename(trace->made, trace->target) != 0) {
        failed = true;
        reason = errno;
    }
    if (trace->made != NULL && (failed || !keep))
        unlink(trace->made);
    forget_names(trace);
    if (!failed)
        return FAIL_NONE;
    return fail(failure, FAIL_SYSTEM, "cannot write %s: %s", trace->path,
                reason != 0 ? strerror(reason) : "a write failed (is the disk full?)");
}
