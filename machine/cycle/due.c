/* due.c - finds the slots that are due now. A group is looked at if its earliest slot is due (due_now()).
 *
 * Cost: a comparison for 64 slots; 64 more where one of them is due.
 */
#include "machine/cycle/due.h"

#include "base/vectorised.h"

VECTORISED static bool any_is(const uint32_t *first, uint32_t now, size_t count)
{
    uint32_t any = 0;
    for (size_t i = 0; i < count; i++)
        any |= first[i] == now;
    return any;
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
    uint32_t start = (uint32_t)group * BLOCK, left = due->slots - start;
    uint64_t bits = due_now(due->at + start, left < BLOCK ? left : BLOCK, now, &due->first[group]);
    for (; bits != 0; bits &= bits - 1)
        act(context, start + (uint32_t)__builtin_ctzll(bits));
}

void due_each(struct due *due, uint32_t now, void (*act)(void *context, uint32_t slot),
              void *context)
{
    size_t groups = due_groups(due->slots);
    for (size_t start = 0; start < groups; start += BLOCK) {
        size_t count = groups - start < BLOCK ? groups - start : BLOCK;
        if (!any_is(due->first + start, now, count))
            continue;
        uint32_t least;
        uint64_t bits = due_now(due->first + start, (uint32_t)count, now, &least);
        for (; bits != 0; bits &= bits - 1)
            look_at_group(due, start + (size_t)__builtin_ctzll(bits), now, act, context);
    }
}
