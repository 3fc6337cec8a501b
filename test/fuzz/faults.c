/* faults.c - faults of memory and files that an input asks for, and files that hold an input.
 *
 * Method: the linker renames the calls (--wrap); each counts itself and goes on to the real
 * function, unless it is the one that fails. A served stream is a cookie of the C library's, a
 * served descriptor a number that no file has.
 */
#define _GNU_SOURCE /* fopencookie */
#include "test/fuzz/faults.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { SERVED = 1 << 20, HEAD = 2, HEAD_MASK = 63 };

static struct {
    bool is_armed, has_struck, in_pieces;
    enum fuzz_fault kind;
    unsigned left; /* calls up to the one that fails */
    const char *name;
    const uint8_t *bytes;
    size_t length, at;
    FILE *standard, *output; /* the program's own stdin and stdout */
    char *text;              /* written to stdout */
    size_t size;
} state = {.name = ""};

FILE *__real_open_memstream(char **text, size_t *size);

void fuzz_require(bool holds)
{
    if (!holds)
        abort();
}

bool fuzz_begin(const uint8_t **bytes, size_t *length, unsigned *flags)
{
    if (*length < HEAD)
        return false;
    *flags = (*bytes)[1] & HEAD_MASK;
    state.kind = (enum fuzz_fault)(*flags & FUZZ_FAULTS);
    state.left = (*bytes)[0] & HEAD_MASK;
    state.in_pieces = (*flags & FUZZ_PIECES) != 0;
    state.has_struck = false;
    *bytes += HEAD;
    *length -= HEAD;
    return true;
}

void fuzz_arm(void)
{
    state.is_armed = true;
}

bool fuzz_strikes(enum fuzz_fault kind)
{
    if (!state.is_armed || kind != state.kind || state.left == 0 || --state.left > 0)
        return false;
    state.has_struck = true;
    return true;
}

void fuzz_capture(void)
{
    fuzz_require(state.output == NULL);
    state.output = stdout;
    stdout = __real_open_memstream(&state.text, &state.size);
    fuzz_require(stdout != NULL);
}

char *fuzz_captured(size_t *size)
{
    fclose(stdout);
    stdout = state.output;
    state.output = NULL;
    *size = state.size;
    return state.text;
}

bool fuzz_end(void)
{
    state.is_armed = false;
    state.left = 0;
    if (state.standard != NULL) {
        fclose(stdin);
        stdin = state.standard;
        state.standard = NULL;
    }
    return state.has_struck;
}

void fuzz_require_failure(enum failure_kind kind, const struct failure *failure, bool has_struck)
{
    const char *text = failure->text;
    bool names = strncmp(text, state.name, strlen(state.name)) == 0 ||
                 strncmp(text, "standard input:", strlen("standard input:")) == 0 ||
                 strncmp(text, "...", 3) == 0; /* the end of a long name */
    bool is_right = kind != FAIL_NONE && failure->kind == kind && (kind != FAIL_INPUT || names) &&
                    (kind != FAIL_SYSTEM || has_struck) && *text != '\0';
    for (const char *c = text; *c != '\0'; c++)
        is_right = is_right && *c >= ' ' && *c <= '~';
    if (!is_right)
        fprintf(stderr, "failed with %d: %s\n", (int)kind, text);
    fuzz_require(is_right);
}

/* ---- served files ---- */

/* Returns -1 with errno set, or so many bytes. */
static ssize_t serve(void *bytes, size_t size)
{
    size_t left = state.length - state.at;
    if (fuzz_strikes(FUZZ_READ) || fuzz_strikes(FUZZ_INTERRUPT)) {
        errno = state.kind == FUZZ_READ ? EIO : EINTR;
        return -1;
    }
    if (state.in_pieces && size > 3)
        size = state.at == 0 ? 1 : 3;
    if (size > left)
        size = left;
    if (size > 0)
        memcpy(bytes, state.bytes + state.at, size);
    state.at += size;
    return (ssize_t)size;
}

static ssize_t read_cookie(void *cookie, char *bytes, size_t size)
{
    (void)cookie;
    return serve(bytes, size);
}

static FILE *open_cookie(void)
{
    return fopencookie(NULL, "rb", (cookie_io_functions_t){.read = read_cookie});
}

const char *fuzz_serve(const char *name, const void *bytes, size_t length, unsigned flags)
{
    state.name = name;
    state.bytes = bytes;
    state.length = length;
    state.at = 0;
    state.standard = stdin;
    stdin = open_cookie();
    fuzz_require(stdin != NULL);
    fuzz_arm();
    return flags & FUZZ_STANDARD ? "-" : name;
}

static bool is_served(const char *path)
{
    return state.standard != NULL && strcmp(path, state.name) == 0;
}

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode)
{
    if (!fuzz_strikes(FUZZ_OPEN))
        return is_served(path) ? open_cookie() : __real_fopen(path, mode);
    errno = EACCES;
    return NULL;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = va_arg(arguments, unsigned); /* garbage, and unused, if none is given */
    va_end(arguments);
    if (!fuzz_strikes(FUZZ_OPEN))
        return is_served(path) ? SERVED : __real_open(path, flags, mode);
    errno = EACCES;
    return -1;
}

ssize_t __real_read(int descriptor, void *bytes, size_t size);
ssize_t __wrap_read(int descriptor, void *bytes, size_t size);
ssize_t __wrap_read(int descriptor, void *bytes, size_t size)
{
    bool serves = state.standard != NULL && (descriptor == SERVED || descriptor == STDIN_FILENO);
    return serves ? serve(bytes, size) : __real_read(descriptor, bytes, size);
}

/* The file can be read again; standard input is a pipe. */
off_t __real_lseek(int descriptor, off_t offset, int whence);
off_t __wrap_lseek(int descriptor, off_t offset, int whence);
off_t __wrap_lseek(int descriptor, off_t offset, int whence)
{
    if (state.standard != NULL && descriptor == STDIN_FILENO)
        return -1;
    if (descriptor != SERVED)
        return __real_lseek(descriptor, offset, whence);
    state.at = whence == SEEK_SET ? (size_t)offset : state.at;
    return (off_t)state.at;
}

int __real_close(int descriptor);
int __wrap_close(int descriptor);
int __wrap_close(int descriptor)
{
    return descriptor == SERVED ? 0 : __real_close(descriptor);
}

/* Nobody waits. */
int __real_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
    return state.is_armed ? 0 : __real_nanosleep(time, left);
}

/* A disk that is going to be full has little room before. */
int __real_statvfs(const char *path, struct statvfs *disk);
int __wrap_statvfs(const char *path, struct statvfs *disk);
int __wrap_statvfs(const char *path, struct statvfs *disk)
{
    int status = __real_statvfs(path, disk);
    if (status == 0 && state.is_armed && state.kind == FUZZ_FULL && state.left > 0)
        disk->f_bavail = 1;
    return status;
}

/* These stand before the C library's, for SQLite too: what a fuzzer writes need not survive it. */
int fsync(int descriptor)
{
    (void)descriptor;
    return 0;
}

int fdatasync(int descriptor)
{
    (void)descriptor;
    return 0;
}

/* ---- memory ---- */

#define WRAP(type, name, parameters, arguments, failed)                                            \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        return fuzz_strikes(FUZZ_ALLOCATION) ? failed : __real_##name arguments;                   \
    }

WRAP(void *, malloc, (size_t size), (size), NULL)
WRAP(void *, calloc, (size_t count, size_t size), (count, size), NULL)
WRAP(void *, realloc, (void *block, size_t size), (block, size), NULL)
WRAP(char *, strdup, (const char *text), (text), NULL)
WRAP(FILE *, open_memstream, (char **text, size_t *size), (text, size), NULL)
WRAP(int, inflate, (z_stream * stream, int flush), (stream, flush), Z_MEM_ERROR)
WRAP(int, inflateInit2_, (z_stream * stream, int bits, const char *version, int size),
     (stream, bits, version, size), Z_MEM_ERROR)
WRAP(int, deflateInit2_,
     (z_stream * stream, int level, int method, int bits, int memory, int strategy,
      const char *version, int size),
     (stream, level, method, bits, memory, strategy, version, size), Z_MEM_ERROR)
