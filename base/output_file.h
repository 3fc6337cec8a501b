/* output_file.h - a file that a command makes: it appears when it is complete.
 *
 * All files that the program writes, except the database of `sweep`, are opened and closed here;
 * the code that fills them gets a FILE.
 */
#ifndef MESHCAST_BASE_OUTPUT_FILE_H
#define MESHCAST_BASE_OUTPUT_FILE_H

#include "base/failure.h"

#include <stdbool.h>
#include <stdio.h>

/* Sets callbacks for temporary files, so that they can be removed when the program is ended from
 * outside. `made` is called before the file exists, `gone` after it was renamed or removed. The
 * name is the same pointer both times and lives in between. Must be called while no file is open;
 * NULL: none. */
void output_file_set_watch(void (*made)(const char *name), void (*gone)(const char *name));

struct output_file {
    const char *path;    /* NULL: none is wanted */
    FILE *file;          /* NULL: none is open */
    char *target, *made; /* `made` is written and becomes `target`; NULL: written in place */
    /* `file` is a temporary one, which is copied to standard output when it is complete */
    bool is_held;
};

/* True if both paths name one regular file, or one place without a file; false if one is NULL or
 * "-". */
bool path_is_same_file(const char *path, const char *other);

/* True if the path names the file or pipe that standard output goes to: /dev/stdout, for
 * instance. */
bool path_is_standard_output(const char *path);

/* Opens `path` for writing: NULL is none, "-" standard output. FAIL_SYSTEM: it cannot be opened;
 * nothing stays open. */
enum failure_kind output_file_open(struct output_file *output, const char *path,
                                   struct failure *failure);

/* Opens it as output_file_open(), but standard output also gets nothing before the file is
 * complete: for content that only the end of the run, or of the input, shows to be right. */
enum failure_kind output_file_open_held(struct output_file *output, const char *path,
                                        struct failure *failure);

/* Writes the rest, closes the file, and renames it. If that fails, or `keep` is false, the old file
 * stays. Errors of standard output are reported by main() only. */
enum failure_kind output_file_close(struct output_file *output, bool keep, struct failure *failure);

/* Closes all files of one run. They are renamed if all of them could be written and `keep` is
 * true. */
enum failure_kind output_files_close(struct output_file *const *output, int count, bool keep,
                                     struct failure *failure);

#endif
