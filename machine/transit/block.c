/* block.c - instructions go through rows in blocks of 64 nodes. Flags of a block's nodes are one word; numbers
 * (occupancies, due steps) are compared several at once. */
#include "machine/transit/block.h"
#include "machine/tally_private.h"

VECTORISED static uint32_t largest(const uint32_t *value, uint32_t count)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = value[i] > most ? value[i] : most;
    return most;
}

uint32_t largest_of(const uint32_t *value, uint32_t count)
{
    return largest(value, count); /* versions of one function would be seen outside the library */
}

VECTORISED static uint32_t look_at_due(const uint32_t *restrict due, uint8_t *restrict is_due,
                                       uint32_t count, uint32_t now)
{
    uint32_t least = DUE_FAR;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t later = due[i] - now - 1;
        is_due[i] = due[i] == now;
        least = later < least ? later : least;
    }
    return least;
}

uint64_t due_now(const uint32_t *due, uint32_t count, uint32_t now, uint32_t *first_due)
{
    uint8_t is_due[BLOCK] = {0};
    *first_due = now + 1 + look_at_due(due, is_due, count, now);
    return bits_of_flags(is_due);
}

void for_blocks(const struct machine *machine, uint32_t row,
                void (*act)(void *worker, struct span span), void *worker)
{
    uint32_t cols = machine->config.mesh.cols;
    for (uint32_t col = 0; col < cols; col += BLOCK)
        act(worker,
            (struct span){{row * cols + col, row, col}, cols - col < BLOCK ? cols - col : BLOCK});
}

void tell_blocks(const struct machine *machine, uint32_t row,
                 void (*tell)(void *worker, struct span span), void *worker)
{
    if (machine_is_observed(machine))
        for_blocks(machine, row, tell, worker);
}
