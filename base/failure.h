/* failure.h - how every function of meshcast reports that it could not do its work.
 *
 * The error rule, for all layers:
 *   - a mistake of the caller or user, bad input, a broken check or a failing system: the function
 *     returns a kind other than FAIL_NONE and `failure` holds one line that names the remedy;
 *   - a broken invariant of our own: assert;
 *   - no memory: memory_allocate() returns NULL and the caller fails with FAIL_SYSTEM.
 * A function that fails has freed what it allocated, unless it says otherwise. The first five
 * kinds are the program's exit statuses.
 */
#ifndef MESHCAST_BASE_FAILURE_H
#define MESHCAST_BASE_FAILURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of a `limit` of bytes that stands for no limit. */
#define MEMORY_NO_LIMIT UINT64_MAX

enum failure_kind {
    FAIL_NONE = 0,        /* success */
    FAIL_CHECK = 1,       /* the run ended but a check failed: a delivery, an overflow, an audit */
    FAIL_USAGE = 2,       /* wrong usage: an option, a parameter */
    FAIL_INPUT = 3,       /* bad input: the text names the file, the line, what was expected */
    FAIL_SYSTEM = 4,      /* the system failed: cannot open, disk full, out of memory */
    FAIL_INTERRUPTED = 5, /* the caller sent an interrupt (base/interrupt.h) */
    /* An attempt's steps are spent (machine/attempt.h): no failure, without a text, and no exit status, since routers/
     * deals with it. */
    FAIL_VOID = 6,
};

struct failure {
    enum failure_kind kind;
    bool is_memory_limit; /* of FAIL_SYSTEM: more memory was needed than the caller allowed */
    char topic[48];       /* of FAIL_USAGE: the subject of `meshcast help` that says more, or "" */
    char text[512];       /* one line, printable, without a newline */
};

/* Fills `failure` (which may be NULL) from a printf format and returns `kind`. The first failure
 * is kept: a second call on a filled `failure` changes nothing and returns the first kind. Bytes
 * that are not printable ASCII are written as '?'. */
enum failure_kind fail(struct failure *failure, enum failure_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fails with FAIL_SYSTEM, naming what the memory was for. */
enum failure_kind fail_memory(struct failure *failure, const char *purpose);

/* Fails with FAIL_SYSTEM and sets is_memory_limit. */
enum failure_kind fail_memory_limit(struct failure *failure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* fail_memory_limit() if `bytes` are more than `limit`: "WHAT needs more than the 21.3 GB of memory that
 * are available". */
enum failure_kind memory_check_limit(uint64_t bytes, uint64_t limit, const char *what,
                                     struct failure *failure);

/* Writes a number of bytes, such as "21.3 GB", "4.0 MB", "12 kB", to `text`, and returns it. */
const char *memory_text(uint64_t bytes, char text[32]);

/* calloc with the product checked; NULL when `count * size` overflows or memory is out. A zero
 * count gives a pointer that may be freed. The caller frees with free(). */
void *memory_allocate(size_t count, size_t size);

/* memory_allocate_sparse() does the same for a block of which little may ever be written: the system gives it
 * memory in small pages, until memory_expect_use() says that much of it will be written. `bytes` is the size of the
 * block. */
void *memory_allocate_sparse(size_t count, size_t size);
void memory_expect_use(void *block, size_t bytes);

/* Returns `block`, which has room for *room elements, with room for at least `count`, contents kept, and sets *room: if that
 * was too little, to at least twice as many. `block` may be NULL. What lies beyond the old room is not
 * cleared. NULL, and both unharmed, on overflow or no memory. If arrays share one room, give all but the last a copy of it,
 * and grow none after one that failed: else the room is larger than an array. */
void *memory_grow(void *block, size_t *room, size_t count, size_t size);

/* Resizes to `count` elements, contents kept; NULL (and `block` unharmed) on overflow or no
 * memory. What lies beyond the old end is not cleared. */
void *memory_resize(void *block, size_t count, size_t size);

#endif
