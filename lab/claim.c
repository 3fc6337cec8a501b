/* claim.c - claims as advisory locks of single bytes.
 *
 * Why a run is never done twice at once, and never forgotten: who wants to do it takes its lock,
 * then looks whether its row is there, does it, stores the row, and gives up the lock. Two cannot
 * hold the lock at once, and who comes later finds the row. A process that is killed in between
 * loses the lock with its life and leaves no row, so the run is free again.
 *
 * Two runs with the same offset (62 bits of a hash) only wait for each other.
 *
 * SQLite locks bytes at 2^30 and the 511 behind it; ours lie at 2^62 and above. Locks of this kind
 * hold within one machine, as WAL does.
 */
#include "lab/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == 8, "offsets of 64 bits");

static struct flock lock_of(uint64_t hash, short type)
{
    const uint64_t first = UINT64_C(1) << 62;
    return (struct flock){
        .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)(first | (hash >> 2)), .l_len = 1};
}

enum failure_kind claim_open(struct claim_file *file, const char *path, struct failure *failure)
{
    file->descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (file->descriptor >= 0)
        return FAIL_NONE;
    return fail(failure, FAIL_SYSTEM, "cannot open %.200s: %s", path, strerror(errno));
}

void claim_close(struct claim_file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
}

enum failure_kind claim_try(const struct claim_file *file, uint64_t hash, bool *claimed,
                            struct failure *failure)
{
    struct flock lock = lock_of(hash, F_WRLCK);
    int status;
    do
        status = fcntl(file->descriptor, F_SETLK, &lock);
    while (status != 0 && errno == EINTR);
    *claimed = status == 0;
    if (status == 0 || errno == EACCES || errno == EAGAIN)
        return FAIL_NONE;
    return fail(failure, FAIL_SYSTEM, "cannot lock the database's file: %s", strerror(errno));
}

void claim_release(const struct claim_file *file, uint64_t hash)
{
    struct flock lock = lock_of(hash, F_UNLCK);
    fcntl(file->descriptor, F_SETLK, &lock);
}
