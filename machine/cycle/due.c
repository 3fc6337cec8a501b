/* due.c - which of 64 slots are due now: a comparison each, several at once. */
#include "machine/cycle/due.h"

#include "base/vectorised.h"
#include "machine/transit/block.h"

VECTORISED static uint32_t look_at_due(const uint32_t *restrict due, uint8_t *restrict is_due,
                                       uint32_t count, uint32_t now)
{
    uint32_t least = DUE_NEVER;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t later = due[i] == now ? DUE_NEVER : due[i];
        is_due[i] = due[i] == now;
        least = later < least ? later : least;
    }
    return least;
}

uint64_t due_now(const uint32_t *due, uint32_t count, uint32_t now, uint32_t *later)
{
    uint8_t is_due[BLOCK] = {0};
    *later = look_at_due(due, is_due, count, now);
    return bits_of_flags(is_due);
}
