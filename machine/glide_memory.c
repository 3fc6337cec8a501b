/* glide_memory.c - the arrays of gliding queues: made once, when packets first glide.
 *
 * Cost: 40 bytes a node for slots, 256 for the queues behind them, 1.9 for bits and blocks (in rows
 * of whole blocks: 120 bytes a row and begun block). With credits 36 in place of the 256, which the
 * operating system need not find where nobody stands, and 2.6 of bits: 2468 bytes a row and begun
 * block, and 320 a row.
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
    free(glide->credit_bits);
    free(glide->standing);
    free(glide->most);
    free(glide);
    machine->forward->glide = NULL;
}

/* A queue lies in one line of the cache. */
static struct glide_queue *on_a_line(void *memory)
{
    enum { LINE = sizeof(struct glide_queue) };
    return (struct glide_queue *)(((uintptr_t)memory + LINE - 1) / LINE * LINE);
}

static bool queues_make(struct machine *machine, struct glide *glide, size_t blocks)
{
    glide->block = memory_allocate(blocks, sizeof *glide->block);
    glide->queue_memory =
        memory_allocate((size_t)machine->nodes * DIRECTIONS + 1, sizeof *glide->queue);
    glide->queue = on_a_line(glide->queue_memory);
    return glide->block != NULL && glide->queue_memory != NULL;
}

static bool credits_make(struct machine *machine, struct glide *glide, size_t blocks)
{
    size_t rows = (size_t)machine->config.mesh.rows + 2;
    glide->credit_bits = memory_allocate(rows * credit_bits_of_row(glide), sizeof(uint64_t));
    glide->standing = memory_allocate(blocks, sizeof *glide->standing);
    glide->most = memory_allocate(blocks, sizeof *glide->most);
    return glide->credit_bits != NULL && glide->standing != NULL && glide->most != NULL;
}

enum failure_kind glide_prepare(struct machine *machine, uint32_t slots, struct failure *failure)
{
    size_t blocks = (size_t)machine->config.mesh.rows * blocks_of_row(machine);
    struct glide *glide = machine->forward->glide;
    bool whole = glide != NULL;
    if (!whole) {
        glide = machine->forward->glide = memory_allocate(1, sizeof *glide);
        whole = glide != NULL && slots_allocate(machine, &glide->slots, false);
    }
    if (whole && slots > 0 && glide->most == NULL)
        whole = credits_make(machine, glide, blocks);
    if (whole && slots == 0 && glide->queue_memory == NULL)
        whole = queues_make(machine, glide, blocks);
    if (whole)
        return FAIL_NONE;
    glide_free(machine);
    return fail_memory(failure, "the links' queues");
}
