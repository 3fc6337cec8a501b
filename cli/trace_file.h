/* trace_file.h - the file that a run's trace goes to. */
#ifndef MESHCAST_CLI_TRACE_FILE_H
#define MESHCAST_CLI_TRACE_FILE_H

#include "machine/failure.h"

#include <stdbool.h>
#include <stdio.h>

struct trace_file {
    const char *path; /* NULL: no trace is wanted */
    FILE *file;       /* NULL: none is open */
};

/* Opens `path` for writing: NULL is no trace, "-" standard output. */
enum failure_kind trace_file_open(struct trace_file *trace, const char *path,
                                  struct failure *failure);

/* Writes what is left and closes the file. If that fails, or `keep` is false, the trace is not
 * whole and a regular file is removed. */
enum failure_kind trace_file_close(struct trace_file *trace, bool keep, struct failure *failure);

#endif
