/* failing_allocation.c - a library that is loaded before a program and fails one of its
 * allocations.
 *
 * FAIL_AT=N fails the N-th call of malloc, calloc or realloc of a process, counting its parent's
 * where it was forked, and appends a byte to the file FAIL_NOTE: without it the program has fewer
 * of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

/* Functions of the C library, for libraries that replace the others. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

static atomic_long calls, failing;

static int fails(void)
{
    long call = ++calls;
    if (call == 1) {
        const char *text = getenv("FAIL_AT");
        failing = text == NULL ? -1 : atol(text);
    }
    if (call != failing)
        return 0;
    const char *note = getenv("FAIL_NOTE");
    int file = note == NULL ? -1 : open(note, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file >= 0) {
        (void)!write(file, "x", 1);
        close(file);
    }
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return fails() ? NULL : __libc_realloc(block, size);
}
