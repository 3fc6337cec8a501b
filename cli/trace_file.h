/* trace_file.h - a file that a run makes, its trace or what shows it: there when it is whole. */
#ifndef MESHCAST_CLI_TRACE_FILE_H
#define MESHCAST_CLI_TRACE_FILE_H

#include "machine/failure.h"

#include <stdbool.h>
#include <stdio.h>

struct trace_file {
    const char *path;    /* NULL: none is wanted */
    FILE *file;          /* NULL: none is open */
    char *target, *made; /* `made` is written and becomes `target`; NULL: written in place */
};

/* Whether both paths name one and the same regular file. */
bool path_is_same_file(const char *path, const char *other);

/* Opens `path` for writing: NULL is none, "-" standard output. */
enum failure_kind trace_file_open(struct trace_file *trace, const char *path,
                                  struct failure *failure);

/* Writes what is left and closes the file, which only now takes its place. If that fails, or `keep`
 * is false, the file is not whole, and what was in its place stays. */
enum failure_kind trace_file_close(struct trace_file *trace, bool keep, struct failure *failure);

#endif
