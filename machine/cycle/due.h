/* due.h - the calendar of packets on closed walks: which slots have something to do now (due.c). For
 * machine/ only. */
#ifndef MESHCAST_MACHINE_CYCLE_DUE_H
#define MESHCAST_MACHINE_CYCLE_DUE_H

#include "machine/transit/block.h"

/* The steps, hops or rounds at which slots are due, in groups of BLOCK slots. */
struct due {
    uint32_t slots;
    uint32_t *at;    /* [slot]; DUE_NEVER where nothing is due */
    uint32_t *first; /* [group]: no slot of it is due before */
};

static inline size_t due_groups(size_t slots)
{
    return (slots + BLOCK - 1) / BLOCK;
}

static inline void due_set(struct due *due, uint32_t slot, uint32_t when)
{
    due->at[slot] = when;
    if (when < due->first[slot / BLOCK])
        due->first[slot / BLOCK] = when;
}

/* Notes that nothing is due. */
void due_clear(struct due *due);

/* Calls `act` for each slot that is due at `now`, in order; `act` sets or clears it. No slot may be due earlier. */
void due_each(struct due *due, uint32_t now, void (*act)(void *context, uint32_t slot),
              void *context);

#endif
