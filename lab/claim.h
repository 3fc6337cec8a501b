/* claim.h - who does which run, where several processes share one database.
 *
 * A claim is a lock of one byte, at an offset that a hash of the run's identity gives, in the
 * database's own file, far behind all that SQLite uses. The system takes it back when its process
 * ends, however it ends: a claim is never left behind, and none needs to be judged by its age.
 */
#ifndef MESHCAST_LAB_CLAIM_H
#define MESHCAST_LAB_CLAIM_H

#include "base/failure.h"

#include <stdbool.h>
#include <stdint.h>

/* The claims of one process. It must be opened before the process opens the database and closed
 * after the database is closed: closing any descriptor of a file gives up all of a process's locks
 * on it, SQLite's included. One process has one of these at a time. */
struct claim_file {
    int descriptor;
};

/* Opens the file, which must be there. FAIL_SYSTEM: it cannot be opened to write. */
enum failure_kind claim_open(struct claim_file *file, const char *path, struct failure *failure);
void claim_close(struct claim_file *file);

/* Tries to claim a run; *claimed is false if another process has it. FAIL_SYSTEM: the file's disk
 * has no locks. */
enum failure_kind claim_try(const struct claim_file *file, uint64_t hash, bool *claimed,
                            struct failure *failure);

/* Gives a claim up. */
void claim_release(const struct claim_file *file, uint64_t hash);

#endif
