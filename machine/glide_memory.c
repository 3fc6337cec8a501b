/* glide_memory.c - the arrays of gliding queues: made once, when packets first glide.
 *
 * Cost: 40 bytes a node for slots, 256 for the queues behind them, 1.9 for bits and blocks (in rows
 * of whole blocks: 120 bytes a row and begun block).
 */
#include "machine/glide_private.h"

#include <stdlib.h>

void glide_free(struct machine *machine)
{
    struct glide *glide = machine->forward == NULL ? NULL : machine->forward->glide;
    if (glide == NULL)
        return;
    slots_free(&glide->slots);
    free(glide->block);
    free(glide->queue_memory);
    free(glide);
    machine->forward->glide = NULL;
}

/* A queue lies in one line of the cache. */
static struct glide_queue *on_a_line(void *memory)
{
    enum { LINE = sizeof(struct glide_queue) };
    return (struct glide_queue *)(((uintptr_t)memory + LINE - 1) / LINE * LINE);
}

enum failure_kind glide_prepare(struct machine *machine, struct failure *failure)
{
    if (machine->forward->glide != NULL)
        return FAIL_NONE;
    struct glide *glide = memory_allocate(1, sizeof *glide);
    if (glide == NULL)
        return fail_memory(failure, "the links' queues");
    machine->forward->glide = glide;
    size_t blocks = (size_t)machine->config.mesh.rows * blocks_of_row(machine);
    glide->block = memory_allocate(blocks, sizeof *glide->block);
    glide->queue_memory =
        memory_allocate((size_t)machine->nodes * DIRECTIONS + 1, sizeof *glide->queue);
    glide->queue = on_a_line(glide->queue_memory);
    bool whole = slots_allocate(machine, &glide->slots, false) && glide->block != NULL &&
                 glide->queue_memory != NULL;
    if (whole)
        return FAIL_NONE;
    glide_free(machine);
    return fail_memory(failure, "the links' queues");
}
