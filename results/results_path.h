/* results_path.h - the place of a database: what is there, what is wrong with it, what lies beside. */
#ifndef MESHCAST_RESULTS_RESULTS_PATH_H
#define MESHCAST_RESULTS_RESULTS_PATH_H

#include "base/failure.h"

#include <stdbool.h>

/* FAIL_SYSTEM: no database can be at that path, because the folder is not there or something else
 * than a file is. */
enum failure_kind results_check_path(const char *path, struct failure *failure);

/* Fails with FAIL_SYSTEM, saying why a database at `path` could not be opened, or not be written if
 * `to_write`; `reason` is told where the file and its folder show nothing wrong. */
enum failure_kind results_fail_path(const char *path, bool to_write, const char *reason,
                                    struct failure *failure);

/* Whether SQLite's write-ahead log lies beside the file; also where that cannot be told. */
bool results_has_wal(const char *path);

/* Removes the index of the write-ahead log that lies beside the file, if there is one. Only the
 * caller may have the database open. */
void results_remove_wal_index(const char *path);

/* Whether WAL at its usual size, 4 MB, would be much of what the disk has left. Emptying it after
 * every few pages instead costs some milliseconds a run. */
bool results_is_short_of_room(const char *path);

#endif
