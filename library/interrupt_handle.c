/* interrupt_handle.c - interrupts as handles: a flag that computations look at.
 *
 * Invariant: what a signal handler may call is an atomic store or load without a lock.
 */
#include "library/handle_private.h"

#include <stdlib.h>

struct meshcast_interrupt *meshcast_interrupt_new(void)
{
    return memory_allocate(1, sizeof(struct meshcast_interrupt));
}

void meshcast_interrupt_free(struct meshcast_interrupt *interrupt)
{
    free(interrupt);
}

void meshcast_interrupt_send(struct meshcast_interrupt *interrupt)
{
    atomic_store(&interrupt->interrupt.is_sent, true);
}

void meshcast_interrupt_clear(struct meshcast_interrupt *interrupt)
{
    atomic_store(&interrupt->interrupt.is_sent, false);
}

bool meshcast_interrupt_is_sent(const struct meshcast_interrupt *interrupt)
{
    return interrupt_is_sent(&interrupt->interrupt);
}
