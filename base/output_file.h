/* output_file.h - a file that a command makes: there when it is whole, and not before.
 *
 * All files that the program writes, but for the database of `sweep`, are opened and closed here;
 * who fills them takes a FILE.
 */
#ifndef MESHCAST_BASE_OUTPUT_FILE_H
#define MESHCAST_BASE_OUTPUT_FILE_H

#include "base/failure.h"

#include <stdbool.h>
#include <stdio.h>

/* From now on temporary files are told, so that somebody can remove them when the program is ended
 * from without: `made` before one is there, `gone` after it was renamed or removed. The name is the
 * same pointer both times and lives in between. To be called while no file is open; NULL: nobody is
 * told. */
void output_file_set_watch(void (*made)(const char *name), void (*gone)(const char *name));

struct output_file {
    const char *path;    /* NULL: none is wanted */
    FILE *file;          /* NULL: none is open */
    char *target, *made; /* `made` is written and becomes `target`; NULL: written in place */
    bool is_held; /* `file` is a temporary one, which goes to standard output when it is whole */
};

/* True if both paths name one regular file, or one place where no file is yet; false if one is NULL
 * or "-". */
bool path_is_same_file(const char *path, const char *other);

/* True if the path names the file or pipe that standard output goes to: /dev/stdout, for
 * instance. */
bool path_is_standard_output(const char *path);

/* Opens `path` for writing: NULL is none, "-" standard output. FAIL_SYSTEM, which
 * leaves nothing open. */
enum failure_kind output_file_open(struct output_file *output, const char *path,
                                   struct failure *failure);

/* The same, but standard output gets nothing before the file is whole either: for what only the end
 * of the run, or of the input, shows to be right. */
enum failure_kind output_file_open_held(struct output_file *output, const char *path,
                                        struct failure *failure);

/* Writes what is left and closes the file, which only now takes its place. If that fails, or `keep`
 * is false, the file is not whole, and what was in its place stays. What goes wrong with standard
 * output is told by main() alone. */
enum failure_kind output_file_close(struct output_file *output, bool keep, struct failure *failure);

/* Closes all files of one run. They take their places if all of them could be written and `keep` is
 * true. */
enum failure_kind output_files_close(struct output_file *const *output, int count, bool keep,
                                     struct failure *failure);

#endif
