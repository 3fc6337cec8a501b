/* results_path.h - the path of a database: what is there, what is wrong with it.
 */
#ifndef MESHCAST_LAB_RESULTS_PATH_H
#define MESHCAST_LAB_RESULTS_PATH_H

#include "base/failure.h"

#include <stdbool.h>

/* FAIL_SYSTEM: no database can be at that path: the folder is missing, or something other than a
 * file is there. */
enum failure_kind results_check_path(const char *path, struct failure *failure);

/* Fails with FAIL_SYSTEM: why a database at `path` could not be opened, or not be written if
 * `to_write`; `reason` is reported where the file and its folder show nothing wrong. */
enum failure_kind results_fail_path(const char *path, bool to_write, const char *reason,
                                    struct failure *failure);

#endif
