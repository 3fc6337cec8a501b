/* effort.h - a callback that reports how far a long computation is. */
#ifndef MESHCAST_EXPANDERS_EFFORT_H
#define MESHCAST_EXPANDERS_EFFORT_H

#include <stddef.h>

/* `tell` is called by one thread, some hundred times a second or more often; `what` is being done, and
 * `share` of the most that it may take, 0 to 1, is behind it. */
struct effort {
    void (*tell)(void *context, const char *what, double share);
    void *context;
};

/* NULL: nobody is told. */
static inline void effort_tell(const struct effort *effort, const char *what, double share)
{
    if (effort != NULL)
        effort->tell(effort->context, what, share);
}

#endif
