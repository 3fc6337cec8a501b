/* due.c - which slots are due now: of 64 a comparison each, several at once, if the earliest of them is.
 *
 * Cost: a comparison for 64 slots; 64 more where one is due.
 */
#include "machine/cycle/due.h"

#include "base/vectorised.h"
#include "machine/transit/block.h"

VECTORISED static bool any_is(const uint32_t *first, uint32_t now, size_t count)
{
    uint32_t any = 0;
    for (size_t i = 0; i < count; i++)
        any |= first[i] == now;
    return any;
}

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

void due_clear(struct due *due)
{
    for (uint32_t slot = 0; slot < due->slots; slot++)
        due->at[slot] = DUE_NEVER;
    for (size_t group = 0; group < due_groups(due->slots); group++)
        due->first[group] = DUE_NEVER;
}

static void look_at_group(struct due *due, size_t group, uint32_t now,
                          void (*act)(void *context, uint32_t slot), void *context)
{
    uint32_t start = (uint32_t)group * DUE_GROUP, left = due->slots - start;
    uint8_t is_due[BLOCK] = {0};
    due->first[group] =
        look_at_due(due->at + start, is_due, left < DUE_GROUP ? left : DUE_GROUP, now);
    for (uint64_t bits = bits_of_flags(is_due); bits != 0; bits &= bits - 1)
        act(context, start + (uint32_t)__builtin_ctzll(bits));
}

void due_each(struct due *due, uint32_t now, void (*act)(void *context, uint32_t slot),
              void *context)
{
    enum { CHUNK = 64 };
    size_t groups = due_groups(due->slots);
    for (size_t start = 0; start < groups; start += CHUNK) {
        size_t end = groups - start < CHUNK ? groups : start + CHUNK;
        if (!any_is(due->first + start, now, end - start))
            continue;
        for (size_t group = start; group < end; group++)
            if (due->first[group] == now)
                look_at_group(due, group, now, act, context);
    }
}
