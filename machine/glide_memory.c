/* glide_memory.c - the arrays of gliding queues: made once, when packets first glide.
 *
 * Cost: 40 bytes a node for slots (and for those of up to eight rows that enter the mesh ahead of
 * others), 1.9 for bits and blocks (in rows of whole blocks: 120 bytes a row and begun block). For
 * the queues behind them, made when a rule first needs their kind: 244 without urgencies (and 256 a
 * row and begun block), 256 with.
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
    free(glide->counts);
    free(glide->queue_memory);
    fifos_free(&glide->fifos);
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
    glide->counts =
        memory_allocate((size_t)machine->config.threads * SLOT_STEPS, sizeof *glide->counts);
    if (slots_allocate(machine, &glide->slots) && glide->block != NULL && glide->counts != NULL)
        return FAIL_NONE;
    glide_free(machine);
    return fail_memory(failure, "the links' queues");
}

static bool queues_of_lines(const struct machine *machine, struct glide *glide)
{
    glide->queue_memory =
        memory_allocate((size_t)machine->nodes * DIRECTIONS + 1, sizeof *glide->queue);
    glide->queue = glide->queue_memory == NULL ? NULL : on_a_line(glide->queue_memory);
    return glide->queue != NULL;
}

/* Who is under way may have an urgency even if the rule of this call gives none. */
enum failure_kind glide_prepare_queues(struct machine *machine, const struct routing_rule *rule,
                                       struct failure *failure)
{
    struct glide *glide = machine->forward->glide;
    bool is_under_way = machine->travelling > 0, was_fifo = glide->is_fifo;
    bool is_fifo = rule->urgency == NULL && rule->slots == 0 && (was_fifo || !is_under_way);
    bool whole = is_fifo ? glide->fifos.word != NULL || fifos_allocate(machine, &glide->fifos)
                         : glide->queue != NULL || queues_of_lines(machine, glide);
    if (!whole) {
        if (is_fifo)
            fifos_free(&glide->fifos);
        return fail_memory(failure, "the links' queues");
    }
    glide->is_fifo = is_fifo;
    glide->leaves_fifos = was_fifo && !is_fifo && is_under_way;
    return FAIL_NONE;
}
