/* results_path.h - the path of a database: what is there, what is wrong with it, what is beside it.
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

/* True if SQLite's write-ahead log (WAL) is beside the file, or if that is unknown. */
bool results_has_wal(const char *path);

/* Removes the index of the WAL, if there is one. Only the caller may have the database open. */
void results_remove_wal_index(const char *path);

/* True if a WAL of the usual size, 4 MB, would be much of the room left on the disk. Emptying it
 * after every few pages instead costs some milliseconds per run. */
bool results_is_short_of_room(const char *path);

#endif
