/* fetch.h - for functions that do nothing but fetch memory into the cache before it is needed. */
#ifndef MESHCAST_MACHINE_FETCH_H
#define MESHCAST_MACHINE_FETCH_H

/* Belongs into each of them: gcc finds that they have no effect, and drops the calls. */
static inline void fetch_has_effect(void)
{
    __asm__ volatile("");
}

#endif
