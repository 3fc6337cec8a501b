/* fetch.h - for functions that do nothing but fetch memory into the cache before it is needed. */
#ifndef MESHCAST_MACHINE_FETCH_H
#define MESHCAST_MACHINE_FETCH_H

/* Keeps the calls of a function that only prefetches: without it gcc finds that the function has no effect. */
static inline void fetch_has_effect(void)
{
    __asm__ volatile("");
}

#endif
