/* effort.h - a callback that reports how far a long computation is, and a request to end it. */
#ifndef MESHCAST_EXPANDERS_EFFORT_H
#define MESHCAST_EXPANDERS_EFFORT_H

#include "base/interrupt.h"

#include <stdbool.h>
#include <stddef.h>

/* `tell` is called by one thread, some hundred times a second or more often; `what` is being done, and
 * `share` of its longest duration, 0 to 1, is over. */
struct effort {
    void (*tell)(void *context, const char *what, double share); /* NULL: nobody wants to know */
    void *context;
    const struct interrupt *interrupt; /* NULL: none */
};

/* Reports progress; NULL: to nobody. False: an interrupt was sent, so the computation is to end, whatever it gives. */
static inline bool effort_tell(const struct effort *effort, const char *what, double share)
{
    if (effort == NULL)
        return true;
    if (effort->tell != NULL)
        effort->tell(effort->context, what, share);
    return !interrupt_is_sent(effort->interrupt);
}

#endif
