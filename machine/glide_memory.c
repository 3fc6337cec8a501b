/* glide_memory.c - the arrays of packets that glide: made when a rule first needs their kind.
 *
 * Cost: 40 bytes a node for slots (and for those of up to eight rows that enter the mesh ahead of
 * others). For the queues behind them 244 without urgencies (and 256 a row and begun block), 256
 * with, and 1.9 for bits and blocks (in rows of whole blocks: 120 bytes a row and begun block).
 */
#include "machine/glide_private.h"

#include "machine/footprint_private.h"

#include <stdlib.h>

void glide_free(struct machine *machine)
{
    struct glide *glide = machine->forward == NULL ? NULL : machine->forward->glide;
    if (glide == NULL)
        return;
    slots_free(&glide->slots);
    free(glide->block);
    turn_counts_free(&glide->counts);
    free(glide->queue_memory);
    fifos_free(&glide->fifos);
    free(glide);
    machine->forward->glide = NULL;
}

static size_t blocks_of(const struct machine *machine)
{
    return (size_t)machine->config.mesh.rows * blocks_of_row(machine);
}

/* What all kinds need. */
static bool slots_make(struct machine *machine)
{
    struct glide *glide = memory_allocate(1, sizeof *glide);
    machine->forward->glide = glide;
    if (glide == NULL)
        return false;
    return slots_allocate(machine, &glide->slots, false) &&
           turn_counts_allocate(machine, &glide->counts);
}

/* A queue lies in one line of the cache. */
static struct glide_queue *on_a_line(void *memory)
{
    enum { LINE = sizeof(struct glide_queue) };
    return (struct glide_queue *)(((uintptr_t)memory + LINE - 1) / LINE * LINE);
}

static bool queues_of_lines(const struct machine *machine, struct glide *glide)
{
    glide->queue_memory =
        memory_allocate((size_t)machine->nodes * DIRECTIONS + 1, sizeof *glide->queue);
    glide->queue = glide->queue_memory == NULL ? NULL : on_a_line(glide->queue_memory);
    return glide->queue != NULL;
}

/* Who is under way may have an urgency even if the rule of this call gives none. */
static bool queues_make(const struct machine *machine, struct glide *glide, bool has_urgency)
{
    bool is_under_way = machine->travelling > 0, was_fifo = glide->is_fifo;
    if (glide->block == NULL)
        glide->block = memory_allocate(blocks_of(machine), sizeof *glide->block);
    glide->is_fifo = !has_urgency && (was_fifo || !is_under_way);
    glide->leaves_fifos = was_fifo && !glide->is_fifo && is_under_way;
    if (glide->block == NULL)
        return false;
    return glide->is_fifo ? glide->fifos.word != NULL || fifos_allocate(machine, &glide->fifos)
                          : glide->queue != NULL || queues_of_lines(machine, glide);
}

uint64_t glide_footprint(const struct machine_needs *needs)
{
    const struct glide *glide = NULL;
    uint64_t nodes = needs_nodes(needs), blocks = blocks_of_mesh(needs->mesh), bytes = 0;
    if (needs->uses & (USE_FORWARD | USE_URGENCY))
        bytes += slot_footprint(needs, false) + turn_footprint(needs);
    if (needs->uses & (USE_FORWARD | USE_URGENCY))
        bytes += blocks * sizeof *glide->block;
    if (needs->uses & USE_FORWARD)
        bytes += fifo_footprint(needs->mesh);
    if (needs->uses & USE_URGENCY)
        bytes += nodes * DIRECTIONS * sizeof *glide->queue;
    return bytes;
}

enum failure_kind glide_prepare(struct machine *machine, const struct routing_rule *rule,
                                struct failure *failure)
{
    bool whole = machine->forward->glide != NULL || slots_make(machine);
    struct glide *glide = machine->forward->glide;
    if (whole)
        whole = queues_make(machine, glide, rule->urgency != NULL);
    if (whole)
        return FAIL_NONE;
    glide_free(machine);
    return fail_memory(failure, "the links' queues");
}
