/* due.h - the calendar of packets on closed walks: which of 64 slots have something to do now (due.c). For
 * machine/ only. */
#ifndef MESHCAST_MACHINE_CYCLE_DUE_H
#define MESHCAST_MACHINE_CYCLE_DUE_H

#include <stdint.h>

enum { DUE_GROUP = 64 };
#define DUE_NEVER UINT32_MAX

/* Of up to DUE_GROUP slots those that are due at `now`, as bits; no other one is due before `*later`. */
uint64_t due_now(const uint32_t *due, uint32_t count, uint32_t now, uint32_t *later);

#endif
