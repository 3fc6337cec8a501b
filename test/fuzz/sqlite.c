/* sqlite.c - faults of SQLite's own calls.
 *
 * Method: SQLite lets its allocator, the system calls of its Unix layer and that layer itself be
 * replaced; a copy of the layer differs from it in its sleep alone.
 */
#include "test/fuzz/sqlite.h"

#include "test/fuzz/faults.h"

#include <errno.h>
#include <sqlite3.h>
#include <sys/types.h>
#include <unistd.h>

enum { PAGE_UNIT = 1024 }; /* pages begin at multiples of it, what is read of headers does not */

static struct {
    sqlite3_vfs vfs;
    sqlite3_mem_methods memory;
    unsigned left; /* allocations up to the one that fails */
    bool has_struck;
    int (*open)(const char *, int, int);
} state;

static bool strikes(void)
{
    if (state.left == 0 || --state.left > 0)
        return false;
    state.has_struck = true;
    return true;
}

static void *allocate(int size)
{
    return strikes() ? NULL : state.memory.xMalloc(size);
}

static void *resize(void *block, int size)
{
    return strikes() ? NULL : state.memory.xRealloc(block, size);
}

static ssize_t read_at(int descriptor, void *bytes, size_t size, off_t at)
{
    /* so that both come: SQLite takes EIO for damage of the file system and no other error */
    bool is_page = at % PAGE_UNIT == 0;
    errno = is_page ? EIO : ESTALE;
    return fuzz_strikes(FUZZ_READ) ? -1 : pread(descriptor, bytes, size, at);
}

static ssize_t write_at(int descriptor, const void *bytes, size_t size, off_t at)
{
    errno = ENOSPC;
    return fuzz_strikes(FUZZ_FULL) ? -1 : pwrite(descriptor, bytes, size, at);
}

/* Some builds of SQLite seek, and then read and write. */
static ssize_t read_on(int descriptor, void *bytes, size_t size)
{
    errno = EIO;
    return fuzz_strikes(FUZZ_READ) ? -1 : read(descriptor, bytes, size);
}

static ssize_t write_on(int descriptor, const void *bytes, size_t size)
{
    errno = ENOSPC;
    return fuzz_strikes(FUZZ_FULL) ? -1 : write(descriptor, bytes, size);
}

static int open_it(const char *path, int flags, int mode)
{
    errno = EACCES;
    return fuzz_strikes(FUZZ_OPEN) ? -1 : state.open(path, flags, mode);
}

/* Nobody waits for a lock state. */
static int do_not_sleep(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    return microseconds;
}

void fuzz_sqlite_prepare(void)
{
    sqlite3_mem_methods memory;
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &state.memory);
    if (state.memory.xMalloc == NULL) {
        sqlite3_initialize();
        sqlite3_shutdown();
        sqlite3_config(SQLITE_CONFIG_GETMALLOC, &state.memory);
    }
    memory = state.memory;
    memory.xMalloc = allocate;
    memory.xRealloc = resize;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &memory);
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0); /* each allocation shows */
    sqlite3_initialize();
    sqlite3_vfs *usual = sqlite3_vfs_find(NULL);
    *(sqlite3_syscall_ptr *)&state.open = usual->xGetSystemCall(usual, "open");
    usual->xSetSystemCall(usual, "read", (sqlite3_syscall_ptr)read_on);
    usual->xSetSystemCall(usual, "write", (sqlite3_syscall_ptr)write_on);
    usual->xSetSystemCall(usual, "pread", (sqlite3_syscall_ptr)read_at);
    usual->xSetSystemCall(usual, "pread64", (sqlite3_syscall_ptr)read_at);
    usual->xSetSystemCall(usual, "pwrite", (sqlite3_syscall_ptr)write_at);
    usual->xSetSystemCall(usual, "pwrite64", (sqlite3_syscall_ptr)write_at);
    usual->xSetSystemCall(usual, "open", (sqlite3_syscall_ptr)open_it);
    state.vfs = *usual;
    state.vfs.zName = "fuzz";
    state.vfs.xSleep = do_not_sleep;
    sqlite3_vfs_register(&state.vfs, 1);
}

void fuzz_sqlite_arm(unsigned allocation)
{
    state.left = allocation;
    state.has_struck = false;
}

bool fuzz_sqlite_end(void)
{
    state.left = 0;
    return state.has_struck;
}
