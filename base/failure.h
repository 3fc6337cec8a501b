/* failure.h - the failure of a function, with the rule by which all of meshcast reports it.
 *
 * The error rule, for all layers:
 *   - a mistake of the caller or user, bad input, a broken check or a failing system: the function
 *     returns a kind other than FAIL_NONE and `failure` holds one line that names the remedy;
 *   - a broken invariant of our own: assert;
 *   - no memory: memory_allocate() returns NULL and the caller fails with FAIL_SYSTEM.
 * A function that fails has freed what it allocated, unless it says otherwise. The first five kinds
 * are the program's exit statuses.
 */
#ifndef MESHCAST_BASE_FAILURE_H
#define MESHCAST_BASE_FAILURE_H

#include "base/memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum failure_kind {
    FAIL_NONE = 0,        /* success */
    FAIL_CHECK = 1,       /* the run ended but a check failed: a delivery, an overflow, an audit */
    FAIL_USAGE = 2,       /* wrong usage: an option, a parameter */
    FAIL_INPUT = 3,       /* bad input: the text names the file, the line, and what was expected */
    FAIL_SYSTEM = 4,      /* the system failed: cannot open, disk full, out of memory */
    FAIL_INTERRUPTED = 5, /* the caller sent a struct interrupt */
    /* An attempt's steps are spent (machine/attempt.h): no failure, without a text, and no exit
     * status, since routers/ deals with it. */
    FAIL_VOID = 6,
};

struct failure {
    enum failure_kind kind;
    bool is_memory_limit; /* of FAIL_SYSTEM: the limit refused the memory */
    char topic[48];       /* of FAIL_USAGE: the topic of `meshcast help` that says more, or "" */
    char text[512];       /* one line, printable, without a newline */
};

/* Fills `failure` (which may be NULL) from a printf format and returns `kind`. The first failure
 * is kept: a second call on a filled `failure` changes nothing and returns the first kind. Bytes
 * that are not printable ASCII are written as '?'. */
enum failure_kind fail(struct failure *failure, enum failure_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fails as `cause` did, with its text. */
enum failure_kind fail_as(struct failure *failure, const struct failure *cause);

/* Fails with FAIL_SYSTEM, naming what the memory was for; if the limit refused it (base/memory.h),
 * with the figures and is_memory_limit set. */
enum failure_kind fail_memory(struct failure *failure, const char *purpose);

/* A request to end a computation early, from another thread or a signal handler; the computation
 * only reads it. */
struct interrupt {
    atomic_bool is_sent;
};
_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "a signal handler may send it");

/* True if it is sent; false for NULL. */
bool interrupt_is_sent(const struct interrupt *interrupt);

/* Fails with FAIL_INTERRUPTED if it is sent. */
enum failure_kind interrupt_check(const struct interrupt *interrupt, struct failure *failure);

#endif
