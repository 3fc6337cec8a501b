/* fetch.h - for functions that do nothing but fetch memory into the cache before it is needed. */
#ifndef MESHCAST_MACHINE_FETCH_H
#define MESHCAST_MACHINE_FETCH_H

#include "machine/machine.h"

/* To be called in each function that only prefetches: without it gcc finds that the function has no effect, and drops its calls. */
static inline void fetch_has_effect(void)
{
    __asm__ volatile("");
}

#endif
