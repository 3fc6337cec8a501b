/* fetch.h - for functions that do nothing but fetch memory into the cache before it is needed. */
#ifndef MESHCAST_MACHINE_FETCH_H
#define MESHCAST_MACHINE_FETCH_H

#include "machine/machine.h"

/* The first packet that rests at the node will be looked at: its header, and the packet that rests behind it. */
void machine_fetch_resting(const struct machine *machine, node_index node);

/* Belongs into each of them: gcc finds that they have no effect, and drops the calls. */
static inline void fetch_has_effect(void)
{
    __asm__ volatile("");
}

#endif
