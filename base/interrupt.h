/* interrupt.h - a request to end a computation before its time, from another thread or a signal handler. */
#ifndef MESHCAST_BASE_INTERRUPT_H
#define MESHCAST_BASE_INTERRUPT_H

#include "base/failure.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "a signal handler may send it");

/* Whoever computes only reads it. */
struct interrupt {
    atomic_bool is_sent;
};

/* NULL: nobody sends any. */
static inline bool interrupt_is_sent(const struct interrupt *interrupt)
{
    return interrupt != NULL && atomic_load_explicit(&interrupt->is_sent, memory_order_relaxed);
}

/* Fails with FAIL_INTERRUPTED if it is sent. */
static inline enum failure_kind interrupt_check(const struct interrupt *interrupt,
                                                struct failure *failure)
{
    return interrupt_is_sent(interrupt) ? fail(failure, FAIL_INTERRUPTED, "interrupted")
                                        : FAIL_NONE;
}

#endif
