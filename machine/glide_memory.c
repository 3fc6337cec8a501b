/* glide_memory.c - the arrays of gliding queues: made once, when packets first glide.
 *
 * Cost: 40 bytes a node for slots, 256 for the queues behind them, 1.9 for bits and blocks (in rows of whole blocks: 120 bytes a
 * row and begun block).
 */
#include "machine/glide_private.h"

#include <stdlib.h>

void glide_free(struct machine *machine)
{
    struct glide *glide = machine->forward == NULL ? NULL : machine->forward->glide;
    if (glide == NULL)
        return;
    for (int d = 0; d < DIRECTIONS; d++) {
        free(glide->word[d]);
        free(glide->due[d]);
        free(glide->first_due[d]);
        free(glide->held[d]);
    }
    free(glide->block);
    free(glide->queue_memory);
    free(glide->stops);
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
    glide->rows = machine->config.mesh.rows;
    glide->cols = machine->config.mesh.cols;
    glide->blocks = blocks_of_row(machine);
    size_t blocks = (size_t)glide->rows * glide->blocks;
    glide->block = memory_allocate(blocks, sizeof *glide->block);
    glide->stops = memory_allocate(2 * machine->config.threads * DIRECTIONS * (size_t)glide->blocks,
                                   sizeof *glide->stops);
    glide->queue_memory =
        memory_allocate((size_t)machine->nodes * DIRECTIONS + 1, sizeof *glide->queue);
    glide->queue = on_a_line(glide->queue_memory);
    bool whole = glide->block != NULL && glide->queue_memory != NULL && glide->stops != NULL;
    for (int d = 0; d < DIRECTIONS; d++) {
        glide->word[d] = memory_allocate(machine->nodes, sizeof *glide->word[d]);
        glide->due[d] = memory_allocate(machine->nodes, sizeof *glide->due[d]);
        glide->first_due[d] = memory_allocate(blocks, sizeof *glide->first_due[d]);
        glide->held[d] = memory_allocate(blocks, sizeof *glide->held[d]);
        whole = whole && glide->word[d] && glide->due[d] && glide->first_due[d] && glide->held[d];
    }
    if (whole)
        return FAIL_NONE;
    glide_free(machine);
    return fail_memory(failure, "the links' queues");
}
