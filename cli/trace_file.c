/* trace_file.c - the file of a run's trace, from before the run until it is whole.
 *
 * The file is opened before the run, so that a folder that cannot be written is told at once, and
 * no part of a trace is left behind: one that looks whole and is not would make an audit lie.
 *
 * The engine writes to the FILE and never looks; whether all went well is asked of the stream when
 * it is closed. A device or a pipe is closed like a file but never removed.
 */
#include "cli/trace_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum failure_kind trace_file_open(struct trace_file *trace, const char *path,
                                  struct failure *failure)
{
    *trace = (struct trace_file){.path = path};
    if (path == NULL)
        return FAIL_NONE;
    trace->file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (trace->file == NULL)
        return fail(failure, FAIL_SYSTEM, "cannot open %s for writing: %s", path, strerror(errno));
    return FAIL_NONE;
}

static void remove_regular(const char *path)
{
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISREG(status.st_mode))
        unlink(path);
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
    if (failed || !keep)
        remove_regular(trace->path);
    if (!failed)
        return FAIL_NONE;
    return fail(failure, FAIL_SYSTEM, "cannot write %s: %s", trace->path,
                reason != 0 ? strerror(reason) : "a write failed (is the disk full?)");
}
