/* block.c - rows are gone through in blocks of 64 nodes, what nodes have in common as one word. */
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
